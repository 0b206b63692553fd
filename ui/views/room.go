package views

import (
	"errors"
	"syscall"
)

// NoRoom reports whether something could not be recorded or kept because the disk, or
// what this user may use of it, is full.
func NoRoom(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }
