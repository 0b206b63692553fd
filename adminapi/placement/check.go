package placement

import (
	"slices"
	"strings"

	"geodeck/adminapi/document"
	"geodeck/adminapi/finding"

	"k8s.io/klog/v2"
)

// Finding is something wrong or surprising in a policy. The path of its place is clean, such as
// placementPolicy[0].podPlacementPolicy.tolerations[1].key.
type Finding struct {
	finding.Finding
	In Place // the part of the policy that it is about
}

// Misspelt is the ID of a finding about a word that no node has and that resembles one that nodes
// have.
const Misspelt = "misspelt"

// NoNode is the ID of the finding that says why no node takes pods.
const NoNode = "no-node"

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
	c.stores(p)
	for n, i := range p.items {
		c.found = append(c.found, i.faults...)
		affinity, verdicts := i.path.Key(keyAffinity), Explain(i, nodes)
		if i.Kind() == Both {
			c.at(AtAffinity(n, Preferred), affinity)
			c.add(finding.Note, "required and preferred together: Kubernetes accepts both, the API documents one")
		}
		c.affinity(n, Required, i.Required, affinity.Key(Required.key()))
		c.affinity(n, Preferred, i.Preferred, affinity.Key(Preferred.key()))
		c.tolerations(n, i.Tolerations, i.path.Key(keyTolerations))
		switch s := Summarize(verdicts); {
		case s.Taking > 0:
			c.opened(n, i, verdicts)
		case s.None() && i.Never() == "":
			at, text := i.Cause(n, verdicts)
			c.at(at, p.path(at))
			if s.Makeable {
				c.warn(text)
			} else {
				c.add(finding.Danger, text)
			}
			c.found[len(c.found)-1].ID = NoNode
		}
	}
	slices.SortStableFunc(c.found, func(a, b Finding) int { return finding.Heaviest(a.Finding, b.Finding) })
	return c.found
}

