package placement

import (
	"slices"
	"strings"

	"geodeck/adminapi/plain"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
)

// Severity says how much a finding weighs.
type Severity uint8

// The severities, the lightest first.
const (
	Note     Severity = iota + 1 // worth knowing; nothing is wrong
	Warning                      // it can be sent, and does what the sentence says
	Blocking                     // the contract or Kubernetes refuses it, or it makes no sense
)

// String returns the severity in one word.
func (s Severity) String() string {
	names := [...]string{"unknown", "note", "warning", "blocking"}
	if int(s) >= len(names) {
		s = 0
	}
	return names[s]
}

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
// some node has. The heaviest come first, else in the order of the policy; nil where
// there is nothing to say.
func Check(p Policy, nodes []Node) []Finding {
	c := checker{}
	if len(nodes) > 0 {
		c.words = newKnownWords(p, nodes)
	}
	c.deployments(p)
	for n, i := range p.items {
		c.item(n, i)
		if s := Summarize(explainFor(i, nodes)); s.None() {
			c.at(AtItem(n), i.path)
			c.warn(s.String())
		}
	}
	slices.SortStableFunc(c.found, func(a, b Finding) int { return int(b.Severity) - int(a.Severity) })
	return c.found
}

// explainFor is Explain, nil without nodes.
func explainFor(i Item, nodes []Node) []Verdict {
	if len(nodes) == 0 {
		return nil
	}
	return Explain(i, nodes)
}

// Blocked reports whether any finding is blocking.
func Blocked(findings []Finding) bool {
	return slices.ContainsFunc(findings, func(f Finding) bool { return f.Severity == Blocking })
}

// Introduced returns the findings that an earlier list does not have: what the
// site had before is no reason to stop an edit.
func Introduced(findings, earlier []Finding) (fresh []Finding) {
	type trouble struct{ item, text any }
	known := map[trouble]int{}
	for _, f := range earlier {
		known[trouble{f.At.Item, f.Text}]++
	}
	for _, f := range findings {
		t := trouble{f.At.Item, f.Text}
		if known[t]--; known[t] < 0 {
			fresh = append(fresh, f)
		}
	}
	return fresh
}

// checker collects findings at its current place.
type checker struct {
	found []Finding
	words *knownWords // nil without nodes
	place Place
	path  string
}

func (c *checker) at(at Place, path string) { c.place, c.path = at, path }

func (c *checker) add(s Severity, text string) {
	c.found = append(c.found, Finding{Severity: s, At: c.place, Path: c.path, Text: text})
}

func (c *checker) block(text string) { c.add(Blocking, text) }
func (c *checker) warn(text string)  { c.add(Warning, text) }
func (c *checker) note(text string)  { c.add(Note, text) }

// deployments looks at what the items are about.
func (c *checker) deployments(p Policy) {
	if p.form != WholePolicy {
		return
	}
	c.at(AtItem(0), "placementPolicy")
	if len(p.items) == 0 {
		c.warn("the policy has no deployment, so it changes nothing")
	}
	seen := map[string]bool{}
	for n, i := range p.items {
		c.at(AtItem(n), "placementPolicy"+inBrackets(n)+".deploymentId")
		switch {
		case i.DeploymentID == "":
			c.block("the deployment has no id")
		case seen[i.DeploymentID]:
			c.warn("the deployment " + cleanWord(i.DeploymentID) + " comes twice; which of the two counts is not known")
		}
		seen[i.DeploymentID] = true
	}
}

func (c *checker) item(n int, i Item) {
	for _, f := range i.faults {
		c.at(f.at, plain.Line(f.path))
		c.block(f.text)
	}
	path := i.path
	if path != "" {
		path += "."
	}
	if i.Kind() == Both {
		c.at(AtItem(n), path+keyAffinity)
		c.warn("required and preferred stand side by side: Kubernetes takes both, the API's contract shows one of them")
	}
	c.affinity(n, Required, i.Required, path+keyAffinity+"."+Required.key())
	c.affinity(n, Preferred, i.Preferred, path+keyAffinity+"."+Preferred.key())
	c.tolerations(n, i.Tolerations, path+keyTolerations)
}

func (c *checker) affinity(n int, kind Kind, a Affinity, path string) {
	if !a.Present {
		return
	}
	c.at(AtItem(n), path)
	c.shape(kind, a)
	if a.Shape == SelectorTerms {
		path += "." + keyTerms
	}
	dead, first := 0, map[string]int{}
	for k, t := range a.Terms {
		c.at(AtTerm(n, kind, k), path+inBrackets(k))
		if c.term(kind, a, t) {
			dead++
		}
		c.repeatedTerm(k, t, first)
		if a.Shape == WeightedList {
			c.weight(t)
			c.lines(t, c.path+"."+keyPreference)
		} else {
			c.lines(t, c.path)
		}
	}
	if kind == Required && dead > 0 && dead == len(a.Terms) {
		c.at(AtItem(n), path)
		c.warn("no term can ever match: whatever the nodes are, the pods will wait (Pending)")
	}
}

// repeatedTerm compares a term with those before it.
func (c *checker) repeatedTerm(k int, t Term, first map[string]int) {
	meaning := t.meaning()
	if other, known := first[meaning]; known && meaning != "" {
		c.warn("the term is the same as term " + ordinal(other) + ", so it adds nothing")
		return
	}
	first[meaning] = k
}

