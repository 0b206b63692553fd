package journal

import (
	"net/url"
	"time"

	"geodeck/adminapi"
)

// Record is one write as the log tells it.
type Record struct {
	ID        string // unique in the journal
	Time      time.Time
	Operation string // such as "run a health check"
	Path      string
	// Fields are the form fields. A value that is long, or whose name says that
	// it is a definition, settings or a licence, stands as "sha256:…" of its
	// bytes and its length; a token or a password as a mask.
	Fields url.Values

	// Finished is when the outcome was recorded, zero where none was: then the
	// outcome is unknown, for the program ended or still waits.
	Finished time.Time
	Outcome  adminapi.Outcome
	Kind     string // of the error, as [adminapi.Kind] names it; empty without one
	Message  string // of the error, one line fit for a terminal
	Note     string // how the outcome was found out later, see [Journal.Resolve]
}

// Pending tells whether no outcome was ever recorded.
func (r Record) Pending() bool { return r.Finished.IsZero() }
