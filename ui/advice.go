package ui

import (
	"errors"
	"net/http"

	"geodeck/adminapi"
	"geodeck/ui/views"
)

// Advice says what to try where no platform is found at an address, and where something
// could not be recorded or kept on this machine. It is a sentence, empty for any other
// error.
func Advice(err error) string {
	e, ok := errors.AsType[*adminapi.Error](err)
	switch {
	case views.NoRoom(err):
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

// advised is an error with what to do about it in a few words before it, where
// a narrow screen does not cut them off. The whole text has the advice whole.
func advised(err error) string {
	switch {
	case errors.Is(err, adminapi.KindUnreachable):
		return "check address and network: " + err.Error()
	case errors.Is(err, adminapi.KindNotJSON), errors.Is(err, adminapi.KindNotFound):
		if Advice(err) != "" {
			return "check the address: " + err.Error()
		}
	}
	return err.Error()
}
