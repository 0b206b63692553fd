package command

import (
	"context"
	"errors"
	"time"

	"geodeck/adminapi"
)

// Loss tells of a lost answer, and whether the write has arrived all the same.
type Loss struct {
	Note func(string)
	err  error // why the answer is lost; nil where it is not
}

// Lost takes the error of a write whose outcome is searched for.
func (l *Loss) Lost(err error) {
	l.err = err
	l.Note(lostAnswer(err) + "; checking what the site has, and not sending it again")
}

// Found tells that the write has arrived, where the answer was lost.
func (l *Loss) Found() {
	if l.err != nil {
		l.Note("it has arrived" + DespiteLoss(l.err))
	}
}

// lostAnswer says why the outcome of a write is unknown.
func lostAnswer(err error) string {
	switch {
	case errors.Is(err, adminapi.ErrJobID):
		return "the site accepted it, but its job cannot be followed (" + err.Error() + ")"
	case adminapi.IsAnswer(err):
		return "the answer does not say whether it has begun (" + err.Error() + ")"
	}
	return "the answer was lost (" + err.Error() + ")"
}

// LostAnswer is the same for a write that --timeout may have given up, or its own time
// where that is above 0.
func (x *Exits) LostAnswer(err error, awaited time.Duration) string {
	if x.TimedOut() {
		awaited = x.Timeout
	}
	if awaited > 0 && errors.Is(err, context.DeadlineExceeded) {
		return "stopped waiting after " + adminapi.FormatDuration(awaited) + "; the site may continue"
	}
	return lostAnswer(err)
}

// DespiteLoss continues a sentence about a write that was done although its answer was lost.
func DespiteLoss(lost error) string {
	switch {
	case errors.Is(lost, adminapi.ErrJobID):
		return ""
	case adminapi.IsAnswer(lost):
		return " anyway"
	}
	return ": only the answer was lost"
}
