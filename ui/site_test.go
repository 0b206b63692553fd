package ui_test

import (
	"strings"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/polling"
	"geodeck/adminapi/operation/watching"
	"geodeck/adminapi/simulator/simtest"
	"geodeck/ui"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
)

// kept is a dashboard on a platform that nobody watches, at the first of its views.
func kept(t *testing.T, p *platform, slow bool) (*driver, *simtest.ManualClock, operation.Site) {
	t.Helper()
	site, clock := manualSite(t, p)
	site.Memory.Journal, site.Line = memory(t, clock), polling.NewLine(slow)
	return restarted(t, site), clock, site
}

// restarted is another start of the program at the same site.
func restarted(t *testing.T, site operation.Site) *driver {
	t.Helper()
	d, _ := watchingSite(t, site)
	d.see("11.5.0.6745")
	d.idle()
	return d
}

// pass lets time pass for the site and for the screen, and handles what comes of it.
func (d *driver) pass(clock *simtest.ManualClock, by time.Duration) {
	d.t.Helper()
	d.idle()
	clock.Advance(by)
	d.pace.Advance(by)
	d.idle()
}

// begins starts a patch at the site, as another client does.
func begins(t *testing.T, site operation.Site) {
	t.Helper()
	offer, err := site.Offers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	patch, _ := offer.Chain.Find("pat_12082025_6805")
	ask := operation.UpgradeRequest{Target: patch.Update}
	if ask.Settings, err = site.UpgradeSettings(t.Context(), ask); err != nil {
		t.Fatal(err)
	}
	if _, r := site.StartUpgrade(t.Context(), ask, nil); !r.Done() {
		t.Fatal(r.Err)
	}
}

func TestAnUpgradeThatAnotherClientBeginsIsSeenOnEveryScreen(t *testing.T) {
	t.Parallel()
	for scenario, end := range map[string]string{"healthy": "✓ upgrade succeeded", "patch-fails": "✗ upgrade failed"} {
		for _, view := range []string{"view.health", "view.services"} {
			t.Run(scenario+view, func(t *testing.T) {
				t.Parallel()
				site := uitest.NewSite(t, uitest.Scenario(t, scenario))
				d := startAs(t, ui.Options{Site: site.Site, Clock: site.Steps, Name: "prod"}, 120, 30, func(o ui.Options) dashboard { return ui.New(o) })
				d.see("11.5.0.6745")
				d.keys(view)
				d.idle()
				begins(t, site.As(t, site.Server.Users()[0]))
				d.pace.Advance(watching.StatePause)
				d.see("▲ upgrade: ")
				d.stays("Watch it?")
				if err := site.Steps.Sleep(t.Context(), 3*time.Minute); err != nil {
					t.Fatal(err)
				}
				d.idle()
				d.pace.Advance(watching.StatePause)
				d.see("▲ READ-ONLY")
				if err := site.Steps.Sleep(t.Context(), 2*time.Hour); err != nil {
					t.Fatal(err)
				}
				d.idle()
				d.pace.Advance(watching.StatePause)
				d.see(end)
				d.stays("▲ upgrade: ")
			})
		}
	}
}

func TestProgressShowsARunThatBeginsWhileItIsOnTheScreen(t *testing.T) {
	t.Parallel()
	site := uitest.NewSite(t, uitest.Scenario(t, "healthy"))
	d := startAs(t, ui.Options{Site: site.Site, Clock: site.Steps, Name: "prod"}, 120, 30, func(o ui.Options) dashboard { return ui.New(o) })
	d.see("11.5.0.6745")
	d.keys("view.progress")
	d.see("The site shows no log of an upgrade.")
	d.idle()
	begins(t, site.As(t, site.Server.Users()[0]))
	d.pace.Advance(watching.StatePause)
	d.see("▲ upgrade: ")
	d.gone("The site shows no log of an upgrade.")
	d.see("11.5.0.6745 → 11.5.0.6805")
}

