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
	"geodeck/ui/widget/rows"
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

// write shows where the text breaks; back is what is there without it.
func (b *broken) write(p *rows.Page, back string) {
	k := p.Inks
	p.Signed(k.Glyphs.Fail, k.Fail, "Not valid JSON. Your text is kept.")
	p.Gap()
	p.Text(k.Plain, views.Sentence(b.err.Error()))
	p.Gap()
	p.Key("E", "edit it again")
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
}

// external is $EDITOR, in which the document is edited outside the screen.
type external struct {
	edit *edit
	// edited takes the document that was edited there, once its text is kept as the draft.
	edited func(d *document.Document, direct bool) tea.Cmd
	direct bool // it is opened at once, and the review after it
}

// open opens the edited document, or the broken text.
func (x *external) open() tea.Cmd {
	e := x.edit
	text := e.widget.Document().Text()
	if e.broken != nil {
		text = string(e.broken.text)
	}
	site, target, draft, at, getenv := e.env.Site, e.target, e.draft(text), e.widget.Path(), e.env.Getenv
	e.outside = true
	return e.run.do("editor", func() func() tea.Cmd {
		file, err := site.Memory.OpenEditor(target, draft, at)
		if err != nil {
			return func() tea.Cmd { return x.notStarted(err) }
		}
		program, err := file.Command(getenv)
		if err == nil {
			err = operation.Missing(program)
		}
		if err != nil {
			_ = file.Close() // nothing was typed into it yet
			return func() tea.Cmd { return x.notStarted(err) }
		}
		return func() tea.Cmd { return x.start(file, program) }
	})
}

func (x *external) notStarted(err error) tea.Cmd {
	x.edit.outside = false
	return views.TellFailed("Nothing was changed", err)
}

// start gives the terminal to $EDITOR.
func (x *external) start(file *operation.EditorFile, program *exec.Cmd) tea.Cmd {
	e := x.edit
	if e.left {
		e.outside = false
		return x.close("editor closed", file) // it holds nothing yet that is not here
	}
	r := leftText{editing: file}
	clock, began := e.env.Clock, e.env.Clock.Now()
	back := e.run.do("editor ended", func() func() tea.Cmd {
		r.atOnce = clock.Now().Sub(began) < atOnce
		return func() tea.Cmd { return x.read(r) }
	})
	return views.Outside(program, func(err error) tea.Msg {
		r.failed = err
		return back()
	})
}

// close removes a file whose text is not wanted.
func (x *external) close(kind string, file *operation.EditorFile) tea.Cmd {
	return x.edit.run.scope.Do(kind, func(context.Context) tea.Msg {
		_ = file.Close()
		return nil
	})
}

// atOnce is how soon nobody has typed anything: an editor that ends so soon may have a window
// that is still open, on a file that nobody reads any more.
const atOnce = 2 * time.Second

// read reads what $EDITOR has left, in a command: it may be large.
func (x *external) read(r leftText) tea.Cmd {
	widget := x.edit.widget
	return x.edit.run.do("edited", func() func() tea.Cmd {
		var draft operation.EditDraft
		draft, r.changed, r.err = r.editing.Edit()
		r.text = draft.Edited
		if r.err == nil && r.changed {
			var fault error
			if r.document, fault = parse(widget, []byte(r.text)); fault != nil {
				r.broken = newBroken([]byte(r.text), fault)
			}
		}
		return func() tea.Cmd { return x.ended(r) }
	})
}

// leftText is what $EDITOR has left of a document.
type leftText struct {
	editing  *operation.EditorFile // closed once the text is a draft
	text     string
	changed  bool
	document *document.Document // nil where the text is broken
	broken   *broken            // the text where it is broken
	failed   error              // $EDITOR ended with an error
	err      error              // what it left could not be taken
	atOnce   bool               // see [atOnce]
}

// ended takes what $EDITOR has left.
func (x *external) ended(r leftText) tea.Cmd {
	e, direct := x.edit, x.direct
	e.outside, x.direct = false, false
	switch {
	case r.err == nil && r.changed && e.left:
		return tea.Batch(e.keep(r),
			views.Tell(views.Info, "Your editor's text is saved as a draft of the "+plain.Line(e.target.String())+"."))
	case r.err != nil:
		return views.Send(views.Failed(views.Sentence(r.err.Error())+" Your earlier changes are untouched.", r.err))
	case r.failed != nil && r.changed: // with some editors this says: take nothing
		r.failed = nil
		return views.Send(views.Open{Unrequested: true, Dialog: widget.NewConfirm(e.env.Theme, widget.Question{
			ID: "services.take", Text: "The editor ended with an error. Use what it saved?",
			Yes: "take it over", No: "leave it", Then: e.run.call("take", func() tea.Cmd { return x.ended(r) }),
			Else: x.close("leave", r.editing),
		})})
	case r.failed != nil:
		return views.TellFailed("The editor ended with an error and changed nothing", r.failed)
	case !r.changed && r.atOnce:
		return views.Tell(views.Warning, "The editor changed nothing. One with a window needs a flag such as --wait.")
	case !r.changed:
		return views.Tell(views.Info, "The editor changed nothing.")
	case r.document == nil:
		return tea.Batch(e.keep(r),
			views.Tell(views.Warning, views.Keys("Not valid JSON. Your text is kept; {key:services.editor} edits it again.")))
	}
	return tea.Batch(e.keep(r), x.edited(r.document, direct))
}
