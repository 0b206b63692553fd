// Package ui is the dashboard: the root model and its parts, such as the session, the watch and
// what is on the screen. It knows views only by the contract of package views; router.go is the
// one file that names them. Header, help and palette are packages below it.
//
// Start at [Model], then update.go, which is the order in which every message
// is handled.
package ui

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/fleet"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/nodesource"
	"geodeck/adminapi/operation/polling"
	"geodeck/adminapi/operation/watching"
	"geodeck/adminapi/secrets"
	"geodeck/theme"
	"geodeck/ui/header"
	"geodeck/ui/paint"
	"geodeck/ui/views"
	"geodeck/ui/widget"
)

// Options say what the dashboard shows and how.
type Options struct {
	// Site is the platform. A nil Client means that there is none: only saved
	// files can be opened.
	Site operation.Site
	// Name is what the header calls the site, such as "demo".
	Name string
	// Entry is the site as the list of sites has it; zero where it is none of them.
	Entry SiteEntry
	// SiteFlags are how a command names the site and the way to it; nil for its address alone.
	SiteFlags []string
	// Demo marks the simulator, in the header of every screen.
	Demo bool
	// Production marks a production site, in the header of every screen.
	Production bool
	// Sealed says why no name unlocks a locked site; empty where its name does.
	Sealed string
	// User is offered in the sign-in dialog.
	User string
	// Theme is the look; Clock the time, the simulator's in a demo.
	Theme *theme.Theme
	Clock adminapi.Clock
	// Pace times what is shown for a while and what ticks. It is not Clock, which
	// may run faster than people read; nil means the machine's.
	Pace adminapi.Clock
	// Background is that of the terminal, in so far as it is known. Theme is for a dark one:
	// what is drawn gets its colours on the way to the terminal.
	Background theme.Background
	// Learned is called beside the dashboard with what the terminal says of its background,
	// for which it is asked behind the first frame; nil where it is not to be asked.
	Learned func(theme.Background)
	// PlainPaint lets Bubble Tea's own renderer draw, which writes whole lines.
	PlainPaint bool
	// Terminal is where copied text goes; nil where there is none.
	Terminal *paint.Terminal
	// Local is the zone of local times; nil means the machine's.
	Local *time.Location
	// Remember opens what Site remembers, from disk, and returns a warning about it. Its error
	// is why nothing can be recorded, and so nothing can be sent to change the site. Nil where
	// Site is as it stays.
	Remember func() (operation.Memory, string, error)
	// Warnings are shown as they come, such as that the sign-in could not be renewed. May be nil.
	Warnings <-chan string
	// Notice is shown at the start, such as what was added to the address.
	Notice string
	// File is a saved report that is opened at the start.
	File string
	// Folder is where exports are written; empty means the working directory.
	Folder string
	// Nodes is where the nodes of the cluster are read from, for the placement of
	// pods; the zero source is none.
	Nodes nodesource.Source
	// Debug is called with the type of each message; may be nil.
	Debug func(kind string)
	// Alarms say how a user who is not looking at the screen is alerted. They can be switched while an
	// upgrade is watched.
	Alarms watching.Calls
	// Sites are the others that the dashboard can go to; nil where there are none.
	Sites Sites
	// Fleet reads the sites of config.yaml for the view of all of them; nil where there are fewer
	// than two.
	Fleet func() ([]fleet.Entry, error)
	// Keep keeps a sign-in of the dialog for later, and says where; nil where nothing keeps it.
	Keep func(context.Context, SignedIn) (where string, err error)
	// Close is called when the dashboard of the site is left; may be nil.
	Close func()
}

// SignedIn is what a user has signed in with.
type SignedIn struct {
	User     string         // empty where only a token was entered
	Password secrets.Secret // empty where a token was entered
	Token    adminapi.Token
}

