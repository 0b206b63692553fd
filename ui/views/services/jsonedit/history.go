package jsonedit

import (
	"strings"

	"geodeck/adminapi/document"
)

// maxKept bounds the texts of steps that can be undone, in bytes.
const maxKept = 32 << 20

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

func (s *step) size() int { return len(s.old) + len(s.new) }

// history is the steps done, and behind them those undone.
type history struct {
	steps []step
	done  int
	kept  int // bytes
}

// add takes a new step, which nothing can be redone after.
func (h *history) add(s step) {
	for _, undone := range h.steps[h.done:] {
		h.kept -= undone.size()
	}
	h.steps = append(h.steps[:h.done], s)
	h.kept += s.size()
	for h.kept > maxKept && len(h.steps) > 1 {
		h.kept -= h.steps[0].size()
		h.steps = h.steps[1:]
	}
	h.done = len(h.steps)
}

// undo goes back by a step, and returns what that does to the text and where the cursor
// was before it.
func (h *history) undo() (s splice, cursor document.Path, ok bool) {
	if !h.undoable() {
		return splice{}, "", false
	}
	h.done--
	return h.steps[h.done].back(), h.steps[h.done].before, true
}

// redo makes the step again that was undone last.
func (h *history) redo() (s splice, cursor document.Path, ok bool) {
	if !h.redoable() {
		return splice{}, "", false
	}
	h.done++
	return h.steps[h.done-1].splice, h.steps[h.done-1].after, true
}

func (h *history) undoable() bool { return h.done > 0 }
func (h *history) redoable() bool { return h.done < len(h.steps) }
