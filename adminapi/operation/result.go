package operation

import (
	"cmp"
	"errors"
	"strings"

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

// End is how a change ended that was sent from here, as far as that was seen.
type End uint8

// The ends.
const (
	EndNotSent End = iota // nothing was sent
	EndDrift              // nothing was sent: the site has changed since the review
	EndRefused            // by the site; nothing has changed
	EndLost               // it is not known whether it was done
	EndUnseen             // it was accepted, and its end was not seen
	EndFailed             // it was accepted, and its job failed
	EndNotKept            // it was accepted, and the site did not keep all of it
	EndDone
)

// EndOf says how a change ended, by the outcome of its request and the error that it ended with.
func EndOf(outcome adminapi.Outcome, err error) End {
	switch {
	case errors.As(err, new(*DriftError)):
		return EndDrift
	case errors.As(err, new(*NotStoredError)):
		return EndNotKept
	case outcome == adminapi.OutcomeRefused, errors.As(err, new(*RefusedError)):
		return EndRefused
	case outcome == adminapi.OutcomeNotSent:
		return EndNotSent
	case outcome == adminapi.OutcomeUnknown:
		return EndLost
	case errors.Is(err, ErrJobBroken):
		return EndFailed
	case err != nil:
		return EndUnseen
	}
	return EndDone
}

// Known reports whether it is known how the change ended.
func (e End) Known() bool { return e != EndLost && e != EndUnseen }

// Sent reports whether anything was sent, as far as is known.
func (e End) Sent() bool { return e != EndNotSent && e != EndDrift }

// Sentence says how a change ended that is not done; what is the change, such as "stop Roads.MapServer".
func (e End) Sentence(what string, err error) string {
	switch e {
	case EndNotSent, EndDrift:
		return "Nothing was sent: " + err.Error()
	case EndRefused:
		return "The site refused to " + what + ": " + err.Error()
	case EndUnseen:
		return "Accepted, but its end was not seen: " + err.Error()
	case EndLost:
		return "It is not known whether the site accepted the request to " + what + ": " + strings.TrimPrefix(err.Error(), ErrOutcomeUnknown.Error()+": ") + ". Nothing is sent again."
	}
	return "The site accepted the request to " + what + " but did not complete it: " + err.Error()
}

// settle records how what a write began has ended; nothing without the id of a record. A record that
// cannot be written stays as it is: what was accepted is not said to have succeeded. It reports whether
// there is nothing left to record.
func (s Memory) settle(record string, verdict journal.Verdict, because string) bool {
	return s.Journal == nil || record == "" || s.Journal.Settle(record, verdict, because) == nil
}
