package journal_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
)

// budget is how large a transcript may grow in these tests: 1/32 of the usual.
const budget = 2 << 20

// within opens a journal whose transcripts stay within the budget.
func within(t *testing.T, folder string) *journal.Journal {
	t.Helper()
	j, err := journal.Open(folder, site, journal.WithClock(newClock()), journal.WithTranscriptBudget(budget), journal.WithoutSync())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close() })
	return j
}

// bulky returns messages of 2 KiB that all differ.
func bulky(from, to int) []journal.TranscriptMessage {
	messages := numbered(from, to)
	for i := range messages {
		messages[i].Message = strings.Repeat("x", 2<<10) + messages[i].Message
	}
	return messages
}

// fillTranscript adds 100 bulky messages at a time, and checks the size.
func fillTranscript(t *testing.T, j *journal.Journal, tr *journal.Transcript, from, times int) {
	t.Helper()
	var before int64
	for i := range times {
		add(t, tr, journal.TranscriptLine{Messages: bulky(from+100*i, from+100*(i+1))})
		info, err := os.Stat(j.TranscriptPath(tr.ID()))
		if err != nil || info.Size() > budget {
			t.Fatalf("the file has %d KiB, %v", info.Size()>>10, err)
		}
		if info.Size() < before { // it was cut
			if summary, _ := readBack(t, j, tr.ID()); list(t, j)[0] != summary || summary.LeftOut == 0 {
				t.Errorf("listed as %+v, read as %+v", list(t, j)[0], summary)
			}
		}
		before = info.Size()
	}
}

// leftOut is how many messages the lines say are left out, and in how many places.
func leftOut(lines []journal.TranscriptLine) (count, places int) {
	for _, line := range lines {
		for _, m := range line.Messages {
			if m.LeftOut > 0 {
				count, places = count+m.LeftOut, places+1
			}
		}
	}
	return count, places
}

func TestATranscriptThatIsTooLongLacksItsMiddleAndSaysSo(t *testing.T) {
	t.Parallel()
	folder := place(t)
	j := within(t, folder)
	tr := transcript(t, j, theRun)
	start := adminapi.UpgradeMessage{Code: 2010, Message: theRun.Start, When: theRun.Began}
	add(t, tr, journal.TranscriptLine{State: "in_progress", Code: 1, Meaning: "in progress", Messages: []journal.TranscriptMessage{{UpgradeMessage: start, Nth: 1}}})
	fillTranscript(t, j, tr, 1, 4)
	add(t, tr, journal.TranscriptLine{State: "in_progress", Code: 1, Meaning: "in the middle", Stalled: 7, Ended: true}) // will be left out
	fillTranscript(t, j, tr, 401, 26)
	summary, lines := readBack(t, j, tr.ID())
	count, places := leftOut(lines)
	if places != 1 || summary.LeftOut != count || summary.Messages+count != 3001 || summary.Damaged != 0 {
		t.Errorf("%d left out in %d places; %+v", count, places, summary)
	}
	at := slices.IndexFunc(lines, func(l journal.TranscriptLine) bool { _, cut := leftOut([]journal.TranscriptLine{l}); return cut == 1 })
	if gap := lines[at]; gap.Code != 1 || gap.Meaning != "in the middle" || gap.Stalled != 7 || !gap.Ended || gap.Messages[0].When != lines[at+1].Messages[0].When-10 {
		t.Errorf("in place of the middle is %+v, before %d", gap, lines[at+1].Messages[0].When)
	}
	if first := lines[0].Messages[0]; first.Code != 2010 || lines[1].Messages[0].When != numbered(1, 2)[0].When {
		t.Errorf("it begins with %d", first.Code)
	}
	last := lines[len(lines)-1].Messages
	if last[len(last)-1].When != numbered(3000, 3001)[0].When {
		t.Error("the newest is not there")
	}
	if !summary.Ended || summary.Meaning != "in the middle" || !summary.Here {
		t.Errorf("what else was told is lost: %+v", summary)
	}
	if all := list(t, j); len(all) != 1 || all[0] != summary {
		t.Errorf("listed as %+v, read as %+v", all, summary)
	}
	// What this writer has stored it does not store again.
	add(t, tr, journal.TranscriptLine{Messages: bulky(1500, 1600)})
	if again, _ := readBack(t, j, tr.ID()); again != summary {
		t.Errorf("%+v after %+v", again, summary)
	}
}

func TestTwoWritersGoOnWithATranscriptThatOneHasCut(t *testing.T) {
	t.Parallel()
	folder := place(t)
	a, b := within(t, folder), within(t, folder)
	one, two := transcript(t, a, theRun), transcript(t, b, theRun)
	add(t, two, journal.TranscriptLine{State: "in_progress", Messages: numbered(0, 1)})
	fillTranscript(t, a, one, 1, 20)
	newest := bulky(2000, 2001)
	add(t, two, journal.TranscriptLine{Messages: append(newest, numbered(2001, 2003)...)})
	add(t, one, journal.TranscriptLine{State: "success", Meaning: "success", Ended: true, Messages: numbered(2001, 2004)})
	summary, lines := readBack(t, b, one.ID())
	if all := list(t, a); all[0] != summary || !summary.Ended || summary.Damaged != 0 {
		t.Errorf("listed %+v, read %+v", all, summary)
	}
	if count, _ := leftOut(lines); count != summary.LeftOut || summary.Messages+count != 2004 {
		t.Errorf("%d are left out; %+v", count, summary)
	}
	if texts := texts(lines[len(lines)-1:]); len(texts) != 1 || !strings.Contains(texts[0], "component-2003") {
		t.Errorf("the last line holds %.100q", texts)
	}
}

// What cannot be read was told by nobody, and is not counted as left out.
func TestADamagedLineIsNotCountedAmongWhatIsLeftOut(t *testing.T) {
	t.Parallel()
	folder := place(t)
	j := within(t, folder)
	tr := transcript(t, j, theRun)
	fillTranscript(t, j, tr, 0, 8)
	path := j.TranscriptPath(tr.ID())
	lines := strings.SplitAfter(contentOf(t, path), "\n")
	lines[4] = strings.TrimSuffix(lines[4], "}\n") + "!\n"
	put(t, path, strings.Join(lines, ""))
	next := within(t, folder)
	add(t, transcript(t, next, theRun), journal.TranscriptLine{Messages: bulky(800, 1000)})
	summary, _ := readBack(t, next, tr.ID())
	if all := list(t, next); summary.LeftOut == 0 || summary.Damaged != 0 || summary.Messages+summary.LeftOut != 900 || all[0] != summary {
		t.Errorf("read as %+v, listed as %+v", summary, all)
	}
}
