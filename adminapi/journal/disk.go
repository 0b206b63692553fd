package journal

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Files is the file system of a journal. Paths are absolute, errors are those of package os.
type Files interface {
	// Open opens a file, with the flags of package os. It follows no symbolic link and does
	// not wait for a pipe.
	Open(path string, flags int, mode fs.FileMode) (File, error)
	// CreateTemp creates a file with a new name.
	CreateTemp(folder, pattern string) (File, error)
	// Lstat describes a file, without following a symbolic link.
	Lstat(path string) (fs.FileInfo, error)
	// Mkdir creates a folder.
	Mkdir(path string, mode fs.FileMode) error
	// MkdirAll creates a folder and those above it; one that exists is no error.
	MkdirAll(path string, mode fs.FileMode) error
	// ReadDir lists a folder.
	ReadDir(path string) ([]fs.DirEntry, error)
	// Chmod sets the mode of a file or folder.
	Chmod(path string, mode fs.FileMode) error
	// Rename renames a file, in place of one of the new name.
	Rename(from, to string) error
	// Remove removes a file.
	Remove(path string) error
	// SyncFolder returns when the names in a folder are on disk.
	SyncFolder(path string) error
	// SameFile reports whether both describe the same file.
	SameFile(a, b fs.FileInfo) bool
	// Owned reports whether a file belongs to the user of the program.
	Owned(info fs.FileInfo) bool
}

// File is an open file of a journal.
type File interface {
	io.Reader
	io.ReaderAt
	io.Writer
	io.WriterAt
	io.Seeker
	io.Closer
	// Name is the path that the file was opened with.
	Name() string
	// Stat describes the file.
	Stat() (fs.FileInfo, error)
	// Chmod sets the mode of the file.
	Chmod(mode fs.FileMode) error
	// Truncate sets the size of the file, in bytes.
	Truncate(size int64) error
	// Sync returns when the content is on disk.
	Sync() error
	// Lock tries once to lock the file until it is closed or the program ends; how is
	// [unix.LOCK_EX] or [unix.LOCK_SH]. The error is [unix.EWOULDBLOCK] where another
	// program holds the lock, and such as [unix.ENOLCK] where there are no locks.
	Lock(how int) error
}

// SystemFiles is the file system of the machine.
type SystemFiles struct{}

type systemFile struct{ *os.File }

// Lock is flock without a wait.
func (f systemFile) Lock(how int) error {
	for {
		if err := unix.Flock(int(f.Fd()), how|unix.LOCK_NB); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// Open opens a file, see [Files].
func (SystemFiles) Open(path string, flags int, mode fs.FileMode) (File, error) {
	return opened(os.OpenFile(path, flags|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, mode))
}

// CreateTemp creates a file with a new name.
func (SystemFiles) CreateTemp(folder, pattern string) (File, error) {
	return opened(os.CreateTemp(folder, pattern))
}

// opened makes a File, nil with an error.
func opened(f *os.File, err error) (File, error) {
	if err != nil {
		return nil, err
	}
	return systemFile{f}, nil
}

// Lstat is [os.Lstat].
func (SystemFiles) Lstat(path string) (fs.FileInfo, error) { return os.Lstat(path) }

// Mkdir is [os.Mkdir].
func (SystemFiles) Mkdir(path string, mode fs.FileMode) error { return os.Mkdir(path, mode) }

// MkdirAll is [os.MkdirAll].
func (SystemFiles) MkdirAll(path string, mode fs.FileMode) error { return os.MkdirAll(path, mode) }

// ReadDir is [os.ReadDir].
func (SystemFiles) ReadDir(path string) ([]fs.DirEntry, error) { return os.ReadDir(path) }

// Chmod is [os.Chmod].
func (SystemFiles) Chmod(path string, mode fs.FileMode) error { return os.Chmod(path, mode) }

// Rename is [os.Rename].
func (SystemFiles) Rename(from, to string) error { return os.Rename(from, to) }

// Remove is [os.Remove].
func (SystemFiles) Remove(path string) error { return os.Remove(path) }

// SameFile is [os.SameFile].
func (SystemFiles) SameFile(a, b fs.FileInfo) bool { return os.SameFile(a, b) }

// SyncFolder returns when the names in a folder are on disk.
func (SystemFiles) SyncFolder(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

// Owned reports whether a file belongs to the user of the program.
func (SystemFiles) Owned(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return !ok || int(stat.Uid) == os.Geteuid()
}

// systemProgram is this program without its user, who is looked up when needed: that may be
// slow.
func systemProgram() Program {
	p := Program{PID: os.Getpid()}
	p.Host, _ = os.Hostname()
	return p
}

// Account is who runs this program, and on which machine: alice on adm1.
func Account() string {
	p := systemProgram()
	p.User = systemUser()
	return p.Who()
}

// systemUser is the name of the user of the program, empty where it is not known.
func systemUser() string {
	u, err := user.Current()
	if err != nil {
		return ""
	}
	return u.Username
}

// disk is a file system as a journal uses it: private, and with writes in an order that
// survives a crash.
type disk struct {
	Files
	noSync  bool      // see [WithoutSync]
	lasting *sync.Map // the folders whose names this program has seen on disk
}

// OpenThrowaway opens a journal in a new temporary folder, which Close removes: for the
// demonstration and for tests.
func OpenThrowaway(options ...Option) (*Journal, error) {
	folder, err := os.MkdirTemp("", "geodeck-journal-")
	if err != nil {
		return nil, explain(os.TempDir(), err)
	}
	j, err := Open(folder, "throwaway://journal", append(options, WithoutSync())...)
	if err != nil {
		_ = os.RemoveAll(folder)
		return nil, err
	}
	j.throwaway = folder
	return j, nil
}

// removeThrowaway removes the folder of a throwaway journal, and nothing of another one.
func (j *Journal) removeThrowaway() error { return explain(j.throwaway, os.RemoveAll(j.throwaway)) }

// SaveCrash writes a crash report to a new private file, and returns its path. The file is in
// folder, that of the journals, or in the temporary folder of the system where that is empty
// or cannot be used.
func SaveCrash(folder string, at time.Time, text []byte) (path string, err error) {
	d := disk{Files: SystemFiles{}, noSync: true}
	if folder != "" {
		if err = d.baseFolder(folder); err == nil {
			if path, err = d.saveCrash(folder, at, text); err == nil {
				return path, nil
			}
		}
	}
	return d.saveCrash(os.TempDir(), at, text)
}

// LoadState reads a small file of folder, that of the journals, up to a number of bytes.
func LoadState(files Files, folder, name string, limit int64) ([]byte, error) {
	return disk{Files: files}.readUpTo(limit, filepath.Join(folder, name))
}

// StateName is the name of such a file that is about a site, named as [SiteOf] does.
func StateName(what, site string) string { return fileName(what+" "+site, site) }

// SaveState replaces such a file: a reader finds the old content or the new. After a crash of
// the machine it may be gone. Of two programs that save at once, one may fail.
func SaveState(files Files, folder, name string, content []byte) error {
	d := disk{Files: files, noSync: true}
	err := d.baseFolder(folder)
	if err == nil {
		err = d.replaceWhole(filepath.Join(folder, name), content)
	}
	return err
}
