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
	"bytes"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"geodeck/adminapi/document"
	"geodeck/adminapi/plain"

	"github.com/go-json-experiment/json/jsontext"
)

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
	doc    *document.Document
	layout layout
	form   Form
	items  []Item
}

// Parse reads a policy in any [Form]. Unknown keys, and values of an
// unexpected kind, are kept; [Check] reports the latter. The error is a
// [*SyntaxError].
func Parse(data []byte) (Policy, error) {
	if len(data) > MaxSize {
		return Policy{}, &SyntaxError{Message: "the text is too large: at most 1 MiB is read"}
	}
	doc, err := document.Parse(data)
	if err != nil || isDeeper(doc.Root(), MaxDepth) {
		return Policy{}, syntaxError(string(data))
	}
	form, err := detectForm(doc.Root())
	if err != nil {
		return Policy{}, err
	}
	p := Policy{layout: layoutOf(doc.Root().Raw()), form: form}.withDocument(doc)
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

func detectForm(root document.Node) (Form, error) {
	list, listed := root.Child("placementPolicy")
	has := func(key string) bool { _, ok := root.Child(key); return ok }
	switch {
	case root.Kind() != document.Object:
		return 0, &SyntaxError{Message: "this is no placement policy: the outermost value must be an object"}
	case list.Kind() == document.Array:
		return WholePolicy, nil
	case listed:
		return 0, &SyntaxError{Message: "this is no placement policy: placementPolicy must be a list"}
	case has("podPlacementPolicy"):
		return OneItem, nil
	case has(keyAffinity) || has(keyTolerations):
		return BareRules, nil
	}
	return 0, &SyntaxError{
		Message: "this is no placement policy: it has none of the keys placementPolicy, podPlacementPolicy, nodeAffinity and tolerations"}
}

// withDocument returns the policy with another content.
func (p Policy) withDocument(doc *document.Document) Policy {
	p.doc = doc
	p.items = p.readItems()
	return p
}

// Form returns what the text held.
func (p Policy) Form() Form { return p.form }

// Bytes returns the JSON. What no edit has touched is as it was parsed, byte for
// byte.
func (p Policy) Bytes() []byte {
	if p.doc == nil {
		return nil
	}
	return p.doc.Bytes()
}

// Items returns the deployments of the policy in their order, one for a form
// other than [WholePolicy]. The slice is shared: read it only.
func (p Policy) Items() []Item { return p.items }

// itemSteps leads to the rules of an item.
func (p Policy) itemSteps(item int) []step {
	switch p.form {
	case WholePolicy:
		return []step{name("placementPolicy"), index(item), name("podPlacementPolicy")}
	case OneItem:
		return []step{name("podPlacementPolicy")}
	}
	return nil
}

// step leads to a member by its name, or where that is "" to an element by its index.
type step struct {
	name  string
	index int
}

func name(name string) step { return step{name: name} }
func index(i int) step      { return step{index: i} }

// at returns the value at the end of some steps, an invalid node where it does not
// exist.
func (p Policy) at(steps ...step) document.Node {
	n := p.doc.Root()
	for _, s := range steps {
		n = follow(n, s)
	}
	return n
}

func follow(n document.Node, s step) document.Node {
	if s.name != "" {
		return child(n, s.name)
	}
	if n.Kind() == document.Array {
		for element := range n.Children() {
			if element.Index() == s.index {
				return element
			}
		}
	}
	return document.Node{}
}

// child returns a member of an object, an invalid node where there is none.
func child(n document.Node, name string) document.Node {
	found, _ := n.Child(name)
	return found
}

// isMissing reports whether there is nothing, or null, which Kubernetes takes for
// nothing.
func isMissing(n document.Node) bool { return !n.Valid() || n.Kind() == document.Null }

// isDeeper reports whether more objects and lists are within each other than so many.
func isDeeper(n document.Node, depth int) bool {
	if n.Kind() < document.Object {
		return false
	}
	if depth == 0 {
		return true
	}
	for inner := range n.Children() {
		if isDeeper(inner, depth-1) {
			return true
		}
	}
	return false
}

// SyntaxError is a text that is no policy, with the place as an editor counts it:
// lines and columns from 1; both 0 where no place is to blame.
type SyntaxError struct {
	Line, Column int
	Message      string // plain words, clean
}

// Error returns the message with its place.
func (e *SyntaxError) Error() string {
	if e.Line == 0 {
		return e.Message
	}
	return "line " + strconv.Itoa(e.Line) + ", column " + strconv.Itoa(e.Column) + ": " + e.Message
}

var (
	errTooDeep      = errors.New("more than " + strconv.Itoa(MaxDepth) + " objects and lists within each other")
	errTrailingText = errors.New("there is more after the end of the JSON")
	errDuplicateKey = errors.New("an object has the same key twice")
	errEmpty        = errors.New("the text is empty")
	errTruncated    = errors.New("the text ends before the JSON does")
)

// syntaxError says in plain words why a text cannot be read, and where.
func syntaxError(text string) error {
	in := jsontext.NewDecoder(bytes.NewBufferString(text))
	err := firstFault(in)
	offset := int(in.InputOffset())
	if syntactic, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		offset = int(syntactic.ByteOffset)
		if syntactic.Err != nil {
			err = syntactic.Err
		}
	}
	before := text[:min(max(offset, 0), len(text))]
	lineStart := strings.LastIndexByte(before, '\n') + 1
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		err = errDuplicateKey
	case strings.TrimSpace(before) == "" && errors.Is(err, io.EOF):
		err = errEmpty
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		err = errTruncated
	case err != errTooDeep:
		err = errors.New("this is not JSON: " + plain.Clip(err.Error(), 100))
	}
	return &SyntaxError{Line: 1 + strings.Count(before, "\n"), Column: 1 + len([]rune(before[lineStart:])), Message: err.Error()}
}

// firstFault reads a text up to what is wrong with it.
func firstFault(in *jsontext.Decoder) (err error) {
	for err == nil {
		kind := in.PeekKind()
		within, count := in.StackIndex(in.StackDepth())
		isName, isMember := within == '{' && count%2 == 0, within == '{' && count%2 == 1
		switch {
		case (kind == '}' || kind == ']') && in.StackDepth() > 0 && !isMember:
			_, err = in.ReadToken()
		case isName || kind != '{' && kind != '[':
			_, err = in.ReadValue()
		case in.StackDepth() >= MaxDepth:
			return errTooDeep
		default:
			_, err = in.ReadToken()
		}
		if err == nil && in.StackDepth() == 0 {
			_, _ = in.ReadToken() // the place is behind it
			return errTrailingText
		}
	}
	return err
}
