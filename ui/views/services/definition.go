package services

import (
	"context"
	"errors"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/views/jsonedit"
)

// definition is the section in which a definition is edited.
type definition struct {
	m       *Model
	service adminapi.ServiceRef
	read    views.Asked
	now     *document.Document // as the site had it when it was read last; nil before
	editor  *jsonedit.Editor
	noticed int     // the revision of the editor that was given to the keeper
	offer   *offer  // a draft that was found, until it is decided about
	broken  *broken // a text of an editor outside that is no definition
	away    bool    // the editor outside is open
	size    box     // of the section
}

var (
	cmdWrite   = views.Command{ID: "services.write", Keys: []string{"w"}, Name: "write definition", Hint: "write", Help: "Review what was changed; it is sent from there, once it is confirmed.", Group: serviceGroup}
	cmdOutside = views.Command{ID: "services.editor", Keys: []string{"E"}, Name: "open in editor", Hint: "$EDITOR", Help: "Edit the whole definition in $VISUAL or $EDITOR; broken JSON is kept, and shown where it breaks.", Group: serviceGroup}
	cmdDiscard = views.Command{ID: "services.discard", Keys: []string{"X"}, Name: "discard changes", Help: "Give up what was edited and go back to what the site has; asks first.", Group: serviceGroup}
	cmdReread  = views.Command{ID: "services.read-again", Keys: []string{"ctrl+l"}, Name: "read again", Help: "Read the definition, the history or the state again.", Group: serviceGroup}
)

func newDefinition(m *Model, service adminapi.ServiceRef) section {
	return &definition{m: m, service: service, editor: jsonedit.New(m.env.Theme)}
}

func (d *definition) target() operation.Target { return operation.DefinitionOf(d.service) }

func (d *definition) title() string       { return "Definition" }
func (d *definition) asked() *views.Asked { return &d.read }
func (d *definition) back() bool          { return false }

func (d *definition) shown() tea.Cmd {
	if d.now != nil || d.read.Asking {
		return nil
	}
	return d.ask()
}

// definitionRead is the definition, and the draft of it where there is one.
type definitionRead struct {
	path  string
	read  operation.Content
	err   error
	offer *offer
}

// ask reads the definition; the first time, also what was kept of an earlier edit.
func (d *definition) ask() tea.Cmd {
	d.read.Asking = true
	return d.m.scope.Do("definition", d.reading())
}

func (d *definition) reading() func(context.Context) tea.Msg {
	site, service, first, held := d.m.env.Site, d.service, d.now == nil, d.m.held(d.target())
	return func(ctx context.Context) tea.Msg {
		r := definitionRead{path: service.Path()}
		r.read, r.err = site.ReadContent(ctx, operation.DefinitionOf(service))
		if r.err == nil && first {
			r.offer = findDraft(site, service, r.read.Document, held)
		}
		return r
	}
}

func (r definitionRead) apply(m *Model) tea.Cmd {
	if m.open == nil || m.open.service.Path() != r.path {
		return nil
	}
	d := m.open.definition()
	if r.err != nil {
		return d.failed(r.err)
	}
	d.read.Answered(m.env.Clock.Now())
	switch {
	case d.now == nil:
		d.now, d.offer = r.read.Document, r.offer
		d.begin(d.now, d.now)
	case !d.changed() && !d.away && !d.capturesText():
		d.now = r.read.Document
		d.begin(d.now, d.now)
	case len(document.Diff(d.editor.Base(), r.read.Document)) > 0:
		d.now = r.read.Document
		return views.Tell(views.Warning, "The site has another definition by now. Your changes stay; writing them leads to a merge.")
	}
	return nil
}

func (d *definition) failed(err error) tea.Cmd {
	m := d.m
	if errors.Is(err, adminapi.KindCancelled) {
		return nil
	}
	if wait := d.read.Failed(m.env.Clock.Now(), err); wait > 0 {
		return m.scope.After(m.env.Clock, wait, "definition", d.reading())
	}
	switch {
	case errors.Is(err, adminapi.KindSignIn):
		return m.scope.SignInFirst(err, "definition", func() tea.Cmd {
			if m.open == nil || m.open.definition() != d {
				return nil
			}
			return d.ask()
		})
	case d.now != nil:
		return views.Send(views.Notice{Level: views.Failure, Text: err.Error(), Err: err})
	}
	return nil
}

// begin opens a document in the editor, against what it is compared with.
func (d *definition) begin(edited, base *document.Document) {
	d.editor.Set(edited, base)
	d.noticed = d.editor.Revision()
}

// changed tells whether something was edited that the site does not have.
func (d *definition) changed() bool {
	return d.now != nil && (d.broken != nil || d.editor.Document().Text() != d.editor.Base().Text())
}

// editable tells whether the editor is in front.
func (d *definition) editable() bool { return d.now != nil && d.offer == nil && d.broken == nil }

// notice has the keeper keep what has changed since it was asked last.
func (d *definition) notice() tea.Cmd {
	if d.now == nil || d.editor.Revision() == d.noticed {
		return nil
	}
	d.noticed = d.editor.Revision()
	if !d.changed() {
		return d.m.keep(d.target(), nil)
	}
	return d.keep(d.editor.Document().Text())
}

func (d *definition) keep(text string) tea.Cmd {
	return d.m.keep(d.target(), &operation.EditDraft{Base: d.editor.Base().Text(), Edited: text})
}

