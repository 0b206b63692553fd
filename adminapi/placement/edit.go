package placement

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"geodeck/adminapi/document"

	"github.com/go-json-experiment/json/jsontext"
)

var errNoPart = errors.New("there is no such part of the policy")

// The edits return a new policy; on an error it is as it was. What they do not touch
// keeps its bytes, unknown keys included.

// edited returns the policy with the document that an edit has made.
func (p Policy) edited(doc *document.Document, err error) (Policy, error) {
	if refused, ok := errors.AsType[*document.EditError](err); ok {
		return p, errors.New(refused.Message)
	}
	if err != nil || doc == p.doc {
		return p, err
	}
	return p.withDocument(doc), nil
}

// put changes the value at a path; objects on the way that are missing are made. A value
// of a kind that nobody expects is not overwritten on the way there.
func (p Policy) put(raw string, path document.Path) (Policy, error) {
	if n, ok := p.doc.Find(path); ok {
		return p.edited(p.doc.SetValue(path, p.layout.format(raw, n)))
	}
	for {
		step, _ := path.Last()
		path = path.Parent()
		switch n := p.at(path); {
		case n.Kind() == document.Object:
			return p.edited(p.doc.Apply([]document.Change{p.member(n, step.Key, raw)}))
		case !isMissing(n):
			return p, errors.New("this is not an object; edit it as JSON")
		}
		raw = object(step.Key, raw)
	}
}

// member gives a member of an object a value; a new one goes to the end.
func (p Policy) member(n document.Node, key, raw string) document.Change {
	if old := child(n, key); old.Valid() {
		return document.Change{Path: old.Path(), Kind: document.Changed, New: p.layout.format(raw, old)}
	}
	return document.Change{Path: n.Path().Key(key), Kind: document.Added, New: p.layout.format(raw, n), At: -1}
}

// insert puts an element into a list, which is made if it is missing.
func (p Policy) insert(i int, raw string, path document.Path) (Policy, error) {
	list := p.at(path)
	switch {
	case isMissing(list) && i == 0:
		return p.put("["+raw+"]", path)
	case !isMissing(list) && list.Kind() != document.Array:
		return p, errors.New("this is not a list; edit it as JSON")
	case isMissing(list) || i < 0 || i > list.Len():
		return p, errNoPart
	}
	return p.edited(p.doc.Insert(path, p.layout.format(raw, list), i))
}

// AddTerm puts a term at a place; one past the last is allowed. An affinity that
// is missing is made. In a weighted list a weight of 0 becomes 1.
func (p Policy) AddTerm(at Place, t Term) (Policy, error) {
	if !p.holds(AtItem(at.Item)) || at.Kind != Required && at.Kind != Preferred {
		return p, errNoPart
	}
	raw := termJSON(t)
	if p.items[at.Item].Affinity(at.Kind).Shape == WeightedList {
		raw = object(keyWeight, strconv.Itoa(max(t.Weight, 1)), keyPreference, raw)
	}
	return p.insert(at.Term, raw, p.termsPath(at.Item, at.Kind))
}

// AddLine puts a line at a place; one past the last is allowed. Lines of
// matchFields stay behind the others.
func (p Policy) AddLine(at Place, l Line) (Policy, error) {
	if !p.holds(AtTerm(at.Item, at.Kind, at.Term)) {
		return p, errNoPart
	}
	lines := p.Term(at).Lines
	labels := len(lines)
	if first := slices.IndexFunc(lines, func(l Line) bool { return l.Field }); first >= 0 {
		labels = first
	}
	switch {
	case at.Line < 0 || at.Line > len(lines):
		return p, errNoPart
	case l.Field:
		return p.insert(max(at.Line-labels, 0), lineJSON(l), p.selectorPath(at).Key(keyFields))
	}
	return p.insert(min(at.Line, labels), lineJSON(l), p.selectorPath(at).Key(keyExpressions))
}

// AddToleration puts a toleration at a place; one past the last is allowed.
func (p Policy) AddToleration(at Place, t Toleration) (Policy, error) {
	if !p.holds(AtItem(at.Item)) {
		return p, errNoPart
	}
	return p.insert(at.Toleration, tolerationJSON(t), p.RulesPath(at.Item).Key(keyTolerations))
}

// element finds the element that a place points at.
func (p Policy) element(at Place) (document.Node, error) {
	if at.Part == ItemPart || !p.holds(at) {
		return document.Node{}, errNoPart
	}
	return p.at(p.path(at)), nil
}

// Removed returns what goes with a part that is removed: a term with its last line, and an
// affinity with its last term, as the one would match no node and the other is refused.
func (p Policy) Removed(at Place) Place {
	if at.Part == LinePart && p.holds(at) && len(p.Term(at).Lines) == 1 {
		at = AtTerm(at.Item, at.Kind, at.Term)
	}
	if affinity := AtAffinity(at.Item, at.Kind); at.Part == TermPart && p.holds(at) && len(p.items[at.Item].Affinity(at.Kind).Terms) == 1 {
		if n := p.at(p.path(affinity)); n.Kind() == document.Array || n.Len() == 1 { // what is not known stays
			return affinity
		}
	}
	return at
}

