package sending

import (
	"errors"
	"strconv"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/explain"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/operation/polling"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/views/services/plan"
	"geodeck/ui/widget"
	"geodeck/ui/widget/rows"
)

// Search is the search for the outcome of an edit whose answer was lost, or whose end was not seen. It
// only reads. A nil one is none.
type Search struct {
	plan.Step
	plan.Plan
	edit     editing.Edit
	sent     Result // of the request
	handlers SearchHandlers
	sentAt   func() time.Time
	poll     *views.Poll[operation.Resolution]
	differs  bool      // the site has something else than was edited
	last     time.Time // when the site was read last
	next     time.Time // when it is read next; zero where the user has to ask for it
	found    operation.Resolution
	away     *views.Unreachable
	problem  error // why it is not read any more by itself
	looked   bool  // the user looks for it: the answer is told
}

// SearchHandlers are what a search leads to.
type SearchHandlers struct {
	// Settled takes what the site has, where that is another version than before.
	Settled func(Settled) tea.Cmd
	// Ended says that the search is over.
	Ended func() tea.Cmd
	// Stopped says that it was given up.
	Stopped func() tea.Cmd
}

// NewSearch returns the search for the outcome of one edit of a plan, which [Search.Now] begins. sentAt says
// when it was sent.
func NewSearch(base views.Base, inks *rows.Inks, of plan.Plan, sent Result, sentAt func() time.Time,
	handlers SearchHandlers,
) *Search {
	l := &Search{Step: plan.NewStep(base, inks), Plan: of, edit: of.Of(sent.Target), sent: sent, sentAt: sentAt,
		handlers: handlers}
	edit := l.edit
	l.poll = views.NewPoll(l.Scope, l.Env.Clock, "find", sent.Applied.Search, func(step polling.Step[operation.Resolution], err error) tea.Msg {
		now := step.Value.Now
		differs := now != nil && len(document.Diff(edit.Base, now)) > 0
		return views.Retry{Do: l.WhileOpen(func() tea.Cmd { return l.read(step, differs, err) })}
	})
	return l
}

// Service is the one that was edited.
func (l *Search) Service() adminapi.ServiceRef { return l.edit.Service }

// Edit is the one that was sent.
func (l *Search) Edit() editing.Edit { return l.edit }

// Read is what the site had when it was read last, and when.
func (l *Search) Read() (now *document.Document, at time.Time) {
	if l == nil {
		return nil, time.Time{}
	}
	return l.found.Now, l.last
}

// Result is how the change ended, as far as the search has shown.
func (l *Search) Result() operation.Result { return l.sent.Result.Found(l.found, nil) }

// Arrived reports whether the site has what was sent.
func (l *Search) Arrived() bool { return l != nil && l.Result().Done() }

// Partly reports whether the site has neither what it had nor what was sent.
func (l *Search) Partly() bool {
	return l.found.Shows == operation.ShowsOther || l.differs && l.broken()
}

// broken reports whether the site took the change and did not complete it, or not keep all of it.
func (l *Search) broken() bool { r := l.Result(); return r.Touched() && !r.Done() }

// Unchanged reports whether the site still has what was edited, and nothing edits it.
func (l *Search) Unchanged() bool {
	return l != nil && !l.differs && (l.found.Shows == operation.ShowsUnchanged || l.broken())
}

// over reports whether the outcome is known, or the search has given up.
func (l *Search) over() bool {
	return l.Result().Known() || l.Partly() || l.Unchanged() && l.next.IsZero()
}

// Runs reports whether the job of the change was seen to run at last.
func (l *Search) Runs() bool { return l != nil && l.found.Shows == operation.ShowsRunning }

// Goes reports whether there is a search that goes on.
func (l *Search) Goes() bool { return l != nil && !l.over() }

func (l *Search) read(step polling.Step[operation.Resolution], differs bool, err error) tea.Cmd {
	now := l.Env.Clock.Now()
	l.poll.Received()
	l.next, l.problem = time.Time{}, err
	switch {
	case errors.Is(err, adminapi.KindSignIn):
		l.away = nil
		return l.Scope.RetryAfterSignIn(err, "find", l.Now)
	case err != nil:
		l.away = nil
		return nil
	case step.Unreachable != nil:
		l.away = views.StillUnreachable(l.away, now, step.Wait, step.Unreachable)
		return l.after(step.Wait)
	}
	l.away, l.last, l.found, l.differs = nil, now, step.Value, differs
	if l.Arrived() || l.Partly() {
		s := Settled{Edit: l.edit, Done: l.Arrived(), Touched: true}
		if differs {
			s.Now = l.found.Now
		}
		return tea.Batch(l.handlers.Settled(s), l.handlers.Ended())
	}
	if step.Done {
		return tea.Batch(l.handlers.Ended(), l.tellChecked())
	}
	return tea.Batch(l.after(step.Wait), l.tellChecked())
}

