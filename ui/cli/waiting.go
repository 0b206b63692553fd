package cli

import (
	"errors"
	"fmt"
	"strings"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/ui/cli/output"
)

// waiting is what goes on at the site while a command waits for it. Each step is told
// once; what still goes on when the command ends is told with its error.
type waiting struct {
	out *output.Output

	job     string // its id; empty where none goes on
	upgrade bool   // an upgrade goes on, and is watched
	pods    podsAwaited
	away    error // why nothing is heard at present; nil where the site answers

	last    string // what was told last
	silence string // what is wrong with the site since its last answer
}

// podsAwaited is what is said where the wait for pods ends before they are ready.
type podsAwaited struct {
	command string // that waits on; empty where no pods are waited for
	done    string // what is done already
	state   string // how the pods are
}

// anything reports whether something is waited for.
func (w *waiting) anything() bool { return w.job != "" || w.upgrade || w.pods.command != "" }

// goesOn adds what goes on at the site though nobody waits for it any more.
func (w *waiting) goesOn(f *failure) *failure {
	switch {
	case w.upgrade:
		f.err = errors.New(f.err.Error() + "; the upgrade goes on at the site")
		f.advice = "Watch on with: geodeck upgrade watch"
	case w.job != "":
		f.err = errors.New(f.err.Error() + "; job " + w.job + " goes on at the site")
		f.advice = "Wait for it with: geodeck job wait " + w.job
	case w.pods.command != "":
		f.err = errors.New(f.err.Error() + "; " + w.pods.done + w.pods.state)
		f.advice = "Wait on with: " + w.pods.command
	}
	return f
}

// whySilent is why nothing was heard when the time was up.
func (w *waiting) whySilent() error {
	if w.away != nil {
		return w.away
	}
	return &adminapi.Error{Kind: adminapi.KindUnreachable}
}

// lastCause continues a message with what was wrong with the site at the end.
func (w *waiting) lastCause() string {
	if w.away == nil {
		return ""
	}
	return "; the last attempt: " + w.away.Error()
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

// tell says what goes on, unless that is what was said last.
func (w *waiting) tell(text string) { w.tellOf(adminapi.Job{}, text) }

// tellOf is tell for a step of a job.
func (w *waiting) tellOf(job adminapi.Job, text string) {
	if text == w.last {
		return
	}
	w.last = text
	if w.out.JSON() {
		w.out.MessageLine(progressLine{progressBody{JobID: job.ID, Status: job.Status, Message: text}})
		return
	}
	fmt.Fprintln(w.out.Err, plain.Line(text))
}

// tellAway says once why nothing is heard, until something else is wrong.
func (w *waiting) tellAway(job adminapi.Job, err error, meanwhile string) {
	w.away = err
	what := ""
	if err != nil {
		what = adminapi.UnreachableText(err)
	}
	if what != "" && what != w.silence {
		w.tellOf(job, "the site: "+what+" at present, "+meanwhile+": "+err.Error())
	}
	w.silence = what
}

// tellRefused says once that the site refuses to tell, until it tells again.
func (w *waiting) tellRefused(err error) {
	w.away = err
	const what = "it refuses to tell"
	if w.silence != what {
		w.tell("the site refuses to tell at present, and is asked again: " + err.Error())
	}
	w.silence = what
}

// tellJob says how a job goes, which is waited for until it has ended.
func (w *waiting) tellJob(s operation.Step[adminapi.Job]) {
	job := s.Value
	if s.Away == nil && !job.Ended() {
		w.job = job.ID
	}
	w.tellAway(adminapi.Job{ID: job.ID}, s.Away, "it is asked again")
	if s.Away == nil {
		w.tellOf(job, "job "+job.ID+": "+job.Status)
	}
}

// tellHealth says how a health run goes.
func (w *waiting) tellHealth(s operation.Step[operation.HealthSnapshot]) {
	r := s.Value
	w.tellAway(adminapi.Job{ID: r.Job.ID}, s.Away, "the check goes on")
	switch {
	case s.Away != nil:
	case r.Job.Status == "" && r.Report == nil:
		w.tellOf(r.Job, "looking for the run")
	case r.Report == nil:
		w.tellOf(r.Job, r.Job.Status)
	default:
		w.tellOf(r.Job, strings.TrimSpace(r.Job.Status+" "+counted(health.CountReport(*r.Report))))
	}
}

// counted writes a count in words, leaving out what there is none of.
func counted(c health.Count) string {
	text := fmt.Sprintf("%d of %d passed", c.Passed, c.Total())
	for _, part := range []struct {
		n    int
		word string
	}{
		{c.Failed, "failed"}, {c.Unknown, "unknown"}, {c.Warning, "with a warning"},
		{c.Running, "running"}, {c.Skipped, "skipped"},
	} {
		if part.n > 0 {
			text += fmt.Sprintf(", %d %s", part.n, part.word)
		}
	}
	return text
}

// tellEdit says what an edit is doing.
func (w *waiting) tellEdit(u operation.EditProgress) {
	if u.Step == operation.StepEditJob {
		w.tellJob(operation.Step[adminapi.Job]{Value: u.Job, Away: u.Away})
		return
	}
	w.job = ""
	w.tell(u.Doing())
}

// quarters of an upload are told, no more: a log has use for few lines.
const quarters = 4

// tellStart says what the start of an upgrade is doing.
func (w *waiting) tellStart(u operation.UpgradeProgress) {
	text := string(u.Step)
	if u.File != "" {
		text += " " + u.File
	}
	if u.Step == operation.StepUpload && u.Total > 0 {
		text += fmt.Sprintf(", %d %%", u.Sent*quarters/u.Total*100/quarters)
	}
	w.tell(text)
}

// lostAnswer says why it is not known what became of a write.
func lostAnswer(err error) string {
	switch {
	case errors.Is(err, adminapi.ErrJobID):
		return "the site took it, and its job cannot be followed (" + err.Error() + ")"
	case operation.Answered(err):
		return "the answer does not tell whether it was begun (" + err.Error() + ")"
	}
	return "the answer was lost (" + err.Error() + ")"
}

// despiteLoss continues a sentence on something that has happened, whatever its answer was.
func despiteLoss(lost error) string {
	switch {
	case errors.Is(lost, adminapi.ErrJobID):
		return ""
	case operation.Answered(lost):
		return " all the same"
	}
	return ": only the answer was lost"
}
