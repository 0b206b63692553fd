package ui_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/operationtest"
	"geodeck/adminapi/operation/watching"
	"geodeck/adminapi/simulator"
	"geodeck/ui"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
)

// watcher is a fake view that is told of the upgrade.
type watcher struct {
	*fakeView
	heard []views.Watched
	known int // how often outcomes were looked for
}

func (w *watcher) Update(msg tea.Msg) tea.Cmd {
	switch msg {
	case views.RecordChanged:
		w.known++
	case views.UpgradeRead:
		w.heard = append(w.heard, w.env.Upgrade)
	default:
		return w.fakeView.Update(msg)
	}
	return nil
}

// ends counts the readings that told of an end.
func (w *watcher) ends() (n int) {
	for _, told := range w.heard {
		if told.Snapshot.Ended {
			n++
		}
	}
	return n
}

// watchingSite opens a dashboard with a view Alpha and one that hears of upgrades.
func watchingSite(t *testing.T, site operation.Site, change ...func(*ui.Options)) (*driver, *watcher) {
	t.Helper()
	_, alpha := fake("alpha", "Alpha")
	v, maker := fake("progress", "Progress")
	w := &watcher{fakeView: v}
	inner := maker.New
	maker.New = func(env *views.Env) views.View {
		inner(env)
		if env.Upgrade.Snapshot.Seen { // read before there was a view to tell
			w.heard = append(w.heard, env.Upgrade)
		}
		return w
	}
	o := ui.Options{Site: site, Clock: site.Clock, Name: "prod"}
	for _, c := range change {
		c(&o)
	}
	return start(t, o, 120, 24, alpha, maker), w
}

func TestAnUpgradeOfSomebodyElseIsOfferedAndWatchedToItsEnd(t *testing.T) {
	t.Parallel()
	d, w := watchingSite(t, uitest.NewSite(t, uitest.Scenario(t, "elses-upgrade")).Site)
	d.see("has been running at this site since 14:59:00. Watch it?")
	d.keys("y")
	d.see("this is progress")
	d.see("after 6 min")
	d.keys("1") // the watch goes on whatever is shown
	d.see("this is alpha")
	d.see("after 12 min")
	d.see("done: the upgrade has succeeded after 15 min 51 s")
	d.see("✓ upgrade succeeded")
	d.see("11.5.0.6805")
	if w.env.Upgrade.On || w.ends() != 1 {
		t.Errorf("still watched: %v; told of %d ends", w.env.Upgrade.On, w.ends())
	}
	if first := w.heard[0].Snapshot.Log; first.Len() < 4 || first.At(0).Code != 2010 {
		t.Errorf("the %d messages do not begin at the beginning", first.Len())
	}
}

func TestWhoDoesNotWantToWatchIsNotAskedAgain(t *testing.T) {
	t.Parallel()
	d, w := watchingSite(t, uitest.NewSite(t, uitest.Scenario(t, "elses-upgrade")).Site)
	d.see("Watch it?")
	d.keys("n")
	d.gone("Watch it?")
	d.see("▲ upgrade: ")
	d.keys("palette")
	d.text("refresh site")
	d.keys("enter")
	d.see("the site was refreshed")
	if strings.Contains(d.model.View(), "Watch it?") || w.env != nil && w.env.Upgrade.On {
		t.Errorf("asked again:\n%s", d.model.View())
	}
}

func TestTheHeaderTellsOfAnUnwatchedFailureWhileTheSiteIsReadOnly(t *testing.T) {
	t.Parallel()
	site := uitest.NewSite(t, uitest.Scenario(t, "running-release-fails"))
	d, _ := watchingSite(t, site.Site)
	d.see("Watch it?")
	d.keys("n")
	d.gone("Watch it?")
	if err := site.Steps.Sleep(t.Context(), 2*time.Hour); err != nil {
		t.Fatal(err)
	}
	d.palette("refresh site")
	d.see("✗ upgrade failed")
	d.see("READ-ONLY")
}

// The mode was fetched before the upgrade began; its messages are newer.
func TestTheHeaderTellsThatAWatchedUpgradeHasMadeTheSiteReadOnly(t *testing.T) {
	t.Parallel()
	x := unfinishedWatch(t)
	x.p.says(200, status("in_progress", "1", postgres, line(2165, 90, "read-only")))
	d, w := x.start(t)
	d.see("Resume?")
	d.keys("y")
	d.heard(w, 1)
	d.see("READ-ONLY")
}

