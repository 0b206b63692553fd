package ui_test

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/simulator/simtest"
	"geodeck/theme"
	"geodeck/ui"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
)

// driver runs a dashboard without a terminal: its commands run beside the test,
// their messages are handled one at a time, when the test waits for something.
type driver struct {
	client *adminapi.Client
	t      testing.TB
	model  dashboard
	pace   *simtest.ManualClock
	clock  *simtest.ManualClock // of the site, where the test moves it; nil for another
	msgs   chan tea.Msg
	left   chan struct{}  // a command has ended
	under  sync.WaitGroup // commands under way
	active atomic.Int64   // those that run, or sleep
	ended  bool
}

// dashboard is what a driver runs: that of one site, or the deck of several.
type dashboard interface {
	tea.Model
	Close()
	Asks() bool
}

func start(t testing.TB, o ui.Options, width, height int, makers ...views.Maker) *driver {
	t.Helper()
	return startAs(t, o, width, height, func(o ui.Options) dashboard { return ui.NewWith(o, makers) })
}

func startAs(t testing.TB, o ui.Options, width, height int, newDashboard func(ui.Options) dashboard) *driver {
	t.Helper()
	d := &driver{t: t, client: o.Site.Client, pace: simtest.NewManualClock(uitest.Start), msgs: make(chan tea.Msg, 100), left: make(chan struct{}, 1)}
	if o.Clock == nil {
		o.Clock = d.pace
	}
	d.clock, _ = o.Clock.(*simtest.ManualClock)
	o.Pace, o.Local = d.pace, uitest.Zone
	if o.Theme == nil {
		o.Theme = uitest.Theme()
	}
	d.model = newDashboard(o)
	t.Cleanup(d.close)
	d.run(d.model.Init())
	d.send(tea.WindowSizeMsg{Width: width, Height: height})
	return d
}

// expire ends the session of who is signed in.
func (d *driver) expire() {
	d.t.Helper()
	d.client.Session.SetToken(adminapi.Token{Value: "expired"})
	d.send(views.SignIn{})
}

// send gives one message to the dashboard.
func (d *driver) send(msg tea.Msg) {
	d.t.Helper()
	if _, ok := msg.(tea.QuitMsg); ok {
		d.ended = true
		return
	}
	_, cmd := d.model.Update(msg)
	d.run(cmd)
}

func (d *driver) run(cmd tea.Cmd) {
	if cmd != nil {
		d.active.Add(1)
		d.under.Go(func() { d.emit(cmd) })
	}
}

// idle handles messages until every command that is under way sleeps.
func (d *driver) idle() {
	d.t.Helper()
	d.await("rest", func() bool { return len(d.msgs) == 0 && int(d.active.Load()) <= d.sleepers() })
}

// sleepers is how many commands sleep.
func (d *driver) sleepers() int {
	if d.clock == nil || d.clock == d.pace {
		return d.pace.Waiters()
	}
	return d.pace.Waiters() + d.clock.Waiters()
}

// close ends the dashboard and waits for the last of its commands: none may
// outlive it by more than the half second of a widget's cursor.
func (d *driver) close() {
	d.model.Close()
	gone := make(chan struct{})
	go func() { d.under.Wait(); close(gone) }()
	limit := time.After(patience)
	for {
		select {
		case <-d.msgs:
		case <-gone:
			return
		case <-limit:
			d.t.Error("a command goes on after the end")
			return
		}
	}
}

// emit runs a command and what it yields as Bubble Tea does: those of a batch
// at once, those of a sequence one after the other.
func (d *driver) emit(cmd tea.Cmd) {
	msg := cmd()
	list := reflect.ValueOf(msg)
	if !list.IsValid() || list.Kind() != reflect.Slice || list.Type().Elem() != reflect.TypeFor[tea.Cmd]() {
		if msg != nil {
			d.msgs <- msg
		}
		d.end() // its message waits
		return
	}
	var all sync.WaitGroup
	d.active.Add(int64(list.Len())) // the commands that it yields
	d.end()
	for i := range list.Len() {
		next, _ := list.Index(i).Interface().(tea.Cmd)
		switch {
		case next == nil:
			d.end()
		case list.Type() == reflect.TypeFor[tea.BatchMsg]():
			all.Go(func() { d.emit(next) })
		default:
			d.emit(next)
		}
	}
	all.Wait()
}

// end says that a command has ended.
func (d *driver) end() {
	d.active.Add(-1)
	select {
	case d.left <- struct{}{}:
	default: // another one is to be looked at
	}
}

// keys presses keys by their names: "down enter".
func (d *driver) keys(names string) {
	for _, key := range uitest.Keys(names) {
		d.send(key)
	}
}

func (d *driver) text(s string) {
	for _, key := range uitest.Text(s) {
		d.send(key)
	}
}

// patience is how long a driver or a journey waits before it fails: much longer than any wait takes on a busy machine.
const patience = time.Minute

// await handles messages until the condition holds. It looks again where a command ends, or begins to sleep: a file may
// have been written, or a pause begun.
func (d *driver) await(what string, done func() bool) {
	d.t.Helper()
	limit := time.After(patience)
	for {
		paced, slept := d.pace.Slept(), (<-chan struct{})(nil)
		if d.clock != nil {
			slept = d.clock.Slept()
		}
		if done() {
			return
		}
		select {
		case msg := <-d.msgs:
			d.send(msg)
		case <-d.left:
		case <-paced:
		case <-slept:
		case <-limit:
			d.t.Fatalf("no %s; the screen is\n%s", what, d.model.View())
		}
	}
}

