// Package diff is the widget that shows what an edit of a document would do: every
// change as path, old and new value, with what it risks, the keys that would be
// lost, and the rules that are broken. Lost keys are confirmed here, one by one, by
// typing their names.
//
// It does no I/O. Start at [Review].
package diff

import (
	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/document"
	"geodeck/theme"
	"geodeck/ui/views"
)

// Plan is what is shown.
type Plan struct {
	Changes  []document.Change
	Risks    []document.Risk
	Lost     []document.Path
	Findings []document.Finding
	// Service heads the part of a plan that is about several services; empty in a
	// plan of one.
	Service string
}

// Review is the widget.
type Review struct{}

// New returns a review of nothing.
func New(t *theme.Theme) *Review { panic("contract only") }

// Set shows plans, one below the other. Keys that were confirmed stay confirmed where
// they are still lost.
func (r *Review) Set(plans ...Plan) { panic("contract only") }

// Confirmed returns the lost keys that were confirmed by name, of the plan with that
// service.
func (r *Review) Confirmed(service string) []document.Path { panic("contract only") }

// Open tells how many lost keys of all plans wait for their confirmation.
func (r *Review) Open() int { panic("contract only") }

// Blocked tells whether a rule is broken in a way that nothing can be sent.
func (r *Review) Blocked() bool { panic("contract only") }

// Path returns the path under the cursor.
func (r *Review) Path() document.Path { panic("contract only") }

// SetSize gives the review its cells.
func (r *Review) SetSize(width, height int) { panic("contract only") }

// View draws exactly that size.
func (r *Review) View() string { panic("contract only") }

// Table lists everything that can be done here, for help and README.
func Table() []views.Command { panic("contract only") }

// Commands lists what can be done right now, the most wanted first.
func (r *Review) Commands() []views.Command { panic("contract only") }

// Do runs a command by its id and tells whether it is one of the review's.
func (r *Review) Do(id, argument string) (cmd tea.Cmd, known bool) { panic("contract only") }

// CapturesText tells whether typed keys are text at present.
func (r *Review) CapturesText() bool { panic("contract only") }

// Update takes keys while CapturesText.
func (r *Review) Update(msg tea.Msg) tea.Cmd { panic("contract only") }
