package placement

// What a policy may have at most. One of a service has a few dozen lines.
const (
	MaxSize  = 4 << 20 // bytes
	MaxDepth = 100     // objects and lists within each other
)

// Form says what a text held.
type Form uint8

// The forms. The zero Form is none.
const (
	WholePolicy Form = iota + 1 // an object with the list placementPolicy: what a site answers and takes
	OneItem                     // an object with podPlacementPolicy: one deployment of the list, or the settings of upgrades
	BareRules                   // an object with nodeAffinity and tolerations: a podPlacementPolicy alone
)

// Policy is a placement policy with its exact JSON. It never changes, every edit
// returns a new one; several goroutines may read it. The zero Policy has no item.
type Policy struct {
	root  *value
	form  Form
	items []Item
}

// Parse reads a policy in any [Form]. Unknown keys, and values of a kind that
// nobody expects, are kept; [Check] tells of the latter. The error is a
// [*SyntaxError].
func Parse(data []byte) (Policy, error) { panic("contract only") }

// Form returns what the text held.
func (p Policy) Form() Form { return p.form }

// Bytes returns the JSON. What no edit has touched is as it was parsed, byte for
// byte.
func (p Policy) Bytes() []byte { panic("contract only") }

// Items returns the deployments of the policy in their order, one for a form
// other than [WholePolicy]. The slice is shared: read it only.
func (p Policy) Items() []Item { return p.items }

// SyntaxError is a text that is no policy, with the place as an editor counts it:
// lines and columns from 1; both 0 where no place is to blame.
type SyntaxError struct {
	Line, Column int
	Message      string // plain words, clean
}

// Error returns the message with its place.
func (e *SyntaxError) Error() string { panic("contract only") }

type value struct{}
