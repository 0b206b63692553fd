package journal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
)

const (
	folderMode fs.FileMode = 0o700
	fileMode   fs.FileMode = 0o600
)

// baseFolder creates the folder of all journals. One that exists keeps its mode: it may be a
// home.
func (d disk) baseFolder(path string) error {
	_, err := d.Lstat(path)
	if absent(err) {
		if err = d.MkdirAll(filepath.Dir(path), folderMode); err == nil {
			err = d.privateFolder(path)
		}
		if err == nil {
			err = d.syncNames(path)
		}
		if absent(err) {
			err = failed(err, "%s cannot be created: %s", baseName, path)
		}
		return explain(path, err)
	}
	if err = d.checkBase(path); err == nil {
		err = namedLast(path, d.syncNames(path))
	}
	return err
}

// baseName is what sentences call the folder of all journals.
const baseName = "the state folder"

// checkBase checks the folder of all journals.
func (d disk) checkBase(path string) error {
	info, err := d.folderInfo(path, baseName)
	if err == nil && info.Mode().Perm()&0o022 != 0 {
		err = failed(nil, "others may write to %s; remove that permission (chmod go-w) or choose another folder", baseName)
	}
	return namedLast(path, err)
}

// namedLast adds the path of the folder of all journals to a sentence: last, as a path is long
// and lines of the screen are cut.
func namedLast(path string, err error) error {
	if f, is := errors.AsType[failure](err); is {
		f.sentence += ": " + plain.Line(path)
		return f
	}
	return err
}

// syncNames returns when the name of a folder is on disk, and those of the folders above it
// that are of this user: a program that was killed may have created them and no more.
func (d disk) syncNames(path string) error {
	for {
		above := filepath.Dir(path)
		err := d.syncFolder(above)
		if err != nil && !errors.Is(err, fs.ErrPermission) && !errors.Is(err, syscall.EROFS) { // who may not read it has not changed it
			return err
		}
		info, err := d.Lstat(above)
		if above == path || err != nil || !d.Owned(info) {
			return nil
		}
		path = above
	}
}

// privateFolder creates a folder of the journal where it is missing, and closes it to others
// whatever the umask. Its name is on disk then: a program that was killed may have created it
// and no more.
func (d disk) privateFolder(path string) error {
	err := d.Mkdir(path, folderMode)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return explain(path, err)
	}
	isNew := err == nil
	info, err := d.folderInfo(path, path)
	if err != nil {
		return err
	}
	if info.Mode().Perm() != folderMode {
		if err := d.Chmod(path, folderMode); err != nil {
			return explain(path, err)
		}
	}
	if d.lasting != nil {
		_, known := d.lasting.Load(path)
		isNew = isNew || !known
	}
	if !isNew {
		return nil
	}
	if err := d.syncFolder(filepath.Dir(path)); err != nil {
		_ = d.Remove(path) // else the next program takes it for synced
		return err
	}
	if d.lasting != nil {
		d.lasting.Store(path, true)
	}
	return nil
}

// folderInfo describes a folder that sentences call name, and that this user has.
func (d disk) folderInfo(path, name string) (fs.FileInfo, error) {
	info, err := d.Lstat(path)
	switch {
	case err != nil:
		return nil, explain(name, err)
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, explain(name, syscall.ELOOP)
	case !info.IsDir():
		return nil, failed(syscall.ENOTDIR, "%s is a file, not a folder", name)
	}
	return info, d.checkOwner(name, info)
}

func (d disk) checkOwner(name string, info fs.FileInfo) error {
	if !d.Owned(info) {
		return failed(fs.ErrPermission, "%s belongs to another user", name)
	}
	return nil
}

