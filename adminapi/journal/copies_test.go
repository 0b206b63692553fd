package journal_test

import (
	"strings"
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

// Earlier versions have written both: whoever reads it sees one.
func TestACopyThatWasWrittenIsReadOnce(t *testing.T) {
	t.Parallel()
	lineOf := func(text string) (j *journal.Journal, path string, lines []string) {
		j = open(t, place(t))
		tr := transcript(t, j, theRun)
		add(t, tr, journal.TranscriptLine{Messages: []journal.TranscriptMessage{{UpgradeMessage: adminapi.UpgradeMessage{Code: 2038, When: 1, Message: text}, Nth: 1}}})
		path = j.TranscriptPath(tr.ID())
		return j, path, strings.SplitAfter(contentOf(t, path), "\n")
	}
	j, path, plain := lineOf("with KESTREL-77")
	_, _, masked := lineOf("with [secret]")
	put(t, path, plain[0]+plain[1]+strings.Replace(masked[1], "12:00:0", "12:01:0", 1))
	all := list(t, j)
	if summary, _ := readBack(t, j, all[0].ID); summary.Messages != 1 || summary.Damaged != 0 {
		t.Errorf("read as %+v", summary)
	}
}

// A mask that comes early makes a writer read again what it took before, whatever else comes with it.
func TestACopyIsFoundWhateverComesWithIt(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	a, b, clock := open(t, folder), open(t, folder), newClock()
	for _, j := range []*journal.Journal{a, b} {
		journal.WithClock(clock)(j)
	}
	one, two := transcript(t, a, theRun), transcript(t, b, theRun)
	line := func(messages ...adminapi.UpgradeMessage) (l journal.TranscriptLine) {
		for _, m := range messages {
			m.Code = 2038
			l.Messages = append(l.Messages, journal.TranscriptMessage{UpgradeMessage: m, Nth: 1})
		}
		return l
	}
	known := adminapi.UpgradeMessage{When: 5, Message: "with KESTREL-77"}
	masked := adminapi.UpgradeMessage{When: 5, Message: "with [secret]"}
	for _, step := range []struct {
		by   *journal.Transcript
		line journal.TranscriptLine
		want int
	}{
		{one, line(known, adminapi.UpgradeMessage{When: 7, Message: "plain"}), 2},
		{two, line(adminapi.UpgradeMessage{When: 7, Message: "plain"}), 2},
		{two, line(masked, adminapi.UpgradeMessage{When: 9, Message: "later: [secret]"}), 3},
		{one, line(adminapi.UpgradeMessage{When: 6, Message: "with MERLIN-88"}, adminapi.UpgradeMessage{When: 11, Message: "plain"}), 5},
		{two, line(adminapi.UpgradeMessage{When: 6, Message: "other [secret]"}), 6},
		{two, line(adminapi.UpgradeMessage{When: 12, Message: "last: [secret]"}), 7},
		{one, line(adminapi.UpgradeMessage{When: 13, Message: "plain"}), 8},
		{one, line(adminapi.UpgradeMessage{When: 6, Message: "with [secret]"}), 8},
	} {
		add(t, step.by, step.line)
		if summary, _ := readBack(t, a, one.ID()); summary.Messages != step.want || list(t, a)[0] != summary {
			t.Fatalf("after %+v: %+v, want %d messages", step.line.Messages, summary, step.want)
		}
	}
}
