package change

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/widget"
)

// replanningText says why nothing can be sent for a moment.
const replanningText = "The nodes changed, so the plan was updated. Review it, then send."

// askSend asks before the reviewed change is sent.
func (f *Flow) askSend() tea.Cmd {
	if f.forAll() {
		return f.planMarked()
	}
	return f.askToSend(false)
}

func (f *Flow) askToSend(unasked bool) tea.Cmd {
	if why := f.cannotSend(); why != "" {
		return views.Tell(views.Warning, why)
	}
	if of, is := f.unknownEarlier(); is {
		return f.checkEarlier(of, unasked)
	}
	return f.sendQuestion(unasked)
}

// cannotSend says why the reviewed change is not to be sent as it is, empty where it is.
func (d *pages) cannotSend() string {
	switch why := d.host.NoChanges(); {
	case d.replanning:
		return replanningText
	case why != "":
		return why
	case d.review.Blocked():
		return "Nothing can be sent: a rule is broken. See the review."
	case d.review.Open() > 0:
		return plain.Plural(d.review.Open(), "removed key") + views.Keys(" to confirm: press {key:diff.next-key}, then {key:diff.open}.")
	case d.sendable() == 0:
		return "No changes to send."
	}
	return ""
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
	return f.Unlocked(func() tea.Cmd {
		if why := f.cannotSend(); why != "" { // since it was unlocked
			return views.Tell(views.Warning, why)
		}
		return f.openQuestion(unasked)
	}, nil)
}

func (f *Flow) openQuestion(unasked bool) tea.Cmd {
	q := widget.Question{ID: "services.send", Text: "Send the " + plain.Line(f.target().String()) + " to " + f.Env.Address() + "?",
		Lines: f.changeLines(), Consequence: f.consequence(), Yes: "send", No: "do not send", Copy: f.copies()}
	if f.title == TitleRestore {
		q.Text = "Restore " + plain.Line(f.about()) + " at " + f.Env.Address() + " to its " + f.target().Part.String() + " of " + f.Env.Times.Moment(f.restored) + "?"
		q.Yes, q.No = "restore", "do not restore"
	}
	if f.several {
		of, order := plain.Line(f.about()), ""
		if f.sendable() > 1 {
			order = ", one at a time"
		}
		q.Text = "Send the " + f.target().Part.String() + " of " + of + " to " + f.Env.Address() + order + "?"
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

// maxQuestionName bounds the name of each of them, in cells.
const maxQuestionName = 60

// serviceLines name the services that the same change is sent to.
func (d *pages) serviceLines() (lines []string) {
	edits, marked := d.toSend(), d.host.Marked()
	for _, e := range edits[:min(len(edits), maxQuestionLines)] {
		line := "  " + plain.ClipMiddle(e.Service.Path(), maxQuestionName, d.inks.Glyphs.Ellipsis)
		if !slices.ContainsFunc(marked, func(s adminapi.ServiceRef) bool { return s.Path() == e.Service.Path() }) {
			line += " (open, not marked)"
		}
		lines = append(lines, line)
	}
	if more := len(edits) - maxQuestionLines; more > 0 {
		lines = append(lines, "  and "+plain.Plural(more, "more service"))
	}
	var moved []string // their pods are those of one that is sent
	for _, e := range d.edits {
		if e.With != "" {
			moved = append(moved, plain.Line(e.Service.Path()))
		}
	}
	for _, path := range moved[:min(len(moved), maxQuestionLines)] {
		lines = append(lines, "  "+path+" (shares these pods)")
	}
	if more := len(moved) - maxQuestionLines; more > 0 {
		lines = append(lines, "  and "+strconv.Itoa(more)+" more that share them")
	}
	switch refused := d.refused(); len(refused) {
	case 0:
	case 1:
		lines = append(lines, "  Not to "+plain.ClipMiddle(refused[0].Service.Path(), maxQuestionName, d.inks.Glyphs.Ellipsis)+":", "  it cannot take it and keeps its "+d.target().Part.String()+".")
	default:
		lines = append(lines, fmt.Sprintf("  %d cannot take it and keep theirs.", len(refused)))
	}
	return append(lines, "")
}

// changeLines say the changes in short, for the question before they are sent.
func (d *pages) changeLines() (lines []string) {
	plan := d.reviewed()
	if edits := d.toSend(); len(edits) > 0 {
		plan = edits[0].Plan // what cannot take the change may have another value
	}
	all := editing.ChangeLines(plan.Changes, plan.Words)
	for _, line := range all[:min(len(all), maxQuestionLines)] {
		lines = append(lines, "  "+arrows(d.inks, line))
	}
	if more := len(all) - maxQuestionLines; more > 0 {
		lines = append(lines, "  and "+plain.Plural(more, "more change"))
	}
	return lines
}

// whenSent says what the site and this machine do when it is sent. What else a review tells
// stands above it.
func (d *pages) whenSent() string {
	text := "The current " + d.target().Part.String() + " is saved in History first."
	if d.several && d.sendable() > 1 {
		text = "Each current " + d.target().Part.String() + " is saved in History first. Stops at the first failure."
	}
	if d.target().Part == editing.Placement {
		text += " " + d.podsConsequence()
	}
	switch n := len(d.sameChange()) - 1; {
	case n > 0 && d.forAll():
		text += fmt.Sprintf(views.Keys(" This change is meant for %d services: {key:services.send} plans it for all."), n+1)
	case n > 0 && !d.several:
		text += fmt.Sprintf(views.Keys(" Only this service is changed, not the %d marked; {key:services.many} takes them too."), n)
	}
	return text
}

// consequence says what follows from sending, where the review is out of sight.
func (d *pages) consequence() string {
	text := d.whenSent()
	if shared := d.sharedText(); shared != "" {
		text += " " + shared
	}
	if len(d.overwritten) > 0 {
		text += " " + overwritesText
	}
	var risks []string // what weighs, each once
	for _, e := range d.edits {
		for _, r := range e.Plan.Risks {
			if r.Strength >= finding.Caution && r.ID != editing.NoNode && r.ID != editing.PodsReplaced && !slices.Contains(risks, r.ID) {
				risks = append(risks, r.ID)
			}
		}
	}
	if len(risks) > 0 {
		text += " Risks: " + strings.Join(risks, ", ") + "."
	}
	return text
}

// podsConsequence says what happens to the pods.
func (d *pages) podsConsequence() string {
	moves, shared := 0, false
	for _, e := range d.toSend() {
		moves += len(e.Plan.Moves)
		shared = shared || slices.ContainsFunc(e.Plan.Moves, func(move editing.Move) bool {
			return d.deployments.SharedRules(move.After.DeploymentID, e.Service.Path()) != ""
		})
	}
	text := "The pods of " + plain.Plural(moves, "deployment") + " are replaced."
	if shared {
		text += " Other services run in them too."
	}
	switch homeless := d.unschedulable(); {
	case len(homeless) > 0:
		text += " No node takes those of " + plain.Line(plain.Listed(homeless, maxQuestionLines, ", ", " and ")) + ": they stay Pending, and the service may not answer."
	case !d.sawNodes():
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
