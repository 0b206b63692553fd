package journal_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
)

var theRun = journal.TranscriptRun{
	Began: 1_700_000_000_000, Start: "The upgrade from 11.4 to 11.5 has started.", From: "11.4", To: "11.5", Here: true,
}

func transcript(t testing.TB, j *journal.Journal, of journal.TranscriptRun) *journal.Transcript {
	t.Helper()
	opened, err := j.OpenTranscript(of)
	if err != nil {
		t.Fatal(err)
	}
	return opened
}

func add(t testing.TB, to *journal.Transcript, line journal.TranscriptLine) {
	t.Helper()
	if err := to.Append(line); err != nil {
		t.Fatal(err)
	}
}

func readBack(t testing.TB, j *journal.Journal, id string) (journal.TranscriptSummary, []journal.TranscriptLine) {
	t.Helper()
	summary, lines, err := j.ReadTranscript(id)
	if err != nil {
		t.Fatal(err)
	}
	return summary, lines
}

// numbered returns messages that all differ.
func numbered(from, to int) []journal.TranscriptMessage {
	messages := make([]journal.TranscriptMessage, 0, to-from)
	for i := from; i < to; i++ {
		m := adminapi.UpgradeMessage{Code: 2038, Message: fmt.Sprintf("The deployment arcgis-component-%d is updated.", i), When: adminapi.Millis(1_700_000_000_000 + 10*i)}
		messages = append(messages, journal.TranscriptMessage{UpgradeMessage: m, Nth: 1})
	}
	return messages
}

func texts(lines []journal.TranscriptLine) (all []string) {
	for _, line := range lines {
		for _, m := range line.Messages {
			all = append(all, fmt.Sprintf("%d %d %s %d", m.Code, m.When, m.Message, m.Nth))
		}
	}
	return all
}

