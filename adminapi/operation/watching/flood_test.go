package watching_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"strings"
	"testing"

	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation/incident"
	"geodeck/adminapi/operation/operationtest"
	"geodeck/adminapi/operation/watching"
)

// wave is so many messages of a size.
type wave struct{ count, each int }

// flood makes the site report new messages with each fetch, wave by wave, the last one
// again and again, and its 2010 always. It returns how many messages that were.
func flood(p *operationtest.Platform, waves ...wave) (told func() int) {
	began, n := operationtest.Start.UnixMilli(), 0
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		if !strings.HasSuffix(r.URL.Path, "/system/upgrades") {
			pass()
			return
		}
		_, _ = fmt.Fprintf(w, `{"status":{"state":"in_progress","code":1,"messages":[{"code":2010,"message":"from 11.5.0.6745 to 11.5.0.6805","when":%d}`, began)
		now := waves[0]
		if len(waves) > 1 {
			waves = waves[1:]
		}
		filling := bytes.Repeat([]byte("x"), now.each)
		for range now.count {
			n++
			_, _ = fmt.Fprintf(w, `,{"code":2038,"when":%d,"message":"`, began+int64(n))
			_, _ = w.Write(filling)
			_, _ = fmt.Fprintf(w, ` %d"}`, n)
		}
		_, _ = io.WriteString(w, `]}}`)
	})
	return func() int { return n + 1 }
}

// budget is how large a log and its transcript may grow in these tests: 1/32 of the usual.
const budget = 2 << 20

func TestAFloodOfLongMessagesFillsNeitherMemoryNorDisk(t *testing.T) {
	p := operationtest.BuiltIn(t, "healthy").Remembering(t, t.TempDir(), journal.WithTranscriptBudget(budget))
	told := flood(p, wave{5, 1 << 20}, wave{20, 65 << 10})
	watch := watching.NewWatch(p.Site, nil)
	before := heap()
	var last watching.Snapshot
	most := int64(0)
	for range 6 { // three times the budget
		last = operationtest.Polled(t, p, watch, 1)
		if last.Unreachable != nil || last.TranscriptErr != nil {
			t.Fatal(last.Unreachable, last.TranscriptErr)
		}
		info, err := os.Stat(p.Memory.Journal.TranscriptPath(last.Transcript))
		if err != nil {
			t.Fatal(err)
		}
		most = max(most, info.Size())
	}
	after := heap()
	t.Logf("heap grew by %d KiB, the transcript to %d KiB", (int64(after)-int64(before))>>10, most>>10)
	if after > before+3*budget {
		t.Errorf("the heap grew from %d to %d KiB", before>>10, after>>10)
	}
	if most > budget {
		t.Errorf("the transcript grew to %d KiB", most>>10)
	}
	log := last.Log
	if text := log.At(0).Message; text != "from 11.5.0.6745 to 11.5.0.6805" || log.Run() != 0 {
		t.Errorf("the beginning is %.100q, the run begins at %d", text, log.Run())
	}
	if text := log.At(1).Message; len(text) > 66<<10 || !strings.Contains(text, "… (1,048,578 bytes, the first 65,536 are kept; checksum ") {
		t.Errorf("%d bytes of a message, ending in %q", len(text), text[max(0, len(text)-100):])
	}
	if newest := log.At(log.Len() - 1); int64(newest.When) != operationtest.Start.UnixMilli()+int64(told()-1) {
		t.Errorf("the newest message is of %v", newest.When)
	}
	counted := 0
	for i := range log.Len() {
		counted += max(1, log.At(i).LeftOut)
	}
	if log.LeftOut() == 0 || last.Progress.Messages != counted {
		t.Errorf("%d are left out, %d of %d are counted", log.LeftOut(), last.Progress.Messages, counted)
	}
	if counted > told() {
		t.Errorf("%d messages of %d", counted, told())
	}
	runtime.KeepAlive(watch)
	wantTheCutToBeTold(t, p, last)
}

