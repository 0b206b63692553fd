package operation

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/upgrade/progress"
)

// Resolution is what was found out about a write of unknown outcome.
type Resolution struct {
	Outcome adminapi.Outcome // may still be unknown
	How     string           // a sentence without its end: why it is known, or what the site shows instead

	// Verdict is how what it began has ended, where that shows; empty otherwise.
	Verdict journal.Verdict

	// unchanged says that the site is as if the write had never begun: where it also answered
	// with an error, that was a refusal.
	unchanged bool
}

// resolveWrite looks once at the site for the outcome of a write of this machine, and
// records it where it is found. An error is a missing sign-in, or the end of ctx: a site
// that cannot be read leaves the outcome unknown.
func (s Site) resolveWrite(ctx context.Context, r journal.Record) (Resolution, error) {
	found, err := outcomes{s}.look(ctx, r)
	if found.Outcome == adminapi.OutcomeUnknown && found.unchanged && (outcomes{s}).answeredLongAgo(r) {
		found = Resolution{Outcome: adminapi.OutcomeRefused, How: "the site answered with an error, and nothing has been seen since"}
	}
	if err == nil && found.Outcome != adminapi.OutcomeUnknown {
		s.resolve(r, found.Outcome, found.How)
		if found.Verdict != "" {
			s.settle(r.ID, found.Verdict, found.How)
		}
	}
	return found, err
}

// look is resolveWrite without a conclusion from what is not there. It records nothing.
func (s outcomes) look(ctx context.Context, r journal.Record) (Resolution, error) {
	found, err := s.find(ctx, r)
	if err == nil || errors.Is(err, adminapi.KindSignIn) || ctx.Err() != nil {
		return found, err
	}
	return Resolution{How: "the site cannot be read now (" + err.Error() + ")"}, nil
}

// answeredLongAgo reports whether the site itself answered with an error, so long ago that
// the write would show by now if it had begun all the same.
func (s outcomes) answeredLongAgo(r journal.Record) bool {
	return r.Explicit && !r.Pending() && !showsAtItsEnd(r) && s.Clock.Now().Sub(r.Finished) >= searchTime
}

// find fetches what a write would have changed.
func (s outcomes) find(ctx context.Context, r journal.Record) (Resolution, error) {
	switch r.Kind {
	case adminapi.WriteUpgrade, adminapi.WriteRollback:
		return s.findUpgrade(ctx, r)
	case adminapi.WriteManifest:
		return s.findManifest(ctx, r)
	case adminapi.WriteHealthRun:
		return s.findRun(ctx, r)
	case adminapi.WriteStart, adminapi.WriteStop:
		if service, err := adminapi.ParseServicePath(r.Subject); err == nil {
			return s.findSwitch(ctx, service, r.Kind == adminapi.WriteStart, r.Server)
		}
	case adminapi.WriteDefinition, adminapi.WriteRules:
		if target, ok := editedBy(r); ok {
			return s.findEdit(ctx, target)
		}
	}
	return Resolution{How: "this version of geodeck cannot determine its outcome"}, nil
}

// LookCommand is the words of the command that shows what a write would have changed.
func LookCommand(r journal.Record) []string {
	switch r.Kind {
	case adminapi.WriteManifest:
		return []string{"upgrade", "available"}
	case adminapi.WriteHealthRun, adminapi.WriteReportDeletion:
		return []string{"health", "reports"}
	case adminapi.WriteStart, adminapi.WriteStop:
		return []string{"service", "status", r.Subject}
	case adminapi.WriteDefinition:
		return []string{"service", "get", r.Subject}
	case adminapi.WriteRules:
		return []string{"placement", "get", r.Subject}
	}
	return []string{"upgrade", "status"}
}

// editedBy returns what a write edits, and reports whether it is an edit.
func editedBy(r journal.Record) (Target, bool) {
	for part := range parts {
		if parts[part].writes == r.Kind {
			service, err := adminapi.ParseServicePath(r.Subject)
			return Target{service, Part(part)}, err == nil
		}
	}
	return Target{}, false
}

