package watching_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/operation/operationtest"
	"geodeck/adminapi/operation/watching"
	"geodeck/adminapi/simulator"
	"geodeck/adminapi/upgrade/progress"
)

// line is what distinguishes messages.
type line struct {
	code int
	when adminapi.Millis
	text string
}

// truth is what the site of a scenario reports at its end without outages.
func truth(t *testing.T, script simulator.Scenario) map[line]bool {
	t.Helper()
	script.Faults, script.Events, script.Upgrades.Deliveries, script.Upgrades.States = nil, nil, nil, nil
	p := operationtest.NewOf(t, script)
	_ = p.Clock.Sleep(t.Context(), 12*time.Hour)
	p.SignInAgain(t)
	status, err := p.Client.Upgrades.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	lines := map[line]bool{}
	for _, m := range status.Messages {
		lines[line{m.Code, m.When, m.Message}] = true
	}
	return lines
}

func TestEightHoursOfWatchingOnABadLine(t *testing.T) {
	script, _ := simulator.BuiltIn("eight-hours")
	script.Upgrades.Notes.Count = 100 // of the 5,000 that a demonstration shows
	p := operationtest.NewOf(t, script).Remembering(t, t.TempDir())
	begin := p.Clock.Now()
	watch := watching.NewWatch(p.Site, nil)
	var last watching.Snapshot
	away, signIns, read := 0, 0, 0
	var early, late uint64
	goroutines := runtime.NumGoroutine()
	for !last.Ended && p.Clock.Now().Before(begin.Add(12*time.Hour)) {
		snapshot, wait, err := operationtest.Stepped(watch.Next(t.Context()))
		switch {
		case errors.Is(snapshot.Refused, adminapi.KindSignIn):
			signIns++
			p.SignInAgain(t)
		case err != nil:
			t.Fatalf("%v: %v", p.Clock.Now().Sub(begin), err)
		case snapshot.Unreachable != nil:
			away++
		}
		last = snapshot
		read++
		if passed := p.Clock.Now().Sub(begin); early == 0 && passed > 2*time.Hour {
			early = heap()
		}
		_ = p.Clock.Sleep(t.Context(), 3*wait) // a machine that is busy wakes up late
	}
	late = heap()
	left := runtime.NumGoroutine()
	if !last.Ended || last.Meaning != progress.StateSucceeded || away == 0 || signIns == 0 {
		t.Errorf("ended %v as %v after %v, %d times away, %d sign-ins", last.Ended, last.Meaning, p.Clock.Now().Sub(begin), away, signIns)
	}
	missing, seen := truth(t, script), 0
	all := len(missing)
	for i := range last.Log.Len() {
		m := last.Log.At(i)
		if m.Nth == 1 { // others come more than once
			seen++
		}
		delete(missing, line{m.Code, m.When, m.Message})
	}
	if len(missing) > 0 || seen != all || onDisk(t, p, last.Transcript) != last.Log.Len() {
		t.Errorf("%d messages were seen of %d, and %d of %d are on disk; missing are %v", seen, all, onDisk(t, p, last.Transcript), last.Log.Len(), missing)
	}
	if late > early+4<<20 {
		t.Errorf("the heap grew from %d to %d KiB", early>>10, late>>10)
	}
	if left > goroutines+4 { // those of idle connections
		t.Errorf("%d goroutines, %d at the start", left, goroutines)
	}
	t.Logf("%v, %d fetches, %d messages, %d times away, %d sign-ins, heap %d KiB after two hours, %d KiB at the end, transcript %d KiB",
		p.Clock.Now().Sub(begin).Round(time.Minute), read, last.Log.Len(), away, signIns, early>>10, late>>10, size(t, p)>>10)
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func size(t *testing.T, p *operationtest.Platform) (bytes int64) {
	t.Helper()
	_ = filepath.Walk(p.Memory.Journal.Folder(), func(_ string, info os.FileInfo, err error) error {
		if err == nil {
			bytes += info.Size()
		}
		return err
	})
	return bytes
}
