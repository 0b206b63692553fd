package rules

import (
	"cmp"
	"slices"
	"strings"

	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/placement"
	"geodeck/ui/widget"
)

// maxTyped bounds what a field takes, in characters.
const maxTyped = 8192

// field is one column of a row that is typed into: free text, or one of some words.
type field struct {
	name   string
	hint   string   // what fits
	words  []string // the words it may be; nil where it is free text
	input  textinput.Model
	raw    string // what the policy has
	before string // what the field began with: the same, less what it cannot hold
	list   bool   // words separated by commas
	closed string // why nothing can be typed; empty where it can
	empty  string // shown for a word that is empty
	// offered returns what the nodes have for it; nil where that is nothing.
	offered func() []placement.Word
	// meaning says what a word asks for.
	meaning func(word string) string
}

func (r *rulesPane) newField(name, text, hint string, offered func() []placement.Word) field {
	f := field{name: name, hint: hint, input: widget.NewInput(r.theme), raw: text, offered: offered}
	f.input.CharLimit = maxTyped
	f.input.KeyMap.Paste.SetEnabled(false) // it would run another program
	f.set(text)
	f.before = f.input.Value()
	return f
}

func (r *rulesPane) newPick(name, word, empty string, words []string, meaning func(word string) string) field {
	f := r.newField(name, word, "space or the arrows choose", nil)
	f.words, f.empty, f.meaning = words, empty, meaning
	return f
}

func (f *field) set(text string) {
	f.input.SetValue(text)
	f.input.CursorEnd()
}

// text is what was typed, or the word that is picked.
func (f *field) text() string {
	switch {
	case !f.changed():
		return f.raw
	case f.words != nil:
		return f.input.Value()
	}
	return strings.TrimSpace(f.input.Value())
}

func (f *field) changed() bool { return f.input.Value() != f.before }

// key takes a key of a text, and reports whether it was one.
func (f *field) key(msg tea.KeyMsg) bool {
	if msg.Type == tea.KeyRunes && msg.Alt {
		return false
	}
	if msg = widget.Pasted(msg); msg.Paste && f.list {
		msg.Runes = []rune(breaks.Replace(string(msg.Runes)))
	}
	value, at := f.input.Value(), f.input.Position()
	f.input, _ = f.input.Update(msg)
	return f.input.Value() != value || f.input.Position() != at
}

// breaks makes commas of the ends of pasted lines.
var breaks = strings.NewReplacer("\r\n", ", ", "\n", ", ", "\r", ", ", "\t", ", ")

// at is the place of the word that is picked.
func (f *field) at() int { return max(0, slices.Index(f.words, f.input.Value())) }

// label is a word as it is shown.
func (f *field) label(word string) string { return cmp.Or(word, f.empty) }

// fragment is what is being typed of a list, and the text before it.
func (f *field) fragment() (before, fragment string) {
	text := f.input.Value()
	if !f.list {
		return "", strings.TrimSpace(text)
	}
	comma := strings.LastIndexByte(text, ',') + 1
	return text[:comma], strings.TrimSpace(text[comma:])
}

// another makes room for one more word of a list.
func (f *field) another() {
	if _, fragment := f.fragment(); fragment != "" {
		f.set(f.input.Value() + ", ")
	}
}

// put puts a word in place of what is being typed.
func (f *field) put(word string) {
	before, _ := f.fragment()
	if before != "" {
		before += " "
	}
	f.set(before + word)
}

// take is put of a whole word: in a list the next one can follow.
func (f *field) take(word string) {
	if f.list {
		word += ", "
	}
	f.put(word)
}

// values are the words of a list.
func (f *field) values() (values []string) {
	for word := range strings.SplitSeq(f.input.Value(), ",") {
		if word = strings.TrimSpace(word); word != "" {
			values = append(values, word)
		}
	}
	return values
}