// tellChecked answers the key that looks for the outcome, where that is as it was.
func (l *Search) tellChecked() tea.Cmd {
	if !l.looked || !l.Unchanged() {
		return nil
	}
	l.looked = false
	text := "no job edits it."
	if l.found.Job.ID != "" {
		text = "job " + plain.Line(l.found.Job.ID) + " " + strings.ToLower(plain.Line(l.found.Job.Status)) + "."
	}
	return views.Tell(views.Info, "Checked "+l.Env.Times.Clock(l.last)+": still the old "+l.edit.Part.String()+", "+text)
}

func (l *Search) after(wait time.Duration) tea.Cmd {
	l.next = l.Env.Clock.Now().Add(wait)
	return l.poll.After(wait)
}

// Now reads at once.
func (l *Search) Now() tea.Cmd {
	if l.Closed() {
		return nil
	}
	l.next = l.Env.Clock.Now()
	return l.poll.Now()
}

// Look is Now for a user, who is told where the outcome is as it was.
func (l *Search) Look() tea.Cmd {
	l.looked = true
	return l.Now()
}

// AskStop asks before the search is stopped.
func (l *Search) AskStop() tea.Cmd {
	known := "Whether the site has the change is unknown."
	if l.Runs() {
		known = "Its job runs at the site, and goes on."
	}
	stop := l.Scope.Call("stop waiting", l.WhileOpen(l.handlers.Stopped))
	return views.Show(widget.NewConfirm(l.Env.Theme, widget.Question{
		ID: "services.leave", Text: "Stop waiting for the outcome?",
		Consequence: known + " Nothing is sent again; a refresh may show it.",
		Yes:         "stop waiting", No: "keep waiting", Then: stop,
	}))
}

// OnlyLost says of a change that has arrived what was wrong, empty where it had been accepted.
func (l *Search) OnlyLost() string {
	if l.sent.Lost() {
		return ": only the answer was lost"
	}
	return ""
}

// Write writes what is known of the change; answer writes whether the service answers.
func (l *Search) Write(p *rows.Page, answer func(*rows.Page)) {
	k := l.Inks
	what, part := plain.Line(l.edit.Target.String()), l.edit.Part.String()
	switch job := l.found.Job; {
	case l.Arrived():
		p.Status(rows.StatusPassed, "The site has the new "+what+l.OnlyLost())
		answer(p)
	case l.Result().Refused():
		p.Status(rows.StatusFailed, "The site refused the "+what+"; it is unchanged")
		WriteWhy(p, l.sent.Err)
		return
	case l.Partly():
		p.Status(rows.StatusWarning, "The site has neither the old "+part+" nor what was sent")
		if job.Failed() {
			p.Text(k.Plain, "Job "+plain.Line(job.ID)+" ended as "+plain.Line(job.Status)+".")
		}
		p.Heading("Sent, compared with the site now")
		WriteChanges(p, l.found.Changes)
		p.Gap()
		p.Text(k.Plain, "The site kept only a part, or someone else edited it. The rest stays in the editor as your change.")
	case l.Runs():
		lost := ""
		if l.sent.Lost() {
			lost = "The answer was lost. "
		}
		p.Status(rows.StatusRunning, lost+"Job "+plain.Line(job.ID)+" is still running: "+strings.ToLower(plain.Line(job.Status)))
		for _, says := range job.Reasons() {
			p.Indented(k.Plain, "  ", plain.Line(says))
		}
		p.Gap()
		p.Text(k.Plain, "Polling it until it ends. Nothing is sent again.")
	case l.Unchanged():
		if job.Ended() {
			p.Status(rows.StatusFailed, "The site still has the old "+part+". Job "+plain.Line(job.ID)+" ended as "+plain.Line(job.Status))
			for _, reason := range job.Reasons() {
				p.Text(k.Plain, plain.Line(reason))
			}
			p.Gap()
			p.Text(k.Plain, "Your change is saved. To send it again, review and confirm it.")
			break
		}
		p.Status(rows.StatusUnknown, "No answer came, and the site still has the old "+part)
		p.Gap()
		again := views.Keys("To send it again, press {key:services.again}.")
		if from := l.HeldUntil(); !from.IsZero() {
			again = "From " + l.Env.Times.Clock(from) + views.Keys(" on you can send it again: press {key:services.again}.")
		}
		p.Text(k.Plain, "No job edits the service: very likely the change never arrived. The draft is saved. "+again)
	default:
		p.Status(rows.StatusUnknown, l.sent.Headline())
		p.Gap()
		p.Text(k.Plain, "The "+part+" and the jobs are polled until that is known. Nothing is sent again.")
	}
	p.Gap()
	l.writeTimes(p)
}