func (s outcomes) findUpgrade(ctx context.Context, r journal.Record) (Resolution, error) {
	status, err := s.Client.UpgradeStatus(ctx)
	if err != nil {
		return Resolution{}, err
	}
	idle := adminapi.UpgradeStatus{State: adminapi.UpgradeNone} // the state right before the sending
	sent := s.sentBy(r)
	state := progress.StateOf(status)
	switch since := sent.Submitted != 0 && progress.StartedSince(idle, status, sent.Submitted); {
	case since && !sent.mayBe(progress.LastStart(status)):
		return Resolution{How: "another upgrade seems to have been started there since"}, nil
	case since && progress.LastRun(status).Began > sent.Submitted+maxApart:
		return Resolution{How: "an upgrade was started there later; it may not be this one"}, nil
	case since:
		return Resolution{Outcome: adminapi.OutcomeDone, How: "the site reports that it has begun"}, nil
	case state == progress.StateRunning || state == progress.StateUnknown:
		return Resolution{How: "an upgrade may be running there; it may not be this one"}, nil
	case sent.Version != "":
		if now, err := s.Client.CurrentVersion(ctx); err == nil && now.FullVersion() == sent.Version {
			return Resolution{Outcome: adminapi.OutcomeDone, How: "the site runs " + sent.Version, Verdict: journal.VerdictSucceeded}, nil
		}
	}
	// A single look does not make it refused: the upgrade may still begin.
	return Resolution{How: "no upgrade is running, and none was seen to begin since"}, nil
}

// sentBy returns the request of a recorded upgrade, Submitted as early as it may have been by the
// server's clock: 0 where that is not known. Its Version is empty where it is not known.
func (s outcomes) sentBy(r journal.Record) SentUpgrade {
	for _, sent := range s.sent() { // newest first
		if sent.isOf(r) {
			sent.Submitted -= clockSlack
			return sent
		}
	}
	return SentUpgrade{Submitted: max(0, r.Server-clockSlack), Subject: r.Subject, Rollback: r.Kind == adminapi.WriteRollback}
}

// isOf reports whether a record is that of the request.
func (s SentUpgrade) isOf(r journal.Record) bool {
	return s.Subject == r.Subject && s.saved.Sub(r.Time).Abs() <= time.Minute
}

// timeless is what is known of a write without its time by the site's clock. By the clock of
// now, which may have been set since, an older one could be taken for it.
var timeless = Resolution{How: "its time by the site's clock is unknown"}

func (s outcomes) findManifest(ctx context.Context, r journal.Record) (Resolution, error) {
	if r.Server.IsZero() {
		return timeless, nil
	}
	status, err := s.Client.ManifestStatus(ctx)
	switch {
	case err != nil:
		return Resolution{}, err
	case status.LastImported > r.Server+maxApart:
		return Resolution{How: "the site reports a later import; it may not be this one"}, nil
	case status.LastImported >= r.Server-clockSlack:
		return Resolution{Outcome: adminapi.OutcomeDone, How: "the site reports an import since"}, nil
	}
	return Resolution{How: "the site reports no import since", unchanged: true}, nil
}

func (s outcomes) findRun(ctx context.Context, r journal.Record) (Resolution, error) {
	if r.Server.IsZero() {
		return timeless, nil
	}
	search := &runSearch{site: s.Site, name: r.Fields.Get("runName"), known: map[string]bool{},
		since: r.Server - adminapi.Millis(searchSlack.Milliseconds()), latest: r.Server + maxApart}
	jobID, reportID, err := search.find(ctx)
	switch {
	case err != nil:
		return Resolution{}, err
	case reportID != "":
		return Resolution{Outcome: adminapi.OutcomeDone, How: "the site has a report of that name"}, nil
	case jobID != "":
		return Resolution{How: "a health check is running there, job " + jobID + "; it may not be this one"}, nil
	}
	return Resolution{How: "the site has no report of that name", unchanged: true}, nil
}

