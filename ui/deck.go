package ui

import (
	"context"
	"reflect"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui/views"
)

// deck is the dashboard of one site at a time. Another one gets a [Model] of its own in the
// place of the first: nothing of a site is ever shown beside the name of another.
type deck struct {
	model *Model
	size  tea.WindowSizeMsg
	turn  int // of the newest request for a site; older ones are stale
}

// openSite requests the dashboard of another site, once nothing would be lost.
type openSite struct {
	what string // in notices, such as "production"
	open func(context.Context) (Options, error)

	told   string // what the user knows is lost here
	closes bool   // the user knows that what is open here is closed
}

// siteOpened is the end of opening a site.
type siteOpened struct {
	turn    int
	request openSite
	options Options
	err     error
}

// Dashboard is what [Run] shows: that of one site at a time.
type Dashboard interface {
	tea.Model
	Close()     // cancels everything under way, at every end of the program
	Asks() bool // reports whether a question is open
}

// NewDeck returns the dashboard for who draws it on no terminal.
func NewDeck(o Options) Dashboard { return newDeck(o) }

func newDeck(o Options) *deck { return &deck{model: New(o)} }

// Update passes messages to the dashboard that is shown, and puts another one in its place.
func (d *deck) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		d.size = msg
	case openSite:
		return d, d.open(msg)
	case siteOpened:
		return d, d.show(msg)
	}
	if of, ok := msg.(ofSite); ok {
		if of.model != d.model {
			return d, nil
		}
		return d.Update(of.msg)
	}
	_, cmd := d.model.Update(msg)
	return d, d.tagged(cmd)
}

// View draws the dashboard that is shown.
func (d *deck) View() string { return d.model.View() }

// Asks reports whether a question is open there: see [Model.Asks].
func (d *deck) Asks() bool { return d.model.Asks() }

// Init starts the first dashboard.
func (d *deck) Init() tea.Cmd { return d.tagged(d.model.Init()) }

// ofSite is a message of the dashboard of a site: what comes after another one has taken its
// place is dropped.
type ofSite struct {
	model *Model
	msg   tea.Msg
}

// tagged returns a command whose messages, and those of the commands that it yields, go to the
// dashboard that is shown now. Messages of Bubble Tea stay as they are.
func (d *deck) tagged(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	model := d.model
	return func() tea.Msg {
		msg := cmd()
		if msg != nil && !wrapEach(msg, (&deck{model: model}).tagged) && strings.HasPrefix(reflect.TypeOf(msg).PkgPath(), "geodeck/") {
			return ofSite{model, msg}
		}
		return msg
	}
}

// open opens a site beside the one that is shown, which stays until it is there.
func (d *deck) open(request openSite) tea.Cmd {
	d.turn++
	turn, ctx := d.turn, d.model.env.Context
	opening := d.tagged(d.model.dispatch(views.Notice{Text: "Opening " + request.what + d.model.env.Theme.Glyphs.Ellipsis})) // at once: what becomes of it follows
	return tea.Batch(opening, func() tea.Msg {
		o, err := request.open(ctx)
		return siteOpened{turn, request, o, err}
	})
}

// show puts the dashboard of a site in the place of the one that is shown.
func (d *deck) show(opened siteOpened) tea.Cmd {
	switch {
	case opened.err != nil && opened.turn == d.turn:
		return d.tagged(d.model.dispatch(views.Failed(opened.request.what+" cannot be opened: "+opened.err.Error(), opened.err)))
	case opened.err != nil:
		return nil
	case opened.turn != d.turn:
		opened.options.close()
		return nil
	}
	if ask, asks := d.model.sites.leaveAfterAll(opened.request, d.model.screen.dialogs.topID()); asks {
		opened.options.close()
		return d.tagged(ask)
	}
	before := d.model
	d.model = New(opened.options.like(*before.options))
	before.screen.router.close()
	before.Close()
	before.options.close()
	started := d.model.Init()
	_, sized := d.model.Update(d.size)
	return d.tagged(tea.Batch(started, sized))
}

// Close ends the dashboard that is shown.
func (d *deck) Close() {
	d.model.Close()
	d.model.options.close()
}

// like takes what belongs to the program, not to a site, from other options.
func (o Options) like(other Options) Options {
	o.Theme, o.Pace, o.PlainPaint, o.Terminal, o.Local = other.Theme, other.Pace, other.PlainPaint, other.Terminal, other.Local
	o.Folder, o.Debug, o.Sites = other.Folder, other.Debug, other.Sites
	return o
}

func (o Options) close() {
	if o.Close != nil {
		o.Close()
	}
}