func TestTheQuestionBeforeQuittingNamesARollback(t *testing.T) {
	t.Parallel()
	x := unfinishedWatch(t)
	x.p.says(200, statusOf("in_progress", "1", line(2010, 0, "from 11.5.0.6835 to 11.5.0.6825")))
	d, w := x.start(t)
	d.see("Resume?")
	d.keys("y")
	d.heard(w, 1)
	d.keys("quit")
	d.see("A rollback is being watched.")
}

func TestTheQuestionBeforeQuittingIsTrueWhenItIsAnswered(t *testing.T) {
	t.Parallel()
	x := unfinishedWatch(t)
	x.p.says(200, status("in_progress", "1", postgres))
	d, w := x.start(t)
	d.see("Resume?")
	d.keys("y")
	d.heard(w, 1)
	d.keys("quit")
	d.see("An upgrade is being watched.")
	x.p.says(200, status("failed", "2", postgres))
	d.lapse(x.clock, 1, 10*time.Second)
	d.see("✗ upgrade failed")
	d.stays("is being watched")
	d.see("Quit geodeck?")
}

func TestAnUpgradeThatEndedUnwatchedIsNotSaidToRunOnceTheSiteWasRead(t *testing.T) {
	t.Parallel()
	site := uitest.NewSite(t, uitest.Scenario(t, "elses-upgrade"))
	d, w := watchingSite(t, site.Site)
	d.see("Watch it?")
	d.keys("n")
	d.gone("Watch it?")
	d.keys("2")
	d.see("this is progress")
	d.see("▲ upgrade: ")
	if err := site.Steps.Sleep(t.Context(), 2*time.Hour); err != nil {
		t.Fatal(err)
	}
	d.send(views.WatchUpgrade{})
	d.await("reading", func() bool { return len(w.heard) == 1 })
	if v := d.model.View(); strings.Contains(v, "an upgrade is running") {
		t.Errorf("what is over is said to run:\n%s", v)
	}
}

func TestAnAPIThatGoesAwayIsSaidAndHeals(t *testing.T) {
	t.Parallel()
	gone := simulator.Fault{Path: "/admin/system/upgrades", Method: http.MethodGet, After: 4, Times: 4, What: "empty"}
	d, w := watchingSite(t, uitest.NewSite(t, uitest.Scenario(t, "elses-upgrade", gone)).Site)
	d.see("Watch it?")
	d.keys("y")
	d.see("▲ API unreachable ") // since when stands below, in Progress
	d.gone("▲ API unreachable")
	d.see("✓ upgrade succeeded")
	away := 0
	for _, told := range w.heard {
		if told.Snapshot.Unreachable != nil {
			away++
			if told.Snapshot.Log.Len() == 0 {
				t.Error("what was known is lost")
			}
		}
	}
	if away != 4 || w.ends() != 1 {
		t.Errorf("away %d times, %d ends", away, w.ends())
	}
}

func TestATokenThatExpiresHidesNoUpgradeAndTheWatchGoesOn(t *testing.T) {
	t.Parallel()
	site := uitest.NewSite(t, uitest.Scenario(t, "elses-upgrade"))
	site.Site.Memory.Journal = memory(t, site.Steps)
	user := site.Server.Users()[0]
	d, w := watchingSite(t, site.Site)
	d.see("Watch it?")
	d.keys("y")
	d.see("▲ upgrade: ")
	site.Client.Session.SetToken(adminapi.Token{Value: "expired"})
	d.see("▲ upgrade: not signed in")
	d.keys("1")
	d.see("Session expired. Press R to sign in. As of ")
	d.see(" the upgrade was running.")
	d.gone("Password")
	if w.env.Upgrade.Refused() == nil || !w.env.Upgrade.On {
		t.Error("the watch does not wait for the sign-in")
	}
	before := len(w.heard)
	d.keys("R")
	d.see("Sign in to keep watching")
	d.see("user and password")
	d.fill(user.Username, user.Password)
	d.see("done: the upgrade has succeeded")
	if len(w.heard) <= before || w.ends() != 1 {
		t.Errorf("%d readings after the sign-in, %d ends", len(w.heard)-before, w.ends())
	}
	last := w.env.Upgrade.Snapshot
	kept, err := watching.Replay(site.Site, last.Transcript)
	if err != nil || last.TranscriptErr != nil || kept.Log.Len() != last.Log.Len() || !kept.Ended {
		t.Errorf("%d messages are on the screen and %d in the transcript, ended %v: %v, %v",
			last.Log.Len(), kept.Log.Len(), kept.Ended, err, last.TranscriptErr)
	}
}

