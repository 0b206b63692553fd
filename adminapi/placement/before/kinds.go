package before

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
	switch k {
	case Required:
		return "required"
	case Preferred:
		return "preferred"
	case Both:
		return "both"
	}
	return "none"
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

// The keys of the JSON.
const (
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
