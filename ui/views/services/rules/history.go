package rules

import "geodeck/adminapi/placement"

// What is held of steps that can be undone: policies share their texts, but each has
// its own tables of what it holds.
const (
	maxSteps = 1000
	maxBytes = 32 << 20 // of JSON
)

// step is one change that can be undone.
type step struct {
	before, after placement.Policy
	from, to      rowKey // where the cursor was
	moved         termMove
	size          int // bytes of the JSON
}

// history is the steps done, and behind them those undone.
type history struct {
	steps []step
	done  int
	bytes int // of JSON
}

// add takes a new step, which nothing can be redone after.
func (h *history) add(s step) {
	for _, undone := range h.steps[h.done:] {
		h.bytes -= undone.size
	}
	h.steps = append(h.steps[:h.done], s)
	h.bytes += s.size
	for len(h.steps) > 1 && (len(h.steps) > maxSteps || h.bytes > maxBytes) {
		h.bytes -= h.steps[0].size
		h.steps = h.steps[1:]
	}
	h.done = len(h.steps)
}

func (h *history) undoable() bool { return h.done > 0 }
func (h *history) redoable() bool { return h.done < len(h.steps) }

// termMove says which term of an affinity went where: rows know terms by their place,
// and what is folded goes along with them. The zero one is none.
type termMove struct {
	kind     placement.Kind
	item     int
	from, to int // nowhere before it was added, and after it was taken away
}

const nowhere = -1

// moveOf is the move of what is at a place: only terms have something to fold.
func moveOf(at placement.Place, from, to int) termMove {
	if at.Part != placement.TermPart {
		return termMove{}
	}
	return termMove{at.Kind, at.Item, from, to}
}

// back undoes it.
func (m termMove) back() termMove {
	m.from, m.to = m.to, m.from
	return m
}

// term is where a term stands afterwards.
func (m termMove) term(n int) int {
	if n == m.from {
		return m.to
	}
	if m.from != nowhere && n > m.from {
		n--
	}
	if m.to != nowhere && n >= m.to {
		n++
	}
	return n
}
