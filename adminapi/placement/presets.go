package placement

// Preset is a rule that many sites use.
type Preset struct {
	ID    string // such as "gpu"
	Title string // a few words
	Text  string // what it does, one sentence
	// Key and Value are proposals for the label it looks at. An empty ValueLabel
	// means that the preset has no use for a value, an empty KeyLabel none for a key.
	Key, Value           string
	KeyLabel, ValueLabel string
}

// Presets returns the presets in the order in which they are offered. With nodes,
// key and value are those of the nodes where any fits.
func Presets(nodes []Node) []Preset { panic("contract only") }

// Apply gives an item the rules of a preset in place of its own affinity; its
// tolerations stay, one that the preset needs is added. Kept members stay.
func (s Preset) Apply(p Policy, item int, key, value string) (Policy, error) {
	panic("contract only")
}
