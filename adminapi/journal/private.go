package journal

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

const (
	folderMode fs.FileMode = 0o700
	fileMode   fs.FileMode = 0o600
)

// baseFolder makes the folder that holds all journals. One that is there
// already may be anybody's choice, such as a home: its mode is left alone.
func baseFolder(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(filepath.Dir(path), folderMode); err != nil {
			return explain(path, err)
		}
		return privateFolder(path)
	}
	if err != nil {
		return explain(path, err)
	}
	if err := checkFolder(path, info); err != nil {
		return err
	}
	if info.Mode().Perm()&0o022 != 0 {
		return failed(nil, "others may write to %s; take that right away (chmod go-w) or choose another folder", path)
	}
	return nil
}

// privateFolder makes a folder of the journal where it is missing and closes it
// to others, whatever the umask was.
func privateFolder(path string) error {
	err := os.Mkdir(path, folderMode)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return explain(path, err)
	}
	isNew := err == nil
	info, err := os.Lstat(path)
	if err != nil {
		return explain(path, err)
	}
	if err := checkFolder(path, info); err != nil {
		return err
	}
	if info.Mode().Perm() != folderMode {
		if err := os.Chmod(path, folderMode); err != nil {
			return explain(path, err)
		}
	}
	if isNew {
		return syncFolder(filepath.Dir(path))
	}
	return nil
}

func checkFolder(path string, info fs.FileInfo) error {
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return explain(path, syscall.ELOOP)
	case !info.IsDir():
		return failed(syscall.ENOTDIR, "it is a file where the folder of the journal should be: %s", path)
	}
	return checkOwner(path, info)
}

func checkOwner(path string, info fs.FileInfo) error {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok && int(stat.Uid) != disk.user() {
		return failed(fs.ErrPermission, "it belongs to another user: %s", path)
	}
	return nil
}

// openPrivate opens a file of the journal. It follows no link, waits for no
// pipe and takes rights away that others have.
func openPrivate(path string, flags int) (*os.File, error) {
	f, err := os.OpenFile(path, flags|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, fileMode)
	if err != nil {
		return nil, err
	}
	if err := checkFile(path, f); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func checkFile(path string, f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return explain(path, err)
	}
	if !info.Mode().IsRegular() {
		return failed(nil, "it is no ordinary file: %s", path)
	}
	if err := checkOwner(path, info); err != nil {
		return err
	}
	if info.Mode().Perm() != fileMode {
		return explain(path, f.Chmod(fileMode))
	}
	return nil
}

// readWhole reads a file of the journal; the error matches fs.ErrNotExist where
// there is none.
func readWhole(path string) ([]byte, error) {
	f, err := openPrivate(path, os.O_RDONLY)
	if err != nil {
		return nil, explain(path, err)
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	return data, explain(path, err)
}

// replaceWhole puts data in place of a file: a reader, also one after a crash,
// finds the old content or the new. The lock must be held.
func replaceWhole(path string, data []byte) error {
	return replaceWith(path, func(out io.Writer) error {
		_, err := out.Write(data)
		return err
	})
}

// replaceWith is replaceWhole with what write gives.
func replaceWith(path string, write func(io.Writer) error) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return explain(path, err)
	case info.Mode()&fs.ModeSymlink != 0:
		return explain(path, syscall.ELOOP)
	case !info.Mode().IsRegular():
		return failed(nil, "it is no ordinary file: %s", path)
	}
	removeUnfinished(path)
	// The temporary file stays in the folder: TMPDIR is not private.
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path))
	if err != nil {
		return explain(path, err)
	}
	err = fill(f, write)
	if err == nil {
		err = disk.rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return explain(path, err)
	}
	return syncFolder(filepath.Dir(path))
}

// fill writes a new file and closes it. What is in it is on disk then: renamed before
// that, it could be empty after a crash.
func fill(f *os.File, write func(io.Writer) error) error {
	err := f.Chmod(fileMode) // whatever the umask was
	if err == nil {
		err = write(f)
	}
	if err == nil {
		err = disk.sync(f)
	}
	if closed := disk.close(f); err == nil {
		err = closed
	}
	return err
}

// removeUnfinished removes what a crash has left of earlier replacements: under
// the lock nobody is at work on them.
func removeUnfinished(path string) {
	folder, name := filepath.Split(path)
	entries, err := os.ReadDir(folder)
	if err != nil {
		return
	}
	for _, entry := range entries {
		if ok, _ := filepath.Match("."+name+"*", entry.Name()); ok {
			_ = os.Remove(filepath.Join(folder, entry.Name()))
		}
	}
}

// syncFolder makes new names in a folder last.
func syncFolder(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return explain(path, err)
	}
	defer f.Close()
	// Some network file systems cannot do this for folders, and need not.
	if err := disk.sync(f); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOTSUP) {
		return explain(path, err)
	}
	return nil
}
