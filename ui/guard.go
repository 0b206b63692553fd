package ui

import (
	"reflect"
	"runtime/debug"
	"sync/atomic"

	tea "github.com/charmbracelet/bubbletea"
)

// PanicError is a failure of the program itself.
type PanicError struct {
	Where string // "drawing", "a message", "a command"
	Value any
	Stack []byte
}

// Error says what failed, without the value, which may hold anything.
func (e *PanicError) Error() string { return "the program has failed in " + e.Where }

// guard stands between Bubble Tea and the root. A panic ends the program in the
// usual way, so that the terminal is restored before anything is said; Bubble
// Tea's own handler prints into the screen that is about to go.
type guard struct {
	model  tea.Model
	jobs   *jobControl
	stop   func()
	failed atomic.Pointer[PanicError]
}

func (g *guard) failure() error {
	if e := g.failed.Load(); e != nil {
		return e
	}
	return nil
}

// recovered keeps the first panic and ends the program. Use it deferred.
func (g *guard) recovered(where string) {
	if value := recover(); value != nil {
		g.failed.CompareAndSwap(nil, &PanicError{Where: where, Value: value, Stack: debug.Stack()})
		g.stop()
	}
}

// Init starts the root.
func (g *guard) Init() tea.Cmd {
	defer g.recovered("the start")
	return g.watch(g.model.Init())
}

// Update passes a message to the root.
func (g *guard) Update(msg tea.Msg) (next tea.Model, cmd tea.Cmd) {
	next = g // also after a panic: Bubble Tea draws once more
	if g.failure() != nil {
		return g, nil
	}
	defer g.recovered("a message")
	if cmd, ours := g.jobs.update(msg); ours {
		return g, cmd
	}
	_, cmd = g.model.Update(msg)
	return g, g.watch(cmd)
}

// View draws the root.
func (g *guard) View() string {
	if g.failure() != nil {
		return ""
	}
	defer g.recovered("drawing")
	return g.model.View()
}

var cmdType = reflect.TypeFor[tea.Cmd]()

// watch returns a command whose panic is kept, and those of the commands that
// it yields. Batches are a type of Bubble Tea, sequences one that it does not
// export: both are slices of commands.
func (g *guard) watch(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() (msg tea.Msg) {
		defer g.recovered("a command")
		msg = cmd()
		list := reflect.ValueOf(msg)
		if list.Kind() == reflect.Slice && list.Type().Elem() == cmdType {
			for i := range list.Len() {
				if c, _ := list.Index(i).Interface().(tea.Cmd); c != nil {
					list.Index(i).Set(reflect.ValueOf(g.watch(c)))
				}
			}
		}
		return msg
	}
}
