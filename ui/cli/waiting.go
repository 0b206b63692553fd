package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/polling"
	"geodeck/adminapi/plain"
	"geodeck/ui/cli/output"
)

// waiting is what a command waits for at the site. It reports each step once, and what
// still goes on when the command ends with its error.
type waiting struct {
	out *output.Output

	job     string // its id; empty where none goes on
	upgrade bool   // an upgrade goes on, and is watched
	check   string // id of the report of a health check that goes on without a job
	pods    podsAwaited
	lastErr error // of the last poll; nil where the site answered

	about   string // the service that a step is about, where there are several; may be empty
	last    string // the last text that was reported
	problem string // with the site since its last answer
}

// podsAwaited is what the error says where the wait for pods ends before they are ready.
type podsAwaited struct {
	command string // that waits on; empty where no pods are waited for
	done    string // what is done already
	state   string // how the pods are
}

// active reports whether the command waits for something.
func (w *waiting) active() bool {
	return w.job != "" || w.upgrade || w.check != "" || w.pods.command != ""
}

// goesOn adds to a failure what continues at the site.
func (w *waiting) goesOn(f *failure) *failure {
	what := ""
	switch {
	case w.upgrade:
		what, f.advice = "the upgrade continues at the site", "Resume with: {command:upgrade watch}"
	case w.job != "":
		what, f.advice = "job "+w.job+" continues at the site", "Wait for it with: "+operation.CommandText("job wait", w.job)
	case w.check != "":
		what = "the health check continues at the site"
		f.advice = "Its report, when it has ended: " + operation.CommandText("health report", w.check)
	case w.pods.command != "":
		what, f.advice = w.pods.done+w.pods.state, "Keep waiting with: "+w.pods.command
	default:
		return f
	}
	f.err = errors.New(f.err.Error() + "; " + what)
	return f
}

// lastFailure is why there was no answer when the time was up.
func (w *waiting) lastFailure() error {
	if w.lastErr != nil {
		return w.lastErr
	}
	return &adminapi.Error{Kind: adminapi.KindUnreachable}
}

// noteEarlier keeps why the attempt before the end of the time failed.
func (w *waiting) noteEarlier(err error) {
	if e, ok := errors.AsType[*adminapi.Error](err); ok && e.Earlier != nil {
		w.lastErr = e.Earlier
	}
}

// lastCause continues a message with what was wrong with the site at the end.
func (w *waiting) lastCause() string {
	if w.lastErr == nil {
		return ""
	}
	return "; the last attempt: " + w.lastErr.Error()
}

// progressLine is one step in JSON.
type progressLine struct {
	Progress progressBody `json:"progress"`
}

type progressBody struct {
	JobID   string `json:"jobid,omitzero"`  // of a job
	Status  string `json:"status,omitzero"` // of a job
	Message string `json:"message"`
}

// report prints what goes on, unless it is the text that was printed last.
func (w *waiting) report(text string) { w.reportFor(adminapi.Job{}, text) }

// reportFor is report for a step of a job.
func (w *waiting) reportFor(job adminapi.Job, text string) {
	if w.about != "" {
		text = w.about + ": " + text
	}
	if text == w.last {
		return
	}
	w.last = text
	if w.out.JSON() {
		w.out.PrintMessage(progressLine{progressBody{JobID: job.ID, Status: job.Status, Message: text}})
		return
	}
	fmt.Fprintln(w.out.Err, plain.Line(text))
}

