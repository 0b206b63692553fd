// Package incident gathers what is around a fault: its explanation (explain.go, with the causes of package
// explain), and the evidence that is handed on (evidence.go). See [ExplainUpgrade] and [GatherEvidence].
package incident

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"geodeck/adminapi"
	"geodeck/adminapi/explain"
	"geodeck/adminapi/health"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/lists"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/availability"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/operation/watching"
	"geodeck/adminapi/parallel"
	"geodeck/adminapi/placement"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade/progress"
)

// Surroundings are what an explanation takes from outside the site's API.
type Surroundings struct {
	State *watching.State              // what is known of the site already; nil for nothing
	Nodes []placement.Node             // of the cluster; none where they are not known
	Times func(adminapi.Millis) string // writes a moment of the server's clock; nil: UTC
	// Sharing are the paths of the services that run in a deployment, by its id, as far as they
	// are known; may be nil.
	Sharing map[string][]string
	Partly  bool // there may be more services in each
}

// siteFacts fetches what every explanation says of the site. What cannot be fetched is not
// known.
func siteFacts(ctx context.Context, s operation.Site, around Surroundings) explain.SiteFacts {
	facts := explain.SiteFacts{Times: around.Times}
	var parts parallel.Group
	parts.Go(func() {
		if mode, err := s.Client.Mode(ctx); err == nil {
			facts.Mode = &mode
		}
	})
	parts.Go(func() {
		if status, err := s.Client.Upgrades.Status(ctx); err == nil {
			facts.Upgrade, facts.Known, facts.Kind = progress.StateOf(status), true, progress.LastRun(status).Kind()
		}
	})
	parts.Go(func() {
		if root, err := s.Client.Root(ctx); err == nil {
			facts.Version = cmp.Or(root.FullVersion, root.Version)
		}
	})
	parts.Go(func() { facts.Open = openWrites(ctx, s) })
	parts.Wait()
	return facts
}

// siteFactsOf are what a state tells of the site; what is old or cut off is not known.
func siteFactsOf(s *watching.State) (f explain.SiteFacts) {
	if s == nil {
		return f
	}
	if s.Mode.Known() && s.Mode.Err == nil {
		f.Mode = &s.Mode.Value
	}
	if run := s.Upgrade.Value.Progress; s.Upgrade.Known() && s.Upgrade.Err == nil {
		f.Upgrade, f.Known, f.Kind = run.Meaning, true, run.Kind
	}
	return f
}

// openWrites looks once for the outcome of each write of this machine that is unknown, and
// returns those that stay so. It records nothing: an explanation settles no write.
func openWrites(ctx context.Context, s operation.Site) (open []explain.OpenWrite) {
	writes, _ := s.Memory.OpenWrites() // a record that cannot be read is told elsewhere
	for _, r := range writes {
		found, err := s.LookOnce(ctx, r)
		if err == nil && found.Outcome != adminapi.OutcomeUnknown {
			continue
		}
		sent := adminapi.MillisOf(s.ServerNow().Add(r.Time.Sub(s.Clock.Now())))
		look := operation.LookCommand(r.Kind, r.Subject)
		open = append(open, explain.OpenWrite{What: r.Operation + " (" + r.Subject + ")", Target: r.Target, When: sent, Found: found.How, Look: slices.Concat(look.Words, look.Args)})
	}
	return open
}

// ExplainOpen explains the newest write of this machine whose outcome is unknown, and reports
// whether there is one. It looks for the outcome of each once.
func ExplainOpen(ctx context.Context, s operation.Site, around Surroundings) (x explain.Explanation, found bool) {
	if open, _ := s.Memory.OpenWrites(); len(open) == 0 {
		return x, false
	}
	facts := siteFacts(ctx, s, around)
	if len(facts.Open) == 0 {
		return x, false
	}
	return facts.Unresolved(facts.Open[0].Target)
}

// ExplainFailed explains the site's upgrade where that has failed, and reports whether it has. The
// next step leads to its log: it is not what is on the screen. It records nothing.
func ExplainFailed(ctx context.Context, s operation.Site, around Surroundings) (x explain.Explanation, failed bool) {
	s.Memory.Journal = nil
	step, err := watching.NewWatch(s, nil).Next(ctx)
	if err != nil || step.Value.Meaning != progress.StateFailed {
		return x, false
	}
	x = ExplainUpgrade(ctx, s, step.Value, around)
	x.Then = append([]string{x.Next.Text}, x.Then...)
	x.Next = explain.Step{Text: "Open it in Progress.", Action: explain.OpenUpgrade.To()}
	for i := range x.Evidence {
		x.Evidence[i].At = explain.Place{} // the log is not open
	}
	return x, true
}

