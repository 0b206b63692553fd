package rules

import (
	"slices"

	"geodeck/adminapi/placement"
	"geodeck/ui/views/services/edits"
)

func markOf(equal bool) edits.Mark {
	if equal {
		return edits.Same
	}
	return edits.Altered
}

// pairMark is the mark of an element that stands for one of the base, or for none.
func pairMark(pair int, equal func(pair int) bool) edits.Mark {
	if pair < 0 {
		return edits.Added
	}
	return markOf(equal(pair))
}

// shownMark is the mark of a row, and of what it hides where it is folded.
func (t *table) shownMark(i int, folded bool) edits.Mark {
	m := t.rows[i].mark
	if m != edits.Same || !folded {
		return m
	}
	for _, r := range t.rows[i:t.rows[i].end] {
		if r.mark != edits.Same {
			return edits.Holds
		}
	}
	return edits.Same
}

// termsBefore returns the terms that those of a kind are compared with: of the other
// kind where the affinity became another one.
func termsBefore(was placement.Item, now, kind placement.Kind) []placement.Term {
	if a := was.Affinity(kind); a.Present || now == placement.Both {
		return a.Terms
	}
	return was.Affinity(placement.Required + placement.Preferred - kind).Terms
}

func sameLine(a, b placement.Line) bool {
	return a.Key == b.Key && a.Operator == b.Operator && a.Field == b.Field && slices.Equal(a.Values, b.Values)
}

func sameTerm(a, b placement.Term) bool {
	return a.Weight == b.Weight && slices.EqualFunc(a.Lines, b.Lines, sameLine)
}

// maxPaired bounds the work of pairing what differs in the middle of two lists.
const maxPaired = 250_000

// paired returns for each element of a list the one of the list before that it stands
// for, -1 for a new one, and whether any of those before was removed. Equal ones are
// paired first, then what stands between them, in order.
func paired[T any](was, now []T, equal func(a, b T) bool) (pairs []int, removed bool) {
	pairs = make([]int, len(now))
	from := 0
	for from < min(len(was), len(now)) && equal(was[from], now[from]) {
		pairs[from] = from
		from++
	}
	oldEnd, end := len(was), len(now)
	for oldEnd > from && end > from && equal(was[oldEnd-1], now[end-1]) {
		oldEnd, end = oldEnd-1, end-1
		pairs[end] = oldEnd
	}
	anchors := longest(was[from:oldEnd], now[from:end], equal)
	old := from
	for i := from; i < end; {
		stop := i
		for stop < end && anchors[stop-from] < 0 {
			stop++
		}
		until := oldEnd
		if stop < end {
			until = from + anchors[stop-from]
		}
		for ; i < stop; i++ {
			pairs[i] = -1
			if old < until {
				pairs[i] = old
				old++
			}
		}
		removed = removed || old < until
		if stop < end {
			pairs[i], old = until, until+1
			i++
		}
	}
	return pairs, removed || old < oldEnd
}

// longest finds the longest row of equal elements that two lists share: for each of
// the second its partner, or -1.
func longest[T any](was, now []T, equal func(a, b T) bool) []int {
	partners := make([]int, len(now))
	for i := range partners {
		partners[i] = -1
	}
	if len(was) == 0 || len(now) == 0 || len(was)*len(now) > maxPaired {
		return partners
	}
	length := make([][]int32, len(was)+1)
	for i := range length {
		length[i] = make([]int32, len(now)+1)
	}
	for i := len(was) - 1; i >= 0; i-- {
		for k := len(now) - 1; k >= 0; k-- {
			length[i][k] = max(length[i+1][k], length[i][k+1])
			if equal(was[i], now[k]) {
				length[i][k] = length[i+1][k+1] + 1
			}
		}
	}
	for i, k := 0, 0; i < len(was) && k < len(now); {
		switch {
		case equal(was[i], now[k]):
			partners[k] = i
			i, k = i+1, k+1
		case length[i+1][k] >= length[i][k+1]:
			i++
		default:
			k++
		}
	}
	return partners
}
