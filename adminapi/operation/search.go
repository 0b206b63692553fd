package operation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation/polling"
)

// searchBackoff paces a search after a lost answer.
var searchBackoff = adminapi.Backoff{First: 2 * time.Second, Max: 5 * time.Second, Factor: 1.5}

// Shows is what the site shows of a write whose outcome is not known.
type Shows uint8

// What it shows, from the zero value on.
const (
	ShowsNothing   Shows = iota // it was not read, or tells nothing
	ShowsUnchanged              // it is as if the write had never been sent
	ShowsRunning                // something goes on there that may be the write
	ShowsOther                  // the work of somebody else, or only a part of the write
)

// Resolution is what was found out about a write of unknown outcome.
type Resolution struct {
	Outcome adminapi.Outcome // may still be unknown
	How     string           // a sentence without its end: why it is known, or what the site shows instead
	Shows   Shows            // where the outcome is unknown

	// Verdict is how what it began has ended, where that shows; empty otherwise.
	Verdict journal.Verdict
	because string // for the record: why the verdict, where How says only why the outcome

	Status  adminapi.UpgradeStatus // of an upgrade
	Job     adminapi.Job           // that does, or did, the write as far as is known; without an id for none
	Report  string                 // id of the report of a health check
	Now     *document.Document     // what an edit was about, as the site has it; nil where it was not read
	Stored  Stored                 // the same, compared with the edit
	Changes []document.Change      // from what the edit sent to what is there

	// Err is why the write is not done, at the end of a search: nil where it is, [*RunningError]
	// for somebody else's upgrade, [*JobError] or [*editing.NotStoredError] of an edit that was taken,
	// [*RefusedError] where the site answered with an error and was unchanged for 30 s, else an
	// error that matches [ErrOutcomeUnknown].
	Err error
}

// look reads once what a write would have changed. A thorough look also reads what takes many
// requests. An error comes with what was read before it.
type look func(ctx context.Context, thorough bool) (Resolution, error)

// Search is a [polling.Poller] that finds out the outcome of a write whose answer was lost. It looks for 30 s,
// or for as long as something goes on that may be the write. It sends nothing, and records what it
// finds. After an unknown end it may go on: a slow site can still begin.
type Search struct {
	site    Site
	record  journal.Record // its ID is empty where nothing is recorded
	look    look
	answer  error                 // of the site itself, which proves a refusal once the site stays unchanged; nil for none
	refused func(context.Context) // cleans up after a refusal; may be nil
	pace    polling.Pace
	until   time.Time     // by this machine's clock; at least searchTime after the first look
	same    time.Duration // for how long every look has shown the site unchanged; below 0 where the last one did not
	began   time.Time     // the first look; zero before it
	looked  time.Time     // the last one
	wait    time.Duration // after that
	last    Resolution
}

const (
	searchTime = 30 * time.Second // how long a search after a lost answer goes on at least
	nonePause  = 15 * time.Second // between looks once that is over
	lookTime   = time.Second      // what a look counts as at most
)

// search returns a search for a write that was sent; err is its error.
func (s Site) search(record journal.Record, err error, look look) *Search {
	search := &Search{site: s, record: record, look: look, pace: s.Pace(searchBackoff), same: -1}
	if adminapi.IsAnswer(err) {
		search.answer = err
	}
	return search
}

// Next looks once. An error is a missing sign-in or privilege; Next can be called again after it.
func (s *Search) Next(ctx context.Context) (polling.Step[Resolution], error) {
	now := s.site.Clock.Now()
	first := s.began.IsZero()
	if first {
		s.began = now
		if least := now.Add(searchTime); s.until.Before(least) {
			s.until = least
		}
	}
	if back := s.looked.Sub(now); back > 0 { // the clock was set back, and the end with it
		s.until, s.began = s.until.Add(-back), s.began.Add(-back)
	}
	passed := polling.Passed(s.looked, now, s.wait+lookTime)
	s.looked = now
	over := !now.Before(s.until)
	found, err := s.look(ctx, first || over)
	if err != nil {
		s.same = -1
		if errors.Is(err, adminapi.KindSignIn) || errors.Is(err, adminapi.KindPrivilege) || ctx.Err() != nil {
			return polling.Step[Resolution]{Value: s.last}, err
		}
		return s.goOn(s.last, over, s.pace.AfterFailure(), err), nil
	}
	switch {
	case found.Shows != ShowsUnchanged:
		s.same = -1
	case s.same < 0:
		s.same = 0
	default:
		s.same += passed
	}
	if found.Outcome == adminapi.OutcomeUnknown && s.answer != nil && s.same >= searchTime {
		found.Outcome, found.Err = adminapi.OutcomeRefused, &RefusedError{s.answer}
		found.How = "the site answered with an error, and " + found.How
		if s.refused != nil {
			s.refused(ctx)
		}
	}
	switch {
	case found.Outcome != adminapi.OutcomeUnknown:
		s.site.Memory.conclude(s.record, found)
	case found.Shows == ShowsRunning:
		s.until, over = now.Add(searchTime), false
	case found.Shows == ShowsOther && found.Err == nil:
		found.Err = found.unknown()
	}
	if found.Outcome != adminapi.OutcomeUnknown || found.Err != nil {
		s.last = found
		return polling.Step[Resolution]{Value: found, Done: true}, nil
	}
	return s.goOn(found, over && (s.answer == nil || s.same < 0), s.pace.AfterAnswer(), nil), nil
}