func (s outcomes) findSwitch(ctx context.Context, service adminapi.ServiceRef, start bool, sent adminapi.Millis) (Resolution, error) {
	status, err := s.Client.ServiceStatus(ctx, service)
	if err != nil {
		return Resolution{}, err
	}
	verb := verbOf(start)
	state := strings.ToLower(verb.state)
	if status.Configured == verb.state && status.Settled() {
		return Resolution{Outcome: adminapi.OutcomeDone, How: "the service is " + state, Verdict: journal.VerdictSucceeded}, nil
	}
	switch has, err := s.hasJob(ctx, service, verb, sent); {
	case err != nil:
		return Resolution{}, err
	case has: // even if it was changed back since
		return Resolution{Outcome: adminapi.OutcomeDone, How: "the site has a job for it"}, nil
	case verb.contrary(status):
		return Resolution{How: "the service is not " + state, unchanged: true}, nil
	case status.Configured == "":
		return Resolution{How: "the site does not say how the service is configured"}, nil
	}
	return Resolution{How: "the service should be " + state + ", and is not yet"}, nil
}

// findEdit compares what the site has with what was sent, which is on disk until its outcome
// is known.
func (s outcomes) findEdit(ctx context.Context, t Target) (Resolution, error) {
	edit, found := s.sentEdit(t)
	if !found {
		return Resolution{How: "this machine no longer has what was sent"}, nil
	}
	seen, err := edits(s).checkEdit(ctx, edit)
	switch {
	case err != nil:
		return Resolution{}, err
	case seen.Finding == EditArrived:
		return Resolution{Outcome: adminapi.OutcomeDone, How: "the site has the " + t.Part.String() + " that was sent", Verdict: journal.VerdictSucceeded}, nil
	case seen.Finding == EditRunning:
		return Resolution{How: "job " + seen.Job.ID + " is editing the service"}, nil
	case seen.Finding == EditPartial:
		return Resolution{How: "the " + t.Part.String() + " is neither the old one nor what was sent"}, nil
	}
	return Resolution{How: "the site still has the old " + t.Part.String(), unchanged: true}, nil
}

// resolve records an outcome. In a journal that cannot be written it stays unknown.
func (s Memory) resolve(r journal.Record, outcome adminapi.Outcome, how string) {
	if s.Journal.Resolve(r.ID, outcome, how) != nil {
		return
	}
	if target, ok := editedBy(r); ok {
		s.deleteSentEdit(target)
	}
}

// resolveOn records the outcome of the newest write of a kind on a target, if that was
// unknown.
func (s Memory) resolveOn(target string, is func(journal.Record) bool, outcome adminapi.Outcome, how string) {
	if s.Journal == nil {
		return
	}
	open, err := s.Journal.OpenRecords(target)
	if at := slices.IndexFunc(open, is); err == nil && at >= 0 {
		s.resolve(open[at], outcome, how)
	}
}

// sentAt returns when the newest write of a kind on a target was sent whose outcome is unknown,
// by the server's clock; zero where that is not known.
func (s Memory) sentAt(target string, is func(journal.Record) bool) adminapi.Millis {
	if s.Journal == nil {
		return 0
	}
	open, _ := s.Journal.OpenRecords(target)
	if at := slices.IndexFunc(open, is); at >= 0 {
		return open[at].Server
	}
	return 0
}

// beganAt reports whether a job may be of a write that was sent at a time of the server's clock,
// which is not known where it is zero.
func beganAt(j adminapi.Job, sent adminapi.Millis) bool {
	return !sent.IsZero() && sent-clockSlack <= j.StartTime && j.StartTime <= sent+maxApart
}

