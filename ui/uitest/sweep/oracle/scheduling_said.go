package oracle

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Scheduled is what a command has said of rules in a file, and of the nodes in another one. It asks no site.
type Scheduled struct {
	Day     *Day
	Command string // such as "simulate"
	Rules   string // of one deployment, in whatever form they are given
	Nodes   []byte // as JSON; nil where none are given
	Wrong   string // what is said of a list of nodes that is none; empty for a right one
	Form    string // of the output
	Code    int
	Out     string
	Err     string
}

// scheduled has the rules and the nodes read.
type scheduled struct {
	Scheduled
	podRules
	nodes []node
}

// Schedules judges what is said of rules and nodes.
func (d *Day) Schedules(s Scheduled) {
	s.Day = d
	one := scheduled{Scheduled: s, nodes: nodesIn(s.Nodes)}
	var told struct {
		rules
		podRules
		PlacementPolicy   []rules
		PlacementPolicies []struct{ PlacementPolicy podRules }
	}
	if json.Unmarshal([]byte(s.Rules), &told) != nil {
		return
	}
	switch one.podRules = told.podRules; {
	case len(told.PlacementPolicy) > 0:
		one.podRules = told.PlacementPolicy[0].PodPlacementPolicy
	case len(told.PlacementPolicies) > 0:
		one.podRules = told.PlacementPolicies[0].PlacementPolicy
	case strings.Contains(s.Rules, "podPlacementPolicy"):
		one.podRules = told.PodPlacementPolicy
	}
	judge(d, atScheduling, one)
}

var atScheduling = []rule[scheduled]{
	{"nodes that cannot be read take no pods", unreadTakeNone},
	{"each node is said to take pods or not, and why", verdictsAreSo},
	{"mistakes in rules are found", mistakesAreFound},
	{"rules are counted against the nodes", countedNodes},
}

func unreadTakeNone(s scheduled) (judged int, wrong []string) {
	if s.Wrong == "" {
		return 0, nil
	}
	if s.Code != 2 || strings.Contains(s.Out, "takes") || strings.Contains(s.Out, "taking") || !strings.Contains(s.Err, s.Wrong) {
		wrong = append(wrong, fmt.Sprintf("placement %s exits with %d on a list of nodes of which it should say %q: %.200s %.200s", s.Command, s.Code, s.Wrong, s.Out, s.Err))
	}
	return 1, wrong
}

func verdictsAreSo(s scheduled) (judged int, wrong []string) {
	if s.Command != "simulate" || s.Wrong != "" {
		return 0, nil
	}
	taking, code := s.taking(s.nodes), 0
	if taking == 0 {
		code = 1
	}
	say := func(format string, args ...any) {
		wrong = append(wrong, fmt.Sprintf("of %.900s on %.900s placement simulate says ", s.Rules, s.Nodes)+fmt.Sprintf(format, args...))
	}
	if s.Code != code {
		say("by its exit code %d that of %d nodes %d take the pods", s.Code, len(s.nodes), taking)
	}
	if warned := strings.Contains(s.Err, "the rules would be refused"); warned != (len(s.broken()) > 0) {
		say("by %q that they would be refused, %v", s.Err, s.broken())
	}
	if s.Form == "table" {
		s.rows(say)
		return 1, wrong
	}
	var told struct {
		Taking   int
		Makeable bool
		Nodes    []struct {
			Name    string
			Takes   bool
			Reasons []string
		}
	}
	if json.Unmarshal([]byte(s.Out), &told) != nil || told.Taking != taking || told.Makeable || len(told.Nodes) != len(s.nodes) {
		say("that %d of %d take them, and it is %d: %.300s", told.Taking, len(told.Nodes), taking, s.Out)
		return 1, wrong
	}
	for i, n := range s.nodes {
		_, takes := s.on(n)
		is := func(a, b string) bool { return a == b || strings.HasSuffix(a, ": ") && strings.HasPrefix(b, a) }
		if got, want := told.Nodes[i], s.reasons(n); got.Name != n.Metadata.Name || got.Takes != takes || !slices.EqualFunc(want, got.Reasons, is) {
			say("of %s %v %q, and it is %v %q", n.Metadata.Name, got.Takes, got.Reasons, takes, want)
		}
	}
	return 1, wrong
}

