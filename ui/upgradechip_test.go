package ui_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
	"geodeck/ui/views/progress"
)

// top returns the first line of the screen.
func (d *driver) top() string { return strings.Split(d.model.View(), "\n")[0] }

func TestEveryScreenSaysHowFarTheUpgradeIs(t *testing.T) {
	for name, tt := range map[string]struct{ body, wide, narrow string }{
		"nothing but a begin":  {status("in_progress", "1"), "▲ upgrade in Launch after 12 min ", "▲ upgrade in Launch "},
		"a phase":              {status("in_progress", "1", postgres), "▲ upgrade in PostgreSQL after 12 min ", "▲ upgrade in PostgreSQL "},
		"a code nobody knows":  {status("in_progress", "1", line(4711, 60, "?")), "▲ upgrade in Launch after 12 min ", "▲ upgrade in Launch "},
		"a count":              {status("in_progress", "1", line(2173, 60, "23 of 41 deployments")), "▲ upgrade 56 % after 12 min ", "▲ upgrade 56 % "},
		"nearly all":           {status("in_progress", "1", line(2173, 60, "299 of 300")), "▲ upgrade 99 % after 12 min ", "▲ upgrade 99 % "},
		"all, but not done":    {status("in_progress", "1", line(2173, 60, "41 of 41")), "▲ upgrade in Components after 12 min ", "▲ upgrade in Components "},
		"a state nobody knows": {status("paused", "9", postgres), "▲ upgrade: state unknown ", "▲ upgrade: state unknown "},
	} {
		t.Run(name, func(t *testing.T) {
			d, w, _ := onManual(t, &platform{status: 200, body: tt.body})
			d.send(views.WatchUpgrade{})
			d.heard(w, 1)
			for width, want := range map[int]string{120: tt.wide, 80: tt.narrow} {
				d.send(tea.WindowSizeMsg{Width: width, Height: 24})
				uitest.Fits(t, d.model.View(), width, 24)
				if !strings.Contains(d.top(), want) {
					t.Errorf("%d columns: %q", width, d.top())
				}
			}
		})
	}
}

func TestAnAbsenceAndARefusalAreNoProgress(t *testing.T) {
	p := &platform{status: 200, body: status("in_progress", "1", postgres)}
	d, w, clock := onManual(t, p)
	d.send(views.WatchUpgrade{})
	d.heard(w, 1)
	p.says(200, "")
	d.lapse(clock, 1, 10*time.Second)
	d.see("▲ upgrade away since 15:05:10 ")
	d.send(tea.WindowSizeMsg{Width: 80, Height: 24})
	d.see("▲ upgrade away ")
	p.says(200, `{"error":{"code":403,"message":"You do not have permissions.","details":[]}}`)
	d.lapse(clock, 1, 40*time.Second)
	d.see("▲ upgrade not known now ")
}

// ages are what may change on a screen while nothing happens.
var ages = regexp.MustCompile(`\d+ (s|min|h)\b|\d+:\d\d:\d\d`)

func TestAWatchThatBringsNothingNewChangesNothingButAges(t *testing.T) {
	p := &platform{status: 200, body: status("in_progress", "1", postgres)}
	site, clock := manualSite(t, p)
	v, alpha := fake("alpha", "Alpha")
	d := start(t, ui.Options{Site: site, Clock: clock, Name: "prod"}, 120, 30, alpha, progress.Maker)
	d.see("Watch it?")
	d.keys("y")
	d.see("▲ upgrade in PostgreSQL after 12 min")
	for _, view := range []string{"2", "1"} {
		d.keys(view)
		before := ages.ReplaceAllString(d.model.View(), "#")
		for range 5 {
			d.lapse(clock, 1, 10*time.Second)
			d.await("reading", func() bool { return v.env.Upgrade.Reading.At.Equal(clock.Now()) })
			if now := ages.ReplaceAllString(d.model.View(), "#"); now != before {
				t.Fatalf("the screen was\n%s\nand is\n%s", before, now)
			}
		}
	}
	if n := d.pace.Waiters(); n > 1 { // the second hand of the view that counts, if it was armed
		t.Errorf("%d timers beside the watch", n)
	}
}

func TestAnIdleWatchArmsNoTimerButItsOwn(t *testing.T) {
	p := &platform{status: 200, body: status("in_progress", "1", postgres)}
	d, w, clock := onManual(t, p)
	d.send(views.WatchUpgrade{})
	d.heard(w, 1)
	before := d.model.View()
	for n := 2; n < 7; n++ {
		d.lapse(clock, 1, 10*time.Second)
		d.heard(w, n)
		if d.model.View() != before {
			t.Errorf("the screen was\n%s\nand is\n%s", before, d.model.View())
		}
	}
	d.lapse(clock, 1, 0)
	if clock.Waiters() != 1 || d.pace.Waiters() != 0 {
		t.Errorf("%d and %d timers", clock.Waiters(), d.pace.Waiters())
	}
}

func TestAPauseThatIsCutShortLeavesNobodyAsleep(t *testing.T) {
	p := &platform{status: 200, body: status("in_progress", "1", postgres)}
	d, w, clock := onManual(t, p)
	d.send(views.WatchUpgrade{})
	for n := 1; n < 6; n++ {
		d.heard(w, n)
		d.lapse(clock, 1, 0) // it waits
		d.send(views.WatchUpgrade{})
	}
	d.heard(w, 6)
	d.lapse(clock, 1, 0)
	if n := clock.Waiters(); n != 1 {
		t.Errorf("%d are asleep", n)
	}
}