// Model is the root of the dashboard: a tea.Model with a pointer receiver. It routes
// messages and keys; the rest of what the dashboard does outside its views is in its
// parts, which know neither it nor each other: see [part].
type Model struct {
	part
	end context.CancelFunc

	screen          screen
	notices         notices
	session         session
	site            siteStatus
	watch           watch
	unresolved      unresolved
	lock            lock
	quitting        quitting
	sites           siteSwitch
	keeping         keeping
	keys            keyState
	headed          header.Drawn
	foot            footer
	anytime         []views.Command // the rows that work even while a dialog is open
	own, everywhere []views.Command // those that work on every screen, without the tabs and with them
	history         []string        // what was run from the palette, oldest first
	opening         bool            // what the site remembers is not read yet: keys wait for it
	unrecorded      error           // why nothing can be recorded
}

// part is embedded by the root, and by every part of it. A part stands alone: what it wants of the root or of
// another part it tells as a message, of those of package views or of these.
type part struct {
	options *Options
	env     *views.Env
	pace    adminapi.Clock        // of everything that is timed for the reader
	scope   *views.Scope          // of the root: replies come to [Model.reply]
	tell    func(tea.Msg) tea.Cmd // has the root handle a message at once, before the next frame
	shows   func(id string) bool  // reports whether a dialog is open
}

type (
	fetchSite      struct{}               // fetch what the header shows
	closeDialog    struct{ id string }    // what it asks is out of date
	keepNotice     struct{ views.Notice } // which the screen says already, for who asks for the last one
	showKept       struct{}               // there is nothing else to show
	watchBegun     struct{}               // the watch reads the upgrade and its log from now on
	sessionExpired struct{}               // the site has refused the token
)

// confirm opens a question; unrequested says that no key of the user led to it.
func (p part) confirm(q widget.Question, unrequested bool) tea.Cmd {
	return p.tell(views.Open{Dialog: widget.NewConfirm(p.env.Theme, q), Unrequested: unrequested})
}

// token is that of the session.
func (p part) token() adminapi.Token { return p.env.Site.Client.Session.Token() }

// New returns the dashboard. Nothing is read, sent or written before Init.
func New(o Options) *Model { return newModel(o, makers(o.Fleet != nil)) }

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
	if o.Site.Line == nil {
		o.Site.Line = polling.NewLine(false)
	}
	if whole, err := filepath.Abs(o.Folder); err == nil {
		o.Folder = whole
	}
	ctx, end := context.WithCancel(context.Background())
	env := &views.Env{
		Context: ctx, Site: o.Site, Clock: o.Clock, Theme: o.Theme,
		Times:   &views.Times{Local: o.Local, Now: o.Clock.Now},
		Offline: o.Site.Client == nil, Folder: o.Folder, Getenv: os.Getenv, Nodes: o.Nodes, Demo: o.Demo,
		SiteName: o.Entry.Name, SiteFlags: o.SiteFlags,
	}
	if o.Fleet != nil {
		env.Fleet = o.fleet()
	}
	m := &Model{end: end}
	p := part{&o, env, o.Pace, views.NewScope(ctx), m.dispatch, m.screen.dialogs.shows}
	m.part = p
	m.screen = screen{part: p, router: router{env: env, makers: makers, made: map[string]views.View{}, mounted: map[string]views.View{}}}
	m.notices = notices{part: p}
	m.session = session{part: p, user: o.User}
	m.watch = watch{part: p, alarms: alarms{part: p, bell: o.Alarms.Bell, osc: o.Alarms.Notify, hook: true}}
	m.site = siteStatus{part: p, unfinished: func() unfinishedWatch { return m.watch.unfinished }}
	m.unresolved = unresolved{part: p}
	m.lock = lock{p}
	m.quitting = quitting{part: p, questions: m.screen.router.leaveQuestions}
	m.sites = siteSwitch{p, m.quitting.warnings}
	m.keeping = keeping{part: p, started: m.screen.router.started, saved: map[string]saved{}}
	m.anytime = m.anytimeCommands()
	m.own = m.commands()
	m.everywhere = slices.Concat(m.own, m.tabs())
	return m
}

// Close cancels everything under way. It is called at every end of the program, including
// those that bypass Update.
func (m *Model) Close() { m.end() }

