package placement

import "slices"

// maxPaired bounds the work of pairing what differs in the middle of two lists.
const maxPaired = 250_000

// Pairs returns for each element of a list its partner in the list before, -1 for a new
// one, and whether any of those before was removed. Equal ones are paired first, then
// those between them, in order.
func Pairs[T any](was, now []T, equal func(a, b T) bool) (pairs []int, removed bool) {
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

// Same reports whether two lines ask for the same in the same words.
func (l Line) Same(other Line) bool {
	return l.Key == other.Key && l.Operator == other.Operator && l.Field == other.Field && slices.Equal(l.Values, other.Values)
}

// Same reports whether two terms ask for the same in the same words and order.
func (t Term) Same(other Term) bool {
	return t.Weight == other.Weight && slices.EqualFunc(t.Lines, other.Lines, Line.Same)
}

// Counterpart finds in a policy what an item of another version of it is compared with: the
// one with its id, else the one at its place.
func (p Policy) Counterpart(i Item, place int) (index int, found bool) {
	id := i.DeploymentID
	at := slices.IndexFunc(p.items, func(other Item) bool { return other.DeploymentID == id })
	switch {
	case id != "" && at >= 0:
		return at, true
	case place < len(p.items) && (id == "" || p.items[place].DeploymentID == ""):
		return place, true
	}
	return 0, false
}
