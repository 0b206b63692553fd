package change

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/views/services/editor"
	"geodeck/ui/widget"
	"geodeck/ui/widget/rows"
)

// replanningText says why nothing can be sent for a moment.
const replanningText = "The nodes changed, so the plan was updated. Review it, then send."

// askSend asks before the reviewed change is sent.
func (f *Flow) askSend() tea.Cmd { return f.askToSend(false) }

func (f *Flow) askToSend(unasked bool) tea.Cmd {
	switch why := f.host.NoChanges(); {
	case f.replanning:
		return views.Tell(views.Info, replanningText)
	case why != "":
		return views.Tell(views.Warning, why)
	case f.review.Blocked():
		return views.Tell(views.Warning, "Nothing can be sent: a rule is broken. See the review.")
	case f.review.Open() > 0:
		return views.Tell(views.Warning, plain.Plural(f.review.Open(), "removed key")+" to confirm: press n, then enter.")
	case f.sendable() == 0:
		return views.Tell(views.Info, "No changes to send.")
	}
	return f.sendQuestion(unasked)
}

// sendable counts the edits that would be sent.
func (s *state) sendable() (n int) {
	for _, e := range s.edits {
		if e.Refused == nil && !e.Unchanged() {
			n++
		}
	}
	return n
}

// sendQuestion asks before anything is sent; unasked where it opens by itself after a
// sign-in. Where no node takes the pods the answer is a word that has to be typed.
func (f *Flow) sendQuestion(unasked bool) tea.Cmd {
	q := widget.Question{ID: "services.send", Text: "Send the " + plain.Line(f.target().String()) + " to " + f.Env.Address() + "?",
		Lines: f.changeLines(), Consequence: f.consequence(), Yes: "send", No: "do not send"}
	if f.several {
		q.Text = "Send the " + f.target().Part.String() + " of " + plain.Plural(f.sendable(), "service") + " to " + f.Env.Address() + ", one at a time?"
		q.Lines = append(f.serviceLines(), q.Lines...)
	}
	if len(f.unschedulable()) > 0 {
		q.Word = "none"
	}
	confirmed := sendConfirmed{run: f.run, plan: f.plan}
	q.Then = f.Scope.Do("send confirmed", func(context.Context) tea.Msg { return confirmed })
	return views.Send(views.Open{Unrequested: unasked, Dialog: widget.NewConfirm(f.Env.Theme, q)})
}

// maxQuestionLines bounds the changes, and the services, that a question names.
const maxQuestionLines = 6

// serviceLines name the services that the same change is sent to.
func (f *Flow) serviceLines() (lines []string) {
	edits, marked := f.toSend(), f.host.Marked()
	for _, e := range edits[:min(len(edits), maxQuestionLines)] {
		line := "  " + plain.Line(e.Service.Path())
		if !slices.ContainsFunc(marked, func(s adminapi.ServiceRef) bool { return s.Path() == e.Service.Path() }) {
			line += " (open, not marked)"
		}
		lines = append(lines, line)
	}
	if more := len(edits) - maxQuestionLines; more > 0 {
		lines = append(lines, "  and "+plain.Plural(more, "more service"))
	}
	return append(lines, "")
}

// changeLines say the changes in short, for the question before they are sent.
func (f *Flow) changeLines() (lines []string) {
	plan := f.reviewed()
	for _, e := range f.edits {
		if len(plan.Changes) == 0 {
			plan = e.Plan
		}
	}
	all := operation.ChangeLines(plan.Changes, plan.Words)
	for _, line := range all[:min(len(all), maxQuestionLines)] {
		lines = append(lines, "  "+arrows(f.inks, line))
	}
	if more := len(all) - maxQuestionLines; more > 0 {
		lines = append(lines, "  and "+plain.Plural(more, "more change"))
	}
	return lines
}

