package ui_test

import (
	"strings"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/watching"
	"geodeck/adminapi/simulator/simtest"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
)

// dropped is a site at which a watch was cut off, an hour ago.
type dropped struct {
	site  operation.Site
	p     *platform
	clock *simtest.ManualClock
}

func unfinishedWatch(t *testing.T) *dropped {
	t.Helper()
	p := &platform{status: 200, body: nothing}
	site, clock := manualSite(t, p)
	site.Memory.Journal = memory(t, clock)
	x := &dropped{site, p, clock}
	d, w := x.start(t)
	d.see("11.5.0.6745")
	d.keys("2")
	x.p.says(200, status("in_progress", "1", postgres))
	d.send(views.WatchUpgrade{})
	d.heard(w, 1)
	d.close()
	clock.Advance(time.Hour)
	return x
}

// start opens a dashboard on the site.
func (x *dropped) start(t *testing.T) (*driver, *watcher) {
	t.Helper()
	return watchingSite(t, x.site)
}

func TestAWatchThatWasCutOffIsOfferedAndGoesOnWithAllMessages(t *testing.T) {
	t.Parallel()
	x := unfinishedWatch(t)
	x.p.says(200, status("in_progress", "1", line(2145, 120, "PostgreSQL"))) // what was told before is gone
	d, w := x.start(t)
	d.see("The upgrade to 2.0 was being watched here until 2026-11-20 15:05; 2 messages are saved. Resume?")
	d.see("It is still running.")
	d.keys("y")
	d.see("this is progress")
	d.heard(w, 1)
	r := w.heard[0].Snapshot
	if !r.Resumed || r.Log.Len() != 3 || r.Log.At(1).Code != postgres.Code {
		t.Errorf("resumed %v, %d messages", r.Resumed, r.Log.Len())
	}
	if !w.env.Times.Origin.Equal(began.Time()) {
		t.Errorf("times are counted from %v", w.env.Times.Origin)
	}
	d.keys("quit")
	d.see("its messages are saved, and the next start offers to")
	d.keys("n")
	x.p.says(200, status("success", "3", postgres, done))
	d.lapse(x.clock, 1, 10*time.Second)
	d.see("done: the upgrade has succeeded")
	n := len(w.heard)
	d.send(views.WatchUpgrade{})
	d.heard(w, n+1)
	if w.ends() != 1 {
		t.Error("what has ended is news twice")
	}
	d.close()
	d, _ = x.start(t)
	d.see("11.5.0.6745")
	d.stays("Watch", "watched")
}

// stays fails where one of the texts is on the screen once the site was read.
func (d *driver) stays(texts ...string) {
	d.t.Helper()
	for _, text := range texts {
		if v := d.model.View(); strings.Contains(v, text) {
			d.t.Errorf("“%s” is on the screen:\n%s", text, v)
		}
	}
}

func TestAnUpgradeThatEndedWhileNobodyWatchedIsNewsOnce(t *testing.T) {
	t.Parallel()
	for state, want := range map[string][2]string{
		"success": {" has ended: succeeded.", "done: the upgrade has succeeded"},
		"failed":  {" has ended: failed.", "error: the upgrade failed"},
	} {
		t.Run(state, func(t *testing.T) {
			t.Parallel()
			x := unfinishedWatch(t)
			messages := ending(state, postgres, line(2145, 120, "PostgreSQL"))
			x.p.says(200, status(state, "0", messages...))
			d, w := x.start(t)
			d.see("The upgrade to 2.0 that was watched here until 2026-11-20 15:05")
			d.see(want[0])
			d.keys("y")
			d.see("this is progress")
			d.see(want[1])
			if w.ends() != 1 || w.env.Upgrade.Snapshot.Log.Len() != 1+len(messages) {
				t.Errorf("%d ends, %d messages", w.ends(), w.env.Upgrade.Snapshot.Log.Len())
			}
			d.close()
			d, _ = x.start(t)
			d.see("11.5.0.6745")
			d.stays("watched")
		})
	}
}

func TestWhoDoesNotWantToSeeAnEndIsNeverAskedAgain(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"it has ended":           status("success", "3", postgres, done),
		"the site tells nothing": nothing,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := unfinishedWatch(t)
			x.p.says(200, body)
			d, _ := x.start(t)
			d.see("that was watched here")
			d.keys("n")
			d.gone("that was watched here")
			d.settled(x.site)
			d.close()
			d, _ = x.start(t)
			d.see("11.5.0.6745")
			d.stays("watched")
		})
	}
}

// settled waits until nothing is to be resumed any more.
func (d *driver) settled(site operation.Site) {
	d.t.Helper()
	d.await("end of the transcript", func() bool { _, found, err := site.Memory.Unfinished(); return !found && err == nil })
}

func TestAnEndThatTheSiteDoesNotTellIsNotClaimed(t *testing.T) {
	t.Parallel()
	x := unfinishedWatch(t)
	x.p.says(200, nothing)
	d, w := x.start(t)
	d.see("is no longer running. See its record?")
	d.see("Its outcome is unknown")
	d.keys("y")
	d.heard(w, 1)
	if r := w.heard[0].Snapshot; r.Ended || r.Log.Len() != 2 {
		t.Errorf("ended %v, %d messages", r.Ended, r.Log.Len())
	}
	d.settled(x.site)
}

