package ui

import (
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui/views"
)

// A dialog that opens by itself swallows keys until none comes for a moment, but not
// for long: the user was typing something else.
const (
	graceQuiet = 400 * time.Millisecond
	graceLimit = 1500 * time.Millisecond
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

// topID is the id of the top dialog, empty where none is open.
func (d *dialogs) topID() string {
	if top := d.top(); top != nil {
		return top.ID()
	}
	return ""
}

// shows reports whether the dialog of an id is open.
func (d *dialogs) shows(id string) bool { return d.find(id) >= 0 }

func (d *dialogs) find(id string) int {
	return slices.IndexFunc(d.stack, func(x views.Dialog) bool { return x.ID() == id })
}

// push opens a dialog on top, in place of one with the same id.
func (d *dialogs) push(x views.Dialog) tea.Cmd {
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

// swallows reports whether a key comes too early to be an answer to the top dialog.
func (d *dialogs) swallows(now time.Time) bool {
	if d.opened.IsZero() {
		return false
	}
	if now.Sub(d.opened) < graceLimit && now.Sub(d.last) < graceQuiet {
		d.last = now
		return true
	}
	d.opened = time.Time{}
	return false
}
