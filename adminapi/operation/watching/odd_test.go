package watching_test

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/operationtest"
	"geodeck/adminapi/operation/watching"
	"geodeck/adminapi/simulator/simtest"
	"geodeck/adminapi/upgrade/progress"
)

// oddMessages are what no site should write and some might, for a run that began at a time.
func oddMessages(began int64) []string {
	odd := []string{
		`"code":2173,"message":"of the far future","when":4102444800000`,
		`"code":2173,"message":"of the farthest future","when":9223372036854775807`,
		`"code":2173,"message":"of no time","when":0`,
		`"code":2173,"message":"of before all times","when":-5`,
		`"code":2173,"message":"of a null time","when":null`,
		`"code":2173,"message":"of a missing time"`,
		`"code":2999,"message":"of an unknown code","when":%d`,
		`"code":"2287","message":"of a code that is a text","when":"%d"`,
		`"message":"of no code","when":%d`,
		`"code":2153,"message":"{\"stores\":[{","when":%d`,
		`"code":2153,"message":"{\\\"stores\\\":\\\"[{\\\\\\\"name\\\\\\\":1}]\\\"}","when":%d`,
		`"code":2173,"message":{"an":"object"},"when":%d`,
		`"code":2173,"message":"` + strings.Repeat("1 MB ", 1<<20/5) + `","when":%d`,
	}
	for i, m := range odd {
		odd[i] = "{" + strings.ReplaceAll(m, "%d", fmt.Sprint(began+1000)) + "}" // the same time for all
	}
	return odd
}

func TestOddMessagesAreInTheLogOnceAndEndNoWatch(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	first := p.FirstMessage(-time.Minute)
	all := append([]string{first}, oddMessages(p.Clock.Now().Add(-time.Minute).UnixMilli())...)
	watch := watching.NewWatch(p.Site, nil)
	lists := func(state string, list []string, want int) watching.Snapshot {
		t.Helper()
		p.ReportsStatus(`{"state":"` + state + `","code":1,"messages":[` + strings.Join(list, ",") + `]}`)
		snapshot := operationtest.Polled(t, p, watch, 1)
		if snapshot.Log.Len() != want || snapshot.Ended || snapshot.Meaning != progress.StateRunning || snapshot.Unreachable != nil || snapshot.TranscriptErr != nil {
			t.Fatalf("%d messages of %d: %v, %v, %v", snapshot.Log.Len(), want, snapshot.Meaning, snapshot.Unreachable, snapshot.TranscriptErr)
		}
		return snapshot
	}
	n := len(all)
	lists("in_progress", all, n)
	lists("in_progress", all, n) // again
	turned := slices.Clone(all)
	slices.Reverse(turned)
	lists("in_progress", turned, n)
	lists("in_progress", all[:3], n) // shorter after a restart of the server
	lists("in_progress", append(slices.Clone(all), all[6]), n+1)
	for i := range 10_000 {
		all = append(all, fmt.Sprintf(`{"code":2173,"message":"%d of 10000","when":%d}`, i, p.Clock.Now().UnixMilli()))
	}
	snapshot := lists("in_progress", all, n+1+10_000)
	if took := time.Duration(snapshot.Progress.Last-snapshot.Progress.Began) * time.Millisecond; took > 10*time.Minute || snapshot.Quiet > 10*time.Minute {
		t.Errorf("the run goes on for %v, silent for %v", took, snapshot.Quiet)
	}
	if on := onDisk(t, p, snapshot.Transcript); on != snapshot.Log.Len() {
		t.Errorf("%d of %d messages are on disk", on, snapshot.Log.Len())
	}
}

// movedClock is a clock of this machine that is off, and can be set.
type movedClock struct {
	*simtest.SteppedClock
	by atomic.Int64
}

// Now returns the time that the clock shows.
func (c *movedClock) Now() time.Time { return c.SteppedClock.Now().Add(time.Duration(c.by.Load())) }

// timesOf watches a patch for twelve minutes on a clock of this machine that is off, and set in
// the middle, and returns every duration that it told.
func timesOf(t *testing.T, off, set time.Duration) (all []progress.Progress, quiet []time.Duration) {
	t.Helper()
	p := operationtest.NewOf(t, runningPatch(t, ""))
	local := &movedClock{SteppedClock: p.Clock}
	local.by.Store(int64(off))
	client, err := adminapi.New(adminapi.Config{Base: p.World.URL(), Clock: local, Token: p.Client.Session.Token(), Transport: &http.Transport{DisableKeepAlives: true}})
	if err != nil {
		t.Fatal(err)
	}
	watch := watching.NewWatch(operation.Site{Client: client, Clock: local}, nil)
	for i := range 72 {
		if i == 36 {
			local.by.Add(int64(set))
		}
		snapshot, _, err := operationtest.Stepped(watch.Next(t.Context()))
		if err != nil || snapshot.Unreachable != nil {
			t.Fatal(err, snapshot.Unreachable)
		}
		all, quiet = append(all, snapshot.Progress), append(quiet, snapshot.Quiet)
		p.Clock.Advance(10 * time.Second)
	}
	return all, quiet
}

// Hours that the clock of this machine is off, or is set by, are in no duration. A silence may
// lack the time between the two fetches in which the clock was set.
func TestTheLocalClockChangesNoDurationWhenItIsOffOrJumps(t *testing.T) {
	t.Parallel()
	want, wantQuiet := timesOf(t, 0, 0)
	for _, c := range []struct{ off, set time.Duration }{{5 * time.Hour, 0}, {-5 * time.Hour, 0}, {0, -7 * time.Hour}, {3 * time.Hour, 9 * time.Hour}} {
		t.Run(fmt.Sprintf("%v off, set by %v", c.off, c.set), func(t *testing.T) {
			t.Parallel()
			got, quiet := timesOf(t, c.off, c.set)
			for i := range got {
				if !reflect.DeepEqual(got[i], want[i]) || (quiet[i]-wantQuiet[i]).Abs() > 12*time.Second {
					t.Fatalf("fetch %d: silent for %v, want %v\n%+v, want\n%+v", i, quiet[i], wantQuiet[i], got[i], want[i])
				}
			}
		})
	}
}

// A laptop that is closed for hours stops the program between two fetches.
func TestAWatchThatSleptFindsAllMessagesOnce(t *testing.T) {
	t.Parallel()
	script := runningPatch(t, "")
	p := operationtest.NewOf(t, script).Remembering(t, t.TempDir())
	watch := watching.NewWatch(p.Site, nil)
	if before := operationtest.Polled(t, p, watch, 5); before.Ended || before.Log.Len() == 0 {
		t.Fatalf("%+v", before)
	}
	p.Clock.Advance(50 * time.Minute)
	end := operationtest.Polled(t, p, watch, 1)
	if !end.Ended || end.Meaning != progress.StateSucceeded || end.MessagesMissing {
		t.Errorf("%v, ended %v", end.Meaning, end.Ended)
	}
	wantEachOnce(t, p, end, truth(t, script))
}
