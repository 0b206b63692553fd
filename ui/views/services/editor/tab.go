// Package editor is the tab in which a part of a service is edited: its definition, or
// its placement policy. Start at [Tab]: it reads what the site has, hosts the [Widget]
// that edits it, and leads to the review of what was changed. What was edited is kept on
// this machine by [Drafts], which outlives the tab. A draft that is found comes up as an
// offer (offer.go), to be taken over where another program has it (takeover.go); $EDITOR
// is in outside.go; what a write or a discard leaves in settle.go.
package editor

import (
	"context"
	"errors"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/widget/jsonview"
	"geodeck/ui/widget/rows"
)

// Widget is what a document is edited in.
type Widget interface {
	// Prepare does the part of opening a document that grows with it, in a command: it
	// touches nothing of the widget. open does the rest. unfit is why the widget cannot
	// edit base.
	Prepare(edited, base *document.Document) (open func(), unfit error)
	// Check says why the widget cannot edit a document. It runs in a command too.
	Check(*document.Document) error
	// Replace puts a document in place of the edited one, as a change of it.
	Replace(*document.Document) tea.Cmd
	Document() *document.Document
	Base() *document.Document
	Revision() int
	CapturesText() bool
	// Filtering reports whether it is a filter or a search that is typed.
	Filtering() bool
	// Busy reports whether a command makes an edit; Update takes its reply.
	Busy() bool
	Unsaved() bool
	// Rested shows what the cursor is on, once no key has come for a moment.
	Rested()
	GuardsPaste() bool
	Update(tea.Msg) tea.Cmd
	// Back goes one step out, such as of a filter, and reports whether there was one.
	Back() bool
	Commands() []views.Command
	// Footer lists the rows of its footer, those of the tab and of the view around it in their places.
	Footer() []string
	SetSize(width, height int)
	View() string
}

// Host is what a tab needs of the view around it.
type Host interface {
	// Review starts the review of an edit, now is what the site had when it was read last.
	Review(edit editing.Edit, now *document.Document) tea.Cmd
	// Compare shows what differs, in place of the tab.
	Compare(title string, differences document.Review) tea.Cmd
	// StopComparing shows the tab again.
	StopComparing()
}

// Tab edits one part of a service.
type Tab struct {
	views.Base
	// Opened is called after a document was opened in the widget, and after each change of
	// it; may be nil.
	Opened func() tea.Cmd

	host  Host
	inks  *rows.Inks
	table []views.Command
	state
}

// New returns a tab that has read nothing yet.
func New(base views.Base, inks *rows.Inks, target editing.Target, widget Widget, host Host, drafts *Drafts) *Tab {
	t := &Tab{Base: base, inks: inks, host: host, state: state{Target: target, widget: widget, drafts: drafts, saver: drafts.saver(target),
		reading: jsonview.New(base.Env.Theme)}}
	t.table = t.rows()
	return t
}

// opening is a document that is ready to be opened in the widget.
type opening struct {
	edited, base *document.Document
	open         func()
	unfit        error
}

func prepared(w Widget, edited, base *document.Document) opening {
	open, unfit := w.Prepare(edited, base)
	return opening{edited, base, open, unfit}
}

// Msg is what a command of a tab leads to. The tab may be closed when it arrives.
type Msg struct {
	tab  *Tab
	then func() tea.Cmd
}

// To is the tab that the message is for.
func (m Msg) To() *Tab { return m.tab }

// work runs a part of the work in a command, where it captures values and touches nothing of the
// tab, and then in the update loop what it returns, which changes the tab.
func (t *Tab) work(kind string, part func() (then func() tea.Cmd)) tea.Cmd {
	return t.Scope.Do(kind+" "+t.Target.String(), func(context.Context) tea.Msg { return Msg{t, part()} })
}

// confirmed is what a question of the tab leads to once it was answered.
func (t *Tab) confirmed(kind string, then func() tea.Cmd) tea.Cmd {
	return t.work(kind, func() func() tea.Cmd { return then })
}

