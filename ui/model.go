package ui

import (
	"context"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

// Model is the root of the dashboard: a tea.Model with a pointer receiver. The
// program and tests make it with [New] alike.
type Model struct {
	options Options
	env     *views.Env
	pace    adminapi.Clock // of everything that is timed for the reader
	end     context.CancelFunc
	scope   *views.Scope

	layout  layout
	router  router
	dialogs dialogs
	notices notices
	site    site
	watch   watch
	alarms  alarms
	unkept  bool      // it was said that something is not kept
	earlier bool      // writes without a known outcome were looked for
	parked  []tea.Cmd // what runs once the user has signed in
	typed   []string  // what was run from the palette, oldest first
	keys    keyboard
	ticking bool
}

// New returns the dashboard. Nothing is read, sent or written before Init.
func New(o Options) *Model { return newModel(o, makers()) }

func newModel(o Options, makers []views.Maker) *Model {
	if o.Clock == nil {
		o.Clock = adminapi.SystemClock{}
	}
	if o.Pace == nil {
		o.Pace = adminapi.SystemClock{}
	}
	if o.Local == nil {
		o.Local = time.Local
	}
	ctx, end := context.WithCancel(context.Background())
	env := &views.Env{
		Context: ctx, Site: o.Site, Clock: o.Clock, Theme: o.Theme,
		Times:   &views.Times{Local: o.Local, Now: o.Clock.Now},
		Offline: o.Site.Client == nil, Folder: o.Folder, Nodes: o.Nodes,
	}
	return &Model{
		options: o, env: env, pace: o.Pace, end: end, scope: views.NewScope(ctx),
		router: newRouter(env, makers),
		alarms: alarms{bell: o.Alarms.Bell, notify: o.Alarms.Notify, hook: true},
	}
}

// Close ends everything that is under way. Every way out of the program passes
// here, also those that never pass through Update.
func (m *Model) Close() { m.end() }

// Init reads the site, which may lead to a sign-in.
func (m *Model) Init() tea.Cmd {
	cmds := []tea.Cmd{m.look()}
	switch {
	case m.options.Unrecorded != nil:
		cmds = append(cmds, views.Send(views.Notice{Level: views.Failure, Err: m.options.Unrecorded,
			Text: "nothing can be changed at the site, since it could not be recorded: " + m.options.Unrecorded.Error()}))
	case m.options.Notice != "":
		cmds = append(cmds, views.Tell(views.Info, m.options.Notice))
	}
	return tea.Batch(cmds...)
}

// openFile shows the saved report that the dashboard was started with, in the
// view that opens files.
func (m *Model) openFile() tea.Cmd {
	name := m.options.File
	if name == "" {
		return nil
	}
	for _, maker := range m.router.makers {
		for _, c := range maker.Rows(m.env) {
			if c.Argument == "file" {
				return views.Send(views.Navigate{View: maker.ID, Command: c.ID, Argument: name})
			}
		}
	}
	return nil
}

// View draws the whole screen in exactly its size.
func (m *Model) View() string {
	switch {
	case !m.layout.told:
		return ""
	case !m.layout.known():
		return "the terminal does not tell its size (see stty size); ctrl+c quits"
	case m.layout.tooSmall():
		return m.tooSmall()
	}
	screen := m.header() + "\n" + m.body() + "\n" + m.footer()
	if m.env.Theme.Options().ASCII {
		screen = strings.ReplaceAll(screen, plain.Ellipsis, m.env.Theme.Glyphs.Ellipsis) // of texts that were cut before they were drawn
	}
	return screen
}
