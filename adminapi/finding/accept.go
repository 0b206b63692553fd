package finding

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// Accepted are the findings that a person has accepted on a screen: cautions were acknowledged,
// of dangers the word was typed. One that says something else than it did is not accepted; a
// number in it may change, such as an age.
type Accepted map[Finding]bool

// Has reports whether a finding was accepted.
func (a Accepted) Has(f Finding) bool { return a[f.withoutDigits()] }

// Add accepts a finding.
func (a Accepted) Add(f Finding) { a[f.withoutDigits()] = true }

// Remove takes that back.
func (a Accepted) Remove(f Finding) { delete(a, f.withoutDigits()) }

// Forget forgets what was accepted of an ID.
func (a Accepted) Forget(id string) {
	maps.DeleteFunc(a, func(f Finding, _ bool) bool { return f.ID == id })
}

// Keep forgets what is not among findings any more: an acceptance of long ago does not count.
func (a Accepted) Keep(all []Finding) {
	still := map[Finding]bool{}
	for _, f := range all {
		still[f.withoutDigits()] = true
	}
	maps.DeleteFunc(a, func(f Finding, _ bool) bool { return !still[f] })
}

// withoutDigits is the finding by what tells it apart.
func (f Finding) withoutDigits() Finding {
	text := strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return -1
		}
		return r
	}, f.Text)
	f.At.Line = 0
	return Finding{ID: f.ID, Strength: f.Strength, Unread: f.Unread, Text: text, Accept: f.Accept, At: f.At}
}

// Left returns the findings that have to be accepted and are not.
func Left(all []Finding, accepted func(Finding) bool) []Finding {
	return Those(all, func(f Finding) bool { return f.Open() && !accepted(f) })
}

// AcceptedIn returns the findings that had to be accepted and are.
func AcceptedIn(all []Finding, accepted func(Finding) bool) []Finding {
	return Those(all, func(f Finding) bool { return f.Open() && accepted(f) })
}

// Count counts findings by how much they weigh, such as "1 danger and 2 cautions".
func Count(all []Finding) string {
	var words []string
	for _, s := range []Strength{Danger, Caution} {
		switch n := len(Those(all, func(f Finding) bool { return f.Strength == s })); n {
		case 0:
		case 1:
			words = append(words, "1 "+s.String())
		default:
			words = append(words, fmt.Sprintf("%d %ss", n, s))
		}
	}
	return strings.Join(words, " and ")
}

// By returns what reports whether a finding is accepted by one of the words.
func By(words []string) func(Finding) bool {
	return func(f Finding) bool { return f.Accept != "" && slices.Contains(words, f.Accept) }
}

// Words are the words that accept findings, each once, in their order.
func Words(all []Finding) (words []string) {
	for _, f := range all {
		if f.Accept != "" && !slices.Contains(words, f.Accept) {
			words = append(words, f.Accept)
		}
	}
	return words
}

// Consequence says in a sentence or two what accepting it means: what was found, and why that
// matters.
func (f Finding) Consequence() string { return strings.TrimSpace(f.Text + " " + f.Why) }

// Said is what was found and why it matters, with the place where it has one.
func (f Finding) Said() string {
	if f.At.Name == "" && f.At.Path == "" {
		return f.Consequence()
	}
	return f.At.Words() + ": " + f.Consequence()
}

// Refusal is the line about it where a change is refused because of it: the word that accepts it,
// how much it weighs, what accepting means, and what to do instead.
func (f Finding) Refusal() string {
	return "--accept " + cmp.Or(f.Accept, "?") + "  " + f.Word() + ": " + strings.TrimSpace(f.Said()+" "+f.Do)
}
