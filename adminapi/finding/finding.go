// Package finding has the one type for what is found before a change, whoever looks: the
// pre-flight of upgrades, the rules and risks of edits, the rules of placement. It is a
// package of its own, below all that know what a finding means, so that they and both faces
// can share it: it imports nothing of the program.
package finding

import (
	"cmp"
	"fmt"
	"slices"
)

// Strength is how much a finding weighs. The zero value is NotKnown.
type Strength uint8

// The strengths. Those from Note on grow.
const (
	NotKnown Strength = iota // could not be found out; has to be accepted like a caution
	Passed                   // it was looked at, and nothing is wrong
	Later                    // a later step of the change asks for it; neither passed nor blocking
	Note                     // worth knowing; nothing has to be done
	Caution                  // it can be sent, and does what the sentence says
	Danger                   // it does harm, or no good: it is sent only where that is confirmed by a word
	Block                    // nothing can be sent
)

// String returns the strength in one or two words, such as "caution".
func (s Strength) String() string {
	return [...]string{"not known", "ok", "later", "note", "caution", "danger", "blocking"}[s]
}

// Finding is one thing that was found. Findings can be compared.
type Finding struct {
	ID       string // what was looked at, or what may happen, such as "backup"; empty where nothing tells it apart
	Title    string // heads it where it is shown among what passed
	Strength Strength
	Text     string // what was found: one sentence, clean
	Why      string // why it matters
	Do       string // what to do; may be empty
	Accept   string // the word that accepts it; empty where none is asked for
	At       Place
	Instead  string // of a misspelt key: the one that is likely meant
}

// Place is where in a document a finding is; the zero place is none.
type Place struct {
	Path string // of the value; empty for the whole document
	Line int    // of the text, from 1; 0 for what is not there
	Name string // names the place for people where the path does not
}

// String is the path.
func (at Place) String() string { return cmp.Or(at.Path, "(whole document)") }

// Words name the place for people.
func (at Place) Words() string { return cmp.Or(at.Name, at.String()) }

// Word says in one word how much it weighs, such as "blocks".
func (f Finding) Word() string {
	if f.Blocks() {
		return "blocks"
	}
	return f.Strength.String()
}

// Sentence is what was found, with its line where it has one.
func (f Finding) Sentence() string {
	if f.At.Line > 0 {
		return fmt.Sprintf("Line %d: %s", f.At.Line, f.Text)
	}
	return f.Text
}

// Blocks reports whether nothing can be sent because of it.
func (f Finding) Blocks() bool { return f.Strength == Block }

// InTheWay reports whether it blocks or has to be accepted.
func (f Finding) InTheWay() bool { return f.Strength == NotKnown || f.Strength >= Caution }

// Open reports whether it has to be accepted: it is more than a note and does not block, or is
// not known.
func (f Finding) Open() bool { return f.InTheWay() && !f.Blocks() }

// Heaviest orders findings by their strength, the heaviest first.
func Heaviest(a, b Finding) int { return cmp.Compare(b.Strength, a.Strength) }

// Those returns the findings that are so, such as [Finding.Blocks].
func Those(all []Finding, are func(Finding) bool) []Finding {
	return slices.DeleteFunc(slices.Clone(all), func(f Finding) bool { return !are(f) })
}

// Blocked reports whether any finding blocks.
func Blocked(all []Finding) bool { return slices.ContainsFunc(all, Finding.Blocks) }
