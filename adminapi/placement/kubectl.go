package placement

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/validate/content"

	"geodeck/adminapi/finding"
	"geodeck/adminapi/plain"
)

// Command is a line for a shell, to be copied and read first; nothing here runs it.
type Command struct {
	Line string // quoted for a shell, clean
	Why  string // what it does, one sentence, clean
}

// KubectlCaution goes before the lines.
const KubectlCaution = "Labels and taints of a node count for all its workloads. Check first who else relies on them."

// maxNames is how many nodes one line names.
const maxNames = 50

// KubectlLines returns the kubectl lines that make the nodes fit the item: labels
// for the first term that can match, the removal of taints that repel, and taints
// that the tolerations answer so that other pods stay away. They come in this
// order: the tolerations are to be applied before taints are set. Of a node only
// the name must be known. Names, keys and values that Kubernetes would refuse are
// left out.
func KubectlLines(i Item, nodes []Node) []Command {
	var labels, uncordon, untaint, taint batch
	for _, v := range Explain(i, nodes) {
		if len(content.IsDNS1123Subdomain(v.Node.Name)) > 0 {
			continue
		}
		if !v.Matches && v.rules.refused == "" {
			if changes := labelsFor(v); len(changes) > 0 {
				labels.add(v.Node.Name, changes)
			}
		}
		for _, t := range v.Repelled() {
			if t == cordon && v.Node.Unschedulable {
				uncordon.add(v.Node.Name, nil)
			} else if t.canBeSet() {
				untaint.add(v.Node.Name, []string{t.String() + "-"})
			}
		}
		for _, t := range taintsFor(i, v.Node) {
			taint.add(v.Node.Name, []string{t.String()})
		}
	}
	return slices.Concat(
		labels.lines([]string{"label", "nodes", "--overwrite"}, labelWhy),
		uncordon.lines([]string{"uncordon"}, func([]string) string { return "lets pods run on the nodes again" }),
		untaint.lines([]string{"taint", "nodes"}, func(of []string) string {
			return "removes the taint " + strings.TrimSuffix(of[0], "-") + " for all pods; a toleration here admits only these"
		}),
		taint.lines([]string{"taint", "nodes"}, taintWhy))
}

// NoKubectlLines says in a sentence why there are no lines for a node without labels.
func NoKubectlLines(i Item) string {
	asks := func(t Term) bool { return slices.ContainsFunc(t.Lines, func(l Line) bool { return !l.Field }) }
	chooses := func(t Term) bool { return slices.ContainsFunc(t.Lines, func(l Line) bool { return l.Field }) }
	switch v := Explain(i, []Node{{Name: "any"}})[0]; {
	case !v.Matches && v.rules.refused == "" && slices.ContainsFunc(i.Required.Terms, chooses):
		return "The rules choose nodes by name; no label makes another fit."
	case !v.Matches:
		return "No label makes a node fit. Change the rules; the findings say why."
	case slices.ContainsFunc(i.Required.Terms, asks):
		return "Nothing to set: a node without labels already fits."
	case slices.ContainsFunc(i.Preferred.Terms, asks):
		return "Nothing to set: the rules only prefer labels."
	}
	return "Nothing to set: the rules name no label and no taint."
}

func labelWhy(changes []string) string {
	var set, removed []string
	for _, c := range changes {
		if key, ok := strings.CutSuffix(c, "-"); ok && !strings.Contains(c, "=") {
			removed = append(removed, key)
		} else {
			set = append(set, c)
		}
	}
	switch {
	case len(removed) == 0:
		return "sets " + strings.Join(set, ", ") + ", which the rules require"
	case len(set) == 0:
		return "removes the label " + strings.Join(removed, ", ") + ", which the rules exclude"
	}
	return "sets " + strings.Join(set, ", ") + " and removes " + strings.Join(removed, ", ") + ", as the rules require"
}

func taintWhy(taints []string) string {
	why := "keeps off pods that do not tolerate " + taints[0] + "; apply the tolerations first"
	if strings.HasSuffix(taints[0], ":"+NoExecute) {
		why += ", because it also evicts running pods"
	}
	return why
}

// batch gathers nodes that need the same change.
type batch struct {
	order   []string
	changes map[string][]string
	names   map[string][]string
}

func (b *batch) add(node string, changes []string) {
	key := strings.Join(changes, " ")
	if _, known := b.names[key]; !known {
		if b.names == nil {
			b.names, b.changes = map[string][]string{}, map[string][]string{}
		}
		b.order, b.changes[key] = append(b.order, key), changes
	}
	b.names[key] = append(b.names[key], node)
}