// Init opens what is remembered of the site and fetches the site, which may lead to a
// sign-in.
func (m *Model) Init() tea.Cmd {
	remember := m.options.Remember
	if remember == nil {
		return m.begin("")
	}
	m.opening = true
	return m.scope.Work("remember", func(context.Context) func() tea.Cmd {
		memory, warning, err := remember()
		return func() tea.Cmd {
			m.opening, m.env.Site.Memory, m.unrecorded = false, memory, err
			return m.begin(warning)
		}
	})
}

func (m *Model) begin(warning string) tea.Cmd {
	cmds := []tea.Cmd{m.site.start(), m.keeping.read(silence), m.nextWarning()}
	if m.env.Offline {
		cmds = append(cmds, m.sites.welcome())
	}
	notice := strings.TrimSpace(m.options.Notice + " " + warning)
	switch {
	case m.unrecorded != nil:
		cmds = append(cmds, views.TellFailed("changes are disabled, as they cannot be recorded", m.unrecorded))
	case notice != "":
		cmds = append(cmds, views.Tell(views.Info, notice))
	}
	return tea.Batch(cmds...)
}

// warned is a warning of what runs beside the dashboard.
type warned string

// nextWarning waits for one.
func (m *Model) nextWarning() tea.Cmd {
	warnings := m.options.Warnings
	if warnings == nil {
		return nil
	}
	return m.scope.Do("warning", func(ctx context.Context) tea.Msg {
		select {
		case text := <-warnings:
			return warned(text)
		case <-ctx.Done():
			return nil
		}
	})
}

// openFile shows the saved report that the dashboard was started with, in the
// view that opens files.
func (m *Model) openFile() tea.Cmd {
	name := m.options.File
	if name == "" {
		return nil
	}
	for _, maker := range m.screen.router.makers {
		rows := m.screen.router.view(maker.ID).Commands()
		if i := slices.IndexFunc(rows, func(c views.Command) bool { return c.Argument == "file" }); i >= 0 {
			return views.Send(views.Navigate{View: maker.ID, Command: rows[i].ID, Argument: name})
		}
	}
	return nil
}

// closeDialog closes a dialog, also one that waits for a busy view. Whoever was answering a question goes on for a moment: those
// keys do nothing to what was below.
func (m *Model) closeDialog(id string) {
	now, takes := m.pace.Now(), m.screen.takes()
	answered := m.screen.dialogs.topID() == id && (takes.Question || takes.Word) && now.Sub(m.keys.last) < graceQuiet
	if m.screen.dialogs.remove(id) && answered {
		m.screen.dialogs.opened, m.screen.dialogs.last = now, now
	}
	m.keys.held = slices.DeleteFunc(m.keys.held, func(msg tea.Msg) bool {
		open, ok := msg.(views.Open)
		return ok && open.Dialog.ID() == id
	})
}

// open shows a dialog. One that no key of the user led to ignores keys for a moment:
// they were meant for something else. So does one that had to wait for a busy view. An offer waits for what else is open or typed.
func (m *Model) open(x views.Dialog, unrequested bool) tea.Cmd {
	if unrequested && isOffer(x) {
		m.screen.dialogs.wait(x)
		return nil
	}
	if m.busy() {
		return m.hold(views.Open{Dialog: x, Unrequested: true})
	}
	return m.push(x, unrequested)
}

// openOffer opens an offer once nothing else is open, and nothing is being typed.
func (m *Model) openOffer() tea.Cmd {
	if m.busy() || m.screen.router.active().CapturesText() {
		return nil
	}
	x := m.screen.dialogs.next()
	if x == nil {
		return nil
	}
	return m.push(x, true)
}

func (m *Model) push(x views.Dialog, unrequested bool) tea.Cmd {
	cmd := m.screen.dialogs.push(x)
	if now := m.pace.Now(); unrequested && !m.keys.last.IsZero() {
		m.screen.dialogs.opened, m.screen.dialogs.last = now, now
	}
	return cmd
}
