package ui

import (
	"errors"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
)

// advised is an error with what to do about it in a few words before it, where
// a narrow screen does not cut them off. The whole text has the advice whole.
func advised(err error) string {
	switch {
	case errors.Is(err, adminapi.KindUnreachable):
		return "check address and network: " + err.Error()
	case errors.Is(err, adminapi.KindNotJSON), errors.Is(err, adminapi.KindNotFound):
		if operation.Advice(err) != "" {
			return "check the address: " + err.Error()
		}
	}
	return err.Error()
}