// ExplainRun explains a run by its messages alone: that of a transcript, or with no id the newest of the
// site. It is what the evidence of the run begins with.
func ExplainRun(ctx context.Context, s operation.Site, id string, around Surroundings) (explain.Explanation, error) {
	run, err := runFor(ctx, s, id)
	if err != nil {
		return explain.Explanation{}, err
	}
	return explain.Upgrade(UpgradeFactsOf(run, around)), nil
}

// ExplainUpgrade explains the upgrade of a snapshot: what went wrong, as far as the site
// shows. It fetches the mode, and of a fault also the deployments.
func ExplainUpgrade(ctx context.Context, s operation.Site, r watching.Snapshot, around Surroundings) explain.Explanation {
	f := UpgradeFactsOf(r, around)
	f.Now = s.ServerMillis()
	if f.Unreachable == nil {
		f.Site = siteFacts(ctx, s, around)
		if explain.Upgrade(f).Fault {
			f.Pods = allPods(ctx, s, nil)
		} else if p := f.Progress; p.Meaning == progress.StateSucceeded {
			around, _ := s.Reports().Around(ctx, p.ChangesFrom(), p.Last) // without it a check is the next step
			if f.After = around.After; f.After != nil && !health.Overall(*f.After).Good() {
				if all, err := s.Reports().All(ctx); err == nil {
					f.Good, _ = s.Reports().LastGood(ctx, all, *f.After) // else none is named
				}
			}
		}
		if f.Stall != nil && len(f.Nodes) > 0 {
			if config, err := s.Client.Upgrades.Config(ctx); err == nil { // closed at most sites while an upgrade runs
				f.Policy, _ = placement.Parse(config.PodPlacement)
			}
		}
	}
	return explain.Upgrade(f)
}

// UpgradeFactsOf returns what a snapshot alone tells. It fetches nothing.
func UpgradeFactsOf(r watching.Snapshot, around Surroundings) explain.UpgradeFacts {
	f := explain.UpgradeFacts{
		Status: r.Status, Log: r.Log, Progress: r.Progress, Now: adminapi.MillisOf(r.ServerAt()),
		Unreachable: r.Unreachable, Refused: r.Refused, MayPass: !r.RefusedLong, At: adminapi.MillisOf(r.ServerAt()), Elsewhere: r.Elsewhere(), Doubt: r.DoubtText(), Undecided: r.Undecided, Nodes: around.Nodes,
		Site: explain.SiteFacts{Times: around.Times, Upgrade: r.Meaning, Known: !r.At.IsZero()},
	}
	if r.Refused != nil && !r.RefusedSince.IsZero() {
		f.RefusedSince = adminapi.MillisOf(r.RefusedSince.Add(r.Ahead))
	}
	if !r.UnreachableSince.IsZero() {
		f.UnreachableSince = adminapi.MillisOf(r.UnreachableSince.Add(r.Ahead))
	}
	if stall, stalls := r.Stall(); stalls {
		f.Stall = &stall
	}
	if left, known := r.Estimate(); known && r.Unreachable == nil && r.Refused == nil && !r.Undecided && r.Doubt == watching.NoDoubt {
		f.Left = left.String() + " (" + left.Basis() + ")"
	}
	return f
}

// maxPods bounds the deployments whose pods are counted for one explanation, with a request
// for each.
const maxPods = 60

// allPods fetches how many pods of each deployment are ready, those of the platform first, or of some
// of them; none where the user may not.
func allPods(ctx context.Context, s operation.Site, some func(adminapi.Deployment) bool) []explain.Pods {
	list, err := s.Client.Deployments.List(ctx)
	if err != nil {
		return nil
	}
	list = slices.DeleteFunc(list, func(d adminapi.Deployment) bool { return some != nil && !some(d) })
	list = list[:min(len(list), maxPods)]
	ids := lists.Each(list, func(d adminapi.Deployment) string { return d.ID })
	pods := make([]explain.Pods, len(list))
	for i, d := range s.Availability().Pods(ctx, ids) {
		pods[i] = podsOf(d)
		pods[i].Name = cmp.Or(list[i].Name, d.Name)
	}
	return pods
}

func podsOf(d availability.Pods) explain.Pods {
	resource := strings.TrimSpace(d.ResourceKind + " " + d.ResourceName)
	return explain.Pods{ID: d.ID, Name: d.Name, Resource: resource, Ready: d.ReadyReplicas, Total: d.TotalReplicas, Err: d.Err}
}

