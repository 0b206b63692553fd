package ui_test

import (
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/simulator"
	"geodeck/ui"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
	"geodeck/ui/widget"
)

func TestEveryScreenSaysHowFarTheUpgradeIs(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ body, wide, narrow string }{
		"nothing but a begin":  {status("in_progress", "1"), "▲ upgrade: Launch after 12 min ", "▲ upgrade: Launch "},
		"a phase":              {status("in_progress", "1", postgres), "▲ upgrade: PostgreSQL after 12 min ", "▲ upgrade: PostgreSQL "},
		"a code nobody knows":  {status("in_progress", "1", line(4711, 60, "?")), "▲ upgrade: Launch after 12 min ", "▲ upgrade: Launch "},
		"a count":              {status("in_progress", "1", line(2173, 60, "23 of 41 deployments")), "▲ upgrade: 56 % after 12 min ", "▲ upgrade: 56 % "},
		"nearly all":           {status("in_progress", "1", line(2173, 60, "299 of 300")), "▲ upgrade: 99 % after 12 min ", "▲ upgrade: 99 % "},
		"all, but not done":    {status("in_progress", "1", line(2173, 60, "41 of 41")), "▲ upgrade: Components after 12 min ", "▲ upgrade: Components "},
		"a state nobody knows": {status("paused", "9", postgres), "▲ upgrade: state unknown ", "▲ upgrade: state unknown "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
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
	t.Parallel()
	p := &platform{status: 200, body: status("in_progress", "1", postgres)}
	d, w, clock := onManual(t, p)
	d.send(views.WatchUpgrade{})
	d.heard(w, 1)
	p.says(200, "")
	d.lapse(clock, 1, 10*time.Second)
	d.see("▲ API unreachable ")
	d.keys("1")
	d.see("▲ API unreachable since 15:05:10 ")
	d.send(tea.WindowSizeMsg{Width: 80, Height: 24})
	d.see("▲ API unreachable ")
	p.says(200, `{"error":{"code":403,"message":"You do not have permissions.","details":[]}}`)
	d.lapse(clock, 1, 40*time.Second)
	d.see("▲ upgrade: refused ")
}

func TestTheVersionAndAnEndThatIsNearAreSeenBesideTwoChips(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"production", strings.Repeat("n", 253)} {
		v, alpha := fake("alpha", "Alpha")
		other, beta := fake("beta", "Beta")
		site := signedInSite(t, simulator.Scenario{Name: "frame", ReadOnly: true})
		d := start(t, ui.Options{Site: site, Clock: site.Clock, Name: name}, 80, 24, alpha, beta)
		d.see("READ-ONLY")
		d.keys("2 1")
		v.status = views.Status{Path: []string{strings.Repeat("p", 300)}}
		other.working = "sending a change"
		for _, left := range []time.Duration{time.Hour, 10 * time.Minute} {
			token := site.Client.Session.Token()
			token.Expires = adminapi.MillisOf(site.Clock.Now().Add(left))
			site.Client.Session.SetToken(token)
			for _, width := range []int{60, 80} {
				d.send(tea.WindowSizeMsg{Width: width, Height: 24})
				screen := d.model.View()
				uitest.Fits(t, screen, width, 24)
				for _, want := range []string{" " + name[:8], "▲ READ-ONLY ", "● sending a change ", " 11.5.0.6745 "} {
					if !strings.Contains(screen, want) {
						t.Errorf("%d columns: no %q on\n%s", width, want, screen)
					}
				}
				if near := left < 15*time.Minute; near != strings.Contains(screen, " session until 15:15 ") {
					t.Errorf("%d columns, %v left:\n%s", width, left, screen)
				}
			}
		}
	}
}

func TestALongChipOnTheRuleLeavesItsRoomToOtherFacts(t *testing.T) {
	t.Parallel()
	d, w, _ := onManual(t, &platform{status: 200, body: status("in_progress", "1", postgres), ahead: 210 * time.Minute})
	d.send(views.WatchUpgrade{})
	d.heard(w, 1)
	d.send(tea.WindowSizeMsg{Width: 80, Height: 24})
	d.see(" · ▲ site clock 3 h 30 min ahead ")
	if top := d.top(); !strings.Contains(top, "alarms off · ▲ upgrade STALLED in PostgreSQL") {
		t.Errorf("the first line is %q", top)
	}
}

// The time of the last fetch does not go back because a dialog opens that was read before; one that was read
// since is newer.
func TestADialogDoesNotTakeTheTimeOfTheScreenBack(t *testing.T) {
	t.Parallel()
	d, v := one(t)
	now := v.env.Clock.Now()
	v.status = views.Status{Updated: now}
	shown := func(read time.Time) string {
		dialog := widget.NewConfirm(uitest.Theme(), widget.Question{ID: "old", Text: "Stop it?", Read: read})
		d.send(views.Open{Dialog: dialog})
		defer d.send(views.Shut{ID: "old"})
		return d.model.View()
	}
	for read, want := range map[time.Time]string{now.Add(-5 * time.Minute): "updated 15:05:00", now.Add(-time.Hour): "updated 15:05:00", {}: "updated 15:05:00"} {
		if screen := shown(read); !strings.Contains(screen, want) {
			t.Errorf("no %q in\n%s", want, screen)
		}
	}
	v.status.Updated = now.Add(-5 * time.Minute)
	if screen := shown(now); !strings.Contains(screen, "updated 15:05:00") {
		t.Errorf("what the dialog has read since is not newer:\n%s", screen)
	}
}
