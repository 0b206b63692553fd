package ui

import (
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui/views"
)

// A dialog that opens by itself swallows keys until none comes for a moment, but not
// for long: the user was typing something else. So does what is below one that closes by itself.
const (
	graceQuiet = 400 * time.Millisecond
	graceLimit = 1500 * time.Millisecond
)

// dialogs is the stack of open dialogs. The top one takes all keys.
type dialogs struct {
	stack         []views.Dialog
	waiting       []views.Dialog // offers, for who has opened something else
	opened, last  time.Time      // of the grace after one has opened or closed by itself; zero where there is none
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

// shows reports whether the dialog of an id is open, or waits for the user to leave others.
func (d *dialogs) shows(id string) bool {
	return d.find(id) >= 0 || slices.ContainsFunc(d.waiting, func(x views.Dialog) bool { return x.ID() == id })
}

// isOffer reports whether a dialog tells of earlier work that nobody has asked about: it can wait.
func isOffer(x views.Dialog) bool {
	return slices.Contains([]string{offerID, unresolvedID, unfinishedID}, x.ID())
}

// wait keeps an offer until the user has left what else is open.
func (d *dialogs) wait(x views.Dialog) {
	d.remove(x.ID())
	d.waiting = append(d.waiting, x)
}

// next takes the offer that has waited longest, nil where none can be opened yet.
func (d *dialogs) next() views.Dialog {
	if len(d.waiting) == 0 || slices.ContainsFunc(d.stack, func(x views.Dialog) bool { return !isOffer(x) }) {
		return nil
	}
	x := d.waiting[0]
	d.waiting = d.waiting[1:]
	return x
}

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
	d.waiting = slices.DeleteFunc(d.waiting, func(x views.Dialog) bool { return x.ID() == id })
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
	} else {
		d.opened = time.Time{}
	}
	return true
}

func (d *dialogs) resize(width, height int) {
	d.width, d.height = width, height
	for _, x := range d.stack {
		x.SetSize(width, height)
	}
}

// swallows reports whether a key was meant for what was there before a dialog opened or closed by itself.
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