// ExplainTest explains why a test of a report did not pass. id is the test's id or name;
// empty is the first that did not pass. It fetches the earlier report and, where the test
// failed, the deployments; nothing where the site of the report is not known.
func ExplainTest(ctx context.Context, s operation.Site, report adminapi.Report, id string, around Surroundings) (explain.Explanation, error) {
	worst := health.WorstFirst(report)
	at := slices.IndexFunc(worst, func(e health.Entry) bool {
		return id == "" || strings.EqualFold(e.Test.ID, id) || strings.EqualFold(e.Test.Name, id)
	})
	if at < 0 {
		return explain.Explanation{}, &adminapi.Error{Kind: adminapi.KindNotFound, Operation: "explain a test", Message: "the report has no test " + id}
	}
	bad := slices.DeleteFunc(slices.Clone(worst), func(e health.Entry) bool { return !e.Verdict.Bad() })
	return ExplainEntry(ctx, s, explain.HealthFacts{Report: report, Entry: worst[at], Whole: id == "", Worst: bad}, around), ctx.Err()
}

// ExplainEntry is [ExplainTest] of a test that was found, with what its report tells.
func ExplainEntry(ctx context.Context, s operation.Site, f explain.HealthFacts, around Surroundings) explain.Explanation {
	report, entry := f.Report, f.Entry
	if s.Client == nil {
		f.Now = adminapi.MillisOf(s.Clock.Now())
		return explain.HealthTest(f)
	}
	var parts parallel.Group
	parts.Go(func() { f.Site = siteFacts(ctx, s, around) })
	parts.Go(func() {
		earlier, err := s.Reports().Earlier(ctx, report)
		if err == nil && earlier != nil {
			f.Trend = health.TrendOf([]*health.Results{health.ResultsOf(report), health.ResultsOf(*earlier)}, entry.Key())
		}
	})
	parts.Go(func() { f.Later = later(ctx, s, report, entry.Key()) })
	if entry.Verdict.Bad() {
		parts.Go(func() { f.Pods = allPods(ctx, s, nil) })
		parts.Go(func() { f.Runs = runs(ctx, s, explain.Stopped(*entry.Test)) })
	}
	parts.Wait()
	f.Now = s.ServerMillis()
	return explain.HealthTest(f)
}

// runs reports whether a service is seen to run as it is configured to.
func runs(ctx context.Context, s operation.Site, path string) bool {
	service, err := adminapi.ParseServicePath(path)
	if err != nil {
		return false
	}
	status, err := s.Client.Services.Status(ctx, service)
	return err == nil && status.Running() && status.Settled()
}

// later returns a test in the newest report after r that has it; nil where none is found.
func later(ctx context.Context, s operation.Site, r adminapi.Report, key health.TestKey) *health.Point {
	all, err := s.Reports().All(ctx)
	if err != nil || r.StartTime.IsZero() {
		return nil
	}
	var point *health.Point
	_, _ = s.Reports().After(ctx, all, r, func(report adminapi.Report) bool { // an older one is not the newest word
		point = health.ResultsOf(report).Point(key)
		return point != nil
	})
	return point
}

// ExplainService explains why a service is not up, or why its pods wait.
func ExplainService(ctx context.Context, s operation.Site, service adminapi.ServiceRef, around Surroundings) explain.Explanation {
	f := explain.ServiceFacts{Service: service, Nodes: around.Nodes}
	var parts parallel.Group
	parts.Go(func() { f.Status, f.StatusErr = s.Client.Services.Status(ctx, service) })
	parts.Go(func() { f.Site = siteFacts(ctx, s, around) })
	parts.Go(func() { f.Jobs, _ = s.JobsOf(ctx, service) })
	parts.Go(func() {
		if text, err := s.Client.Services.Placement(ctx, service); err == nil {
			f.Policy, _ = placement.Parse(text)
		}
	})
	parts.Wait()
	for _, d := range s.Availability().Pods(ctx, f.Policy.DeploymentIDs()) {
		own := podsOf(d)
		own.Service, own.Sharing, own.Partly = service.Path(), around.Sharing[d.ID], around.Partly
		f.Pods = append(f.Pods, own)
	}
	f.Changed = changed(s, f.Pods, service.Path())
	f.Now = s.ServerMillis()
	return explain.Service(f)
}

// maxChanges bounds the records that are searched for the last change of a service.
const maxChanges = 100

