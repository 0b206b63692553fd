package services

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/document"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

// broken is a text of an editor outside that is no definition. It is kept as it is.
type broken struct {
	text  []byte
	err   error
	first int // the number of the first line of lines
	at    int // the line of the fault, 0 where it has none
	lines []string
}

// How many lines are shown around the fault.
const (
	linesBefore = 6
	linesAfter  = 6
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
		b.lines, rest = append(b.lines, string(line[:min(len(line), mostShown)])), after
		if !more {
			break
		}
	}
	return b
}

// mostShown bounds what is shown of one line, in bytes.
const mostShown = 2000

// brokenLines show where the text breaks.
func (d *definition) brokenLines() []string {
	m, b := d.m, d.broken
	p := m.page()
	p.Signed(m.inks.Glyphs.Fail, m.inks.Fail, "The text from your editor is no definition; it is kept as it is")
	p.Gap()
	p.Text(m.inks.Plain, sentence(b.err))
	p.Gap()
	for i, line := range b.lines {
		n := b.first + i
		number := strconv.Itoa(n)
		number = strings.Repeat(" ", max(0, 6-len(number))) + number + " "
		if n == b.at {
			p.Line(m.inks.Fail.On(m.inks.Glyphs.Cursor+number) + m.inks.Strong.On(plain.Clip(line, p.Width-9)))
			continue
		}
		p.Line(" " + m.inks.Muted.On(number) + plain.Clip(line, p.Width-9))
	}
	p.Gap()
	p.Key("E", "opens it in your editor again")
	p.Key("X", "discards it and goes back to what the site has, after a question")
	return p.Lines
}

// editorReady is a file that is ready to be edited outside.
type editorReady struct {
	of      *definition
	before  *document.Document // as it was edited by then
	editing *views.Editing
	err     error
}

// outside opens the whole definition, or the text that broke, in the user's editor.
func (d *definition) outside() tea.Cmd {
	if d.now == nil || d.away {
		return nil
	}
	edited, fault := d.editor.Document(), d.broken
	d.away = true
	name := d.service.Name + "." + d.service.Type + ".json"
	return d.m.scope.Do("editor", func(context.Context) tea.Msg {
		text := setOut(edited)
		if fault != nil {
			text = fault.text
		}
		editing, err := views.NewEditing(name, text)
		return editorReady{d, edited, editing, err}
	})
}

// setOut is a definition as an editor shows it: one that stands on a single line is
// set out in many.
func setOut(d *document.Document) []byte {
	if text := strings.TrimSpace(d.Text()); strings.Contains(text, "\n") {
		return d.Bytes()
	}
	return []byte(d.Root().Subtree() + "\n")
}

// asWritten brings what was typed into the layout of the definition that was set out
// for the editor: white space that nobody asked for is not sent.
func asWritten(before, typed *document.Document) *document.Document {
	if strings.Contains(strings.TrimSpace(before.Text()), "\n") {
		return typed
	}
	same, err := before.Apply(document.Diff(before, typed))
	if err != nil || len(document.Diff(same, typed)) > 0 {
		return typed
	}
	return same
}

// apply gives the terminal to the editor.
func (r editorReady) apply(m *Model) tea.Cmd {
	open := m.isOpen(r.of)
	if r.err == nil && open {
		cmd, err := r.editing.Command(os.Getenv)
		if err == nil {
			var ended error
			back := m.scope.Do("editor ended", func(context.Context) tea.Msg { return editorEnded{r.of, r.before, r.editing, ended} })
			return tea.ExecProcess(cmd, func(err error) tea.Msg {
				ended = err
				return back()
			})
		}
		r.err = err
	}
	r.of.away = false
	if r.editing != nil {
		_ = r.editing.Close() // it holds nothing yet that is not here
	}
	if r.err == nil {
		return nil
	}
	return views.Send(views.Notice{Level: views.Failure, Text: "No editor was opened: " + r.err.Error(), Err: r.err})
}

// definitionOf returns the definition of a service that is still open.
func (m *Model) definitionOf(path string) *definition {
	if m.open == nil || m.open.service.Path() != path {
		return nil
	}
	return m.open.definition()
}

// isOpen tells whether it is this very definition that is open.
func (m *Model) isOpen(d *definition) bool { return m.open != nil && m.open.definition() == d }

// editorEnded says that the terminal is ours again.
type editorEnded struct {
	of      *definition
	before  *document.Document
	editing *views.Editing
	err     error // of the editor itself
}

// apply reads what the editor has left, in a command: it may be large.
func (r editorEnded) apply(m *Model) tea.Cmd {
	return m.scope.Do("edited", func(context.Context) tea.Msg {
		text, changed, err := r.editing.Text()
		_ = r.editing.Close() // what it left is in text; a file that stays is private
		e := edited{of: r.of, text: text, changed: changed, failed: r.err, err: err}
		if err == nil && changed {
			if e.document, e.fault = document.Parse(text); e.fault == nil {
				e.document = asWritten(r.before, e.document)
			}
		}
		return e
	})
}

// edited is what an editor outside has made of a definition.
type edited struct {
	of       *definition
	text     []byte
	changed  bool
	document *document.Document // nil where it is none
	fault    error              // why it is none
	failed   error              // the editor ended with an error
	err      error              // what it left could not be taken
}

func (r edited) apply(m *Model) tea.Cmd {
	d := r.of
	d.away = false
	switch {
	case r.err == nil && r.changed && !m.isOpen(d):
		return tea.Batch(d.keep(string(r.text)),
			views.Tell(views.Info, "The text from your editor is kept as a draft of "+plain.Line(d.service.Path())+"."))
	case r.err != nil:
		return views.Send(views.Notice{Level: views.Failure, Text: asSentence(r.err.Error()) + " Your changes are as they were before.", Err: r.err})
	case r.failed != nil && r.changed:
		return d.askTake(r)
	case r.failed != nil:
		return views.Send(views.Notice{Level: views.Failure, Text: "The editor ended with an error, and has changed nothing: " + r.failed.Error(), Err: r.failed})
	case !r.changed:
		return views.Tell(views.Info, "The editor has changed nothing.")
	}
	return d.take(r)
}

// askTake asks what to do with the text of an editor that failed: some end so to say
// that nothing shall be taken.
func (d *definition) askTake(r edited) tea.Cmd {
	r.failed = nil
	then := d.m.scope.Do("take", func(context.Context) tea.Msg { return r })
	return views.Send(views.Open{Unasked: true, Dialog: views.NewConfirm(d.m.env.Theme, views.Question{
		ID: "services.take", Text: "The editor ended with an error. Take over what it has saved?",
		Yes: "take it over", No: "leave it", Then: then,
	})})
}

// take puts the text in place of what was edited, or keeps it where it is broken.
func (d *definition) take(r edited) tea.Cmd {
	if r.document == nil {
		d.broken = newBroken(r.text, r.fault)
		return tea.Batch(d.keep(string(r.text)),
			views.Tell(views.Warning, "The text is no definition; it is kept. E opens it again."))
	}
	d.broken = nil
	d.editor.Replace(r.document)
	return d.notice()
}
