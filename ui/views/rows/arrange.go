package rows

import "strings"

// narrowing remembers which rows a filter found, so that one more typed
// character looks at those only.
type narrowing struct {
	needle string
	found  []bool // by row; nil where nothing is remembered
}

// arrange finds out which rows are visible and puts the cursor back on key.
func (l *List[K]) arrange(key K, had bool) {
	at := l.cursor
	l.visible = l.visible[:0]
	if l.source != nil {
		l.show(l.passing())
	}
	l.cursor = max(0, min(at, len(l.visible)-1))
	if had {
		l.find(key)
	}
	l.marks.ranging = false
	l.searchAgain()
	l.scroll()
}

// find puts the cursor on key, looking first where it was.
func (l *List[K]) find(key K) {
	if i, ok := l.Selected(); ok && l.source.Key(i) == key {
		return
	}
	for at, i := range l.visible {
		if l.source.Key(int(i)) == key {
			l.cursor = at
			return
		}
	}
}

// show appends the passing rows (all where passing is nil) that no folded row
// hides.
func (l *List[K]) show(passing []bool) {
	hidden := -1 // rows deeper than this are folded away; -1 for none
	for i := range l.source.Len() {
		if passing != nil && !passing[i] {
			continue
		}
		depth := l.source.Depth(i)
		if hidden >= 0 && depth > hidden {
			continue
		}
		hidden = -1
		l.visible = append(l.visible, int32(i))
		if len(l.folded) > 0 && l.folded[l.source.Key(i)] {
			hidden = depth
		}
	}
}

// passing tells for each row whether filter and keep let it through, nil where
// all pass. A leaf passes by itself or with a parent that the filter finds; a
// parent is there for its leaves.
func (l *List[K]) passing() []bool {
	if l.filter.empty() {
		l.narrow = narrowing{}
		if l.keep == nil {
			return nil
		}
	}
	found, invert := l.found()
	passes := make([]bool, l.source.Len())
	under := -1 // the depth of the found row whose children are looked at
	for i := range passes {
		depth := l.source.Depth(i)
		if depth <= under {
			under = -1
		}
		hit := found == nil || (found[i] || under >= 0) != invert
		if found != nil && found[i] && under < 0 {
			under = depth
		}
		passes[i] = l.leaf(i) && hit && (l.keep == nil || l.keep(i))
	}
	l.addParents(passes)
	return passes
}

// addParents lets every row through that has a passing one below it.
func (l *List[K]) addParents(passes []bool) {
	var below []bool // by depth: something passes between here and the next row of that depth
	for i := len(passes) - 1; i >= 0; i-- {
		depth := l.source.Depth(i)
		for len(below) <= depth+1 {
			below = append(below, false)
		}
		passes[i] = passes[i] || below[depth+1]
		below[depth+1] = false
		below[depth] = below[depth] || passes[i]
	}
}

// found tells for each row whether the filter finds it, nil without one, and
// whether the rows found are the ones to hide.
func (l *List[K]) found() (found []bool, invert bool) {
	finds, invert := l.finds()
	if finds == nil {
		return nil, false
	}
	needle, _ := l.filter.needle()
	earlier := l.narrow.found
	if earlier != nil && !strings.HasPrefix(needle, l.narrow.needle) {
		earlier = nil
	}
	found = make([]bool, l.source.Len())
	for i := range found {
		found[i] = (earlier == nil || earlier[i]) && finds(i)
	}
	if _, asks := l.source.(Asker); !asks {
		l.narrow = narrowing{needle, found}
	}
	return found, invert
}

// finds returns what tells whether the filter finds a row, nil without a filter,
// and whether such rows are the ones to hide.
func (l *List[K]) finds() (finds func(i int) bool, invert bool) {
	if l.filter.empty() {
		return nil, false
	}
	if asker, ok := l.source.(Asker); ok {
		return asker.Ask(l.filter.text), false
	}
	needle, invert := l.filter.needle()
	has := Finder(needle)
	return func(i int) bool { return l.source.Matches(i, has) }, invert
}

func (l *List[K]) leaf(i int) bool {
	return i+1 >= l.source.Len() || l.source.Depth(i+1) <= l.source.Depth(i)
}
