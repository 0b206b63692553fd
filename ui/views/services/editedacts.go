package services

import (
	"context"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/document"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/views/rows"
)

var (
	cmdWrite   = views.Command{ID: "services.write", Binding: views.Key("write", "w"), Name: "write changes", Help: "Review what was changed; it is sent from there, once it is confirmed.", Group: serviceGroup}
	cmdOutside = views.Command{ID: "services.editor", Binding: views.Key("$EDITOR", "E"), Name: "open in editor", Help: "Edit the whole definition, or placement policy, in $VISUAL or $EDITOR; broken text is kept, and shown where it breaks.", Group: serviceGroup}
	cmdDiscard = views.Command{ID: "services.discard", Binding: views.Key("", "X"), Name: "discard changes", Help: "Give up what was edited and go back to what the site has; of a broken text, only the text. Asks first.", Group: serviceGroup}
	cmdReread  = views.Command{ID: "services.read-again", Binding: views.Key("", "ctrl+l"), Name: "read again", Help: "Read again what the tab shows.", Group: serviceGroup}
)

func (e *edited) commands() []views.Command {
	switch {
	case e.now == nil:
		return []views.Command{hinted(cmdReread, "read again")}
	case e.offer != nil:
		return e.offerCommands()
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
	return slices.Concat([]views.Command{cmdWrite}, e.takeCommand(), []views.Command{cmdOutside, cmdDifference, cmdDiscard}, e.editor.Commands(), []views.Command{cmdReread})
}

// takeCommand takes the edit over where another program has it.
func (e *edited) takeCommand() []views.Command {
	if e.holder() == nil {
		return nil
	}
	return []views.Command{cmdTakeOver}
}

// offerCommands are what can be done with a draft.
func (e *edited) offerCommands() []views.Command {
	discard := hinted(cmdDiscard, "discard")
	switch o := e.offer; {
	case o.look != nil && o.look.json.Typing():
		return []views.Command{hinted(cmdEnter, "keep"), hinted(cmdBack, "clear")}
	case o.look != nil:
		turn := hinted(cmdLookAt, "the site's")
		if o.look.site {
			turn = turn.Hinted("the draft")
		}
		return slices.Concat([]views.Command{turn, cmdTakeOver}, rows.Moves(), rows.Filters(), rows.Folds())
	case o.unread() && o.from.Damaged == nil:
		return []views.Command{hinted(cmdContinue, "go on without it")}
	case o.unread():
		return []views.Command{hinted(cmdContinue, "go on without it"), hinted(cmdDiscard, "set aside")}
	case !o.elsewhere():
		return []views.Command{cmdContinue, cmdDifference, discard}
	case o.from.Life == journal.MayLive:
		return []views.Command{cmdLookAt, cmdDifference, cmdTakeOver, discard, cmdReread}
	}
	return []views.Command{cmdLookAt, cmdDifference, cmdTakeOver, cmdReread}
}

func (e *edited) do(id, argument string) (tea.Cmd, bool) {
	if e.away { // the text that the editor outside has is the newest
		return nil, true
	}
	if act, ok := editedActs[id]; ok {
		return act(e), true
	}
	if l := e.look(); l != nil {
		if id == rows.Search && argument != "" {
			l.json.SetFilter(argument)
			return nil, true
		}
		return nil, l.json.Do(id)
	}
	if !e.editable() {
		return nil, false
	}
	return tea.Batch(views.Invoke(e.editor, id, argument), e.notice()), true
}

var editedActs = map[string]func(*edited) tea.Cmd{
	cmdWrite.ID:      (*edited).write,
	cmdOutside.ID:    (*edited).outside,
	cmdDiscard.ID:    (*edited).askDiscard,
	cmdContinue.ID:   (*edited).goOn,
	cmdDifference.ID: (*edited).difference,
	cmdReread.ID:     (*edited).readAgain,
	cmdLookAt.ID:     (*edited).lookAt,
	cmdTakeOver.ID:   (*edited).askTakeOver,
}

// readAgain reads what the site has, and who has the edit.
func (e *edited) readAgain() tea.Cmd { return tea.Batch(e.ask(), e.comeBack()) }

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
	switch {
	case e.broken != nil:
		return e.askDrop()
	case e.offer != nil && (!e.offer.from.Mine || e.offer.unread()):
		q := e.discardQuestion()
		left := offerDiscarded{of: e, offer: e.offer}
		q.Then = e.m.scope.Do("discard", func(context.Context) tea.Msg { return left })
		return views.Send(views.Open{Dialog: views.NewConfirm(e.m.env.Theme, q)})
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
	return tea.Batch(begun, m.keep(e.target, nil), e.findAgain(false), views.Tell(views.Info, "Discarded. Shown is what was read last; ctrl+l reads it again."))
}

// offerDiscarded says that a draft was given up that another program has left.
type offerDiscarded struct {
	of    *edited
	offer *offer
	done  bool // it is removed, or err says why not
	err   error
}

func (r offerDiscarded) apply(m *Model) tea.Cmd {
	e := r.of
	switch {
	case !r.done:
		site := m.env.Site
		return m.scope.Do("discard", func(context.Context) tea.Msg {
			r.done, r.err = true, site.DiscardEdit(r.offer.from)
			return r
		})
	case r.err != nil:
		return tea.Batch(e.findAgain(true), views.Send(views.Notice{Level: views.Failure, Text: "The draft was not discarded: " + r.err.Error(), Err: r.err}))
	}
	marks := m.readDrafts()
	if !e.isOpen() || e.offer != r.offer {
		return marks
	}
	e.offer, m.open.compare = nil, nil
	return tea.Batch(marks, e.findAgain(true), views.Tell(views.Info, "The draft is discarded."))
}

// settled takes over what the site has after a sending: what of the edit it does not
// have stays an edit. What is edited beside, such as before a restoring, stays too.
func (e *edited) settled(edit operation.Edit, now *document.Document) tea.Cmd {
	if e.now == nil {
		return nil // it was not read yet
	}
	e.now = now
	e.read.Updated = e.m.env.Clock.Now()
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
