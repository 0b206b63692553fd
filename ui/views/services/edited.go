package services

import (
	"context"
	"errors"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/placement"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

// edited is a part of a service that is edited in a section: what the site has, the
// edit of it, and what is kept on disk. The sections of the parts are made of it.
type edited struct {
	m       *Model
	target  operation.Target
	editor  editor
	read    views.Fetch
	now     *document.Document // as the site had it when it was read last; nil before
	noticed int                // the revision of the editor that was given to the keeper
	offer   *offer             // a draft that was found, until it is decided about
	broken  *broken            // a text of an editor outside that is none of this part
	unfit   error              // why what the site has can only be looked at; nil where it can be edited
	away    bool               // the editor outside is open
	size    box                // of the section
	// after follows whatever changes what is in the editor; nil where nothing does.
	after func() tea.Cmd
}

// editor is a widget in which a document is edited.
type editor interface {
	Set(edited, base *document.Document)
	Replace(*document.Document)
	Document() *document.Document
	Base() *document.Document
	Revision() int
	CapturesText() bool
	Unsaved() bool
	Wary() bool
	Update(tea.Msg) tea.Cmd
	Commands() []views.Command
	SetSize(width, height int)
	View() string
}

// parsed reads a text as a part of a service.
func parsed(part operation.Part, text []byte) (*document.Document, error) {
	d, err := document.Parse(text)
	if err == nil {
		err = fits(part, d)
	}
	if err != nil {
		return nil, err
	}
	return d, nil
}

// fits says why a document is no such part of a service.
func fits(part operation.Part, d *document.Document) error {
	if part != operation.Placement {
		return nil
	}
	policy, err := placement.Parse(d.Bytes())
	if err == nil && policy.Form() != placement.WholePolicy {
		err = errors.New("it has no list placementPolicy")
	}
	return err
}

// edits is the part that the section is about.
func (e *edited) edits() *edited { return e }

// edits are the parts of the open service that can be edited.
func (o *opened) edits() (all []*edited) {
	for _, s := range o.sections {
		if s, ok := s.(interface{ edits() *edited }); ok {
			all = append(all, s.edits())
		}
	}
	return all
}

// editedOf returns what is edited of a service that is still open; nil where it is not.
func (m *Model) editedOf(target operation.Target) *edited {
	if m.open == nil {
		return nil
	}
	for _, e := range m.open.edits() {
		if e.target.Same(target) {
			return e
		}
	}
	return nil
}

// isOpen tells whether it is this very edit that is open.
func (e *edited) isOpen() bool { return e.m.editedOf(e.target) == e }

// name is the part in words, as in "the definition".
func (e *edited) name() string { return e.target.Part.String() }

func (e *edited) asked() *views.Fetch { return &e.read }
func (e *edited) back() bool          { return e.stopLooking() }

func (e *edited) shown() tea.Cmd {
	if e.now != nil || e.read.Loading {
		return e.comeBack()
	}
	return e.ask()
}

// contentRead is a part of a service, and the draft of it where there is one.
type contentRead struct {
	target operation.Target
	read   operation.Content
	err    error
	offer  *offer
}

// ask reads what the site has; the first time, also what was kept of an earlier edit.
func (e *edited) ask() tea.Cmd {
	e.read.Loading = true
	return e.m.scope.Do(e.name(), e.reading())
}

func (e *edited) reading() func(context.Context) tea.Msg {
	site, target, first, held := e.m.env.Site, e.target, e.now == nil, e.m.held(e.target)
	return func(ctx context.Context) tea.Msg {
		r := contentRead{target: target}
		r.read, r.err = site.ReadContent(ctx, target)
		if r.err == nil && first {
			r.offer = findDraft(site, target, r.read.Document, held)
		}
		return r
	}
}

func (r contentRead) apply(m *Model) tea.Cmd {
	e := m.editedOf(r.target)
	switch {
	case e == nil:
		return nil
	case r.err != nil:
		return e.failed(r.err)
	}
	e.read.Succeeded(m.env.Clock.Now())
	switch {
	case e.now == nil:
		e.now, e.offer = r.read.Document, r.offer
		return e.begin(e.now, e.now)
	case !e.changed() && !e.away && !e.capturesText():
		e.now = r.read.Document
		return e.begin(e.now, e.now)
	case len(document.Diff(e.editor.Base(), r.read.Document)) > 0:
		e.now = r.read.Document
		return views.Tell(views.Warning, "The site has another "+e.name()+" by now. Your changes stay; writing them leads to a merge.")
	}
	return nil
}

func (e *edited) failed(err error) tea.Cmd {
	m := e.m
	if errors.Is(err, adminapi.KindCancelled) {
		return nil
	}
	if wait := e.read.Failed(m.env.Clock.Now(), err); wait > 0 {
		return m.scope.After(m.env.Clock, wait, e.name(), e.reading())
	}
	switch {
	case errors.Is(err, adminapi.KindSignIn):
		return m.scope.RetryAfterSignIn(err, e.name(), func() tea.Cmd {
			if !e.isOpen() {
				return nil
			}
			return e.ask()
		})
	case e.now != nil:
		return views.TellError(err)
	}
	return nil
}

// begin opens a document in the editor, against what it is compared with.
func (e *edited) begin(edited, base *document.Document) tea.Cmd {
	e.unfit = fits(e.target.Part, base)
	if e.unfit == nil {
		e.editor.Set(edited, base)
		e.noticed = e.editor.Revision()
	}
	return e.follow()
}

func (e *edited) follow() tea.Cmd {
	if e.after == nil {
		return nil
	}
	return e.after()
}

// changed tells whether something was edited that the site does not have.
func (e *edited) changed() bool {
	switch {
	case e.now == nil || e.unfit != nil:
		return false
	case e.broken != nil:
		return true
	}
	return e.editor.Document().Text() != e.editor.Base().Text()
}

// drafted tells whether an edit goes on, here or in a draft that nobody has opened yet.
func (e *edited) drafted() bool {
	_, kept := e.m.catalog.drafts[e.target.String()]
	return kept || e.offer != nil || e.changed()
}

// editable tells whether the editor is in front.
func (e *edited) editable() bool {
	return e.now != nil && e.offer == nil && e.broken == nil && e.unfit == nil
}

// notice has the keeper keep what has changed since it was asked last.
func (e *edited) notice() tea.Cmd {
	switch {
	case e.now == nil || e.unfit != nil:
		return nil
	case e.editor.Revision() == e.noticed:
		return e.follow()
	}
	e.noticed = e.editor.Revision()
	if !e.changed() {
		return tea.Batch(e.m.keep(e.target, nil), e.follow())
	}
	return tea.Batch(e.keep(e.editor.Document().Text()), e.follow())
}

func (e *edited) keep(text string) tea.Cmd {
	return e.m.keep(e.target, &operation.EditDraft{Base: e.editor.Base().Text(), Edited: text})
}

func (e *edited) capturesText() bool {
	if l := e.look(); l != nil {
		return l.json.Typing()
	}
	return e.editable() && e.editor.CapturesText()
}

func (e *edited) update(msg tea.Msg) tea.Cmd {
	if key, typed := msg.(tea.KeyMsg); typed && e.look() != nil {
		e.look().json.Type(key)
		return nil
	}
	if _, typed := msg.(tea.KeyMsg); !e.editable() || typed && e.away {
		return nil
	}
	return tea.Batch(e.editor.Update(msg), e.notice())
}

func (e *edited) leave() string {
	switch k := e.m.keepers[e.target.String()]; {
	case e.editable() && e.capturesText() && e.editor.Unsaved():
		return "What is being typed into the " + e.target.String() + " is not in it yet."
	case k != nil && k.err != nil:
		return "The changes of the " + e.target.String() + " are not kept on this machine."
	}
	return ""
}

// sayKept tells, when the service is left, where its changes are.
func (e *edited) sayKept() tea.Cmd {
	k := e.m.keepers[e.target.String()]
	switch {
	case !e.changed() || e.offer != nil:
		return nil
	case k != nil && k.err != nil:
		return views.Send(views.Notice{Level: views.Failure, Err: k.err,
			Text: fmt.Sprintf("The changes of the %s are not kept on this machine: %v", plain.Line(e.target.String()), k.err)})
	}
	if holder := e.holder(); holder != nil {
		return views.Tell(views.Info, "Not sent: your changes of the "+plain.Line(e.target.String())+" are kept as a draft, beside the one of "+holder.Program.Who()+".")
	}
	return views.Tell(views.Info, "Not sent: your changes of the "+plain.Line(e.target.String())+" are kept as a draft. Opening it again goes on with them.")
}

func (e *edited) setSize(width, height int) {
	e.size = box{width, height}
	e.editor.SetSize(width, height)
	if l := e.look(); l != nil {
		l.json.SetSize(width, max(0, height-lookHead))
	}
}
