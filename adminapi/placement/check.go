package placement

// Severity says how much a finding weighs.
type Severity uint8

// The severities.
const (
	Warning  Severity = iota // it can be sent, and does what the sentence says
	Blocking                 // the contract or Kubernetes refuses it, or it cannot be what was meant
)

// String returns the severity in one word.
func (s Severity) String() string { panic("contract only") }

// Finding is something wrong or surprising in a policy.
type Finding struct {
	Severity Severity
	At       Place  // the part it is about
	Path     string // the same in the JSON, such as placementPolicy[0].podPlacementPolicy.tolerations[1].key; clean
	Text     string // one sentence, clean
}

// Check looks for what is wrong in a policy: words the contract does not have,
// operators against their values, broken names of labels, terms no node can ever
// match, rules that Kubernetes takes but never schedules, duplicates, a shape of
// "preferred" that is not the one of the contract or not the one of Kubernetes.
// With nodes also: keys and values that no node has, with the nearest one that
// some node has. Blocking ones come first, else in the order of the policy; nil
// where nothing is wrong.
func Check(p Policy, nodes []Node) []Finding { panic("contract only") }

// Blocked tells whether any finding is blocking.
func Blocked(findings []Finding) bool { panic("contract only") }

// Introduced returns the findings that an earlier list does not have: what the
// site had before is no reason to stop an edit.
func Introduced(findings, earlier []Finding) []Finding { panic("contract only") }
