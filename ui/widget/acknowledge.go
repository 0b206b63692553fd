package widget

import (
	"cmp"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/finding"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

// Acknowledge is the key that accepts findings on a screen one by one, the same in every view: a
// caution by the key, a danger by its word, and nothing that was not to be read before.
type Acknowledge struct {
	finding.Accepted
	last time.Time // when the key came last
}

// NewAcknowledge returns one that has accepted nothing.
func NewAcknowledge() Acknowledge { return Acknowledge{Accepted: finding.Accepted{}} }

// repeatTime is how fast a key repeats at least that is held: it accepts one finding only.
const repeatTime = 150 * time.Millisecond

// Press accepts a finding, or takes that back. read reports whether its text was on the screen while
// no key came; then follows once something was accepted or taken back. A command that is nil says that
// nothing is to be told.
func (a *Acknowledge) Press(b views.Base, f finding.Finding, read bool, then func() tea.Cmd) tea.Cmd {
	name, now := plain.Capital(cmp.Or(f.Title, f.ID)), b.Env.Clock.Now()
	held := now.Sub(a.last) < repeatTime
	a.last = now
	switch {
	case !f.Open():
		return views.Tell(views.Info, name+" needs no acknowledgement.")
	case held, !read:
		return views.Tell(views.Info, "Read the "+f.Word()+", then press the key again.")
	case a.Has(f):
		a.Remove(f)
		return tea.Batch(then(), views.Tell(views.Info, name+" is no longer acknowledged."))
	case f.Strength == finding.Danger:
		return a.Ask(b, f, then)
	}
	a.Add(f)
	return then()
}

// Ask asks for the word of a danger, which accepts it: a key is too little.
func (a *Acknowledge) Ask(b views.Base, f finding.Finding, then func() tea.Cmd) tea.Cmd {
	return views.Send(views.Open{Dialog: NewConfirm(b.Env.Theme, Question{
		ID: "finding.accept", Text: "Go on all the same?", Consequence: f.Said(),
		Word: f.Accept, Yes: "accept it", No: "leave it",
		Then: b.Scope.Call("accept", func() tea.Cmd { a.Add(f); return then() }),
	})})
}