func TestWhoDoesNotWantToResumeIsAskedAtTheNextStartOnly(t *testing.T) {
	t.Parallel()
	x := unfinishedWatch(t)
	x.p.says(200, status("in_progress", "1", postgres))
	d, _ := x.start(t)
	d.see("Resume?")
	d.keys("n")
	d.gone("Resume?")
	d.palette("refresh site")
	d.see("the site was refreshed")
	d.stays("Resume?", "Watch it?")
	d.close()
	d, _ = x.start(t)
	d.see("Resume?")
}

func TestASiteThatDoesNotAnswerHidesNothingThatIsKept(t *testing.T) {
	t.Parallel()
	x := unfinishedWatch(t)
	x.p.gone(true)
	d, w := x.start(t)
	d.see("The upgrade to 2.0 was being watched here until 2026-11-20 15:05; 2 messages are saved. Resume?")
	d.see("the site does not report it now")
	d.keys("y")
	d.heard(w, 1)
	if r := w.heard[0].Snapshot; r.Unreachable == nil || r.Log.Len() != 2 {
		t.Errorf("away %v, %d messages", r.Unreachable, r.Log.Len())
	}
	x.p.gone(false)
	x.p.says(200, status("success", "3", postgres, done))
	d.lapse(x.clock, 1, time.Minute)
	d.see("done: the upgrade has succeeded")
}

func TestAnotherUpgradeIsNotTakenForTheOneThatWasCutOff(t *testing.T) {
	t.Parallel()
	x := unfinishedWatch(t)
	later := adminapi.UpgradeMessage{Code: 2010, When: adminapi.MillisOf(x.clock.Now()) - 60_000, Message: "from 2.0 to 3.0"}
	x.p.says(200, status("in_progress", "1", postgres, later))
	d, w := x.start(t)
	d.see("has been running at this site since")
	d.stays("Resume?")
	d.keys("y")
	d.heard(w, 1)
	if r := w.heard[0].Snapshot; r.Resumed || r.Progress.To != "3.0" {
		t.Errorf("resumed %v, to %s", r.Resumed, r.Progress.To)
	}
}

func TestAResumeIsOfferedAfterTheSignIn(t *testing.T) {
	t.Parallel()
	site := uitest.NewSite(t, uitest.Scenario(t, "elses-upgrade"))
	site.Site.Memory.Journal = memory(t, site.Steps)
	if _, err := watching.NewWatch(site.Site, nil).Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	site.Client.Session.SetToken(adminapi.Token{Value: "expired"})
	d, _ := watchingSite(t, site.Site)
	d.see("Sign in to")
	d.stays("Resume?")
	d.pace.Advance(2 * time.Second)
	user := site.Server.Users()[0]
	d.fill(user.Username, user.Password)
	d.see("Resume?")
}

func TestWhoLooksAtProgressBeforeTheOfferIsToldTheSame(t *testing.T) {
	t.Parallel()
	x := unfinishedWatch(t)
	x.p.says(200, "") // not up yet
	d, w := x.start(t)
	d.keys("2")
	d.send(views.WatchUpgrade{}) // as the view does; the site was not read yet
	d.heard(w, 1)
	d.see("11.5.0.6745")
	x.p.says(200, status("success", "3", postgres, line(2145, 120, "PostgreSQL"), done))
	d.lapse(x.clock, 1, time.Minute)
	d.see("has ended: succeeded")
	d.pace.Advance(2 * time.Second) // nobody types any more
	d.keys("y")
	d.see("this is progress")
	d.see("done: the upgrade has succeeded")
	if w.ends() != 1 {
		t.Errorf("%d ends", w.ends())
	}
}

func TestAnEndThatWasSeenIsNotOfferedAgain(t *testing.T) {
	t.Parallel()
	x := unfinishedWatch(t)
	x.p.says(200, status("in_progress", "1", postgres))
	d, w := x.start(t)
	d.send(views.WatchUpgrade{}) // before the site was read
	d.keys("2")
	d.heard(w, 1)
	if r := w.env.Upgrade.Snapshot; !r.Resumed || r.Log.Len() != 2 {
		t.Errorf("resumed %v, %d messages", r.Resumed, r.Log.Len())
	}
	x.p.says(200, status("success", "3", postgres, done))
	d.lapse(x.clock, 1, 10*time.Second)
	d.see("done: the upgrade has succeeded")
	d.palette("refresh site")
	d.see("the site was refreshed")
	d.stays("watched")
}

func TestTheOfferToResumeFollowsTheEndOfItsUpgrade(t *testing.T) {
	t.Parallel()
	x := unfinishedWatch(t)
	x.p.says(200, status("in_progress", "1", postgres))
	d, w := x.start(t)
	d.see("Resume?")
	x.p.says(200, status("success", "3", postgres, done))
	d.idle()
	d.lapse(d.pace, 1, 30*time.Second)
	d.see("has ended: succeeded. See how?")
	d.stays("Resume?")
	d.pace.Advance(2 * time.Second) // nobody types any more
	d.keys("y")
	d.see("this is progress")
	d.see("done: the upgrade has succeeded")
	if w.ends() != 1 {
		t.Errorf("%d ends", w.ends())
	}
}
