package editor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/document"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/widget"
)

// broken is a text from $EDITOR that is no such part. It is kept as it is.
type broken struct {
	text  []byte
	err   error
	first int // the number of the first line of lines
	at    int // the line of the fault, 0 where it has none
	lines []string
}

const (
	linesBefore = 6 // shown around the fault
	linesAfter  = 6
	maxLine     = 2000 // bytes that are shown of one line
)

func newBroken(text []byte, err error) *broken {
	b := &broken{text: text, err: err, first: 1}
	if fault, ok := errors.AsType[*document.SyntaxError](err); ok {
		b.at = fault.Line
		b.first = max(1, fault.Line-linesBefore)
	}
	rest := text
	for range b.first - 1 {
		_, rest, _ = bytes.Cut(rest, []byte("\n"))
	}
	for range linesBefore + 1 + linesAfter {
		line, after, more := bytes.Cut(rest, []byte("\n"))
		b.lines, rest = append(b.lines, string(line[:min(len(line), maxLine)])), after
		if !more {
			break
		}
	}
	return b
}

// brokenLines show where the text breaks.
func (t *Tab) brokenLines() []string {
	b, k, p := t.broken, t.inks, t.page()
	p.Signed(k.Glyphs.Fail, k.Fail, "Not valid JSON. Your text is kept.")
	p.Gap()
	p.Text(k.Plain, views.Sentence(b.err.Error()))
	p.Gap()
	p.Key("E", "edit it again")
	back := "what the site has"
	if t.differsInWidget() {
		back = "your earlier changes"
	}
	p.Key("X", "discard it, back to "+back)
	p.Gap()
	for i, line := range b.lines {
		n := b.first + i
		number := fmt.Sprintf("%6d ", n)
		if n == b.at {
			p.Line(k.Fail.On(k.Glyphs.Cursor+number) + k.Strong.On(plain.Clip(line, p.Width-9)))
			p.Focus(len(p.Lines) - 1)
			continue
		}
		p.Line(" " + k.Muted.On(number) + plain.Clip(line, p.Width-9))
	}
	return p.Lines
}

// EditDirectly opens the document in $EDITOR once it was read, and after that the review of
// what was changed. A draft that is found is decided about first.
func (t *Tab) EditDirectly() { t.direct = true }

// openOutside opens the edited document, or the broken text, in $EDITOR.
func (t *Tab) openOutside() tea.Cmd {
	text := t.widget.Document().Text()
	if t.broken != nil {
		text = string(t.broken.text)
	}
	site, target, edit, getenv := t.Env.Site, t.Target, t.draft(text), t.Env.Getenv
	t.outside = true
	return t.work("editor", func() func() tea.Cmd {
		editing, err := site.Memory.OpenEditor(target, edit)
		if err != nil {
			return func() tea.Cmd { return t.notStarted(err) }
		}
		program, err := editing.Command(getenv)
		if err != nil {
			_ = editing.Close() // nothing was typed into it yet
			return func() tea.Cmd { return t.notStarted(err) }
		}
		return func() tea.Cmd { return t.runEditor(editing, program) }
	})
}

func (t *Tab) notStarted(err error) tea.Cmd {
	t.outside = false
	return tellFailed("The editor did not start", err)
}

// runEditor gives the terminal to $EDITOR.
func (t *Tab) runEditor(editing *operation.EditorFile, program *exec.Cmd) tea.Cmd {
	if t.left {
		t.outside = false
		return t.Scope.Do("editor closed", func(context.Context) tea.Msg {
			_ = editing.Close() // it holds nothing yet that is not here
			return nil
		})
	}
	e := editedOutside{editing: editing}
	clock, began := t.Env.Clock, t.Env.Clock.Now()
	back := t.work("editor ended", func() func() tea.Cmd {
		e.atOnce = clock.Now().Sub(began) < atOnce
		return func() tea.Cmd { return t.readEdited(e) }
	})
	return views.Outside(program, func(err error) tea.Msg {
		e.failed = err
		return back()
	})
}

// atOnce is how soon nobody has typed anything: an editor that ends so soon may have a window
// that is still open, on a file that nobody reads any more.
const atOnce = 2 * time.Second

// readEdited reads what $EDITOR has left, in a command: it may be large.
func (t *Tab) readEdited(e editedOutside) tea.Cmd {
	widget := t.widget
	return t.work("edited", func() func() tea.Cmd {
		var edit operation.EditDraft
		edit, e.changed, e.err = e.editing.Edit()
		e.text = edit.Edited
		if e.err == nil && e.changed {
			var fault error
			if e.document, fault = parse(widget, []byte(e.text)); fault != nil {
				e.broken = newBroken([]byte(e.text), fault)
			}
		}
		return func() tea.Cmd { return t.editedOutside(e) }
	})
}

// editedOutside is what $EDITOR has left of a document.
type editedOutside struct {
	editing  *operation.EditorFile // closed once the text is a draft
	text     string
	changed  bool
	document *document.Document // nil where the text is broken
	broken   *broken            // the text where it is broken
	failed   error              // $EDITOR ended with an error
	err      error              // what it left could not be taken
	atOnce   bool               // see [atOnce]
}

func (t *Tab) editedOutside(r editedOutside) tea.Cmd {
	direct := t.direct
	t.outside, t.direct = false, false
	switch {
	case r.err == nil && r.changed && t.left:
		return tea.Batch(t.keep(r),
			views.Tell(views.Info, "Your editor's text is saved as a draft of the "+plain.Line(t.Target.String())+"."))
	case r.err != nil:
		return views.Send(views.Failed(views.Sentence(r.err.Error())+" Your earlier changes are untouched.", r.err))
	case r.failed != nil && r.changed: // with some editors this says: take nothing
		r.failed = nil
		return views.Send(views.Open{Unrequested: true, Dialog: widget.NewConfirm(t.Env.Theme, widget.Question{
			ID: "services.take", Text: "The editor ended with an error. Use what it saved?",
			Yes: "take it over", No: "leave it", Then: t.confirmed("take", func() tea.Cmd { return t.editedOutside(r) }),
			Else: t.Scope.Do("leave", func(context.Context) tea.Msg {
				_ = r.editing.Close()
				return nil
			}),
		})})
	case r.failed != nil:
		return tellFailed("The editor ended with an error and changed nothing", r.failed)
	case !r.changed && r.atOnce:
		return views.Tell(views.Warning, "The editor changed nothing. One with a window needs a flag such as --wait.")
	case !r.changed:
		return views.Tell(views.Info, "The editor changed nothing.")
	case r.document == nil:
		return tea.Batch(t.keep(r),
			views.Tell(views.Warning, views.Keys("Not valid JSON. Your text is kept; {key:services.editor} edits it again.")))
	}
	changed := tea.Batch(t.keep(r), t.widget.Replace(r.document), t.Changed())
	if direct {
		return tea.Batch(changed, t.reviewOf(r.document))
	}
	return changed
}

// keep saves what $EDITOR has left as the draft, before anything else is done with it.
func (t *Tab) keep(r editedOutside) tea.Cmd {
	t.broken = r.broken
	draft := t.draft(r.text)
	return t.drafts.Take(t.Target, &draft, r.editing)
}
