package placement

import (
	"slices"
	"strings"
)

// Preset is a rule that many sites use.
type Preset struct {
	ID    string `json:"id"`    // such as "gpu"
	Title string `json:"title"` // a few words
	Text  string `json:"text"`  // what it does, one sentence
	// Key and Value are proposals for the label it looks at. With an empty KeyLabel the
	// preset takes no key, with an empty ValueLabel no value.
	KeyLabel   string `json:"keyLabel,omitempty"`
	Key        string `json:"key,omitempty"`
	ValueLabel string `json:"valueLabel,omitempty"`
	Value      string `json:"value,omitempty"`

	keys       []string // which labels of nodes to propose: those that end so
	kind       Kind
	operator   string
	toleration string // operator of the tolerations that it adds, "" for none
	nodes      []Node // whose taints they tolerate
}

var presets = []Preset{
	{ID: "gpu", Title: "GPU nodes", Text: "Pods run only on nodes labelled for GPUs, and tolerate their taints.",
		Key: "nvidia.com/gpu", KeyLabel: "label of GPU nodes",
		keys: []string{"nvidia.com/gpu", "nvidia.com/gpu.present", "gpu"}, kind: Required, operator: Exists, toleration: Exists},
	{ID: "zone", Title: "One zone", Text: "Pods must run in one zone.",
		Key: "topology.kubernetes.io/zone", KeyLabel: "label of the zone", ValueLabel: "zone",
		keys: []string{"topology.kubernetes.io/zone", "zone"}, kind: Required, operator: In},
	{ID: "dedicated", Title: "A pool of their own", Text: "Pods run only on a pool's nodes, and tolerate its taints.",
		Key: "dedicated", Value: "gis", KeyLabel: "label of the pool", ValueLabel: "pool",
		keys: []string{"dedicated", "pool", "nodepool", "agentpool"}, kind: Required, operator: In, toleration: Equal},
	{ID: "prefer", Title: "Preferably a pool", Text: "Pods prefer a pool's nodes, and run elsewhere when it is full.",
		Key: "pool", Value: "gis", KeyLabel: "label of the pool", ValueLabel: "pool",
		keys: []string{"pool", "nodepool", "agentpool", "dedicated"}, kind: Preferred, operator: In},
	{ID: "avoid", Title: "Away from a pool", Text: "Pods must not run on a pool's nodes; unlabelled nodes are fine.",
		Key: "pool", Value: "system", KeyLabel: "label of the pool", ValueLabel: "pool to avoid",
		keys: []string{"pool", "nodepool", "agentpool", "dedicated"}, kind: Required, operator: NotIn},
	{ID: "anywhere", Title: "Anywhere", Text: "Removes the affinity: pods run on any node whose taints they tolerate.", kind: None},
}

// Presets returns the presets in the order in which they are offered. With nodes,
// key and value are those of the nodes where any fits, and tolerations answer the
// taints that these nodes have.
func Presets(nodes []Node) []Preset {
	offered := slices.Clone(presets)
	known := LabelKeys(nodes)
	for i := range offered {
		p := &offered[i]
		p.nodes = nodes
		for _, wanted := range p.keys {
			fits := func(key Word) bool { return key.Text == wanted || strings.HasSuffix(key.Text, "/"+wanted) }
			k := slices.IndexFunc(known, fits)
			if k < 0 {
				continue
			}
			p.Key = known[k].Text
			values := LabelValues(nodes, p.Key)
			if p.ValueLabel != "" && !slices.ContainsFunc(values, func(w Word) bool { return w.Text == p.Value }) {
				p.Value = values[0].Text
			}
			break
		}
	}
	return offered
}

// Apply gives an item the rules of a preset in place of its own affinity; its
// tolerations stay, those that the preset needs are added. Members that are not known here stay.
func (s Preset) Apply(p Policy, item int, key, value string) (Policy, error) {
	cleared, err := p.ClearAffinity(item)
	if err != nil || s.kind == None {
		return cleared, err
	}
	line := Line{Key: key, Operator: s.operator}
	if s.ValueLabel != "" {
		line.Values = []string{value}
	}
	edited, err := cleared.AddTerm(AtTerm(item, s.kind, 0), Term{Lines: []Line{line}})
	if err != nil || s.toleration == "" {
		return edited, err
	}
	for _, t := range s.tolerations(line) {
		own := edited.items[item].Tolerations
		if slices.ContainsFunc(own, t.coveredBy) {
			continue
		}
		if edited, err = edited.AddToleration(AtToleration(item, len(own)), t); err != nil {
			return Policy{}, err
		}
	}
	return edited, nil
}

// tolerations answer the taints that all nodes have which the line picks. Where no node
// is known that it picks, the taint is taken to be as the label.
func (s Preset) tolerations(l Line) (answers []Toleration) {
	picked := 0
	shared := map[Taint]int{}
	var order []Taint
	for i := range s.nodes {
		if !fits(Term{Lines: []Line{l}}, s.nodes[i]) {
			continue
		}
		picked++
		for _, t := range s.nodes[i].Taints {
			if t.Effect == PreferNoSchedule || !t.canBeSet() {
				continue
			}
			if shared[t]++; shared[t] == 1 {
				order = append(order, t)
			}
		}
	}
	if picked == 0 {
		taint := Taint{Key: l.Key, Effect: NoSchedule}
		if len(l.Values) > 0 {
			taint.Value = l.Values[0]
		}
		return []Toleration{s.tolerationFor(taint)}
	}
	for _, t := range order {
		if shared[t] == picked {
			answers = append(answers, s.tolerationFor(t))
		}
	}
	return answers
}

// tolerationFor is the toleration of a taint.
func (s Preset) tolerationFor(t Taint) Toleration {
	toleration := Toleration{Effect: t.Effect, Key: t.Key, Operator: s.toleration}
	if s.toleration == Equal {
		toleration.Value = t.Value
	}
	return toleration
}
