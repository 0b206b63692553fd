package operation

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/plain"
)

// Result is what is known of a change: the outcome of its request, and the verdict of what that began.
// It is that of a change that was just sent, or of a record ([ResultOf]). Whoever shows one asks it for
// its words, and compares nothing itself.
type Result struct {
	Kind    adminapi.WriteKind
	Subject string // what it is about, in a word that a person can type
	What    string // what it does, to follow "the site refused to"; may be empty
	Outcome adminapi.Outcome
	Err     error           // why it is not done, or its end was not seen; nil of a record
	Verdict journal.Verdict // empty while what it began goes on, or nobody saw its end
	Because string          // why the verdict, as it was recorded; may be empty
	// Later says of a record that its request only began something: to be accepted is not to have
	// succeeded. Of a change that was just sent it is false: its sender has waited, or hands out what follows it.
	Later bool
	// Pending says that no outcome was ever recorded.
	Pending bool
}

// ResultOfRead returns the result of a read that failed, or of a step on this machine: no write is in
// doubt, and its words are those of the error alone.
func ResultOfRead(err error) Result { return Result{Outcome: adminapi.OutcomeDone, Err: err} }

// ResultOf returns the result of a recorded write.
func ResultOf(r journal.Record) Result {
	return Result{Kind: r.Kind, Subject: r.Subject, Outcome: r.Outcome, Verdict: r.Verdict, Later: r.Kind.EndsLater(), Pending: r.Pending(), Because: r.Because}
}

// Found is the result once a search after a lost answer, or for an end that was not seen, has found
// something; err is why the search has ended early.
func (r Result) Found(found Resolution, err error) Result {
	r.Outcome, r.Err = found.Outcome, cmp.Or(err, found.Err)
	return r
}

// ended is the result of a change that is over with its answer: nothing runs on.
func (r Result) ended() Result {
	if r.Done() {
		r.Verdict = journal.VerdictSucceeded
	}
	return r
}

// End is how a change ended, as far as is known.
type End uint8

// The ends, the most pressing first.
const (
	EndLost    End = iota // it is not known whether it was done
	EndFailed             // it was accepted, and what it began has failed
	EndNotKept            // it was accepted, and the site did not keep all of it
	EndRefused            // by the site; nothing has changed
	EndDrift              // nothing was sent: the site has changed since the review
	EndNotSent            // nothing was sent
	EndUnseen             // it was accepted; it goes on, or its end was not seen
	EndDone
)

// End says how the change ended.
func (r Result) End() End {
	switch {
	case errors.As(r.Err, new(*editing.DriftError)):
		return EndDrift
	case errors.As(r.Err, new(*editing.NotStoredError)):
		return EndNotKept
	case r.Outcome == adminapi.OutcomeRefused, errors.As(r.Err, new(*RefusedError)):
		return EndRefused
	case r.Outcome == adminapi.OutcomeNotSent:
		return EndNotSent
	case r.Outcome == adminapi.OutcomeUnknown:
		return EndLost
	case errors.Is(r.Err, ErrJobBroken):
		return EndFailed
	case r.Verdict == journal.VerdictPartly:
		return EndNotKept
	case r.Verdict != "" && r.Verdict != journal.VerdictSucceeded: // also one that a newer version has recorded
		return EndFailed
	case r.Err != nil, r.Later && r.Verdict == "":
		return EndUnseen
	}
	return EndDone
}

// Tone is how good news are.
type Tone uint8

// The tones.
const (
	ToneUnknown Tone = iota
	ToneBad
	ToneWarn
	ToneRunning // it goes on
	ToneGood
)

// ends says of each end how good it is, and names it: for scripts, and an edit among several.
var ends = [...]struct {
	tone           Tone
	scripts, brief string
}{
	EndLost:    {ToneUnknown, "unknown", "not known"},
	EndFailed:  {ToneBad, "failed", "job failed"},
	EndNotKept: {ToneWarn, "failed", "accepted, not kept"},
	EndRefused: {ToneBad, "refused", "refused"},
	EndDrift:   {ToneWarn, "not sent", "changed meanwhile"},
	EndNotSent: {ToneBad, "not sent", "not sent"},
	EndUnseen:  {ToneRunning, "unknown", "not known"},
	EndDone:    {ToneGood, "done", "done"},
}

// Tone returns how good the result is.
func (r Result) Tone() Tone { return ends[r.End()].tone }

// is reports whether the change ended in one of some ways.
func (r Result) is(ends ...End) bool { return slices.Contains(ends, r.End()) }

// Done reports whether the change is done.
func (r Result) Done() bool { return r.End() == EndDone }

