package editor

import (
	"errors"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/document"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
)

// edit is what is edited of a part: the document in the widget, what is typed into it, or a
// broken text. It is saved as the draft.
type edit struct {
	env     *views.Env
	run     background
	target  editing.Target
	widget  Widget
	drafts  *Drafts
	saver   *saver // of its draft
	typing  *typing
	opened  func() tea.Cmd     // what follows once a document was opened, and each change of it
	now     *document.Document // as the site had it when it was read last; nil before
	unread  *editing.Unread    // why that is from a file, and not from the site; nil where it was read
	unfit   error              // why what the site has cannot be edited; nil where it can
	noticed int                // the revision of the widget that was saved last
	broken  *broken            // a broken text from $EDITOR
	outside bool               // $EDITOR is open
	left    bool               // the service was left: late replies are ignored
	cache   sameText
}

// sameText remembers whether two documents have the same text.
type sameText struct {
	a, b *document.Document
	same bool
}

func newEdit(base views.Base, target editing.Target, widget Widget, drafts *Drafts, arrive func(then func() tea.Cmd) tea.Cmd) *edit {
	e := &edit{env: base.Env, run: background{base.Scope, base.Env.Clock, target.String(), arrive}, target: target,
		widget: widget, drafts: drafts, saver: drafts.saver(target), opened: func() tea.Cmd { return nil }}
	e.typing = newTyping(widget, &e.run, e.save)
	return e
}

// name is the part in words, as in "the definition".
func (e *edit) name() string { return e.target.Part.String() }

// editable reports whether the document can be edited.
func (e *edit) editable() bool { return e.now != nil && e.unfit == nil && e.broken == nil }

// differs reports whether something was edited that the site does not have.
func (e *edit) differs() bool {
	switch {
	case e.now == nil || e.unfit != nil:
		return false
	case e.broken != nil:
		return true
	}
	return e.differsInWidget()
}

// differsInWidget is called for each frame: long texts are compared once.
func (e *edit) differsInWidget() bool {
	a, b := e.widget.Document(), e.widget.Base()
	if e.cache.a != a || e.cache.b != b {
		e.cache = sameText{a, b, a.Text() == b.Text()}
	}
	return !e.cache.same
}

// begun reports whether an edit has begun here, even if it is only being typed.
func (e *edit) begun() bool {
	return e.differs() || e.outside || e.editable() && (e.widget.Busy() || e.widget.CapturesText() || e.typing.kept())
}

// open opens a prepared document in the widget.
func (e *edit) open(o opening) tea.Cmd {
	if e.unfit = o.unfit; e.unfit == nil {
		o.open()
		e.noticed = e.widget.Revision()
	}
	return e.opened()
}

// resume opens a draft of this program.
func (e *edit) resume(o *offer) tea.Cmd {
	e.broken = o.broken
	s := e.saver
	s.want, s.holder, s.first, s.here = &o.saved, o.rival, o.rival == nil, true
	return e.reopen(o.open)
}

// reopen opens a document that may have been edited here before: its changes can still be undone.
func (e *edit) reopen(o opening) tea.Cmd {
	opened := e.open(o)
	if e.unfit == nil {
		e.widget.Recall(e.saver.steps)
	}
	return opened
}

// resumeTyping goes on with what a draft that was opened had besides its document.
func (e *edit) resumeTyping(o *offer, asked bool) tea.Cmd {
	if held := e.saver.held(); held != nil { // it could not be written before
		return e.drafts.Save(e.target, held)
	}
	return e.typing.resume(o.saved.Typed, asked)
}

// changed saves what has changed since the last call on this machine.
func (e *edit) changed() tea.Cmd {
	switch revision := e.widget.Revision(); {
	case e.now == nil || e.unfit != nil:
		return nil
	case revision == e.noticed:
		return tea.Batch(e.typing.follow(), e.opened())
	default:
		e.noticed = revision
		return tea.Batch(e.save(), e.typing.follow(), e.opened())
	}
}

// typed returns what is being typed, nil for nothing.
func (e *edit) typed() *operation.TypedText {
	if !e.editable() {
		return nil
	}
	return e.typing.text()
}

// save saves the edit with what is being typed; without either there is no draft.
func (e *edit) save() tea.Cmd {
	typed := e.typed()
	e.typing.saved = typed != nil
	if typed == nil && !e.differs() {
		return e.drafts.Save(e.target, nil)
	}
	return e.saveText(e.widget.Document().Text())
}

// saveText saves a text as the draft.
func (e *edit) saveText(text string) tea.Cmd {
	draft := e.draft(text)
	return e.drafts.Save(e.target, &draft)
}

