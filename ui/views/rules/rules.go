// Package rules is the widget that builds the rules which place pods: the affinity and
// the tolerations of each deployment of a policy, and beside them, live, which nodes
// take the pods and why, the rules in plain words, what is wrong with them, and their
// JSON. Every edit can be undone; what it does not know of a policy stays.
//
// It does no I/O. Start at [Builder].
package rules

import (
	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/placement"
	"geodeck/theme"
	"geodeck/ui/views"
)

// Builder is the widget.
type Builder struct{}

// New returns a builder of an empty policy.
func New(t *theme.Theme) *Builder { panic("contract only") }

// Set begins to edit a policy; base is what the site has, against which it is shown
// what is changed. What could be undone is forgotten. The cursor stays where it can.
func (b *Builder) Set(edited, base placement.Policy) { panic("contract only") }

// Policy returns the policy as it is edited by now.
func (b *Builder) Policy() placement.Policy { panic("contract only") }

// Base returns what it is compared with.
func (b *Builder) Base() placement.Policy { panic("contract only") }

// Changed tells whether the policy differs from the base, byte for byte.
func (b *Builder) Changed() bool { panic("contract only") }

// Revision counts the edits: it changes whenever Policy does.
func (b *Builder) Revision() int { panic("contract only") }

// Replace takes over an edit that was made outside, such as a preset; it can be undone.
func (b *Builder) Replace(p placement.Policy) { panic("contract only") }

// Item returns the index of the deployment under the cursor.
func (b *Builder) Item() int { panic("contract only") }

// SetNodes gives the nodes of the cluster. note says where they are from and how old
// they are; where there are none, what to do to get them. It is one sentence, clean.
func (b *Builder) SetNodes(nodes []placement.Node, note string) { panic("contract only") }

// SetNotes says of deployments, by their id, what a person should know, such as that
// other services share one; clean.
func (b *Builder) SetNotes(notes map[string]string) { panic("contract only") }

// Judgement is what the nodes make of the rules of one deployment, and what is wrong
// with the policy.
type Judgement struct {
	revision int
	item     int
	verdicts []placement.Verdict
	findings []placement.Finding
}

// Judging returns what finds out the judgement that the screen waits for, nil where it
// waits for none. It captures values: it may run outside the update loop, and one that
// is overtaken by another edit is ignored by Judge.
func (b *Builder) Judging() func() Judgement { panic("contract only") }

// Judge shows a judgement. Until it comes the one before is shown, marked as old.
func (b *Builder) Judge(j Judgement) { panic("contract only") }

// SetSize gives the builder its cells.
func (b *Builder) SetSize(width, height int) { panic("contract only") }

// View draws exactly that size.
func (b *Builder) View() string { panic("contract only") }

// Note says where the cursor is, for the line above; may be empty.
func (b *Builder) Note() string { panic("contract only") }

// Table lists everything that can be done here, for help and README.
func Table() []views.Command { panic("contract only") }

// Commands lists what can be done right now, the most wanted first.
func (b *Builder) Commands() []views.Command { panic("contract only") }

// Do runs a command by its id and tells whether it is one of the builder's.
func (b *Builder) Do(id, argument string) (cmd tea.Cmd, known bool) { panic("contract only") }

// CapturesText tells whether typed keys are text at present.
func (b *Builder) CapturesText() bool { panic("contract only") }

// Update takes keys while CapturesText.
func (b *Builder) Update(msg tea.Msg) tea.Cmd { panic("contract only") }

// Unsaved tells whether something is typed that is not in the policy yet.
func (b *Builder) Unsaved() bool { panic("contract only") }

// Back goes one step out inside the builder: out of a panel, a filter, a question;
// false where there is none.
func (b *Builder) Back() bool { panic("contract only") }
