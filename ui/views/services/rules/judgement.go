package rules

import (
	"slices"
	"strconv"
	"strings"

	"geodeck/adminapi/finding"
	"geodeck/adminapi/placement"
	"geodeck/adminapi/plain"

	"github.com/charmbracelet/x/ansi"
)

// state is what the parts of the builder share: the policy as it is edited, the nodes,
// and what these make of it.
type state struct {
	inks    inks
	draft   draft
	cluster cluster
	judged  judged
	note    string // what the last key did, clean
	inside  bool   // keys go to the panel; where there is no room for both, it is shown
	// at returns the deployment in which the cursor rests: a key that changes something
	// ends a move of the cursor first.
	at func() int
}

// Judgement is what the nodes make of the rules of one deployment, and what is wrong
// with the policy.
type Judgement struct {
	question
	groups   []placement.Group // of the nodes
	summary  placement.Summary
	findings []placement.Finding
}

// question names a judgement: of which edit, which deployment, and which nodes. The zero
// one is none.
type question struct{ revision, item, cluster int }

// judged is the last judgement and what is shown of it.
type judged struct {
	Judgement
	byRow map[rowKey][]placement.Finding
}

// item returns the deployment in which the cursor rests, an empty one where there is none.
func (s *state) item() placement.Item { return s.draft.item(s.at()) }

// empty reports whether the policy has no deployment.
func (s *state) empty() bool { return len(s.draft.policy.Items()) == 0 }

// wanted is the judgement that the screen needs.
func (s *state) wanted() question {
	return question{revision: s.draft.revision, item: s.at(), cluster: s.cluster.version}
}

// outdated reports whether the screen needs another judgement than the one it shows.
func (s *state) outdated() bool { return s.wanted() != s.judged.question }

// Judging returns the function that works out the judgement that the screen waits for,
// nil where it waits for none. It captures values: it may run outside the update loop, and
// one that is overtaken by another edit is ignored by [Builder.Judge].
func (s *state) Judging() func() Judgement {
	if !s.outdated() {
		return nil
	}
	want, policy, nodes := s.wanted(), s.draft.policy, s.cluster.nodes
	// The findings of a policy are the same for each of its deployments.
	have := s.judged.Judgement
	checked := have.revision == want.revision && have.cluster == want.cluster
	return func() Judgement {
		j := Judgement{question: want, findings: have.findings}
		if len(policy.Items()) > 0 {
			verdicts := placement.Explain(itemOf(policy, want.item), nodes)
			j.groups, j.summary = placement.Groups(verdicts), placement.Summarize(verdicts)
		}
		if !checked {
			j.findings = placement.Check(policy, nodes)
		}
		return j
	}
}

// judge takes a judgement, and reports whether it is the one that the screen needs.
func (s *state) judge(j Judgement) bool {
	if s.wanted() != j.question {
		return false
	}
	s.judged = judged{Judgement: j, byRow: map[rowKey][]placement.Finding{}}
	for _, f := range j.findings {
		key := keyOf(f.In)
		s.judged.byRow[key] = append(s.judged.byRow[key], f)
	}
	return true
}

// typos are the words of the deployment that look misspelt and decide which nodes take its pods.
func (s *state) typos() (found []placement.Finding) {
	for _, f := range s.judged.findings {
		if f.ID == placement.Misspelt && f.In.Item == s.at() && f.In.Kind != placement.Preferred {
			found = append(found, f)
		}
	}
	return found
}

// pendingSign marks a judgement that is outdated.
func (s *state) pendingSign() string {
	if !s.outdated() {
		return ""
	}
	return " " + s.inks.Muted.On(s.inks.Glyphs.Ellipsis)
}

// findingCount says how much is wrong.
func (s *state) findingCount() string {
	var count [finding.Block + 1]int
	for _, f := range s.judged.findings {
		count[f.Strength]++
	}
	k := &s.inks
	var parts []string
	for strength := finding.Block; strength >= finding.Note; strength-- {
		n := count[strength]
		if n == 0 {
			continue
		}
		glyph, ink := k.Weight(strength)
		switch strength {
		case finding.Block:
			parts = append(parts, ink.On(glyph+" "+strconv.Itoa(n)+" blocking"))
		case finding.Note:
			parts = append(parts, ink.On(plain.Plural(n, "note")))
		default:
			parts = append(parts, ink.On(glyph+" "+plain.Plural(n, strength.String())))
		}
	}
	switch {
	case len(parts) == 0 && len(s.cluster.nodes) == 0 && !s.empty():
		return k.Muted.On("rules are well formed")
	case len(parts) == 0:
		return k.Muted.On("no findings")
	}
	return strings.Join(parts, k.Muted.On(" "+k.Glyphs.Dot+" "))
}

