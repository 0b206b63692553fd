// Package placement says what a pod placement policy means: which nodes its
// rules pick and why, what is wrong with it, and how it reads in plain words. It
// changes a policy without losing what it does not know. Nodes are matched by the
// scheduler's own library. It is pure: no I/O, no clock.
//
// Start at [Parse] for a policy and [ReadNodes] for the nodes of a cluster; then
// [Check], [Sentence] and [Explain]. Keys, values and names in a policy and in
// nodes are as they were written: they are cleaned by package plain before a
// person sees them. Sentences and findings are clean as they are.
package placement

import (
	"errors"
	"slices"
	"strconv"

	"geodeck/adminapi/document"
)

// What a policy may have at most. One of a service has a few dozen lines, and
// Kubernetes itself stores no object that is much larger.
const (
	MaxSize  = 1 << 20 // bytes
	MaxDepth = 100     // levels of objects and lists
	MaxLines = 1000    // of a term: the scheduler's library takes very long for more
)

// Form says what a text held.
type Form uint8

// The forms. The zero Form is none.
const (
	WholePolicy Form = iota + 1 // an object with the list placementPolicy: what a site answers and takes
	OneItem                     // an object with podPlacementPolicy: one deployment of the list, or the settings of upgrades
	BareRules                   // an object with nodeAffinity and tolerations: a podPlacementPolicy alone
	StoreRules                  // an object with the list placementPolicies: the file that places stores when a site is configured
)

// Policy is a placement policy with its exact JSON. It never changes, every edit
// returns a new one; several goroutines may read it. The zero Policy has no item.
type Policy struct {
	doc    *document.Document
	layout layout
	form   Form
	items  []Item
}

// Parse reads a policy in any [Form]. Unknown keys, and values of an unexpected kind,
// are kept; [Check] reports the latter. The error of a text that is no JSON is a
// [*document.SyntaxError].
func Parse(data []byte) (Policy, error) {
	if len(data) > MaxSize {
		return Policy{}, errTooLarge
	}
	doc, err := document.Parse(data)
	if err != nil {
		return Policy{}, err
	}
	return FromDocument(doc)
}

var errTooLarge = errors.New("the text is too large: at most 1 MiB is read")

// FromDocument reads a policy as [Parse] does.
func FromDocument(doc *document.Document) (Policy, error) {
	if len(doc.Text()) > MaxSize {
		return Policy{}, errTooLarge
	}
	if at, deeper := below(doc.Root(), MaxDepth); deeper {
		start, _ := at.Span()
		line, column := doc.Position(start)
		return Policy{}, errors.New("line " + strconv.Itoa(line) + ", column " + strconv.Itoa(column) +
			": more than " + strconv.Itoa(MaxDepth) + " levels of objects and lists")
	}
	form, err := detectForm(doc.Root())
	if err != nil {
		return Policy{}, err
	}
	p := Policy{layout: layoutOf(doc.Root().Raw()), form: form}.withDocument(doc)
	for _, i := range p.items {
		if i.hasTerm(func(t Term) bool { return len(t.Lines) > MaxLines }) {
			return Policy{}, errors.New("a term has more than 1000 lines")
		}
	}
	return p, nil
}

// below returns the first object or list that is so deep below a value.
func below(n document.Node, depth int) (document.Node, bool) {
	if n.Kind() < document.Object || depth == 0 {
		return n, n.Kind() >= document.Object
	}
	for inner := range n.Children() {
		if at, deeper := below(inner, depth-1); deeper {
			return at, true
		}
	}
	return n, false
}

func detectForm(root document.Node) (Form, error) {
	list, listed := root.Child(keyPolicy)
	stores, _ := root.Child(keyStores)
	has := func(key string) bool { _, ok := root.Child(key); return ok }
	switch {
	case root.Kind() != document.Object:
		return 0, errors.New("this is not a placement policy: the outermost value must be an object")
	case list.Kind() == document.Array:
		return WholePolicy, nil
	case listed:
		return 0, errors.New("this is not a placement policy: placementPolicy must be a list")
	case stores.Kind() == document.Array:
		return StoreRules, nil
	case has(keyRules):
		return OneItem, nil
	case has(keyAffinity) || has(keyTolerations):
		return BareRules, nil
	}
	return 0, errors.New("this is not a placement policy: it has none of the keys placementPolicy, placementPolicies, podPlacementPolicy, nodeAffinity and tolerations")
}

// withDocument returns the policy with another content.
func (p Policy) withDocument(doc *document.Document) Policy {
	p.doc = doc
	p.items = p.readItems()
	return p
}

// Form returns what the text held.
func (p Policy) Form() Form { return p.form }

// Document returns the JSON; nil for the zero Policy. What no edit has touched is as
// it was parsed, byte for byte.
func (p Policy) Document() *document.Document { return p.doc }

