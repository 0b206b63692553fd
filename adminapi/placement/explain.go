package placement

// Verdict says whether a node takes pods of an item, by the scheduler's own
// library. Its methods find the reasons when they are asked for.
type Verdict struct {
	Node  *Node
	Takes bool
	// Score adds up the weights of the preferred terms that match, 1 for each in
	// the shape of the contract, which has no weights.
	Score int

	rules *rules
}

// Explain judges every node, in their order. Labels and taints alone decide: room
// on the node is not looked at.
func Explain(i Item, nodes []Node) []Verdict { panic("contract only") }

// TermVerdict says whether a node matches a term, and each of its lines.
type TermVerdict struct {
	Matches bool
	Lines   []LineVerdict
	Refused string // why Kubernetes cannot read the term, clean; "" if it can
}

// LineVerdict says whether a node matches a line.
type LineVerdict struct {
	Matches bool
	Actual  string // the node's value, as it came
	Has     bool   // the node has the label at all
}

// Matches tells whether the labels fit: any of the required terms, or none is
// required.
func (v Verdict) Matches() bool { panic("contract only") }

// Terms returns a verdict for each term of the required or preferred affinity.
func (v Verdict) Terms(kind Kind) []TermVerdict { panic("contract only") }

// Repelled returns the taints that keep the pods away: NoSchedule and NoExecute
// without a toleration. A cordoned node has the taint that stands for it.
func (v Verdict) Repelled() []Taint { panic("contract only") }

// Discouraged returns the PreferNoSchedule taints without a toleration: the
// scheduler avoids the node, but takes it if no other is left.
func (v Verdict) Discouraged() []Taint { panic("contract only") }

// Tolerated returns the taints that a toleration answers.
func (v Verdict) Tolerated() []Taint { panic("contract only") }

// Reasons says why, one sentence each, the most telling first; clean, never empty.
func (v Verdict) Reasons() []string { panic("contract only") }

// Reason returns the reasons in short on one line, such as `term 1; tolerates
// dedicated=gis` or `zone=eu-1c: term 1 line 2`; clean.
func (v Verdict) Reason() string { panic("contract only") }

// Summary counts verdicts.
type Summary struct {
	Total     int
	Taking    int
	Preferred int // taking, and matching a preferred term
	Unmatched int // kept out by labels
	Repelled  int // matching, but kept out by a taint
}

// Summarize counts verdicts.
func Summarize(verdicts []Verdict) Summary { panic("contract only") }

// None tells that no node takes the pods, though nodes are known: they wait.
func (s Summary) None() bool { return s.Total > 0 && s.Taking == 0 }

// String says in one sentence how many nodes take the pods.
func (s Summary) String() string { panic("contract only") }

type rules struct{}