// Update takes the replies of the tab, typed keys, and messages of the widget. While the
// widget is busy the replies wait: what they do depends on its edit.
func (t *Tab) Update(msg tea.Msg) tea.Cmd {
	if _, reply := msg.(Msg); reply && t.Busy() {
		t.waiting = append(t.waiting, msg)
		return nil
	}
	cmd := t.handle(msg)
	for len(t.waiting) > 0 && !t.Busy() {
		next := t.waiting[0]
		t.waiting = t.waiting[1:]
		cmd = tea.Batch(cmd, t.handle(next))
	}
	return cmd
}

func (t *Tab) handle(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case Msg:
		return msg.then()
	case tea.KeyMsg:
		switch {
		case t.preview() != nil:
			t.reading.Type(msg)
		case t.Editing():
			return tea.Batch(t.widget.Update(msg), t.Changed())
		}
	default:
		if t.editable() {
			return tea.Batch(t.widget.Update(msg), t.Changed())
		}
	}
	return nil
}

// Rested has the widget show what its cursor is on.
func (t *Tab) Rested() tea.Cmd {
	t.widget.Rested()
	return t.Changed()
}

// Shown fetches what the site has, or reads which program has the edit.
func (t *Tab) Shown() tea.Cmd {
	if t.now != nil || t.fetch.Loading {
		return t.FindHolder()
	}
	return t.load()
}

// Reread reads anew what is being read: its answer, and the draft beside it, may be from before an
// edit was sent.
func (t *Tab) Reread() tea.Cmd {
	if !t.fetch.Loading {
		return nil
	}
	return t.load()
}

// load fetches what the site has; the first time, it also reads the drafts.
func (t *Tab) load() tea.Cmd {
	t.fetch.Loading = true
	return t.Scope.Do(t.name(), t.request())
}

func (t *Tab) request() func(context.Context) tea.Msg {
	find, first, held := t.finder(), t.now == nil, t.saver.held()
	return func(ctx context.Context) tea.Msg {
		read, err := editing.Read(ctx, find.site.Client, find.target)
		if err != nil {
			return Msg{t, func() tea.Cmd { return t.failed(err) }}
		}
		open := prepared(find.widget, read.Document, read.Document)
		var found *offer
		if first {
			found = find.find(read.Document, held)
		}
		return Msg{t, func() tea.Cmd { return t.loaded(open, found) }}
	}
}

// refresh fetches what the site has, and reads which program has the edit.
func (t *Tab) refresh() tea.Cmd {
	if t.offer != nil && !t.offer.readOnly() {
		return t.drafts.Look()
	}
	return tea.Batch(t.load(), t.FindHolder(), t.drafts.Look())
}

// loaded takes what the site has, and the draft of it where there is one.
func (t *Tab) loaded(open opening, found *offer) tea.Cmd {
	if t.left {
		return nil
	}
	t.fetch.Succeeded(t.Env.Clock.Now())
	now := open.base
	switch {
	case t.now == nil && found != nil && t.resumes(found):
		t.now = now
		return t.openDraft(found)
	case t.now == nil:
		t.now, t.offer = now, found
		return t.begin(open)
	case !t.begun() && t.now.Text() == now.Text():
		return t.follow() // the cursor and the folds stay
	case !t.begun():
		t.now = now
		return t.begin(open)
	}
	base := t.widget.Base()
	return t.work("drift", func() func() tea.Cmd {
		drift := len(document.Diff(base, now)) > 0
		return func() tea.Cmd {
			if !drift || t.left || t.widget.Base() != base {
				return nil
			}
			if t.now = now; !t.begun() { // the edit was undone meanwhile
				return t.begin(open)
			}
			return views.Tell(views.Warning, "The site has another "+t.name()+" now. Your changes stay; sending them starts a merge.")
		}
	})
}

func (t *Tab) failed(err error) tea.Cmd {
	if t.left || errors.Is(err, adminapi.KindCancelled) {
		return nil
	}
	if wait := t.fetch.Failed(t.Env.Clock.Now(), t.Env.Site.Line, err); wait > 0 {
		return t.Scope.After(t.Env.Clock, wait, t.name(), t.request())
	}
	switch {
	case errors.Is(err, adminapi.KindSignIn):
		return t.Scope.RetryAfterSignIn(err, t.name(), func() tea.Cmd {
			if t.left {
				return nil
			}
			return t.load()
		})
	case t.now != nil:
		return views.TellError(err)
	}
	return nil
}

// begin opens a prepared document in the widget.
func (t *Tab) begin(o opening) tea.Cmd {
	if t.unfit = o.unfit; t.unfit == nil {
		o.open()
		t.noticed = t.widget.Revision()
	}
	if t.direct = t.direct && t.Editing(); t.direct {
		return tea.Batch(t.follow(), t.openOutside())
	}
	return t.follow()
}

func (t *Tab) follow() tea.Cmd {
	if t.Opened == nil {
		return nil
	}
	return t.Opened()
}

// Changed saves what has changed since the last call on this machine.
func (t *Tab) Changed() tea.Cmd {
	switch {
	case t.now == nil || t.unfit != nil:
		return nil
	case t.widget.Revision() == t.noticed:
		return tea.Batch(t.followTyping(), t.follow())
	}
	t.noticed = t.widget.Revision()
	return tea.Batch(t.saveDraft(), t.followTyping(), t.follow())
}

// save saves a text as the draft.
func (t *Tab) save(text string) tea.Cmd {
	draft := t.draft(text)
	return t.drafts.Save(t.Target, &draft)
}

// draft is the draft with a text; with a broken one, it also has the changes from before it.
func (t *Tab) draft(text string) operation.EditDraft {
	draft := operation.EditDraft{Base: t.widget.Base().Text(), Edited: text, Typed: t.typed()}
	if t.broken != nil && t.differsInWidget() {
		draft.Before = t.widget.Document().Text()
	}
	return draft
}

// Back goes one step out inside, and reports whether there was one.
func (t *Tab) Back() bool { return t.closePreview() || t.Editing() && t.widget.Back() }

// Close says where the changes are when the service is left, and ends its requests.
func (t *Tab) Close() tea.Cmd {
	t.left = true
	t.Scope.Forget(t.name())
	what := plain.Line(t.Target.String())
	if t.offer != nil || !t.Differs() && !t.typing.saved {
		return nil
	}
	if err := t.saver.err; err != nil {
		return tellFailed("The changes to the "+what+" are not saved on this machine", err)
	}
	if holder := t.holder(); holder != nil {
		return views.Tell(views.Info, "Not sent: your "+what+" changes are saved, apart from the draft of "+holder.Program.Who()+".")
	}
	since, unknown := t.drafts.open[t.Target.String()]
	s := t.saver
	switch sent := s.sent != "" && s.want != nil && s.want.Edited == s.sent; {
	case sent && unknown:
		return views.Tell(views.Warning, "Draft saved; it was sent at "+t.Env.Times.Clock(since)+", outcome unknown.")
	case sent:
		return views.Tell(views.Info, "Draft saved; it was sent at "+t.Env.Times.Clock(s.sentAt)+", but the site does not have it.")
	case unknown:
		return views.Tell(views.Warning, "Draft saved. The change sent at "+t.Env.Times.Clock(since)+" has an unknown outcome.")
	}
	return views.Tell(views.Info, "Draft saved, not sent: "+what+".")
}

// tellFailed says that something was not done, and why.
func tellFailed(what string, err error) tea.Cmd {
	return views.Send(views.Failed(what+": "+err.Error(), err))
}

// write starts the review.
func (t *Tab) write() tea.Cmd { return t.reviewOf(t.widget.Document()) }

func (t *Tab) reviewOf(edited *document.Document) tea.Cmd {
	return t.host.Review(editing.Edit{Target: t.Target, Base: t.widget.Base(), Edited: edited, Why: "an edit"}, t.now)
}
