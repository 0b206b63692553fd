package rules

import (
	"bytes"

	"geodeck/adminapi/placement"
	"geodeck/adminapi/plain"
)

// What is kept of steps that can be undone: policies share their texts, but each has
// its own tables of what it holds.
const (
	mostSteps = 1000
	mostKept  = 32 << 20 // bytes of JSON
)

// step is one change that can be undone.
type step struct {
	before, after placement.Policy
	from, to      rowKey // where the cursor was
	shift         shift
	size          int // bytes of the JSON
}

// history is the steps done, and behind them those undone.
type history struct {
	steps []step
	done  int
	kept  int // bytes of JSON
}

// add takes a new step, which nothing can be redone after.
func (h *history) add(s step) {
	for _, undone := range h.steps[h.done:] {
		h.kept -= undone.size
	}
	h.steps = append(h.steps[:h.done], s)
	h.kept += s.size
	for len(h.steps) > 1 && (len(h.steps) > mostSteps || h.kept > mostKept) {
		h.kept -= h.steps[0].size
		h.steps = h.steps[1:]
	}
	h.done = len(h.steps)
}

// change makes an edited policy the present one, as a step, with the cursor on a row.
// It tells whether anything is different.
func (b *Builder) change(p placement.Policy, to rowKey) bool { return b.changeTerms(p, to, shift{}) }

// changeTerms is change where terms went elsewhere.
func (b *Builder) changeTerms(p placement.Policy, to rowKey, s shift) bool {
	if bytes.Equal(p.Bytes(), b.text) {
		b.note = "Nothing is different."
		return false
	}
	from := b.cursor()
	before := b.policy
	b.policy = p
	b.refold(s)
	b.edited()
	b.goTo(to)
	b.history.add(step{before, p, from, b.cursor(), s, len(b.text)})
	return true
}

func (h *history) undoable() bool { return h.done > 0 }
func (h *history) redoable() bool { return h.done < len(h.steps) }

func (b *Builder) undo() {
	if !b.history.undoable() {
		b.note = "There is nothing to undo."
		return
	}
	b.history.done--
	s := b.history.steps[b.history.done]
	b.repeat(s.before, s.from, s.shift.back())
	if b.note = "Undone; nothing more to undo."; b.history.done > 0 {
		b.note = "Undone; " + plain.Plural(b.history.done, "earlier change") + " can be undone as well."
	}
}

func (b *Builder) redo() {
	if !b.history.redoable() {
		b.note = "There is nothing to do again."
		return
	}
	s := b.history.steps[b.history.done]
	b.history.done++
	b.repeat(s.after, s.to, s.shift)
	if b.note = "Done again; nothing more to redo."; b.history.done < len(b.history.steps) {
		b.note = "Done again; ctrl+r makes the next change again."
	}
}

func (b *Builder) repeat(p placement.Policy, cursor rowKey, s shift) {
	b.policy = p
	b.refold(s)
	b.edited()
	b.goTo(cursor)
}