func TestASessionGoesOnByItselfOnceTheSiteTakesTheTokenAgain(t *testing.T) {
	t.Parallel()
	running := status("in_progress", "1")
	p := &platform{status: 200, body: running}
	d, w, clock := onManual(t, p)
	d.send(views.WatchUpgrade{})
	d.heard(w, 1)
	d.keys("1")
	p.says(200, `{"error":{"code":498,"message":"Invalid token.","details":[]}}`)
	d.lapse(clock, 1, 10*time.Second)
	d.see("Session expired. Press R to sign in. As of ")
	d.see(" the upgrade was running.")
	p.says(200, running)
	d.lapse(clock, 1, 30*time.Second)
	d.heard(w, 3)
	if screen := d.model.View(); strings.Contains(screen, "Session expired") {
		t.Errorf("the site takes the token, and a sign-in is asked for:\n%s", screen)
	}
}

// memory is a journal of the test's own.
func memory(t *testing.T, clock adminapi.Clock) *journal.Journal {
	t.Helper()
	j, err := journal.OpenThrowaway(journal.WithClock(clock))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close() })
	return j
}

func TestASuccessThatWasThereIsHistory(t *testing.T) {
	t.Parallel()
	d, w := watchingSite(t, uitest.NewSite(t, uitest.Scenario(t, "upgraded")).Site)
	d.keys("2")
	d.see("this is progress")
	d.send(views.WatchUpgrade{})
	d.await("reading", func() bool { return len(w.heard) == 1 })
	if got := w.heard[0]; got.On || got.Snapshot.Ended || got.Snapshot.Status.State != adminapi.UpgradeSuccess {
		t.Errorf("told %+v", got)
	}
	if v := d.model.View(); strings.Contains(v, "upgrade succeeded") || strings.Contains(v, "has succeeded") {
		t.Errorf("history is told as news:\n%s", v)
	}
}

func TestAnEndFoundAtOnceIsNewsOfWhatWasJustAccepted(t *testing.T) {
	t.Parallel()
	site := uitest.NewSite(t, uitest.Scenario(t, "healthy"))
	offer, err := site.Offers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	patch, _ := offer.Chain.Find("pat_12082025_6805")
	ask := operation.UpgradeRequest{Target: patch.Update}
	if ask.Settings, err = site.UpgradeSettings(t.Context(), ask); err != nil {
		t.Fatal(err)
	}
	run, result := site.StartUpgrade(t.Context(), ask, nil)
	if !result.Done() {
		t.Fatal(result.Err)
	}
	if err := site.Steps.Sleep(t.Context(), 2*time.Hour); err != nil { // nobody sees it run
		t.Fatal(err)
	}
	d, _ := watchingSite(t, site.Site)
	d.send(views.WatchUpgrade{Run: run})
	d.see("done: the upgrade has succeeded")
	d.see("✓ upgrade succeeded")
}

// What was just started has a transcript of its own: that of an earlier upgrade, whose watch nobody resumed, says nothing of it.
func TestTheWatchOfWhatWasJustStartedGoesOnWithNoEarlierOne(t *testing.T) {
	t.Parallel()
	p, run := operationtest.Started(t)
	operationtest.Polled(t, p, watching.NewWatch(p.Site, run), 5)
	d, w := watchingSite(t, p.Site)
	d.see("Resume?")
	d.keys("n")
	d.gone("Resume?")
	p.Clock.Advance(3 * time.Hour) // it ends, and nobody watches that
	next, result := p.StartUpgrade(t.Context(), p.Request(t, "pat_11092025_6815"), nil)
	if !result.Done() {
		t.Fatal(result.Err)
	}
	d.send(views.WatchUpgrade{Run: next})
	d.keys("2")
	d.heard(w, 1)
	for _, heard := range w.heard {
		if heard.Snapshot.Resumed {
			t.Fatalf("it goes on with the transcript of an earlier one: %d messages", heard.Snapshot.Log.Len())
		}
	}
}