// rows judges a table: a row for each node, those that take the pods before the others.
func (s scheduled) rows(say func(string, ...any)) {
	last := 0
	for line := range strings.Lines(s.Out) {
		cells := strings.Fields(line)
		at := slices.IndexFunc(s.nodes, func(n node) bool { return len(cells) > 1 && n.Metadata.Name == cells[0] })
		if at < 0 {
			continue
		}
		n := s.nodes[at]
		fits, takes := s.on(n)
		word, rank := "no", 3
		switch {
		case takes && s.score(n) > 0:
			word, rank = "preferred", 0
		case takes:
			word, rank = "yes", 1
		case fits:
			rank = 2
		}
		if why := strings.Join(cells[2:], " "); cells[1] != word || !s.shortIsSo(n, why) || rank < last {
			say("of %s %s: %q, and it is %s: %q", n.Metadata.Name, cells[1], why, word, s.reasons(n))
		}
		last = rank
		s.nodes = slices.Delete(slices.Clone(s.nodes), at, at+1)
	}
	if len(s.nodes) > 0 {
		say("nothing of %s", s.nodes[0].Metadata.Name)
	}
}

func (t taint) text() string {
	text := t.Key
	if t.Value != "" {
		text += "=" + t.Value
	}
	if t.Effect != "" {
		text += ":" + t.Effect
	}
	return text
}

// failing are the places of the lines of a term that a node does not fit.
func (t term) failing(n node) (at []int) {
	for i, e := range t.lines() {
		if e.broken() || !e.fits(n) {
			at = append(at, i)
		}
	}
	return at
}

// reasons are why a node takes pods or not, in sentences; of one that ends with a colon the rest may be any.
func (r podRules) reasons(n node) (all []string) {
	fits, takes := r.on(n)
	actual := func(e expression) string {
		if value, has := e.valueOn(n); has {
			return e.Key + "=" + value
		}
		return "no " + e.Key
	}
	switch {
	case r.unread():
		all = append(all, "Kubernetes cannot read a preferred term, so no pod is placed: ")
	case r.NodeAffinity.Required == nil:
		all = append(all, "no label is required")
	case len(r.required()) == 0:
		all = append(all, "the required affinity has no term, so it matches no node")
	}
	for i, t := range r.required() {
		var parts []string
		switch name := fmt.Sprintf("term %d", i+1); {
		case r.unread() || fits && !t.fits(n):
			continue
		case fits:
			for _, e := range t.lines() {
				parts = append(parts, actual(e))
			}
			all = append(all, name+" matches: "+strings.Join(parts, ", "))
		case t.broken():
			all = append(all, name+" cannot be read by Kubernetes, so it matches nothing: ")
		case len(t.lines()) == 0:
			all = append(all, name+" has no line, so it matches no node")
		default:
			for _, k := range t.failing(n) {
				e := t.lines()[k]
				text := strings.TrimSpace(e.Key + " " + e.Operator + " " + strings.Join(e.Values, ", "))
				parts = append(parts, fmt.Sprintf("line %d (%s) fails: the node has %s", k+1, text, actual(e)))
			}
			all = append(all, name+": "+strings.Join(parts, "; "))
		}
		if fits {
			break
		}
	}
	for _, t := range r.repelling(n) {
		if all = append(all, "the taint "+t.text()+" repels: no toleration matches it"); t == cordon {
			all[len(all)-1] = "the node is cordoned (unschedulable): no toleration matches that"
		}
	}
	if !takes {
		return all
	}
	for _, t := range n.taints(r.tolerates) {
		all = append(all, "the taint "+t.text()+" is tolerated")
	}
	var by []string
	for i, w := range r.NodeAffinity.Preferred.terms {
		switch {
		case w.Preference.fits(n) && r.NodeAffinity.Preferred.weighted:
			by = append(by, fmt.Sprintf("term %d (weight %d)", i+1, w.Weight))
		case w.Preference.fits(n):
			by = append(by, fmt.Sprintf("term %d", i+1))
		}
	}
	if len(by) > 0 {
		all = append(all, "it is preferred by "+strings.Join(by, ", "))
	} else if len(r.NodeAffinity.Preferred.terms) > 0 {
		all = append(all, "it is not a preferred node")
	}
	for _, t := range n.taints(func(t taint) bool { return t.Effect == "PreferNoSchedule" && !r.tolerates(t) }) {
		all = append(all, "the taint "+t.text()+" discourages: other nodes are tried first")
	}
	if n.unready() {
		all = append(all, "the node is not ready now")
	}
	return all
}

