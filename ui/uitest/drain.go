package uitest

import (
	"io"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui/views"
)

// maxCommands bounds what Drain runs: a view that never comes to rest is a mistake.
const maxCommands = 5_000

// Updater is what Drain drives: a view, or a dialog.
type Updater interface {
	Update(tea.Msg) tea.Cmd
	Replies() *views.Scope
}

// Drain runs cmd and every command that follows from it, oldest first, and
// returns the messages that the view sent upward. Replies are opened, and
// dropped when they are stale, as the root does.
func Drain(t testing.TB, view Updater, cmd tea.Cmd) []tea.Msg {
	t.Helper()
	up, rest := Run(view, cmd, maxCommands)
	if len(rest) > 0 {
		t.Fatalf("still going on after %d commands", maxCommands)
	}
	return up
}

// Run is Drain for at most n commands: it also returns the commands left.
func Run(view Updater, cmd tea.Cmd, n int) (up []tea.Msg, rest []tea.Cmd) {
	queue := []tea.Cmd{cmd}
	for ; len(queue) > 0 && n > 0; n-- {
		next := queue[0]
		queue = queue[1:]
		if next == nil || blinks(next) {
			n++
			continue
		}
		msg := next()
		if cmds, ok := commandsOf(msg); ok {
			queue = append(queue, cmds...)
			continue
		}
		if IsExec(msg) {
			msg = runExec(msg)
		}
		sent, follow := deliver(view, msg)
		up = append(up, sent...)
		queue = append(queue, follow)
	}
	return up, slices.DeleteFunc(queue, func(c tea.Cmd) bool { return c == nil })
}

// blinks reports whether a command waits to blink a cursor: that takes half a
// second of the wall's time, and the dashboard drops what comes of it.
func blinks(cmd tea.Cmd) bool {
	f := runtime.FuncForPC(reflect.ValueOf(cmd).Pointer())
	return f != nil && strings.Contains(f.Name(), "/bubbles/cursor.")
}

// deliver gives one message to where the root would give it.
func deliver(view Updater, msg tea.Msg) ([]tea.Msg, tea.Cmd) {
	switch msg := msg.(type) {
	case nil:
		return nil, nil
	case views.Reply:
		if scope := view.Replies(); scope != nil && scope.Current(msg) {
			return nil, view.Update(msg.Msg)
		}
		return nil, nil
	case views.Navigate, views.Notice, views.Open, views.Shut, views.SignIn, views.Unlock, views.Copy, views.WatchUpgrade, views.Unresolved, views.GoToSite:
		return []tea.Msg{msg}, nil
	}
	return nil, view.Update(msg)
}

// commandsOf opens a batch, or a sequence, whose type Bubble Tea keeps to itself.
func commandsOf(msg tea.Msg) ([]tea.Cmd, bool) {
	v := reflect.ValueOf(msg)
	if !v.IsValid() || v.Kind() != reflect.Slice || v.Type().Elem() != reflect.TypeFor[tea.Cmd]() {
		return nil, false
	}
	cmds := make([]tea.Cmd, v.Len())
	for i := range cmds {
		cmds[i], _ = v.Index(i).Interface().(tea.Cmd)
	}
	return cmds, true
}

// Find returns the first message of type M, and fails without one.
func Find[M any](t testing.TB, msgs []tea.Msg) M {
	t.Helper()
	for _, msg := range msgs {
		if m, ok := msg.(M); ok {
			return m
		}
	}
	var none M
	t.Fatalf("no %T among %v", none, msgs)
	return none
}

// Presser is what Press gives keys to: a view, or a part of one.
type Presser interface {
	Updater
	CapturesText() bool
	Commands() []views.Command
}

// Press gives keys to a view as the root does: as text while the view takes
// text, else as the command that the key stands for. The user rests after each of them.
// It returns what was sent upward.
func Press(t testing.TB, view Presser, keys ...tea.KeyMsg) []tea.Msg {
	t.Helper()
	var up []tea.Msg
	for _, key := range keys {
		up = append(up, press(t, view, key)...)
		up = append(up, Drain(t, view, rested(view))...)
	}
	return up
}

// press is Press of one key, behind which the user does not rest.
func press(t testing.TB, view Presser, key tea.KeyMsg) []tea.Msg {
	t.Helper()
	attend(view)
	var cmd tea.Cmd
	if view.CapturesText() {
		cmd = view.Update(key)
	} else {
		cmd, _, _ = PressKey(view, key.String())
	}
	return Drain(t, view, cmd)
}

// attend says that a key is about to be pressed.
func attend(part any) {
	if view, ok := part.(views.View); ok {
		_ = view.Update(views.Attended)
	}
}

// rested says that no key came for a moment.
func rested(part any) tea.Cmd {
	switch part := part.(type) {
	case keyed:
		return rested(part.Widget)
	case views.View:
		return part.Update(views.Rested)
	case interface{ Rested() tea.Cmd }:
		return part.Rested()
	case interface{ Rested() }:
		part.Rested()
	}
	return nil
}

// execModel is the smallest program that lends the terminal: it sends one message, and
// ends with the message that follows from it.
type execModel struct {
	exec   tea.Msg
	result tea.Msg
}

// Init sends the message.
func (o *execModel) Init() tea.Cmd { return views.Send(o.exec) }

// View draws nothing.
func (o *execModel) View() string { return "" }

// Update ends the program with the first message that is not Bubble Tea's own.
func (o *execModel) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if reflect.TypeOf(msg).PkgPath() == reflect.TypeFor[tea.WindowSizeMsg]().PkgPath() {
		return o, nil // Bubble Tea's own
	}
	o.result = msg
	return o, tea.Quit
}

// IsExec reports whether a message hands the terminal to another program; its
// type belongs to Bubble Tea.
func IsExec(msg tea.Msg) bool {
	t := reflect.TypeOf(msg)
	return t != nil && t.Name() == "execMsg" && t.PkgPath() == reflect.TypeFor[tea.WindowSizeMsg]().PkgPath()
}

// runExec runs what a message hands the terminal to, in a program without one,
// and returns the message of its end.
func runExec(msg tea.Msg) tea.Msg {
	o := &execModel{exec: msg}
	p := tea.NewProgram(o, tea.WithInput(strings.NewReader("")), tea.WithOutput(io.Discard), tea.WithoutRenderer(), tea.WithoutSignalHandler())
	if _, err := p.Run(); err != nil {
		return nil
	}
	return o.result
}