// Known reports whether it is known how the change ended.
func (r Result) Known() bool { return !r.is(EndLost, EndUnseen) }

// Sent reports whether anything was sent, as far as is known.
func (r Result) Sent() bool { return !r.is(EndNotSent, EndDrift) }

// Lost reports whether it is not known if the site took it.
func (r Result) Lost() bool { return r.End() == EndLost }

// Refused reports whether the site has refused it.
func (r Result) Refused() bool { return r.End() == EndRefused }

// failed reports whether the site has refused it, or did not complete or keep what it took.
func (r Result) failed() bool { return r.is(EndRefused, EndFailed, EndNotKept) }

// Kept reports whether the site has the change, or a part of it.
func (r Result) Kept() bool { return r.is(EndDone, EndNotKept) }

// Touched reports whether the site is known to have taken it, whatever came of it then.
func (r Result) Touched() bool { return r.is(EndDone, EndFailed, EndNotKept) }

// WantsSignIn reports whether nothing was done for want of a sign-in: after one it can be sent again.
func (r Result) WantsSignIn() bool {
	return r.Known() && !r.Touched() && errors.Is(r.Err, adminapi.KindSignIn)
}

// Word names the result, such as "done", "accepted" or "rolled back".
func (r Result) Word() string {
	switch end := r.End(); {
	case r.Verdict != "" && r.Verdict != journal.VerdictSucceeded:
		return string(r.Verdict)
	case end == EndUnseen:
		return "accepted"
	case end == EndLost && r.Pending:
		return "no outcome"
	}
	return r.Outcome.String()
}

// Text says the result in a few words, such as "accepted; job FAILED; nothing changed".
func (r Result) Text() string {
	switch end := r.End(); {
	case r.Verdict != "" && r.Verdict != journal.VerdictSucceeded:
		return "accepted; " + cmp.Or(plain.Line(r.Because), string(r.Verdict))
	case end == EndUnseen:
		return "accepted; no end seen yet"
	case end == EndLost && r.Pending:
		return "unknown, no outcome was recorded"
	}
	return r.Word()
}

// ForScripts names the result for scripts: done, failed, refused, not sent or unknown.
func (r Result) ForScripts() string { return ends[r.End()].scripts }

// Sentence says how a change ended that was just sent and is not done; of another it is [Result.Text].
func (r Result) Sentence() string {
	if r.Err == nil {
		return r.Text()
	}
	switch r.End() {
	case EndNotSent, EndDrift:
		return "Nothing was sent: " + r.Err.Error()
	case EndRefused:
		return "The site refused to " + r.What + ": " + r.Err.Error()
	case EndUnseen:
		return "Accepted, but its end was not seen: " + r.Err.Error()
	case EndLost:
		return "It is not known whether the site accepted the request to " + r.What + ": " + strings.TrimPrefix(r.Err.Error(), ErrOutcomeUnknown.Error()+": ") + ". Nothing is sent again."
	}
	return "The site accepted the request to " + r.What + " but did not complete it: " + r.Err.Error()
}

// happened is what stays open of a change whose outcome is unknown, where that has a word of its own.
var happened = map[adminapi.WriteKind]string{
	adminapi.WriteHealthRun: "the health check was started", adminapi.WriteReportDeletion: "the reports are deleted",
	adminapi.WriteManifest: "the manifest was imported", adminapi.WriteUpgrade: "the upgrade has begun", adminapi.WriteRollback: "the upgrade has begun",
}

// Open returns what is not known of a change of unknown outcome, and the commands that show it.
func (r Result) Open() (what, look string) {
	look = LookCommand(r.Kind, r.Subject).InText()
	switch r.Kind {
	case adminapi.WriteReportDeletion, adminapi.WriteManifest, adminapi.WriteUpgrade, adminapi.WriteRollback:
	default:
		look += ", {command:job list}"
	}
	return cmp.Or(happened[r.Kind], "it has arrived"), look
}

// Settle records how what a write began has ended; nothing without the id of a record. A record that
// cannot be written stays as it is: what was accepted is not said to have succeeded. It reports whether
// there is nothing left to record.
func (s Memory) Settle(record string, verdict journal.Verdict, because string) bool {
	if s.Journal == nil || record == "" {
		return true
	}
	open, _ := s.OpenWrites() // what cannot be read stays open
	if slices.ContainsFunc(open, func(r journal.Record) bool { return r.ID == record }) {
		_ = s.Journal.Resolve(record, adminapi.OutcomeDone, "its end was seen at the site")
	}
	return s.Journal.Settle(record, verdict, because) == nil
}
