package ui

import (
	"context"
	"os"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

// Model is the root of the dashboard: a tea.Model with a pointer receiver. The
// program and tests make it with [New] alike. It routes messages and keys; what the
// dashboard knows and does beside its views is in its parts, which reach it by [shell].
type Model struct {
	options Options
	env     *views.Env
	pace    adminapi.Clock // of everything that is timed for the reader
	end     context.CancelFunc
	scope   *views.Scope

	layout    layout
	router    router
	dialogs   dialogs
	notices   notices
	session   session
	site      siteStatus
	watch     watch
	alarms    alarms
	unsettled unsettled
	keys      keyboard
	lines     []string // what was run from the palette, oldest first
	ticking   bool     // the second hand is armed
	unkept    bool     // it was said that something is not kept
}

// shell is what the parts of the dashboard ask of it.
type shell interface {
	notify(views.Notice) tea.Cmd
	// open shows a dialog; unasked says that no key of the user led to it.
	open(d views.Dialog, unasked bool) tea.Cmd
	// shutDialog closes the dialog of an id, where it is open.
	shutDialog(id string)
	showsDialog(id string) bool
	askSignIn(views.SignIn) tea.Cmd
	fetchSite() tea.Cmd
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
		Offline: o.Site.Client == nil, Folder: o.Folder, Getenv: os.Getenv, Nodes: o.Nodes,
	}
	m := &Model{options: o, env: env, pace: o.Pace, end: end, scope: views.NewScope(ctx), router: newRouter(env, makers)}
	p := part{env: env, scope: m.scope, shell: m}
	m.notices = notices{theme: o.Theme, pace: o.Pace, scope: m.scope}
	m.session = session{part: p, user: o.User, demo: o.Demo}
	m.site = siteStatus{part: p, pace: o.Pace, session: &m.session}
	m.alarms = alarms{part: p, terminal: o.Terminal, program: o.Alarms.Hook, bell: o.Alarms.Bell, osc: o.Alarms.Notify, hook: true}
	m.watch = watch{part: p, site: &m.site, alarms: &m.alarms}
	m.unsettled = unsettled{part: p}
	return m
}

// part is what every part of the dashboard is made with.
type part struct {
	env   *views.Env
	scope *views.Scope // of the root: replies come to Model.own
	shell shell
}

// Close ends everything that is under way. Every way out of the program passes
// here, also those that never pass through Update.
func (m *Model) Close() { m.end() }

// Init reads the site, which may lead to a sign-in.
func (m *Model) Init() tea.Cmd {
	cmds := []tea.Cmd{m.fetchSite()}
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
		rows := m.router.view(maker.ID).Commands()
		if i := slices.IndexFunc(rows, func(c views.Command) bool { return c.Argument == "file" }); i >= 0 {
			return views.Send(views.Navigate{View: maker.ID, Command: rows[i].ID, Argument: name})
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
		return m.layout.tooSmallText(m.env.Theme)
	}
	screen := m.header().View() + "\n" + m.body() + "\n" + m.footer()
	if m.env.Theme.Options().ASCII {
		screen = strings.ReplaceAll(screen, plain.Ellipsis, m.env.Theme.Glyphs.Ellipsis) // of texts that were cut before they were drawn
	}
	return screen
}

// body draws the view, or the dialog in its place.
func (m *Model) body() string {
	width, height := m.layout.body()
	ellipsis := m.env.Theme.Glyphs.Ellipsis
	switch d := m.dialogs.top().(type) {
	case nil:
		return m.viewBody(width, height)
	case *palette:
		lines := strings.Split(m.viewBody(width, height), "\n")
		return views.Block(d.over(lines, width), width, height, ellipsis)
	default:
		lines := make([]string, dialogTop, height)
		for _, line := range strings.Split(d.View(), "\n") {
			lines = append(lines, strings.Repeat(" ", dialogIndent)+line)
		}
		return views.Block(lines, width, height, ellipsis)
	}
}

// viewBody draws the view that is shown. Its size is its own promise.
func (m *Model) viewBody(width, height int) string {
	v := m.router.active()
	if v == nil {
		return views.Block(nil, width, height, "")
	}
	return v.View()
}

// footer draws the rule, or the notice in its place, so that nothing moves when
// one comes; and below it the hints, or the line of the palette.
func (m *Model) footer() string {
	t, width := m.env.Theme, m.layout.width
	line := t.Rule.Render(strings.Repeat(t.Glyphs.Rule, width))
	if m.notices.shown {
		line = m.notices.line(width)
	}
	if p, ok := m.dialogs.top().(*palette); ok {
		return line + "\n" + p.line(width)
	}
	return line + "\n" + m.hints(width)
}

// hints draws the keys of the dialog on top, or of the view and what works everywhere.
func (m *Model) hints(width int) string {
	if d := m.dialogs.top(); d != nil {
		return drawHints(m.env.Theme, d.Hints(), nil, width)
	}
	v := m.router.active()
	switch {
	case v == nil:
		return drawHints(m.env.Theme, nil, withHint(m.commands()), width)
	case v.CapturesText():
		return drawHints(m.env.Theme, withHint(views.Usable(v.Commands())), nil, width)
	}
	return drawHints(m.env.Theme, withHint(views.Usable(v.Commands())), withHint(m.commands()), width)
}

// notKept is why something that was seen or done is not on disk, with what it is;
// empty and nil where all is.
func notKept(env *views.Env) (what string, err error) {
	if err := env.Upgrade.Reading.Unkept; err != nil {
		return "transcript", err
	}
	if memory := env.Site.Journal; memory != nil {
		return "log of changes", memory.Problem()
	}
	return "", nil
}

// sayNotKept says once that something is not kept; the header goes on saying it.
func (m *Model) sayNotKept() tea.Cmd {
	what, err := notKept(m.env)
	said := m.unkept
	m.unkept = err != nil
	if err == nil || said {
		return nil
	}
	return m.notify(views.Notice{Level: views.Failure, Err: err,
		Text: "the " + what + " is not complete on this machine: " + err.Error()})
}

// secondPassed moves ages and clocks on.
type secondPassed struct{}

// tick arms the second hand while something on the screen counts: an idle
// screen has none.
func (m *Model) tick() tea.Cmd {
	if m.ticking || !m.counts() {
		return nil
	}
	m.ticking = true
	return m.scope.After(m.pace, time.Second, "tick", func(context.Context) tea.Msg { return secondPassed{} })
}

func (m *Model) counts() bool {
	v := m.router.active()
	if v == nil || m.env.Context.Err() != nil {
		return false
	}
	status := v.Status()
	return status.Busy != "" || status.Away != nil || m.env.Times.Mode == views.RelativeTime
}

func (m *Model) notify(n views.Notice) tea.Cmd { return m.notices.show(n) }

func (m *Model) askSignIn(s views.SignIn) tea.Cmd { return m.session.ask(s) }

func (m *Model) shutDialog(id string) { m.dialogs.remove(id) }

func (m *Model) showsDialog(id string) bool { return m.dialogs.find(id) >= 0 }

// fetchSite reads what the header shows, and once what an earlier program was watching.
func (m *Model) fetchSite() tea.Cmd { return m.site.fetch(m.watch.cutOff, false) }

// open shows a dialog. One that nobody asked for is protected from keys that
// are on their way to something else.
func (m *Model) open(x views.Dialog, unasked bool) tea.Cmd {
	cmd := m.dialogs.put(x)
	if now := m.pace.Now(); unasked && !m.keys.last.IsZero() {
		m.dialogs.opened, m.dialogs.last = now, now
	}
	return cmd
}
