package editor

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/document"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

// Widget is what a document is edited in.
type Widget interface {
	// Prepare does the part of opening a document that grows with it, in a command: it
	// touches nothing of the widget. open does the rest. unfit is why the widget cannot
	// edit base.
	Prepare(edited, base *document.Document) (open func(), unfit error)
	// Check says why the widget cannot edit a document. It runs in a command too.
	Check(*document.Document) error
	// Steps returns what can be undone; another widget that opens the same text recalls it.
	Steps() any
	Recall(steps any)
	// Replace puts a document in place of the edited one, as a change of it.
	Replace(*document.Document) tea.Cmd
	Document() *document.Document
	Base() *document.Document
	Revision() int
	// Path leads to what is under the cursor.
	Path() document.Path
	// GoTo puts the cursor on the value at a path, or on what it would be in.
	GoTo(document.Path) tea.Cmd
	CapturesText() bool
	// Filtering reports whether it is a filter or a search that is typed.
	Filtering() bool
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
	// Footer lists the rows of its footer, those of the tab and of the view around it in their places.
	Footer() []string
	SetSize(width, height int)
	View() string
}

// Typist is a [Widget] in which values are typed as text. What is typed is no part of the
// document before it is taken over; the draft has it nevertheless.
type Typist interface {
	Widget
	// Strokes grows with each change of what is typed, and where typing begins or ends.
	Strokes() int
	// Typing returns what is being typed; nil where that is nothing.
	Typing() *operation.TypedText
	// ResumeTyping goes on with a text at its place; false where there is no such place. Where nobody asked for
	// that, a text of several lines waits for its key: the next key may be meant for something else.
	ResumeTyping(typed *operation.TypedText, asked bool) (tea.Cmd, bool)
	// ForgetTyping gives up what is typed.
	ForgetTyping()
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

// parse reads a text as what the widget edits.
func parse(w Widget, text []byte) (*document.Document, error) {
	d, err := document.Parse(text)
	if err == nil {
		err = w.Check(d)
	}
	if err != nil {
		return nil, err
	}
	return d, nil
}

// typingSaved is how long typed text waits for more before it is saved.
const typingSaved = 500 * time.Millisecond

// typing follows the text that is being typed, and has it saved in a moment.
type typing struct {
	typist  Typist // nil where nothing is typed but names and filters
	run     *background
	save    func() tea.Cmd
	strokes int  // that were seen last
	waits   bool // it is saved in a moment
	saved   bool // the draft has a typed text
	left    bool // the service was left
}

func newTyping(widget Widget, run *background, save func() tea.Cmd) *typing {
	typist, _ := widget.(Typist)
	return &typing{typist: typist, run: run, save: save}
}

// text returns what is being typed, nil for nothing.
func (t *typing) text() *operation.TypedText {
	if t.typist == nil {
		return nil
	}
	return t.typist.Typing()
}

// kept reports whether a text was typed, and is kept beside the document.
func (t *typing) kept() bool { return t.text() != nil && !t.typist.CapturesText() }

// forget gives up what is typed.
func (t *typing) forget() {
	if t.typist != nil {
		t.typist.ForgetTyping()
	}
}

// follow has what is typed saved in a moment; where typing has ended, the draft is saved
// without it at once.
func (t *typing) follow() tea.Cmd {
	if t.typist == nil || t.waits || t.typist.Strokes() == t.strokes {
		return nil
	}
	if t.strokes = t.typist.Strokes(); !t.typist.CapturesText() {
		if t.saved || t.text() != nil {
			return t.save()
		}
		return nil
	}
	t.waits = true
	return t.run.later(typingSaved, "typing", t.due)
}

// due saves what is typed.
func (t *typing) due() tea.Cmd {
	if t.waits = false; t.left || t.text() == nil && !t.saved {
		return t.follow()
	}
	return tea.Batch(t.save(), t.follow())
}

// resume goes on with the text that a draft has beside the edit.
func (t *typing) resume(typed *operation.TypedText, asked bool) tea.Cmd {
	if t.typist == nil || typed == nil {
		return nil
	}
	cmd, there := t.typist.ResumeTyping(typed, asked)
	if !there {
		return views.Tell(views.Warning, "The place for the text you typed no longer exists: "+plain.Clip(typed.Path.String(), 100)+".")
	}
	t.strokes, t.saved = t.typist.Strokes(), true
	return cmd
}