// openPrivate opens a file of the journal, and closes it to others. It follows no link and does
// not wait for a pipe.
func (d disk) openPrivate(path string, flags int) (File, error) {
	f, err := d.Open(path, flags, fileMode)
	if err != nil {
		return nil, explain(path, err)
	}
	if err := d.checkFile(path, f); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func (d disk) checkFile(path string, f File) error {
	info, err := f.Stat()
	if err != nil {
		return explain(path, err)
	}
	if !info.Mode().IsRegular() {
		return failed(nil, "%s is not a regular file", path)
	}
	if err := d.checkOwner(path, info); err != nil {
		return err
	}
	if info.Mode().Perm() != fileMode {
		return explain(path, f.Chmod(fileMode))
	}
	return nil
}

// readWhole reads a file of the journal; the error matches fs.ErrNotExist where there is none.
func (d disk) readWhole(path string) ([]byte, error) {
	return d.readUpTo(math.MaxInt64, path)
}

// readUpTo is readWhole of a file of which no more than a number of bytes is wanted.
func (d disk) readUpTo(limit int64, path string) ([]byte, error) {
	f, err := d.openPrivate(path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit))
	return data, explain(path, err)
}

// replaceWhole replaces the content of a file: a reader, also after a crash, finds the old or
// the new. The lock must be held.
func (d disk) replaceWhole(path string, data []byte) error {
	return d.replaceWith(path, writing(data))
}

// writing returns what writes some bytes.
func writing(data []byte) func(io.Writer) error {
	return func(out io.Writer) error {
		_, err := out.Write(data)
		return err
	}
}

// replaceWith is replaceWhole with what write writes.
func (d disk) replaceWith(path string, write func(io.Writer) error) error {
	info, err := d.Lstat(path)
	switch {
	case absent(err):
	case err != nil:
		return explain(path, err)
	case info.Mode()&fs.ModeSymlink != 0:
		return explain(path, syscall.ELOOP)
	case !info.Mode().IsRegular():
		return failed(nil, "%s is not a regular file", path)
	}
	d.removeUnfinished(path)
	// The temporary file stays in the folder: TMPDIR is not private.
	f, err := d.CreateTemp(filepath.Dir(path), "."+filepath.Base(path))
	if err != nil {
		return explain(path, err)
	}
	err = d.fill(f, write)
	if err == nil {
		err = d.Rename(f.Name(), path)
	}
	if err != nil {
		_ = d.Remove(f.Name())
		return explain(path, err)
	}
	return d.syncFolder(filepath.Dir(path))
}

