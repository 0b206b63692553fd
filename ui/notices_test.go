package ui_test

import (
	"errors"
	"testing"
	"time"

	"geodeck/ui/views"
	"geodeck/ui/views/uitest"
)

func TestErrorsStayAndOtherNoticesGo(t *testing.T) {
	d, _ := one(t)
	d.send(views.Notice{Level: views.Success, Text: "exported to\x1b[2J a.json"})
	d.see("✓ done: exported to a.json")
	d.timers(1)
	d.pace.Advance(6 * time.Second)
	d.gone("exported")
	d.send(views.Notice{Level: views.Failure, Text: "cannot export", Err: errors.New("disk full\x1b]0;x\x07")})
	d.pace.Advance(time.Hour)
	d.keys("j")
	d.see("✗ error: cannot export")
	d.keys("!")
	d.see("disk full")
	uitest.Harmless(t, d.model.View())
	d.keys("esc")
	d.gone("disk full")
}

func TestNewNoticeIsNotTakenAwayByAnOldTimer(t *testing.T) {
	d, _ := one(t)
	d.send(views.Notice{Text: "first"})
	d.timers(1)
	d.pace.Advance(4 * time.Second)
	d.send(views.Notice{Text: "second"})
	d.next() // the end of the old timer
	d.timers(1)
	d.pace.Advance(2 * time.Second)
	d.see("second")
	d.pace.Advance(4 * time.Second)
	d.gone("second")
}

func TestEscapeDismissesAnErrorBeforeItGoesBack(t *testing.T) {
	d, _, _ := two(t)
	d.keys("2")
	d.send(views.Notice{Level: views.Failure, Text: "it broke"})
	d.keys("esc")
	d.gone("it broke")
	d.see("this is beta")
}

func TestClockTicksOnlyWhileSomethingCounts(t *testing.T) {
	d, v := one(t)
	d.keys("j")
	if d.pace.Waiters() != 0 {
		t.Fatal("an idle screen has a timer")
	}
	v.status.Away = &views.Away{Since: uitest.Start.Add(-20 * time.Second), Next: uitest.Start.Add(4 * time.Second)}
	d.keys("j")
	d.see("no answer for 20 s, asking in 4 s")
	d.timers(1)
	d.pace.Advance(time.Second)
	d.next()
	d.see("no answer for 21 s, asking in 3 s")
	v.status.Away = nil
	d.timers(1)
	d.pace.Advance(time.Second)
	d.next()
	d.gone("no answer")
	if d.pace.Waiters() != 0 {
		t.Error("the timer goes on")
	}
}