// Remove removes an affinity, a term, a line or a toleration, with what [Policy.Removed] says.
func (p Policy) Remove(at Place) (Policy, error) {
	n, err := p.element(p.Removed(at))
	if err != nil {
		return p, err
	}
	return p.edited(p.doc.Remove(n.Path()))
}

// Copy puts a copy of a term, a line or a toleration behind it, unknown keys
// included.
func (p Policy) Copy(at Place) (Policy, error) {
	n, err := p.element(at)
	if err != nil {
		return p, err
	}
	raw := n.Raw()
	if strings.Contains(raw, "\n") {
		raw = n.Subtree()
	}
	return p.edited(p.doc.Insert(n.Parent().Path(), raw, n.Index()+1))
}

// Move moves a term, a line or a toleration down by a number of places, or up by
// a negative one, as far as there is room. It returns where it is now.
func (p Policy) Move(at Place, by int) (Policy, Place, error) {
	n, err := p.element(at)
	if err != nil {
		return p, at, err
	}
	to := min(max(n.Index()+by, 0), n.Parent().Len()-1)
	moved, err := p.edited(p.doc.Move(n.Path(), by))
	if err != nil {
		return p, at, err
	}
	return moved, at.Moved(to - n.Index()), nil
}

// MoveToOther moves a term to the end of the other affinity: from required to preferred, or
// back. It returns where it is now. Preferred terms are written as they were before; a new
// preferred affinity has the shape of the contract, without weights.
func (p Policy) MoveToOther(at Place) (Policy, Place, error) {
	n, err := p.element(at)
	if err != nil || at.Part != TermPart {
		return p, at, errNoPart
	}
	to := AtTerm(at.Item, Required+Preferred-at.Kind, 0)
	other := p.items[at.Item].Affinity(to.Kind)
	to.Term = len(other.Terms)
	if p.items[at.Item].Affinity(at.Kind).Shape == WeightedList {
		if n.Len() > 2 {
			return p, at, errors.New("the term has keys that only a weighted one can keep; edit it as JSON")
		}
		n = child(n, keyPreference)
	}
	raw := n.Raw()
	if other.Shape == WeightedList {
		raw = object(keyWeight, "1", keyPreference, raw)
	}
	moved, err := p.insert(to.Term, raw, p.termsPath(at.Item, to.Kind))
	if err == nil {
		moved, err = moved.Remove(at)
	}
	if err != nil {
		return p, at, err
	}
	return moved, to, nil
}

// CopyRules gives an item the affinity and the tolerations of another item, often
// of another policy, unknown keys included. Its deployment stays its own.
func (p Policy) CopyRules(item int, from Policy, fromItem int) (Policy, error) {
	if !p.holds(AtItem(item)) || !from.holds(AtItem(fromItem)) {
		return p, errNoPart
	}
	raw := "{}"
	if rules := from.at(from.RulesPath(fromItem)); !isMissing(rules) {
		raw = rules.Raw()
	}
	return p.put(raw, p.RulesPath(item))
}

// CopyRulesOf is [Policy.CopyRules] from the first deployment of the same type of another
// policy, else from its first.
func (p Policy) CopyRulesOf(item int, from Policy) (Policy, error) {
	if !p.holds(AtItem(item)) || len(from.items) == 0 {
		return p, errNoPart
	}
	same := slices.IndexFunc(from.items, func(i Item) bool { return i.DeploymentType == p.items[item].DeploymentType })
	return p.CopyRules(item, from, max(0, same))
}

// layout is how a text is laid out: what is put into it follows it.
type layout struct {
	lines bool   // it has more than one line
	unit  string // of indentation
	blank bool   // behind colons
}

func layoutOf(text string) layout {
	l := layout{blank: strings.Contains(text, `": `), unit: "  "}
	_, rest, lines := strings.Cut(text, "\n")
	if unit := rest[:len(rest)-len(strings.TrimLeft(rest, " \t"))]; unit != "" {
		l.unit = unit
	}
	l.lines = lines
	return l
}

// format lays a value out for its place, which holds it or has had another one: an
// object or list on one line stays on one line.
func (l layout) format(raw string, place document.Node) string {
	options := []jsontext.Options{jsontext.PreserveRawStrings(true), jsontext.SpaceAfterColon(l.blank)}
	if onOneLine := place.Kind() >= document.Object && place.Len() > 0 && !strings.Contains(place.Raw(), "\n"); l.lines && !onOneLine {
		options = append(options, jsontext.WithIndent(l.unit))
	} else {
		options = append(options, jsontext.SpaceAfterComma(l.blank))
	}
	out, err := jsontext.AppendFormat(nil, []byte(raw), options...)
	if err != nil {
		return raw
	}
	return string(out)
}
