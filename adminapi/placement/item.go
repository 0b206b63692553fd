package placement

// Kind says how binding the node affinity is.
type Kind uint8

// The kinds. A policy may have both at once.
const (
	None Kind = iota
	Required
	Preferred
	Both
)

// String returns the kind in one word.
func (k Kind) String() string { panic("contract only") }

// Item is what one deployment of a service asks of nodes. Its slices are shared
// with the policy: read them only.
type Item struct {
	DeploymentType, DeploymentID string

	Required    Affinity
	Preferred   Affinity
	Tolerations []Toleration

	// Kept names the members that this package has no field for, as paths from
	// the item, clean. They go back as they came.
	Kept []string

	faults []fault
}

// Kind returns which of the two affinities the item has.
func (i Item) Kind() Kind { panic("contract only") }

// Affinity returns the required or the preferred affinity.
func (i Item) Affinity(k Kind) Affinity { panic("contract only") }

// Shape says how preferred terms are written.
type Shape uint8

// The shapes. Required terms are always in nodeSelectorTerms.
const (
	SelectorTerms Shape = iota // {nodeSelectorTerms:[{matchExpressions}]}: the contract of the API
	WeightedList               // [{weight,preference:{matchExpressions}}]: plain Kubernetes
)

// Affinity is a list of terms, any of which is enough.
type Affinity struct {
	Present bool
	Shape   Shape
	Terms   []Term
}

// Term is a list of lines, all of which must hold. Lines of matchFields, which
// look at the node's name instead of its labels, come last.
type Term struct {
	Weight int // from 1 to 100 in a WeightedList, else 0
	Lines  []Line
}

// The operators of a line. Gt and Lt are of Kubernetes, not of the API's contract.
const (
	In           = "In"
	NotIn        = "NotIn"
	Exists       = "Exists"
	DoesNotExist = "DoesNotExist"
	Gt           = "Gt"
	Lt           = "Lt"
)

// Operators returns the operators that the API's contract allows in a line.
func Operators() []string { return []string{In, NotIn, Exists, DoesNotExist} }

// Line is one condition on a node.
type Line struct {
	Key, Operator string
	Values        []string
	Field         bool // of matchFields
}

// The effects of a taint and the operator of a toleration beside Exists.
const (
	NoSchedule       = "NoSchedule"
	PreferNoSchedule = "PreferNoSchedule"
	NoExecute        = "NoExecute"
	Equal            = "Equal"
)

// Effects returns the effects of taints and tolerations.
func Effects() []string { return []string{NoSchedule, PreferNoSchedule, NoExecute} }

// TolerationOperators returns the operators that the API's contract allows in a
// toleration.
func TolerationOperators() []string { return []string{Equal, Exists} }

// Toleration lets pods on nodes with a taint. An empty key tolerates every key, an
// empty effect every effect, an empty operator is Equal.
type Toleration struct {
	Effect, Key, Operator, Value string
	// Seconds is how long pods stay after a NoExecute taint comes: a number as
	// it was written, "" for ever.
	Seconds string
}

// fault is a value of a kind that nobody expects.
type fault struct {
	path, text string
	at         Place
}
