package ui

import (
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui/views"
)

// A dialog that opens by itself swallows keys until none came for a moment, but
// not for ever: somebody was typing, and did not mean this question.
const (
	graceQuiet = 400 * time.Millisecond
	graceMost  = 1500 * time.Millisecond
)

// dialogs is the stack of open dialogs. The top one takes all keys.
type dialogs struct {
	stack         []views.Dialog
	opened, last  time.Time // of the grace of the top dialog; zero where it has none
	width, height int
}

// top returns the dialog that takes the keys, nil where none is open.
func (d *dialogs) top() views.Dialog {
	if len(d.stack) == 0 {
		return nil
	}
	return d.stack[len(d.stack)-1]
}

func (d *dialogs) find(id string) int {
	return slices.IndexFunc(d.stack, func(x views.Dialog) bool { return x.ID() == id })
}

// put lays a dialog on top; one of the same id goes.
func (d *dialogs) put(x views.Dialog) tea.Cmd {
	d.remove(x.ID())
	d.stack = append(d.stack, x)
	d.opened, d.last = time.Time{}, time.Time{}
	x.SetSize(d.width, d.height)
	return x.Init()
}

// remove closes the dialog of that id and reports whether there was one.
func (d *dialogs) remove(id string) bool {
	i := d.find(id)
	if i < 0 {
		return false
	}
	if scope := d.stack[i].Replies(); scope != nil {
		scope.Close()
	}
	d.stack = slices.Delete(d.stack, i, i+1)
	if top := d.top(); top != nil {
		top.SetSize(d.width, d.height)
	}
	return true
}

func (d *dialogs) resize(width, height int) {
	d.width, d.height = width, height
	for _, x := range d.stack {
		x.SetSize(width, height)
	}
}

// owner returns the dialog that a reply still counts for.
func (d *dialogs) owner(r views.Reply) views.Dialog {
	for _, x := range d.stack {
		if scope := x.Replies(); scope != nil && scope.Current(r) {
			return x
		}
	}
	return nil
}

// swallows reports whether a key at this moment was meant for something else.
func (d *dialogs) swallows(now time.Time) bool {
	if d.opened.IsZero() {
		return false
	}
	if now.Sub(d.opened) < graceMost && now.Sub(d.last) < graceQuiet {
		d.last = now
		return true
	}
	d.opened = time.Time{}
	return false
}

// shut closes a dialog and goes on with what follows from it.
func (m *Model) shut(s views.Shut) tea.Cmd {
	if !m.dialogs.remove(s.ID) {
		return nil
	}
	return s.Then
}
