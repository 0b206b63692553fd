package journal

import (
	"net/url"
	"time"

	"github.com/go-json-experiment/json"

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
	// bytes and its length; a token or a password as a mask. Clean the rest
	// before showing it: it is stored as it was sent.
	Fields url.Values
	// Target is what of the site the write changes, empty where sending again does no
	// harm; Subject is what it was about, in one word that a person types; By is who
	// sent it: user, machine and process.
	Target, Subject, By string

	// Finished is when the outcome was recorded, zero where none was: then the
	// outcome is unknown, for the program ended or still waits.
	Finished time.Time
	Outcome  adminapi.Outcome
	Kind     string // of the error, as [adminapi.Kind] names it; empty without one
	Message  string // of the error, one line fit for a terminal
	Note     string // how the outcome was found out later, see [Journal.Resolve]
	// Explicit tells that the site itself answered with the error.
	Explicit bool
	// Overridden tells that a person let the next write on the target go, though nobody
	// knows what became of this one; see [Journal.Override].
	Overridden bool
}

// Open tells whether the write may have changed its target, nobody knows, and nobody has
// said that the next may be sent all the same.
func (r Record) Open() bool {
	return r.Target != "" && r.Outcome == adminapi.OutcomeUnknown && !r.Overridden
}

// Pending tells whether no outcome was ever recorded.
func (r Record) Pending() bool { return r.Finished.IsZero() }

const (
	eventBefore   = "before"
	eventAfter    = "after"
	eventResolved = "resolved"
	eventOverride = "overridden"
)

// entry is one line of the log, without the members of the chain.
type entry struct {
	Event     string     `json:"event"`
	Time      time.Time  `json:"time"`
	ID        string     `json:"id"`
	Operation string     `json:"operation,omitempty"`
	Path      string     `json:"path,omitempty"`
	Fields    url.Values `json:"fields,omitempty"`
	Target    string     `json:"target,omitempty"`
	Subject   string     `json:"subject,omitempty"`
	By        string     `json:"by,omitempty"`
	Outcome   string     `json:"outcome,omitempty"`
	Kind      string     `json:"kind,omitempty"`
	Message   string     `json:"message,omitempty"`
	Explicit  bool       `json:"explicit,omitzero"`
	Note      string     `json:"note,omitempty"`
}

func (e entry) line(previous string) ([]byte, error) {
	object, err := json.Marshal(e, json.Deterministic(true))
	if err != nil {
		return nil, failed(err, "the record cannot be written: %v", err)
	}
	return seal(object, previous), nil
}

// fill adds to a record what a line tells of it.
func (e entry) fill(r *Record) {
	if e.Event == eventBefore || r.ID == "" {
		r.ID, r.Time, r.Operation, r.Path, r.Fields = e.ID, e.Time, e.Operation, e.Path, e.Fields
		r.Target, r.Subject, r.By = e.Target, e.Subject, e.By
	}
	switch e.Event {
	case eventAfter:
		r.Finished, r.Outcome, r.Kind, r.Message = e.Time, outcomeOf(e.Outcome), e.Kind, e.Message
		r.Explicit = e.Explicit
	case eventResolved:
		r.Finished, r.Outcome, r.Note = e.Time, outcomeOf(e.Outcome), e.Note
	case eventOverride:
		r.Overridden, r.Note = true, e.Note
	}
}

// outcomeOf reads the words of an outcome; any other words are no success.
func outcomeOf(words string) adminapi.Outcome {
	for _, outcome := range []adminapi.Outcome{adminapi.OutcomeDone, adminapi.OutcomeRefused, adminapi.OutcomeNotSent} {
		if words == outcome.String() {
			return outcome
		}
	}
	return adminapi.OutcomeUnknown
}
