package widget

import (
	"cmp"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/finding"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

// Acknowledge is the key that accepts findings on a screen one by one, the same in every view: a
// caution by the key, a danger by its word, and nothing that was not to be read before.
type Acknowledge struct {
	finding.Accepted
	held bool // the key came, and no pause since
}

// NewAcknowledge returns one that has accepted nothing.
func NewAcknowledge() Acknowledge { return Acknowledge{Accepted: finding.Accepted{}} }

// Rested says that no key came for a moment, see [views.Rested]: the next one is no repetition of a
// key that is held.
func (a *Acknowledge) Rested() { a.held = false }

// Press accepts a finding, or takes that back. read reports whether its text was on the screen while
// no key came; then follows once something was accepted or taken back.
func (a *Acknowledge) Press(b views.Base, f finding.Finding, read bool, then func() tea.Cmd) tea.Cmd {
	name, held := plain.Capital(cmp.Or(f.Title, f.ID)), a.held
	a.held = true
	switch {
	case !f.Open():
		return views.Tell(views.Info, name+" asks for nothing.")
	case held, !read:
		return views.Tell(views.Info, "Read the "+f.Word()+", then press the key again.")
	case a.Has(f):
		a.Remove(f)
		return tea.Batch(then(), views.Tell(views.Info, name+" is no longer accepted."))
	case f.Strength == finding.Danger:
		return a.Ask(b, f, then)
	}
	a.Add(f)
	return then()
}

// Ask asks for the word of a danger, which accepts it: a key is too little.
func (a *Acknowledge) Ask(b views.Base, f finding.Finding, then func() tea.Cmd) tea.Cmd {
	return views.Show(NewConfirm(b.Env.Theme, Question{
		ID: "finding.accept", Text: "Go on all the same?", Consequence: f.Said(),
		Word: f.Accept, Yes: "accept it", No: "leave it",
		Then: b.Scope.Call("accept", func() tea.Cmd { a.Add(f); return then() }),
	}))
}
