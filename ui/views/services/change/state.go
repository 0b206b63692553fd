package change

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

// step is where in the flow a change is.
type step int

const (
	stepNone step = iota
	stepCheck
	stepReview
	stepConflict
	stepSending
	stepResult
)

// Step names the present step, for the path of the frame.
func (f *Flow) Step() string {
	return [...]string{"", "check", "review", "conflict", "sending", "result"}[f.step]
}

// Active reports whether there is a change that is shown in place of all else.
func (f *Flow) Active() bool { return f.step != stepNone && !f.away }

// InFront reports whether no page of a change was left.
func (f *Flow) InFront() bool { return !f.away }

// Return shows the page of a change again that was left, where a service takes part in it.
func (f *Flow) Return(service adminapi.ServiceRef) {
	if f.plan.Changes(service) {
		f.away = false
	}
}

// searching reports whether the outcome of the change is still searched for.
func (f *Flow) searching() bool { return f.step == stepResult && f.result.Searching() }

// follows reports whether the job of the change is known to run: its page can be left.
func (f *Flow) follows() bool { return f.searching() && f.result.Search.Runs() }

// Busy says what is going on, empty for nothing.
func (f *Flow) Busy() string {
	switch {
	case f.step == stepCheck:
		return "checking"
	case f.step == stepSending:
		return "sending " + f.About()
	case f.searching():
		return "finding the outcome"
	}
	return ""
}

// Working says what is being sent, or that its outcome is searched for: no other change can
// begin meanwhile. It is empty for nothing.
func (f *Flow) Working() string {
	if f.step != stepSending && !f.searching() {
		return ""
	}
	return f.Busy()
}

// Wait says that one change is sent at a time.
func (f *Flow) Wait() tea.Cmd {
	if f.searching() {
		return f.result.Wait()
	}
	return views.Tell(views.Warning, "Wait until the edit of "+plain.Line(f.About())+" is sent.")
}

// Leave is a question to ask before the view is closed, empty for none.
func (f *Flow) Leave() string {
	switch {
	case f.step == stepSending:
		return "A change is being sent; you will not see its outcome."
	case f.searching():
		return "It is not known yet whether the site has the new " + f.result.Search.Edit().Target.String() + "."
	}
	return ""
}

// Sends says whether the service at a path is being sent, or waits for that; empty for neither.
func (f *Flow) Sends(path string) string {
	if f.step != stepSending {
		return ""
	}
	return f.sending.Sends(path)
}

// Since is when sending began.
func (f *Flow) Since() time.Time { return f.sending.Since() }

// SendsTo is [Flow.Sends] for one part of a service.
func (f *Flow) SendsTo(target editing.Target) bool {
	return f.Sends(target.Service.Path()) != "" && f.Target().Part == target.Part
}

// Target is what is changed, of several services that of the first.
func (f *Flow) Target() editing.Target { return f.plan.First().Target }

// Read returns what the site had when the flow read it last after it sent the change, and when; nil
// where it did not.
func (f *Flow) Read() (now *document.Document, at time.Time) {
	if f.result == nil {
		return f.site, f.seen
	}
	if now, at = f.result.Search.Read(); at.After(f.seen) {
		return now, at
	}
	return f.site, f.seen
}

// PodsInFront reports whether the pods shown are still followed.
func (f *Flow) PodsInFront() bool { return f.result != nil && f.result.PodsInFront() }

// CapturesText reports whether typed keys are text at present.
func (f *Flow) CapturesText() bool { return f.step == stepReview && f.review.CapturesText() }

// Filtering reports whether the filter of the review is being typed.
func (f *Flow) Filtering() bool { return f.step == stepReview && f.review.Filtering() }

// About names what is changed.
func (f *Flow) About() string {
	if f.step == stepCheck && f.planner.wanted > 0 {
		return plain.Plural(f.planner.wanted, "service")
	}
	return f.plan.About()
}
