package rows

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

// maxInput bounds what can be typed or pasted into a filter or a search, in bytes.
const maxInput = 200

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
func (f *filter) passing(o *outline) []bool {
	f.first, f.passed, f.all = -1, 0, 0
	if f.empty() || o.source == nil {
		f.forget()
		if f.keep == nil {
			return nil
		}
	} else {
		f.find(o)
	}
	passes := make([]bool, o.len())
	for i := range passes {
		passes[i] = o.leaf(i) && f.lets(i)
	}
	counter, counts := o.source.(Counter)
	for i, below := range o.above(passes) {
		passes[i] = passes[i] || below
		if counts && counter.Counts(i) || !counts && o.leaf(i) {
			f.all++
			if passes[i] {
				f.passed++
			}
		}
		if passes[i] && f.first < 0 && f.hit(o, i) {
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
func (f *filter) hit(o *outline, i int) bool {
	if f.inverts() {
		return o.leaf(i)
	}
	return f.found != nil && f.found[i] && f.has[i] != 0
}

// find looks for the words in every row. One more character of a word checks only the rows
// that had it so far.
func (f *filter) find(o *outline) {
	words, invert := f.wanted()
	_, special := o.source.(Filterer)
	before, had := f.words, f.has
	if had == nil || special || f.similar {
		before = nil
	}
	f.has, f.words = make([]uint64, o.len()), words
	if special {
		f.words = nil
	}
	for _, f.similar = range []bool{false, true} {
		for w, finds := range f.finders(o.source, words) {
			bit := uint64(1) << w
			narrows := w < len(before) && strings.HasPrefix(words[w], before[w])
			same := narrows && words[w] == before[w]
			for i := range f.has {
				if (!narrows || had[i]&bit != 0) && (same || finds(i)) {
					f.has[i] |= bit
				}
			}
		}
		if f.together(o); special || invert || slices.Contains(f.found, true) {
			return
		}
		before = nil // what is similar is looked for in all
	}
}

// together finds the rows that have all words with the rows above them.
func (f *filter) together(o *outline) {
	every := uint64(1)<<max(1, len(f.words)) - 1
	f.found = make([]bool, len(f.has))
	var above []uint64 // by depth, what the rows above have
	for i, has := range f.has {
		depth := min(o.source.Depth(i), len(above))
		if depth > 0 {
			has |= above[depth-1]
		}
		above = append(above[:depth], has)
		f.found[i] = has == every
	}
}

// finders return for each word what reports whether a row has it.
func (f *filter) finders(source Content, words []string) []func(i int) bool {
	if special, ok := source.(Filterer); ok {
		return []func(int) bool{special.Filter(f.text)}
	}
	find := Finder
	if f.similar {
		find = similar
	}
	finds := make([]func(int) bool, len(words))
	for w, word := range words {
		has := find(word)
		finds[w] = func(i int) bool { return source.Matches(i, has) }
	}
	return finds
}

// grow appends to visible the rows of a list from one on that pass.
func (f *filter) grow(visible []int32, source Content, from int) []int32 {
	var finds []func(int) bool
	if f.found != nil {
		words, _ := f.wanted()
		finds = f.finders(source, words)
	}
	for i := from; i < source.Len(); i++ {
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
func (l *list) Filter() string { return l.filter.text }

// SetFilter filters by a text; an empty one shows all rows.
func (l *list) SetFilter(text string) {
	l.filter.set(text)
	l.filtered()
}

// filtered shows what the filter finds: what hides it is unfolded until the filter changes,
// and the cursor goes to the first row that is found.
func (l *list) filtered() {
	l.keys.refold()
	i, had := l.Selected()
	switch {
	case had && l.filter.empty():
		l.unfoldAbove(i)
	case l.keys.folding():
		hits := l.filter.passing(&l.outline)
		for i := range hits {
			hits[i] = hits[i] && l.filter.hit(&l.outline, i)
		}
		for i, below := range l.above(hits) {
			if below && l.keys.folded(i) {
				l.keys.open(i)
			}
		}
	}
	if l.arrange(); l.filter.first >= 0 {
		l.goToRow(l.filter.first)
	}
	l.show(l.cursor)
}

// StartFilter starts typing a filter.
func (l *list) StartFilter() {
	l.filter.typing, l.search.typing, l.opened = true, false, true
	l.show(l.cursor)
}

// input is a text typed by the user.
type input struct {
	text   string
	typing bool
}

// used reports whether there is a text, or one is being typed.
func (in *input) used() bool { return in.typing || in.text != "" }

const (
	keepID  = "filter.keep"
	clearID = "filter.clear"
)

// commands are the keys of the line; every other key is text.
func (in *input) commands() []views.Command {
	return []views.Command{
		{ID: keepID, Binding: views.Key("keep", "enter"), Run: views.Call(func() { in.typing = false }),
			Help: "Keeps the filter and goes back to the rows."},
		{ID: clearID, Binding: views.Key("clear", "esc"), Run: views.Call(func() { *in = input{} }),
			Help: "Clears the filter."},
		{ID: "filter.back", Binding: views.Key("", "backspace"), Run: views.Call(in.backspace),
			Help: "Delete the last character; on an empty line, go back to the rows."},
		{ID: "filter.empty", Binding: views.Key("", "ctrl+u"), Run: views.Call(func() { in.text = "" }),
			Help: "Empties the line."},
		{ID: "filter.word", Binding: views.Key("", "ctrl+w"), Run: views.Call(in.deleteWord),
			Help: "Delete the last word."},
	}
}

func (in *input) set(text string) {
	in.text = ""
	in.add(text)
}

func (in *input) add(text string) {
	in.text += plain.Line(text)
	for len(in.text) > maxInput {
		in.backspace()
	}
}

// backspace on an empty text ends typing, as in vi.
func (in *input) backspace() {
	if in.text == "" {
		in.typing = false
		return
	}
	_, size := utf8.DecodeLastRuneInString(in.text)
	in.text = in.text[:len(in.text)-size]
}

func (in *input) deleteWord() {
	text := strings.TrimRightFunc(in.text, unicode.IsSpace)
	in.text = text[:strings.LastIndexFunc(text, unicode.IsSpace)+1]
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
