package rules

import "geodeck/adminapi/placement"

// maxSteps bounds the steps that can be undone: policies share their texts, but each has
// its own tables of what it holds.
const maxSteps = 1000

// step is one change that can be undone.
type step struct {
	before, after placement.Policy
	from, to      rowKey // where the cursor was
	moved         termMove
}

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
