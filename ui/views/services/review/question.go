package review

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/views/services/editor"
	"geodeck/ui/views/services/plan"
	"geodeck/ui/widget"
)

// replanningText says why nothing can be sent for a moment.
const replanningText = "The nodes changed, so the plan was updated. Review it, then send."

// ask asks before the reviewed change is sent.
func (m *Model) ask() tea.Cmd {
	if m.forAll() {
		return m.handlers.ForAll()
	}
	return m.Ask(false)
}

// Ask asks before the reviewed change is sent; unasked where that opens by itself, after a sign-in.
func (m *Model) Ask(unasked bool) tea.Cmd {
	if why := m.cannotSend(); why != "" {
		return views.Tell(views.Warning, why)
	}
	if of, is := m.unknownEarlier(); is {
		return m.checkEarlier(of, unasked)
	}
	return m.sendQuestion(unasked)
}

// unknownEarlier returns the first service with an edit of unknown outcome among those to be sent.
func (m *Model) unknownEarlier() (of editing.Target, is bool) {
	for _, e := range m.ToSend() {
		if !m.facts.Drafts.UnknownSince(e.Service.Path()).IsZero() {
			return e.Target, true
		}
	}
	return of, false
}

// checkEarlier finds whether the outcome of an earlier request prevents the change: it is asked before the
// question, not after it.
func (m *Model) checkEarlier(of editing.Target, unasked bool) tea.Cmd {
	return m.Earlier(of.Service, func(error) tea.Cmd {
		if why := m.cannotSend(); why != "" { // by now: the site was asked
			return tea.Batch(m.facts.Drafts.LoadOpen(), views.Tell(views.Warning, why))
		}
		return tea.Batch(m.facts.Drafts.LoadOpen(), m.sendQuestion(unasked))
	})
}

// cannotSend says why the reviewed change is not to be sent as it is, empty where it is.
func (m *Model) cannotSend() string {
	switch why := m.host.NoChanges(); {
	case m.replanning:
		return replanningText
	case why != "":
		return why
	case m.diff.Blocked():
		return "Nothing can be sent: a rule is broken. See the review."
	case m.diff.Open() > 0:
		return m.diff.WhyOpen()
	case m.Sendable() == 0:
		return "No changes to send."
	}
	return ""
}

// sendQuestion asks before anything is sent; unasked where it opens by itself after a
// sign-in.
func (m *Model) sendQuestion(unasked bool) tea.Cmd {
	return m.Unlocked(func() tea.Cmd {
		if why := m.cannotSend(); why != "" { // since it was unlocked
			return views.Tell(views.Warning, why)
		}
		return m.openQuestion(unasked)
	}, nil)
}

func (m *Model) openQuestion(unasked bool) tea.Cmd {
	q := widget.Question{ID: "services.send", Text: "Send the " + plain.Line(m.First().String()) + " to " + m.Env.Address() + "?",
		Lines: m.Lines(m.Inks.Glyphs.Arrow), Consequence: m.consequence(), Yes: "send", No: "do not send", Copy: m.copies()}
	if m.Restores() {
		q.Text = "Restore " + plain.Line(m.About()) + " at " + m.Env.Address() + " to its " + m.First().Part.String() + " of " + m.Env.Times.Moment(m.Restored) + "?"
		q.Yes, q.No = "restore", "do not restore"
	}
	if m.Several {
		of, order := plain.Line(m.About()), ""
		if m.Sendable() > 1 {
			order = ", one at a time"
		}
		q.Text = "Send the " + m.First().Part.String() + " of " + of + " to " + m.Env.Address() + order + "?"
		q.Lines = append(m.serviceLines(), q.Lines...)
	}
	q.Then = m.confirmedBy(false)
	return views.Send(views.Open{Unrequested: unasked, Dialog: widget.NewConfirm(m.Env.Theme, q)})
}

// confirmedBy is the answer that sends the plan as it is now, once.
func (m *Model) confirmedBy(beside bool) tea.Cmd {
	count := m.count
	return m.Scope.Call("send confirmed", m.WhileOpen(func() tea.Cmd { return m.send(count, beside) }))
}

// send ends the review before anything is sent, so that a second confirmation does nothing.
func (m *Model) send(count int, beside bool) tea.Cmd {
	if why := m.host.NoChanges(); why != "" { // it began while the question was open
		return views.Tell(views.Warning, why)
	}
	if m.replanning || count != m.count { // another plan was confirmed
		return views.Tell(views.Warning, "Nothing was sent. "+replanningText)
	}
	m.Close()
	confirmed := m.Plan
	confirmed.Edits = m.confirmed(slices.Clone(m.Edits))
	return m.handlers.Send(confirmed, beside)
}

