package before

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

	path   string // of the rules, such as placementPolicy[0].podPlacementPolicy
	faults []fault
}

// Kind returns which of the two affinities the item has.
func (i Item) Kind() Kind {
	switch {
	case i.Required.Present && i.Preferred.Present:
		return Both
	case i.Required.Present:
		return Required
	case i.Preferred.Present:
		return Preferred
	}
	return None
}

// Affinity returns the required or the preferred affinity.
func (i Item) Affinity(k Kind) Affinity {
	if k == Preferred {
		return i.Preferred
	}
	return i.Required
}

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

// Line is one condition on a node.
type Line struct {
	Key, Operator string
	Values        []string
	Field         bool // of matchFields
}

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
	at         Place
	path, text string
}
