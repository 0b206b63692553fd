package ui_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
)

func TestErrorsStayAndOtherNoticesGo(t *testing.T) {
	t.Parallel()
	d, _ := one(t)
	d.send(views.Notice{Level: views.Success, Text: "exported to\x1b[2J a.json"})
	d.see("✓ done: exported to a.json")
	d.timers(1)
	d.pace.Advance(6 * time.Second)
	d.gone("exported")
	d.send(views.Failed("cannot export", errors.New("disk full\x1b]0;x\x07")))
	d.pace.Advance(time.Hour)
	d.keys("j")
	d.see("✗ error: cannot export")
	d.keys("notice")
	d.see("disk full")
	uitest.Harmless(t, d.model.View())
	d.keys("esc")
	d.gone("disk full")
}

func TestWhatNowExplainsTheErrorOnTheScreen(t *testing.T) {
	t.Parallel()
	site, _, clock := sentAndKilled(t)
	d, _ := watchingSite(t, site)
	clock.Advance(time.Minute)
	d.see("Outcome unknown")
	d.keys("n")
	d.gone("Outcome unknown")
	refused := &adminapi.Error{Kind: adminapi.KindPrivilege, Privilege: "portal:admin", Explicit: true, Method: "POST", Message: "no"}
	d.send(views.Notice{Level: views.Failure, Text: "The site refused to stop X.MapServer: no", Result: operation.Result{Err: refused, Outcome: adminapi.OutcomeRefused}})
	d.keys("W")
	d.see("The site refused to stop X.MapServer  ")
	d.see("You lack the privilege portal:admin.")
	d.see("nothing was changed")
	d.keys("esc")
	d.gone("What now")
	lost := &adminapi.Error{Kind: adminapi.KindUnreachable, Message: "the connection broke"}
	begun := &adminapi.Error{Kind: adminapi.KindServer, Explicit: true, Method: "POST", Message: "try later"} // nobody says whether
	for _, err := range []error{lost, begun} {
		d.send(views.Notice{Level: views.Failure, Text: "It is unknown whether the report was deleted: " + err.Error(), Result: operation.Result{Err: err}})
		d.keys("W")
		d.see("It is unknown whether the report was deleted  ")
		d.see("Do not     send it again")
		d.gone("nothing was changed")
		d.keys("esc")
		d.gone("What now")
	}
	d.send(views.Failed("the list cannot be read: "+lost.Message, lost))
	d.keys("W")
	d.see("Try again")
	d.gone("Do not ")
}

func TestNewNoticeIsNotTakenAwayByAnOldTimer(t *testing.T) {
	t.Parallel()
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
	t.Parallel()
	d, _, _ := two(t)
	d.keys("2")
	d.send(views.Notice{Level: views.Failure, Text: "it broke"})
	d.keys("esc")
	d.gone("it broke")
	d.see("this is beta")
}

func TestANoticeEndsWhereTheUserGoesOn(t *testing.T) {
	t.Parallel()
	quiet := []views.Level{views.Info, views.Success}
	loud := []views.Level{views.Warning, views.Failure}
	tests := map[string]struct {
		keys string
		ends []views.Level
	}{
		"a command of the view":              {"r", append(quiet, loud...)},
		"a command by its name":              {": r u n enter", append(quiet, loud...)},
		"another view":                       {"2", append(quiet, views.Warning)},
		"back":                               {"2 esc", append(quiet, loud...)},
		"moving about":                       {"down", nil},
		"the help":                           {"help esc", nil},
		"the line of commands, and nothing":  {"palette esc", nil},
		"a key that does nothing":            {"x", nil},
		"a command that cannot be done here": {"e", nil},
	}
	for name, tt := range tests {
		for _, level := range append(quiet, loud...) {
			t.Run(name+" after "+[]string{"a note", "a success", "a warning", "an error"}[level], func(t *testing.T) {
				t.Parallel()
				d, v, _ := two(t)
				v.commands = append(v.commands[1:], rows.NewPager("").Moves()...)
				d.send(views.Notice{Level: level, Text: "exported"})
				d.keys(tt.keys)
				d.see("q quit") // nothing is open any more
				d.await("command", func() bool { return !strings.Contains(tt.keys, "r") || slices.Contains(v.told, "do alpha.run") })
				if seen := strings.Contains(d.model.View(), ": exported"); seen == slices.Contains(tt.ends, level) {
					t.Errorf("seen: %v\n%s", seen, d.model.View())
				}
			})
		}
	}
}

func TestAWarningGoesWithItsPage(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"quit", "esc"} {
		d, v := one(t)
		v.status.Path = []string{"pre-flight"}
		v.commands = append(v.commands, views.Command{ID: "alpha.back", Key: "esc", Word: "back", Name: "go back"})
		d.send(views.Notice{Level: views.Warning, Text: "1 caution to accept first"})
		d.see("accept first")
		d.keys(key)
		d.gone("accept first")
		if v.last() != "do alpha.back" {
			t.Errorf("%s: the view heard %q", key, v.told)
		}
	}
}