// AskHeld asks whether to send nevertheless what was not sent: another program has one of the edits.
func (m *Model) AskHeld(of editing.Target, holder journal.Draft) tea.Cmd {
	return views.Send(views.Open{Unrequested: true, Dialog: widget.NewConfirm(m.Env.Theme, widget.Question{
		ID: "services.send-beside", Text: "Nothing was sent. Send it despite the edit of " + holder.Program.Who() + "?",
		Consequence: editor.HeldBy(m.Env.Times, holder, "the "+plain.Line(of.String())) +
			" Its text stays. Sending that text later starts a merge.",
		Yes: "send", No: "do not send", Then: m.confirmedBy(true),
	})})
}

// maxQuestionName bounds the name of each of them, in cells.
const maxQuestionName = 60

// serviceLines name the services that the same change is sent to.
func (m *Model) serviceLines() (lines []string) {
	edits, marked := m.ToSend(), m.host.Marked()
	for _, e := range edits[:min(len(edits), plan.MaxLines)] {
		line := "  " + plain.ClipMiddle(e.Service.Path(), maxQuestionName, m.Inks.Glyphs.Ellipsis)
		if m.host.Opened(e.Service) && !slices.ContainsFunc(marked, func(s adminapi.ServiceRef) bool { return s.Path() == e.Service.Path() }) {
			line += " (open, not marked)"
		}
		lines = append(lines, line)
	}
	if more := len(edits) - plan.MaxLines; more > 0 {
		lines = append(lines, "  and "+plain.Plural(more, "more service"))
	}
	var moved []string // their pods are those of one that is sent
	for _, e := range m.Edits {
		if e.With != "" {
			moved = append(moved, plain.Line(e.Service.Path()))
		}
	}
	for _, path := range moved[:min(len(moved), plan.MaxLines)] {
		lines = append(lines, "  "+path+" (shares these pods)")
	}
	if more := len(moved) - plan.MaxLines; more > 0 {
		lines = append(lines, "  and "+strconv.Itoa(more)+" more that share them")
	}
	switch refused := m.Refused(); len(refused) {
	case 0:
	case 1:
		lines = append(lines, "  Not to "+plain.ClipMiddle(refused[0].Service.Path(), maxQuestionName, m.Inks.Glyphs.Ellipsis)+":", "  it cannot take it and keeps its "+m.First().Part.String()+".")
	default:
		lines = append(lines, fmt.Sprintf("  %d cannot take it and keep theirs.", len(refused)))
	}
	return append(lines, "")
}

// whenSent says what the site and this machine do when it is sent. What else a review tells
// stands above it.
func (m *Model) whenSent() string {
	text := "The current " + m.First().Part.String() + " is saved in History first."
	switch unread := m.First().Unread; {
	case unread.Blank():
		text = "The current " + m.First().Part.String() + " was not read, so it is not saved."
	case unread != nil:
		text = "The base is saved in History first, not what the site has."
	}
	if m.Several && m.Sendable() > 1 {
		text = "Each current " + m.First().Part.String() + " is saved in History first. Stops at the first failure."
	}
	if m.First().Part == editing.Placement {
		text += " " + m.effects().podsConsequence()
	}
	switch n := len(m.Same()) - 1; {
	case n > 0 && m.forAll():
		text += fmt.Sprintf(views.Keys(" This change is meant for %d services: {key:services.send} plans it for all."), n+1)
	case n > 0 && !m.Several:
		text += fmt.Sprintf(views.Keys(" Only this service is changed, not the %d marked; {key:services.many} takes them too."), n)
	}
	return text
}

// consequence says what follows from sending, where the review is out of sight.
func (m *Model) consequence() string {
	text := m.whenSent()
	if shared := m.effects().sharedText(); shared != "" {
		text += " " + shared
	}
	var found []finding.Finding
	for _, e := range m.ToSend() {
		found = append(found, e.Plan.Found()...)
	}
	if slices.ContainsFunc(found, func(f finding.Finding) bool { return f.ID == document.RestartLikely }) {
		who := " The service likely restarts"
		if m.Sendable() > 1 {
			who = " The services likely restart"
		}
		text += who + "; requests may fail meanwhile."
	}
	if words := finding.Words(finding.Those(found, finding.Finding.Open)); len(words) > 0 {
		text += " Accepted: " + strings.Join(words, ", ") + "."
	}
	return text
}