// shape looks at how the affinity is written.
func (c *checker) shape(kind Kind, a Affinity) {
	switch {
	case kind == Required && len(a.Terms) == 0:
		c.block("the required affinity has no term: Kubernetes refuses it, and no node would match")
	case len(a.Terms) == 0:
		c.warn("the preferred affinity has no term, so it prefers nothing")
	case kind == Preferred && a.Shape == SelectorTerms:
		c.note("preferred terms are in nodeSelectorTerms, as the API's contract shows them: none weighs more than another; plain Kubernetes has a list with weight and preference in their place")
	case kind == Preferred:
		c.warn("preferred terms are a list with weights, as plain Kubernetes has them; the API's contract shows nodeSelectorTerms without weights")
	}
}

func (c *checker) weight(t Term) {
	if t.Weight < 1 || t.Weight > 100 {
		c.block("a weight is a whole number from 1 to 100")
	}
}

// term looks at a term as a whole, and reports whether it can never match.
func (c *checker) term(kind Kind, a Affinity, t Term) (dead bool) {
	if len(t.Lines) == 0 {
		switch {
		case kind == Preferred:
			c.warn("the term has no line, so it prefers nothing")
		case len(a.Terms) > 1:
			c.warn("the term has no line: Kubernetes takes it, but it matches no node")
		default:
			c.warn("the only term has no line: Kubernetes takes it, but it matches no node")
		}
		return true
	}
	reason := contradiction(t)
	if reason != "" {
		c.warn("the term can never match: " + reason)
	}
	return reason != ""
}

// tolerations looks at every toleration.
func (c *checker) tolerations(item int, all []Toleration, path string) {
	for n, t := range all {
		at, here := AtToleration(item, n), path+inBrackets(n)
		found := tolerationProblems(t)
		c.addProblems(at, here, found)
		c.at(at, here)
		if other := covering(all, n); other >= 0 && len(found.blocking()) == 0 {
			c.warn("toleration " + ordinal(other) + " tolerates all of this, so it adds nothing")
		}
		if c.words != nil && len(found) == 0 {
			c.taintSpelling(t)
		}
	}
}

func tolerationProblems(t Toleration) (found problems) {
	if t.Effect != "" && !slices.Contains(Effects(), t.Effect) {
		found.unknown(keyEffect, "effect", t.Effect, Effects())
	}
	if t.Key != "" {
		found.labelKey(t.Key)
	}
	switch t.Operator {
	case Exists:
		found.existing(t)
	case Equal, "":
		found.equal(t)
	case Gt, Lt:
		found.warn(keyOperator, "the operator "+t.Operator+" is one of new Kubernetes releases and is off in most; the API's contract does not have it")
	default:
		found.unknown(keyOperator, "operator", t.Operator, TolerationOperators())
	}
	found.seconds(t)
	return found
}

func (t *problems) existing(of Toleration) {
	if of.Value != "" {
		t.block(keyValue, "Exists takes no value")
	}
	if of.Key == "" {
		effect := "every taint"
		if of.Effect != "" {
			effect += " with the effect " + cleanWord(of.Effect)
		}
		t.warn("", "without a key it tolerates "+effect+", also those that protect the nodes of others")
	}
}

func (t *problems) equal(of Toleration) {
	if of.Key == "" {
		t.block(keyKey, "Equal needs a key; Exists without a key tolerates every taint")
	}
	t.labelValue(keyValue, of.Value)
}

func (t *problems) seconds(of Toleration) {
	switch {
	case of.Seconds == "":
	case !isWhole(of.Seconds):
		t.block(keySeconds, "tolerationSeconds is a whole number")
	case of.Effect != NoExecute:
		t.block(keySeconds, "tolerationSeconds needs the effect NoExecute")
	case strings.HasPrefix(of.Seconds, "-") || of.Seconds == "0":
		t.warn(keySeconds, "the pods are evicted at once when the taint comes")
	}
}

// maxCompared bounds how many tolerations each one is compared with.
const maxCompared = 500

// covering returns the index of another toleration that makes one superfluous, or
// -1. Of two that are the same the later one is.
func covering(all []Toleration, n int) int {
	for k, other := range all[:min(len(all), maxCompared)] {
		if k != n && all[n].coveredBy(other) && (k < n || !other.coveredBy(all[n])) {
			return k
		}
	}
	return -1
}

// coveredBy reports whether another toleration answers every taint that t does, and
// for as long.
func (t Toleration) coveredBy(other Toleration) bool {
	if other.Seconds != "" && other.Seconds != t.Seconds || len(tolerationProblems(other).blocking()) > 0 {
		return false
	}
	if t.Operator == Gt || t.Operator == Lt {
		return false
	}
	if t.Operator == Exists && other.Operator != Exists || other.Effect != "" && other.Effect != t.Effect ||
		other.Key != "" && other.Key != t.Key {
		return false
	}
	answered := corev1.Taint{Key: t.Key, Value: t.Value, Effect: corev1.TaintEffect(t.Effect)}
	o := corev1.Toleration{Key: other.Key, Operator: corev1.TolerationOperator(other.Operator), Value: other.Value}
	return o.ToleratesTaint(klog.Logger{}, &answered, false)
}

func (t problems) blocking() (found problems) {
	for _, one := range t {
		if one.severity == Blocking {
			found = append(found, one)
		}
	}
	return found
}