func TestAnUnknownStateIsReadOnAndNeverAnEnd(t *testing.T) {
	t.Parallel()
	p := &platform{status: 200, body: status("paused", "9")}
	d, w, clock := onManual(t, p)
	d.send(views.WatchUpgrade{})
	d.see("▲ upgrade: state unknown")
	for n := 2; n < 6; n++ {
		d.lapse(clock, 1, 10*time.Second)
		d.heard(w, n)
	}
	if !w.env.Upgrade.On || w.ends() > 0 {
		t.Error("the watch ended at a state that it does not know")
	}
	p.says(200, status("in_progress", "1"))
	d.lapse(clock, 1, 10*time.Second)
	d.see("▲ upgrade: Launch")
	p.says(200, status("failed", "4"))
	d.lapse(clock, 1, 10*time.Second)
	d.see("error: the upgrade failed; noticed ")
	d.see("✗ upgrade failed")
}

func TestOneRequestIsUnderWayWhoeverAsks(t *testing.T) {
	t.Parallel()
	p := &platform{status: 200, body: status("in_progress", "1")}
	d, w, clock := onManual(t, p)
	asked := p.requests()
	for range 5 {
		d.send(views.WatchUpgrade{})
	}
	d.heard(w, 1)
	d.lapse(clock, 1, 0)
	if n := p.requests() - asked; n != 1 {
		t.Errorf("%d requests", n)
	}
	before := p.requests()
	d.send(views.WatchUpgrade{}) // kept, and asked at once
	d.send(tea.ResumeMsg{})
	d.heard(w, 2)
	d.lapse(clock, 1, time.Minute) // the pause that was cut short is over
	d.heard(w, 3)
	if p.most > 2 { // the watch, and the header's look of the resume
		t.Errorf("%d requests at the same time", p.most)
	}
	if n := p.requests() - before; n > 3 {
		t.Errorf("%d requests", n)
	}
}

func TestARefusalIsSaidOnceAndAskedOn(t *testing.T) {
	t.Parallel()
	p := &platform{status: 200, body: status("in_progress", "1")}
	d, w, clock := onManual(t, p)
	d.send(views.WatchUpgrade{})
	d.heard(w, 1)
	p.says(200, `{"error":{"code":403,"message":"You do not have permissions.","details":[]}}`)
	d.lapse(clock, 1, 10*time.Second)
	d.see("You do not have permissions")
	d.keys("esc")
	d.gone("You do not have permissions")
	d.lapse(clock, 1, 30*time.Second)
	d.heard(w, 3)
	if strings.Contains(d.model.View(), "You do not have permissions") {
		t.Error("the same refusal is said twice")
	}
	p.says(200, status("in_progress", "1"))
	d.lapse(clock, 1, 30*time.Second)
	d.heard(w, 4)
	if w.env.Upgrade.Refused() != nil || !w.env.Upgrade.On {
		t.Errorf("%+v", w.env.Upgrade)
	}
}

func TestTheEndOfTheProgramEndsTheWatch(t *testing.T) {
	t.Parallel()
	p := &platform{status: 200, body: status("in_progress", "1")}
	d, w, clock := onManual(t, p)
	d.send(views.WatchUpgrade{})
	d.heard(w, 1)
	d.lapse(clock, 1, time.Millisecond)
	d.keys("quit")
	d.see("It continues at the site")
	d.keys("y")
	d.await("end", func() bool { return d.ended })
	d.close()
	if clock.Waiters() > 0 {
		t.Error("the watch still waits")
	}
}

func TestWhatCannotBeRecordedCannotBeChangedAndIsSaid(t *testing.T) {
	t.Parallel()
	site := uitest.NewSite(t, uitest.Scenario(t, "healthy")).Site
	d, _ := watchingSite(t, site, func(o *ui.Options) {
		o.Remember = func() (operation.Memory, string, error) { return operation.Memory{}, "", http.ErrServerClosed }
	})
	d.see("error: changes are disabled, as they cannot be recorded")
	d.see("no writes")
	d.see("11.5")
}