func (d *definition) capturesText() bool { return d.editable() && d.editor.CapturesText() }

func (d *definition) update(msg tea.Msg) tea.Cmd {
	if _, typed := msg.(tea.KeyMsg); !d.editable() || typed && d.away {
		return nil
	}
	return tea.Batch(d.editor.Update(msg), d.notice())
}

func (d *definition) leave() string {
	switch k := d.m.keepers[d.target().String()]; {
	case d.capturesText() && d.editor.Unsaved():
		return "What is being typed into " + d.service.Path() + " is not in the definition yet."
	case k != nil && k.err != nil:
		return "The changes of " + d.service.Path() + " are not kept on this machine."
	}
	return ""
}

// sayKept tells, when the service is left, where its changes are.
func (d *definition) sayKept() tea.Cmd {
	k := d.m.keepers[d.target().String()]
	switch {
	case !d.changed() || d.offer != nil:
		return nil
	case k != nil && k.err != nil:
		return views.Send(views.Notice{Level: views.Failure, Err: k.err,
			Text: "The changes of " + plain.Line(d.service.Path()) + " are not kept on this machine: " + k.err.Error()})
	}
	return views.Tell(views.Info, "Not sent: your changes of "+plain.Line(d.service.Path())+" are kept as a draft. Opening it again goes on with them.")
}

func (d *definition) commands() []views.Command {
	switch {
	case d.now == nil:
		return []views.Command{hinted(cmdReread, "read again")}
	case d.offer != nil:
		return []views.Command{cmdContinue, cmdDifference, hinted(cmdDiscard, "discard")}
	case d.broken != nil:
		return []views.Command{hinted(cmdOutside, "edit again"), hinted(cmdDiscard, "discard")}
	case d.editor.CapturesText():
		return d.editor.Commands()
	}
	mine := []views.Command{cmdOutside, cmdReread}
	if d.changed() {
		mine = []views.Command{cmdWrite, cmdOutside, cmdDifference, cmdDiscard, cmdReread}
	}
	return slices.Concat(mine[:len(mine)-1], d.editor.Commands(), mine[len(mine)-1:])
}

func (d *definition) do(id, argument string) (tea.Cmd, bool) {
	if d.away { // the text that the editor outside has is the newest
		return nil, true
	}
	if act, ok := definitionActs[id]; ok {
		return act(d), true
	}
	if !d.editable() {
		return nil, false
	}
	cmd, known := d.editor.Do(id, argument)
	return tea.Batch(cmd, d.notice()), known
}

var definitionActs = map[string]func(*definition) tea.Cmd{
	cmdWrite.ID:      (*definition).write,
	cmdOutside.ID:    (*definition).outside,
	cmdDiscard.ID:    (*definition).askDiscard,
	cmdContinue.ID:   (*definition).goOn,
	cmdDifference.ID: (*definition).difference,
	cmdReread.ID:     (*definition).ask,
}

// write leads to the review.
func (d *definition) write() tea.Cmd {
	if !d.changed() || !d.editable() {
		return views.Tell(views.Info, "Nothing is changed: there is nothing to write.")
	}
	return d.m.startWay(operation.Edit{
		Target: d.target(), Base: d.editor.Base(), Edited: d.editor.Document(), Why: "an edit",
	}, titleEdit)
}

// askDiscard asks before changes are given up.
func (d *definition) askDiscard() tea.Cmd {
	path := d.service.Path()
	then := d.m.scope.Do("discard", func(context.Context) tea.Msg { return discarded{path} })
	return views.Send(views.Open{Dialog: views.NewConfirm(d.m.env.Theme, views.Question{
		ID: "services.discard", Text: "Discard your changes of " + plain.Line(path) + "?",
		Consequence: "The draft on this machine is removed. The site is not changed.",
		Yes:         "discard them", No: "keep them", Then: then,
	})})
}

type discarded struct{ path string }

func (r discarded) apply(m *Model) tea.Cmd {
	if m.open == nil || m.open.service.Path() != r.path {
		return nil
	}
	d := m.open.definition()
	d.offer, d.broken, m.open.compare = nil, nil, nil
	d.begin(d.now, d.now)
	return tea.Batch(m.keep(d.target(), nil), views.Tell(views.Info, "Discarded. "+plain.Line(r.path)+" is as the site has it."))
}

// settled takes over what the site has after a sending: what of the edit it does not
// have stays an edit. What is edited beside, such as before a restoring, stays too.
func (d *definition) settled(edit operation.Edit, now *document.Document) tea.Cmd {
	d.now = now
	d.read.Reading = d.m.env.Clock.Now()
	switch beside := len(document.Diff(d.editor.Document(), edit.Edited)) > 0; {
	case d.changed() && (beside || d.broken != nil) || d.offer != nil:
		return nil
	case len(document.Diff(now, edit.Edited)) == 0:
		d.begin(now, now)
		return d.m.keep(d.target(), nil)
	}
	rest := edit.Edited
	if rebased, conflicts := edit.Rebase(now); len(conflicts) == 0 {
		rest = rebased.Edited // what somebody else has changed is no change of ours
	}
	if d.begin(rest, now); !d.changed() {
		return d.m.keep(d.target(), nil)
	}
	return d.keep(rest.Text())
}

func (d *definition) setSize(width, height int) {
	d.size = box{width, height}
	d.editor.SetSize(width, height)
}
