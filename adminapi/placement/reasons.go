package placement

import (
	"slices"
	"strconv"

	"geodeck/adminapi/lists"
	"geodeck/adminapi/plain"

	corev1 "k8s.io/api/core/v1"
)

// maxReasons is how many terms a reason goes through before it counts the rest.
const maxReasons = 8

// Reasons says why, one sentence each, the most telling first; clean, never empty.
func (v Verdict) Reasons() []string {
	var reasons []string
	switch {
	case !v.Matches:
		reasons = v.mismatchReasons()
	case !v.rules.item.Required.Present:
		reasons = append(reasons, "no label is required")
	default:
		i, term := v.firstMatch(Required)
		actuals := lists.Each(term.Lines, LineVerdict.actual)
		reasons = append(reasons, "term "+ordinal(i)+" matches: "+plain.Listed(actuals, maxReasons, ", ", ", "))
	}
	for _, t := range v.Repelled() {
		reason := "the taint " + taintText(t) + " repels: no toleration matches it"
		if t == cordon {
			reason = "the node is cordoned (unschedulable): no toleration matches that"
		}
		reasons = append(reasons, reason)
	}
	if !v.Takes {
		return reasons
	}
	for _, t := range v.Tolerated() {
		reasons = append(reasons, "the taint "+taintText(t)+" is tolerated")
	}
	if preferred := v.rules.item.Preferred; len(preferred.Terms) > 0 {
		var matching []string
		for i, term := range v.Terms(Preferred) {
			switch text := "term " + ordinal(i); {
			case term.Matches && preferred.Shape == WeightedList:
				matching = append(matching, text+" (weight "+strconv.Itoa(preferred.Terms[i].Weight)+")")
			case term.Matches:
				matching = append(matching, text)
			}
		}
		reason := "it is not a preferred node"
		if len(matching) > 0 {
			reason = "it is preferred by " + plain.Listed(matching, maxReasons, ", ", ", ")
		}
		reasons = append(reasons, reason)
	}
	for _, t := range v.Discouraged() {
		reasons = append(reasons, "the taint "+taintText(t)+" discourages: other nodes are tried first")
	}
	if v.Node.Ready == NotReady {
		reasons = append(reasons, "the node is not ready now")
	}
	return reasons
}

// firstMatch returns the first term that matches, or -1.
func (v Verdict) firstMatch(kind Kind) (int, TermVerdict) {
	for i, term := range v.Terms(kind) {
		if term.Matches {
			return i, term
		}
	}
	return -1, TermVerdict{}
}

// actual is what a node has for the line.
func (l LineVerdict) actual() string {
	if !l.Has {
		return "no " + l.rules.key
	}
	return l.rules.key + "=" + cleanWord(l.Actual)
}

// mismatchReasons says which line of which required term fails.
func (v Verdict) mismatchReasons() (reasons []string) {
	if v.rules.refused != "" {
		return []string{"Kubernetes cannot read a preferred term, so no pod is placed: " + v.rules.refused}
	}
	if len(v.rules.item.Required.Terms) == 0 {
		return []string{"the required affinity has no term, so it matches no node"}
	}
	terms := v.Terms(Required)
	for i, term := range terms {
		name := "term " + ordinal(i)
		switch {
		case i == maxReasons:
			return append(reasons, "nor does any of the other "+plain.Plural(len(terms)-i, "term")+" match")
		case term.Refused != "":
			reasons = append(reasons, name+" cannot be read by Kubernetes, so it matches nothing: "+term.Refused)
		case len(term.Lines) == 0:
			reasons = append(reasons, name+" has no line, so it matches no node")
		default:
			var failed []string
			for _, k := range term.failed() {
				l := term.Lines[k]
				failed = append(failed, "line "+ordinal(k)+" ("+l.rules.text+") fails: the node has "+l.actual())
			}
			reasons = append(reasons, name+": "+plain.Listed(failed, maxReasons, "; ", "; "))
		}
	}
	return reasons
}

// Reason returns the reasons in short on one line, such as `pool is gis, wants gpu` or
// `pool is gpu; tolerates dedicated=gis`; clean. Nodes that differ in nothing that counts
// have the same.
func (v Verdict) Reason() string {
	var parts []string
	switch {
	case v.rules.refused != "":
		parts = append(parts, "a preferred term cannot be read")
	case !v.Matches:
		parts = append(parts, v.lacks())
	case v.rules.item.Required.Present:
		parts = append(parts, v.has())
	}
	for _, t := range v.Repelled() {
		if t == cordon {
			parts = append(parts, "cordoned")
		} else {
			parts = append(parts, "taint "+taintText(t))
		}
	}
	if v.Takes { // what matters less
		for _, t := range v.Tolerated() {
			t.Effect = ""
			parts = append(parts, "tolerates "+taintText(t))
		}
		for _, t := range v.Discouraged() {
			t.Effect = ""
			parts = append(parts, "discouraged by "+taintText(t))
		}
		if i, _ := v.firstMatch(Preferred); i >= 0 {
			parts = append(parts, "preferred")
		}
	}
	if len(parts) == 0 {
		return "nothing keeps them away"
	}
	if v.Node.Ready == NotReady {
		parts = append(parts, "not ready")
	}
	return plain.Listed(parts, maxReasons, "; ", "; ")
}

