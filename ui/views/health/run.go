package health

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/huh"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/polling"
	"geodeck/adminapi/operation/reporting"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/widget"
)

// runner runs a health check: it opens the form, sends the run, and polls it until its
// end, even if the answer was lost.
type runner struct {
	child
	host  runHost
	draft *draft // the form that was left
}

// runHost is what a run needs from the view.
type runHost interface {
	// runBegun shows the run that was just sent.
	runBegun() tea.Cmd
	// runRead shows the report so far.
	runRead(report *analysis) tea.Cmd
	// runEnded shows the report of the run and its result.
	runEnded(ended *run, report *analysis) tea.Cmd
	// runFailed removes a run without a report.
	runFailed() tea.Cmd
}

// cannotRun says why no health check can be run now.
func (m *Model) cannotRun() string {
	switch {
	case m.Env.Offline:
		return "There is no site to run a health check on."
	case m.panes.list.tooOld():
		return "Health checks need 11.2 or newer."
	case m.readOnly():
		return "geodeck was started with --read-only: no health check can run."
	case m.run != nil:
		return m.run.already()
	}
	return ""
}

// already says that no other run can be started.
func (r *run) already() string { return "A health check is running already: " + r.name }

// draft is the content of the form of a run. It is kept when the form is left, so that
// nothing has to be typed twice.
type draft struct {
	run     adminapi.HealthRun // the fields are bound to it
	ids     string             // of suites, as they are typed
	sync    bool               // the site answers at the end of the run
	offered string             // the suggested name
}

// settle takes what was typed and chosen into the run.
func (d *draft) settle(typed bool) {
	if typed {
		d.run.SuiteIDs, _ = operation.ParseSuites(d.ids)
	}
	if d.run.Sync = 0; d.sync {
		d.run.Sync = operation.SyncTime
	}
}

// fetchSuites fetches the suites for the form. before is a run that was not started and
// fills the form in, nil for none.
func (r *runner) fetchSuites(before *adminapi.HealthRun) tea.Cmd {
	site := r.Env.Site
	return r.Scope.Work("suites", func(ctx context.Context) func() tea.Cmd {
		read := suitesRead{before: before, readOnly: site.MayRefuseHealthRuns(ctx)}
		var err error
		read.suites, err = site.Reports().Suites(ctx)
		read.typed = errors.As(err, new(*reporting.NotOfferedError))
		return func() tea.Cmd {
			if err != nil && !read.typed {
				return r.failed(err, "suites", func() tea.Cmd { return r.fetchSuites(before) })
			}
			return r.openForm(read)
		}
	})
}

type suitesRead struct {
	suites   []adminapi.Suite
	typed    bool // the site does not offer them: their ids are typed
	before   *adminapi.HealthRun
	readOnly bool // the site is, and may refuse the run
}

// openForm opens the form of a run of the suites that can be run.
func (r *runner) openForm(s suitesRead) tea.Cmd {
	s.suites = slices.DeleteFunc(s.suites, func(s adminapi.Suite) bool { return s.SystemOnly })
	if len(s.suites) == 0 && !s.typed {
		return views.Tell(views.Warning, "The site offers no suite that can be run.")
	}
	r.draft = r.nextDraft(s)
	return views.Send(views.Open{Dialog: r.form(s, r.draft), Unrequested: s.before != nil})
}

// nextDraft returns the content of the form: the run that was not started, the draft that
// was left, or all suites. A suggested name is always new, since it contains the time.
func (r *runner) nextDraft(s suitesRead) *draft {
	d := &draft{offered: operation.DefaultRunName(r.Env.Clock.Now().In(r.Env.Times.Local))}
	d.run.Name = d.offered
	for _, suite := range s.suites {
		d.run.SuiteIDs = append(d.run.SuiteIDs, suite.ID)
	}
	if s.typed {
		d.run.SuiteIDs = []string{adminapi.BasicSuite}
	}
	left := r.draft
	switch {
	case s.before != nil:
		d.run = *s.before
	case left != nil:
		if s.typed {
			d.run.SuiteIDs = left.run.SuiteIDs
		} else {
			d.run.SuiteIDs = slices.DeleteFunc(d.run.SuiteIDs, func(id string) bool { return !slices.Contains(left.run.SuiteIDs, id) })
		}
		d.run.Sync = left.run.Sync
		if left.run.Name != left.offered {
			d.run.Name = left.run.Name
		}
	}
	d.ids, d.sync = strings.Join(d.run.SuiteIDs, ", "), d.run.Sync > 0
	return d
}

