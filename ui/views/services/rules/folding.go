package rules

import "geodeck/adminapi/placement"

// shift says which term of an affinity went where: rows know terms by their place, and
// what is folded goes along with them. The zero one is none.
type shift struct {
	kind     placement.Kind
	item     int
	from, to int // nowhere before it was added, and after it was taken away
}

const nowhere = -1

// shiftOf is the shift of what is at a place: only terms have something to fold.
func shiftOf(at placement.Place, from, to int) shift {
	if at.Part != placement.TermPart {
		return shift{}
	}
	return shift{at.Kind, at.Item, from, to}
}

// back undoes it.
func (s shift) back() shift {
	s.from, s.to = s.to, s.from
	return s
}

// term is where a term stands afterwards.
func (s shift) term(n int) int {
	if n == s.from {
		return s.to
	}
	if s.from != nowhere && n > s.from {
		n--
	}
	if s.to != nowhere && n >= s.to {
		n++
	}
	return n
}

// refold lets what is folded go along with its terms. It is shown with the next rows.
func (b *Builder) refold(s shift) {
	if s.kind == placement.None {
		return
	}
	var moved []rowKey
	for key := range b.folded {
		if key.part != termRow || key.at.Item != s.item || key.at.Kind != s.kind {
			continue
		}
		delete(b.folded, key)
		if key.at.Term = s.term(key.at.Term); key.at.Term != nowhere {
			moved = append(moved, key)
		}
	}
	for _, key := range moved {
		b.folded[key] = true
	}
}
