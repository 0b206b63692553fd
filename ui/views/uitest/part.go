package uitest

import (
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui/views"
)

// Widget is a part of views that has commands and takes text, such as an editor.
type Widget interface {
	Drawer
	Commands() []views.Command
	CapturesText() bool
	Update(tea.Msg) tea.Cmd
}

// Part is a widget under test at a size, driven as the view around it does.
type Part struct {
	Drawn
	keyed keyed
}

// ShowPart gives a widget its size.
func ShowPart(t testing.TB, w Widget, width, height int) *Part {
	t.Helper()
	return &Part{drawn(t, w, width, height), keyed{w}}
}

// Press gives keys by name and returns what the widget sent upward.
func (p *Part) Press(keys string) []tea.Msg {
	p.t.Helper()
	return p.Give(Keys(keys)...)
}

// Write types a text, a key for each character.
func (p *Part) Write(text string) []tea.Msg {
	p.t.Helper()
	return p.Give(Text(text)...)
}

// Give gives messages of keys, such as a paste.
func (p *Part) Give(keys ...tea.KeyMsg) []tea.Msg {
	p.t.Helper()
	return Press(p.t, p.keyed, keys...)
}

// Call runs a command as the palette does.
func (p *Part) Call(id, argument string) []tea.Msg {
	p.t.Helper()
	return Drain(p.t, p.keyed, views.Invoke(p.keyed, id, argument))
}

// keyed is a widget as a view of its own, without a scope: it asks nobody.
type keyed struct{ Widget }

func (k keyed) Replies() *views.Scope { return nil }