func (n node) unready() bool {
	return slices.ContainsFunc(n.Status.Conditions, func(c struct{ Type, Status string }) bool { return c.Type == "Ready" && c.Status == "False" })
}

var ownValue, noValue = regexp.MustCompile(`([\w./-]+) is ([\w.-]+)`), regexp.MustCompile(`(?:^|; )no ([\w./-]+)`)

// shortIsSo reports whether reasons in a few words are true: of what a node has and lacks, by as many parts as the term that comes
// nearest has lines that fail, and of its taints.
func (r podRules) shortIsSo(n node, why string) bool {
	label := func(name string) string {
		for key, value := range n.Metadata.Labels {
			if key == name || strings.HasSuffix(key, "/"+name) {
				return value
			}
		}
		return ""
	}
	is := !slices.ContainsFunc(ownValue.FindAllStringSubmatch(why, -1), func(said []string) bool { return label(said[1]) != said[2] }) &&
		!slices.ContainsFunc(noValue.FindAllStringSubmatch(why, -1), func(said []string) bool { return label(said[1]) != "" && said[1] != "term" })
	lacking, taints := 0, map[string]int{}
	for part := range strings.SplitSeq(why, "; ") {
		switch word, rest, _ := strings.Cut(part, " "); {
		case word == "taint" || word == "tolerates" || word == "discouraged" || part == "cordoned":
			taints[word+" "+rest]++
		case part != "not ready" && part != "no term can match" && part != "a preferred term cannot be read":
			lacking++
		}
	}
	for _, t := range n.taints(func(taint) bool { return true }) {
		_, takes := r.on(n)
		bare := taint{t.Key, t.Value, ""}.text()
		switch {
		case t == cordon && !r.tolerates(t):
			taints["cordoned "]--
		case t.Effect != "PreferNoSchedule" && !r.tolerates(t):
			taints["taint "+t.text()]--
		case takes && r.tolerates(t):
			taints["tolerates "+bare]--
		case takes:
			taints["discouraged by "+bare]--
		}
	}
	for _, left := range taints {
		is = is && left == 0
	}
	fits, _ := r.on(n)
	least := 0
	for _, t := range r.required() {
		if fails := len(t.failing(n)); fails > 0 && !t.broken() && (least == 0 || fails < least) {
			least = fails
		}
	}
	return is && (fits || r.unread() || lacking == least)
}