// draft is the draft with a text; with a broken one, it also has the changes from before it.
func (e *edit) draft(text string) operation.EditDraft {
	draft := operation.EditDraft{Base: e.widget.Base().Text(), Edited: text, Typed: e.typed()}
	if e.broken != nil && e.differsInWidget() {
		draft.Before = e.widget.Document().Text()
	}
	return draft
}

// keep saves what $EDITOR has left as the draft, before anything else is done with it.
func (e *edit) keep(r leftText) tea.Cmd {
	e.broken = r.broken
	draft := e.draft(r.text)
	return e.drafts.take(e.target, &draft, r.editing)
}

// takeOver takes the edit over from another program, with the text on the screen.
func (e *edit) takeOver(from journal.Draft) tea.Cmd {
	memory := e.env.Site.Memory
	return e.run.do("take over", func() func() tea.Cmd {
		_, err := memory.TakeOverEdit(from)
		return func() tea.Cmd { return e.taken(err) }
	})
}

// taken goes on with the text on the screen, unless err says why the edit was not taken over.
func (e *edit) taken(err error) tea.Cmd {
	held, isHeld := errors.AsType[*journal.DraftHeldError](err)
	switch {
	case isHeld:
		return e.saver.heldBy(&held.Draft)
	case err != nil && !errors.Is(err, journal.ErrNoDraft):
		return views.TellFailed("The edit was not taken over", err)
	}
	e.saver.holder = nil
	told := views.Tell(views.Info, "You took over the edit of the "+plain.Line(e.target.String())+".")
	if e.saver.want == nil { // it was opened from disk, and nothing was changed since
		return told
	}
	return tea.Batch(e.drafts.Save(e.target, e.saver.want), told)
}

// findHolder reads which other program has the edit.
func (e *edit) findHolder() tea.Cmd {
	memory, target := e.env.Site.Memory, e.target
	return e.run.do("holder", func() func() tea.Cmd {
		holder, err := memory.EditDraftHolder(target)
		return func() tea.Cmd {
			if err != nil {
				return nil // the next save says so
			}
			return e.saver.heldBy(holder)
		}
	})
}

// atRisk is a question to ask before the edit is closed, empty for none.
func (e *edit) atRisk() string {
	switch {
	case e.editable() && e.widget.Unsaved() && (e.typing.waits || !e.typing.saved):
		return "Text that you are typing is not in the " + e.target.String() + " yet."
	case e.saver.err != nil:
		return "The changes to the " + e.target.String() + " are not saved on this machine."
	}
	return ""
}

// notes say whether anything is changed, and where that is kept.
func (e *edit) notes(inks *rows.Inks) []string {
	if !e.editable() || !e.differs() && !e.typing.saved {
		return nil
	}
	changed := "changed"
	if !e.differs() {
		changed = "text"
	}
	switch s := e.saver; {
	case s.err != nil:
		return []string{inks.Fail.On("changes not saved: " + plain.Clip(s.err.Error(), 40))}
	case s.waits || s.writing:
		return []string{changed}
	case s.holder != nil:
		return []string{inks.Warn.On("changed; another has the edit")}
	}
	if kept, ok := e.drafts.kept[e.target.String()]; ok {
		return []string{changed + ", draft saved " + e.env.Times.Clock(kept.Saved)}
	}
	return []string{changed}
}

// leave says where the changes are when the service is left.
func (e *edit) leave() tea.Cmd {
	e.left, e.typing.left = true, true
	if e.editable() {
		e.saver.steps = e.widget.Steps()
	}
	if !e.differs() && !e.typing.saved {
		return nil
	}
	what, s := plain.Line(e.target.String()), e.saver
	switch {
	case s.err != nil:
		return views.TellFailed("The changes to the "+what+" are not saved on this machine", s.err)
	case e.differs() && s.holder != nil:
		return views.Tell(views.Info, "Not sent: your "+what+" changes are saved, apart from the draft of "+s.holder.Program.Who()+".")
	}
	since, unknown := e.drafts.open[e.target.String()]
	switch sent := s.sent != "" && s.want != nil && s.want.Edited == s.sent; {
	case sent && unknown:
		return views.Tell(views.Warning, "Draft saved; it was sent at "+e.env.Times.Clock(since)+", outcome unknown.")
	case sent:
		return views.Tell(views.Info, "Draft saved; it was sent at "+e.env.Times.Clock(s.sentAt)+", but the site does not have it.")
	case unknown:
		return views.Tell(views.Warning, "Draft saved. The change sent at "+e.env.Times.Clock(since)+" has an unknown outcome.")
	}
	return views.Tell(views.Info, "Draft saved, not sent: "+what+".")
}
