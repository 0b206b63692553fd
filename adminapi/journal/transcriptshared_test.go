package journal_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"geodeck/adminapi/journal"
)

// Roles of the test binary as another program that watches the same run.
const (
	watchBriefly   = "transcript of 60 readings"
	watchUntilDead = "transcript until killed"
	watchOnFull    = "transcript on a full disk"
)

var transcriptRoles = map[string]func(folder string) int{
	watchBriefly:   func(folder string) int { return watch(folder, 60, 1) },
	watchUntilDead: func(folder string) int { return watch(folder, 1<<30, 1500) },
	watchOnFull:    watchUntilFull,
}

// watch writes lines of so many new messages each, and prints how many messages are on
// disk.
func watch(folder string, readings, each int) int {
	tr, err := watched(folder)
	for i := 0; err == nil && i < readings; i++ {
		if err = tr.Append(journal.TranscriptLine{Messages: numbered(i*each, (i+1)*each)}); err == nil {
			fmt.Println((i + 1) * each)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func watched(folder string) (*journal.Transcript, error) {
	j, err := journal.Open(folder, site)
	if err != nil {
		return nil, err
	}
	return j.OpenTranscript(theRun)
}

// watchUntilFull ends well if it is told in a sentence that nothing can be kept,
// and if small lines still fit after a long one did not.
func watchUntilFull(folder string) int {
	err := fillable()
	var tr *journal.Transcript
	if err == nil {
		tr, err = watched(folder)
	}
	if err == nil {
		err = tr.Append(journal.TranscriptLine{Messages: numbered(0, 3)})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	err = tr.Append(journal.TranscriptLine{State: "success", Ended: true, Messages: numbered(3, 3000)})
	if err == nil || !strings.Contains(err.Error(), "file size limit") {
		fmt.Fprintln(os.Stderr, "told:", err)
		return 1
	}
	if err := tr.Append(journal.TranscriptLine{Messages: numbered(3, 5)}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func wantNumbered(t *testing.T, j *journal.Journal, id string, count int) {
	t.Helper()
	summary, lines := readBack(t, j, id)
	got := texts(lines)
	if slices.Sort(got); len(got) != len(slices.Compact(slices.Clone(got))) {
		t.Error("a message came twice")
	}
	want := texts([]journal.TranscriptLine{{Messages: numbered(0, count)}})
	if slices.Sort(want); !slices.Equal(got, want) || summary.Messages != count || summary.Damaged != 0 {
		t.Errorf("got %d messages, want %d; %+v", len(got), count, summary)
	}
	if all := list(t, j); len(all) != 1 || all[0] != summary {
		t.Errorf("listed %+v, read %+v", all, summary)
	}
}

func TestTwoProgramsWriteOneTranscript(t *testing.T) {
	t.Parallel()
	folder := place(t)
	runTwice(t, watchBriefly, folder)
	j := open(t, folder)
	wantNumbered(t, j, transcript(t, j, theRun).ID(), 60)
}

func TestAKilledWatchHasStoredWhatItReported(t *testing.T) {
	t.Parallel()
	for readings := range 4 {
		folder := place(t)
		p, lines := startProgram(t, watchUntilDead, folder)
		told := 0
		for told < 1500*(readings+1) && lines.Scan() {
			if _, err := fmt.Sscan(lines.Text(), &told); err != nil {
				t.Error(err)
			}
		}
		if err := p.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = p.Wait()
		j := open(t, folder)
		tr := transcript(t, j, theRun)
		summary, _ := readBack(t, j, tr.ID())
		if summary.Messages < told || told == 0 || summary.Damaged != 0 {
			t.Fatalf("%d messages were told to be kept: %+v", told, summary)
		}
		add(t, tr, journal.TranscriptLine{Messages: numbered(0, summary.Messages+10)})
		wantNumbered(t, j, tr.ID(), summary.Messages+10)
	}
}

func TestALineThatDoesNotFitIsRemovedWhole(t *testing.T) {
	t.Parallel()
	folder := place(t)
	if err := program(t, watchOnFull, folder).Run(); err != nil {
		t.Fatal(err)
	}
	j := open(t, folder)
	wantNumbered(t, j, transcript(t, j, theRun).ID(), 5)
	if list(t, j)[0].Ended {
		t.Error("an end that was not kept is told")
	}
}

func TestATranscriptIsReadWhileOthersWriteIt(t *testing.T) {
	t.Parallel()
	folder := place(t)
	readers := open(t, folder)
	id := transcript(t, readers, theRun).ID()
	var writers sync.WaitGroup
	for range 3 {
		tr := transcript(t, open(t, folder), theRun)
		writers.Go(func() {
			for i := range 30 {
				if err := tr.Append(journal.TranscriptLine{Messages: numbered(i*40, i*40+60)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done := make(chan struct{})
	go func() { writers.Wait(); close(done) }()
	for before := 0; ; {
		summary, lines := readBack(t, readers, id)
		if n := len(texts(lines)); n < before || n != summary.Messages || summary.Damaged != 0 {
			t.Fatalf("%d messages after %d: %+v", n, before, summary)
		}
		before = summary.Messages
		select {
		case <-done:
			wantNumbered(t, readers, id, 29*40+60)
			return
		default:
		}
	}
}