func (r *runner) form(read suitesRead, d *draft) views.Dialog {
	note := "The tests change nothing. The report stays at the site."
	if read.readOnly {
		note = "The site is read-only: it may refuse this. The tests change nothing."
	}
	var options []huh.Option[string]
	for _, s := range read.suites {
		title := views.NameOf(s.Name, s.ID) + " (" + plain.Plural(len(s.Critical)+len(s.General), "test") + ")"
		options = append(options, huh.NewOption(title, s.ID))
	}
	var form *widget.Form
	form = widget.NewForm(r.Env.Theme, widget.FormOptions{
		ID: "health.run", Title: "Run a health check", Note: note, Action: "start", Starts: true, Copy: r.copies(d, read.typed),
		Build: func() *huh.Form {
			fields := []huh.Field{suitesField(read, d, options)}
			if read.typed { // such a site may not show its jobs either
				fields = append(fields, huh.NewSelect[bool]().Title("The site answers").Value(&d.sync).
					Options(huh.NewOption("at once, with a job", false), huh.NewOption("at the end of the run, without a job", true)))
			}
			title := huh.NewInput().Title("Name of the report").Value(&d.run.Name).Validate(operation.CheckRunName)
			return huh.NewForm(huh.NewGroup(append(fields, title)...))
		},
		Submit: func() tea.Cmd {
			return r.Unlocked(func() tea.Cmd {
				r.draft = nil
				d.settle(read.typed)
				return r.start(d.run, expectedOf(read.suites, d.run.SuiteIDs))
			}, views.Show(form))
		},
	})
	return form
}

// suitesField chooses among the suites of the site; where it does not offer them, their ids are typed.
func suitesField(read suitesRead, d *draft, options []huh.Option[string]) huh.Field {
	if read.typed {
		return huh.NewInput().Title("Ids of suites, with commas between").Value(&d.ids).
			Description("The site does not offer its suites. Suggested: " + adminapi.BasicSuite + ", the basic one.").
			Validate(func(text string) error { _, err := operation.ParseSuites(text); return err })
	}
	return huh.NewMultiSelect[string]().Title("Suites").Options(options...).Value(&d.run.SuiteIDs).
		Validate(func(ids []string) error {
			if len(ids) == 0 {
				return errors.New("choose at least one suite")
			}
			return nil
		})
}

// copies are the ways to copy the run of a form.
func (r *runner) copies(d *draft, typed bool) *views.Copies {
	return r.Copies(func() (operation.Change, tea.Cmd) {
		d.settle(typed)
		run := d.run
		run.SuiteIDs = slices.Clone(run.SuiteIDs)
		if err := operation.CheckRunName(run.Name); err != nil {
			return nil, views.Tell(views.Warning, views.Sentence("not copied: "+err.Error()))
		}
		if len(run.SuiteIDs) == 0 {
			return nil, views.Tell(views.Warning, "Choose at least one suite first.")
		}
		return operation.HealthCheck(run), nil
	})
}

// run is a health check in progress.
type run struct {
	name     string
	started  time.Time
	expected expected
	suites   []string
	sync     bool                                  // the site answers at its end
	usual    *analysis                             // the newest report of the same suites, nil where none is known
	read     time.Time                             // of the last good answer
	sent     *operation.HealthRun                  // nil until the site has answered
	poll     *views.Poll[operation.HealthSnapshot] // likewise
	last     operation.HealthSnapshot
	unknown  bool // it is not known whether the site accepted it
	stalled  bool // polling waits for a sign-in
	away     *views.Unreachable
}

// start sends a run once, and shows it at the top of the list.
func (r *runner) start(request adminapi.HealthRun, tests expected) tea.Cmd {
	if r.run != nil {
		return views.Tell(views.Warning, r.run.already())
	}
	r.run = &run{name: request.Name, started: r.Env.Clock.Now(), expected: tests, suites: request.SuiteIDs, sync: request.Sync > 0}
	shown := r.host.runBegun()
	site := r.Env.Site
	send := r.Scope.Write(func(ctx context.Context) tea.Msg {
		started, result := site.StartHealthRun(ctx, request)
		return views.Retry{Do: func() tea.Cmd { return r.sent(request, started, result) }}
	})
	return tea.Batch(send, shown)
}

