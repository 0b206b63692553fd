package jsonedit

import (
	"strings"

	"geodeck/adminapi/document"
)

// splice is what a step did to the text: at a byte, one text came for another.
type splice struct {
	at       int
	old, new string
}

// spliceOf finds the one place in which two texts differ.
func spliceOf(before, after string) splice {
	short := min(len(before), len(after))
	at := 0
	for at < short && before[at] == after[at] {
		at++
	}
	end := 0
	for end < short-at && before[len(before)-1-end] == after[len(after)-1-end] {
		end++
	}
	// Cloned: a part of a text would keep the whole of it in memory.
	return splice{at, strings.Clone(before[at : len(before)-end]), strings.Clone(after[at : len(after)-end])}
}

// back is the splice that undoes this one.
func (s splice) back() splice { return splice{s.at, s.new, s.old} }

func (s splice) apply(text string) string {
	return text[:s.at] + s.new + text[s.at+len(s.old):]
}

// carry returns where a byte of the text before stands after it, and false where it
// was replaced.
func (s splice) carry(place int) (int, bool) {
	switch {
	case place < s.at:
		return place, true
	case place >= s.at+len(s.old):
		return place + len(s.new) - len(s.old), true
	}
	return 0, false
}

// step is one change that can be undone.
type step struct {
	splice
	before, after document.Path // where the cursor was
}