// eachMinute reports a text with how long it has been so, every minute until ended is called
// or ctx ends. Nothing else may be reported meanwhile.
func (w *waiting) eachMinute(ctx context.Context, clock adminapi.Clock, text string) (ended func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for passed := time.Minute; clock.Sleep(ctx, time.Minute) == nil; passed += time.Minute {
			w.report(text + ", " + adminapi.FormatDuration(passed))
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

// reportUnreachable says once why the site does not answer, until the reason changes, and once
// that it answers again.
func (w *waiting) reportUnreachable(job adminapi.Job, err error, meanwhile string) {
	w.lastErr = err
	what := ""
	if err != nil {
		what = adminapi.UnreachableText(err)
	}
	if what != "" && what != w.problem {
		w.reportFor(job, "the site: "+what+" at present, "+meanwhile+": "+err.Error())
	}
	if what == "" && w.problem != "" {
		w.reportFor(job, "the site answers again")
	}
	w.problem = what
}

// reportRefused says once that the site refuses to answer, until it answers again.
func (w *waiting) reportRefused(err error) {
	w.lastErr = err
	const what = "it refuses"
	if w.problem != what {
		w.report("the site refuses now, retrying: " + err.Error())
	}
	w.problem = what
}

// reportJob prints the progress of a job, which is waited for until it has ended.
func (w *waiting) reportJob(s polling.Step[adminapi.Job]) {
	job := s.Value
	if s.Unreachable == nil && !job.Ended() {
		w.job = job.ID
	}
	w.reportUnreachable(adminapi.Job{ID: job.ID}, s.Unreachable, "retrying")
	if s.Unreachable == nil {
		w.reportFor(job, "job "+job.ID+": "+job.Status)
	}
}

// reportHealth prints the progress of a health run.
func (w *waiting) reportHealth(s polling.Step[operation.HealthSnapshot]) {
	r := s.Value
	w.reportUnreachable(adminapi.Job{ID: r.Job.ID}, s.Unreachable, "the check continues")
	switch {
	case s.Unreachable != nil:
	case r.Job.Status == "" && r.Report == nil:
		w.reportFor(r.Job, "finding the run")
	case r.Report == nil:
		w.reportFor(r.Job, r.Job.Status)
	default:
		w.reportFor(r.Job, strings.TrimSpace(r.Job.Status+" "+counted(health.CountReport(*r.Report))))
	}
}

// counted writes a count in words, leaving out what there is none of.
func counted(c health.Count) string {
	text := fmt.Sprintf("%d of %d passed", c[health.Passed], c.Total())
	for v, n := range c.Each() {
		switch v {
		case health.Passed:
		case health.Warning:
			text += fmt.Sprintf(", %d with a warning", n)
		default:
			text += fmt.Sprintf(", %d %s", n, v)
		}
	}
	return text
}

// reportEdit prints the progress of an edit.
func (w *waiting) reportEdit(u operation.EditProgress) {
	if u.Step == operation.StepEditJob {
		w.reportJob(polling.Step[adminapi.Job]{Value: u.Job, Unreachable: u.Unreachable})
		return
	}
	w.job = ""
	w.report(u.Doing())
}

// quarters is how many steps of an upload are reported, to keep logs short.
const quarters = 4

// reportStart prints the progress of the start of an upgrade.
func (w *waiting) reportStart(u operation.UpgradeProgress) {
	text := string(u.Step)
	if u.File != "" {
		text += " " + u.File
	}
	if u.Step == operation.StepUpload && u.Total > 0 {
		text += fmt.Sprintf(", %d %%", u.Sent*quarters/u.Total*100/quarters)
	}
	w.report(text)
}

// loss tells of a lost answer, and whether the write has arrived all the same.
type loss struct {
	note func(string)
	err  error // why the answer is lost; nil where it is not
}

// lost takes the error of a write whose outcome is searched for.
func (l *loss) lost(err error) {
	l.err = err
	l.note(lostAnswer(err) + "; checking what the site has, and not sending it again")
}

// found tells that the write has arrived, where the answer was lost.
func (l *loss) found() {
	if l.err != nil {
		l.note("it has arrived" + despiteLoss(l.err))
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

// lostAnswer is the same for a write that --timeout may have given up, or its own time
// where that is above 0.
func (x *exits) lostAnswer(err error, awaited time.Duration) string {
	if x.timedOut() {
		awaited = x.timeout
	}
	if awaited > 0 && errors.Is(err, context.DeadlineExceeded) {
		return "stopped waiting after " + adminapi.FormatDuration(awaited) + "; the site may continue"
	}
	return lostAnswer(err)
}

// despiteLoss continues a sentence about a write that was done although its answer was lost.
func despiteLoss(lost error) string {
	switch {
	case errors.Is(lost, adminapi.ErrJobID):
		return ""
	case adminapi.IsAnswer(lost):
		return " anyway"
	}
	return ": only the answer was lost"
}
