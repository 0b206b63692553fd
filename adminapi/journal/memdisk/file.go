package memdisk

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"geodeck/adminapi/journal"
)

var _ journal.File = (*file)(nil)

// file is an open file or folder of a program.
type file struct {
	program *Program
	node    *node
	name    string // that it was opened with
	flags   int

	// Guarded by the lock of the disk.
	offset int64
	closed bool
}

// call runs act on an open file; its errors are those of op.
func (f *file) call(op string, act func(c *call) error) error {
	return f.program.call(func(c *call) error {
		if f.closed {
			return pathError(op, f.name, fs.ErrClosed)
		}
		err := act(c)
		if err == io.EOF {
			return err
		}
		return pathError(op, f.name, err)
	})
}

// Name is the path that the file was opened with.
func (f *file) Name() string { return f.name }

// Close closes the file, which unlocks it.
func (f *file) Close() error {
	return f.call("close", func(*call) error {
		f.closed = true
		f.unlock()
		return nil
	})
}

// Read reads from the offset of the file.
func (f *file) Read(into []byte) (n int, err error) {
	err = f.call("read", func(c *call) (err error) {
		n, err = f.read(c, into, f.offset)
		f.offset += int64(n)
		if n > 0 || len(into) == 0 {
			return err
		}
		if err == nil {
			err = io.EOF
		}
		return err
	})
	return answered(n, err)
}

// ReadAt reads from any offset.
func (f *file) ReadAt(into []byte, offset int64) (n int, err error) {
	if offset < 0 {
		return 0, pathError("readat", f.name, errors.New("negative offset"))
	}
	err = f.call("read", func(c *call) (err error) {
		n, err = f.read(c, into, offset)
		if err == nil && n < len(into) {
			err = io.EOF
		}
		return err
	})
	return answered(n, err)
}

// answered leaves nothing of the answer to a program that was killed.
func answered(n int, err error) (int, error) {
	if err == ErrKilled {
		return 0, err
	}
	return n, err
}

func (f *file) read(c *call, into []byte, offset int64) (int, error) {
	if len(into) == 0 {
		return 0, nil
	}
	if err := c.meet(OpRead, f.name); err != nil {
		return 0, err
	}
	switch data := f.node.content.now; {
	case f.flags&accessMode == os.O_WRONLY:
		return 0, syscall.EBADF
	case f.node.isFolder():
		return 0, syscall.EISDIR
	case offset >= int64(len(data)):
		return 0, nil
	default:
		return copy(into, data[offset:]), nil
	}
}

// Write writes at the offset of the file, or at its end where it was opened to append.
func (f *file) Write(data []byte) (n int, err error) {
	err = f.call("write", func(c *call) (err error) {
		at := f.offset
		if f.flags&os.O_APPEND != 0 {
			at = int64(len(f.node.content.now))
		}
		if n, err = f.write(c, data, at); n > 0 {
			f.offset = at + int64(n)
		}
		return err
	})
	return answered(n, err)
}

// WriteAt writes at any offset, but not where the file was opened to append.
func (f *file) WriteAt(data []byte, offset int64) (n int, err error) {
	switch {
	case f.flags&os.O_APPEND != 0:
		return 0, errors.New("os: invalid use of WriteAt on file opened with O_APPEND")
	case offset < 0:
		return 0, pathError("writeat", f.name, errors.New("negative offset"))
	}
	err = f.call("write", func(c *call) (err error) {
		n, err = f.write(c, data, offset)
		return err
	})
	return answered(n, err)
}

// write writes the first half where the disk is full or breaks.
func (f *file) write(c *call, data []byte, offset int64) (int, error) {
	if f.flags&accessMode == os.O_RDONLY || f.node.isFolder() {
		return 0, syscall.EBADF
	}
	err := c.meet(OpWrite, f.name)
	switch err {
	case nil:
	case syscall.ENOSPC, syscall.EIO:
		data = data[:len(data)/2]
	default:
		return 0, err
	}
	if len(data) > 0 {
		f.node.do(f.program.disk, write{at: offset, data: slices.Clone(data)})
	}
	return len(data), err
}

