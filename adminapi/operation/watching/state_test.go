package watching_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/operationtest"
	"geodeck/adminapi/operation/watching"
	"geodeck/adminapi/upgrade/progress"
)

var everything = watching.Refresh{Site: true, Upgrade: true}

func TestAFactThatIsNotRefreshedKeepsItsAgeAndSaysWhy(t *testing.T) {
	t.Parallel()
	p, gone := operationtest.New(t, "name: healthy"), ""
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		if gone != "" && strings.HasSuffix(r.URL.Path, gone) {
			http.Error(w, "<html>away</html>", http.StatusInternalServerError)
			return
		}
		pass()
	})
	reader := watching.NewStateReader(p.Site)
	first := reader.Read(t.Context(), watching.State{}, everything)
	if first.Reach.Err != nil || first.Version.Value.FullVersion == "" || first.Self.Value.Username == "" || !first.Mode.Known() || !first.Upgrade.Known() || first.Ended() {
		t.Fatalf("incomplete: %+v", first)
	}
	gone = "/mode"
	next := reader.Read(t.Context(), first, watching.Refresh{Upgrade: true})
	if next.Mode.Err == nil || !next.Mode.At.Equal(first.Mode.At) || !next.Mode.Old(next.Mode.At, time.Hour) {
		t.Errorf("a mode that was not read counts as read: %+v", next.Mode)
	}
	if next.Reach.Err != nil || next.Upgrade.Err != nil || !next.Version.At.Equal(first.Version.At) {
		t.Errorf("the site answers, and is %+v", next)
	}
	next = reader.Read(t.Context(), next, watching.Refresh{})
	if next.Reach.Err == nil {
		t.Errorf("nothing answers, and the site counts as there: %+v", next.Reach)
	}
	gone = "/admin"
	if next = reader.Read(t.Context(), first, everything); next.Reach.Err == nil || !next.Version.Known() {
		t.Errorf("without its root a site counts as there: %+v", next.Reach)
	}
}

// A fetch that nobody waits for any more does not wait for the one before, either.
func TestAFetchThatIsCancelledDoesNotWaitForAnother(t *testing.T) {
	t.Parallel()
	p := operationtest.New(t, "name: healthy")
	reader := watching.NewStateReader(p.Site)
	asked, answer := make(chan struct{}), make(chan struct{})
	p.Intercept(func(_ http.ResponseWriter, r *http.Request, pass func()) {
		if strings.HasSuffix(r.URL.Path, "/system/upgrades") {
			close(asked)
			<-answer
		}
		pass()
	})
	first := make(chan watching.State)
	go func() { first <- reader.Read(t.Context(), watching.State{}, everything) }()
	<-asked
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if next := reader.Read(ctx, watching.State{}, everything); next.Upgrade.Err == nil || next.Upgrade.Known() {
		t.Errorf("cancelled, and read: %+v", next.Upgrade)
	}
	close(answer)
	if got := <-first; got.Upgrade.Err != nil || !got.Upgrade.Known() {
		t.Errorf("the first was disturbed: %+v", got.Upgrade)
	}
}

func TestAnEndIsNewsOnlyOfARunThatBeganMeanwhile(t *testing.T) {
	t.Parallel()
	at := time.Unix(1000, 0)
	run := func(meaning progress.State, began adminapi.Millis) watching.Snapshot {
		at = at.Add(time.Minute)
		p := progress.Progress{Meaning: meaning, Run: progress.Run{Began: began}}
		return watching.Snapshot{At: at, Meaning: meaning, Progress: p}
	}
	for name, tt := range map[string]struct {
		steps []watching.Snapshot
		ended bool
	}{
		"a success of before": {[]watching.Snapshot{run(progress.StateSucceeded, 1), run(progress.StateSucceeded, 1)}, false},
		"one that was seen":   {[]watching.Snapshot{run(progress.StateRunning, 1), run(progress.StateSucceeded, 1)}, true},
		"one between two":     {[]watching.Snapshot{run(progress.StateSucceeded, 1), run(progress.StateFailed, 2)}, true},
		"one that runs":       {[]watching.Snapshot{run(progress.StateRunning, 1)}, false},
	} {
		var s watching.State
		for _, step := range tt.steps {
			s.Watched(step, nil)
		}
		if s.Ended() != tt.ended {
			t.Errorf("%s: %v", name, s.Ended())
		}
	}
}