// countLine says in a line how many nodes take the pods, as it was last judged, and how much is wrong.
func (s *state) countLine(width int) string {
	k, found := &s.inks, s.judged.summary
	rest := s.pendingSign() + k.Muted.On(" "+k.Glyphs.Dot+" ") + s.findingCount()
	before, sign, ink, text := "", "", k.Muted, found.Short()
	switch {
	case s.empty():
		text = "no deployment"
	case len(s.cluster.nodes) == 0:
		text = "No node list"
	case s.judged.cluster == 0:
		text = plain.Plural(len(s.cluster.nodes), "node")
	case found.Makeable:
		sign, ink = k.Weight(finding.Caution)
		sign += " "
	case found.None():
		sign, ink = k.Glyphs.Alert+" ", k.Fail
	default:
		before, ink = k.OK.On(k.Glyphs.Pass)+" ", k.Plain
	}
	return before + ink.On(sign+k.clean(text, width-ansi.StringWidth(rest)-2)) + rest
}

// cluster is the nodes, and what their labels and taints offer, found on first use.
type cluster struct {
	nodes   []placement.Node
	note    string // where they are from and how old they are; what to do where there are none
	version int    // counts the nodes that were given
	keys    []placement.Word
	values  map[string][]placement.Word
	taints  []placement.TaintCount
}

// set takes nodes, and reports whether they are others than before: the same slice is
// not, only its note may change.
func (c *cluster) set(nodes []placement.Node, note string) (others bool) {
	known := c.version > 0 && len(nodes) == len(c.nodes) && (len(nodes) == 0 || &nodes[0] == &c.nodes[0])
	if known {
		c.note = note
		return false
	}
	*c = cluster{nodes: nodes, note: note, version: c.version + 1}
	return true
}

// labelKeys are the keys of the labels.
func (c *cluster) labelKeys() []placement.Word {
	if c.keys == nil {
		c.keys = placement.LabelKeys(c.nodes)
	}
	return c.keys
}

// labelValues are the values of a label.
func (c *cluster) labelValues(key string) []placement.Word {
	if found, known := c.values[key]; known {
		return found
	}
	if c.values == nil {
		c.values = map[string][]placement.Word{}
	}
	c.values[key] = placement.LabelValues(c.nodes, key)
	return c.values[key]
}

// fieldNames are the fields of the nodes that a line of matchFields can look at.
func (c *cluster) fieldNames() []placement.Word {
	return []placement.Word{{Text: "metadata.name", Nodes: len(c.nodes)}}
}

// names are the names of the nodes, which a line of matchFields looks at.
func (c *cluster) names() (found []placement.Word) {
	for i := range c.nodes {
		found = append(found, placement.Word{Text: c.nodes[i].Name, Nodes: 1})
	}
	return found
}

func (c *cluster) allTaints() []placement.TaintCount {
	if c.taints == nil {
		c.taints = placement.Taints(c.nodes)
	}
	return c.taints
}

// taintKeys are the keys of the taints; a node with two taints of a key counts twice.
func (c *cluster) taintKeys() []placement.Word {
	return c.ofTaints(func(t placement.TaintCount) (string, bool) { return t.Key, true })
}

// taintValues are the values that taints with a key have.
func (c *cluster) taintValues(key string) []placement.Word {
	return c.ofTaints(func(t placement.TaintCount) (string, bool) { return t.Value, t.Key == key && t.Value != "" })
}

// taintEffects counts how often taints with a key have an effect; without a key all.
func (c *cluster) taintEffects(key, effect string) int {
	n := 0
	for _, t := range c.allTaints() {
		if (key == "" || t.Key == key) && (effect == "" || t.Effect == effect) {
			n += t.Nodes
		}
	}
	return n
}

func (c *cluster) ofTaints(text func(t placement.TaintCount) (string, bool)) (found []placement.Word) {
	for _, t := range c.allTaints() {
		word, ok := text(t)
		if !ok {
			continue
		}
		i := slices.IndexFunc(found, func(w placement.Word) bool { return w.Text == word })
		if i < 0 {
			i = len(found)
			found = append(found, placement.Word{Text: word})
		}
		found[i].Nodes += t.Nodes
	}
	return found
}
