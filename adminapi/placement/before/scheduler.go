package before

import (
	"sync"

	"geodeck/adminapi/plain"

	corev1 "k8s.io/api/core/v1"
	schedule "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/klog/v2"
)

// rules are those of an item, as the scheduler's library takes them. Whatever
// matches here is matched by that library.
type rules struct {
	item        Item
	affinity    nodeaffinity.RequiredNodeAffinity
	preferred   *nodeaffinity.PreferredSchedulingTerms
	refused     string // why Kubernetes cannot read the preferred terms: then no pod is placed at all
	tolerations []corev1.Toleration

	once  sync.Once
	terms map[Kind][]termRules // made when reasons are asked for
}

// termRules match one term and each of its lines.
type termRules struct {
	whole   *nodeaffinity.NodeSelector
	lines   []lineRules
	refused string
}

// lineRules match one line, and have the texts that every node is told with.
type lineRules struct {
	selector  *nodeaffinity.NodeSelector // nil for one that cannot be read
	text, key string                     // the line in short and its key, clean
}

func newRules(i Item) *rules {
	r := &rules{item: i, tolerations: make([]corev1.Toleration, len(i.Tolerations))}
	for n, t := range i.Tolerations {
		r.tolerations[n] = corev1.Toleration{
			Key: t.Key, Operator: corev1.TolerationOperator(t.Operator), Value: t.Value, Effect: corev1.TaintEffect(t.Effect),
		}
	}
	affinity := &corev1.NodeAffinity{}
	if i.Required.Present {
		affinity.RequiredDuringSchedulingIgnoredDuringExecution = selectorOf(i.Required.Terms...)
	}
	pod := &corev1.Pod{Spec: corev1.PodSpec{Affinity: &corev1.Affinity{NodeAffinity: affinity}}}
	r.affinity = nodeaffinity.GetRequiredNodeAffinity(pod)
	preferred, err := nodeaffinity.NewPreferredSchedulingTerms(weighted(i.Preferred))
	if r.preferred = preferred; err != nil {
		r.refused = refusal(i.Preferred.Terms, err)
	}
	return r
}

func selectorOf(terms ...Term) *corev1.NodeSelector {
	selector := &corev1.NodeSelector{}
	for _, t := range terms {
		selector.NodeSelectorTerms = append(selector.NodeSelectorTerms, schedulerTerm(t))
	}
	return selector
}

func schedulerTerm(t Term) (term corev1.NodeSelectorTerm) {
	for _, l := range t.Lines {
		requirement := corev1.NodeSelectorRequirement{
			Key: l.Key, Operator: corev1.NodeSelectorOperator(l.Operator), Values: l.Values,
		}
		if l.Field {
			term.MatchFields = append(term.MatchFields, requirement)
		} else {
			term.MatchExpressions = append(term.MatchExpressions, requirement)
		}
	}
	return term
}

// weighted gives the terms of the contract's shape, which has no weights, 1 each.
func weighted(a Affinity) []corev1.PreferredSchedulingTerm {
	terms := make([]corev1.PreferredSchedulingTerm, len(a.Terms))
	for i, t := range a.Terms {
		terms[i] = corev1.PreferredSchedulingTerm{Weight: 1, Preference: schedulerTerm(t)}
		if a.Shape == WeightedList {
			terms[i].Weight = int32(t.Weight)
		}
	}
	return terms
}

// refusal says why the library cannot read terms, in our words where we have any.
func refusal(terms []Term, err error) string {
	for _, t := range terms {
		for _, l := range t.Lines {
			for _, trouble := range lineTroubles(l) {
				if trouble.severity == Blocking {
					return trouble.text
				}
			}
		}
	}
	return plain.Clip(err.Error(), 200)
}

// termsOf returns the terms of a kind, made at the first call.
func (r *rules) termsOf(kind Kind) []termRules {
	r.once.Do(func() {
		r.terms = map[Kind][]termRules{}
		for _, kind := range []Kind{Required, Preferred} {
			for _, t := range r.item.Affinity(kind).Terms {
				r.terms[kind] = append(r.terms[kind], newTermRules(t))
			}
		}
	})
	return r.terms[kind]
}

func newTermRules(t Term) termRules {
	whole, err := nodeaffinity.NewNodeSelector(selectorOf(t))
	rules := termRules{whole: whole}
	if err != nil {
		rules.refused = refusal([]Term{t}, err)
	}
	for _, l := range t.Lines {
		line, _ := nodeaffinity.NewNodeSelector(selectorOf(Term{Lines: []Line{l}}))
		rules.lines = append(rules.lines, lineRules{line, LineText(l), word(l.Key)})
	}
	return rules
}

// schedulerNode fills in what the library looks at.
func schedulerNode(n *Node, into *corev1.Node) {
	into.Name, into.Labels = n.Name, n.Labels
	into.Spec.Unschedulable = n.Unschedulable
	into.Spec.Taints = into.Spec.Taints[:0]
	for _, t := range n.Taints {
		into.Spec.Taints = append(into.Spec.Taints, schedulerTaint(t))
	}
	if n.Unschedulable && !n.hasTaint(cordon) {
		into.Spec.Taints = append(into.Spec.Taints, schedulerTaint(cordon))
	}
}

func schedulerTaint(t Taint) corev1.Taint {
	return corev1.Taint{Key: t.Key, Value: t.Value, Effect: corev1.TaintEffect(t.Effect)}
}

// cordon is what the scheduler puts in the place of spec.unschedulable.
var cordon = Taint{Key: corev1.TaintNodeUnschedulable, Effect: NoSchedule}

func (n *Node) hasTaint(t Taint) bool {
	for _, own := range n.Taints {
		if own.Key == t.Key && own.Effect == t.Effect {
			return true
		}
	}
	return false
}

// matches tells whether the labels of a node fit.
func (r *rules) matches(n *corev1.Node) bool {
	fits, _ := r.affinity.Match(n)
	return fits && r.refused == ""
}

// repels tells whether a taint keeps the pods away.
func (r *rules) repels(n *corev1.Node) bool {
	_, found := schedule.FindMatchingUntoleratedTaint(klog.Logger{}, n.Spec.Taints, r.tolerations, keepsAway, false)
	return found
}

func keepsAway(t *corev1.Taint) bool {
	return t.Effect == corev1.TaintEffectNoSchedule || t.Effect == corev1.TaintEffectNoExecute
}

// tolerates tells whether a toleration answers a taint.
func (r *rules) tolerates(t Taint) bool {
	taint := schedulerTaint(t)
	return schedule.TolerationsTolerateTaint(klog.Logger{}, r.tolerations, &taint, false)
}

func (r *rules) score(n *corev1.Node) int {
	if r.preferred == nil {
		return 0
	}
	return int(r.preferred.Score(n))
}