// sent polls a run that was sent; nil is none.
func (r *runner) sent(request adminapi.HealthRun, run *operation.HealthRun, result operation.Result) tea.Cmd {
	if run == nil {
		return tea.Batch(r.notStarted(request, result), r.end())
	}
	r.run.unknown = !result.Known()
	r.run.poll = views.NewPoll(r.Scope, r.Env.Clock, "run", run, r.reply(run))
	r.run.sent = run
	return r.run.poll.Now()
}

// notStarted tells why a run was not started. After a sign-in its form opens again.
func (r *runner) notStarted(request adminapi.HealthRun, result operation.Result) tea.Cmd {
	switch {
	case errors.Is(result.Err, adminapi.KindSignIn):
		reason := fmt.Errorf("the health check was not started: %w", result.Err)
		return r.Scope.RetryAfterSignIn(reason, "start", func() tea.Cmd { return r.fetchSuites(&request) })
	case result.Refused() && r.Env.Upgrade.Failed() && errors.Is(result.Err, adminapi.KindReadOnly): // whatever the site still says of it
		return views.WriteFailed("Health check refused: the upgrade failed and left the site read-only.", result)
	}
	return views.NotDone(result)
}

// resume continues to poll a run that waited for a sign-in. One command at a time polls a
// run.
func (r *runner) resume() tea.Cmd {
	if r.run == nil || !r.run.stalled {
		return nil
	}
	r.run.stalled = false
	return r.run.poll.Now()
}

// runRead is one step of polling the run.
type runRead struct {
	polling.Step[operation.HealthSnapshot]
	report *analysis        // nil where there is none yet
	result operation.Result // of the request, as far as it is known; its error is that of the step
}

// reply makes the reply of a step, with the report in the order of now.
func (r *runner) reply(run *operation.HealthRun) func(polling.Step[operation.HealthSnapshot], error) tea.Msg {
	by := r.order
	return func(step polling.Step[operation.HealthSnapshot], err error) tea.Msg {
		read := runRead{Step: step, result: run.Result(err)}
		if report := step.Value.Report; report != nil {
			read.report = analyse(report, by)
		}
		return views.Retry{Do: func() tea.Cmd { return r.read(read) }}
	}
}

func (r *runner) read(s runRead) tea.Cmd {
	r.run.poll.Received()
	switch err := s.result.Err; {
	case errors.Is(err, adminapi.KindSignIn):
		r.run.stalled, r.run.away = true, nil
		return r.Scope.RetryAfterSignIn(err, "run", r.resume)
	case err != nil:
		return tea.Batch(r.end(), views.Send(views.HealthEnded), views.NotDone(s.result))
	case s.Done:
		ended := r.run
		r.run = nil
		return tea.Batch(r.host.runEnded(ended, s.report), views.Send(views.HealthEnded))
	}
	r.run.poll.Reply = r.reply(r.run.sent)
	return tea.Batch(r.progressed(s), r.run.poll.After(s.Wait))
}

// progressed updates the run; while the site is unreachable it keeps the last good snapshot.
func (r *runner) progressed(s runRead) tea.Cmd {
	now := r.Env.Clock.Now()
	if s.Unreachable != nil {
		r.run.away = views.StillUnreachable(r.run.away, now, s.Wait, s.Unreachable)
		return nil
	}
	r.run.away, r.run.last, r.run.read = nil, s.Value, now
	if s.report == nil {
		return nil
	}
	return r.host.runRead(s.report)
}

// end ends a run without a report.
func (r *runner) end() tea.Cmd {
	r.run = nil
	return r.host.runFailed()
}

// leave returns a warning: while a run is being sent, users who leave do not learn whether
// the site accepted it. Of a run in progress it names the job.
func (r *runner) leave() string {
	switch {
	case r.run == nil:
		return ""
	case r.run.poll == nil || r.run.unconfirmed():
		return "It is not known yet whether the health check " + r.run.name + " started."
	}
	job := ""
	if id := r.run.last.Job.ID; id != "" {
		job = " (job " + plain.Line(id) + ")"
	}
	return "A health check is being watched" + job + ". It continues at the site."
}

