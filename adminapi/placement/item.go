package placement

import "geodeck/adminapi/document"

// Item is what one deployment of a service asks of nodes. Its slices are shared
// with the policy: read them only.
type Item struct {
	DeploymentType, DeploymentID string
	Components                   []string // of [StoreRules]: the stores whose pods they place

	Required    Affinity
	Preferred   Affinity
	Tolerations []Toleration

	// UnknownKeys names the members that this package has no field for, as paths from
	// the item, clean. They go back as they came.
	UnknownKeys []string

	path   document.Path // of the rules, such as placementPolicy[0].podPlacementPolicy
	faults []Finding
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
func (k Kind) String() string {
	return [...]string{"none", "required", "preferred", "both"}[k]
}

// term begins the name of a term: those that are required go without saying.
func (k Kind) term() string {
	if k == Preferred {
		return "preferred term "
	}
	return "term "
}

// key is the name of the affinity in the JSON.
func (k Kind) key() string {
	if k == Preferred {
		return "preferredDuringSchedulingIgnoredDuringExecution"
	}
	return "requiredDuringSchedulingIgnoredDuringExecution"
}

// Shape says how preferred terms are written.
type Shape uint8

// The shapes. Required terms are always in nodeSelectorTerms.
const (
	SelectorTerms Shape = iota // {nodeSelectorTerms:[{matchExpressions}]}: the contract of the API
	WeightedList               // [{weight,preference:{matchExpressions}}]: plain Kubernetes
)

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

// The effects of a taint, and the operator of a toleration other than Exists.
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

// The keys of the JSON.
const (
	keyPolicy      = "placementPolicy"
	keyRules       = "podPlacementPolicy"
	keyStores      = "placementPolicies"
	keyComponents  = "components"
	keyAffinity    = "nodeAffinity"
	keyTolerations = "tolerations"
	keyTerms       = "nodeSelectorTerms"
	keyWeight      = "weight"
	keyPreference  = "preference"
	keyExpressions = "matchExpressions"
	keyFields      = "matchFields"
	keyKey         = "key"
	keyOperator    = "operator"
	keyValues      = "values"
	keyEffect      = "effect"
	keyValue       = "value"
	keySeconds     = "tolerationSeconds"
)

// Part says what a [Place] points at.
type Part uint8

// The parts of a policy.
const (
	ItemPart     Part = iota
	AffinityPart      // the required or the preferred affinity with all its terms
	TermPart
	LinePart
	TolerationsPart // all of them
	TolerationPart
)

// Place points at a part of a policy; indices count from 0. Places can be compared.
type Place struct {
	Part       Part
	Item       int
	Kind       Kind // Required or Preferred, of an affinity, a term and a line
	Term, Line int
	Toleration int
}

// Name names a part of a deployment.
func (at Place) Name() string {
	switch at.Part {
	case AffinityPart:
		return at.Kind.String() + " affinity"
	case TermPart:
		return at.Kind.term() + ordinal(at.Term)
	case LinePart:
		return at.Kind.term() + ordinal(at.Term) + ", line " + ordinal(at.Line)
	case TolerationsPart:
		return "tolerations"
	case TolerationPart:
		return "toleration " + ordinal(at.Toleration)
	}
	return "deployment"
}

// AtItem points at a deployment.
func AtItem(item int) Place { return Place{Part: ItemPart, Item: item} }

// AtAffinity points at the required or preferred affinity.
func AtAffinity(item int, kind Kind) Place {
	return Place{Part: AffinityPart, Item: item, Kind: kind}
}

// AtTolerations points at all tolerations.
func AtTolerations(item int) Place { return Place{Part: TolerationsPart, Item: item} }

// AtTerm points at a term of the required or preferred affinity.
func AtTerm(item int, kind Kind, term int) Place {
	return Place{Part: TermPart, Item: item, Kind: kind, Term: term}
}

// AtLine points at a line of a term.
func AtLine(item int, kind Kind, term, line int) Place {
	return Place{Part: LinePart, Item: item, Kind: kind, Term: term, Line: line}
}

// AtToleration points at a toleration.
func AtToleration(item, toleration int) Place {
	return Place{Part: TolerationPart, Item: item, Toleration: toleration}
}

// Moved points at another element of the list that the place is in.
func (at Place) Moved(by int) Place {
	switch at.Part {
	case TermPart:
		at.Term += by
	case LinePart:
		at.Line += by
	case TolerationPart:
		at.Toleration += by
	}
	return at
}
