package rows

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

// maxInput bounds what can be typed or pasted into a filter or a search, in bytes.
const maxInput = 200

// filter decides which rows pass: by a text that the user types, and by what the caller
// lets through.
type filter struct {
	input
	keep func(i int) bool // nil for all

	// What the text found, by row, so that one more typed character checks only those;
	// nil where nothing is remembered.
	found  []bool
	needle string // what was found
}

// empty reports whether every row passes the text.
func (f *filter) empty() bool { return f.text == "" || f.text == "!" }

// forget clears what was found: the rows have changed.
func (f *filter) forget() { f.found, f.needle = nil, "" }

// passing reports for each row whether it passes, nil where all do. A leaf passes by
// itself or with a parent that the text finds; a parent is there for its leaves.
func (f *filter) passing(o *outline) []bool {
	if f.empty() {
		f.forget()
		if f.keep == nil {
			return nil
		}
	}
	found, invert := f.find(o.source)
	passes := make([]bool, o.len())
	under := -1 // the depth of the found row whose children are looked at
	for i := range passes {
		depth := o.source.Depth(i)
		if depth <= under {
			under = -1
		}
		hit := found == nil || (found[i] || under >= 0) != invert
		if found != nil && found[i] && under < 0 {
			under = depth
		}
		passes[i] = o.leaf(i) && hit && (f.keep == nil || f.keep(i))
	}
	o.addParents(passes)
	return passes
}

// grow appends to visible the rows of a list from one on that pass.
func (f *filter) grow(visible []int32, source Content, from int) []int32 {
	finds, invert := f.finder(source)
	for i := from; i < source.Len(); i++ {
		found := finds == nil || finds(i)
		if f.found != nil {
			f.found = append(f.found, found)
		}
		if (finds == nil || found != invert) && (f.keep == nil || f.keep(i)) {
			visible = append(visible, int32(i))
		}
	}
	return visible
}

// find reports for each row whether the text finds it, nil without a text or rows, and
// whether the rows found are the ones to hide.
func (f *filter) find(source Content) (found []bool, invert bool) {
	finds, invert := f.finder(source)
	if finds == nil {
		return nil, false
	}
	needle := strings.ToLower(strings.TrimPrefix(f.text, "!"))
	earlier := f.found
	if earlier != nil && !strings.HasPrefix(needle, f.needle) {
		earlier = nil
	}
	found = make([]bool, source.Len())
	for i := range found {
		found[i] = (earlier == nil || earlier[i]) && finds(i)
	}
	if _, ok := source.(Filterer); !ok {
		f.found, f.needle = found, needle
	}
	return found, invert
}

// finder returns what reports whether the text finds a row, nil without a text or rows,
// and whether such rows are the ones to hide.
func (f *filter) finder(source Content) (finds func(i int) bool, invert bool) {
	if f.empty() || source == nil {
		return nil, false
	}
	if special, ok := source.(Filterer); ok {
		return special.Filter(f.text), false
	}
	text, invert := strings.CutPrefix(f.text, "!")
	has := Finder(strings.ToLower(text))
	return func(i int) bool { return source.Matches(i, has) }, invert
}

// Filter returns the text that rows are filtered by.
func (l *list) Filter() string { return l.filter.text }

// SetFilter filters by a text; an empty one shows all rows.
func (l *list) SetFilter(text string) {
	l.filter.set(text)
	l.arrange()
}

// StartFilter starts typing a filter.
func (l *list) StartFilter() {
	l.filter.typing, l.search.typing = true, false
	l.show(l.cursor)
}

// input is a text typed by the user.
type input struct {
	text   string
	typing bool
}

// used reports whether there is a text, or one is being typed.
func (in *input) used() bool { return in.typing || in.text != "" }

// commands are the keys of the line; every other key is text.
func (in *input) commands() []views.Command {
	return []views.Command{
		{ID: "filter.keep", Binding: views.Key("keep", "enter"), Group: lineGroup, Run: views.Call(func() { in.typing = false }),
			Help: "Keeps the filter and goes back to the rows."},
		{ID: "filter.clear", Binding: views.Key("clear", "esc"), Group: lineGroup, Run: views.Call(func() { *in = input{} }),
			Help: "Clears the filter."},
		{ID: "filter.back", Binding: views.Key("", "backspace"), Group: lineGroup, Run: views.Call(in.backspace),
			Help: "Deletes the last character; on an empty line, goes back to the rows."},
		{ID: "filter.empty", Binding: views.Key("", "ctrl+u"), Group: lineGroup, Run: views.Call(func() { in.text = "" }),
			Help: "Empties the line."},
		{ID: "filter.word", Binding: views.Key("", "ctrl+w"), Group: lineGroup, Run: views.Call(in.deleteWord),
			Help: "Deletes the last word."},
	}
}

func (in *input) set(text string) {
	in.text = ""
	in.add(text)
}

func (in *input) add(text string) {
	in.text += plain.Line(text)
	for len(in.text) > maxInput {
		in.text = in.text[:len(in.text)-lastRune(in.text)]
	}
}

// backspace on an empty text ends typing, as in vi.
func (in *input) backspace() {
	if in.text == "" {
		in.typing = false
		return
	}
	in.text = in.text[:len(in.text)-lastRune(in.text)]
}

func (in *input) deleteWord() {
	text := strings.TrimRightFunc(in.text, unicode.IsSpace)
	in.text = text[:strings.LastIndexFunc(text, unicode.IsSpace)+1]
}

func lastRune(s string) int {
	_, size := utf8.DecodeLastRuneInString(s)
	return size
}

// Finder returns a function that reports whether a text holds needle, which is in lower
// case; capitals of the text do not matter. ASCII texts are compared in place: a filter
// looks at every row.
func Finder(needle string) func(string) bool {
	if needle == "" {
		return func(string) bool { return true }
	}
	return func(text string) bool {
		if len(text) < len(needle) && isASCII(text) {
			return false
		}
		if !isASCII(text) {
			return strings.Contains(strings.ToLower(text), needle)
		}
		for len(text) >= len(needle) {
			at := indexFold(text, needle[0])
			switch {
			case at < 0:
				return false
			case startsWith(text[at:], needle):
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

func startsWith(text, needle string) bool {
	if len(text) < len(needle) {
		return false
	}
	for i := range len(needle) {
		b := text[i]
		if 'A' <= b && b <= 'Z' {
			b += 'a' - 'A'
		}
		if b != needle[i] {
			return false
		}
	}
	return true
}
