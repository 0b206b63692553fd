package progress_test

import (
	"slices"
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/upgrade/progress"
)

// messageOf makes a message of a byte, so that equal ones and equal times are many.
func messageOf(b byte) adminapi.UpgradeMessage {
	return adminapi.UpgradeMessage{
		Code: []int{2010, 2101, 2173}[b%3], When: adminapi.Millis(b/3%16) - 2, Message: string(rune('a' + b/48%4)),
	}
}

// besideRule is a merger beside the rule that it follows.
type besideRule struct {
	merger *progress.Merger
	model  naive
	told   []adminapi.UpgradeMessage // by the reading so far
}

func (w *besideRule) read(t *testing.T, news []adminapi.UpgradeMessage, goesOn bool) {
	t.Helper()
	last := w.merger.Log()
	lastNames := namesOf(last)
	var added []progress.Message
	if goesOn {
		w.told = append(w.told, news...)
		added = w.merger.Extend(news)
	} else {
		w.told = slices.Clone(news)
		added = w.merger.Merge(news)
	}
	w.model.read(w.told)
	now := w.merger.Log()
	if got, want := namesOf(now), w.model.names(); !slices.Equal(got, want) {
		t.Fatalf("%q, want\n%q", got, want)
	}
	if now.Len() != last.Len()+len(added) || now.Extends(last) && !slices.Equal(namesOf(now)[:last.Len()], lastNames) || !slices.Equal(namesOf(last), lastNames) {
		t.Fatalf("%d of %d are said to be new, goes on %v:\n%q, before\n%q", len(added), now.Len(), now.Extends(last), namesOf(now), lastNames)
	}
	checkCopies(t, now)
}

// restart goes on with a new merger and what the last one has kept.
func (w *besideRule) restart() {
	var kept []progress.Message
	for i := range w.merger.Log().Len() {
		kept = append(kept, w.merger.Log().At(i))
	}
	w.merger, w.told = progress.NewMerger(progress.LogBudget), nil
	w.merger.Restore(kept)
	w.merger.Merge(nil) // what is told from here on is another reading
}

// FuzzReadings takes a byte for a message, or for the end of a reading: one of its
// own, one that goes on, or one after which the program starts again.
func FuzzReadings(f *testing.F) {
	f.Add([]byte{0, 3, 3, 6, 200, 3, 0, 3, 200, 9, 220, 240, 0, 3, 3, 3, 200})
	f.Add([]byte{9, 6, 3, 220, 6, 220, 240, 6, 220, 1, 6, 200})
	f.Fuzz(func(t *testing.T, ops []byte) {
		w := besideRule{merger: progress.NewMerger(progress.LogBudget), model: naive{most: map[string]int{}}}
		var news []adminapi.UpgradeMessage
		for _, op := range ops[:min(len(ops), 300)] {
			if op < 200 {
				news = append(news, messageOf(op))
				continue
			}
			w.read(t, news, op >= 220 && op < 240)
			news = nil
			if op >= 240 {
				w.restart()
			}
		}
	})
}
