package cli

import (
	"errors"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
)

// lostAnswer says why it is not known what became of a write.
func lostAnswer(err error) string {
	switch {
	case errors.Is(err, adminapi.ErrJobID):
		return "the site took it, and its job cannot be followed (" + err.Error() + ")"
	case operation.Answered(err):
		return "the answer does not tell whether it was begun (" + err.Error() + ")"
	}
	return "the answer was lost (" + err.Error() + ")"
}

// despite continues a sentence on something that has happened, whatever its answer was.
func despite(lost error) string {
	switch {
	case errors.Is(lost, adminapi.ErrJobID):
		return ""
	case operation.Answered(lost):
		return " all the same"
	}
	return ": only the answer was lost"
}