func TestTheMessagesOfAWatchTellOfTheModeWhereTheyAreNewer(t *testing.T) {
	t.Parallel()
	for _, ahead := range []time.Duration{0, -3 * time.Hour, 3 * time.Hour} { // of the clock of the site
		at := time.Unix(100_000, 0)
		var s watching.State
		s.Mode.Take(at, adminapi.Mode{}, nil)
		watched := func(mode progress.ReadOnly) {
			at = at.Add(time.Minute)
			s.Watched(watching.Snapshot{At: at, Ahead: ahead, Progress: progress.Progress{Meaning: progress.StateRunning, ReadOnly: mode}}, nil)
		}
		before, after := adminapi.MillisOf(at.Add(ahead-time.Second)), adminapi.MillisOf(at.Add(ahead+time.Second))
		if watched(progress.ReadOnly{From: before}); s.Mode.Value.ReadOnly {
			t.Errorf("%v ahead: a message that is older than the mode changes it", ahead)
		}
		if watched(progress.ReadOnly{From: after}); !s.Mode.Value.ReadOnly {
			t.Errorf("%v ahead: a newer message does not change it", ahead)
		}
		s.CutOff(errors.New("signed out"))
		if !s.Mode.Old(at, time.Hour) || !s.Upgrade.Old(at, time.Hour) || s.Reach.Err == nil {
			t.Errorf("what is cut off counts as of the present: %+v", s.Reach)
		}
	}
}

// A machine whose clock is hours fast or slow takes no running upgrade for one that is silent.
func TestTheSilenceOfAnUpgradeThatNobodyWatchesIsByTheClockOfTheSite(t *testing.T) {
	t.Parallel()
	for _, ahead := range []time.Duration{0, -3 * time.Hour, 3 * time.Hour} {
		p := operationtest.BuiltIn(t, "healthy")
		p.Start(t, operationtest.PatchID)
		p.Ahead.Store(int64(ahead))
		reader := watching.NewStateReader(p.Site)
		p.ReportsStatus(`{"state":"in_progress","code":1,"messages":[` + p.FirstMessage(ahead) + `]}`)
		s := reader.Read(t.Context(), watching.State{}, everything)
		if s.Upgrade.Value.Stall != nil || !s.Runs() {
			t.Errorf("the clock of the site is %v ahead: a silence of %v", ahead, s.Upgrade.Value.Stall)
		}
		p.Clock.Advance(3 * time.Hour)
		if s = reader.Read(t.Context(), s, everything); s.Upgrade.Value.Stall == nil {
			t.Errorf("the clock of the site is %v ahead: three hours are no silence", ahead)
		}
	}
}

// A password is asked for only where a site answers and wants one: nothing is sent to it beside.
func TestWithoutATokenTheRootIsReadAlone(t *testing.T) {
	t.Parallel()
	for name, public := range map[string]bool{"refused": false, "shown to anybody": true} {
		p := operationtest.BuiltIn(t, "healthy")
		p.Client.Session.SetToken(adminapi.Token{})
		var asked []string
		p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
			if asked = append(asked, r.URL.Path); !public {
				pass()
				return
			}
			_, _ = fmt.Fprint(w, `{"fullVersion":"11.5.0.6745","currentVersion":"11.5"}`)
		})
		s := watching.NewStateReader(p.Site).Read(t.Context(), watching.State{}, everything)
		if len(asked) != 1 || !strings.HasSuffix(asked[0], "/admin") || public != (s.Reach.Err == nil) || public != s.Version.Known() || s.Mode.Known() || s.Upgrade.Known() {
			t.Errorf("%s: %q, %+v", name, asked, s)
		}
	}
}

// Who may read neither the mode nor the upgrade of a site is not told that it is away.
func TestASiteThatRefusesItsPartsToThisUserIsReached(t *testing.T) {
	t.Parallel()
	p := operationtest.BuiltIn(t, "healthy")
	reader := watching.NewStateReader(p.Site)
	first := reader.Read(t.Context(), watching.State{}, everything)
	p.Intercept(func(w http.ResponseWriter, _ *http.Request, _ func()) {
		_, _ = fmt.Fprint(w, `{"error":{"code":403,"message":"not allowed","details":[]}}`)
	})
	for _, what := range []watching.Refresh{{}, {Upgrade: true}} {
		next := reader.Read(t.Context(), first, what)
		if next.Reach.Err != nil || !errors.Is(next.Mode.Err, adminapi.KindPrivilege) || what.Upgrade != errors.Is(next.Upgrade.Err, adminapi.KindPrivilege) {
			t.Errorf("%+v: %v, mode %v, upgrade %v", what, next.Reach.Err, next.Mode.Err, next.Upgrade.Err)
		}
	}
}

