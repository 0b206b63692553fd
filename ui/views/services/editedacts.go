package services

import (
	"context"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/document"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

var (
	cmdWrite   = views.Command{ID: "services.write", Keys: []string{"w"}, Name: "write changes", Hint: "write", Help: "Review what was changed; it is sent from there, once it is confirmed.", Group: serviceGroup}
	cmdOutside = views.Command{ID: "services.editor", Keys: []string{"E"}, Name: "open in editor", Hint: "$EDITOR", Help: "Edit the whole definition, or placement policy, in $VISUAL or $EDITOR; broken text is kept, and shown where it breaks.", Group: serviceGroup}
	cmdDiscard = views.Command{ID: "services.discard", Keys: []string{"X"}, Name: "discard changes", Help: "Give up what was edited and go back to what the site has; of a broken text, only the text. Asks first.", Group: serviceGroup}
	cmdReread  = views.Command{ID: "services.read-again", Keys: []string{"ctrl+l"}, Name: "read again", Help: "Read again what the tab shows.", Group: serviceGroup}
)

func (e *edited) commands() []views.Command {
	switch {
	case e.now == nil:
		return []views.Command{hinted(cmdReread, "read again")}
	case e.offer != nil:
		return []views.Command{cmdContinue, cmdDifference, hinted(cmdDiscard, "discard")}
	case e.broken != nil:
		return []views.Command{hinted(cmdOutside, "edit again"), hinted(cmdDiscard, "discard")}
	case e.unfit != nil:
		return []views.Command{hinted(cmdReread, "read again")}
	case e.editor.CapturesText():
		return e.editor.Commands()
	}
	if !e.changed() {
		return slices.Concat([]views.Command{cmdOutside}, e.editor.Commands(), []views.Command{cmdReread})
	}
	return slices.Concat([]views.Command{cmdWrite, cmdOutside, cmdDifference, cmdDiscard}, e.editor.Commands(), []views.Command{cmdReread})
}

func (e *edited) do(id, argument string) (tea.Cmd, bool) {
	if e.away { // the text that the editor outside has is the newest
		return nil, true
	}
	if act, ok := editedActs[id]; ok {
		return act(e), true
	}
	if !e.editable() {
		return nil, false
	}
	cmd, known := e.editor.Do(id, argument)
	return tea.Batch(cmd, e.notice()), known
}

var editedActs = map[string]func(*edited) tea.Cmd{
	cmdWrite.ID:      (*edited).write,
	cmdOutside.ID:    (*edited).outside,
	cmdDiscard.ID:    (*edited).askDiscard,
	cmdContinue.ID:   (*edited).goOn,
	cmdDifference.ID: (*edited).difference,
	cmdReread.ID:     (*edited).ask,
}

// write leads to the review.
func (e *edited) write() tea.Cmd {
	if !e.changed() || !e.editable() {
		return views.Tell(views.Info, "Nothing is changed: there is nothing to write.")
	}
	return e.m.startWay(operation.Edit{
		Target: e.target, Base: e.editor.Base(), Edited: e.editor.Document(), Why: "an edit",
	}, titleEdit)
}

// askDiscard asks before changes are given up: a broken text alone, where there is one.
func (e *edited) askDiscard() tea.Cmd {
	if e.broken != nil {
		return e.askDrop()
	}
	target := e.target
	then := e.m.scope.Do("discard", func(context.Context) tea.Msg { return discarded{target} })
	return views.Send(views.Open{Dialog: views.NewConfirm(e.m.env.Theme, views.Question{
		ID: "services.discard", Text: "Discard all your changes of the " + plain.Line(target.String()) + "?",
		Consequence: "The draft on this machine is removed. The site is not changed.",
		Yes:         "discard them", No: "keep them", Then: then,
	})})
}

type discarded struct{ target operation.Target }

func (r discarded) apply(m *Model) tea.Cmd {
	e := m.editedOf(r.target)
	if e == nil {
		return nil
	}
	e.offer, e.broken, m.open.compare = nil, nil, nil
	begun := e.begin(e.now, e.now)
	return tea.Batch(begun, m.keep(e.target, nil), views.Tell(views.Info, "Discarded. The "+plain.Line(r.target.String())+" is as the site has it."))
}

// settled takes over what the site has after a sending: what of the edit it does not
// have stays an edit. What is edited beside, such as before a restoring, stays too.
func (e *edited) settled(edit operation.Edit, now *document.Document) tea.Cmd {
	if e.now == nil {
		return nil // it was not read yet
	}
	e.now = now
	e.read.Reading = e.m.env.Clock.Now()
	switch beside := e.besides(edit); {
	case e.changed() && (beside || e.broken != nil) || e.offer != nil:
		return nil
	case len(document.Diff(now, edit.Edited)) == 0:
		return tea.Batch(e.begin(now, now), e.m.keep(e.target, nil))
	}
	rest := edit.Edited
	if rebased, conflicts := edit.Rebase(now); len(conflicts) == 0 {
		rest = rebased.Edited // what somebody else has changed is no change of ours
	}
	begun := e.begin(rest, now)
	if !e.changed() {
		return tea.Batch(begun, e.m.keep(e.target, nil))
	}
	return tea.Batch(begun, e.keep(rest.Text()))
}

// besides tells whether something else is edited than what was sent.
func (e *edited) besides(edit operation.Edit) bool {
	return e.unfit == nil && len(document.Diff(e.editor.Document(), edit.Edited)) > 0
}
