package services

import (
	"context"
	"errors"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/views/diff"
)

// offer is an edit that was kept earlier, before it is decided about.
type offer struct {
	saved  time.Time
	base   *document.Document // what was edited; the present one where that cannot be read
	edited *document.Document // nil where the text is no definition
	text   string
	err    error // why it cannot be read, or why the text is no definition
	moved  bool  // the site has another definition by now
}

var (
	cmdContinue   = views.Command{ID: "services.continue", Keys: []string{"enter"}, Name: "go on with draft", Hint: "go on with it", Help: "Go on with the edit that was kept.", Group: serviceGroup}
	cmdDifference = views.Command{ID: "services.difference", Keys: []string{"v"}, Name: "see the difference", Hint: "difference", Help: "What an edit, or a draft, changes of what the site has.", Group: serviceGroup}
)

// findDraft looks for an edit that goes on: the one that is held in memory, else the
// one on disk. It is nil where there is none that changes anything.
func findDraft(site operation.Site, target operation.Target, now *document.Document, held *operation.EditDraft) *offer {
	draft, saved, found, err := site.LoadEditDraft(target)
	switch {
	case held != nil:
		draft, saved, found = *held, site.Clock.Now(), true
	case err != nil:
		return &offer{base: now, err: err}
	}
	if !found || draft.Edited == now.Text() {
		return nil
	}
	o := &offer{saved: saved, base: now, text: draft.Edited}
	if base, err := parsed(target.Part, []byte(draft.Base)); err == nil {
		o.base, o.moved = base, len(document.Diff(base, now)) > 0
	}
	o.edited, o.err = parsed(target.Part, []byte(draft.Edited))
	return o
}

// goOn takes the draft up again.
func (e *edited) goOn() tea.Cmd {
	o := e.offer
	if o == nil {
		return nil
	}
	e.offer = nil
	switch {
	case o.edited != nil:
		return tea.Batch(e.begin(o.edited, o.base), e.keepHeld())
	case o.text == "":
		return nil // it could not be read: the present definition is edited
	}
	e.broken = newBroken([]byte(o.text), o.err)
	return tea.Batch(e.begin(o.base, o.base), e.keepHeld())
}

// keepHeld tries again to keep on disk what could not be kept before.
func (e *edited) keepHeld() tea.Cmd {
	if held := e.m.held(e.target); held != nil {
		return e.m.keep(e.target, held)
	}
	return nil
}

// difference shows what the edit, or the draft, changes of what the site has.
func (e *edited) difference() tea.Cmd {
	if e.now == nil {
		return nil
	}
	edited, title := e.now, "your changes"
	switch {
	case e.offer != nil:
		edited, title = e.offer.edited, "the draft against the present"
	case e.unfit == nil:
		edited = e.editor.Document()
	}
	if edited == nil {
		return views.Tell(views.Warning, "The text of the draft is no "+e.name()+": it cannot be compared. Going on shows why.")
	}
	now, path := e.now, e.target.Service.Path()
	return e.m.scope.Do("compare", func(context.Context) tea.Msg {
		return compared{path: path, title: title, plan: planOf(now, edited)}
	})
}

// compared is a comparison that is ready to be read.
type compared struct {
	path, title string
	plan        diff.Plan
	err         error
}

func (r compared) apply(m *Model) tea.Cmd {
	switch {
	case m.open == nil || m.open.service.Path() != r.path:
	case errors.Is(r.err, adminapi.KindSignIn):
		return views.Send(views.SignIn{Reason: r.err.Error()})
	case r.err != nil:
		return views.TellError(r.err)
	case len(r.plan.Changes) == 0:
		return views.Tell(views.Info, "They say the same: nothing differs by meaning.")
	default:
		m.showDifference(r.title, r.plan)
	}
	return nil
}

// planOf is a comparison to be read: nothing of it is confirmed or sent.
func planOf(before, after *document.Document) diff.Plan {
	changes := document.Diff(before, after)
	return diff.Plan{Changes: changes, Risks: document.Risks(changes, after)}
}

// offerLines ask what to do with a draft.
func (e *edited) offerLines() []string {
	m, o := e.m, e.offer
	p := m.page()
	if o.text == "" {
		p.Signed(m.inks.Glyphs.Warn, m.inks.Warn, "A draft of the "+e.name()+" is on this machine, but it cannot be read")
		p.Gap()
		p.Text(m.inks.Plain, sentence(o.err))
		p.Gap()
		p.Key("enter", "goes on without it; the file stays until the next change is kept")
		return p.Lines
	}
	p.Signed(m.inks.Glyphs.Warn, m.inks.Warn, "You have edited this "+e.name()+" before: a draft of "+m.env.Times.Minute(o.saved)+" was not sent")
	p.Gap()
	if o.edited == nil {
		p.Text(m.inks.Plain, "Its text is broken: "+plain.Line(o.err.Error())+".")
		p.Gap()
	}
	if o.moved {
		p.Text(m.inks.Plain, "The "+e.name()+" was changed at the site since then. Going on keeps both: writing the draft leads to a merge, and overwrites nothing.")
		p.Gap()
	}
	p.Key("enter", "goes on with the draft")
	if o.edited != nil {
		p.Key("v", "    shows what it changes of what the site has now")
	}
	p.Key("X", "    discards it, after a question")
	p.Key("esc", "  leaves it for later")
	return p.Lines
}