// consequence says what follows from sending.
func (f *Flow) consequence() string {
	text := "The current " + f.target().Part.String() + " is saved in History first."
	switch {
	case f.several:
		text = "Each current " + f.target().Part.String() + " is saved in History first. Stops at the first failure."
		if f.target().Part == operation.Placement {
			text += " " + f.podsConsequence()
		}
	case f.target().Part == operation.Placement:
		text += " " + f.podsConsequence()
	}
	var risks []string // what weighs, each once
	for _, e := range f.edits {
		for _, r := range e.Plan.Risks {
			if label := string(r.Label); r.Severity >= document.Caution && r.Label != operation.NoNode && r.Label != operation.PodsReplaced && !slices.Contains(risks, label) {
				risks = append(risks, label)
			}
		}
	}
	if n := len(f.sameChange()) - 1; n > 0 && !f.several {
		text += fmt.Sprintf(" Only this service is changed, not the %d marked; M takes them too.", n)
	}
	if len(risks) > 0 {
		text += " Risks: " + strings.Join(risks, ", ") + "."
	}
	return text
}

// podsConsequence says what happens to the pods.
func (f *Flow) podsConsequence() string {
	moves, shared := 0, false
	for _, e := range f.toSend() {
		moves += len(e.Plan.Moves)
		shared = shared || slices.ContainsFunc(e.Plan.Moves, func(move operation.Move) bool {
			return f.deployments.SharedRules(move.After.DeploymentID, e.Service.Path()) != ""
		})
	}
	text := "The pods of " + plain.Plural(moves, "deployment") + " are replaced."
	if shared {
		text += " Other services run in them too."
	}
	switch homeless := f.unschedulable(); {
	case len(homeless) > 0:
		more := ""
		if n := len(homeless) - maxQuestionLines; n > 0 {
			more = " and " + strconv.Itoa(n) + " more"
		}
		text += " No node takes those of " + plain.Line(strings.Join(homeless[:min(len(homeless), maxQuestionLines)], ", ")) + more + ": they stay Pending, and the service may not answer."
	case !f.sawNodes():
		text += " " + noNodesSeen
	}
	return text
}

// unschedulable are the deployments, of several services these, whose pods no node takes after
// the change.
func (s *state) unschedulable() (ids []string) {
	for _, e := range s.toSend() {
		if homeless := e.Plan.Unschedulable(); s.several && len(homeless) > 0 {
			ids = append(ids, e.Service.Path())
		} else {
			ids = append(ids, homeless...)
		}
	}
	return ids
}

// sendConfirmed says that sending a plan was confirmed.
type sendConfirmed struct {
	run    int // of the flow
	plan   int
	beside bool // although another program has one of the edits
}

// report is the progress of a long command: a step of sending, or how many definitions
// were fetched.
type report struct {
	service adminapi.ServiceRef
	operation.EditProgress
	read int
}

// send sends once: the step changes before anything is sent, so that a second
// confirmation does nothing.
func (f *Flow) send(r sendConfirmed) tea.Cmd {
	if r.run != f.run || f.step != reviewing {
		return nil
	}
	if why := f.host.NoChanges(); why != "" { // it began while the question was open
		return views.Tell(views.Warning, why)
	}
	if f.replanning || r.plan != f.plan { // another plan was confirmed
		return views.Tell(views.Warning, "Nothing was sent. "+replanningText)
	}
	f.step, f.began, f.begun, f.requests, f.showsRequests = sending, f.Env.Clock.Now(), nil, nil, false
	f.progress = views.NewReports[report]()
	f.lay()
	edits := slices.Clone(f.edits)
	for i := range edits {
		confirmed := ""
		if f.several {
			confirmed = edits[i].Service.Path()
		}
		edits[i].AllowRemoved = f.review.Confirmed(confirmed)
		edits[i].AllowNone = len(edits[i].Plan.Unschedulable()) > 0
	}
	site, progress, several := f.Env.Site, f.progress, f.several
	send := f.Scope.Write(func(ctx context.Context) tea.Msg {
		defer close(progress)
		if of, holder := heldElsewhere(site, edits); holder != nil && !r.beside {
			return heldBack{r, of, *holder}
		}
		applied := site.ApplyMany(ctx, edits, several, func(service adminapi.ServiceRef, p operation.EditProgress) {
			progress.Send(report{service: service, EditProgress: p})
		})
		return sent{compared(applied, edits)}
	})
	return views.Batch(send, f.listen())
}

