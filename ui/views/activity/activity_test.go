package activity_test

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/incident"
	"geodeck/adminapi/operation/watching"
	"geodeck/adminapi/simulator"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
	"geodeck/ui/views/activity"
)

// The chain goes on by itself, and ends some seconds after the view was last said to be shown.
func TestARunningJobIsPolledWhileTheViewIsShownAndNotAfter(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, uitest.Scenario(t, "healthy"))
	p.below = &manyJobs{below: p.below, n: 3, at: p.steps.Now(), running: true}
	s := running(t, p, 120, 35)
	s.Shows("1 running", "● executing")
	began, asked := p.steps.Now(), p.requests.Load()
	s.freshen() // after 10 s
	passed := p.steps.Now().Sub(began)
	if n := p.requests.Load() - asked; passed < 18*time.Second || passed > 26*time.Second || n < 10 || n > 20 {
		t.Errorf("%d requests in %s", n, passed)
	}
}

func TestAJobThatEndsIsShownAndNotReadAgain(t *testing.T) {
	t.Parallel()
	p := worked(t)
	s := running(t, p, 120, 35)
	s.Shows("1 running", "● executing")
	for range 6 {
		s.freshen()
	}
	s.Shows("[Jobs]", "health nightly", "✓ completed")
	asked := p.requests.Load()
	for range 5 {
		s.freshen()
	}
	if n := p.requests.Load() - asked; n != 5 {
		t.Errorf("%d requests for jobs that have ended", n)
	}
}

func TestARowLeadsToWhatItIsAbout(t *testing.T) {
	t.Parallel()
	p := worked(t)
	_ = p.steps.Sleep(t.Context(), 10*time.Minute)
	s := open(t, p.Site, 120, 35)
	for keys, want := range map[string]views.Navigate{
		"rows.top":                {View: "health", Command: "health.report"},
		"rows.top down":           {View: "services", Command: "services.status", Argument: "SampleWorldCities.MapServer"},
		"tab rows.top":            {View: "health", Command: "health.report"},
		"tab tab tab rows.bottom": {View: "services", Command: "services.status", Argument: "SampleWorldCities.MapServer"},
		"tab tab rows.top down":   {View: "services", Command: "services.status", Argument: "SampleWorldCities.MapServer"},
	} {
		s := open(t, p.Site, 80, 19)
		s.Press(keys)
		to := uitest.Find[views.Navigate](t, s.Press("enter enter"))
		if to.View != want.View || to.Command != want.Command || want.Argument != "" && to.Argument != want.Argument || to.Argument == "" {
			t.Errorf("%s leads to %+v, want %+v", keys, to, want)
		}
	}
	if up := s.Invoke("activity.go", ""); uitest.Find[views.Navigate](t, up).View != "health" {
		t.Errorf("leads elsewhere: %v", up)
	}
}

func TestAWriteOfAnUpgradeLeadsToProgress(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, uitest.Scenario(t, "healthy"))
	p.record(t, "start the upgrade", "/ctx/admin/system/upgrades/upgrade", 1)
	s := open(t, p.Site, 80, 19)
	s.Press("tab enter")
	up := s.Press("enter")
	if to := uitest.Find[views.Navigate](t, up); to.View != "progress" {
		t.Errorf("leads to %+v", to)
	}
	uitest.Find[views.WatchUpgrade](t, up)
}

func TestTheDetailsOfAWriteSayWhatWasAccepted(t *testing.T) {
	t.Parallel()
	s := open(t, worked(t).Site, 120, 35)
	s.Press("tab rows.bottom enter")
	s.Shows("stop the service", "Accepted     SampleWorldCities: Clients of the", "service are refused.")
	s.Press("esc rows.top")
	s.Shows("Operation    run a health check")
	s.Hides("Accepted ")
}

