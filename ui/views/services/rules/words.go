package rules

import (
	"slices"
	"strings"

	"geodeck/adminapi/placement"
)

// words are what the labels and taints of the nodes offer, found when it is first
// asked for.
type words struct {
	nodes  []placement.Node
	keys   []placement.Word
	values map[string][]placement.Word
	taints []placement.TaintCount
}

// labelKeys are the keys of the labels.
func (w *words) labelKeys() []placement.Word {
	if w.keys == nil {
		w.keys = placement.LabelKeys(w.nodes)
	}
	return w.keys
}

// labelValues are the values of a label.
func (w *words) labelValues(key string) []placement.Word {
	if found, known := w.values[key]; known {
		return found
	}
	if w.values == nil {
		w.values = map[string][]placement.Word{}
	}
	w.values[key] = placement.LabelValues(w.nodes, key)
	return w.values[key]
}

// names are the names of the nodes, which a line of matchFields looks at.
func (w *words) names() []placement.Word {
	found := make([]placement.Word, len(w.nodes))
	for i := range w.nodes {
		found[i] = placement.Word{Text: w.nodes[i].Name, Nodes: 1}
	}
	return found
}

func (w *words) allTaints() []placement.TaintCount {
	if w.taints == nil {
		w.taints = placement.Taints(w.nodes)
	}
	return w.taints
}

// taintKeys are the keys of the taints; a node with two taints of a key counts twice.
func (w *words) taintKeys() []placement.Word {
	return w.ofTaints(func(t placement.TaintCount) (string, bool) { return t.Key, true })
}

// taintValues are the values that taints with a key have.
func (w *words) taintValues(key string) []placement.Word {
	return w.ofTaints(func(t placement.TaintCount) (string, bool) { return t.Value, t.Key == key && t.Value != "" })
}

// taintEffects counts how often taints with a key have an effect; without a key all.
func (w *words) taintEffects(key, effect string) int {
	n := 0
	for _, t := range w.allTaints() {
		if (key == "" || t.Key == key) && (effect == "" || t.Effect == effect) {
			n += t.Nodes
		}
	}
	return n
}

func (w *words) ofTaints(text func(t placement.TaintCount) (string, bool)) (found []placement.Word) {
	for _, t := range w.allTaints() {
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
