package placement

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"geodeck/adminapi/plain"

	corev1 "k8s.io/api/core/v1"
	schedule "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/klog/v2"
)

// Verdict says whether a node takes pods of an item, by the scheduler's own
// library. Its methods find the reasons when called.
type Verdict struct {
	Node    *Node
	Matches bool // the labels fit: any of the required terms matches, or none is required
	Takes   bool // it matches, and no taint repels the pods
	// Score adds up the weights of the preferred terms that match, 1 for each in
	// the shape of the contract, which has no weights.
	Score int

	rules *rules
}

// Explain judges every node, in their order. Labels and taints alone decide: free
// CPU and memory of the node do not count.
func Explain(i Item, nodes []Node) []Verdict {
	rules := newRules(i)
	verdicts := make([]Verdict, len(nodes))
	var n corev1.Node
	for i := range nodes {
		schedulerNode(&nodes[i], &n)
		v := Verdict{Node: &nodes[i], rules: rules}
		if matches, _ := rules.affinity.Match(&n); matches && rules.refused == "" {
			_, repelled := schedule.FindMatchingUntoleratedTaint(klog.Logger{}, n.Spec.Taints, rules.tolerations, repels, false)
			v.Matches, v.Takes = true, !repelled
		}
		if rules.preferred != nil {
			v.Score = int(rules.preferred.Score(&n))
		}
		verdicts[i] = v
	}
	return verdicts
}

func repels(t *corev1.Taint) bool {
	return t.Effect == corev1.TaintEffectNoSchedule || t.Effect == corev1.TaintEffectNoExecute
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

	rules *lineRules
}

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
			line := LineVerdict{rules: &rules.lines[k]}
			line.Matches = line.rules.selector != nil && line.rules.selector.Match(&n)
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

// Repelled returns the taints that keep the pods away: NoSchedule and NoExecute
// without a toleration. A cordoned node has the taint of that name.
func (v Verdict) Repelled() []Taint {
	return v.taints(func(t Taint) bool {
		return (t.Effect == NoSchedule || t.Effect == NoExecute) && !v.rules.tolerates(t)
	})
}

// Discouraged returns the PreferNoSchedule taints without a toleration: the
// scheduler avoids the node, but takes it if no other is left.
func (v Verdict) Discouraged() []Taint {
	return v.taints(func(t Taint) bool { return t.Effect == PreferNoSchedule && !v.rules.tolerates(t) })
}

// Tolerated returns the taints that a toleration answers.
func (v Verdict) Tolerated() []Taint {
	return v.taints(func(t Taint) bool { return slices.Contains(Effects(), t.Effect) && v.rules.tolerates(t) })
}

// Missing are the tolerations that would answer the taints which keep the pods away, but
// for those that Kubernetes sets itself.
func (v Verdict) Missing() (missing []Toleration) {
	for _, t := range v.Repelled() {
		switch {
		case !t.canBeSet():
		case t.Value == "":
			missing = append(missing, Toleration{Effect: t.Effect, Key: t.Key, Operator: Exists})
		default:
			missing = append(missing, Toleration{Effect: t.Effect, Key: t.Key, Operator: Equal, Value: t.Value})
		}
	}
	return missing
}

// Summary counts verdicts.
type Summary struct {
	Total     int
	Taking    int
	Preferred int  // taking, and matching a preferred term
	Unmatched int  // kept out by labels
	Repelled  int  // matching, but kept out by a taint
	Makeable  bool // none takes the pods now, but a pool of the cluster may make a node that does
}

// Summarize counts verdicts.
func Summarize(verdicts []Verdict) (s Summary) {
	s.Total = len(verdicts)
	for _, v := range verdicts {
		switch {
		case v.Takes:
			s.Taking++
			if v.Score > 0 {
				s.Preferred++
			}
		case !v.Matches:
			s.Unmatched++
		default:
			s.Repelled++
		}
	}
	s.Makeable = s.None() && makeable(verdicts)
	return s
}

// None reports whether no node takes the pods, though nodes are known: they wait.
func (s Summary) None() bool { return s.Total > 0 && s.Taking == 0 }

// Stuck reports whether no node takes the pods, and no pool may make one.
func (s Summary) Stuck() bool { return s.None() && !s.Makeable }

// String says in one sentence how many nodes take the pods.
func (s Summary) String() string {
	nodes := plain.Plural(s.Total, "node")
	switch {
	case s.Total == 0:
		return "no nodes are known"
	case s.Makeable:
		return "none of " + nodes + " takes these pods now; a pool may make one"
	case s.Taking == 0:
		text := "none of " + nodes + " takes these pods: they stay Pending"
		switch {
		case s.Repelled == 0:
			return text + "; no label fits"
		case s.Unmatched == 0:
			return text + "; taints repel them everywhere"
		}
		return text + "; " + strconv.Itoa(s.Repelled) + " would fit but for a taint"
	}
	text := strconv.Itoa(s.Taking) + " of " + nodes + " take"
	if s.Taking == 1 {
		text += "s"
	}
	if text += " these pods"; s.Preferred > 0 {
		text += ", " + strconv.Itoa(s.Preferred) + " of them preferred"
	}
	return text
}

