package sites

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"geodeck/adminapi/journal"
	"geodeck/adminapi/plain"
)

// maxSize is what the file may have, in bytes: 500 sites with every key have a fifth of it.
const maxSize = 1 << 20

// disk is where the file is.
type disk struct{ journal.Files }

// diskOf is the disk that was given, else that of the machine.
func diskOf(on []journal.Files) disk {
	if len(on) > 0 && on[0] != nil {
		return disk{on[0]}
	}
	return disk{journal.SystemFiles{}}
}

// readPrivate reads the file if only its user can have written it. The error matches
// fs.ErrNotExist where there is none.
func (d disk) readPrivate(path string) ([]byte, error) {
	// It follows no link, and does not wait for a pipe.
	f, err := d.Open(path, os.O_RDONLY, 0)
	if err != nil {
		return nil, unusable(path, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, unusable(path, err)
	}
	if err := d.checkPrivate(path, info); err != nil {
		return nil, err
	}
	content, err := io.ReadAll(io.LimitReader(f, maxSize+1))
	switch {
	case err != nil:
		return nil, unusable(path, err)
	case len(content) > maxSize:
		return nil, &Error{Path: path, Sentence: fmt.Sprintf("the file is larger than %d MiB", maxSize>>20)}
	}
	return content, nil
}

func (d disk) checkPrivate(path string, info fs.FileInfo) error {
	refused := &Error{Path: path, Err: ErrNotPrivate}
	switch {
	case !info.Mode().IsRegular():
		refused.Sentence, refused.Err = "this is not a regular file", nil
	case !isOwn(info):
		refused.Sentence, refused.Advice = "the file belongs to another user", "Copy it, or run geodeck as that user."
	case info.Mode().Perm()&0o077 != 0:
		refused.Sentence, refused.Advice = "others on this machine may read or change the file", "Make it private: chmod 600 "+plain.ShellWord(path)
	default:
		return d.checkFolder(path)
	}
	return refused
}

// checkFolder checks that no other user can replace the file. The folder may be a link, as
// people who keep their settings in a repository have it: what counts is where it leads.
func (d disk) checkFolder(path string) error {
	folder := filepath.Dir(path)
	info, err := d.Lstat(folder + "/.")
	switch {
	case err != nil:
		return unusable(path, err)
	case !isOwn(info) && !isOf(info, 0):
		return &Error{Path: path, Sentence: "the folder of the file belongs to another user", Err: ErrNotPrivate,
			Advice: "Keep the file in a folder of your own."}
	case info.Mode().Perm()&0o022 != 0:
		return &Error{Path: path, Sentence: "others on this machine may change the folder of the file", Err: ErrNotPrivate,
			Advice: "Keep them out: chmod go-w " + plain.ShellWord(folder)}
	}
	return nil
}

// lock waits until no other program edits the file. Where the file system has no locks it
// does not wait: of two edits at once, one may be lost there.
func (d disk) lock(path string) (unlock func(), err error) {
	name := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".lock")
	f, err := d.Open(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, unusable(name, err)
	}
	for until := time.Now().Add(lockTimeout); ; time.Sleep(lockPause) {
		err := f.Lock(unix.LOCK_EX)
		switch {
		case err == nil, errors.Is(err, unix.ENOLCK), errors.Is(err, unix.ENOTSUP), errors.Is(err, unix.ENOSYS):
			return func() { _ = f.Close() }, nil // which unlocks
		case !errors.Is(err, unix.EWOULDBLOCK):
			f.Close()
			return nil, unusable(name, err)
		case time.Now().After(until):
			f.Close()
			return nil, &Error{Path: path, Sentence: "another program is editing the file", Err: context.DeadlineExceeded, Advice: "End it, and try again."}
		}
	}
}

const (
	lockTimeout = 10 * time.Second // others need milliseconds; a stopped one holds it for ever
	lockPause   = 4 * time.Millisecond
)

// replace replaces the content of the file: a reader, also after a crash, finds the old or
// the new. The lock must be held.
func (d disk) replace(path string, content []byte) error {
	folder := filepath.Dir(path)
	d.removeUnfinished(path)
	f, err := d.CreateTemp(folder, "."+filepath.Base(path)) // TMPDIR is not private
	if err != nil {
		return unusable(path, err)
	}
	err = f.Chmod(0o600) // whatever the umask was
	if err == nil {
		_, err = f.Write(content)
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = d.Rename(f.Name(), path)
	}
	if errors.Is(err, fs.ErrNotExist) { // on a file system without locks another program has removed it
		return &Error{Path: path, Sentence: "another program is editing the file", Err: err, Advice: "Try again."}
	}
	if err != nil {
		_ = d.Remove(f.Name())
		return unusable(path, err)
	}
	_ = d.SyncFolder(folder) // some file systems cannot, and need not
	return nil
}

// removeUnfinished removes what a crash has left of earlier replacements. Under the lock no
// program is writing them.
func (d disk) removeUnfinished(path string) {
	folder, name := filepath.Split(path)
	entries, _ := d.ReadDir(folder)
	for _, entry := range entries {
		number, ok := strings.CutPrefix(entry.Name(), "."+name)
		if ok && number != "" && strings.Trim(number, "0123456789") == "" {
			_ = d.Remove(filepath.Join(folder, entry.Name()))
		}
	}
}

func isOwn(info fs.FileInfo) bool { return isOf(info, os.Geteuid()) }

func isOf(info fs.FileInfo, user int) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return !ok || int(stat.Uid) == user
}

// unusable explains an error of the system; fs.ErrNotExist stays what it is.
func unusable(path string, err error) error {
	e := &Error{Path: path, Err: err}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return err
	case errors.Is(err, syscall.ELOOP):
		e.Sentence, e.Advice = "the file is a symbolic link, which is not followed", "Link its folder instead, or name the file itself with --config."
	case errors.Is(err, fs.ErrPermission):
		e.Sentence = "you may not read or change this file"
	case errors.Is(err, syscall.ENOTDIR):
		e.Sentence = "part of the path is a file, not a folder"
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		e.Sentence, e.Advice = "there is no space left for the file", "Make room on that disk."
	case errors.Is(err, syscall.EROFS):
		e.Sentence = "the file system is read-only"
	default:
		var path *fs.PathError
		if errors.As(err, &path) {
			err = path.Err
		}
		e.Sentence = fmt.Sprintf("the file cannot be used: %v", err)
	}
	return e
}