// What is usual at a site is known of the runs that were watched, also while nobody watches.
func TestTheSilenceOfAnUpgradeThatNobodyWatchesIsJudgedByEarlierRuns(t *testing.T) {
	t.Parallel()
	for name, known := range map[string]bool{"an earlier run": true, "none": false} {
		p := operationtest.WithJournal(t, "healthy")
		if known { // which was silent for 11 minutes
			recorded(t, p, 48*time.Hour, ended(progress.StateSucceeded), adminapi.UpgradeMessage{Code: 2011, When: 660_000})
		}
		reader := watching.NewStateReader(p.Site)
		p.ReportsStatus(`{"state":"in_progress","code":1,"messages":[` + p.FirstMessage(0) + `]}`)
		s := reader.Read(t.Context(), watching.State{}, everything)
		p.Clock.Advance(25 * time.Minute)
		if s = reader.Read(t.Context(), s, everything); (s.Upgrade.Value.Stall != nil) != known {
			t.Errorf("%s: after 25 minutes %+v", name, s.Upgrade.Value.Stall)
		}
	}
}

// A silence that a watch tells is of every screen until it is over.
func TestASilenceThatAWatchTellsIsOfTheStateOfTheSite(t *testing.T) {
	t.Parallel()
	at := operationtest.Start
	seen := watching.Snapshot{At: at, Meaning: progress.StateRunning, Quiet: 2 * time.Hour, Progress: progress.Progress{
		Meaning: progress.StateRunning, Run: progress.Run{Last: adminapi.MillisOf(at.Add(-2 * time.Hour))},
	}}
	merger := progress.NewMerger(progress.LogBudget)
	merger.Merge([]adminapi.UpgradeMessage{{Code: 2038, Message: "an image", When: seen.Progress.Last}})
	seen.Log = merger.Log()
	var s watching.State
	if s.Watched(seen, nil); s.Upgrade.Value.Stall == nil || s.Upgrade.Value.Stall.Quiet != 2*time.Hour || s.Upgrade.Value.Last.Message != "an image" {
		t.Errorf("two hours: %+v since %+v", s.Upgrade.Value.Stall, s.Upgrade.Value.Last)
	}
	away := seen
	away.Unreachable = errors.New("no answer")
	if s.Watched(away, nil); s.Upgrade.Value.Stall != nil {
		t.Errorf("while it is away: %+v", s.Upgrade.Value.Stall)
	}
	s.Watched(seen, nil)
	seen.At, seen.Quiet = at.Add(time.Minute), time.Minute
	if s.Watched(seen, nil); s.Upgrade.Value.Stall != nil {
		t.Errorf("a minute: %+v", s.Upgrade.Value.Stall)
	}
}

// What a watch has read stands for the present only while the site answers it.
func TestWhatAWatchKnowsIsOldWhileTheSiteIsAway(t *testing.T) {
	t.Parallel()
	at := time.Unix(1000, 0)
	seen := watching.Snapshot{At: at, Progress: progress.Progress{Meaning: progress.StateRunning}}
	var s watching.State
	if s.Watched(seen, nil); s.Upgrade.Err != nil {
		t.Errorf("of the present: %v", s.Upgrade.Err)
	}
	seen.Unreachable = errors.New("no answer")
	if s.Watched(seen, nil); !s.Runs() || !s.Upgrade.Old(at.Add(time.Second), time.Hour) {
		t.Errorf("without an answer: it runs is %v, %v", s.Runs(), s.Upgrade.Err)
	}
	seen.Unreachable, seen.Refused = nil, errors.New("not now")
	if s.Watched(seen, nil); !s.Upgrade.Old(at.Add(time.Second), time.Hour) {
		t.Errorf("refused: %v", s.Upgrade.Err)
	}
}