// result is the outcome of one edit, compared with what the site has now.
type result struct {
	operation.AppliedEdit
	unchanged bool                // the site has what it had before
	there     bool                // the site has what was sent, whatever it answered
	merge     operation.EditMerge // after a drift: with what the site has now
}

// compared runs in a command: definitions may be long.
func compared(applied []operation.AppliedEdit, edits []operation.PlannedEdit) (results []result) {
	for _, a := range applied {
		r, edit := result{AppliedEdit: a}, editOf(edits, a.Target)
		if now := a.Applied.Now; now != nil && edit.Base != nil {
			r.unchanged = len(document.Diff(edit.Base, now)) == 0
			r.there = len(document.Diff(edit.Edited, now)) == 0
		}
		if drift, ok := errors.AsType[*operation.DriftError](a.Err); ok {
			r.merge = edit.Merging(drift.Theirs)
		}
		results = append(results, r)
	}
	return results
}

//go:noinline
func editOf(edits []operation.PlannedEdit, target operation.Target) operation.Edit {
	for _, e := range edits {
		if e.Same(target) {
			return e.Edit
		}
	}
	return operation.Edit{Target: target}
}

// heldElsewhere returns the draft of another program that has one of the edits, and its
// target; nil for none. A draft that cannot be read prevents nothing: what the site has
// is compared in any case.
func heldElsewhere(site operation.Site, edits []operation.PlannedEdit) (of operation.Target, holder *journal.Draft) {
	for _, e := range edits {
		if e.Refused != nil || e.Unchanged() {
			continue
		}
		if holder, _ := site.EditDraftHolder(e.Target); holder != nil {
			return e.Target, holder
		}
	}
	return of, nil
}

// heldBack says that nothing was sent: another program has one of the edits.
type heldBack struct {
	confirmed sendConfirmed
	of        operation.Target
	holder    journal.Draft
}

// askHeld asks whether to send nevertheless.
func (f *Flow) askHeld(r heldBack) tea.Cmd {
	if r.confirmed.run != f.run || f.step != sending {
		return nil
	}
	f.step = reviewing
	f.lay()
	beside := r.confirmed
	beside.beside = true
	return views.Batch(f.tellUnsent(), views.Send(views.Open{Unrequested: true, Dialog: widget.NewConfirm(f.Env.Theme, widget.Question{
		ID: "services.send-beside", Text: "Nothing was sent. Send it despite the edit of " + r.holder.Program.Who() + "?",
		Consequence: editor.HeldBy(f.Env.Times, r.holder, "the "+plain.Line(r.of.String())) +
			" Its text stays. Sending that text later starts a merge.",
		Yes: "send", No: "do not send",
		Then: f.Scope.Do("send confirmed", func(context.Context) tea.Msg { return beside }),
	})}))
}

// listen waits for the next report.
func (f *Flow) listen() tea.Cmd {
	progress := f.progress
	return f.Scope.Do("progress", func(ctx context.Context) tea.Msg {
		if report, ok := progress.Next(ctx); ok {
			return report
		}
		return nil
	})
}

func (f *Flow) reported(r report) tea.Cmd {
	if f.step == idle {
		return nil
	}
	last := len(f.begun) - 1
	switch {
	case r.read > 0:
		f.read = r.read
	case last >= 0 && f.begun[last].Step == r.Step && f.begun[last].service.Path() == r.service.Path():
		f.begun[last] = r
	default:
		f.begun = append(f.begun, r)
	}
	f.lay()
	return f.listen()
}