func (b *batch) lines(verb []string, why func([]string) string) (commands []Command) {
	for _, key := range b.order {
		for names := range slices.Chunk(b.names[key], maxNames) {
			words := slices.Concat([]string{"kubectl"}, verb, names, b.changes[key])
			for i, w := range words {
				words[i] = plain.ShellWord(w)
			}
			commands = append(commands, Command{strings.Join(words, " "), why(b.changes[key])})
		}
	}
	return commands
}

// labelsFor returns what to change in the labels of a node so that a required term
// matches, as kubectl takes it; the scheduler's library decides whether it does.
func labelsFor(v Verdict) []string {
	for _, t := range v.rules.item.Required.Terms {
		after := *v.Node
		after.Labels = maps.Clone(v.Node.Labels)
		if after.Labels == nil {
			after.Labels = map[string]string{}
		}
		for _, l := range t.Lines {
			l.fulfil(t, after.Labels)
		}
		if fits(t, after) {
			return labelChanges(v.Node.Labels, after.Labels)
		}
	}
	return nil
}

// fits reports whether a node matches a term, its taints aside.
func fits(t Term, n Node) bool {
	return Explain(Item{Required: Affinity{Present: true, Terms: []Term{t}}}, []Node{n})[0].Matches
}

// fulfil changes labels so that a line holds, as far as it can alone.
func (l Line) fulfil(t Term, labels map[string]string) {
	if l.Field || fits(Term{Lines: []Line{l}}, Node{Labels: labels}) {
		return
	}
	switch l.Operator {
	case In:
		for _, value := range l.Values {
			if labels[l.Key] = value; valueFits(t, l.Key, labels) {
				return
			}
		}
	case Exists:
		labels[l.Key] = "true"
	case DoesNotExist:
		delete(labels, l.Key)
	case NotIn:
		delete(labels, l.Key)
		for _, value := range []string{"true", "other"} {
			if valueFits(t, l.Key, labels) {
				return
			}
			labels[l.Key] = value
		}
	case Gt, Lt:
		labels[l.Key] = beyond(l)
	}
}

// valueFits reports whether all lines of a term about a key hold.
func valueFits(t Term, key string, labels map[string]string) bool {
	var lines []Line
	for _, l := range t.Lines {
		if l.Key == key && !l.Field {
			lines = append(lines, l)
		}
	}
	return fits(Term{Lines: lines}, Node{Labels: labels})
}

// beyond returns the nearest number that passes Gt or Lt.
func beyond(l Line) string {
	if len(l.Values) != 1 {
		return ""
	}
	n, err := strconv.ParseInt(l.Values[0], 10, 64)
	if err != nil {
		return ""
	}
	if l.Operator == Gt {
		return strconv.FormatInt(n+1, 10)
	}
	return strconv.FormatInt(n-1, 10)
}

// labelChanges returns what leads from one set of labels to another.
func labelChanges(before, after map[string]string) (changes []string) {
	for _, key := range slices.Sorted(maps.Keys(after)) {
		if old, has := before[key]; !has || old != after[key] {
			changes = append(changes, key+"="+after[key])
		}
	}
	for _, key := range slices.Sorted(maps.Keys(before)) {
		if _, has := after[key]; !has {
			changes = append(changes, key+"-")
		}
	}
	return changes
}

// taintsFor returns the taints that keep other pods off a node and are answered by
// the tolerations, but for those it has.
func taintsFor(i Item, n *Node) (taints []Taint) {
	for _, t := range i.Tolerations {
		taint := Taint{Key: t.Key, Value: t.Value, Effect: t.Effect}
		if taint.Effect == "" {
			taint.Effect = NoSchedule
		}
		known := t.Operator == Exists || t.Operator == Equal || t.Operator == ""
		if known && !finding.Blocked(tolerationProblems(t)) && taint.canBeSet() && !n.hasTaint(taint) && !slices.Contains(taints, taint) {
			taints = append(taints, taint)
		}
	}
	return taints
}

// canBeSet reports whether a taint is one that people set: Kubernetes keeps those
// about the condition of nodes itself.
func (t Taint) canBeSet() bool {
	return len(content.IsLabelKey(t.Key)) == 0 && len(content.IsLabelValue(t.Value)) == 0 &&
		slices.Contains(Effects(), t.Effect) &&
		!strings.HasPrefix(t.Key, "node.kubernetes.io/") && !strings.HasPrefix(t.Key, "node.cloudprovider.kubernetes.io/") &&
		t.Key != corev1.TaintNodeOutOfService
}
