package placement

import "strings"

// Preset is a rule that many sites use.
type Preset struct {
	ID    string // such as "gpu"
	Title string // a few words
	Text  string // what it does, one sentence
	// Key and Value are proposals for the label it looks at. An empty KeyLabel
	// means that the preset has no use for a key, an empty ValueLabel none for a
	// value.
	Key, Value           string
	KeyLabel, ValueLabel string

	keys       []string // which labels of nodes to propose: those that end so
	kind       Kind
	operator   string
	toleration string // operator of the toleration that comes along, "" for none
}

var presets = []Preset{
	{ID: "gpu", Title: "GPU nodes", Text: "Pods must run on nodes that have the label of GPUs, and tolerate the taint that usually protects them.",
		Key: "nvidia.com/gpu", KeyLabel: "label and taint of GPU nodes",
		keys: []string{"nvidia.com/gpu", "nvidia.com/gpu.present", "gpu"}, kind: Required, operator: Exists, toleration: Exists},
	{ID: "zone", Title: "One zone", Text: "Pods must run in one zone.",
		Key: "topology.kubernetes.io/zone", KeyLabel: "label of the zone", ValueLabel: "zone",
		keys: []string{"topology.kubernetes.io/zone", "zone"}, kind: Required, operator: In},
	{ID: "dedicated", Title: "A pool of their own", Text: "Pods must run on the nodes of a pool and tolerate its taint, which keeps other pods off.",
		Key: "dedicated", Value: "gis", KeyLabel: "label and taint of the pool", ValueLabel: "pool",
		keys: []string{"dedicated", "pool", "nodepool", "agentpool"}, kind: Required, operator: In, toleration: Equal},
	{ID: "prefer", Title: "Preferably a pool", Text: "Pods go to the nodes of a pool if they have room, and to others if not.",
		Key: "pool", Value: "gis", KeyLabel: "label of the pool", ValueLabel: "pool",
		keys: []string{"pool", "nodepool", "agentpool", "dedicated"}, kind: Preferred, operator: In},
	{ID: "avoid", Title: "Away from a pool", Text: "Pods must not run on the nodes of a pool; nodes without the label are fine.",
		Key: "pool", Value: "system", KeyLabel: "label of the pool", ValueLabel: "pool to stay away from",
		keys: []string{"pool", "nodepool", "agentpool", "dedicated"}, kind: Required, operator: NotIn},
	{ID: "anywhere", Title: "Anywhere", Text: "Takes the affinity away: pods run on any node whose taints they tolerate.", kind: None},
}

// Presets returns the presets in the order in which they are offered. With nodes,
// key and value are those of the nodes where any fits.
func Presets(nodes []Node) []Preset {
	offered := make([]Preset, len(presets))
	copy(offered, presets)
	if len(nodes) == 0 {
		return offered
	}
	known := LabelKeys(nodes)
	for i := range offered {
		offered[i].propose(known, nodes)
	}
	return offered
}

// propose takes the first label of the nodes that suits, and its first value.
func (s *Preset) propose(known []Word, nodes []Node) {
	for _, wanted := range s.keys {
		for _, key := range known {
			if key.Text != wanted && !strings.HasSuffix(key.Text, "/"+wanted) {
				continue
			}
			s.Key = key.Text
			if values := LabelValues(nodes, key.Text); s.ValueLabel != "" && !hasWord(values, s.Value) {
				s.Value = values[0].Text
			}
			return
		}
	}
}

func hasWord(words []Word, text string) bool {
	for _, w := range words {
		if w.Text == text {
			return true
		}
	}
	return false
}

// Apply gives an item the rules of a preset in place of its own affinity; its
// tolerations stay, one that the preset needs is added. Kept members stay.
func (s Preset) Apply(p Policy, item int, key, value string) (Policy, error) {
	cleared, err := p.SetAffinity(item, None)
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
	toleration := Toleration{Effect: NoSchedule, Key: key, Operator: s.toleration}
	if s.toleration == Equal {
		toleration.Value = value
	}
	own := edited.items[item].Tolerations
	for _, t := range own {
		if toleration.coveredBy(t) {
			return edited, nil
		}
	}
	return edited.AddToleration(AtToleration(item, len(own)), toleration)
}
