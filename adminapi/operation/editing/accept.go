package editing

import (
	"slices"
	"strings"

	"geodeck/adminapi/document"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/plain"
)

// What an edit may meet besides what its changes may do: the ID of the finding.
const (
	PodsReplaced = "pods are replaced"
	NoNode       = "no node takes them"
	OneNode      = "one node only"
	LeftOut      = "deployment left out"
	RuleBroken   = "rule broken"       // of the fields, or of a policy
	Overwrites   = "overwrites others" // what others changed since the edit began
	NotRead      = "site not read"     // what the site has is not known
)

// Gates are what an edit of a definition or of rules may meet.
var Gates = slices.Concat(document.Gates, finding.Gates{
	gate(NoNode, "no-node", "The pods stay Pending, and the service may not answer. A caution where a pool may make a node.", finding.Danger, finding.Caution),
	gate(OneNode, "one-node", "If that node fails, the pods stay Pending.", finding.Caution),
	gate(LeftOut, "left-out", "The site may keep the rules of a deployment that the policy does not name.", finding.Caution),
	gate(PodsReplaced, "", "Requests may fail while the pods are replaced.", finding.Note),
	{ID: RuleBroken, Accept: "rules", Means: "The rules go out with what their check warns of. A note where the site has it already.",
		Weighs: map[finding.Change][]finding.Strength{finding.Edit: {finding.Block, finding.Note}, finding.Rules: {finding.Block, finding.Caution, finding.Note}}},
	finding.NewGate([]finding.Change{finding.Edit, finding.Rules}, NotRead, "unread", "What the site has now is replaced, whatever it is, also what others changed.", finding.Danger),
	finding.NewGate([]finding.Change{finding.Edit, finding.Rules}, Overwrites, "drift", "What others changed since the edit began is lost there.", finding.Danger),
})

func gate(id, accept, means string, weighs ...finding.Strength) finding.Gate {
	return finding.NewGate([]finding.Change{finding.Rules}, id, accept, means, weighs...)
}

// risk is what an edit of rules may do at a path.
func risk(path document.Path, id, text string) finding.Finding {
	return Gates.Finding(finding.Rules, id, finding.Place{Path: string(path)}, text)
}

// AcceptWords are the words that accept findings of an edit.
func AcceptWords() []string { return Gates.Words(finding.Edit, finding.Rules) }

// Accepted are the findings of an edit that go out all the same. There is no word for all.
type Accepted struct {
	Words   []string        // of findings
	Removed []document.Path // keys whose removal was accepted one by one
}

// By returns what reports whether a finding was accepted.
func (a Accepted) By() func(finding.Finding) bool {
	byWord, removed := finding.By(a.Words), map[string]bool{} // there may be many
	for _, path := range a.Removed {
		removed[string(path)] = true
	}
	return func(f finding.Finding) bool { return byWord(f) || f.ID == document.KeyRemoved && removed[f.At.Path] }
}

// And is what both accept.
func (a Accepted) And(b Accepted) Accepted {
	return Accepted{slices.Concat(a.Words, b.Words), slices.Concat(a.Removed, b.Removed)}
}

// AcceptedOf is what was accepted of some findings: removed keys by their path, others by their word.
func AcceptedOf(all []finding.Finding, accepted func(finding.Finding) bool) (a Accepted) {
	open := finding.AcceptedIn(all, accepted)
	a.Removed = document.RemovedKeys(open)
	a.Words = finding.Words(finding.Those(open, func(f finding.Finding) bool { return f.ID != document.KeyRemoved }))
	return a
}

// Found is all that a plan has found: the rules that it breaks, and what its changes may do.
func (p Plan) Found() []finding.Finding { return slices.Concat(p.Findings, p.Risks) }

// NotAcceptedError says which findings of an edit nobody has accepted. Nothing was sent. Exit code 4.
type NotAcceptedError struct{ Findings []finding.Finding }

// Error names each word with its places.
func (e *NotAcceptedError) Error() string {
	var parts []string
	for _, word := range finding.Words(e.Findings) {
		var places []string
		for _, f := range finding.Those(e.Findings, finding.By([]string{word})) {
			places = append(places, f.At.Words())
		}
		parts = append(parts, word+" ("+plain.Listed(places, 3, ", ", " and ")+")")
	}
	return "not accepted: " + strings.Join(parts, ", ") + "; nothing was sent"
}
