package rows

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// filter decides which rows pass: by words that the user types, and by what the caller
// lets through.
type filter struct {
	input
	keep func(i int) bool // nil for all

	words   []string // what is looked for; nil where the source filters by itself
	has     []uint64 // by row, a bit for each word that its own texts have; nil without words
	similar bool     // no row has the words: those with their letters in order are found
	found   []bool   // by row: it has all words, itself or by the rows above it

	first       int // the first row found that passes, -1 for none
	passed, all int // of the rows that count
}

// maxWords is how many words a filter looks for: each is a bit.
const maxWords = 64

// wanted returns the words that a row must have to pass, or, inverted, not to.
func (f *filter) wanted() (words []string, invert bool) {
	text, invert := strings.CutPrefix(strings.ToLower(f.text), "!")
	words = strings.Fields(text)
	return words[:min(len(words), maxWords)], invert
}

// empty reports whether every row passes the text.
func (f *filter) empty() bool {
	words, _ := f.wanted()
	return len(words) == 0
}

// forget clears what was found: the rows have changed.
func (f *filter) forget() { f.words, f.has, f.found, f.similar = nil, nil, nil, false }

// passing reports for each row whether it passes, nil where all do. A leaf passes if it and
// the rows above it have the words; a parent is there for its leaves.
func (f *filter) passing(rows Content) []bool {
	f.first, f.passed, f.all = -1, 0, 0
	switch {
	case rows != nil && !f.empty():
		f.find(rows)
	case rows == nil || f.keep == nil:
		f.forget()
		return nil
	default:
		f.forget()
	}
	passes := make([]bool, rows.Len())
	for i := range passes {
		passes[i] = leaf(rows, i) && f.lets(i)
	}
	counter, counts := rows.(Counter)
	for i, below := range above(rows, passes) {
		passes[i] = passes[i] || below
		if counts && counter.Counts(i) || !counts && leaf(rows, i) {
			f.all++
			if passes[i] {
				f.passed++
			}
		}
		if passes[i] && f.first < 0 && f.hit(rows, i) {
			f.first = i
		}
	}
	return passes
}

// lets reports whether a leaf passes.
func (f *filter) lets(i int) bool {
	return (f.found == nil || f.found[i] != f.inverts()) && (f.keep == nil || f.keep(i))
}

// inverts reports whether the rows found are the ones to hide.
func (f *filter) inverts() bool { return f.words != nil && strings.HasPrefix(f.text, "!") }

// hit reports whether a row that passes is what the text is meant to find, not only a
// parent or a child of that.
func (f *filter) hit(rows Content, i int) bool {
	if f.inverts() {
		return leaf(rows, i)
	}
	return f.found != nil && f.found[i] && f.has[i] != 0
}

// find looks for the words in every row. One more character of a word checks only the rows
// that had it so far.
func (f *filter) find(rows Content) {
	words, invert := f.wanted()
	_, special := rows.(Filterer)
	before, had := f.words, f.has
	if had == nil || special || f.similar {
		before = nil
	}
	f.has, f.words = make([]uint64, rows.Len()), words
	if special {
		f.words = nil
	}
	for _, f.similar = range []bool{false, true} {
		for w, finds := range f.finders(rows, words) {
			bit := uint64(1) << w
			narrows := w < len(before) && strings.HasPrefix(words[w], before[w])
			same := narrows && words[w] == before[w]
			for i := range f.has {
				if (!narrows || had[i]&bit != 0) && (same || finds(i)) {
					f.has[i] |= bit
				}
			}
		}
		if f.together(rows); special || invert || slices.Contains(f.found, true) {
			return
		}
		before = nil // what is similar is looked for in all
	}
}

// together finds the rows that have all words with the rows above them.
func (f *filter) together(rows Content) {
	every := uint64(1)<<max(1, len(f.words)) - 1
	f.found = make([]bool, len(f.has))
	var above []uint64 // by depth, what the rows above have
	for i, has := range f.has {
		depth := min(rows.Depth(i), len(above))
		if depth > 0 {
			has |= above[depth-1]
		}
		above = append(above[:depth], has)
		f.found[i] = has == every
	}
}