func TestTheNoticeOfACommandReplacesTheOneBefore(t *testing.T) {
	t.Parallel()
	d, v := one(t)
	v.do = func(string, string) tea.Cmd { return views.Tell(views.Success, "run") }
	d.send(views.Notice{Text: "preset taken"})
	d.keys("r")
	d.see("done: run")
	d.keys("notice")
	d.see("The last notice: done")
}

// The key that has confirmed is held, or pressed twice: what it does then comes before anybody has read the refusal.
func TestARefusalStaysUntilItCanBeRead(t *testing.T) {
	t.Parallel()
	d, v := one(t)
	v.do = func(string, string) tea.Cmd { return views.Tell(views.Success, "run") }
	refused := &adminapi.Error{Kind: adminapi.KindPrivilege, Explicit: true, Method: "POST", Message: "no"}
	d.send(views.Failed("the site refused it", refused))
	d.keys("r")
	d.await("command", func() bool { return v.last() == "do alpha.run" })
	d.idle()
	d.see("✗ error: the site refused it")
	d.send(views.Notice{Level: views.Warning, Text: "nothing to undo"})
	d.see("✗ error: the site refused it")
	d.pace.Advance(time.Second)
	d.see("done: run") // what was done meanwhile is told, and what a key came too soon for is not
}

func TestClockTicksOnlyWhileSomethingCounts(t *testing.T) {
	t.Parallel()
	d, v := one(t)
	d.keys("j")
	if d.pace.Waiters() != 0 {
		t.Fatal("an idle screen has a timer")
	}
	v.status.Unreachable = &views.Unreachable{Since: uitest.Start.Add(-20 * time.Second), Next: uitest.Start.Add(4 * time.Second)}
	d.keys("j")
	d.see("no answer for 20 s, retrying in 4 s")
	d.timers(1)
	d.pace.Advance(time.Second)
	d.next()
	d.see("no answer for 21 s, retrying in 3 s")
	v.status.Unreachable = nil
	d.timers(1)
	d.pace.Advance(time.Second)
	d.next()
	d.gone("no answer")
	if d.pace.Waiters() != 0 {
		t.Error("the timer goes on")
	}
}

func TestATranscriptThatCannotBeKeptIsSaidOnceAndMarked(t *testing.T) {
	t.Parallel()
	x := unfinishedWatch(t)
	x.p.says(200, status("in_progress", "1", postgres))
	d, w := x.start(t)
	d.see("Resume?")
	d.keys("y")
	d.heard(w, 1)
	d.stays("not kept")
	if err := x.site.Memory.Journal.Close(); err != nil { // the disk is gone
		t.Fatal(err)
	}
	for n := range 3 {
		x.p.says(200, status("in_progress", "1", postgres, line(2145, 120+n, "PostgreSQL")))
		d.lapse(x.clock, 1, 10*time.Second)
		d.heard(w, n+2)
		d.see("▲ transcript not kept")
		if said := strings.Contains(d.model.View(), "error: the transcript is not complete on this machine"); said != (n == 0) {
			t.Errorf("reading %d: said %v\n%s", n, said, d.model.View())
		}
		d.keys("esc")
	}
	if w.env.Upgrade.Snapshot.Log.Len() != 5 {
		t.Errorf("%d messages on the screen", w.env.Upgrade.Snapshot.Log.Len())
	}
}

func TestAGapInTheLogOfChangesIsSaid(t *testing.T) {
	t.Parallel()
	site := uitest.NewSite(t, uitest.Scenario(t, "healthy")).Site
	log := memory(t, site.Clock)
	site.Memory.Journal = log
	d, _ := watchingSite(t, site)
	d.see("11.5")
	d.stays("not kept")
	write := adminapi.Write{ID: 1, Operation: "change something", Path: "/x", Sent: site.Clock.Now()}
	if err := log.BeforeWrite(write); err != nil {
		t.Fatal(err)
	}
	_ = log.Close()
	log.AfterWrite(write, adminapi.OutcomeDone, nil)
	d.send(views.Notice{Text: "the change was made"})
	d.see("error: the log of changes is not complete on this machine")
	d.see("▲ log of changes not kept")
}

func TestTheNameOfAWrittenFileIsWhole(t *testing.T) {
	t.Parallel()
	d, _ := one(t)
	d.send(tea.WindowSizeMsg{Width: 80, Height: 24})
	const name = "evidence-12.0.0.7286-20261120-150500.zip"
	for folder, want := range map[string]string{
		"/tmp/": "Written to /tmp/" + name,
		"/home/administrator/incidents/2026/november/the-upgrade-that-failed/files/": "Written to /h…s/" + name,
		"/" + strings.Repeat("f", 300) + "/":                                         "Written to /f…f/" + name,
	} {
		d.send(views.Wrote("Written to ", folder+name, "")())
		uitest.Fits(t, d.model.View(), 80, 24)
		d.see(want)
	}
	// Of a name that is too long itself the end stays, with the extension.
	d.send(views.Wrote("Written to ", "/tmp/health-"+strings.Repeat("n", 90)+"-i8ty4svh.html", "")())
	uitest.Fits(t, d.model.View(), 80, 24)
	d.see("n-i8ty4svh.html")
}
