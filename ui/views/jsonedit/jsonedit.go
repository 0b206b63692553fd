// Package jsonedit is the widget that a JSON document is edited with: a folding,
// coloured, searchable tree of its lines, in which values are edited in place, keys
// are added, deleted, renamed and moved, and every step can be undone. It never
// changes a byte that nobody asked to change: that is package document's work.
//
// It does no I/O. Start at [Editor].
package jsonedit

import (
	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/document"
	"geodeck/theme"
	"geodeck/ui/views"
)

// Editor is the widget.
type Editor struct{}

// New returns an editor of an empty object.
func New(t *theme.Theme) *Editor { panic("contract only") }

// Set opens a document. base is what it is compared with: changed lines are marked,
// and findings are told against it. Steps before it cannot be undone any more.
func (e *Editor) Set(d, base *document.Document) { panic("contract only") }

// Replace puts another document in place of the present one, as one step that can be
// undone: what an external editor or a merge has made.
func (e *Editor) Replace(d *document.Document) { panic("contract only") }

// Document returns the document as it is edited by now.
func (e *Editor) Document() *document.Document { panic("contract only") }

// Base returns what it is compared with.
func (e *Editor) Base() *document.Document { panic("contract only") }

// Revision counts up with every change of the document, undo and redo included:
// whoever keeps drafts compares it.
func (e *Editor) Revision() int { panic("contract only") }

// Path returns the path of the value under the cursor.
func (e *Editor) Path() document.Path { panic("contract only") }

// Go puts the cursor on a value, opening what hides it, and tells whether it is
// there.
func (e *Editor) Go(path document.Path) bool { panic("contract only") }

// Say shows a sentence at the line of a path until the next change, such as why an
// external editor's text was not taken.
func (e *Editor) Say(path document.Path, text string) { panic("contract only") }

// SetSize gives the editor its cells.
func (e *Editor) SetSize(width, height int) { panic("contract only") }

// View draws exactly that size.
func (e *Editor) View() string { panic("contract only") }

// Table lists everything that can be done here, for help and README; Commands what
// can be done right now.
func Table() []views.Command { panic("contract only") }

// Commands lists what can be done right now, the most wanted first.
func (e *Editor) Commands() []views.Command { panic("contract only") }

// Do runs a command by its id and tells whether it is one of the editor's.
func (e *Editor) Do(id, argument string) (cmd tea.Cmd, known bool) { panic("contract only") }

// CapturesText tells whether typed keys are text at present: a value that is edited,
// a filter.
func (e *Editor) CapturesText() bool { panic("contract only") }

// Update takes keys while CapturesText, and messages of the widget that edits.
func (e *Editor) Update(msg tea.Msg) tea.Cmd { panic("contract only") }

// Unsaved tells whether something is being typed that is not in the document yet: a
// view that is left asks first.
func (e *Editor) Unsaved() bool { panic("contract only") }
