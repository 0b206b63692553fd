package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"geodeck/adminapi/plain"
)

// failure is a sentence for the reader above the error of the system.
type failure struct {
	sentence string
	err      error
}

func (f failure) Error() string { return f.sentence }
func (f failure) Unwrap() error { return f.err }

func failed(err error, format string, args ...any) error {
	return failure{plain.Line(fmt.Sprintf(format, args...)), err}
}

var errClosed = errors.New("the journal is closed")

// reasons say what the errors of a file system mean to somebody who wants to
// go on working. The first that matches is told.
var reasons = []struct {
	err      error
	sentence string // %s is the path
}{
	{syscall.ENOSPC, "there is no space left on the disk for %s"},
	{syscall.EDQUOT, "the disk quota of this user is used up: %s"},
	{syscall.EFBIG, "the system lets this file grow no further: %s"},
	{syscall.EROFS, "the file system is read-only: %s"},
	{syscall.ELOOP, "it is a symbolic link, which is not followed here: %s"},
	{syscall.ENOTDIR, "a part of the path is a file, not a folder: %s"},
	{syscall.EISDIR, "it is a folder where a file should be: %s"},
	{syscall.ENAMETOOLONG, "the path is too long: %s"},
	{syscall.EMFILE, "too many files are open: %s"},
	{syscall.EIO, "the disk reports an error: %s"},
	{syscall.ENOLCK, "the file system offers no locks: %s"},
	{fs.ErrPermission, "this user may not write or read %s"},
	{fs.ErrNotExist, "the folder of the journal is gone: %s"},
}

// explain turns an error of the system into a sentence about path.
func explain(path string, err error) error {
	var told failure
	if err == nil || errors.As(err, &told) {
		return err
	}
	for _, reason := range reasons {
		if errors.Is(err, reason.err) {
			return failed(err, reason.sentence, path)
		}
	}
	return failed(err, "%s cannot be used: %v", path, err)
}
