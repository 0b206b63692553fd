package editor

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/ui/views"
)

// background runs what takes time in commands, and then in the update loop what that leads to.
type background struct {
	scope  *views.Scope
	clock  adminapi.Clock
	of     string                            // names the edit that the work is for
	arrive func(then func() tea.Cmd) tea.Cmd // runs then, once the edit can be changed
}

// do runs a part of the work in a command, where it captures values and touches nothing of the
// edit, and then in the update loop what it returns, which changes the edit.
func (b *background) do(kind string, part func() (then func() tea.Cmd)) tea.Cmd {
	return b.scope.Work(kind+" "+b.of, func(context.Context) func() tea.Cmd { return b.late(part()) })
}

func (b *background) late(then func() tea.Cmd) func() tea.Cmd {
	return func() tea.Cmd { return b.arrive(then) }
}

// call is what a question leads to once it was answered.
func (b *background) call(kind string, then func() tea.Cmd) tea.Cmd {
	return b.scope.Call(kind+" "+b.of, b.late(then))
}

// later runs then once a time has passed.
func (b *background) later(wait time.Duration, kind string, then func() tea.Cmd) tea.Cmd {
	return b.scope.Later(b.clock, wait, kind+" "+b.of, b.late(then))
}