func TestTheLongestResultIsWholeInItsColumn(t *testing.T) {
	t.Parallel()
	for _, verdict := range []journal.Verdict{journal.VerdictRolledBack, journal.VerdictPartly} {
		p := newPlatform(t, uitest.Scenario(t, "healthy"))
		p.record(t, "start the upgrade", "/ctx/admin/system/upgrades/upgrade", 1)
		records, err := p.Memory.Journal.Actions(0)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Memory.Journal.Settle(records[0].ID, verdict, "it failed"); err != nil {
			t.Fatal(err)
		}
		s := open(t, p.Site, 80, 19) // without the pane that has the word too
		s.Press("tab")
		s.Shows(" " + string(verdict) + "  ")
	}
}

// record records writes whose outcome is done.
func (p *platform) record(t testing.TB, operation, path string, times int) {
	t.Helper()
	for i := range times {
		w := adminapi.Write{ID: uint64(1000 + i), Operation: operation, Path: path, Sent: p.steps.Now()}
		if err := p.Memory.Journal.BeforeWrite(w); err != nil {
			t.Fatal(err)
		}
		p.Memory.Journal.AfterWrite(w, adminapi.OutcomeDone, nil)
	}
}

func TestAnUnreachableSiteLeavesTheLastJobsAndTheRecord(t *testing.T) {
	t.Parallel()
	p := worked(t)
	s := running(t, p, 120, 35)
	read := s.Status().Updated
	p.away.Store(true)
	asked := p.requests.Load()
	s.freshen()
	if n := p.requests.Load() - asked; n < 8 {
		t.Errorf("%d requests while it was away", n)
	}
	s.Shows("● executing", "SampleWorldCities")
	if status := s.Status(); status.Unreachable == nil || !status.Updated.Equal(read) {
		t.Errorf("%+v", status)
	}
	s.Press("tab")
	s.Shows("run a health check: nightly")
	if s.Status().Unreachable != nil {
		t.Error("the record is on this machine")
	}
	s.Press("tab")
	p.away.Store(false)
	_ = p.steps.Sleep(t.Context(), time.Minute)
	s.freshen()
	if status := s.Status(); status.Unreachable != nil || !status.Updated.After(read) {
		t.Errorf("once it answers: %+v", status)
	}
}

func TestASiteThatNeverAnswersIsSaid(t *testing.T) {
	t.Parallel()
	p := worked(t)
	p.away.Store(true)
	s := running(t, p, 80, 19)
	s.Shows("Retrying automatically.")
	s.Press("tab")
	s.Shows("run a health check: nightly")
}

func TestASignInIsAskedForOnlyWhereTheUserWaits(t *testing.T) {
	t.Parallel()
	p := worked(t)
	s := running(t, p, 80, 19)
	p.Client.Session.SetToken(adminapi.Token{Value: "stale"})
	if up := s.freshen(); slices.ContainsFunc(up, asksSignIn) {
		t.Errorf("asked by itself: %v", up)
	}
	if s.Status().Err == nil {
		t.Error("nothing says that the jobs are old")
	}
	if up := s.Press("activity.refresh"); !slices.ContainsFunc(up, asksSignIn) {
		t.Errorf("R asks for nothing: %v", up)
	}
}

func asksSignIn(msg tea.Msg) bool { _, is := msg.(views.SignIn); return is }

func TestTheListsAreFilteredSortedAndCopied(t *testing.T) {
	t.Parallel()
	p := worked(t)
	_ = p.steps.Sleep(t.Context(), 10*time.Minute)
	s := open(t, p.Site, 120, 35)
	s.Press("rows.filter")
	s.Type("cities")
	s.Shows("2 of ")
	s.Press("enter")
	s.Hides("nightly")
	if copied := uitest.Find[views.Copy](t, s.Press("activity.copy")); !strings.HasPrefix(copied.Text, "j") {
		t.Errorf("copied %+v", copied)
	}
	if copied := uitest.Find[views.Copy](t, s.Press("activity.copy-text")); !strings.Contains(copied.Text, "About        SampleWorldCities.MapServer") {
		t.Errorf("copied %+v", copied)
	}
	s.Press("esc")
	for _, order := range []string{"by state", "by user", "by duration", "by start"} {
		s.Press("activity.sort")
		s.Shows(order)
	}
	s.Press("tab")
	for _, order := range []string{"by outcome", "by operation", "newest first"} {
		s.Press("activity.sort")
		s.Shows(order)
	}
	s.Press("rows.filter")
	s.Type("nosuch")
	s.Shows("No record matches.")
	s.Press("esc activity.json")
	s.Shows(`"event": "before"`, "geodeck/1.4.0", `"account": "ada"`, `"host": "adm1"`)
	s.Press("rows.bottom")
	s.Shows(`"event": "after"`)
	s.Press("esc tab activity.json")
	s.Shows(`"jobid"`)
}

