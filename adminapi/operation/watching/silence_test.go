package watching_test

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation/operationtest"
	"geodeck/adminapi/operation/watching"
)

// timed is a site with a clock of its own, whose upgrade says something when a test wants it.
type timed struct {
	*operationtest.Platform
	pace  float64                           // of its clock, against ours
	ahead func(time.Duration) time.Duration // what its clock is set to besides, after a time of ours
	watch *watching.Watch
	last  watching.Snapshot

	mu       sync.Mutex
	messages []string
	state    string // instead of in_progress
	away     bool
}

func newTimed(t *testing.T, pace float64, ahead func(time.Duration) time.Duration) *timed {
	t.Helper()
	s := &timed{Platform: operationtest.BuiltIn(t, "healthy"), pace: pace, ahead: ahead}
	s.says(2010)
	s.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		if !strings.HasSuffix(r.URL.Path, "/system/upgrades") {
			pass()
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.away {
			operationtest.HangUp(w)
			return
		}
		w.Header().Set("Date", s.now().UTC().Format(http.TimeFormat))
		_, _ = fmt.Fprintf(w, `{"status":{"state":%q,"code":1,"messages":[%s]}}`, cmp.Or(s.state, "in_progress"), strings.Join(s.messages, ","))
	})
	s.watch = watching.NewWatch(s.Platform.Site, nil)
	return s
}

// now is the time by the clock of the site.
func (s *timed) now() time.Time {
	passed := s.Clock.Now().Sub(operationtest.Start)
	return operationtest.Start.Add(time.Duration(s.pace*float64(passed)) + s.ahead(passed))
}

func (s *timed) says(code int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.messages = append(s.messages, fmt.Sprintf(`{"code":%d,"message":"number %d from 11.5.0.6745 to 12.0.0.7286","when":%d}`, code, len(s.messages), s.now().UnixMilli()))
}

// answers changes the state that the site reports, and whether it answers.
func (s *timed) answers(state string, away bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state, s.away = state, away
}

