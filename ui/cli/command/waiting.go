package command

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
	"geodeck/ui/cli/exit"
	"geodeck/ui/cli/output"
)

// Waiting is what a command waits for at the site. It reports each step once, and what
// still goes on when the command ends with its error.
type Waiting struct {
	out *output.Output

	Job     string // its id; empty where none goes on
	Upgrade bool   // an upgrade goes on, and is watched
	Check   string // id of the report of a health check that goes on without a job
	Pods    PodsAwaited
	LastErr error // of the last poll; nil where the site answered

	About   string // the service that is edited; empty for none
	Several bool   // services are edited: what is said for people names the service
	last    string // the last text that was reported, and of which service
	problem string // with the site since its last answer
}

// PodsAwaited is what the error says where the wait for pods ends before they are ready.
type PodsAwaited struct {
	Command string // that waits on; empty where no pods are waited for
	Done    string // what is done already
	State   string // how the pods are
}

// Active reports whether the command waits for something.
func (w *Waiting) Active() bool {
	return w.Job != "" || w.Upgrade || w.Check != "" || w.Pods.Command != ""
}

// goesOn adds to a failure what continues at the site.
func (w *Waiting) goesOn(f *exit.Failure) *exit.Failure {
	what := ""
	switch {
	case w.Upgrade:
		what, f.Advice = "the upgrade continues at the site", "Resume with: {command:upgrade watch}"
	case w.Job != "":
		what, f.Advice = "job "+w.Job+" continues at the site", "Wait for it with: "+operation.CommandText("job wait", w.Job)
	case w.Check != "":
		what = "the health check continues at the site"
		f.Advice = "Its report, when it has ended: " + operation.CommandText("health report", w.Check)
	case w.Pods.Command != "":
		what, f.Advice = w.Pods.Done+w.Pods.State, "Keep waiting with: "+w.Pods.Command
	default:
		return f
	}
	f.Err = errors.New(f.Err.Error() + "; " + what)
	return f
}

// NoteEarlier keeps why the attempt before the end of the time failed.
func (w *Waiting) NoteEarlier(err error) {
	if e, ok := errors.AsType[*adminapi.Error](err); ok && e.Earlier != nil {
		w.LastErr = e.Earlier
	}
}

// LastCause continues a message with what was wrong with the site at the end.
func (w *Waiting) LastCause() string {
	if w.LastErr == nil {
		return ""
	}
	return "; the last attempt: " + w.LastErr.Error()
}

// ProgressJSON is one step of what a command waits for.
type ProgressJSON struct {
	Service string `json:"service,omitzero"` // of an edit
	JobID   string `json:"jobid,omitzero"`   // of a job
	Status  string `json:"status,omitzero"`  // of a job
	Message string `json:"message"`
}

// Report prints what goes on, unless it is the text that was printed last.
func (w *Waiting) Report(text string) { w.ReportFor(adminapi.Job{}, text) }

// ReportFor is report for a step of a job.
func (w *Waiting) ReportFor(job adminapi.Job, text string) {
	if w.About+text == w.last {
		return
	}
	w.last = w.About + text
	if w.out.JSON() {
		w.out.PrintMessage("progress", ProgressJSON{Service: w.About, JobID: job.ID, Status: job.Status, Message: text})
		return
	}
	if w.Several {
		text = w.About + ": " + text
	}
	fmt.Fprintln(w.out.Err, plain.Line(text))
}

// EachMinute reports a text with how long it has been so, every minute until ended is called
// or ctx ends. Nothing else may be reported meanwhile.
func (w *Waiting) EachMinute(ctx context.Context, clock adminapi.Clock, text string) (ended func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for passed := time.Minute; clock.Sleep(ctx, time.Minute) == nil; passed += time.Minute {
			w.Report(text + ", " + adminapi.FormatDuration(passed))
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

// ReportUnreachable says once why the site does not answer, until the reason changes, and once
// that it answers again.
func (w *Waiting) ReportUnreachable(job adminapi.Job, err error, meanwhile string) {
	w.LastErr = err
	what := ""
	if err != nil {
		what = adminapi.UnreachableText(err)
	}
	if what != "" && what != w.problem {
		w.ReportFor(job, "the site: "+what+" at present, "+meanwhile+": "+err.Error())
	}
	if what == "" && w.problem != "" {
		w.ReportFor(job, "the site answers again")
	}
	w.problem = what
}

// ReportRefused says once that the site refuses to answer, until it answers again.
func (w *Waiting) ReportRefused(err error) {
	w.LastErr = err
	const what = "it refuses"
	if w.problem != what {
		w.Report("the site refuses now, retrying: " + err.Error())
	}
	w.problem = what
}

// ReportJob prints the progress of a job, which is waited for until it has ended.
func (w *Waiting) ReportJob(s polling.Step[adminapi.Job]) {
	job := s.Value
	if s.Unreachable == nil && !job.Ended() {
		w.Job = job.ID
	}
	w.ReportUnreachable(adminapi.Job{ID: job.ID}, s.Unreachable, "retrying")
	if s.Unreachable == nil {
		w.ReportFor(job, "job "+job.ID+": "+job.Status)
	}
}

// ReportHealth prints the progress of a health run.
func (w *Waiting) ReportHealth(s polling.Step[operation.HealthSnapshot]) {
	r := s.Value
	w.ReportUnreachable(adminapi.Job{ID: r.Job.ID}, s.Unreachable, "the check continues")
	switch {
	case s.Unreachable != nil:
	case r.Job.Status == "" && r.Report == nil:
		w.ReportFor(r.Job, "finding the run")
	case r.Report == nil:
		w.ReportFor(r.Job, r.Job.Status)
	default:
		w.ReportFor(r.Job, strings.TrimSpace(r.Job.Status+" "+Counted(health.CountReport(*r.Report))))
	}
}

// Counted writes a count in words, leaving out what there is none of.
func Counted(c health.Count) string {
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

// ReportEdit prints the progress of an edit.
func (w *Waiting) ReportEdit(u operation.EditProgress) {
	if u.Step == operation.StepEditJob {
		w.ReportJob(polling.Step[adminapi.Job]{Value: u.Job, Unreachable: u.Unreachable})
		return
	}
	w.Job = ""
	w.Report(u.Doing())
}

// quarters is how many steps of an upload are reported, to keep logs short.
const quarters = 4

// ReportStart prints the progress of the start of an upgrade.
func (w *Waiting) ReportStart(u operation.UpgradeProgress) {
	text := string(u.Step)
	if u.File != "" {
		text += " " + u.File
	}
	if u.Step == operation.StepUpload && u.Total > 0 {
		text += fmt.Sprintf(", %d %%", u.Sent*quarters/u.Total*100/quarters)
	}
	w.Report(text)
}