// mistakesAreFound wants what Kubernetes refuses to be called so, and rules that no node meets, and labels that no node has.
func mistakesAreFound(s scheduled) (judged int, wrong []string) {
	var told struct {
		Items []struct{ Severity, Path, Text string }
	}
	if s.Command != "check" || s.Wrong != "" || json.Unmarshal([]byte(s.Out), &told) != nil {
		return 0, nil
	}
	want, got, code := map[string]bool{}, map[string]bool{}, 0
	for _, one := range told.Items {
		if one.Severity != "note" {
			code = 1
		}
		word := noLabel.FindString(one.Text)
		if one.Severity == "blocking" {
			word = one.Path[strings.LastIndex(one.Path, "Execution"):]
		} else if one.Severity == "danger" {
			word = one.Severity
		}
		got[word] = true
	}
	for _, t := range append(s.required(), s.preferred()...) {
		for _, e := range t.lines() {
			known := len(s.nodes) == 0 || slices.ContainsFunc(s.nodes, func(n node) bool { _, has := e.valueOn(n); return has })
			if !known && e.Operator != "DoesNotExist" && e.Operator != "Gt" && e.Operator != "Lt" && !e.broken() {
				want["no node has the label "+e.Key] = true
			}
		}
	}
	for _, at := range s.broken() {
		want[at] = true
	}
	certain := s.NodeAffinity.Required == nil || len(s.required()) > 0 && !slices.ContainsFunc(s.required(), term.broken)
	if none := len(s.nodes) > 0 && s.taking(s.nodes) == 0; none && certain || got["danger"] && (none || len(s.nodes) == 0) {
		want["danger"] = true
	}
	delete(got, "")
	if !maps.Equal(got, want) || s.Code != code {
		wrong = append(wrong, fmt.Sprintf("placement check finds %v in %s on %.900s, and it is %v; exit code %d", got, s.Rules, s.Nodes, want, s.Code))
	}
	return 1, wrong
}

var noLabel = regexp.MustCompile(`^no node has the label [\w./-]+\w`)

// broken are the places of what cannot be read, from the end of the name of their affinity on.
func (r podRules) broken() (all []string) {
	if r.NodeAffinity.Required != nil && len(r.required()) == 0 {
		all = append(all, "Execution")
	}
	terms := func(format string, of []term) {
		for i, t := range of {
			for k, e := range t.MatchExpressions {
				if e.broken() {
					all = append(all, fmt.Sprintf("Execution"+format+".matchExpressions[%d].values", i, k))
				}
			}
		}
	}
	terms(".nodeSelectorTerms[%d]", r.required())
	if r.NodeAffinity.Preferred.weighted {
		terms("[%d].preference", r.preferred())
	} else {
		terms(".nodeSelectorTerms[%d]", r.preferred())
	}
	return all
}

func (r podRules) preferred() (all []term) {
	for _, w := range r.NodeAffinity.Preferred.terms {
		all = append(all, w.Preference)
	}
	return all
}

// countedNodes wants all of the rules in the words for them, and as many nodes as there are.
func countedNodes(s scheduled) (judged int, wrong []string) {
	var told struct {
		Items []struct {
			Sentence string
			Taking   *int
			Total    int
		}
	}
	if s.Command != "explain" || s.Wrong != "" || json.Unmarshal([]byte(s.Out), &told) != nil {
		return 0, nil
	}
	one, rest := told.Items[0], told.Items[0].Sentence
	follows := func(words string) {
		_, after, found := strings.Cut(rest, words)
		if rest = after; !found {
			wrong = append(wrong, fmt.Sprintf("placement explain says of %s %q, without %q in its place", s.Rules, one.Sentence, words))
		}
	}
	for _, t := range append(s.required(), s.preferred()...) {
		for _, e := range t.lines() {
			follows(map[string]string{"Exists": "have " + e.Key, "DoesNotExist": "have no " + e.Key, "NotIn": "whose " + e.Key + " is not "}[e.Operator])
			if values := strings.Join(e.Values, " or "); e.Operator != "Exists" && e.Operator != "DoesNotExist" {
				follows(values)
			}
		}
	}
	for _, t := range s.Tolerations {
		follows(t.Key)
		follows(t.Value)
		follows(t.Effect)
		follows(t.TolerationSeconds.String())
	}
	if (one.Taking != nil) != (len(s.nodes) > 0) || one.Total != len(s.nodes) || one.Taking != nil && *one.Taking != s.taking(s.nodes) {
		wrong = append(wrong, fmt.Sprintf("placement explain counts %.200s, and %d of %d nodes take the pods", s.Out, s.taking(s.nodes), len(s.nodes)))
	}
	return 1, wrong
}