// do makes a write to a file.
func (n *node) do(d *Disk, w write) {
	n.content.do(w)
	n.modified = d.now()
}

// Seek sets the offset of the file.
func (f *file) Seek(offset int64, whence int) (at int64, err error) {
	err = f.call("seek", func(*call) error {
		switch whence {
		case io.SeekStart:
		case io.SeekCurrent:
			offset += f.offset
		case io.SeekEnd:
			offset += int64(len(f.node.content.now))
		default:
			return syscall.EINVAL
		}
		if offset < 0 {
			return syscall.EINVAL
		}
		f.offset, at = offset, offset
		return nil
	})
	return at, err
}

// Truncate sets the size of the file, in bytes.
func (f *file) Truncate(size int64) error {
	return f.call("truncate", func(c *call) error {
		if size < 0 || f.flags&accessMode == os.O_RDONLY {
			return syscall.EINVAL
		}
		if err := c.meet(OpTruncate, f.name); err != nil {
			return err
		}
		f.node.do(f.program.disk, write{at: size, truncate: true})
		return nil
	})
}

// Sync returns when the content lasts.
func (f *file) Sync() error {
	return f.call("sync", func(c *call) error { return c.sync(f.node, f.name) })
}

// Chmod sets the mode of the file.
func (f *file) Chmod(mode fs.FileMode) error {
	return f.call("chmod", func(c *call) error {
		if err := c.meet(OpChmod, f.name); err != nil {
			return err
		}
		f.node.setMode(mode)
		return nil
	})
}

// Stat describes the file.
func (f *file) Stat() (found fs.FileInfo, err error) {
	err = f.call("stat", func(*call) error {
		found = f.node.info(f.name)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

// Lock tries once to lock the file, like flock: a lock that the file has of the other kind is
// given up first.
func (f *file) Lock(how int) error {
	return f.program.call(func(c *call) error {
		if f.closed {
			return unix.EBADF
		}
		if err := c.meet(OpLock, f.name); err != nil {
			return err
		}
		how &^= unix.LOCK_NB
		if slices.Contains(f.node.locks, lock{f, how}) {
			return nil
		}
		switch how {
		case unix.LOCK_UN, unix.LOCK_SH, unix.LOCK_EX:
			f.unlock()
		default:
			return unix.EINVAL
		}
		if how == unix.LOCK_UN {
			return nil
		}
		if slices.ContainsFunc(f.node.locks, func(l lock) bool {
			return l.by.program.away == f.program.away && (how == unix.LOCK_EX || l.how == unix.LOCK_EX)
		}) {
			return unix.EWOULDBLOCK
		}
		f.node.locks = append(f.node.locks, lock{f, how})
		f.program.files = append(f.program.files, f)
		return nil
	})
}

func (f *file) unlock() {
	f.node.unlock(f)
	f.program.files = slices.DeleteFunc(f.program.files, func(o *file) bool { return o == f })
}

// unlock ends the lock of an open file.
func (n *node) unlock(of *file) {
	n.locks = slices.DeleteFunc(n.locks, func(l lock) bool { return l.by == of })
}

// info describes a file or folder.
type info struct {
	node     *node
	name     string
	size     int64
	mode     fs.FileMode
	modified time.Time
}

func (n *node) info(path string) fs.FileInfo {
	return info{n, filepath.Base(path), int64(len(n.content.now)), n.mode, n.modified}
}

// Name is the base name.
func (i info) Name() string { return i.name }

// Size is in bytes.
func (i info) Size() int64 { return i.size }

// Mode has the kind and the permissions.
func (i info) Mode() fs.FileMode { return i.mode }

// ModTime is when it was changed.
func (i info) ModTime() time.Time { return i.modified }

// IsDir reports whether it is a folder.
func (i info) IsDir() bool { return i.mode.IsDir() }

// Sys is nil.
func (i info) Sys() any { return nil }
