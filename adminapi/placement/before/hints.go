package before

import "slices"

// Hint is something that people get wrong about placement.
type Hint struct {
	ID   string // such as "toleration-does-not-attract"
	Text string // one or two sentences
}

// hints are in the order in which they are told; those that look at nothing suit
// every item.
var hints = []struct {
	Hint
	suits func(Item) bool
}{
	{Hint{"toleration-does-not-attract", "A toleration lets pods on tainted nodes, it does not attract them. To bring them there, ask for a label of those nodes with node affinity."},
		func(i Item) bool { return len(i.Tolerations) > 0 && i.Kind() == None }},
	{Hint{"affinity-does-not-repel", "Node affinity does not keep other pods off these nodes. To keep the nodes for these pods, taint them and tolerate the taint here."},
		func(i Item) bool { return i.Kind() != None }},
	{Hint{"toleration-before-taint", "Apply the tolerations first and taint the nodes afterwards. The other way round a NoExecute taint evicts the pods, and new ones find no node."},
		func(i Item) bool { return len(i.Tolerations) > 0 }},
	{Hint{"preferred-is-a-wish", "Preferred nodes are tried first. If they are full, the pods run elsewhere."},
		func(i Item) bool { return i.Preferred.Present }},
	{Hint{"terms-any-lines-all", "One matching term is enough; within a term every line must hold."},
		func(i Item) bool {
			return i.hasTerm(func(t Term) bool { return len(t.Lines) > 1 }) || len(i.Required.Terms) > 1
		}},
	{Hint{"not-takes-missing", "NotIn also holds on nodes that do not have the label at all. Add a line with Exists to leave those out."},
		func(i Item) bool { return i.hasTerm(notInAlone) }},
	{Hint{"seconds-then-evicted", "With tolerationSeconds the pods stay for that long after the taint comes, then they are evicted."},
		func(i Item) bool {
			return slices.ContainsFunc(i.Tolerations, func(t Toleration) bool { return t.Seconds != "" })
		}},
	{Hint{"nothing-is-evicted", "Node affinity counts when a pod is placed. Pods that run already stay where they are until they are restarted, also when labels change."}, nil},
	{Hint{"room-is-not-looked-at", "Only labels and taints are compared. Whether a node has CPU and memory left is found out when the pods are placed."}, nil},
}

// Hints returns what is worth knowing about an item as it is; the ones that suit
// every item come last.
func Hints(i Item) []Hint {
	var suiting []Hint
	for _, h := range hints {
		if h.suits == nil || h.suits(i) {
			suiting = append(suiting, h.Hint)
		}
	}
	return suiting
}

func (i Item) hasTerm(is func(Term) bool) bool {
	return slices.ContainsFunc(i.Required.Terms, is) || slices.ContainsFunc(i.Preferred.Terms, is)
}

// notInAlone tells whether a NotIn has no other line that asks for the label.
func notInAlone(t Term) bool {
	return slices.ContainsFunc(t.Lines, func(l Line) bool {
		return l.Operator == NotIn && !l.Field && !slices.ContainsFunc(t.Lines, func(m Line) bool {
			return m.Key == l.Key && (m.Operator == Exists || m.Operator == In)
		})
	})
}
