package editor

import (
	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/document"
	"geodeck/adminapi/operation"
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
	// Replace puts a document in place of the edited one, as a change of it.
	Replace(*document.Document) tea.Cmd
	Document() *document.Document
	Base() *document.Document
	Revision() int
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
	// ResumeTyping goes on with a text at its place; false where there is no such place.
	ResumeTyping(*operation.TypedText) (tea.Cmd, bool)
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