// part is one of the two lists of tests of a suite.
type part struct{ suite, severity string }

// expected is how many tests a run will have, according to the site's suites.
type expected map[part]int

// expectedOf counts the tests of the chosen suites.
func expectedOf(suites []adminapi.Suite, ids []string) expected {
	e := expected{}
	for _, s := range suites {
		if slices.Contains(ids, s.ID) {
			e[part{s.ID, health.Critical}] = len(s.Critical)
			e[part{s.ID, health.General}] = len(s.General)
		}
	}
	return e
}

func (e expected) total() int {
	n := 0
	for _, tests := range e {
		n += tests
	}
	return n
}

// below returns how many tests are expected below a row of the tree.
func (e expected) below(n *node) int {
	if n.key.level == suiteLevel {
		return e[part{n.key.suite, health.Critical}] + e[part{n.key.suite, health.General}]
	}
	return e[part{n.key.suite, n.key.severity}]
}

func (r *run) key() entryKey { return entryKey{fromRun, r.name} }

// unconfirmed reports whether it is not known that the site accepted the run: a job that may be another one proves nothing.
func (r *run) unconfirmed() bool { return r.unknown && !r.last.Own }

// verdict is what is known of the run.
func (r *run) verdict() health.Verdict {
	if r.unconfirmed() {
		return health.Unknown
	}
	return health.Running
}

// troubled reports whether the status is more important than the progress of the run.
func (r *run) troubled() bool { return r.stalled || r.unconfirmed() || r.away != nil }

// status returns the status of the run in a few words.
func (r *run) status(now time.Time) string {
	switch {
	case r.poll == nil && r.sync:
		return "sent; the site answers at its end"
	case r.poll == nil:
		return "being sent"
	case r.stalled:
		return views.Keys("continues at the site; sign in to see it, {key:health.refresh} refreshes")
	case r.unconfirmed():
		return "finding it"
	case r.away != nil:
		return r.away.What() + " for " + views.Seconds(now.Sub(r.away.Since)) + ", it continues at the site"
	case r.last.Job.Status == "":
		return "accepted"
	}
	return strings.ToLower(plain.Line(r.last.Job.Status))
}

// usually returns how long such a run took last time, 0 if not known.
func (r *run) usually() time.Duration {
	if r.usual == nil {
		return 0
	}
	d, _ := adminapi.Span(r.usual.report.StartTime, r.usual.report.EndTime)
	return d
}

// overdue reports whether a run goes on longer than last time.
func (r *run) overdue(now time.Time) bool {
	usually := r.usually()
	return usually > 0 && now.Sub(r.started) > usually
}

// progress returns how long a run goes on, of how long last time, and how many tests are done
// where the site shows that.
func (r *run) progress(now time.Time) []string {
	took := views.Seconds(now.Sub(r.started))
	switch usually := r.usually(); {
	case usually == 0:
	case r.overdue(now):
		took += ", longer than last time (" + views.Seconds(usually) + ")"
	default:
		took += ", last time " + views.Seconds(usually)
	}
	facts := []string{took}
	if report := r.last.Report; report != nil {
		c := health.CountReport(*report)
		facts = append(facts, doneIn(c, r.expected.total(), wholeWidth))
	}
	return facts
}

// text returns what is shown while the run has no tests.
func (r *run) text() []string {
	if r.unconfirmed() {
		lines := []string{
			"The answer was lost. The site may run the health check.", "",
			"Searching its jobs and reports. Nothing is sent again.",
		}
		if job := r.last.Job; job.ID != "" {
			lines = append(lines, "", "Job "+plain.Line(job.ID)+" may be it. Its report will tell.")
		}
		return lines
	}
	total := ""
	if n := r.expected.total(); n > 0 {
		total = plain.Plural(n, "test") + " to run. "
	}
	lines := []string{total + "The site shows results at the end.", "You can leave; the run continues."}
	if job := r.last.Job; job.ID != "" {
		lines = append(lines, "", "Job "+plain.Line(job.ID))
	}
	return lines
}
