package operation_test

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
)

// canary is a secret that a message holds.
const canary = "Xk3vQ9z-canary"

// tellsOf makes the site tell of a run that goes on, with so many bytes in a text
// that holds a secret.
func (p *platform) tellsOf(bytes int, more string) {
	began := start.UnixMilli()
	p.tells(fmt.Sprintf(`{"state":"in_progress","code":1,"messages":[{"code":2010,"message":"from 11.5.0.6745 to 11.5.0.6805","when":%d},`+
		`{"code":2038,"message":"asked /x?token=%s&f=json %s","when":%d}%s]}`,
		began, canary, strings.Repeat("token=a ", bytes/8), began+1, more))
}

// watched is a platform at which a run goes on.
func watched(t *testing.T) *platform {
	t.Helper()
	return remembering(t, builtIn(t, "healthy"), t.TempDir())
}

func TestAMessageThatIsKeptMaskedOrShortIsThereOnceAfterAResume(t *testing.T) {
	t.Parallel()
	for _, bytes := range []int{0, 600 << 10} {
		p := watched(t)
		p.tellsOf(bytes, "")
		first := readings(t, p, p.WatchUpgrade(nil), 1)
		watch := p.WatchUpgrade(nil)
		watch.Resume(first.Transcript)
		again := readings(t, p, watch, 2)
		if first.Log.Len() != 2 || again.Log.Len() != 2 || again.Transcript != first.Transcript || onDisk(t, p, first.Transcript) != 2 {
			t.Errorf("%d bytes: %d messages, after a resume %d, on disk %d", bytes, first.Log.Len(), again.Log.Len(), onDisk(t, p, first.Transcript))
		}
		if text := again.Log.At(1).Message; strings.Contains(text, canary) {
			t.Errorf("a secret is shown: %.100s", text)
		}
	}
}

func TestNoSecretInAMessageGetsIntoTheEvidence(t *testing.T) {
	t.Parallel()
	p := watched(t)
	p.tellsOf(0, "")
	kept := readings(t, p, p.WatchUpgrade(nil), 1).Transcript
	for _, id := range []string{"", kept} {
		evidence, err := p.GatherEvidence(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		files := unpacked(t, evidence)
		if n := strings.Count(files["messages.jsonl"], "\n"); n != 2 {
			t.Errorf("%d messages", n)
		}
		for name, content := range files {
			if strings.Contains(content, canary) {
				t.Errorf("%s holds a secret", name)
			}
		}
	}
}

func TestATranscriptOfNoKnownRunEndsWhenTheRunIsKnown(t *testing.T) {
	t.Parallel()
	p := watched(t)
	p.tells(`{"state":"in_progress","code":1,"messages":[]}`)
	watch := p.WatchUpgrade(nil)
	untold := readings(t, p, watch, 1).Transcript
	p.tellsOf(0, "")
	now := readings(t, p, watch, 1).Transcript
	runs, err := p.WatchedRuns()
	if err != nil || len(runs) != 2 || untold == now || runs[0].ID != now || runs[0].Ended || !runs[1].Ended {
		t.Errorf("%+v, %v", runs, err)
	}
}

func TestATranscriptThatWasTakenAwayIsBegunAnew(t *testing.T) {
	t.Parallel()
	p := watched(t)
	p.tellsOf(0, "")
	watch := p.WatchUpgrade(nil)
	path := p.Journal.TranscriptPath(readings(t, p, watch, 1).Transcript)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	p.tellsOf(0, fmt.Sprintf(`,{"code":2270,"message":"planned","when":%d}`, p.clock.Now().UnixMilli()))
	if r := readings(t, p, watch, 1); r.TranscriptErr == nil {
		t.Error("nothing says that the transcript is gone")
	}
	if r := readings(t, p, watch, 1); r.TranscriptErr != nil || onDisk(t, p, r.Transcript) != r.Log.Len() {
		t.Errorf("%v; %d of %d messages are kept", r.TranscriptErr, onDisk(t, p, r.Transcript), r.Log.Len())
	}
}

func TestARecordKeepsTheDifferenceOfTheClocks(t *testing.T) {
	t.Parallel()
	const ahead = 3 * time.Hour
	p := watched(t)
	p.spoilWith(func(w http.ResponseWriter, r *http.Request, pass func()) {
		if !strings.HasSuffix(r.URL.Path, "/system/upgrades") {
			pass()
			return
		}
		w.Header().Set("Date", p.clock.Now().Add(ahead).UTC().Format(http.TimeFormat))
		_, _ = fmt.Fprintf(w, `{"status":{"state":"in_progress","code":1,"messages":[%s]}}`, p.first(ahead))
	})
	live := readings(t, p, p.WatchUpgrade(nil), 1)
	elsewhere := operation.Site{Client: clientWithoutAnswer(t, p.clock), Clock: p.clock, Memory: operation.Memory{Journal: p.Journal}}
	record, err := elsewhere.Replay(live.Transcript)
	if err != nil || (live.Ahead-ahead).Abs() > 2*time.Second || record.Ahead != live.Ahead {
		t.Errorf("live %v, record %v, %v", live.Ahead, record.Ahead, err)
	}
	watch := elsewhere.WatchUpgrade(nil)
	watch.Resume(live.Transcript)
	if r, _, err := stepped(watch.Next(t.Context())); err != nil || r.Unreachable == nil || r.Ahead != live.Ahead {
		t.Errorf("away: %v, ahead %v, %v", r.Unreachable, r.Ahead, err)
	}
}

// clientWithoutAnswer talks to a site that is away.
func clientWithoutAnswer(t *testing.T, clock adminapi.Clock) *adminapi.Client {
	t.Helper()
	client, err := adminapi.New(adminapi.Config{Base: "http://127.0.0.1:1/admin", Token: adminapi.Token{Value: "x"}, Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	return client
}