// cause is an error without what could not be done: the page says what became of that.
func cause(err error) string {
	text := err.Error()
	if e, ok := errors.AsType[*adminapi.Error](err); ok {
		text = strings.Replace(text, "cannot "+e.Operation+": ", "", 1)
	}
	return text
}

// HeldUntil is from when the change may be sent again, zero where it may be by now.
func (l *Search) HeldUntil() (from time.Time) {
	if from = operation.EditOverride(l.sentAt()); !l.Env.Clock.Now().Before(from) || l.found.Job.Ended() {
		return time.Time{}
	}
	return from
}

// writeTimes writes when the site was read and will be read next.
func (l *Search) writeTimes(p *rows.Page) {
	times := l.Env.Times
	if err := l.sent.Err; err != nil {
		p.Fact("What happened", views.Sentence(cause(err)))
	}
	if l.Arrived() || l.Partly() {
		WriteBackup(p, times, l.sent)
	}
	name := "Change"
	for _, line := range l.Lines(l.Inks.Glyphs.Arrow) {
		if line = strings.TrimSpace(line); line != "" {
			p.Member(name, line)
			name = ""
		}
	}
	p.Fact("Sent", times.Clock(l.sentAt()))
	if !l.last.IsZero() {
		p.Fact("Checked", times.Clock(l.last))
	}
	now := l.Env.Clock.Now()
	switch {
	case l.Arrived() || l.Partly():
		return
	case l.problem != nil:
		p.Fact("Next refresh", "only with R: "+views.Sentence(l.problem.Error()))
	case l.next.Sub(now) >= time.Second:
		p.Fact("Next refresh", "in "+views.Seconds(l.next.Sub(now)))
	case l.next.IsZero(): // the key says it
	default:
		p.Fact("Next refresh", "now")
	}
	if away := l.away; away != nil {
		p.Fact("The site", away.What()+": "+views.Sentence(away.Err.Error()))
	}
	p.Gap()
	p.Key("R", "  look for it")
	switch {
	case l.over():
	case l.Runs():
		p.Key("S", "  stop waiting (asks first)")
		p.Key("esc", "list; open the service to return")
	default:
		p.Key("esc", "stop waiting (asks first)")
	}
}

// WriteWhy writes an error as a sentence; nil is nothing.
func WriteWhy(p *rows.Page, err error) {
	if err != nil {
		p.Gap()
		p.Text(p.Inks.Plain, views.Sentence(err.Error()))
	}
}

// WriteBackup writes where the old version is kept.
func WriteBackup(p *rows.Page, times *views.Times, r Result) {
	if b := r.Applied.Backup; b.ID != "" {
		p.Fact("Saved before", times.Moment(b.Saved)+", "+strconv.Itoa(b.Bytes)+" bytes; History restores it")
	}
}

// maxChanges bounds the changes that a page lists.
const maxChanges = 40

// WriteChanges lists changes in short: the path, the old and the new value.
func WriteChanges(p *rows.Page, changes []document.Change) {
	k := p.Inks
	value := func(sign, raw string) {
		if raw != "" {
			p.Line("    " + k.Muted.On(sign) + plain.Clip(raw, max(8, p.Width-8)))
		}
	}
	for _, c := range document.Masked(changes[:min(len(changes), maxChanges)]) {
		p.Line("  " + k.Strong.On(plain.Clip(string(c.Path), max(8, p.Width-14))) + "  " + k.Muted.On(c.Kind.String()))
		value("- ", c.Old)
		value("+ ", c.New)
	}
	if n := len(changes) - maxChanges; n > 0 {
		p.Line("  " + k.Muted.On("and "+strconv.Itoa(n)+" more"))
	}
}

// Explain adds what the search has shown to what is known of the edit.
func (l *Search) Explain(facts *explain.WriteFacts) {
	if job := l.found.Job; job.ID != "" {
		facts.Job = &job
	}
	if l.Unchanged() {
		facts.Stored, facts.Kept = views.Sentence(operation.StoredOld.Text(l.edit.Part)), true
		if from := l.HeldUntil(); !from.IsZero() {
			facts.From = l.Env.Times.Clock(from)
		}
	}
	if l.found.Err != nil && !errors.Is(l.found.Err, l.sent.Err) {
		facts.Found = l.found.Err.Error()
	}
}