func TestTheRecordIsVerifiedFromTheScreen(t *testing.T) {
	t.Parallel()
	p := worked(t)
	s := open(t, p.Site, 120, 35)
	s.Press("tab")
	s.Tells(s.Invoke("activity.verify", ""), "The record is as it was written: 3 records in 8 lines, from 2026-11-20 15:05:00 to ", "removed or cut from its end", "Not proven:")
	head := filepath.Join(p.Memory.Journal.Folder(), journal.HeadName)
	if err := os.Rename(head, head+".away"); err != nil {
		t.Fatal(err)
	}
	s.Tells(s.Invoke("activity.verify", ""), "The file actions.head, which says how the record ends, is missing.", "Some may be missing at the end")
	if err := os.Rename(head+".away", head); err != nil {
		t.Fatal(err)
	}
	damage(t, p.Memory.Journal)
	s.Tells(s.Invoke("activity.verify", ""), "Line 1 of the record was changed", "The lines before it are as they were written")
	s.Press("activity.refresh rows.bottom")
	s.Shows("changed since it was written")
	if err := os.Remove(filepath.Join(p.Memory.Journal.Folder(), journal.LogName)); err != nil {
		t.Fatal(err)
	}
	s.Press("activity.refresh")
	s.Shows("No record is left here of what was sent to this site.", ":verify record says what is missing.")
	if _, usable := views.Find(s.Commands(), "activity.verify"); !usable {
		t.Error("verify record cannot be used")
	}
	s.Tells(s.Invoke("activity.verify", ""), "Lines 1 to 8 of the record, once its last, are missing", "Every line was removed.")
}

func TestManyJobsAreReadAFewAtATime(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, uitest.Scenario(t, "healthy"))
	p.below = &manyJobs{below: p.below, n: 10_000, at: p.steps.Now(), shuffled: true}
	before := p.requests.Load()
	s := open(t, p.Site, 120, 35)
	s.Shows("1 of 10000")
	if n := p.requests.Load() - before; n > 200 {
		t.Errorf("%d requests for the first screen", n)
	}
	before = p.requests.Load()
	s.Press("pgdown pgdown pgdown pgdown")
	if n := p.requests.Load() - before; n == 0 || n > 200 {
		t.Errorf("%d requests for five screens", n)
	}
}

// Sorted by user, what is read leaves the screen, and others that were not read come there.
func TestOnlyWhatTheUserHasGoneToIsRead(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, uitest.Scenario(t, "healthy"))
	p.below = &manyJobs{below: p.below, n: 10_000, at: p.steps.Now(), shuffled: true}
	s := open(t, p.Site, 120, 35)
	s.Press("activity.sort activity.sort rows.top")
	before := p.requests.Load()
	s.Press("pgdown pgdown")
	if n := p.requests.Load() - before; n == 0 || n > 200 {
		t.Errorf("%d requests for two screens", n)
	}
}

func TestHostileTextsOfJobsAreHarmless(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, uitest.Scenario(t, "healthy"))
	p.below = &manyJobs{below: p.below, n: 30, at: p.steps.Now(), name: "\x1b]52;c;aGk=\a\u202eevil\n" + strings.Repeat("長", 300)}
	s := open(t, p.Site, 120, 35)
	s.Shows("evil")
	s.Press("enter")
	s.Draw()
	s.Press("activity.json")
	s.Draw()
}