// goOn waits for the next look, and ends as unknown once the time is over.
func (s *Search) goOn(found Resolution, over bool, wait time.Duration, away error) polling.Step[Resolution] {
	switch found.Err = nil; {
	case over && away != nil:
		found.Err = fmt.Errorf("%w: %w", ErrOutcomeUnknown, away)
	case over:
		found.Err = fmt.Errorf("%w; checked for %s", found.unknown(), adminapi.FormatDuration(s.site.Clock.Now().Sub(s.began).Round(time.Second)))
	}
	if left := s.until.Sub(s.site.Clock.Now()); over {
		wait = max(wait, nonePause)
	} else if left > 0 {
		wait = min(wait, left) // the last look is at the end
	}
	s.last, s.wait = found, wait
	return polling.Step[Resolution]{Value: found, Wait: wait, Unreachable: away, Done: over}
}

// unknown is the error of a search that has not found out the outcome.
func (r Resolution) unknown() error { return fmt.Errorf("%w: %s", ErrOutcomeUnknown, r.How) }

// find searches to the end for the outcome of a change whose answer was lost; that of any other stays as it
// is. lost is told of the error, and may be nil. After the end of ctx nothing is read.
func (s Site) find(ctx context.Context, record journal.Record, look look, r Result, lost func(error)) Result {
	if !r.Lost() || ctx.Err() != nil {
		return r
	}
	search := s.search(record, r.Err, look)
	if lost != nil {
		lost(r.Err)
	}
	found, err := polling.Wait(ctx, s.Clock, search, nil)
	if err != nil {
		found.Outcome, err = adminapi.OutcomeUnknown, fmt.Errorf("%w: %w", ErrOutcomeUnknown, err)
	}
	return r.Found(found, err)
}

// conclude records what was found out of a write.
func (s Memory) conclude(r journal.Record, found Resolution) {
	if s.Journal == nil || r.ID == "" {
		return
	}
	err := error(nil)
	if r.Outcome != adminapi.OutcomeDone {
		err = s.Journal.Resolve(r.ID, found.Outcome, found.How)
	}
	if target, edits := EditedBy(r); err == nil && edits { // in a journal that cannot be written the outcome stays unknown
		if edit, _, kept := s.sentEdit(target); kept && found.Verdict == journal.VerdictSucceeded {
			s.deleteDraftOf(edit)
		}
		s.deleteSentEdit(target)
	}
	if found.Verdict != "" {
		s.Settle(r.ID, found.Verdict, cmp.Or(found.because, found.How))
	}
}

// RefusedError says that a site answered with an error of unknown outcome, and was then seen
// unchanged for 30 s. It wraps the answer.
type RefusedError struct{ Answer error }

// Error repeats the answer.
func (e *RefusedError) Error() string {
	return e.Answer.Error() + "; nothing has begun in the " + adminapi.FormatDuration(searchTime) + " since"
}

// Unwrap returns the answer.
func (e *RefusedError) Unwrap() error { return e.Answer }

// lookFor returns what looks for a recorded write, also after a restart: all that it needs stands in
// the record, and in what is kept beside it until the outcome is known.
func (s Site) lookFor(r journal.Record) look {
	service, err := adminapi.ParseServicePath(r.Subject)
	switch r.Kind {
	case adminapi.WriteUpgrade, adminapi.WriteRollback:
		return s.lookForUpgrade(r)
	case adminapi.WriteManifest:
		return s.lookForManifest(r, nil)
	case adminapi.WriteHealthRun:
		return s.lookForRun(r)
	case adminapi.WriteStart, adminapi.WriteStop:
		if err == nil {
			return s.lookForSwitch(service, r)
		}
	case adminapi.WriteDefinition, adminapi.WriteRules:
		if target, ok := EditedBy(r); ok {
			return s.lookForEdit(target, r)
		}
	}
	return showing(Resolution{How: "this version of geodeck cannot determine its outcome"})
}

// showing is a look that reads nothing.
func showing(found Resolution) look {
	return func(context.Context, bool) (Resolution, error) { return found, nil }
}

// timeless is what is known of a write without its time by the site's clock. By the clock of
// now, which may have been set since, an older one could be taken for it.
var timeless = showing(Resolution{How: "its time by the site's clock is unknown"})

// LookCommand is the command that shows what a write of a kind would have changed.
func LookCommand(kind adminapi.WriteKind, subject string) CommandLine {
	switch about := []string{subject}; kind {
	case adminapi.WriteManifest:
		return CommandLine{Words: []string{"upgrade", "available"}}
	case adminapi.WriteHealthRun, adminapi.WriteReportDeletion:
		return CommandLine{Words: []string{"health", "reports"}}
	case adminapi.WriteStart, adminapi.WriteStop:
		return CommandLine{Words: []string{"service", "status"}, Args: about}
	case adminapi.WriteDefinition:
		return CommandLine{Words: []string{"service", "get"}, Args: about}
	case adminapi.WriteRules:
		return CommandLine{Words: []string{"placement", "get"}, Args: about}
	}
	return CommandLine{Words: []string{"upgrade", "status"}}
}
