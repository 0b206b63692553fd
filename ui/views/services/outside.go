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
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

// broken is a text of an editor outside that is none of the part that was edited. It is kept as it is.
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
func (e *edited) brokenLines() []string {
	m, b := e.m, e.broken
	p := m.page()
	p.Signed(m.inks.Glyphs.Fail, m.inks.Fail, "The text from your editor is no "+e.name()+"; it is kept as it is")
	p.Gap()
	p.Text(m.inks.Plain, sentence(b.err))
	p.Gap()
	p.Key("E", "opens it in your editor again")
	back := "what the site has"
	if e.editedBefore() {
		back = "your changes from before it"
	}
	p.Key("X", "discards this text and goes back to "+back+", after a question")
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
	return p.Lines
}

// editorReady is a file that is ready to be edited outside.
type editorReady struct {
	of      *edited
	before  *document.Document // as it was edited by then
	editing *operation.Editing
	err     error
}

// outside opens the whole of what is edited, or the text that broke, in the user's editor.
func (e *edited) outside() tea.Cmd {
	if e.now == nil || e.away || e.unfit != nil {
		return nil
	}
	before, fault := e.editor.Document(), e.broken
	e.away = true
	name := e.fileName()
	return e.m.scope.Do("editor", func(context.Context) tea.Msg {
		text := setOut(before)
		if fault != nil {
			text = fault.text
		}
		editing, err := operation.NewEditing(name, text)
		return editorReady{e, before, editing, err}
	})
}

// fileName is what the file in the editor is called.
func (e *edited) fileName() string {
	name := e.target.Service.Name + "." + e.target.Service.Type
	if e.target.Part == operation.Placement {
		name += ".placement"
	}
	return name + ".json"
}

// setOut is a document as an editor shows it: one that stands on a single line is
// set out in many.
func setOut(d *document.Document) []byte {
	if text := strings.TrimSpace(d.Text()); strings.Contains(text, "\n") {
		return d.Bytes()
	}
	return []byte(d.Root().Subtree() + "\n")
}

// asWritten brings what was typed into the layout of the document that was set out
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
	open := r.of.isOpen()
	if r.err == nil && open {
		cmd, err := r.editing.Command(os.Getenv)
		if err == nil {
			var ended error
			back := m.scope.Do("editor ended", func(context.Context) tea.Msg { return editorEnded{r.of, r.before, r.editing, ended} })
			return views.Outside(cmd, func(err error) tea.Msg {
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

// editorEnded says that the terminal is ours again.
type editorEnded struct {
	of      *edited
	before  *document.Document
	editing *operation.Editing
	err     error // of the editor itself
}

// apply reads what the editor has left, in a command: it may be large.
func (r editorEnded) apply(m *Model) tea.Cmd {
	return m.scope.Do("edited", func(context.Context) tea.Msg {
		text, changed, err := r.editing.Text()
		_ = r.editing.Close() // what it left is in text; a file that stays is private
		e := editedOutside{of: r.of, text: text, changed: changed, failed: r.err, err: err}
		if err == nil && changed {
			if e.document, e.fault = parsed(r.of.target.Part, text); e.fault == nil {
				e.document = asWritten(r.before, e.document)
			}
		}
		return e
	})
}

// editedOutside is what an editor outside has made of a document.
type editedOutside struct {
	of       *edited
	text     []byte
	changed  bool
	document *document.Document // nil where it is none
	fault    error              // why it is none
	failed   error              // the editor ended with an error
	err      error              // what it left could not be taken
}

func (r editedOutside) apply(*Model) tea.Cmd {
	e := r.of
	e.away = false
	switch {
	case r.err == nil && r.changed && !e.isOpen():
		return tea.Batch(e.keep(string(r.text)),
			views.Tell(views.Info, "The text from your editor is kept as a draft of the "+plain.Line(e.target.String())+"."))
	case r.err != nil:
		return views.Send(views.Notice{Level: views.Failure, Text: sentence(r.err) + " Your changes are as they were before.", Err: r.err})
	case r.failed != nil && r.changed:
		return e.askTake(r)
	case r.failed != nil:
		return views.Send(views.Notice{Level: views.Failure, Text: "The editor ended with an error, and has changed nothing: " + r.failed.Error(), Err: r.failed})
	case !r.changed:
		return views.Tell(views.Info, "The editor has changed nothing.")
	}
	return e.take(r)
}

// askTake asks what to do with the text of an editor that failed: some end so to say
// that nothing shall be taken.
func (e *edited) askTake(r editedOutside) tea.Cmd {
	r.failed = nil
	then := e.m.scope.Do("take", func(context.Context) tea.Msg { return r })
	return views.Send(views.Open{Unasked: true, Dialog: views.NewConfirm(e.m.env.Theme, views.Question{
		ID: "services.take", Text: "The editor ended with an error. Take over what it has saved?",
		Yes: "take it over", No: "leave it", Then: then,
	})})
}

// take puts the text in place of what was edited, or keeps it where it is broken.
func (e *edited) take(r editedOutside) tea.Cmd {
	if r.document == nil {
		e.broken = newBroken(r.text, r.fault)
		return tea.Batch(e.keep(string(r.text)),
			views.Tell(views.Warning, "The text is no "+e.name()+"; it is kept. E opens it again."))
	}
	e.broken = nil
	e.editor.Replace(r.document)
	return e.notice()
}
