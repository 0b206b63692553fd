package rules

import (
	"slices"
	"strings"

	"geodeck/adminapi/placement"
)

// cluster is the nodes, and what their labels and taints offer, found on first use.
type cluster struct {
	nodes   []placement.Node
	note    string // where they are from and how old they are; what to do where there are none
	version int    // counts the nodes that were given
	keys    []placement.Word
	values  map[string][]placement.Word
	taints  []placement.TaintCount
}

// set takes other nodes, and reports whether they are others: the very slice that was
// given before is not, only its note may be.
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

// names are the names of the nodes, which a line of matchFields looks at.
func (c *cluster) names() []placement.Word {
	found := make([]placement.Word, len(c.nodes))
	for i := range c.nodes {
		found[i] = placement.Word{Text: c.nodes[i].Name, Nodes: 1}
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

// matching returns the words that a text leads to: those that begin with it, then
// those that hold it.
func matching(all []placement.Word, text string) (found []placement.Word) {
	text = strings.ToLower(text)
	var holding []placement.Word
	for _, w := range all {
		switch lower := strings.ToLower(w.Text); {
		case strings.HasPrefix(lower, text):
			found = append(found, w)
		case strings.Contains(lower, text):
			holding = append(holding, w)
		}
	}
	return append(found, holding...)
}
