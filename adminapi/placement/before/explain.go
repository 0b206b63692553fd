package before

import corev1 "k8s.io/api/core/v1"

// Verdict says whether a node takes pods of an item, by the scheduler's own
// library. Its methods find the reasons when they are asked for.
type Verdict struct {
	Node  *Node
	Takes bool
	// Score adds up the weights of the preferred terms that match, 1 for each in
	// the shape of the contract, which has no weights.
	Score int

	matches bool
	rules   *rules
}

// Explain judges every node, in their order. Labels and taints alone decide: room
// on the node is not looked at.
func Explain(i Item, nodes []Node) []Verdict {
	rules := newRules(i)
	verdicts := make([]Verdict, len(nodes))
	var n corev1.Node
	for i := range nodes {
		schedulerNode(&nodes[i], &n)
		matches := rules.matches(&n)
		verdicts[i] = Verdict{
			Node: &nodes[i], rules: rules, matches: matches,
			Takes: matches && !rules.repels(&n), Score: rules.score(&n),
		}
	}
	return verdicts
}

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
func (v Verdict) Matches() bool { return v.matches }

// Terms returns a verdict for each term of the required or preferred affinity.
func (v Verdict) Terms(kind Kind) []TermVerdict {
	var n corev1.Node
	schedulerNode(v.Node, &n)
	terms := v.rules.item.Affinity(kind).Terms
	verdicts := make([]TermVerdict, len(terms))
	for i, rules := range v.rules.termsOf(kind) {
		verdicts[i] = TermVerdict{Refused: rules.refused, Lines: make([]LineVerdict, len(terms[i].Lines))}
		n.Name = v.Node.Name
		verdicts[i].Matches = rules.whole != nil && rules.whole.Match(&n)
		for k, l := range terms[i].Lines {
			// Without a name the library makes no table of fields, which costs most
			// of a match; lines about labels do not look at it.
			if n.Name = ""; l.Field {
				n.Name = v.Node.Name
			}
			selector := rules.lines[k].selector
			line := LineVerdict{Matches: selector != nil && selector.Match(&n)}
			line.Actual, line.Has = v.Node.value(l)
			verdicts[i].Lines[k] = line
		}
	}
	return verdicts
}

// value returns what a line looks at.
func (n *Node) value(l Line) (string, bool) {
	if l.Field {
		return n.Name, l.Key == fieldName
	}
	value, has := n.Labels[l.Key]
	return value, has
}

// fieldName is the one field of a node that rules can look at.
const fieldName = "metadata.name"

// taints returns the taints of the node, cordoning included, that a test keeps.
func (v Verdict) taints(keep func(Taint) bool) (taints []Taint) {
	for _, t := range v.Node.Taints {
		if keep(t) {
			taints = append(taints, t)
		}
	}
	if v.Node.Unschedulable && !v.Node.hasTaint(cordon) && keep(cordon) {
		taints = append(taints, cordon)
	}
	return taints
}

func (t Taint) keepsAway() bool { return t.Effect == NoSchedule || t.Effect == NoExecute }

// Repelled returns the taints that keep the pods away: NoSchedule and NoExecute
// without a toleration. A cordoned node has the taint that stands for it.
func (v Verdict) Repelled() []Taint {
	return v.taints(func(t Taint) bool { return t.keepsAway() && !v.rules.tolerates(t) })
}

// Discouraged returns the PreferNoSchedule taints without a toleration: the
// scheduler avoids the node, but takes it if no other is left.
func (v Verdict) Discouraged() []Taint {
	return v.taints(func(t Taint) bool { return t.Effect == PreferNoSchedule && !v.rules.tolerates(t) })
}

// Tolerated returns the taints that a toleration answers.
func (v Verdict) Tolerated() []Taint {
	return v.taints(func(t Taint) bool {
		return (t.keepsAway() || t.Effect == PreferNoSchedule) && v.rules.tolerates(t)
	})
}