// changed returns when this machine last edited a service, or one that runs in the same pods, by the
// server's clock; zero where it did not.
func changed(s operation.Site, pods []explain.Pods, path string) adminapi.Millis {
	if s.Memory.Journal == nil {
		return 0
	}
	paths := []string{path}
	for _, d := range pods {
		paths = append(paths, d.Sharing...)
	}
	records, _ := s.Memory.Journal.Actions(maxChanges) // what cannot be read explains nothing
	at := slices.IndexFunc(records, func(r journal.Record) bool {
		edited, edits := operation.EditedBy(r)
		own := func(path string) bool { return strings.EqualFold(path, edited.Service.Path()) }
		return edits && operation.ResultOf(r).End() >= operation.EndUnseen && slices.ContainsFunc(paths, own)
	})
	if at < 0 {
		return 0
	}
	return adminapi.MillisOf(s.ServerNow().Add(records[at].Time.Sub(s.Clock.Now())))
}

// WriteFactsOf returns what the result of a change tells, or the error of a read, which is a result that
// is done. It fetches nothing.
func WriteFactsOf(r operation.Result, around Surroundings) explain.WriteFacts {
	err := r.Err
	f := explain.WriteFacts{What: r.What, Err: err, Outcome: r.Outcome, Site: siteFactsOf(around.State)}
	f.Site.Times = around.Times
	var stored *editing.NotStoredError
	switch {
	case errors.As(err, new(*editing.DriftError)):
		f.Here = explain.HereDrift
	case errors.As(err, new(*editing.BlockedError)):
		f.Here = explain.HereBlocked
	case errors.As(err, new(*editing.NotAcceptedError)):
		f.Here = explain.HereOpen
	case errors.As(err, &stored) && stored.Left:
		f.Here = explain.HereStored
	case stored != nil:
		f.Here = explain.HereKept
	case errors.As(err, new(*operation.UnrecordedError)):
		f.Here = explain.HereRecord
	case errors.Is(err, operation.ErrBusyHere):
		f.Here = explain.HereBusy
	case errors.Is(err, operation.ErrSettingsChanged):
		f.Here = explain.HereSettings
	}
	if upload, is := errors.AsType[*operation.UploadError](err); is {
		f.Title, f.Upload = plain.Capital(upload.NotStarted()), true
		if upload.Err == nil {
			f.Here = explain.HereUpload
		}
	}
	if job, is := errors.AsType[*operation.JobError](err); is {
		f.Job = &job.Job
	}
	if unresolved, is := errors.AsType[*operation.UnresolvedError](err); is {
		f.Found = unresolved.Found
		f.Outcome = adminapi.OutcomeUnknown
	}
	if running, is := errors.AsType[*operation.RunningError](err); is {
		f.Site.Upgrade, f.Site.Known = progress.StateOf(running.Status), true
		f.Err = &adminapi.Error{Kind: adminapi.KindBusy, Operation: r.What, Message: "an upgrade is running", Err: err}
	}
	if errors.Is(err, operation.ErrOutcomeUnknown) {
		f.Outcome = adminapi.OutcomeUnknown
	}
	return f
}

// EditFactsOf is [WriteFactsOf] of an edit.
func EditFactsOf(a operation.AppliedEdit, around Surroundings) explain.WriteFacts {
	f := WriteFactsOf(a.Result, around)
	f.Service, f.Look = a.Service.Path(), explain.LookForEdit
	switch end := a.End(); {
	case end == operation.EndNotKept:
		f.Title = "Changed, but not all was kept: " + a.Target.String()
	case end == operation.EndFailed && a.Applied.Stored != operation.StoredUnread:
		f.Stored, f.Kept = plain.Capital(a.Applied.Stored.Text(a.Part))+".", a.Applied.Stored == operation.StoredOld
	case f.Outcome == adminapi.OutcomeUnknown && end != operation.EndRefused:
		f.Title = "Outcome unknown: edit the service (" + a.Service.Path() + ")" // as its record
	}
	return f
}

// ExplainWrite explains a write that was refused, failed, or has an unknown outcome. It
// fetches the mode and the state of the upgrade.
func ExplainWrite(ctx context.Context, s operation.Site, f explain.WriteFacts, around Surroundings) explain.Explanation {
	known := f.Site
	f.Site = siteFacts(ctx, s, around)
	if known.Known && !f.Site.Known {
		f.Site.Upgrade, f.Site.Known = known.Upgrade, true
	}
	return explain.Write(f)
}