// Bytes returns the text of the document.
func (p Policy) Bytes() []byte {
	if p.doc == nil {
		return nil
	}
	return p.doc.Bytes()
}

// Items returns the deployments of the policy in their order, one for a form
// other than [WholePolicy]. The slice is shared: read it only.
func (p Policy) Items() []Item { return p.items }

// DeploymentIDs returns the ids of the deployments that it names, each once, in its order.
func (p Policy) DeploymentIDs() (ids []string) {
	for _, item := range p.items {
		if item.DeploymentID != "" && !slices.Contains(ids, item.DeploymentID) {
			ids = append(ids, item.DeploymentID)
		}
	}
	return ids
}

// Term returns the term at a place that the policy has.
func (p Policy) Term(at Place) Term { return p.items[at.Item].Affinity(at.Kind).Terms[at.Term] }

// Line returns the line at a place that the policy has.
func (p Policy) Line(at Place) Line { return p.Term(at).Lines[at.Line] }

// Toleration returns the toleration at a place that the policy has.
func (p Policy) Toleration(at Place) Toleration { return p.items[at.Item].Tolerations[at.Toleration] }

// Rules returns the rules of an item as they are written, empty where it has none.
func (p Policy) Rules(item int) string {
	n, ok := p.doc.Find(p.RulesPath(item))
	if !ok {
		return ""
	}
	return n.Raw()
}

// RulesPath leads to the rules of an item.
func (p Policy) RulesPath(item int) document.Path {
	switch p.form {
	case WholePolicy:
		return document.Path(keyPolicy).Index(item).Key(keyRules)
	case StoreRules:
		return document.Path(keyStores).Index(item).Key(keyPolicy)
	case OneItem:
		return keyRules
	}
	return document.Whole
}

// termsPath leads to the list of terms.
func (p Policy) termsPath(item int, kind Kind) document.Path {
	affinity := p.RulesPath(item).Key(keyAffinity).Key(kind.key())
	if p.items[item].Affinity(kind).Shape == WeightedList {
		return affinity
	}
	return affinity.Key(keyTerms)
}

// selectorPath leads to the lines of a term, past its weight.
func (p Policy) selectorPath(at Place) document.Path {
	term := p.termsPath(at.Item, at.Kind).Index(at.Term)
	if p.items[at.Item].Affinity(at.Kind).Shape == WeightedList {
		return term.Key(keyPreference)
	}
	return term
}

// path leads to a part of the policy. Lines that look at labels come before those of
// matchFields.
func (p Policy) path(at Place) document.Path {
	rules := p.RulesPath(at.Item)
	switch at.Part {
	case ItemPart:
		return rules
	case AffinityPart:
		return rules.Key(keyAffinity).Key(at.Kind.key())
	case TermPart:
		return p.termsPath(at.Item, at.Kind).Index(at.Term)
	case TolerationsPart:
		return rules.Key(keyTolerations)
	case TolerationPart:
		return rules.Key(keyTolerations).Index(at.Toleration)
	}
	expressions := p.selectorPath(at).Key(keyExpressions)
	if list := p.at(expressions); list.Kind() != document.Array {
		return p.selectorPath(at).Key(keyFields).Index(at.Line)
	} else if at.Line >= list.Len() {
		return p.selectorPath(at).Key(keyFields).Index(at.Line - list.Len())
	}
	return expressions.Index(at.Line)
}

// PathOf leads to a part of the policy, or to what it would be in.
func (p Policy) PathOf(at Place) document.Path {
	path := p.path(at)
	for !p.at(path).Valid() {
		path = path.Parent()
	}
	return p.at(path).Path()
}

// at returns the value at a path, an invalid node where there is none.
func (p Policy) at(path document.Path) document.Node {
	n, _ := p.doc.Find(path)
	return n
}

// child returns a member of an object, an invalid node where there is none.
func child(n document.Node, name string) document.Node {
	found, _ := n.Child(name)
	return found
}

// isMissing reports whether there is nothing, or null, which Kubernetes takes for
// nothing.
func isMissing(n document.Node) bool { return !n.Valid() || n.Kind() == document.Null }

// holds reports whether the policy has the part that a place points at.
func (p Policy) holds(at Place) bool {
	if at.Item < 0 || at.Item >= len(p.items) {
		return false
	}
	i := p.items[at.Item]
	switch at.Part {
	case ItemPart, TolerationsPart:
		return true
	case AffinityPart:
		return i.Affinity(at.Kind).Present
	case TolerationPart:
		return at.Toleration >= 0 && at.Toleration < len(i.Tolerations)
	}
	terms := i.Affinity(at.Kind).Terms
	if at.Kind != Required && at.Kind != Preferred || at.Term < 0 || at.Term >= len(terms) {
		return false
	}
	return at.Part == TermPart || at.Line >= 0 && at.Line < len(terms[at.Term].Lines)
}
