package journal_test

import (
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
)

// Two programs that watch the same run need not know the same secrets.
func TestAMessageThatTwoWritersMaskDifferentlyIsThereOnce(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	knows, other, clock := open(t, folder), open(t, folder), newClock()
	for _, j := range []*journal.Journal{knows, other} {
		journal.WithClock(clock)(j)
	}
	masking, plain := transcript(t, knows, theRun), transcript(t, other, theRun)
	line := func(when adminapi.Millis, texts ...string) (l journal.TranscriptLine) {
		nth := map[string]int{}
		for _, text := range texts {
			nth[text]++
			l.Messages = append(l.Messages, journal.TranscriptMessage{UpgradeMessage: adminapi.UpgradeMessage{Code: 2038, When: when, Message: text}, Nth: nth[text]})
		}
		return l
	}
	want := 0
	for _, step := range []struct {
		by   *journal.Transcript
		line journal.TranscriptLine
		more int
	}{
		{plain, line(1, "with KESTREL-77", "with MERLIN-88", "plain"), 3},
		{masking, line(1, "with [secret]", "with [secret]", "plain"), 0},
		{masking, line(2, "with [secret]"), 1},
		{plain, line(2, "with KESTREL-77"), 0},
		{plain, line(1, "with KESTREL-77"), 0},
		{plain, line(2, "with KESTREL-77", "with OSPREY-99"), 1},
		{masking, line(2, "with [secret]", "with [secret]"), 0},
		{masking, line(1, "without [secret]"), 1},
		{masking, journal.TranscriptLine{Messages: []journal.TranscriptMessage{{UpgradeMessage: adminapi.UpgradeMessage{Code: 2038, When: 1, Message: "with OSPREY-99"}, Nth: 1, Among: 3}}}, 1},
		{plain, line(0, "with KESTREL-77"), 1},
		{masking, line(0, "with [secret]"), 0},
	} {
		add(t, step.by, step.line)
		want += step.more
		for _, j := range []*journal.Journal{knows, other} {
			summary, lines := readBack(t, j, masking.ID())
			read := 0
			for _, line := range lines {
				read += len(line.Messages)
			}
			if read != want || summary.Messages != want {
				t.Fatalf("after %+v: %d messages, the summary has %d, want %d", step.line.Messages, read, summary.Messages, want)
			}
		}
		if all, err := knows.Transcripts(); err != nil || len(all) != 1 || all[0].Messages != want {
			t.Fatalf("after %+v: listed %+v, %v, want %d", step.line.Messages, all, err, want)
		}
	}
}