func TestOverASlowLineAnUpgradeIsSeenWithinTwoPauses(t *testing.T) {
	t.Parallel()
	p := &platform{status: 200, body: nothing}
	d, clock, _ := kept(t, p, true)
	p.says(200, status("in_progress", "1", line(2173, 60, "7 of 13 deployments")))
	d.pass(clock, watching.StatePause)
	d.stays("▲ upgrade: ")
	d.pass(clock, watching.StatePause)
	d.see("▲ upgrade: 53 % after 13 min")
}

func TestAnUpgradeThatNobodyWantsToWatchIsNotSaidToRunAfterItsEnd(t *testing.T) {
	t.Parallel()
	p := &platform{status: 200, body: status("in_progress", "1", postgres)}
	d, clock, _ := kept(t, p, false)
	d.see("Watch it?")
	d.keys("n")
	d.see("▲ upgrade: PostgreSQL")
	p.says(200, status("success", "3", postgres, done))
	d.pass(clock, watching.StatePause)
	d.see("✓ upgrade succeeded")
	d.stays("▲ upgrade")
}

// A15: a run that nobody watches stalls on every screen all the same.
func TestAnUpgradeThatNobodyWatchesIsSaidToStall(t *testing.T) {
	t.Parallel()
	p := &platform{status: 200, body: status("in_progress", "1", postgres)}
	d, clock, _ := kept(t, p, false)
	d.see("Watch it?")
	d.keys("n")
	d.see("▲ upgrade: PostgreSQL")
	d.pass(clock, 40*time.Minute)
	d.see("▲ upgrade STALLED in PostgreSQL")
	p.gone(true) // then nobody knows
	d.pass(clock, watching.StatePause)
	d.see(": upgrade PostgreSQL")
	d.stays("STALLED")
	p.gone(false)
	d.pass(clock, watching.StatePause)
	d.see("▲ upgrade STALLED in PostgreSQL")
	p.says(200, status("in_progress", "1", postgres, line(2145, 51*60, "PostgreSQL")))
	d.pass(clock, watching.StatePause)
	d.gone("STALLED")
}

func TestAFailureStaysUntilItIsDismissedOrANewerRunHasBegun(t *testing.T) {
	t.Parallel()
	p := &platform{status: 200, body: nothing}
	d, clock, site := kept(t, p, false)
	d.palette("dismiss")
	d.see("The header shows no end of an upgrade.")
	p.says(200, status("failed", "2", postgres))
	d.pass(clock, watching.StatePause)
	d.see("✗ upgrade failed")
	for range 2 { // as R of Progress does
		d.send(views.WatchUpgrade{})
		d.idle()
		d.palette("refresh site")
		d.see("the site was refreshed")
		d.see("✗ upgrade failed")
	}
	d.close()
	d = restarted(t, site)
	d.see("✗ upgrade failed")
	d.palette("dismiss")
	d.gone("✗ upgrade failed")
	d.pass(clock, watching.StatePause)
	d.stays("✗ upgrade failed")
	d.close()
	d = restarted(t, site)
	d.pass(clock, watching.StatePause)
	d.stays("✗ upgrade failed")
	p.says(200, statusOf("in_progress", "1", line(2010, 3600, "from 1.0 to 2.0")))
	d.pass(clock, watching.StatePause)
	d.see("▲ upgrade: Launch")
	d.palette("dismiss")
	d.see("An upgrade is running. Dismiss its end once it has ended.")
	p.says(200, statusOf("failed", "2", line(2010, 3600, "from 1.0 to 2.0")))
	d.pass(clock, watching.StatePause)
	d.see("✗ upgrade failed")
}

func TestNoChipSpeaksOfThePresentWhereTheSiteIsCutOff(t *testing.T) {
	t.Parallel()
	for name, cut := range map[string]func(*driver, *platform, operation.Site){
		"the site is unreachable": func(_ *driver, p *platform, _ operation.Site) { p.gone(true) },
		"nobody is signed in":     func(d *driver, _ *platform, _ operation.Site) { d.palette("sign out") },
		"the sign-in has ended":   func(d *driver, _ *platform, _ operation.Site) { d.expire() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &platform{status: 200, body: status("in_progress", "1", line(2173, 60, "7 of 13 deployments")), readOnly: "true"}
			d, clock, site := kept(t, p, false)
			d.see("Watch it?")
			d.keys("n")
			d.gone("Watch it?")
			d.see("▲ READ-ONLY · ▲ upgrade: 53 %")
			cut(d, p, site)
			d.pass(clock, watching.StatePause)
			d.see("▲ as of 15:05: READ-ONLY")
			d.see("▲ as of 15:05: upgrade 53 %")
			p.gone(false)
		})
	}
}