// Short is String in fewer words, and says what it leaves out, for a line that says more.
func (s Summary) Short() string {
	switch nodes := plain.Plural(s.Total, "node"); {
	case s.Total == 0, s.Makeable:
		return s.String()
	case s.Taking > 0:
		n := s.Preferred
		s.Preferred = 0
		text := s.String() + "; room is not counted"
		if n > 0 {
			text += ", " + strconv.Itoa(n) + " preferred"
		}
		return text
	case s.Repelled > 0 && s.Unmatched > 0:
		return "none of " + nodes + " takes these pods; " + strconv.Itoa(s.Repelled) + " but for a taint"
	default:
		return "none of " + nodes + " takes these pods"
	}
}

// rules are those of an item, as the scheduler's library takes them. Whatever
// matches here is matched by that library.
type rules struct {
	item        Item
	affinity    nodeaffinity.RequiredNodeAffinity
	preferred   *nodeaffinity.PreferredSchedulingTerms
	refused     string // why Kubernetes cannot read the preferred terms: then no pod is placed at all
	tolerations []corev1.Toleration

	once  sync.Once
	terms map[Kind][]termRules // made by the first call of termsOf
}

// termRules match one term and each of its lines.
type termRules struct {
	whole   *nodeaffinity.NodeSelector
	lines   []lineRules
	refused string
}

// lineRules match one line, and hold the texts of reasons.
type lineRules struct {
	Line
	selector  *nodeaffinity.NodeSelector // nil for one that cannot be read
	text, key string                     // the line in short and its key, clean
	short     string                     // the key without its prefix, where no other key ends so
}

func newRules(i Item) *rules {
	r := &rules{item: i, tolerations: make([]corev1.Toleration, len(i.Tolerations))}
	for n, t := range i.Tolerations {
		r.tolerations[n] = t.scheduler()
	}
	affinity := &corev1.NodeAffinity{}
	if i.Required.Present {
		affinity.RequiredDuringSchedulingIgnoredDuringExecution = selectorOf(i.Required.Terms...)
	}
	pod := &corev1.Pod{Spec: corev1.PodSpec{Affinity: &corev1.Affinity{NodeAffinity: affinity}}}
	r.affinity = nodeaffinity.GetRequiredNodeAffinity(pod)
	preferred := make([]corev1.PreferredSchedulingTerm, len(i.Preferred.Terms))
	for n, t := range i.Preferred.Terms {
		preferred[n] = corev1.PreferredSchedulingTerm{Weight: 1, Preference: schedulerTerm(t)}
		if i.Preferred.Shape == WeightedList {
			preferred[n].Weight = int32(t.Weight)
		}
	}
	var err error
	if r.preferred, err = nodeaffinity.NewPreferredSchedulingTerms(preferred); err != nil {
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

// refusal says why the library cannot read terms, in our words where we have any.
func refusal(terms []Term, err error) string {
	for _, t := range terms {
		for _, l := range t.Lines {
			for _, p := range lineProblems(l) {
				if p.Blocks() {
					return p.Text
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
		r.shorten()
	})
	return r.terms[kind]
}

// shorten gives each line the name of its label, where no two keys share it.
func (r *rules) shorten() {
	keys := map[string]string{} // by name; empty for several
	name := func(key string) string { return key[strings.LastIndexByte(key, '/')+1:] }
	each := func(do func(l *lineRules)) {
		for _, terms := range r.terms {
			for _, t := range terms {
				for i := range t.lines {
					do(&t.lines[i])
				}
			}
		}
	}
	each(func(l *lineRules) {
		if other, known := keys[name(l.key)]; known && other != l.key {
			keys[name(l.key)] = ""
		} else {
			keys[name(l.key)] = l.key
		}
	})
	each(func(l *lineRules) {
		if keys[name(l.key)] != "" {
			l.short = name(l.key)
		}
	})
}

func newTermRules(t Term) termRules {
	whole, err := nodeaffinity.NewNodeSelector(selectorOf(t))
	rules := termRules{whole: whole}
	if err != nil {
		rules.refused = refusal([]Term{t}, err)
	}
	for _, l := range t.Lines {
		line, _ := nodeaffinity.NewNodeSelector(selectorOf(Term{Lines: []Line{l}}))
		rules.lines = append(rules.lines, lineRules{l, line, LineText(l), cleanWord(l.Key), cleanWord(l.Key)})
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

func (t Toleration) scheduler() corev1.Toleration {
	return corev1.Toleration{Key: t.Key, Operator: corev1.TolerationOperator(t.Operator), Value: t.Value, Effect: corev1.TaintEffect(t.Effect)}
}

func schedulerTaint(t Taint) corev1.Taint {
	return corev1.Taint{Key: t.Key, Value: t.Value, Effect: corev1.TaintEffect(t.Effect)}
}

// cordon is what the scheduler puts in the place of spec.unschedulable.
var cordon = Taint{Key: corev1.TaintNodeUnschedulable, Effect: NoSchedule}

func (n *Node) hasTaint(t Taint) bool {
	return slices.ContainsFunc(n.Taints, func(own Taint) bool { return own.Key == t.Key && own.Effect == t.Effect })
}

// tolerates reports whether a toleration answers a taint.
func (r *rules) tolerates(t Taint) bool {
	taint := schedulerTaint(t)
	return schedule.TolerationsTolerateTaint(klog.Logger{}, r.tolerations, &taint, false)
}
