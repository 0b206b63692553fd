// Package finding has the one type for what is found before a change, whoever looks: the
// pre-flight of upgrades, the rules and risks of edits, the rules of placement. It is a
// package of its own, below all that know what a finding means, so that they and both faces
// can share it: it imports nothing of the program. Start at [Finding]; accept.go says what a
// person or a command has to do before a change with findings is sent.
package finding

import (
	"cmp"
	"fmt"
	"slices"
)

// Strength is how much a finding weighs. The zero value is none.
type Strength uint8

// The strengths, which grow. Those of what is found are the last four.
const (
	Passed  Strength = iota + 1 // it was looked at, and nothing is wrong
	Later                       // a later step of the change asks for it; neither passed nor blocking
	Note                        // worth knowing; nothing has to be done
	Caution                     // it may surprise: it is acknowledged before anything is sent
	Danger                      // it does harm, or no good: its word is typed before anything is sent
	Block                       // nothing can be sent
)

// String returns the strength in one word, such as "caution".
func (s Strength) String() string {
	return [...]string{"none", "ok", "later", "note", "caution", "danger", "blocking"}[s]
}

// Finding is one thing that was found. Findings can be compared.
type Finding struct {
	ID       string // what was looked at, or what may happen, such as "backup"; empty where nothing tells it apart
	Title    string // heads it where it is shown among what passed
	Strength Strength
	Unread   bool   // it could not be found out: it weighs like the worst that it may be, at most [Danger]
	Text     string // what was found: one sentence, clean
	Same     string // tells it apart instead of the text, where that has an age, or does not tell all; may be empty
	Why      string // why it matters
	Do       string // what to do; may be empty
	Accept   string // the word that accepts it; empty where none is asked for
	At       Place
	Instead  string // of a misspelt key: the path of the one that is likely meant
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

// State says how it has ended where what passed is shown too: "not known" where it could not be read.
func (f Finding) State() string {
	if f.Unread {
		return "not known"
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
func (f Finding) InTheWay() bool { return f.Strength >= Caution }

// Open reports whether it has to be accepted: it is more than a note and does not block.
func (f Finding) Open() bool { return f.InTheWay() && !f.Blocks() }

// Heaviest orders findings by their strength, the heaviest first.
func Heaviest(a, b Finding) int { return cmp.Compare(b.Strength, a.Strength) }

// Those returns the findings that are so, such as [Finding.Blocks].
func Those(all []Finding, are func(Finding) bool) []Finding {
	return slices.DeleteFunc(slices.Clone(all), func(f Finding) bool { return !are(f) })
}

// Blocked reports whether any finding blocks.
func Blocked(all []Finding) bool { return slices.ContainsFunc(all, Finding.Blocks) }