// fetch fetches once and returns what is alarmed, then waits as a watch does.
func (s *timed) fetch(t *testing.T) (watching.Alarm, bool) {
	t.Helper()
	snapshot, wait, err := operationtest.Stepped(s.watch.Next(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	alarm, due := watching.AlarmOf(s.Platform.Site, s.last, snapshot)
	s.last = snapshot
	_ = s.Clock.Sleep(t.Context(), wait)
	return alarm, due
}

// A silence is measured by the clock of the site, whatever that shows and however fast it
// runs; setting it is no silence.
func TestAStallIsAlarmedByTheClockOfTheSite(t *testing.T) {
	t.Parallel()
	always := func(d time.Duration) func(time.Duration) time.Duration {
		return func(time.Duration) time.Duration { return d }
	}
	// A clock that is set while the run speaks, and in each of its silences.
	set := func(d time.Duration) func(time.Duration) time.Duration {
		return func(passed time.Duration) (ahead time.Duration) {
			for _, at := range []time.Duration{30 * time.Second, 10 * time.Minute, 100 * time.Minute} {
				if passed > at {
					ahead += d
				}
			}
			return ahead
		}
	}
	for name, c := range map[string]struct {
		pace  float64
		ahead func(time.Duration) time.Duration
	}{
		"as ours":           {1, always(0)},
		"60 times as fast":  {60, always(0)},
		"600 times as fast": {600, always(0)},
		"a quarter as fast": {0.25, always(0)},
		"five hours ahead":  {1, always(5 * time.Hour)},
		"five hours behind": {1, always(-5 * time.Hour)},
		"set forward":       {1, set(2 * time.Hour)},
		"set back":          {1, set(-3 * time.Hour)},
		"of two machines":   {1, func(passed time.Duration) time.Duration { return passed / (20 * time.Second) % 2 * 2 * time.Hour }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newTimed(t, c.pace, c.ahead)
			for range 2 {
				for range 40 {
					s.says(2038)
					if alarm, due := s.fetch(t); due {
						t.Fatalf("while it speaks: %+v", alarm)
					}
				}
				wantOneStall(t, s)
			}
		})
	}
}

// wantOneStall lets the run be silent for long.
func wantOneStall(t *testing.T, s *timed) {
	t.Helper()
	const limit = 30 * time.Minute
	silent, alarms := s.Clock.Now(), 0
	for {
		at := s.Clock.Now()
		quiet := time.Duration(s.pace * float64(at.Sub(silent)))
		if quiet > 3*limit && at.Sub(silent) > 5*time.Minute {
			break
		}
		alarm, due := s.fetch(t)
		if !due {
			continue
		}
		alarms++
		latest := limit + time.Minute + time.Duration(max(1, s.pace)*float64(30*time.Second))
		if alarm.Kind != watching.AlarmStalled || quiet < limit-time.Minute || quiet > latest || (quiet-s.last.Quiet).Abs() > latest-limit {
			t.Errorf("after a silence of %v, which is taken for %v: %+v", quiet, s.last.Quiet, alarm)
		}
	}
	if alarms != 1 {
		t.Errorf("%d alarms of one silence", alarms)
	}
}

// How long the API was away is by one clock at both ends, wherever that of the site stands.
func TestAnAbsenceIsAsLongWhereTheClocksAreHoursApart(t *testing.T) {
	t.Parallel()
	for _, ahead := range []time.Duration{0, 5 * time.Hour, -5 * time.Hour} {
		s := newTimed(t, 1, func(time.Duration) time.Duration { return ahead })
		s.says(2038)
		s.fetch(t)
		s.answers("", true)
		from := s.now()
		for range 3 {
			s.fetch(t)
		}
		s.answers("", false)
		s.fetch(t)
		away := s.now().Sub(from)
		if len(s.last.Absences) != 1 {
			t.Fatalf("%s ahead: %+v", ahead, s.last.Absences)
		}
		one := s.last.Absences[0]
		if took := one.To.Time().Sub(one.From.Time()); took <= 0 || took > away || one.From.Time().Sub(from).Abs() > time.Minute {
			t.Errorf("%s ahead: it was away from %s for %s, told as from %s for %s", ahead, from, away, one.From.Time(), took)
		}
	}
}

// An outage or an unknown state in a stall does not repeat its alarm, and does not hide the
// next one.
func TestAStallIsAlarmedOnceWhateverHappensInIt(t *testing.T) {
	t.Parallel()
	s := newTimed(t, 1, func(time.Duration) time.Duration { return 0 })
	stalls := func(during time.Duration) (n int) {
		for until := s.Clock.Now().Add(during); s.Clock.Now().Before(until); {
			if alarm, due := s.fetch(t); due && alarm.Kind == watching.AlarmStalled {
				n++
			}
		}
		return n
	}
	for i, c := range []struct {
		state  string
		away   bool
		speaks bool
		during time.Duration
		want   int
	}{
		{during: 29 * time.Minute}, {during: 2 * time.Minute, want: 1}, {during: time.Hour},
		{state: "rebooting", during: time.Minute}, {during: time.Hour},
		{away: true, during: time.Hour}, {during: time.Hour},
		{away: true, speaks: true, during: time.Hour}, {during: time.Minute, want: 1}, {during: time.Hour},
		{speaks: true, during: 29 * time.Minute}, {state: "rebooting", during: 3 * time.Minute}, {during: 3 * time.Minute, want: 1},
	} {
		s.answers(c.state, c.away)
		if c.speaks {
			s.says(2038)
		}
		if n := stalls(c.during); n != c.want {
			t.Errorf("part %d: %d alarms, want %d", i, n, c.want)
		}
	}
}

// A silence that was alarmed calls nobody again when it is watched anew; the next one does.
func TestAnotherWatchOfTheSameSilenceCallsNobody(t *testing.T) {
	t.Parallel()
	s := newTimed(t, 1, func(time.Duration) time.Duration { return 0 })
	s.Platform.Remembering(t, t.TempDir(), journal.WithTranscriptBudget(1<<10)) // its middle is left out soon
	calls := func(during time.Duration) (n, known int) {
		for until := s.Clock.Now().Add(during); s.Clock.Now().Before(until); {
			switch alarm, due := s.fetch(t); {
			case due && alarm.Known:
				known++
			case due:
				n++
			}
		}
		return n, known
	}
	for i, want := range [][2]int{{1, 0}, {0, 1}, {1, 0}} {
		if i == 2 {
			s.says(2038)
		}
		s.watch, s.last = watching.NewWatch(s.Platform.Site, nil), watching.Snapshot{}
		if i > 0 {
			unfinished, _, err := s.Memory.Unfinished()
			if err != nil {
				t.Fatal(err)
			}
			s.watch.Resume(unfinished.ID)
		}
		if n, known := calls(time.Hour); n != want[0] || known != want[1] {
			t.Errorf("watch %d: %d calls and %d known, want %v", i, n, known, want)
		}
		for range 20 {
			s.says(2038)
			s.fetch(t)
		}
		if i == 0 { // the same silence again
			calls(time.Hour)
		}
	}
}

// A silent run is in the list of transcripts as last seen when it was, not when it spoke.
func TestASilentRunWasSeenToItsLastAnswer(t *testing.T) {
	t.Parallel()
	for _, pace := range []float64{1, 60} {
		s := newTimed(t, pace, func(time.Duration) time.Duration { return -3 * time.Hour })
		s.Platform.Remembering(t, t.TempDir())
		s.watch = watching.NewWatch(s.Platform.Site, nil)
		for s.now().Sub(operationtest.Start) < time.Hour {
			s.fetch(t)
		}
		runs, err := s.Memory.WatchedRuns()
		if err != nil || len(runs) != 1 {
			t.Fatal(runs, err)
		}
		if behind := s.now().Sub(runs[0].Last.Add(runs[0].Ahead)); behind < 0 || behind > 16*time.Minute {
			t.Errorf("at pace %v it was last seen %v ago", pace, behind)
		}
		if _, lines, err := s.Memory.Journal.ReadTranscript(runs[0].ID); err != nil || len(lines) > 60 {
			t.Errorf("at pace %v: %d lines, %v", pace, len(lines), err)
		}
	}
}

// A15: at a deployment that stands still the watch calls after minutes where others took seconds, and
// names it; no run that goes on is taken for one that stands still.
func TestARunThatStandsStillIsCalledByItsOwnPace(t *testing.T) {
	t.Parallel()
	for scenario, stalls := range map[string]bool{"upgrade-stalls-for-good": true, "running-release": false, "running-patch": false, "running-release-fails-late": false} {
		t.Run(scenario, func(t *testing.T) {
			t.Parallel()
			p := operationtest.BuiltIn(t, scenario)
			w, before := watching.NewWatch(p.Site, nil), watching.Snapshot{}
			for range 2000 {
				step, err := w.Next(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				alarm, due := watching.AlarmOf(p.Site, before, step.Value)
				if before = step.Value; due && alarm.Kind == watching.AlarmStalled {
					if !stalls || step.Value.Quiet > 6*time.Minute || !strings.Contains(alarm.Text, "has been silent for 5 min in Components: Upgrading elasticsearch-0") {
						t.Errorf("after %v: %s", step.Value.Quiet, alarm.Text)
					}
					return
				}
				if step.Done {
					break
				}
				_ = p.Clock.Sleep(t.Context(), step.Wait)
			}
			if stalls {
				t.Error("nobody was called")
			}
		})
	}
}

// An alarm is written down although the site does not answer after it; while the disk is full, afterwards.
func TestAnAlarmThatCannotBeRecordedIsRecordedLater(t *testing.T) {
	t.Parallel()
	for _, full := range []bool{true, false} {
		var locked atomic.Bool
		s := newTimed(t, 1, func(time.Duration) time.Duration { return 0 })
		s.Platform.Remembering(t, t.TempDir(), journal.WithFiles(lockableFiles{journal.SystemFiles{}, &locked}))
		alarmed := func() (alarm watching.Alarm) {
			t.Helper()
			for until := s.Clock.Now().Add(time.Hour); s.Clock.Now().Before(until); {
				if a, due := s.fetch(t); due {
					return a
				}
			}
			return alarm
		}
		s.watch = watching.NewWatch(s.Platform.Site, nil)
		if alarm := alarmed(); alarm.Kind != watching.AlarmStalled || alarm.Known {
			t.Fatalf("%+v", alarm)
		}
		for _, bad := range []bool{true, false} {
			locked.Store(bad && full)
			s.answers("", bad)
			s.fetch(t)
		}
		unfinished, _, err := s.Memory.Unfinished()
		if err != nil {
			t.Fatal(err)
		}
		s.watch, s.last = watching.NewWatch(s.Platform.Site, nil), watching.Snapshot{}
		s.watch.Resume(unfinished.ID)
		if alarm := alarmed(); alarm.Kind != watching.AlarmStalled || !alarm.Known {
			t.Errorf("the disk is full: %v: %+v", full, alarm)
		}
	}
}