func list(t testing.TB, j *journal.Journal) []journal.TranscriptSummary {
	t.Helper()
	all, err := j.Transcripts()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestATranscriptGivesBackWhatWasKept(t *testing.T) {
	t.Parallel()
	j := open(t, place(t))
	tr := transcript(t, j, theRun)
	told := numbered(0, 3)
	told[1].Unknown = []byte(`{"nth":7,"severity":"info","more":{"code":1}}`)
	told[2] = told[0]
	told[2].Nth = 2
	lines := []journal.TranscriptLine{
		{State: "in_progress", Code: 1, Meaning: "in progress", Ahead: -90 * time.Minute, Messages: told},
		{Unreachable: "the connection was refused"},
		{Back: true, Messages: numbered(3, 5)},
		{State: "success", Code: 3, Meaning: "success", Ended: true, Messages: numbered(5, 6)},
	}
	for _, line := range lines {
		add(t, tr, line)
	}
	summary, back := readBack(t, open(t, strings.TrimSuffix(j.Folder(), "/"+lastPart(j.Folder()))), tr.ID())
	for i := range back {
		if back[i].Time.IsZero() {
			t.Errorf("line %d has no time", i)
		}
		back[i].Time = time.Time{}
	}
	if got, want := fmt.Sprintf("%+v", back), fmt.Sprintf("%+v", lines); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if summary.TranscriptRun != theRun || summary.Messages != 6 || summary.State != "success" || !summary.Ended || summary.Damaged != 0 {
		t.Errorf("summary: %+v", summary)
	}
	if all := list(t, j); len(all) != 1 || all[0] != summary {
		t.Errorf("listed as %+v, read as %+v", all, summary)
	}
}

func lastPart(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

func TestWhatTwoWritersSeeIsKeptOnce(t *testing.T) {
	t.Parallel()
	folder := place(t)
	a, b := open(t, folder), open(t, folder)
	first, second := transcript(t, a, theRun), transcript(t, b, theRun)
	add(t, first, journal.TranscriptLine{State: "in_progress", Meaning: "in progress", Messages: numbered(0, 2000)})
	add(t, second, journal.TranscriptLine{Messages: numbered(1000, 3000)})
	add(t, first, journal.TranscriptLine{Messages: numbered(2500, 3001)})
	summary, lines := readBack(t, a, first.ID())
	if want := texts([]journal.TranscriptLine{{Messages: numbered(0, 3001)}}); !slices.Equal(texts(lines), want) {
		t.Errorf("%d messages came back", len(texts(lines)))
	}
	if all := list(t, b); len(all) != 1 || all[0] != summary || summary.Messages != 3001 {
		t.Errorf("listed %+v, read %+v", all, summary)
	}
}

func TestARunIsOursIfAnyWriterHasStartedIt(t *testing.T) {
	t.Parallel()
	j := open(t, place(t))
	theirs := theRun
	theirs.Here = false
	tr := transcript(t, j, theirs)
	add(t, tr, journal.TranscriptLine{State: "in_progress", Messages: numbered(0, 1)})
	add(t, transcript(t, j, theRun), journal.TranscriptLine{Messages: numbered(1, 2)})
	add(t, tr, journal.TranscriptLine{Messages: numbered(2, 3)})
	if summary, _ := readBack(t, j, tr.ID()); !summary.Here || list(t, j)[0] != summary {
		t.Errorf("read %+v, listed %+v", summary, list(t, j))
	}
}

func TestARunOfWhichNothingIsToldHasATranscript(t *testing.T) {
	t.Parallel()
	j := open(t, place(t))
	before := transcript(t, j, theRun)
	add(t, before, journal.TranscriptLine{Ended: true})
	untold := transcript(t, j, journal.TranscriptRun{})
	add(t, untold, journal.TranscriptLine{State: "in_progress", Meaning: "in progress"})
	if again := transcript(t, j, list(t, j)[0].TranscriptRun); again.ID() != untold.ID() {
		t.Errorf("opened again it is %s, not %s", again.ID(), untold.ID())
	}
	add(t, untold, journal.TranscriptLine{State: "success", Meaning: "success", Ended: true})
	add(t, untold, journal.TranscriptLine{Unreachable: "it restarts"}) // its end stays seen
	later := transcript(t, j, journal.TranscriptRun{})
	if later.ID() == untold.ID() {
		t.Error("a run is taken for one that has ended")
	}
	told := transcript(t, j, journal.TranscriptRun{Began: theRun.Began + 1, Start: "start"})
	if all := list(t, j); !slices.Equal(ids(all), []string{told.ID(), later.ID(), untold.ID(), before.ID()}) {
		t.Errorf("order: %+v", all)
	}
	if next := transcript(t, j, journal.TranscriptRun{}); next.ID() == later.ID() {
		t.Error("a later run is taken for the one before")
	}
}

func ids(all []journal.TranscriptSummary) (names []string) {
	for _, s := range all {
		names = append(names, s.ID)
	}
	return names
}

func TestATranscriptCutAtEveryByteHarmsNothing(t *testing.T) {
	t.Parallel()
	folder := place(t)
	j := open(t, folder)
	tr := transcript(t, j, theRun)
	add(t, tr, journal.TranscriptLine{State: "in_progress", Meaning: "in progress", Messages: numbered(0, 2)})
	add(t, tr, journal.TranscriptLine{State: "success", Meaning: "success", Ended: true, Messages: numbered(2, 3)})
	path := j.TranscriptPath(tr.ID())
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	other := open(t, folder)
	for size := range len(whole) {
		if err := os.WriteFile(path, whole[:size], 0o600); err != nil {
			t.Fatal(err)
		}
		kept := strings.Count(string(whole[:size]), "\n")
		wantCut(t, j, tr.ID(), kept)
		again := transcript(t, other, theRun) // a writer that has seen nothing yet
		add(t, again, journal.TranscriptLine{Messages: numbered(0, 4)})
		summary, lines := readBack(t, j, tr.ID())
		if summary.Messages != 4 || len(texts(lines)) != 4 || summary.Damaged != 0 {
			t.Fatalf("cut at %d: %+v", size, summary)
		}
		if all := list(t, j); len(all) != 1 || all[0] != summary {
			t.Fatalf("cut at %d: listed %+v, read %+v", size, all, summary)
		}
	}
}

// wantCut checks a transcript of which only the first lines are whole.
func wantCut(t *testing.T, j *journal.Journal, id string, whole int) {
	t.Helper()
	all := list(t, j)
	if whole == 0 {
		if len(all) != 0 {
			t.Fatalf("listed without a head: %+v", all)
		}
		return
	}
	summary, lines := readBack(t, j, id)
	if len(lines) != whole-1 || len(all) != 1 || all[0] != summary || summary.Messages != []int{0, 2, 3}[whole-1] {
		t.Fatalf("with %d whole lines: %+v, listed %+v", whole, summary, all)
	}
}
