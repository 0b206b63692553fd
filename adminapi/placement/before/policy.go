package before

import "slices"

// What a policy may have at most. One of a service has a few dozen lines, and
// Kubernetes itself stores no object that is much larger.
const (
	MaxSize  = 1 << 20 // bytes
	MaxDepth = 100     // objects and lists within each other
	MaxLines = 1000    // of a term: the scheduler's library takes very long for more
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
	root       *value
	lead, tail string // white space around the JSON
	layout     layout
	form       Form
	items      []Item
}

// Parse reads a policy in any [Form]. Unknown keys, and values of a kind that
// nobody expects, are kept; [Check] tells of the latter. The error is a
// [*SyntaxError].
func Parse(data []byte) (Policy, error) {
	if len(data) > MaxSize {
		return Policy{}, &SyntaxError{Message: "the text is too large: at most 1 MiB is read"}
	}
	text := string(data)
	root, start, end, err := readValue(text)
	if err != nil {
		return Policy{}, err
	}
	form, err := formOf(root)
	if err != nil {
		return Policy{}, err
	}
	p := Policy{lead: text[:start], tail: text[end:], layout: layoutOf(text[start:end]), form: form}
	p = p.of(root)
	if p.hasEndlessTerm() {
		return Policy{}, &SyntaxError{Message: "a term has more than 1000 lines"}
	}
	return p, nil
}

func (p Policy) hasEndlessTerm() bool {
	return slices.ContainsFunc(p.items, func(i Item) bool {
		return i.hasTerm(func(t Term) bool { return len(t.Lines) > MaxLines })
	})
}

func formOf(root *value) (Form, error) {
	list := root.get("placementPolicy")
	switch {
	case !root.is('{'):
		return 0, &SyntaxError{Message: "this is no placement policy: the outermost value must be an object"}
	case list.is('['):
		return WholePolicy, nil
	case list != nil:
		return 0, &SyntaxError{Message: "this is no placement policy: placementPolicy must be a list"}
	case root.get("podPlacementPolicy") != nil:
		return OneItem, nil
	case root.get(keyAffinity) != nil || root.get(keyTolerations) != nil:
		return BareRules, nil
	}
	return 0, &SyntaxError{
		Message: "this is no placement policy: it has none of the keys placementPolicy, podPlacementPolicy, nodeAffinity and tolerations"}
}

// of returns the policy with another content.
func (p Policy) of(root *value) Policy {
	p.root = root
	p.items = p.readItems()
	return p
}

// Form returns what the text held.
func (p Policy) Form() Form { return p.form }

// Bytes returns the JSON. What no edit has touched is as it was parsed, byte for
// byte.
func (p Policy) Bytes() []byte {
	if p.root == nil {
		return nil
	}
	return append(p.layout.write([]byte(p.lead), p.root, 0), p.tail...)
}

// Items returns the deployments of the policy in their order, one for a form
// other than [WholePolicy]. The slice is shared: read it only.
func (p Policy) Items() []Item { return p.items }

// itemSteps is the way to the rules of an item.
func (p Policy) itemSteps(item int) []step {
	switch p.form {
	case WholePolicy:
		return []step{name("placementPolicy"), index(item), name("podPlacementPolicy")}
	case OneItem:
		return []step{name("podPlacementPolicy")}
	}
	return nil
}