func TestAFactThatIsOldSaysOfWhen(t *testing.T) {
	t.Parallel()
	p := &platform{status: 200, body: nothing, readOnly: "true"}
	d, clock, _ := kept(t, p, false)
	d.see("▲ READ-ONLY")
	clock.Advance(watching.StateLimit + time.Second) // and no refresh comes to its end
	d.send(struct{}{})
	d.see("▲ as of 15:05: READ-ONLY")
	d.pass(clock, watching.StatePause)
	d.see("▲ READ-ONLY")
	p.mode("false")
	d.pass(clock, watching.StatePause)
	d.stays("READ-ONLY")
}

func TestAnIdleDashboardSendsFourRequestsAMinuteAtMost(t *testing.T) {
	t.Parallel()
	for _, keys := range []string{"view.upgrade", "view.progress view.health view.upgrade"} {
		begin, later := tenMinutes(t, "healthy", keys, false, false)
		slowBegin, slowLater := tenMinutes(t, "healthy", keys, true, false)
		if later != 40 || slowLater != 20 {
			t.Errorf("%q: %d requests, then %d in ten minutes; over a slow line %d and %d", keys, begin, later, slowBegin, slowLater)
		}
	}
}

func TestWhileAnUpgradeIsWatchedOnlyTheModeIsFetchedBeside(t *testing.T) {
	t.Parallel()
	p := &platform{status: 200, body: status("in_progress", "1", postgres), readOnly: "false"}
	d, _, _ := kept(t, p, false)
	d.see("Watch it?")
	d.keys("y")
	d.see("alarms off")
	d.idle()
	before := p.requests()
	p.mode("true")
	for range 4 {
		d.idle()
		d.pace.Advance(watching.StatePause) // the watch waits for the clock of the site
	}
	d.idle()
	if n := p.requests() - before; n != 0 {
		t.Errorf("%d fetches of the upgrade beside the watch", n)
	}
	d.see("▲ READ-ONLY")
}

func TestTheListOfReportsIsFetchedAgainWhileItIsShown(t *testing.T) {
	t.Parallel()
	site := uitest.NewSite(t, uitest.Scenario(t, "healthy"))
	d := startAs(t, ui.Options{Site: site.Site, Clock: site.Steps, Name: "prod"}, 120, 30, func(o ui.Options) dashboard { return ui.New(o) })
	d.see("11.5.0.6745")
	d.idle()
	d.stays("of another")
	suites, err := site.Client.Health.Suites(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, r := site.As(t, site.Server.Users()[0]).StartHealthRun(t.Context(), adminapi.HealthRun{Name: "of another", SuiteIDs: []string{suites[0].ID}}); r.Err != nil {
		t.Fatal(r.Err)
	}
	if err := site.Steps.Sleep(t.Context(), 20*time.Minute); err != nil {
		t.Fatal(err)
	}
	for range 20 {
		d.idle()
		d.pace.Advance(10 * time.Second)
	}
	d.see("of another")
}

func TestOfflineNothingIsRefreshed(t *testing.T) {
	t.Parallel()
	d, _ := one(t)
	d.idle()
	if n := d.pace.Waiters(); n != 0 {
		t.Errorf("%d timers", n)
	}
	d.palette("dismiss")
	d.see("The header shows no end of an upgrade.")
	if strings.Contains(d.top(), "as of") {
		t.Error(d.top())
	}
}

func TestAnAgeCountsByItselfByTheMinute(t *testing.T) {
	t.Parallel()
	v, maker := fake("alpha", "Alpha")
	d := start(t, ui.Options{}, 80, 24, maker)
	v.status = views.Status{Updated: d.pace.Now().Add(-10 * time.Minute)}
	d.send(struct{}{})
	d.see("updated 10 min ago")
	for range 2 {
		d.idle()
		d.pace.Advance(time.Minute)
	}
	d.see("updated 12 min ago")
}
