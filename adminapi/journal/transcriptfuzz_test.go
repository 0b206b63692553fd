package journal_test

import (
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
)

// Whatever stands in a file: it is refused, or it can be read, and what is added
// then is there once.
func FuzzTranscript(f *testing.F) {
	f.Add([]byte(""))
	f.Add([]byte(`{"time":"2026-11-20T12:00:00Z","messages":[{"message":{"code":2010,"message":"m","when":5}}],"soFar":{"last":"2026-11-20T12:00:00Z","messages":1}}` + "\n"))
	f.Add([]byte(`{"time":"2026-11-20T12:00:00Z","ahead":"x","soFar":{"messages":-1}}` + "\ncut"))
	f.Add([]byte("\x00\x00\n\n\n{}\n[]\nnull\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		for _, head := range []string{"", headLine} {
			wantUsable(t, head+string(content))
		}
	})
}

func wantUsable(t *testing.T, content string) {
	t.Helper()
	j, err := journal.OpenThrowaway()
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	id := transcript(t, j, theRun).ID()
	put(t, j.TranscriptPath(id), content)
	before, _, errRead := j.ReadTranscript(id)
	listed, errList := j.Transcripts()
	if errRead == nil && (errList != nil || len(listed) != 1) {
		t.Fatalf("read as %+v, but listed as %+v, %v", before, listed, errList)
	}
	tr, err := j.OpenTranscript(theRun)
	if err != nil {
		if errRead == nil {
			t.Fatalf("it can be read, but not gone on with: %v", err)
		}
		return
	}
	m := adminapi.UpgradeMessage{Code: -1, When: -1, Message: "the one that was added"}
	for range 2 {
		add(t, tr, journal.TranscriptLine{Messages: []journal.TranscriptMessage{{UpgradeMessage: m, Nth: 1 << 40}}})
	}
	after, lines := readBack(t, j, id)
	if after.Messages != before.Messages+1 || len(texts(lines)) != after.Messages {
		t.Fatalf("before %+v, after %+v", before, after)
	}
	if all := list(t, j); len(all) != 1 || all[0].Messages != after.Messages || all[0].State != after.State {
		t.Fatalf("listed %+v, read %+v", all, after)
	}
}
