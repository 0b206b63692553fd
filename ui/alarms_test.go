package ui_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/operation/watching"
	"geodeck/adminapi/simulator/simtest"
	"geodeck/ui"
	"geodeck/ui/paint"
	"geodeck/ui/views"
)

// wire is a terminal whose bytes are kept.
type wire struct {
	*paint.Terminal
	sent strings.Builder
	end  func()
}

func newWire(t *testing.T) *wire {
	t.Helper()
	r, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{Terminal: paint.NewTerminal(out, func(string) string { return "" })}
	var read sync.WaitGroup
	read.Go(func() { _, _ = io.Copy(&w.sent, r) })
	w.end = sync.OnceFunc(func() { _ = out.Close(); read.Wait(); _ = r.Close() })
	t.Cleanup(w.end)
	return w
}

// all returns what was sent in all; nothing more is taken.
func (w *wire) all() string {
	w.end()
	return w.sent.String()
}

// hookIn returns a program that adds what it is told to a file.
func hookIn(t *testing.T, exit string) (*watching.Hook, func() string) {
	t.Helper()
	told := filepath.Join(t.TempDir(), "told")
	program := simtest.Script(t, "hook.sh", `echo "$GEODECK_ALARM: $GEODECK_ALARM_TEXT" >> '`+told+"'\nexit "+exit)
	return &watching.Hook{Program: program}, func() string {
		content, _ := os.ReadFile(told)
		return string(content)
	}
}

// calls is a dashboard with every alarm on, which watches an upgrade.
type calls struct {
	*driver
	w        *watcher
	p        *platform
	clock    *simtest.ManualClock
	terminal *wire
	told     func() string // what the hook was told
}

func calling(t *testing.T, exit string) *calls {
	t.Helper()
	c := &calls{terminal: newWire(t), p: &platform{status: 200, body: status("in_progress", "1", postgres)}}
	var hook *watching.Hook
	hook, c.told = hookIn(t, exit)
	c.driver, c.w, c.clock = onManual(t, c.p, func(o *ui.Options) {
		o.Terminal, o.Alarms = c.terminal.Terminal, watching.Calls{Bell: true, Notify: true, Hook: hook}
	})
	c.send(views.WatchUpgrade{})
	c.heard(c.w, 1)
	return c
}

var postgres = line(2144, 60, "PostgreSQL")

// then lets time pass to the next reading, in which the site answers so.
func (c *calls) then(after time.Duration, code int, body string) {
	c.t.Helper()
	c.p.says(code, body)
	n := len(c.w.heard)
	c.lapse(c.clock, 1, after)
	c.heard(c.w, n+1)
}

// hooked waits until the hook was told a text.
func (c *calls) hooked(text string) {
	c.t.Helper()
	c.await("hook that is told “"+text+"”", func() bool { return strings.Contains(c.told(), text) })
}

// called fails unless the terminal and the hook were called so many times.
func (c *calls) called(n int) {
	c.t.Helper()
	c.close()
	if got := c.terminal.all(); strings.Count(got, "\x1b]9;") != n || strings.Count(got, "\a") != 2*n || strings.Count(c.told(), "\n") != n {
		c.t.Errorf("not called %d times: the terminal was sent %q, the hook was told %q", n, got, c.told())
	}
}

func TestTheEndOfAnUpgradeRingsNotifiesAndRunsTheHook(t *testing.T) {
	t.Parallel()
	for state, want := range map[string]string{"success": "the upgrade to 2.0 has succeeded", "failed": "the upgrade to 2.0 has failed in PostgreSQL"} {
		t.Run(state, func(t *testing.T) {
			t.Parallel()
			c := calling(t, "0")
			c.then(10*time.Second, 200, status(state, "0", ending(state, postgres)...))
			c.hooked(want)
			c.called(1)
			if got := c.terminal.all(); !strings.HasSuffix(got, want+"\a\a") {
				t.Errorf("the terminal was sent %q", got)
			}
		})
	}
}

func TestAStallIsToldOnceForEachSilence(t *testing.T) {
	t.Parallel()
	c := calling(t, "0")
	c.then(10*time.Second, 200, c.p.body)
	if c.told() != "" || c.w.env.Upgrade.Stall != nil {
		t.Errorf("a stall after some minutes: %q", c.told())
	}
	c.then(40*time.Minute, 200, c.p.body)
	c.see("warning: 127.0.0.1:")
	c.see("▲ upgrade STALLED in PostgreSQL for 51 min")
	c.hooked("stalled: ")
	c.then(10*time.Second, 200, c.p.body)
	c.then(10*time.Second, 200, status("in_progress", "1", postgres, line(2145, 51*60, "PostgreSQL")))
	c.gone("STALLED")
	if c.w.env.Upgrade.Stall != nil {
		t.Error("a message came, and it still stalls")
	}
	c.called(1)
}

func TestWhileTheAPIIsAwayNobodyKnowsOfAStall(t *testing.T) {
	t.Parallel()
	c := calling(t, "0")
	c.then(10*time.Second, 200, "")
	c.then(time.Hour, 200, "")
	c.see("▲ API unreachable")
	if c.w.env.Upgrade.Stall != nil {
		t.Error("a stall is told")
	}
	c.called(0)
}

func TestAlarmsAreSwitchedInThePalette(t *testing.T) {
	t.Parallel()
	c := calling(t, "0")
	c.palette("alarms")
	c.see("alarms are on: the bell, a notification of the terminal, the hook /")
	c.palette("alarms loud")
	c.see("nothing was changed")
	c.palette("alarms bell off")
	c.see("alarms are on: a notification of the terminal, the hook")
	if strings.Contains(c.model.View(), "alarms off") {
		t.Errorf("some alarms are on:\n%s", c.model.View())
	}
	c.palette("alarms off")
	c.see("alarms are off")
	c.see(" alarms off ")
	c.then(10*time.Second, 200, status("success", "3", done))
	c.see("the upgrade has succeeded")
	c.called(0)
}

// palette runs a line of the palette.
func (d *driver) palette(line string) {
	d.t.Helper()
	d.keys("palette")
	d.text(line)
	d.keys("enter")
}

func TestAHookThatFailsIsSaid(t *testing.T) {
	t.Parallel()
	c := calling(t, "3")
	c.send(tea.WindowSizeMsg{Width: 300, Height: 30}) // the path of the hook may be long
	c.then(10*time.Second, 200, status("success", "3", done))
	c.see("error: the hook ")
	c.see("failed: exit status 3")
}

func TestHistoryIsNoAlarm(t *testing.T) {
	t.Parallel()
	terminal := newWire(t)
	p := &platform{status: 200, body: status("success", "3", line(2011, 60, "done"))}
	d, w, _ := onManual(t, p, func(o *ui.Options) {
		o.Terminal, o.Alarms = terminal.Terminal, watching.Calls{Bell: true, Notify: true}
	})
	d.send(views.WatchUpgrade{})
	d.heard(w, 1)
	d.close()
	if got := terminal.all(); got != "" {
		t.Errorf("the terminal was sent %q", got)
	}
}

// The site's clock is 60 times as fast as ours.
func TestAStallByAFasterClockRunsTheHookOnce(t *testing.T) {
	t.Parallel()
	c := calling(t, "0")
	for i := range 12 {
		c.p.set(time.Duration(i+1)*590*time.Second, "")
		c.then(10*time.Second, 200, status("in_progress", "1", postgres))
	}
	c.hooked("stalled: ")
	c.see("▲ upgrade STALLED in PostgreSQL")
	c.called(1)
}
