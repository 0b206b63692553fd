package services

import (
	"context"
	"errors"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/ui/views"
)

// offer is an edit that was kept earlier, here or by another program, before it is
// decided about.
type offer struct {
	from   journal.Draft
	rival  *journal.Draft     // of this program's own: another that has the edit; nil for none
	base   *document.Document // what was edited; the present one where that cannot be read
	edited *document.Document // nil where the text is no definition
	text   string
	err    error    // why it cannot be read, or why the text is no definition
	moved  bool     // the site has another definition by now
	look   *looking // the text is shown, read only; nil where it is not
	taking bool     // it is being made this program's
}

var (
	cmdContinue   = views.Command{ID: "services.continue", Binding: views.Key("go on with it", "enter"), Name: "go on with draft", Help: "Go on with the edit that was kept.", Group: serviceGroup}
	cmdDifference = views.Command{ID: "services.difference", Binding: views.Key("difference", "v"), Name: "see the difference", Help: "What an edit, or a draft, changes of what the site has.", Group: serviceGroup}
)

// unread tells whether nothing can be made of the draft.
func (o *offer) unread() bool { return o.text == "" }

// elsewhere tells whether another program has the edit, which runs or may.
func (o *offer) elsewhere() bool { return !o.from.Mine && o.from.Life != journal.Ended }

func newOffer(target operation.Target, now *document.Document, kept operation.KeptEdit) *offer {
	o := &offer{from: kept.Draft, base: now, text: kept.Edit.Edited, err: kept.Err}
	if o.err != nil {
		o.text = ""
		return o
	}
	if base, err := parsed(target.Part, []byte(kept.Edit.Base)); err == nil {
		o.base, o.moved = base, len(document.Diff(base, now)) > 0
	}
	o.edited, o.err = parsed(target.Part, []byte(kept.Edit.Edited))
	return o
}

// findDraft looks for an edit that goes on: the one that is held in memory, else the
// first on disk. It is nil where there is none that changes anything.
func findDraft(site operation.Site, target operation.Target, now *document.Document, held *operation.EditDraft) *offer {
	kept, err := site.KeptEdits(target)
	if held != nil {
		own := operation.KeptEdit{Draft: journal.Draft{Saved: site.Clock.Now(), Mine: true}, Edit: *held}
		kept, err = append([]operation.KeptEdit{own}, others(kept)...), nil
	}
	if err != nil {
		return &offer{base: now, err: err}
	}
	for i, k := range kept {
		if k.Err == nil && k.Edit.Edited == now.Text() {
			continue
		}
		o := newOffer(target, now, k)
		if o.from.Mine {
			o.rival = holderOf(kept[i+1:])
		}
		return o
	}
	return nil
}

// others leaves out this program's own.
func others(kept []operation.KeptEdit) (of []operation.KeptEdit) {
	for _, k := range kept {
		if !k.Mine {
			of = append(of, k)
		}
	}
	return of
}

// holderOf is the draft of the program that has the edit, of those that are kept.
func holderOf(kept []operation.KeptEdit) *journal.Draft {
	var drafts []journal.Draft
	for _, k := range kept {
		drafts = append(drafts, k.Draft)
	}
	return journal.Holder(drafts)
}

// goOn takes the draft up again. One that another program has left becomes this
// program's first.
func (e *edited) goOn() tea.Cmd {
	o := e.offer
	switch {
	case o == nil || o.elsewhere():
		return nil
	case o.unread():
		e.offer = nil
		return nil // the present definition is edited
	case o.from.Mine:
		return e.goOnWith(o)
	}
	return e.takeOffer()
}

// goOnWith opens a draft of this program in the editor.
func (e *edited) goOnWith(o *offer) tea.Cmd {
	e.offer = nil
	k := e.m.keeperOf(e.target)
	k.holder, k.first = o.rival, o.rival == nil
	if o.edited != nil {
		return tea.Batch(e.begin(o.edited, o.base), e.keepHeld())
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
	plan        document.Review
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
func planOf(before, after *document.Document) document.Review {
	changes := document.Diff(before, after)
	return document.Review{Changes: changes, Risks: document.Risks(changes, after)}
}
