package finding

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Accepted are the findings that a person has accepted on a screen: cautions were acknowledged,
// of dangers the word was typed. One that says something else than it did, be it one number, is not
// accepted, see [Finding.Same].
type Accepted map[Finding]bool

// Has reports whether a finding was accepted.
func (a Accepted) Has(f Finding) bool { return a[f.identity()] }

// Changed reports whether a finding is not accepted, though one was that said something else of the same.
func (a Accepted) Changed(f Finding) bool {
	for was := range a {
		if was.ID == f.ID && was.At == f.identity().At {
			return f.Open() && !a.Has(f)
		}
	}
	return false
}

// Add accepts a finding.
func (a Accepted) Add(f Finding) { a[f.identity()] = true }

// Remove takes that back.
func (a Accepted) Remove(f Finding) { delete(a, f.identity()) }

// Forget forgets what was accepted of an ID.
func (a Accepted) Forget(id string) {
	maps.DeleteFunc(a, func(f Finding, _ bool) bool { return f.ID == id })
}

// Keep forgets what is not among findings any more: an acceptance of long ago does not count.
func (a Accepted) Keep(all []Finding) {
	still := map[Finding]bool{}
	for _, f := range all {
		still[f.identity()] = true
	}
	maps.DeleteFunc(a, func(f Finding, _ bool) bool { return !still[f] })
}

// identity is the finding by what tells it apart.
func (f Finding) identity() Finding {
	f.At.Line = 0
	return Finding{ID: f.ID, Strength: f.Strength, Unread: f.Unread, Text: cmp.Or(f.Same, f.Text), Accept: f.Accept, At: f.At}
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