func TestTheHeaderFollowsTheClockOfTheSite(t *testing.T) {
	t.Parallel()
	p := &platform{status: 200, body: status("in_progress", "1", postgres)}
	d, w, clock := onManual(t, p)
	d.send(tea.WindowSizeMsg{Width: 160, Height: 24})
	d.send(views.WatchUpgrade{})
	d.heard(w, 1)
	for i, c := range []struct {
		ahead time.Duration
		says  string
	}{{3 * time.Hour, "site clock 3 h 00 min ahead"}, {-2 * time.Hour, "site clock 2 h 00 min behind"}, {0, ""}} {
		p.set(c.ahead, "")
		d.lapse(clock, 1, 10*time.Second)
		d.heard(w, i+2)
		if top := d.top(); c.says != "" && !strings.Contains(top, c.says) || strings.Contains(top, "site clock") != (c.says != "") {
			t.Errorf("%v ahead: %s", c.ahead, top)
		}
	}
}

// Nobody watches, and the upgrade ends: the question and the header follow by themselves.
func TestAnUpgradeThatEndsUnwatchedIsNoticed(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]string{"the question stands": "", "nobody wants to watch": "n"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &platform{status: 200, body: status("in_progress", "1", postgres)}
			site, _ := manualSite(t, p)
			d, _ := watchingSite(t, site)
			d.see("Watch it?")
			d.see("▲ upgrade: ")
			if answer != "" {
				d.pace.Advance(2 * time.Second) // nobody types any more
				d.keys(answer)
				d.gone("Watch it?")
			}
			p.gone(true) // it restarts, which is no news
			d.lapse(d.pace, 1, 30*time.Second)
			d.see("▲ site answers with a web page")
			d.stays("error:")
			p.gone(false)
			d.lapse(d.pace, 1, 30*time.Second)
			d.gone("▲ site answers with a web page")
			d.stays("the site answers again")
			p.set(0, "11.5.0.6805")
			p.says(200, status("success", "3", postgres, done))
			d.lapse(d.pace, 1, 30*time.Second)
			d.see("11.5.0.6805")
			d.gone("▲ upgrade: ")
			d.gone("Watch it?")
			if answer == "" { // a key that was meant for it answers the one in its place
				d.see("The upgrade to 2.0 has succeeded. Open it?")
				d.pace.Advance(2 * time.Second) // nobody types any more
				d.keys("x")
				d.see("Answer y or n first.")
				d.keys("y")
				d.see("this is progress")
			}
		})
	}
}

func TestTheHeaderCallsARollbackThatRunsByItsName(t *testing.T) {
	t.Parallel()
	p := &platform{status: 200, body: statusOf("in_progress", "1", line(2010, 0, "from 11.5.0.6805 to 11.5.0.6745"))}
	d, _, _ := onManual(t, p)
	d.send(views.WatchUpgrade{})
	d.see("▲ rollback: Launch")
}

func TestARollbackThatLeadsElsewhereIsAlarmedAndStandsOnEveryScreen(t *testing.T) {
	t.Parallel()
	const says = "11.5.0.6825 was confirmed, but the site goes from 11.5.0.6835 to 11.5.0.6820"
	scenario := uitest.Scenario(t, "upgraded")
	scenario.Upgrades.Rollback = "beyond"
	site := uitest.NewSite(t, scenario).Site
	site.Memory.Journal = uitest.Journal(t, site.Clock)
	all, err := site.Rollbacks(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	run, result := site.StartUpgrade(t.Context(), operation.RollbackRequest(all[0]), nil)
	if !result.Done() {
		t.Fatal(result.Err)
	}
	terminal := newWire(t)
	d := start(t, ui.Options{Site: site, Clock: site.Clock, Name: "prod", Terminal: terminal.Terminal, Alarms: watching.Calls{Bell: true, Notify: true}}, 160, 40, ui.Makers()...)
	d.send(views.WatchUpgrade{Run: run})
	d.see("▲ rollback to 11.5.0.6820, not 11.5.0.6825")
	d.see(says + "; W says what to do")
	d.keys("view.progress")
	d.see(says + ".")
	d.see("Let it end. Then compare what is installed.")
	d.keys("view.health")
	d.see("▲ rollback to 11.5.0.6820, not 11.5.0.6825")
	d.close()
	if rung := terminal.all(); !strings.Contains(rung, says) || !strings.Contains(rung, "\a") {
		t.Errorf("the terminal was told %q", rung)
	}
}
