package journal_test

import (
	"fmt"
	"strings"
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
)

// benchJournal keeps its files in memory where the machine can, so that what is
// measured is not the disk.
func benchJournal(b *testing.B) *journal.Journal {
	b.Helper()
	j, err := journal.Open(b.TempDir()+"/geodeck", site)
	if err != nil {
		b.Fatal(err)
	}
	return j
}

func BenchmarkAppendOneMessage(b *testing.B) {
	for _, there := range []int{1_000, 100_000} {
		b.Run(fmt.Sprintf("behind %d", there), func(b *testing.B) {
			tr := transcript(b, benchJournal(b), theRun)
			add(b, tr, journal.TranscriptLine{Messages: numbered(0, there)})
			for b.Loop() {
				there++
				add(b, tr, journal.TranscriptLine{Messages: numbered(there, there+1)})
			}
		})
	}
}

func BenchmarkAppendMany(b *testing.B) {
	for _, count := range []int{1_000, 100_000} {
		b.Run(fmt.Sprint(count), func(b *testing.B) {
			j, messages := benchJournal(b), numbered(0, count)
			began := theRun.Began
			for b.Loop() {
				began++
				tr := transcript(b, j, journal.TranscriptRun{Began: began})
				add(b, tr, journal.TranscriptLine{Messages: messages})
			}
		})
	}
}

func BenchmarkAppendManyThatLookSecret(b *testing.B) {
	j, messages, began := benchJournal(b), numbered(0, 10_000), theRun.Began
	for i := range messages {
		messages[i].Message += ` token=abc {"password":"x"}`
		messages[i].Unknown = []byte(`{"secret":"s","more":[1,2,"token=5"]}`)
	}
	for b.Loop() {
		began++
		add(b, transcript(b, j, journal.TranscriptRun{Began: began}), journal.TranscriptLine{Messages: messages})
	}
}

func BenchmarkReadTranscript(b *testing.B) {
	for _, count := range []int{1_000, 100_000} {
		b.Run(fmt.Sprint(count), func(b *testing.B) {
			j := benchJournal(b)
			tr := transcript(b, j, theRun)
			add(b, tr, journal.TranscriptLine{Messages: numbered(0, count)})
			b.ReportAllocs()
			for b.Loop() {
				readBack(b, j, tr.ID())
			}
		})
	}
}

func BenchmarkListOf100LongTranscripts(b *testing.B) {
	j := benchJournal(b)
	long := numbered(0, 2000)
	for i := range long {
		long[i].Message += strings.Repeat(" and more", 50)
	}
	for i := range 100 {
		of := theRun
		of.Began += adminapi.Millis(i)
		add(b, transcript(b, j, of), journal.TranscriptLine{State: "in_progress", Messages: long})
	}
	for b.Loop() {
		if all := list(b, j); len(all) != 100 {
			b.Fatal(len(all))
		}
	}
}