// text is a step of sending in words, with the state of its job.
func (r report) text() string {
	text := r.Doing()
	if r.Step == operation.StepEditJob {
		if r.Job.Status != "" {
			text += ": " + strings.ToLower(plain.Line(r.Job.Status))
		}
		if r.Unreachable != nil {
			text += "; the site does not answer, but the job continues"
		}
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// sendingNote names the service that is sent now, and since when something is sent.
func (f *Flow) sendingNote() string {
	note := "sending"
	if f.several {
		note += fmt.Sprintf(", service %d of %d", f.at()+1, f.sendable())
	}
	return note + ", " + views.Seconds(f.Env.Clock.Now().Sub(f.began))
}

// aroundSent is how many services above and below the present one are listed by name.
const aroundSent = 5

// writeServices writes one line a service: done, the present one with its step, waiting.
func (f *Flow) writeServices(p *rows.Page) {
	k, edits, at := f.inks, f.toSend(), f.at()
	text := "Preparing"
	if n := len(f.begun); n > 0 {
		text = f.begun[n-1].text()
	}
	line := func(glyph, word string, ink rows.Ink, name string) {
		p.Line(ink.On(glyph+" "+k.Fit(word, 10)) + plain.Clip(name, max(8, p.Width-12)))
	}
	first := max(0, at-aroundSent)
	if first > 0 {
		line(k.Glyphs.Pass, "done", k.OK, plain.Plural(first, "service"))
	}
	for i, e := range edits[first:] {
		switch i += first; {
		case i < at:
			line(k.Glyphs.Pass, "done", k.OK, e.Service.Path())
		case i == at:
			line(k.Glyphs.Running, "sending", k.Running, e.Service.Path())
			p.Indented(k.Muted, strings.Repeat(" ", 12), text)
		case i <= at+aroundSent:
			line(k.Glyphs.Skipped, "waiting", k.Muted, e.Service.Path())
		}
	}
	if left := len(edits) - at - 1 - aroundSent; left > 0 {
		line(k.Glyphs.Skipped, "waiting", k.Muted, strconv.Itoa(left)+" more")
	}
	p.Gap()
	p.Text(k.Muted, "Stops at the first failure. Each is sent once, never retried.")
	p.Text(k.Muted, leaving)
}

// writeSending writes the steps, the present one last; of several, one line a service.
func (f *Flow) writeSending(p *rows.Page) {
	k := f.inks
	if f.several {
		f.writeServices(p)
		return
	}
	for i, r := range f.begun {
		glyph, ink := k.Glyphs.Pass, k.OK
		if i == len(f.begun)-1 {
			glyph, ink = k.Glyphs.Running, k.Running
		}
		p.Signed(glyph, ink, r.text())
	}
	if len(f.begun) == 0 {
		p.Signed(k.Glyphs.Running, k.Running, "Preparing")
	}
	p.Gap()
	p.Text(k.Muted, "Sent once, never retried.")
	p.Text(k.Muted, leaving)
}

// leaving says that nothing has to be waited for.
const leaving = "You can leave: esc shows the list. Open the service to return."

// Wait says that one change is sent at a time.
func (f *Flow) Wait() tea.Cmd {
	if f.searching() {
		return views.Tell(views.Warning, "The outcome of "+plain.Line(f.search.edit.Service.Path())+" is not known yet; open it.")
	}
	return views.Tell(views.Warning, "Wait until "+plain.Line(f.about())+" is sent.")
}

// sent is the results of the edits that were tried.
type sent struct{ results []result }

func (f *Flow) sent(r sent) tea.Cmd {
	if f.step != sending || len(r.results) == 0 {
		return nil
	}
	defer f.lay()
	f.step, f.results = ended, r.results
	last := f.last()
	var cmds []tea.Cmd
	for _, result := range r.results {
		end := result.ending()
		s := Settled{Edit: editOf(f.edits, result.Target), Done: end == endDone, Touched: end == endDone || end == endNotKept || end == endFailed}
		if !result.unchanged {
			s.Now = result.Applied.Now
		}
		cmds = append(cmds, f.host.Settled(s))
	}
	switch end := last.ending(); {
	case end == endDrift && !f.several:
		f.conflict(last.merge)
	case end == endLost || end == endUnseen:
		cmds = append(cmds, f.searchOutcome(editOf(f.edits, last.Target), last.Applied.Job.ID, last.Err))
	case errors.Is(last.Err, operation.ErrUnresolved):
		cmds = append(cmds, views.NotSent("", last.Err))
	case errors.Is(last.Err, adminapi.KindSignIn) && len(r.results) == 1:
		f.step = reviewing
		reason := fmt.Errorf("the %s was not sent: %w", last.Part, last.Err)
		return views.Batch(append(cmds, f.tellUnsent(), f.Scope.RetryAfterSignIn(reason, "send", f.ofRun(f.resend)))...)
	case errors.Is(last.Err, adminapi.KindSignIn) && f.canContinue():
		reason := fmt.Errorf("%s not sent: %w", notSent(len(f.remaining())), last.Err)
		cmds = append(cmds, f.Scope.RetryAfterSignIn(reason, "send", f.ofRun(f.resumeRemaining)))
	case end == endDone || end == endNotKept || end == endFailed && last.there:
		cmds = append(cmds, f.follow())
	}
	if f.away {
		cmds = append(cmds, f.tellOutcome())
	}
	return views.Batch(cmds...)
}

// notSent names so many services with their verb.
func notSent(services int) string {
	if services == 1 {
		return "1 service was"
	}
	return plain.Plural(services, "service") + " were"
}

// tellUnsent says where the page of the change was left that its review waits there.
func (f *Flow) tellUnsent() tea.Cmd {
	if !f.away {
		return nil
	}
	return views.Tell(views.Warning, "The edit of "+plain.Line(f.about())+" was not sent; open it.")
}

// tellOutcome says how a change ended whose page was left. What is to be done about it stands on
// its page, which the service opens; a good end has none.
func (f *Flow) tellOutcome() tea.Cmd {
	r := f.last()
	what, left := plain.Line(r.Target.String()), len(f.remaining())
	arrived := f.search != nil && f.search.found.Finding == operation.EditArrived
	switch {
	case left > 0 && (arrived || r.ending() == endDone && !r.Down()):
		total := len(slices.DeleteFunc(slices.Clone(f.edits), operation.PlannedEdit.Unchanged))
		return views.Tell(views.Warning, fmt.Sprintf("%d of %d sent; %d not sent; open one of them.", total-left, total, left))
	case arrived:
		return views.Tell(views.Success, "The site has the new "+what+": only the answer was lost.")
	case errors.Is(r.Err, operation.ErrUnresolved):
		return nil // it is told
	case r.ending() != endDone || r.Down():
		_, word, _ := f.outcomeWord(r)
		text := plain.Line(r.Service.Path()) + ": " + word + "; open it."
		if f.several {
			text = fmt.Sprintf("%d of %d: ", len(f.results), f.sendable()) + text
		}
		return views.Send(views.Notice{Level: views.Failure, Err: r.Err, Text: text})
	case r.Applied.ReadBackErr != nil:
		return views.Tell(views.Warning, plain.Line(r.Service.Path())+": accepted, but not read back; open it.")
	}
	f.step, f.away = idle, false
	if f.several {
		return views.Tell(views.Success, "The change was sent to "+plain.Plural(len(f.results), "service")+".")
	}
	return views.Tell(views.Success, "The site has the new "+what+".")
}

// resend asks once more after a sign-in.
func (f *Flow) resend() tea.Cmd {
	if f.step != reviewing {
		return nil
	}
	return f.askToSend(true)
}

// ofRun is what asks only while the change is the one that it was made for.
func (f *Flow) ofRun(ask func() tea.Cmd) func() tea.Cmd {
	run := f.run
	return func() tea.Cmd {
		if run != f.run {
			return nil
		}
		return ask()
	}
}

// follow begins to follow the service until it answers. Of several each was waited for.
func (f *Flow) follow() tea.Cmd {
	if tab, _ := f.host.Origin(f.target()); f.followed != nil || f.several || f.away && tab != "" { // another service is open
		return nil
	}
	followed, cmd := f.pods.FollowEdit(editOf(f.edits, f.target()), f.reviewed().Moves)
	f.followed = followed
	return cmd
}
