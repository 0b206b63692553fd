package operation

import (
	"errors"
	"net/http"
	"syscall"

	"geodeck/adminapi"
)

// Advice says what to try where no platform is found at an address, and where something
// could not be recorded or kept on this machine. It is a sentence, empty for any other
// error.
func Advice(err error) string {
	e, ok := errors.AsType[*adminapi.Error](err)
	switch {
	case NoRoom(err):
		return "Make room on that disk, or name another folder with --state-dir."
	case !ok:
		return ""
	case e.Kind == adminapi.KindReadOnly && e.Method == "" && e.Err != nil: // it was not recorded
		return "Try again when that is mended, or name another folder with --state-dir."
	case e.Kind == adminapi.KindUnreachable:
		return "Check the address, the network and HTTPS_PROXY; --ca FILE names a certificate authority of your own."
	case e.Kind == adminapi.KindNotJSON, e.Kind == adminapi.KindNotFound && e.Status == http.StatusNotFound && e.Code == 0:
		return "Check that the address is the administrative root, such as https://gis.example.org/context/admin."
	}
	return ""
}

// NoRoom reports whether something could not be recorded or kept because the disk, or
// what this user may use of it, is full.
func NoRoom(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }
