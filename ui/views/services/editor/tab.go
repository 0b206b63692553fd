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
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
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
	SetSize(width, height int)
	View() string
}

// Host is what a tab needs of the view around it.
type Host interface {
	// Review starts the review of an edit, now is what the site had when it was read last.
	Review(edit operation.Edit, now *document.Document) tea.Cmd
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

	host Host
	inks *rows.Inks
	state
}

// New returns a tab that has read nothing yet.
func New(base views.Base, inks *rows.Inks, target operation.Target, widget Widget, host Host, drafts *Drafts) *Tab {
	return &Tab{Base: base, inks: inks, host: host, state: state{Target: target, widget: widget, drafts: drafts}}
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

// Msg is a message of a tab to itself, which may be closed when it arrives.
type Msg interface{ To() *Tab }

// to addresses a message.
type to struct{ tab *Tab }

// To is the tab that the message is for.
func (t to) To() *Tab { return t.tab }

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
		cmd = views.Batch(cmd, t.handle(next))
	}
	return cmd
}

func (t *Tab) handle(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case contentRead:
		return t.contentRead(msg)
	case driftRead:
		return t.driftRead(msg)
	case differenceRead:
		if t.left {
			return nil
		}
		return t.host.Compare(msg.title, msg.differences)
	case typingDue:
		return t.typingDue()
	case draftFound:
		return t.draftFound(msg)
	case previewReady:
		t.previewReady(msg)
	case takeConfirmed:
		return t.takeOver(msg.from)
	case offerTaken:
		return t.offerTaken(msg)
	case editTaken:
		return t.editTaken(msg)
	case holderRead:
		return t.holderRead(msg)
	case editorReady:
		return t.editorReady(msg)
	case editorEnded:
		return t.editorEnded(msg)
	case editedOutside:
		return t.editedOutside(msg)
	case discarded:
		return t.discarded(msg)
	case offerDiscarded:
		return t.offerDiscarded(msg)
	case settled:
		return t.settled(msg)
	case rebased:
		return t.rebased(msg)
	case tea.KeyMsg:
		switch {
		case t.preview() != nil:
			t.preview().json.Type(msg)
		case t.Editing():
			return views.Batch(t.widget.Update(msg), t.Changed())
		}
	default:
		if t.editable() {
			return views.Batch(t.widget.Update(msg), t.Changed())
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

// contentRead is a part of a service, and the draft of it where there is one.
type contentRead struct {
	to
	read  operation.Content
	open  opening
	err   error
	offer *offer
}

// load fetches what the site has; the first time, it also reads the drafts.
func (t *Tab) load() tea.Cmd {
	t.fetch.Loading = true
	return t.Scope.Do(t.name(), t.request())
}

func (t *Tab) request() func(context.Context) tea.Msg {
	r, find, first, held := contentRead{to: to{t}}, t.finder(), t.now == nil, t.drafts.held(t.Target)
	site, target, widget := t.Env.Site, t.Target, t.widget
	return func(ctx context.Context) tea.Msg {
		if r.read, r.err = site.ReadContent(ctx, target); r.err != nil {
			return r
		}
		r.open = prepared(widget, r.read.Document, r.read.Document)
		if first {
			r.offer = find.find(r.read.Document, held)
		}
		return r
	}
}

// refresh fetches what the site has, and reads which program has the edit.
func (t *Tab) refresh() tea.Cmd { return views.Batch(t.load(), t.FindHolder()) }

func (t *Tab) contentRead(r contentRead) tea.Cmd {
	switch {
	case t.left:
		return nil
	case r.err != nil:
		return t.failed(r.err)
	}
	t.fetch.Succeeded(t.Env.Clock.Now())
	switch {
	case t.now == nil:
		t.now, t.offer = r.read.Document, r.offer
		return t.begin(r.open)
	case !t.begun() && t.now.Text() == r.read.Document.Text():
		return t.follow() // the cursor and the folds stay
	case !t.begun():
		t.now = r.read.Document
		return t.begin(r.open)
	}
	base := t.widget.Base()
	return t.Scope.Do("drift "+t.name(), func(context.Context) tea.Msg {
		return driftRead{to{t}, base, r.open, len(document.Diff(base, r.read.Document)) > 0}
	})
}

// driftRead says whether the site has another document than the one that is edited.
type driftRead struct {
	to
	base   *document.Document // what it was compared with
	theirs opening
	drift  bool
}

func (t *Tab) driftRead(r driftRead) tea.Cmd {
	switch {
	case !r.drift || t.left || t.widget.Base() != r.base:
		return nil
	case !t.begun(): // the edit was undone meanwhile
		t.now = r.theirs.base
		return t.begin(r.theirs)
	}
	t.now = r.theirs.base
	return views.Tell(views.Warning, "The site has another "+t.name()+" by now. Your changes stay; writing them leads to a merge.")
}

func (t *Tab) failed(err error) tea.Cmd {
	if errors.Is(err, adminapi.KindCancelled) {
		return nil
	}
	if wait := t.fetch.Failed(t.Env.Clock.Now(), err); wait > 0 {
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
	return views.Batch(t.follow(), t.openDirectly())
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
		return views.Batch(t.followTyping(), t.follow())
	}
	t.noticed = t.widget.Revision()
	return views.Batch(t.saveDraft(), t.followTyping(), t.follow())
}

// save saves a text as the draft; with a broken one, also the changes from before it.
func (t *Tab) save(text string) tea.Cmd {
	draft := operation.EditDraft{Base: t.widget.Base().Text(), Edited: text, Typed: t.typed()}
	if t.broken != nil && t.differsInWidget() {
		draft.Before = t.widget.Document().Text()
	}
	return t.drafts.Save(t.Target, &draft)
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
	if err := t.drafts.failed(t.Target); err != nil {
		return views.Send(views.Notice{Level: views.Failure, Err: err,
			Text: fmt.Sprintf("The changes of the %s are not saved on this machine: %v", what, err)})
	}
	if holder := t.holder(); holder != nil {
		return views.Tell(views.Info, "Not sent: your changes of the "+what+" are saved as a draft, beside the one of "+holder.Program.Who()+".")
	}
	return views.Tell(views.Info, "Not sent: your changes of the "+what+" are saved as a draft. Opening it again resumes them.")
}

// SetSize gives the tab its cells.
func (t *Tab) SetSize(width, height int) {
	t.Base.SetSize(width, height)
	t.widget.SetSize(width, height)
	if l := t.preview(); l != nil {
		l.json.SetSize(width, max(0, height-previewHead))
	}
}

// View draws the document, or what has to be decided before.
func (t *Tab) View() string {
	switch {
	case t.now == nil:
		return t.inks.Sentences(t.unread(), t.Width, t.Height)
	case t.offer != nil:
		return t.block(t.offerLines())
	case t.broken != nil:
		return t.block(t.brokenLines())
	}
	return t.widget.View()
}

func (t *Tab) block(lines []string) string {
	return views.Block(lines, t.Width, t.Height, t.inks.Glyphs.Ellipsis)
}

// page collects lines for the whole width.
func (t *Tab) page() *rows.Page { return &rows.Page{Inks: t.inks, Width: t.Width} }

// unread says why there is nothing to show.
func (t *Tab) unread() []string {
	switch r := &t.fetch; {
	case errors.Is(r.Err, adminapi.KindSignIn):
		return []string{"Not signed in: the " + t.name() + " could not be read.", "", "Press R to refresh."}
	case errors.Is(r.Err, adminapi.KindVersionTooOld):
		return []string{views.Sentence(r.Err.Error())}
	case r.Err != nil:
		return []string{views.Sentence(r.Err.Error()), "", "Press R to refresh."}
	case r.Unreachable != nil:
		return []string{"The site does not answer. Retrying automatically.", "", views.Sentence(r.Unreachable.Err.Error())}
	}
	return []string{"Reading the " + t.name() + t.inks.Glyphs.Ellipsis}
}

// Notes say whether anything is changed, and where that is kept.
func (t *Tab) Notes() []string {
	if !t.editable() || !t.Differs() && !t.typing.saved {
		return nil
	}
	changed := "changed"
	if !t.Differs() {
		changed = "text"
	}
	s := t.drafts.savers[t.Target.String()]
	switch {
	case s == nil:
	case s.err != nil:
		return []string{t.inks.Fail.On("changes not saved: " + plain.Clip(s.err.Error(), 40))}
	case s.waits || s.writing:
		return []string{changed}
	case s.holder != nil:
		return []string{t.inks.Warn.On("changed; another has the edit")}
	}
	if kept, ok := t.drafts.kept[t.Target.String()]; ok {
		return []string{changed + ", draft saved " + t.Env.Times.Clock(kept.Saved)}
	}
	return []string{changed}
}

const group = "One service"

// RefreshRow is the row that refreshes a tab.
func RefreshRow(hint string, enabled func() bool, run func() tea.Cmd) views.Command {
	return views.Command{ID: "services.read-again", Binding: views.Key(hint, "R", "f5"), Name: "refresh tab", Group: group, Enabled: enabled, Run: views.Do(run),
		Help: "Refresh what the tab shows."}
}

// BackRow is the row that goes one step back.
func BackRow(hint string, enabled func() bool, run func() tea.Cmd) views.Command {
	return views.Command{ID: "services.back", Binding: views.Key(hint, "esc"), Name: "go back", Group: "Move", Enabled: enabled, Run: views.Do(run),
		Help: "One step back; edits are saved as a draft."}
}

// Rows are the commands of a tab, to be put in order with those of its widget.
type Rows struct {
	Offer    []views.Command // what can be done with a draft that was found
	Write    []views.Command // review, and take the edit over from another program
	Outside  views.Command
	Compare  views.Command
	Discard  views.Command
	Refresh  views.Command
	Document []views.Command // of the widget
}

// Rows lists what can be done in the tab, each row with when it can be used.
func (t *Tab) Rows() Rows {
	o := t.offer
	idle := func() bool { return t.Editing() && !t.widget.CapturesText() }
	changed := func() bool { return idle() && t.Differs() }
	offered := func(can func(*offer) bool) func() bool {
		return func() bool { return t.now != nil && t.offer != nil && !t.outside && can(t.offer) }
	}
	onBroken := func() bool { return t.now != nil && t.offer == nil && t.broken != nil && !t.outside }
	either := func(conditions ...func() bool) func() bool {
		return func() bool { return slices.ContainsFunc(conditions, func(holds func() bool) bool { return holds() }) }
	}
	outside, discard, refresh := "$EDITOR", "", ""
	switch {
	case o != nil && o.unreadable():
		discard = "set aside"
	case o != nil:
		discard = "discard"
	case t.broken != nil:
		outside, discard = "edit again", "discard"
	}
	if t.now == nil || t.unfit != nil && o == nil && t.broken == nil {
		refresh = "refresh"
	}
	goOn, look := "go on with it", "look"
	switch {
	case o != nil && o.unreadable():
		goOn = "go on without it"
	case o != nil && o.preview != nil && o.preview.site:
		look = "the draft"
	case o != nil && o.preview != nil:
		look = "the site's"
	}
	r := Rows{
		Write: []views.Command{
			{ID: "services.write", Binding: views.Key("write", "w"), Name: "write changes", Group: group, Enabled: changed, Run: views.Do(t.write),
				Help: "Review what was changed; it is sent from there, once it is confirmed."},
			{ID: "services.take-over", Binding: views.Key("take over", "T"), Name: "take over edit", Group: group, Run: views.Do(t.askTakeOver),
				Enabled: either(offered(func(o *offer) bool { return o.readOnly() && !t.Filtering() }), func() bool { return changed() && t.holder() != nil }),
				Help:    "Go on with an edit that another program has open; both texts stay. Asks first."},
		},
		Outside: views.Command{ID: "services.editor", Binding: views.Key(outside, "E"), Name: "open in editor", Group: group,
			Enabled: either(onBroken, idle), Run: views.Do(t.openOutside),
			Help: "Edit the whole definition, or placement policy, in $VISUAL or $EDITOR; broken text is kept, and shown where it breaks."},
		Compare: views.Command{ID: "services.difference", Binding: views.Key("difference", "v"), Name: "see the difference", Group: group,
			Enabled: either(offered(func(o *offer) bool { return o.preview == nil && o.edited != nil }), changed), Run: views.Do(t.compare),
			Help: "What an edit, or a draft, changes of what the site has."},
		Discard: views.Command{ID: "services.discard", Binding: views.Key(discard, "X"), Name: "discard changes", Group: group,
			Enabled: either(offered((*offer).discardable), onBroken, changed), Run: views.Do(t.askDiscard),
			Help: "Give up what was edited and go back to what the site has; of a broken text, only the text. Asks first."},
		Refresh: RefreshRow(refresh, either(func() bool { return t.now == nil || t.unfit != nil && t.InFront() && !t.outside },
			offered(func(o *offer) bool { return o.readOnly() && o.preview == nil }), idle), t.refresh),
		Offer: []views.Command{
			{ID: "services.continue", Binding: views.Key(goOn, "enter"), Name: "go on with draft", Group: group, Run: views.Do(t.continueDraft),
				Enabled: offered(func(o *offer) bool { return !o.readOnly() }),
				Help:    "Resume the edit that was saved as a draft."},
			{ID: "services.look-at-draft", Binding: views.Key(look, "enter"), Name: "look at open draft", Group: group, Run: views.Do(t.togglePreview),
				Enabled: offered(func(o *offer) bool { return o.readOnly() && !t.Filtering() }),
				Help:    "Read what another program edits, and what the site has, in turn. Nothing can be changed."},
		},
		Document: views.When(t.Editing, views.Then(t.widget.Commands(), t.Changed)),
	}
	if l := t.preview(); l != nil {
		r.Offer = append(r.Offer, views.When(func() bool { return !l.json.Typing() }, l.json.Commands())...)
	}
	return r
}

// Commands lists every row of a tab that shows its widget alone, the most wanted first.
func (t *Tab) Commands() []views.Command {
	r := t.Rows()
	if t.offer != nil { // a draft is read and compared before it is taken over
		return views.Concat(r.Offer[:2], []views.Command{r.Compare}, r.Write, []views.Command{r.Discard, r.Refresh, r.Outside}, r.Offer[2:], r.Document)
	}
	return views.Concat(r.Offer[:2], r.Write, []views.Command{r.Outside, r.Compare, r.Discard}, r.Document, []views.Command{r.Refresh})
}

// write starts the review.
func (t *Tab) write() tea.Cmd { return t.reviewOf(t.widget.Document()) }

func (t *Tab) reviewOf(edited *document.Document) tea.Cmd {
	return t.host.Review(operation.Edit{Target: t.Target, Base: t.widget.Base(), Edited: edited, Why: "an edit"}, t.now)
}
