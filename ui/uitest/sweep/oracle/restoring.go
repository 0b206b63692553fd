package oracle

import (
	"fmt"
	"slices"
	"time"
)

// Restorable is what can be restored at the end of a day.
type Restorable struct {
	Day    *Day
	Has    map[string][]string  // the versions that are in the history of a document, by its path
	Lost   map[string]time.Time // when the disk has lost what was kept
	Spoilt map[string]bool      // what it has made of that
}

// Restores judges what can be restored.
func (d *Day) Restores(r Restorable) {
	r.Day = d
	judge(d, atRestoring, r)
}

var atRestoring = []rule[Restorable]{
	{"what an edit has replaced can be restored", replacedIsThere},
	{"what the disk has made of a backup is not restored", spoiltIsNot},
}

// replacedIsThere wants what each edit has replaced to be in the history, byte for byte, unless the disk has lost it since.
func replacedIsThere(r Restorable) (judged int, wrong []string) {
	for _, w := range r.Day.sent(func(w *Write) bool { return w.document() != "" && w.Base != "" }) {
		versions, looked := r.Has[w.document()]
		if !looked || r.Lost[w.Base].After(w.At) {
			continue
		}
		if judged++; !slices.Contains(versions, w.Base) {
			wrong = append(wrong, fmt.Sprintf("what POST %s of %s has replaced is in none of the %d versions of its history", w.Path, w.Program, len(versions)))
		}
	}
	return judged, wrong
}

func spoiltIsNot(r Restorable) (judged int, wrong []string) {
	for where, versions := range r.Has {
		for _, text := range versions {
			if r.Spoilt[text] {
				wrong = append(wrong, fmt.Sprintf("a version of %s in its history is what the disk has made of it: %.80q", where, text))
			}
		}
	}
	return len(r.Spoilt), wrong
}
