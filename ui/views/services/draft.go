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
func findDraft(site operation.Site, service adminapi.ServiceRef, now *document.Document, held *operation.EditDraft) *offer {
	draft, saved, found, err := site.LoadEditDraft(operation.DefinitionOf(service))
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
	if base, err := document.Parse([]byte(draft.Base)); err == nil {
		o.base, o.moved = base, len(document.Diff(base, now)) > 0
	}
	o.edited, o.err = document.Parse([]byte(draft.Edited))
	return o
}

// goOn takes the draft up again.
func (d *definition) goOn() tea.Cmd {
	o := d.offer
	if o == nil {
		return nil
	}
	d.offer = nil
	switch {
	case o.edited != nil:
		d.begin(o.edited, o.base)
		return d.keepHeld()
	case o.text == "":
		return nil // it could not be read: the present definition is edited
	}
	d.begin(o.base, o.base)
	d.broken = newBroken([]byte(o.text), o.err)
	return d.keepHeld()
}

// keepHeld tries again to keep on disk what could not be kept before.
func (d *definition) keepHeld() tea.Cmd {
	if held := d.m.held(d.target()); held != nil {
		return d.m.keep(d.target(), held)
	}
	return nil
}

// difference shows what the edit, or the draft, changes of what the site has.
func (d *definition) difference() tea.Cmd {
	edited := d.editor.Document()
	title := "your changes"
	if d.offer != nil {
		edited, title = d.offer.edited, "the draft against the present"
	}
	if edited == nil || d.now == nil {
		return views.Tell(views.Warning, "The text of the draft is broken JSON: it cannot be compared. Going on shows where.")
	}
	now, path := d.now, d.service.Path()
	return d.m.scope.Do("compare", func(context.Context) tea.Msg {
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
		return views.Send(views.Notice{Level: views.Failure, Text: r.err.Error(), Err: r.err})
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
func (d *definition) offerLines() []string {
	m, o := d.m, d.offer
	p := m.page()
	if o.text == "" {
		p.Signed(m.inks.Glyphs.Warn, m.inks.Warn, "A draft of this service is on this machine, but it cannot be read")
		p.Gap()
		p.Text(m.inks.Plain, sentence(o.err))
		p.Gap()
		p.Key("enter", "goes on without it; the file stays until the next change is kept")
		return p.Lines
	}
	p.Signed(m.inks.Glyphs.Warn, m.inks.Warn, "You have edited this service before: a draft of "+m.env.Times.Minute(o.saved)+" was not sent")
	p.Gap()
	if o.edited == nil {
		p.Text(m.inks.Plain, "Its text is broken JSON: "+plain.Line(o.err.Error())+".")
		p.Gap()
	}
	if o.moved {
		p.Text(m.inks.Plain, "The definition was changed at the site since then. Going on keeps both: writing the draft leads to a merge, and overwrites nothing.")
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