// ofKind matches writes by their kind.
func ofKind(kind adminapi.WriteKind) func(journal.Record) bool {
	return func(r journal.Record) bool { return r.Kind == kind }
}

// edits reports whether a record is of a write that edits this part of the service.
func (t Target) edits(r journal.Record) bool {
	edited, ok := editedBy(r)
	return ok && t.Same(edited)
}

// sentEditKind is the kind of draft that holds an edit from its sending until its outcome is
// known.
func sentEditKind(p Part) string { return "sent " + parts[p].kind }

// sentDraft is an edit that was sent.
type sentDraft struct {
	EditDraft
	Job string `json:"job,omitempty"` // of the site; empty where it is not known
}

// saveSentEdit saves an edit that is about to be sent, and later its job. Where that fails
// it must not be sent: a lost answer could not be resolved.
func (s Memory) saveSentEdit(e Edit, job string) error {
	if s.Journal == nil {
		return nil
	}
	_, err := s.Journal.SaveDraft(sentEditKind(e.Part), e.Service.Path(), sentDraft{EditDraft{Base: e.Base.Text(), Edited: e.Edited.Text()}, job})
	if err != nil {
		return &UnrecordedError{err}
	}
	return nil
}

// deleteSentEdit deletes the sent edits of a part, also of programs that have ended. What
// cannot be deleted stays until the next edit.
func (s Memory) deleteSentEdit(t Target) {
	drafts, _ := s.drafts(sentEditKind(t.Part), t) // those that cannot be read do not count
	for _, d := range drafts {
		if d.Mine {
			_ = s.Journal.DeleteDraft(d.Kind, d.Key)
		} else {
			_ = s.Journal.DiscardDraft(d)
		}
	}
}

// sentEdit returns the edit of a part that any program has sent last.
func (s Memory) sentEdit(t Target) (Edit, bool) {
	var sent EditDraft
	var last time.Time
	drafts, _ := s.drafts(sentEditKind(t.Part), t)
	for _, d := range drafts {
		var one EditDraft
		if d.Saved.After(last) && d.Read(&one) == nil {
			sent, last = one, d.Saved
		}
	}
	base, err := document.Parse([]byte(sent.Base))
	if err != nil {
		return Edit{}, false
	}
	edited, err := document.Parse([]byte(sent.Edited))
	return Edit{Target: t, Base: base, Edited: edited}, err == nil
}

// EarlierWrite is a write of this machine whose outcome was unknown, and what was found out.
type EarlierWrite struct {
	Record journal.Record
	Resolution
	Wait time.Duration // as in [UnresolvedError], where it stays unknown
}

// Unresolved returns the error for the next write on the target, nil where the outcome is
// known by now.
func (e EarlierWrite) Unresolved() *UnresolvedError {
	if e.Outcome != adminapi.OutcomeUnknown {
		return nil
	}
	return &UnresolvedError{Record: e.Record, Found: e.How, Wait: e.Wait}
}

// OpenEdits returns since when the outcome of an edit is unknown, by its target as text.
func (s Memory) OpenEdits() (map[string]time.Time, error) {
	open, err := s.OpenWrites()
	since := map[string]time.Time{}
	for _, r := range open {
		if target, ok := editedBy(r); ok {
			since[target.String()] = r.Time
		}
	}
	return since, err
}

// ResolveWrites looks once for the outcome of every open write of this machine, newest
// first, and records what it finds. After an error it returns those before it, too.
func (s Site) ResolveWrites(ctx context.Context) ([]EarlierWrite, error) {
	open, err := s.OpenWrites()
	if err != nil {
		return nil, err
	}
	var all []EarlierWrite
	for _, r := range open {
		found, err := s.resolveWrite(ctx, r)
		if err != nil {
			return all, err
		}
		all = append(all, EarlierWrite{Record: r, Resolution: found, Wait: outcomes{s}.untilOverride(r)})
	}
	return all, nil
}