// next handles one message, whatever it is.
func (d *driver) next() {
	d.t.Helper()
	select {
	case msg := <-d.msgs:
		d.send(msg)
	case <-time.After(patience):
		d.t.Fatalf("no message; the screen is\n%s", d.model.View())
	}
}

// timers waits until so many sleep.
func (d *driver) timers(n int) {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := d.pace.AwaitWaiters(ctx, n); err != nil {
		d.t.Fatalf("%d timers instead of %d", d.pace.Waiters(), n)
	}
}

func (d *driver) see(text string) {
	d.t.Helper()
	d.drawn("“"+text+"” on the screen", func() bool { return strings.Contains(d.model.View(), text) })
}

func (d *driver) gone(text string) {
	d.t.Helper()
	d.drawn("end of “"+text+"”", func() bool { return !strings.Contains(d.model.View(), text) })
}

// drawn is await for the screen, which nothing but a message changes.
func (d *driver) drawn(what string, done func() bool) {
	d.t.Helper()
	limit := time.After(patience)
	for !done() {
		select {
		case msg := <-d.msgs:
			d.send(msg)
		case <-limit:
			d.t.Fatalf("no %s; the screen is\n%s", what, d.model.View())
		}
	}
}

// fakeView is a view that writes down what it is told.
type fakeView struct {
	id            string
	env           *views.Env
	scope         *views.Scope
	width, height int
	told          []string
	texting, busy bool
	focused       bool            // it has the cursor of the terminal
	commands      []views.Command // that can be used now
	rest          []views.Command // all others
	do            func(id, argument string) tea.Cmd
	status        views.Status
	leave         string
	working       string
	hooks         views.Hooks
}

func (v *fakeView) note(s string) { v.told = append(v.told, s) }

func (v *fakeView) Init() tea.Cmd { v.note("init"); return nil }
func (v *fakeView) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case views.Event:
		if name := map[views.Event]string{views.Shown: "focus", views.Freshen: "freshen"}[msg]; name != "" {
			v.note(name)
		}
	case tea.KeyMsg:
		v.note("key " + msg.String())
	default:
		v.note("msg " + reflect.TypeOf(msg).String())
	}
	return nil
}
func (v *fakeView) View() string {
	text := "this is " + v.id
	if v.focused {
		text = theme.CursorMark + text
	}
	return views.Block([]string{text}, v.width, v.height, "…")
}
func (v *fakeView) SetSize(width, height int) { v.width, v.height = width, height }

// Commands are those of now, and then the rest, which cannot be used.
func (v *fakeView) Commands() []views.Command {
	rows := slices.Clone(v.commands)
	for _, row := range v.rest {
		if !slices.ContainsFunc(rows, func(c views.Command) bool { return c.ID == row.ID }) {
			row.Shown = func() bool { return false }
			rows = append(rows, row)
		}
	}
	for i, row := range rows {
		rows[i].With = func(argument string) tea.Cmd {
			v.note(strings.TrimSpace("do " + row.ID + " " + argument))
			if v.do != nil {
				return v.do(row.ID, argument)
			}
			return nil
		}
	}
	return rows
}

// Footer has every row.
func (v *fakeView) Footer() (ids []string) {
	for _, row := range v.Commands() {
		ids = append(ids, row.ID)
	}
	return ids
}

func (v *fakeView) CapturesText() bool    { return v.texting }
func (v *fakeView) Status() views.Status  { return v.status }
func (v *fakeView) Replies() *views.Scope { return v.scope }
func (v *fakeView) Hooks() *views.Hooks   { return &v.hooks }

func (v *fakeView) last() string {
	if len(v.told) == 0 {
		return ""
	}
	return v.told[len(v.told)-1]
}

// fake returns a view and its maker. Its commands are move, run and open.
func fake(id, title string) (*fakeView, views.Maker) {
	v := &fakeView{id: id, commands: []views.Command{
		{ID: id + ".move", Key: "up down k j", Word: "move", Group: "Move", Help: "Moves the selection."},
		{ID: id + ".run", Key: "r", Word: "run", Name: "run " + id, Group: title, Help: "Runs what is to be run."},
		{ID: id + ".open", Key: "o", Word: "open", Name: "open " + id, Group: title, Argument: "file",
			Help: "Opens a file.", Choices: func() []views.Choice { return views.Choices([]string{"alpha.json", "beta.json"}) }},
	}}
	v.rest = v.commands
	v.hooks = views.Hooks{
		Filtering: func() bool { return false }, Busy: func() bool { return v.busy },
		Working: func() string { return v.working }, Leave: func() string { return v.leave },
	}
	return v, views.Maker{ID: id, Title: title, New: func(env *views.Env) views.View {
		v.env, v.scope = env, views.NewScope(env.Context)
		return v
	}}
}

func one(t testing.TB) (*driver, *fakeView) {
	t.Helper()
	v, maker := fake("alpha", "Alpha")
	return start(t, ui.Options{}, 80, 24, maker), v
}

func two(t testing.TB) (*driver, *fakeView, *fakeView) {
	t.Helper()
	a, makerA := fake("alpha", "Alpha")
	b, makerB := fake("beta", "Beta")
	return start(t, ui.Options{}, 80, 24, makerA, makerB), a, b
}