// wantTheCutToBeTold reads a transcript that was cut in every way that there is.
func wantTheCutToBeTold(t *testing.T, p *operationtest.Platform, last watching.Snapshot) {
	t.Helper()
	runs, err := p.Memory.WatchedRuns()
	if err != nil || len(runs) != 1 || runs[0].LeftOut == 0 || runs[0].Messages+runs[0].LeftOut != last.Progress.Messages {
		t.Fatalf("%+v of %d messages, %v", runs, last.Progress.Messages, err)
	}
	record, err := watching.Replay(p.Site, last.Transcript)
	if err != nil || record.Log.LeftOut() != runs[0].LeftOut || record.Log.At(0).Code != 2010 || record.Meaning != last.Meaning {
		t.Errorf("the record lacks %d, %v, %v", record.Log.LeftOut(), record.Meaning, err)
	}
	if newest := record.Log.At(record.Log.Len() - 1); newest.When != last.Log.At(last.Log.Len()-1).When {
		t.Errorf("the newest on disk is of %v", newest.When)
	}
	again := watching.NewWatch(p.Site, nil)
	again.Resume(last.Transcript)
	if r := operationtest.Polled(t, p, again, 1); r.TranscriptErr != nil || !r.Resumed || r.Log.LeftOut() == 0 {
		t.Errorf("resumed %v, %d left out, %v", r.Resumed, r.Log.LeftOut(), r.TranscriptErr)
	}
	evidence, err := incident.GatherEvidence(t.Context(), p.Site, "", last.Transcript)
	if err != nil {
		t.Fatal(err)
	}
	files := operationtest.Unpacked(t, evidence)
	if !strings.Contains(files["summary.md"], "too many to keep") || !strings.Contains(files["messages.jsonl"], "are left out") {
		t.Errorf("the evidence does not tell of it: %q", evidence.Absent)
	}
}

// TestAFloodThatCannotBeWrittenDoesNotFillMemory: what waits to be written is bounded as
// the log is.
func TestAFloodThatCannotBeWrittenDoesNotFillMemory(t *testing.T) {
	p := operationtest.BuiltIn(t, "healthy").Remembering(t, t.TempDir(), journal.WithTranscriptBudget(budget))
	flood(p, wave{40, 63 << 10})
	watch := watching.NewWatch(p.Site, nil)
	operationtest.Polled(t, p, watch, 1)
	_ = p.Memory.Journal.Close()
	before := heap()
	last := operationtest.Polled(t, p, watch, 4) // five times the budget
	if after := heap(); after > before+3*budget || last.TranscriptErr == nil {
		t.Errorf("the heap grew from %d to %d KiB, %v", before>>10, after>>10, last.TranscriptErr)
	}
	runtime.KeepAlive(watch)
}

// TestALongMessageIsInTheLogOnce: two that begin alike are two, and each is
// there once, in this life and after a resume.
func TestALongMessageIsInTheLogOnce(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	filling := strings.Repeat("é", 50<<10)
	p.ReportsRun(0, fmt.Sprintf(`,{"code":2038,"when":%d,"message":"%s one"},{"code":2038,"when":%[1]d,"message":"%s two"}`, operationtest.Start.UnixMilli()+2, filling, filling))
	watch := watching.NewWatch(p.Site, nil)
	first := operationtest.Polled(t, p, watch, 3)
	resumed := watching.NewWatch(p.Site, nil)
	resumed.Resume(first.Transcript)
	for name, r := range map[string]watching.Snapshot{"read": first, "resumed": operationtest.Polled(t, p, resumed, 2)} {
		if r.Log.Len() != 4 || r.Log.At(2).Message == r.Log.At(3).Message || onDisk(t, p, r.Transcript) != 4 {
			t.Fatalf("%s: %d messages, %d on disk", name, r.Log.Len(), onDisk(t, p, r.Transcript))
		}
		if text := r.Log.At(2).Message; !strings.Contains(text, "é… (102,404 bytes, the first 65,536 are kept; checksum ") {
			t.Errorf("%s: it ends in %q", name, text[len(text)-100:])
		}
	}
}