// finders return for each word what reports whether a row has it.
func (f *filter) finders(rows Content, words []string) []func(i int) bool {
	if special, ok := rows.(Filterer); ok {
		return []func(int) bool{special.Filter(f.text)}
	}
	find := Finder
	if f.similar {
		find = similar
	}
	finds := make([]func(int) bool, len(words))
	for w, word := range words {
		has := find(word)
		finds[w] = func(i int) bool { return rows.Matches(i, has) }
	}
	return finds
}

// grow appends to visible the rows of a list from one on that pass.
func (f *filter) grow(visible []int32, rows Content, from int) []int32 {
	var finds []func(int) bool
	if f.found != nil {
		words, _ := f.wanted()
		finds = f.finders(rows, words)
	}
	for i := from; i < rows.Len(); i++ {
		if finds != nil {
			has := uint64(0)
			for w := range finds {
				if finds[w](i) {
					has |= 1 << w
				}
			}
			f.has, f.found = append(f.has, has), append(f.found, has == uint64(1)<<len(finds)-1)
		}
		f.all++
		if f.lets(i) {
			visible = append(visible, int32(i))
			f.passed++
		}
	}
	return visible
}

// similar returns a function that reports whether a text has the letters of a word, which
// is in lower case, in their order and close together.
func similar(word string) func(string) bool {
	const spread = 3 // the text may be that many times longer
	return func(text string) bool {
		text = strings.ToLower(text)
		for {
			at := strings.IndexByte(text, word[0])
			if at < 0 {
				return false
			}
			text = text[at+1:]
			rest := word[1:]
			for i := 0; i < min(len(text), spread*len(word)-1) && rest != ""; i++ {
				if text[i] == rest[0] {
					rest = rest[1:]
				}
			}
			if rest == "" {
				return true
			}
		}
	}
}

// Filter returns the text that rows are filtered by.
func (l *List[K]) Filter() string { return l.line.filter.text }

// SetFilter filters by a text; an empty one shows all rows.
func (l *List[K]) SetFilter(text string) {
	l.line.filter.set(text)
	l.filtered()
}

// StartFilter starts typing a filter.
func (l *List[K]) StartFilter() {
	l.line.startFilter()
	l.show(l.view.cursor)
}

// filtered shows what the filter finds: what hides it is unfolded until the filter changes,
// and the cursor goes to the first row that is found.
func (l *List[K]) filtered() {
	l.tree.refold()
	f := &l.line.filter
	i, had := l.Selected()
	switch {
	case had && f.empty():
		l.tree.unfoldAbove(i)
	case len(l.tree.folds) > 0:
		hits := f.passing(l.tree.source)
		for i := range hits {
			hits[i] = hits[i] && f.hit(l.tree.source, i)
		}
		l.tree.open(hits)
	}
	if l.arrange(); f.first >= 0 {
		l.view.goToRow(f.first)
	}
	l.show(l.view.cursor)
}

// Finder returns a function that reports whether a text holds needle, which is in lower
// case; capitals of the text do not matter. ASCII texts are compared in place: a filter
// looks at every row.
func Finder(needle string) func(string) bool {
	if needle == "" {
		return func(string) bool { return true }
	}
	return func(text string) bool {
		if !isASCII(text) {
			return strings.Contains(strings.ToLower(text), needle)
		}
		for len(text) >= len(needle) {
			at := indexFold(text, needle[0])
			switch {
			case at < 0:
				return false
			case len(text)-at >= len(needle) && strings.EqualFold(text[at:at+len(needle)], needle):
				return true
			}
			text = text[at+1:]
		}
		return false
	}
}

// indexFold returns the index of a small letter, or its capital, in a text.
func indexFold(text string, letter byte) int {
	at := strings.IndexByte(text, letter)
	if letter < 'a' || letter > 'z' {
		return at
	}
	if at >= 0 {
		text = text[:at]
	}
	if capital := strings.IndexByte(text, letter-'a'+'A'); capital >= 0 {
		return capital
	}
	return at
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
