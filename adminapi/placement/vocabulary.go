package placement

// Word is a key or value that nodes have, and how many have it.
type Word struct {
	Text  string // as it came
	Nodes int
}

// LabelKeys returns the keys of the labels of nodes, sorted.
func LabelKeys(nodes []Node) []Word { panic("contract only") }

// LabelValues returns the values that nodes have for a label, sorted.
func LabelValues(nodes []Node, key string) []Word { panic("contract only") }

// TaintCount is a taint and how many nodes have it.
type TaintCount struct {
	Taint
	Nodes int
}

// Taints returns the taints of nodes, sorted by key, value and effect.
func Taints(nodes []Node) []TaintCount { panic("contract only") }