func table(t testing.TB) []views.Command {
	t.Helper()
	return uitest.Rows(t, activity.Maker, uitest.Env(t, operation.Site{}, uitest.Theme()))
}

func TestEveryCommandIsExplained(t *testing.T) {
	t.Parallel()
	uitest.Explained(t, table(t))
}

var ways = []string{"", "enter", "esc tab", "enter", "activity.json", "esc esc rows.filter", "esc activity.json", "esc tab activity.json"}

func TestEveryKeyMeansOneThingOnEachScreenAndEveryCommandKeepsTheSize(t *testing.T) {
	t.Parallel()
	all := table(t)
	for n := range ways {
		s := open(t, worked(t).Site, 80, 19)
		s.Press(strings.Join(ways[:n+1], " "))
		uitest.DistinctKeys(t, "screen "+strconv.Itoa(n), s.Model, all)
		uitest.Pure(t, s.Model)
		for _, c := range all {
			s.Invoke(c.ID, "")
			s.Focused(s.CapturesText())
		}
	}
}

func TestKeysActOnTheRowUnderTheCursorAtOnce(t *testing.T) {
	t.Parallel()
	for _, keys := range []string{"down down enter", "down down activity.json", "down down activity.copy", "down down activity.copy-text"} {
		for _, list := range []string{"", "tab"} {
			t.Run(list+" "+keys, func(t *testing.T) {
				t.Parallel()
				p := worked(t) // the copy names its address
				uitest.SameInAHurry(t, func(t *testing.T) *uitest.Part {
					s := open(t, p.Site, 120, 35)
					s.Press(list)
					return &s.Part
				}, keys)
			})
		}
	}
}

func BenchmarkFrameOf10000(b *testing.B) {
	p := newPlatform(b, uitest.Scenario(b, "healthy"))
	p.below = &manyJobs{below: p.below, n: 10_000, at: p.steps.Now()}
	p.record(b, "stop the service", "/ctx/admin/services/A.MapServer/stop", 10_000)
	for _, list := range []string{"jobs", "record"} {
		b.Run(list, func(b *testing.B) {
			s := open(b, p.Site, 120, 35)
			if list == "record" {
				s.Press("tab")
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				key := "rows.down"
				if i%9000 == 8999 {
					key = "rows.top"
				}
				views.Invoke(s.Model, key, "")
				_ = s.View()
			}
		})
	}
}

func BenchmarkArrange10000Jobs(b *testing.B) {
	p := newPlatform(b, uitest.Scenario(b, "healthy"))
	p.below = &manyJobs{below: p.below, n: 10_000, at: p.steps.Now()}
	s := open(b, p.Site, 120, 35)
	for b.Loop() {
		s.Invoke("activity.sort", "")
	}
}

// damage changes a byte of the first line of a record.
func damage(t testing.TB, j *journal.Journal) {
	t.Helper()
	path := j.Folder() + "/" + journal.LogName
	change(t, path, "stop the service", "stOp the service")
}