// has says what the node has that the term asks for which matches.
func (v Verdict) has() string {
	var parts []string
	_, term := v.firstMatch(Required)
	for _, l := range term.Lines {
		switch asked := l.rules; {
		case asked.names():
		case asked.Operator == Exists:
			parts = append(parts, "has "+asked.short)
		case asked.Operator != DoesNotExist && asked.Operator != NotIn:
			parts = append(parts, asked.short+" is "+cleanWord(l.Actual))
		}
	}
	if len(parts) == 0 {
		return "matches"
	}
	return plain.Listed(parts, 3, ", ", ", ")
}

// names reports whether a line asks for a node by its name, which no other node has.
func (l Line) names() bool { return l.Field || l.Key == corev1.LabelHostname }

// lacks says which lines fail in the term that comes nearest.
func (v Verdict) lacks() string {
	best, fewest := v.nearest()
	if fewest == 0 {
		return "no term can match"
	}
	var parts []string
	term := v.Terms(Required)[best]
	for _, k := range term.failed() {
		parts = append(parts, term.Lines[k].lack())
	}
	return plain.Listed(parts, 3, "; ", "; ")
}

// nearest returns the required term in which the fewest lines fail, and how many do; 0 where
// no term can match.
func (v Verdict) nearest() (best, fewest int) {
	for i, term := range v.Terms(Required) {
		if failed := len(term.failed()); failed > 0 && term.Refused == "" && (fewest == 0 || failed < fewest) {
			best, fewest = i, failed
		}
	}
	return best, fewest
}

// lack says what a node has in place of what a line asks for.
func (l LineVerdict) lack() string {
	asked := l.rules
	wanted := plain.Listed(cleanWords(asked.Values), 3, " or ", " or ")
	switch {
	case asked.names() && asked.Operator == In:
		return "wants node " + wanted
	case asked.names():
		return "node excluded"
	case asked.Operator == Exists:
		return "no " + asked.short
	case asked.Operator == DoesNotExist:
		return "has " + asked.short + ", must not"
	}
	has := "no " + asked.short
	if l.Has {
		has = asked.short + " is " + cleanWord(l.Actual)
	}
	switch asked.Operator {
	case NotIn:
		return has + ", excluded"
	case Gt:
		return has + ", wants above " + wanted
	case Lt:
		return has + ", wants below " + wanted
	}
	return has + ", wants " + wanted
}

// failed returns the indices of the lines that do not match.
func (t TermVerdict) failed() (lines []int) {
	for k, l := range t.Lines {
		if !l.Matches {
			lines = append(lines, k)
		}
	}
	return lines
}

func taintText(t Taint) string { return plain.Clip(t.String(), 120) }

// Hint is something that people get wrong about placement.
type Hint struct {
	ID   string `json:"id"`   // such as "toleration-does-not-attract"
	Text string `json:"text"` // one or two sentences
}

// hints are in the order in which they are shown; those without a condition suit every
// item.
var hints = []struct {
	Hint
	suits func(Item) bool
}{
	{Hint{"toleration-does-not-attract", "A toleration admits pods to tainted nodes, but does not attract them. To attract them, require a label of those nodes with node affinity."},
		func(i Item) bool { return len(i.Tolerations) > 0 && i.Kind() == None }},
	{Hint{"affinity-does-not-repel", "Node affinity does not keep other pods off these nodes. To reserve the nodes, taint them and tolerate the taint here."},
		func(i Item) bool { return i.Kind() != None }},
	{Hint{"toleration-before-taint", "Apply the tolerations first, then taint the nodes. Otherwise a NoExecute taint evicts the pods, and new ones stay Pending."},
		func(i Item) bool { return len(i.Tolerations) > 0 }},
	{Hint{"preferred-is-a-wish", "Preferred nodes are tried first. If they are full, the pods run elsewhere."},
		func(i Item) bool { return i.Preferred.Present }},
	{Hint{"terms-any-lines-all", "One matching term is enough; within a term every line must hold."},
		func(i Item) bool {
			return i.hasTerm(func(t Term) bool { return len(t.Lines) > 1 }) || len(i.Required.Terms) > 1
		}},
	{Hint{"not-takes-missing", "NotIn also matches nodes without the label. Add a line with Exists to exclude those."},
		func(i Item) bool { return i.hasTerm(notInAlone) }},
	{Hint{"seconds-then-evicted", "With tolerationSeconds pods stay that long after the taint is added. Then they are evicted."},
		func(i Item) bool {
			return slices.ContainsFunc(i.Tolerations, func(t Toleration) bool { return t.Seconds != "" })
		}},
	{Hint{"nothing-is-evicted", "Node affinity counts only when a pod is scheduled. Running pods stay until they restart, even if labels change."}, nil},
	{Hint{"room-is-not-looked-at", "Only labels and taints are compared. Free CPU and memory are not checked."}, nil},
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

// notInAlone reports whether a NotIn has no other line that asks for the label.
func notInAlone(t Term) bool {
	return slices.ContainsFunc(t.Lines, func(l Line) bool {
		return l.Operator == NotIn && !l.Field && !slices.ContainsFunc(t.Lines, func(m Line) bool {
			return m.Key == l.Key && (m.Operator == Exists || m.Operator == In)
		})
	})
}