// Introduced returns the findings that an earlier list does not have: what the
// site had before is no reason to stop an edit.
func Introduced(findings, earlier []Finding) (fresh []Finding) {
	type trouble struct{ item, text any }
	known := map[trouble]int{}
	for _, f := range earlier {
		known[trouble{f.In.Item, f.Text}]++
	}
	for _, f := range findings {
		t := trouble{f.In.Item, f.Text}
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
	path  document.Path
}

func (c *checker) at(at Place, path document.Path) { c.place, c.path = at, path }

func (c *checker) add(s finding.Strength, text string) {
	c.found = append(c.found, findingIn(c.place, c.path, s, text))
}

func findingIn(part Place, path document.Path, s finding.Strength, text string) Finding {
	return Finding{finding.Finding{Strength: s, Text: text, At: finding.Place{Path: string(path)}}, part}
}

func (c *checker) block(text string) { c.add(finding.Block, text) }

func (c *checker) warn(text string) { c.add(finding.Caution, text) }

// unlike warns of a word that no node has, and of the one that may be meant; empty for none.
func (c *checker) unlike(text, meant string) {
	c.warn(text + meant)
	if meant != "" {
		c.found[len(c.found)-1].ID = Misspelt
	}
}

// deployments looks at what the items are about.
func (c *checker) deployments(p Policy) {
	if p.form != WholePolicy {
		return
	}
	c.at(AtItem(0), keyPolicy)
	if len(p.items) == 0 {
		c.warn("the policy has no deployment, so it changes nothing")
	}
	seen := map[string]bool{}
	for n, i := range p.items {
		c.at(AtItem(n), document.Path(keyPolicy).Index(n).Key("deploymentId"))
		switch {
		case i.DeploymentID == "":
			c.block("the deployment has no id")
		case seen[i.DeploymentID]:
			c.warn("the deployment " + cleanWord(i.DeploymentID) + " is listed twice; which one counts is unknown")
		}
		seen[i.DeploymentID] = true
	}
}

// knownStores are the components that the vendor's guides place when a site is configured; there may be more.
var knownStores = []string{"RELATIONAL", "BLOB", "IN_MEM_CACHE", "INDEXER", "QUEUE"}

// stores looks at the components that a file for the configuration of a site places.
func (c *checker) stores(p Policy) {
	if p.form != StoreRules {
		return
	}
	c.at(AtItem(0), keyStores)
	if len(p.items) == 0 {
		c.warn("the file has no policy, so it places no store")
	}
	seen := map[string]bool{}
	for n, i := range p.items {
		c.at(AtItem(n), document.Path(keyStores).Index(n).Key(keyComponents))
		if len(i.Components) == 0 {
			c.warn("no component is named, so these rules place nothing")
		}
		for _, name := range i.Components {
			if seen[name] {
				c.warn("the component " + cleanWord(name) + " is listed twice; which rules count is unknown")
			} else if meant, near := nearest(name, knownStores); near && !slices.Contains(knownStores, name) {
				c.unlike("the component "+cleanWord(name)+" is unknown", "; did you mean "+meant+"?")
			}
			seen[name] = true
		}
	}
}

func (c *checker) affinity(n int, kind Kind, a Affinity, path document.Path) {
	if !a.Present {
		return
	}
	c.at(AtAffinity(n, kind), path)
	switch {
	case kind == Required && len(a.Terms) == 0:
		c.block("required without a term is refused: add a term, or delete the affinity")
	case len(a.Terms) == 0:
		c.warn("the preferred affinity has no term: it prefers nothing")
	case kind == Preferred && a.Shape == SelectorTerms:
		c.add(finding.Note, "preferred terms have no weights here: the API shows nodeSelectorTerms")
	case kind == Preferred:
		c.warn("preferred terms have weights, which the API does not document")
	}
	if a.Shape == SelectorTerms {
		path = path.Key(keyTerms)
	}
	first, never := map[string]int{}, kind == Required && neverMatch(a.Terms)
	for k, t := range a.Terms {
		c.at(AtTerm(n, kind, k), path.Index(k))
		if reason := neverMatches(t); reason != "" && !slices.ContainsFunc(t.Lines, Line.broken) { // whose line says it
			strength := finding.Caution
			if never && k == 0 { // said once for all of them
				strength = finding.Danger
				if len(a.Terms) > 1 {
					reason += "; no other term can match either"
				}
			}
			c.add(strength, deadTerm(kind, reason))
		}
		meaning := t.meaning()
		if other, known := first[meaning]; known && meaning != "" {
			c.warn("the same as term " + ordinal(other))
		} else {
			first[meaning] = k
		}
		lines := c.path
		if a.Shape == WeightedList {
			if t.Weight < 1 || t.Weight > 100 {
				c.block("a weight must be a whole number from 1 to 100")
			}
			lines = lines.Key(keyPreference)
		}
		c.lines(t, lines)
	}
}

// Never says why no node whatever can match the required terms of an item, such as two
// lines that contradict each other; empty where one may.
func (i Item) Never() string {
	if i.Required.Present && neverMatch(i.Required.Terms) {
		if len(i.Required.Terms) == 0 {
			return "the required affinity has no term"
		}
		return neverMatches(i.Required.Terms[0])
	}
	return ""
}

// Cause says which part of its rules keeps the pods of an item off every node, by the verdicts of
// all: the line or the term that no node meets; where several parts do so together, the affinity or
// the tolerations. The text says how.
func (i Item) Cause(n int, verdicts []Verdict) (at Place, text string) {
	s := Summarize(verdicts)
	switch {
	case i.Never() != "" && len(i.Required.Terms) > 0:
		return AtTerm(n, Required, 0), i.Never()
	case i.Never() != "":
		return AtAffinity(n, Required), i.Never()
	case s.Makeable:
		at, _ = i.unmet(n, verdicts)
		return at, "no node has it now; a pool may make one"
	case verdicts[0].rules.refused != "":
		return AtAffinity(n, Preferred), "Kubernetes cannot read a preferred term, so no pod is placed"
	case !i.Required.Present:
		return AtTolerations(n), "taints keep these pods off every node: they stay Pending"
	case s.Repelled > 0:
		return AtAffinity(n, Required), "a taint keeps these pods off all nodes that match: they stay Pending"
	}
	at, text = i.unmet(n, verdicts)
	return at, text + ": the pods stay Pending"
}

// unmet names the line or the term of the required affinity that no node meets.
func (i Item) unmet(n int, verdicts []Verdict) (at Place, text string) {
	if len(i.Required.Terms) > 1 {
		return AtAffinity(n, Required), "no node meets any of these terms"
	}
	met := make([]bool, len(i.Required.Terms[0].Lines))
	for _, v := range verdicts {
		for k, l := range v.Terms(Required)[0].Lines {
			met[k] = met[k] || l.Matches
		}
	}
	if k := slices.Index(met, false); k >= 0 && !slices.Contains(met[k+1:], false) {
		return AtLine(n, Required, 0, k), "no node meets this line"
	}
	return AtTerm(n, Required, 0), "no node meets all lines of this term"
}

// neverMatch reports whether none of some terms can match any node.
func neverMatch(terms []Term) bool {
	return !slices.ContainsFunc(terms, func(t Term) bool { return neverMatches(t) == "" })
}

// neverMatches says why a term can match no node, empty where it may.
func neverMatches(t Term) string {
	switch broken := slices.IndexFunc(t.Lines, Line.broken); {
	case len(t.Lines) == 0:
		return "it has no line"
	case broken >= 0:
		return "Kubernetes cannot read line " + ordinal(broken)
	}
	return contradiction(t)
}

func deadTerm(kind Kind, reason string) string {
	if kind == Preferred {
		return "this term prefers no node: " + reason
	}
	return "no node can match this term: " + reason
}

// tolerations looks at every toleration.
func (c *checker) tolerations(item int, all []Toleration, path document.Path) {
	for n, t := range all {
		at, here := AtToleration(item, n), path.Index(n)
		found := tolerationProblems(t)
		c.addProblems(at, here, found)
		c.at(at, here)
		if other := covering(all, n); other >= 0 && !finding.Blocked(found) {
			c.warn("toleration " + ordinal(other) + " covers this one")
		}
		if c.words != nil && len(found) == 0 {
			c.taintSpelling(t)
		}
	}
}

// opened says of tolerations that they open no further node, and that alone they attract nothing.
func (c *checker) opened(n int, i Item, verdicts []Verdict) {
	var all, taking []Taint
	for _, v := range verdicts {
		for _, t := range v.Tolerated() {
			if !slices.Contains(all, t) {
				all = append(all, t)
			}
			if v.Takes && !slices.Contains(taking, t) {
				taking = append(taking, t)
			}
		}
	}
	for k, t := range i.Tolerations {
		c.at(AtToleration(n, k), i.path.Key(keyTolerations).Index(k))
		switch {
		case slices.ContainsFunc(taking, t.answers), finding.Blocked(tolerationProblems(t)):
		case slices.ContainsFunc(all, t.answers):
			c.add(finding.Note, "opens no further node: none with this taint meets the other rules")
		default:
			c.add(finding.Note, "opens no further node: none has this taint")
		}
	}
	if i.Kind() == None && len(taking) > 0 {
		c.at(AtTolerations(n), i.path.Key(keyTolerations))
		c.add(finding.Note, "tolerations let the pods onto tainted nodes, but attract none")
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
		if t.Value != "" {
			found.add(finding.Block, keyValue, "Exists takes no value")
		}
		if t.Key == "" {
			effect := "every taint"
			if t.Effect != "" {
				effect += " with the effect " + cleanWord(t.Effect)
			}
			found.add(finding.Caution, "", "without a key it tolerates "+effect+", even of other pools")
		}
	case Equal, "":
		if t.Key == "" {
			found.add(finding.Block, keyKey, "Equal needs a key; Exists without a key tolerates every taint")
		}
		found.labelValue(keyValue, t.Value)
	case Gt, Lt:
		found.add(finding.Caution, keyOperator,
			"the API does not document the operator "+t.Operator+"; most clusters have it off")
	default:
		found.unknown(keyOperator, "operator", t.Operator, TolerationOperators())
	}
	switch {
	case t.Seconds == "":
	case !isWhole(t.Seconds):
		found.add(finding.Block, keySeconds, "tolerationSeconds must be a whole number")
	case t.Effect != NoExecute:
		found.add(finding.Block, keySeconds, "tolerationSeconds needs the effect NoExecute")
	case strings.HasPrefix(t.Seconds, "-") || t.Seconds == "0":
		found.add(finding.Caution, keySeconds, "the pods are evicted as soon as the taint is added")
	}
	return found
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
	switch {
	case other.Seconds != "" && other.Seconds != t.Seconds, finding.Blocked(tolerationProblems(other)),
		t.Operator == Gt, t.Operator == Lt,
		t.Operator == Exists && other.Operator != Exists, other.Effect != "" && other.Effect != t.Effect, other.Key != "" && other.Key != t.Key:
		return false
	}
	other.Effect = ""
	return other.answers(Taint{Key: t.Key, Value: t.Value, Effect: t.Effect})
}

// answers reports whether a toleration lets pods onto nodes with a taint.
func (t Toleration) answers(taint Taint) bool {
	toleration, of := t.scheduler(), schedulerTaint(taint)
	return toleration.ToleratesTaint(klog.Logger{}, &of, false)
}
