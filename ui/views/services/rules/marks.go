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
	pairs = equalPairs(was, now, equal)
	for i, old := 0, 0; i <= len(now); {
		until, stop := len(was), i // the next equal pair, or the ends
		for stop < len(now) && pairs[stop] < 0 {
			stop++
		}
		if stop < len(now) {
			until = pairs[stop]
		}
		for ; i < stop && old < until; i, old = i+1, old+1 {
			pairs[i] = old
		}
		removed = removed || old < until
		i, old = stop+1, until+1
	}
	return pairs, removed
}

// equalPairs finds the longest row of equal elements that two lists share: for each of
// the second its partner, or -1.
func equalPairs[T any](was, now []T, equal func(a, b T) bool) []int {
	partners := slices.Repeat([]int{-1}, len(now))
	from, oldEnd, end := 0, len(was), len(now)
	for ; from < min(oldEnd, end) && equal(was[from], now[from]); from++ {
		partners[from] = from
	}
	for oldEnd > from && end > from && equal(was[oldEnd-1], now[end-1]) {
		oldEnd, end = oldEnd-1, end-1
		partners[end] = oldEnd
	}
	was, now = was[from:oldEnd], now[from:end]
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
			partners[from+k] = from + i
			i, k = i+1, k+1
		case length[i+1][k] >= length[i][k+1]:
			i++
		default:
			k++
		}
	}
	return partners
}