// A9: upgrades are among the jobs, with how they ended, and lead to their messages.
func TestUpgradesAreAmongTheJobsWithHowTheyEnded(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, uitest.Scenario(t, "running-patch-fails"))
	follow := func() watching.Snapshot {
		step, err := watching.NewWatch(p.Site, nil).Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return step.Value
	}
	watched := follow().Transcript
	s := open(t, p.Site, 80, 19)
	refresh := func() {
		uitest.Refresh(s.env)
		uitest.Drain(t, s.Model, s.Update(views.StateChanged))
	}
	refresh() // the upgrade comes after the jobs, and nobody has moved the cursor
	s.Shows("[Jobs · 1 running]", "› ● running", "patch to 11.5.0.6805")
	s.env.State.Upgrade.Value.Stall = &progress.Stall{}
	_ = p.steps.Sleep(t.Context(), time.Second)
	s.Shows("› ! stalled")
	s.env.State.Upgrade.Value.Stall = nil
	_ = p.steps.Sleep(t.Context(), time.Hour)
	follow()
	refresh()
	s.Shows("[Jobs]", "› ✗ rolled back  11-20 15:04   ")
	s.Press("enter")
	s.Shows("Upgrade "+watched, "✗ rolled back", "Name         patch to 11.5.0.6805 from 11.5.0.6745", "User         operator", "Started      2026-11-20 15:04:00", "Ended        2026-11-20 15:15:21", "Took         11 min 21 s")
	x, err := incident.ExplainRun(t.Context(), p.Site, "", incident.Surroundings{}) // as the evidence has it
	if err != nil || !x.Fault {
		t.Fatal(x, err)
	}
	s.Press("rows.bottom")
	s.Shows("Why          "+x.Why()[:40], "Next         "+x.Next.Text[:30])
	up := s.Press("enter")
	if to := uitest.Find[views.Navigate](t, up); to != (views.Navigate{View: "progress"}) {
		t.Errorf("leads to %+v", to)
	}
	uitest.Find[views.WatchUpgrade](t, up)
	// Once another run is the newest, its own transcript shows it.
	s.env.State.Upgrade.Value.Progress.Began += 9_000_000
	uitest.Drain(t, s.Model, s.Update(views.StateChanged))
	s.Press("esc rows.top down")
	s.Shows("› ✗ ")
	s.Press("enter")
	s.Shows("Why          Not known: this machine did not see it fail.")
	s.Press("esc")
	if to := uitest.Find[views.Navigate](t, s.Press("enter enter")); to != (views.Navigate{View: "progress", Command: "progress.run", Argument: watched}) {
		t.Errorf("leads to %+v", to)
	}
}

// A history that the site does not have is no error: nobody can mend it.
func TestAHistoryThatTheSiteDoesNotOfferIsNoError(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, uitest.Scenario(t, "contract-only"))
	env := uitest.Env(t, p.Site, uitest.Theme())
	m := activity.New(env)
	s := &screen{Model: m, Screen: uitest.NewScreen(t, m, 80, 19), t: t, env: env}
	if said := uitest.Find[views.Notice](t, s.Start()); said.Level != views.Info || said.Text != "This site does not offer its history of upgrades." {
		t.Errorf("it says %+v", said)
	}
}

// What the site did not tell of its upgrades is told once, not at each refresh.
func TestUpgradesThatCouldNotBeReadAreToldOnce(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, uitest.Scenario(t, "healthy", simulator.Fault{Path: "/admin/system/upgrades/history", What: "status", Status: 403}))
	env := uitest.Env(t, p.Site, uitest.Theme())
	m := activity.New(env)
	s := &screen{Model: m, Screen: uitest.NewScreen(t, m, 80, 19), t: t, env: env}
	if said := uitest.NoticeText(t, s.Start()); !strings.HasPrefix(said, "Not all upgrades could be read: ") {
		t.Errorf("it says %q", said)
	}
	if up := s.freshen(); len(up) > 0 {
		t.Errorf("once more it says %v", up)
	}
}

// A run whose watch was cut off, or given up, is not said to go on once another one is the newest.
func TestAnUpgradeThatWasCutOffIsNotSaidToGoOn(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, uitest.Scenario(t, "running-patch-fails"))
	step, err := watching.NewWatch(p.Site, nil).Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Site.Memory.Dismiss(step.Value.Transcript); err != nil {
		t.Fatal(err)
	}
	s := open(t, p.Site, 80, 19)
	uitest.Refresh(s.env)
	s.env.State.Upgrade.Value.Progress.Began += 9_000_000
	uitest.Drain(t, s.Model, s.Update(views.StateChanged))
	s.Press("rows.top down")
	s.Shows("› ? last seen …", "patch to 11.5.0.6805")
	s.Press("enter")
	s.Shows("Upgrade "+step.Value.Transcript, "? last seen in progress")
}