// A site may not show its mode. The last messages of a run tell that read-only mode ends, too.
func TestTheEndOfAnUpgradeEndsItsReadOnlyMode(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 2, 3, 10, 0, 0, 0, time.UTC)
	on, off := adminapi.Millis(began.Add(time.Minute).UnixMilli()), adminapi.Millis(began.Add(3*time.Minute).UnixMilli())
	s := watching.State{}
	watched := func(at time.Time, meaning progress.State, mode progress.ReadOnly) {
		s.Watched(watching.Snapshot{At: at, Progress: progress.Progress{Meaning: meaning, ReadOnly: mode}}, nil)
	}
	watched(began.Add(2*time.Minute), progress.StateRunning, progress.ReadOnly{From: on})
	if !s.Mode.Value.ReadOnly {
		t.Error("its begin is not told")
	}
	watched(began.Add(4*time.Minute), progress.StateSucceeded, progress.ReadOnly{From: on, To: off})
	if s.Mode.Value.ReadOnly {
		t.Error("its end is not told")
	}
}

func TestADismissedEndIsKeptByTheBeginOfItsRun(t *testing.T) {
	t.Parallel()
	j, err := journal.OpenThrowaway()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close() })
	memory := operation.Memory{Journal: j}
	if began := memory.DismissedEnd(); began != 0 {
		t.Errorf("nothing was dismissed, and %v is", began)
	}
	if err := memory.DismissEnd(time.Now(), 4711); err != nil {
		t.Fatal(err)
	}
	if began := memory.DismissedEnd(); began != 4711 {
		t.Errorf("%v is dismissed", began)
	}
}

// The clock of this machine may be set back: what a watch has just seen counts, whatever its time. A failed poll
// brings its last answer once more, and that is older than what was fetched since.
func TestTheClockMayBeSetBackWhileAnUpgradeIsWatched(t *testing.T) {
	t.Parallel()
	at := time.Unix(100_000, 0)
	seen := func(at time.Time, meaning progress.State) watching.Snapshot {
		return watching.Snapshot{At: at, Progress: progress.Progress{Meaning: meaning}}
	}
	var s watching.State
	s.Watched(seen(at, progress.StateRunning), nil)
	ended := seen(at.Add(-6*time.Hour), progress.StateSucceeded)
	if s.Watched(ended, nil); s.Runs() {
		t.Error("an upgrade that has ended still runs")
	}
	s.Upgrade.Take(at, watching.Upgrade{Progress: progress.Progress{Meaning: progress.StateRunning}}, nil)
	if s.Watched(ended, errors.New("no answer")); !s.Runs() {
		t.Error("an answer of before replaces a newer one")
	}
}

// A site that no longer takes the token is told from one that answers.
func TestASiteThatRefusesTheTokenIsNotReached(t *testing.T) {
	t.Parallel()
	p := operationtest.BuiltIn(t, "healthy")
	reader := watching.NewStateReader(p.Site)
	first := reader.Read(t.Context(), watching.State{}, everything)
	p.Intercept(func(w http.ResponseWriter, _ *http.Request, _ func()) { w.WriteHeader(498) })
	for _, what := range []watching.Refresh{{}, {Upgrade: true}} {
		if first = reader.Read(t.Context(), first, what); !errors.Is(first.Reach.Err, adminapi.KindSignIn) {
			t.Errorf("%+v: %v", what, first.Reach.Err)
		}
	}
	p.Intercept(nil)
	p.SignInAgain(t)
	if next := reader.Read(t.Context(), first, watching.Refresh{}); next.Reach.Err != nil {
		t.Errorf("with another token: %v", next.Reach.Err)
	}
}

// Two messages that say the same are two, also where the log is so long that only its end is read.
func TestTheStateCountsAMessageThatIsSaidAgain(t *testing.T) {
	t.Parallel()
	p := operationtest.BuiltIn(t, "healthy")
	reader, state := watching.NewStateReader(p.Site), watching.State{}
	again := fmt.Sprintf(`,{"code":2038,"message":"an image","when":%d}`, operationtest.Start.UnixMilli()+2)
	for n := range 4 {
		p.ReportsRun(100<<10, strings.Repeat(again, n))
		if state = reader.Read(t.Context(), state, watching.Refresh{Upgrade: true}); state.Upgrade.Err != nil || state.Upgrade.Value.Progress.Messages != 2+n {
			t.Errorf("%d messages are %d, %v", 2+n, state.Upgrade.Value.Progress.Messages, state.Upgrade.Err)
		}
	}
}
