package operation

import (
	"cmp"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/plain"
)

// Result is what is known of a write: the outcome of the request, and the verdict of what it began.
// Record, log, Activity, History and lists all tell it by Standing and Word.
type Result struct {
	Outcome adminapi.Outcome
	Verdict journal.Verdict // empty while what it began goes on, or nobody saw its end
	// EndsLater says that the request only begins something: to be accepted is not to have succeeded.
	EndsLater bool
	// Pending says that no outcome was ever recorded.
	Pending bool
	Because string // why the verdict, as it was recorded; may be empty
}

// ResultOf returns the result of a recorded write.
func ResultOf(r journal.Record) Result {
	return Result{Outcome: r.Outcome, Verdict: r.Verdict, EndsLater: r.Kind.EndsLater(), Pending: r.Pending(), Because: r.Because}
}

// Standing is how good a result is.
type Standing uint8

// The standings, the most pressing first.
const (
	StandsUnknown  Standing = iota // whether it was done at all is not known
	StandsFailed                   // refused, or what it began has failed
	StandsNotSent                  // nothing has happened
	StandsAccepted                 // it goes on, or nobody saw its end
	StandsDone
)

// Standing returns how good the result is.
func (r Result) Standing() Standing {
	switch {
	case r.Outcome == adminapi.OutcomeUnknown:
		return StandsUnknown
	case r.Outcome == adminapi.OutcomeRefused:
		return StandsFailed
	case r.Outcome == adminapi.OutcomeNotSent:
		return StandsNotSent
	case r.Verdict == journal.VerdictSucceeded, r.Verdict == "" && !r.EndsLater:
		return StandsDone
	case r.Verdict == "":
		return StandsAccepted
	}
	return StandsFailed
}

// Word names the result, such as "done", "accepted" or "rolled back".
func (r Result) Word() string {
	switch r.Standing() {
	case StandsAccepted:
		return "accepted"
	case StandsDone:
		return "done"
	case StandsFailed:
		if r.Verdict != "" {
			return string(r.Verdict)
		}
	case StandsUnknown:
		if r.Pending {
			return "no outcome"
		}
	}
	return r.Outcome.String()
}

// Text says the result in a few words, such as "accepted; job FAILED; nothing changed".
func (r Result) Text() string {
	switch {
	case r.Standing() == StandsFailed && r.Verdict != "":
		return "accepted; " + cmp.Or(plain.Line(r.Because), string(r.Verdict))
	case r.Standing() == StandsAccepted:
		return "accepted; no end seen yet"
	case r.Outcome == adminapi.OutcomeUnknown && r.Pending:
		return "unknown, no outcome was recorded"
	}
	return r.Word()
}

// settle records how what a write began has ended; nothing without the id of a record. A record that
// cannot be written stays as it is: what was accepted is not said to have succeeded. It reports whether
// there is nothing left to record.
func (s Memory) settle(record string, verdict journal.Verdict, because string) bool {
	return s.Journal == nil || record == "" || s.Journal.Settle(record, verdict, because) == nil
}
