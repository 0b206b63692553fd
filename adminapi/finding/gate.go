package finding

import "slices"

// Change is a kind of change that findings stand in the way of.
type Change uint8

// The kinds of change, in the order of docs/gates.md.
const (
	Release  Change = iota // an upgrade to another release
	Patch                  // an upgrade to a patch
	Rollback               // of a patch
	Edit                   // of the definition of a service
	Rules                  // an edit of the rules that place its pods
	Switch                 // a start or stop of a service
)

// Changes are all kinds of change.
var Changes = []Change{Release, Patch, Rollback, Edit, Rules, Switch}

// String names the kind of change, such as "release".
func (c Change) String() string {
	return [...]string{"release", "patch", "rollback", "edit", "rules", "switch"}[c]
}

// Gate is a kind of finding as docs/gates.md lists it: how much it weighs, the word that accepts it, and
// what accepting means. Findings are made of the gates of their package, so the page is what the
// program does.
type Gate struct {
	ID     string                // of its findings
	Weighs map[Change][]Strength // what it may weigh before a kind of change, the usual first; none where it is not looked for
	Accept string                // the word that accepts it; empty where none is asked for
	Means  string                // what accepting it means, or what it is where nothing is accepted
}

// NewGate returns a gate that weighs the same before all of its kinds of change.
func NewGate(of []Change, id, accept, means string, weighs ...Strength) Gate {
	g := Gate{ID: id, Weighs: map[Change][]Strength{}, Accept: accept, Means: means}
	for _, change := range of {
		g.Weighs[change] = weighs
	}
	return g
}

// Gates are all gates of a package.
type Gates []Gate

// Of returns the gate with an ID, which there has to be.
func (all Gates) Of(id string) Gate {
	return all[slices.IndexFunc(all, func(g Gate) bool { return g.ID == id })]
}

// Finding makes a finding of a gate with its usual weight before a change.
func (all Gates) Finding(of Change, id string, at Place, text string) Finding {
	g := all.Of(id)
	return Finding{ID: id, Strength: g.Weighs[of][0], Accept: g.Accept, Text: text, At: at}
}

// Words are the words that accept what the gates find before kinds of change, each once.
func (all Gates) Words(of ...Change) (words []string) {
	for _, g := range all {
		met := slices.ContainsFunc(of, func(c Change) bool { return len(g.Weighs[c]) > 0 })
		if met && g.Accept != "" && !slices.Contains(words, g.Accept) {
			words = append(words, g.Accept)
		}
	}
	return words
}
