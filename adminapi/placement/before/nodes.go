package before

// What is read of nodes at most.
const (
	MaxNodesJSON = 256 << 20 // bytes: thousands of nodes with all their images have that much
	MaxNodesYAML = 16 << 20  // bytes: YAML takes far longer to read
	MaxNodes     = 20_000
)

// Node is what the scheduler looks at in a node of the cluster, and what tells
// people which one it is. Text is as it came.
type Node struct {
	Name          string
	Labels        map[string]string
	Taints        []Taint
	Unschedulable bool // cordoned: takes no new pods that do not tolerate it
	Ready         Readiness
	Allocatable   []Resource // cpu, memory, pods, then what is extra, such as nvidia.com/gpu
}

// Taint repels pods that do not tolerate it.
type Taint struct{ Key, Value, Effect string }

// String returns the taint as kubectl writes it: key=value:effect; not cleaned.
func (t Taint) String() string {
	text := t.Key
	if t.Value != "" {
		text += "=" + t.Value
	}
	if t.Effect != "" {
		text += ":" + t.Effect
	}
	return text
}

// Resource is an amount that a node offers to pods, as it was written.
type Resource struct{ Name, Amount string }

// Readiness is the Ready condition of a node.
type Readiness uint8

// The conditions. One that is missing or unheard of is unknown.
const (
	ReadyUnknown Readiness = iota
	Ready
	NotReady
)

// String returns the condition in plain words.
func (r Readiness) String() string {
	switch r {
	case Ready:
		return "ready"
	case NotReady:
		return "not ready"
	}
	return "not known"
}

// NodesError is a text that holds no nodes.
type NodesError struct {
	Message string // plain words that say what to do, clean
}

// Error returns the message.
func (e *NodesError) Error() string { return e.Message }