// fill writes a new file and closes it, with its content on disk: renamed before that, it
// could be empty after a crash.
func (d disk) fill(f File, write func(io.Writer) error) error {
	err := f.Chmod(fileMode) // whatever the umask was
	if err == nil {
		err = write(f)
	}
	if err == nil && !d.noSync {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

// removeUnfinished removes what a crash has left of earlier replacements. Under the lock no
// program is writing them.
func (d disk) removeUnfinished(path string) {
	folder, name := filepath.Split(path)
	entries, err := d.ReadDir(folder)
	if err != nil {
		return
	}
	for _, entry := range entries {
		if ok, _ := filepath.Match("."+name+"*", entry.Name()); ok {
			_ = d.Remove(filepath.Join(folder, entry.Name()))
		}
	}
}

// syncFile returns when the content of a file is on disk, whose writer may have been killed
// before. Each byte is written again, in its place: once a sync has failed, the next one
// succeeds whatever of the file was lost.
func (d disk) syncFile(path string) error {
	if d.noSync {
		return nil
	}
	f, err := d.openPrivate(path, os.O_RDWR)
	if err != nil {
		return err
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err == nil {
		_, err = f.WriteAt(data, 0)
	}
	return explain(path, cmp.Or(err, f.Sync()))
}

// syncFolder returns when new names in a folder are on disk.
func (d disk) syncFolder(path string) error {
	if d.noSync {
		return nil
	}
	// Some network file systems cannot, and need not, do this for folders.
	if err := d.SyncFolder(path); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOTSUP) {
		return explain(path, err)
	}
	return nil
}

const (
	lockTimeout = 10 * time.Second // others need milliseconds; a stopped one holds it for ever
	lockPause   = 4 * time.Millisecond
)

// locked runs do under the lock of the folder: no other journal of the site, in this or another
// program, changes anything meanwhile.
func (j *Journal) locked(do func() error) error {
	j.turn.take()
	defer j.turn.give()
	if j.closed.Load() {
		return errClosed
	}
	path := filepath.Join(j.folder, "lock")
	f, err := j.disk.openPrivate(path, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return err
	}
	defer f.Close() // which unlocks
	if err := j.locks.wait(context.Background(), f, lockTimeout); err != nil {
		return explain(path, err)
	}
	return do()
}

// locks takes the locks of a journal's files.
type locks struct {
	clock adminapi.Clock
	rand  adminapi.Rand
	none  atomic.Bool // the file system has no locks
}

// wait locks a file as soon as nobody else holds the lock, unless ctx ends before. Without locks of
// the file system it returns at once; see [Journal.LockWarning].
func (l *locks) wait(ctx context.Context, f File, timeout time.Duration) error {
	for until := l.clock.Now().Add(timeout); ; {
		held, err := l.try(f)
		if !held {
			return err
		}
		if !l.clock.Now().Before(until) {
			return failed(context.DeadlineExceeded, "another program has locked %s for %s", f.Name(), adminapi.FormatDuration(timeout))
		}
		if err := l.clock.Sleep(ctx, l.pause()); err != nil {
			return err
		}
	}
}

// pause is how long to wait before a lock is tried again. It varies, so that no program is always late.
func (l *locks) pause() time.Duration {
	return lockPause/2 + time.Duration(l.rand.Uint64()%uint64(lockPause))
}

// try locks a file if nobody else holds the lock; held reports whether somebody does.
func (l *locks) try(f File) (held bool, err error) {
	switch err = f.Lock(unix.LOCK_EX); {
	case errors.Is(err, unix.EWOULDBLOCK):
		return true, nil
	case errors.Is(err, unix.ENOLCK), errors.Is(err, unix.ENOTSUP), errors.Is(err, unix.ENOSYS):
		l.none.Store(true)
		return false, nil
	}
	return false, err
}

// LockWarning returns a sentence where the file system was seen to have no locks, else nil. Two
// programs can send the same at the same time there; a recorded write still stops the next.
func (j *Journal) LockWarning() error {
	if !j.locks.none.Load() {
		return nil
	}
	return failed(unix.ENOLCK, "the file system of %s offers no locks: run one geodeck at a time, or name another folder with --state-dir", j.folder)
}

// failure is a sentence for the reader that wraps the error of the system.
type failure struct {
	sentence string
	err      error
}

// Error is the sentence.
func (f failure) Error() string { return f.sentence }

// Unwrap returns the error of the system.
func (f failure) Unwrap() error { return f.err }

func failed(err error, format string, args ...any) error {
	return failure{plain.Line(fmt.Sprintf(format, args...)), err}
}

// absent reports whether an error says that there is no such file.
func absent(err error) bool { return errors.Is(err, fs.ErrNotExist) }

var errClosed = errors.New("the journal is closed")

// reasons explain the errors of a file system. The first that matches counts.
var reasons = []struct {
	err      error
	sentence string // %s is what cannot be used
}{
	{syscall.ENOSPC, "there is no space left on the disk for %s"},
	{syscall.EDQUOT, "the disk quota of this user leaves no room for %s"},
	{syscall.EFBIG, "%s has reached the system's file size limit"},
	{syscall.EROFS, "the file system of %s is read-only"},
	{syscall.ELOOP, "%s is a symbolic link; links are not followed"},
	{syscall.ENOTDIR, "part of the path of %s is a file, not a folder"},
	{syscall.EISDIR, "%s is a folder, not a file"},
	{syscall.ENAMETOOLONG, "the path of %s is too long"},
	{syscall.EMFILE, "too many files are open to use %s"},
	{syscall.EIO, "the disk reports an error for %s"},
	{syscall.ENOLCK, "the file system of %s offers no locks"},
	{fs.ErrPermission, "you may not read or write %s"},
	{fs.ErrNotExist, "%s no longer exists"},
}

// explain turns an error of the system into a sentence about what has that name: a path.
func explain(name string, err error) error {
	if err == nil || errors.As(err, new(failure)) {
		return err
	}
	for _, reason := range reasons {
		if errors.Is(err, reason.err) {
			return failed(err, reason.sentence, name)
		}
	}
	return failed(err, "%s cannot be used: %v", name, err)
}
