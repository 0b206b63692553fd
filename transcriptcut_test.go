package main

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/simulator"
)

// TestATranscriptThatLacksMessagesSaysSoWhereItIsListedAndPrinted: also to a script.
func TestATranscriptThatLacksMessagesSaysSoWhereItIsListedAndPrinted(t *testing.T) {
	t.Parallel()
	clock := simulator.NewSteppedClock(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC))
	server := newSite(t, simulator.Options{Clock: clock})
	base, err := url.Parse(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	state := t.TempDir()
	j, err := journal.Open(state, journal.SiteOf(base), journal.WithClock(clock))
	if err != nil {
		t.Fatal(err)
	}
	began := adminapi.Millis(clock.Now().UnixMilli())
	transcript, err := j.OpenTranscript(journal.TranscriptOf{Began: began, Start: "from 11.4 to 11.5"})
	if err != nil {
		t.Fatal(err)
	}
	line := journal.TranscriptLine{State: "success", Code: 3, Meaning: "succeeded", Ended: true}
	for _, m := range []adminapi.UpgradeMessage{
		{Code: 2010, Message: "from 11.4 to 11.5", When: began}, adminapi.MessagesLeftOut(1234, began+1), {Code: 2038, Message: "the newest", When: began + 2},
	} {
		line.Messages = append(line.Messages, journal.TranscriptMessage{UpgradeMessage: m, Nth: 1})
	}
	if err := transcript.Append(line); err != nil {
		t.Fatal(err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ args, want string }{
		{"upgrade transcripts", "2, 1234 left out"},
		{"upgrade transcripts -o json", `"messagesLeftOut": 1234`},
		{"upgrade transcripts " + transcript.ID(), "1,234 messages are left out here: there were too many to keep."},
		{"upgrade transcripts -o jsonl " + transcript.ID(), "1,234 messages are left out here"},
	} {
		args := append(strings.Fields(c.args), "--url", server.URL(), "--state-dir", state)
		if r := runInProcess(t, clock, nil, args...); r.code != 0 || !strings.Contains(r.out, c.want) {
			t.Errorf("%s: exit code %d\n%s%s", c.args, r.code, r.out, r.err)
		}
	}
}
