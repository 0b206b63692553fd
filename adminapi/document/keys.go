package document

import (
	"cmp"
	_ "embed"
	"maps"
	"slices"
	"strings"
	"sync"

	"geodeck/adminapi/finding"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/spelling"
)

// What is said of keys that an edit adds, and of their values: the ID of the finding.
const (
	UnknownKey = "unknown key"
	OtherType  = "other type"
)

// Keys are the keys that definitions had which were read, each with the kinds of its values in words,
// "a number or a text", by their holder, "MapServer properties". The nil Keys are none; those that are published
// are known without being read.
type Keys map[string]map[string]string

// valueType is a type of published keys.
type valueType struct {
	words  string // for a person
	kind   Kind   // in JSON; 0 for any
	widget Widget
}

var valueTypes = map[string]valueType{
	"text": {"a text", String, OneLine}, "integer": {"a whole number", Number, Integer}, "number": {"a number", Number, NumberText},
	"flag": {"true or false", Bool, OnOff}, "object": {words: "an object", kind: Object}, "list": {words: "a list", kind: Array}, "any": {words: "any JSON"},
}

// fits reports whether a value has the type. Sites write the numbers of properties as texts too, and
// true and false; an empty text stands for none.
func (t valueType) fits(n Node) bool {
	if n.Kind() == String && t.kind < String {
		if strings.TrimSpace(n.Text()) == "" {
			return true
		}
		n = rawNode(n.Text())
	}
	return t.kind == 0 || n.Kind() == t.kind && (t.widget != Integer || isInteger(n.Raw()))
}

// publishedKey is what the vendor's public pages say of a key.
type publishedKey struct {
	valueType
	value string // the default with its unit; empty where none is published
}

//go:embed published.txt
var publishedText string

// published are the keys of the file by their holder.
var published = sync.OnceValue(func() map[string]map[string]publishedKey {
	all, at := map[string]map[string]publishedKey{}, map[string]publishedKey{}
	for line := range strings.Lines(publishedText) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || words[0] == "#":
		case words[0][0] == '[':
			at = map[string]publishedKey{}
			for _, of := range words[:len(words)-1] {
				all[strings.Trim(of+" "+words[len(words)-1], "[]")] = at
			}
		default:
			at[words[0]] = publishedKey{valueTypes[words[1]], strings.Join(words[2:], " ")}
		}
	}
	return all
})

// holder is an object whose keys are known: the definition itself, its properties, an extension, or
// the properties of one. Everything else is free: what it holds the user or an extension makes up, and so
// are the settings of an extension that nobody publishes.
type holder struct {
	Node
	name      string // "MapServer properties"
	whole     string // what it is a part of: "MapServer definition"
	published map[string]publishedKey
}

// holders are those of a definition; none where it does not say its type.
func (d *Document) holders() (all []holder) {
	add := func(n Node, of, part, whole string) {
		keys := published()[of+" "+part]
		if keys == nil {
			keys = published()["* "+part]
		}
		if n.Kind() == Object && of != "" && len(of) <= maxKnownBytes && (keys != nil || part == "properties") {
			all = append(all, holder{n, of + " " + part, of + " " + whole, keys})
		}
	}
	with := func(n Node, of, part, inner string) {
		properties, _ := n.Child("properties")
		add(n, of, part, part)
		add(properties, of, inner, part)
	}
	root := d.Root()
	of, _ := root.Child("type")
	with(root, textOf(of), "definition", "properties")
	if extensions, _ := root.Child(string(extensionsPath)); extensions.Kind() == Array && len(all) > 0 {
		for extension := range extensions.Children() {
			name, _ := extension.name()
			with(extension, name, "extension", "extension-properties")
		}
	}
	return all
}

// Bounds of what is remembered, for a definition of anybody's making.
const (
	maxKnownKeys  = 500 // of one holder
	maxKnownBytes = 100 // of one key, and of a type
)

// doubted is in place of the kinds of a key that this machine has sent though nobody knew it.
const doubted = "?"

// Doubt notes the keys that an edit adds though they are not known, and reports whether there are any: that a
// site keeps them does not make them right.
func (k Keys) Doubt(d, base *Document) (isNew bool) {
	for _, h := range d.holders() {
		was, _ := base.Find(h.Path())
		for child := range h.Children() {
			key, _ := child.Key()
			_, had := was.Child(key)
			_, isPublished := h.published[key]
			if had || isPublished || k[h.name][key] != "" || len(k[h.name]) == maxKnownKeys || len(key) > maxKnownBytes {
				continue
			}
			if k[h.name] == nil {
				k[h.name] = map[string]string{}
			}
			k[h.name][key], isNew = doubted, true
		}
	}
	return isNew
}

// seen are the kinds of the values that a key is known to have; empty where it is not known.
func (k Keys) seen(holder, key string) string { return strings.TrimPrefix(k[holder][key], doubted) }

// Learn adds the keys of a definition, and reports whether any is new.
func (k Keys) Learn(d *Document) (isNew bool) {
	for _, h := range d.holders() {
		known := k[h.name]
		if known == nil {
			known = map[string]string{}
			k[h.name] = known
		}
		for child := range h.Children() {
			key, _ := child.Key()
			kinds, is := known[key], child.Kind().String()
			switch {
			case kinds == doubted, strings.Contains(kinds, is), kinds == "" && (len(known) == maxKnownKeys || len(key) > maxKnownBytes):
				continue
			case kinds != "":
				is = kinds + " or " + is
			}
			known[key], isNew = is, true
		}
	}
	return isNew
}

// NewKey says of a key that an object may get what fits, in words, with the default and unit where they are
// published, and the widget that its value is best typed with.
type NewKey struct {
	Fits   string
	Widget Widget
}

// ForAdding lists the keys that an object at a path may get besides those that it has, by name; none
// where that is not known.
func (k Keys) ForAdding(d *Document, path Path) (names []string, keys map[string]NewKey) {
	keys = map[string]NewKey{}
	for _, h := range d.holders() {
		if h.Path() != path {
			continue
		}
		for _, name := range k.names(h) {
			if _, has := h.Child(name); has {
				continue
			}
			p := h.published[name]
			key := NewKey{Fits: cmp.Or(p.words, k.seen(h.name, name))}
			for _, t := range valueTypes {
				if t.words == key.Fits {
					key.Widget = t.widget
				}
			}
			if p.value != "" {
				key.Fits += ", default " + p.value
			}
			names, keys[name] = append(names, name), key
		}
	}
	return names, keys
}

// names are the known keys of a holder.
func (k Keys) names(h holder) []string {
	names := slices.Collect(maps.Keys(h.published))
	for name := range k[h.name] {
		if k.seen(h.name, name) != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Check returns what is odd about the keys that an edit adds or changes: one that no published
// definition of its type has, and none that was read, and a value of another type than its key has
// elsewhere. What the base has already is the site's own.
func (k Keys) Check(d, base *Document) []finding.Finding {
	own := Keys{}
	own.Learn(base)
	var c checks
	odd := func(n Node, id, text string, instead Path) {
		c.add(n, finding.Caution, text)
		f := &c.found[len(c.found)-1]
		f.ID, f.Accept, f.Instead = id, strings.ReplaceAll(id, " ", "-"), string(instead)
	}
	for _, h := range d.holders() {
		was, _ := base.Find(h.Path())
		for child := range h.Children() {
			key, _ := child.Key()
			old, had := was.Child(key)
			p, isPublished := h.published[key]
			seen, is := cmp.Or(k.seen(h.name, key), own[h.name][key]), child.Kind()
			switch {
			case had && (old.Raw() == child.Raw() || old.Kind() != is): // another kind is a risk of its own
			case !isPublished && seen == "":
				text, instead := "No known "+plain.Line(h.whole)+" has this key.", k.elsewhere(d, key)
				if near := spelling.Nearest(key, append(k.names(h), own.names(h)...)); near != "" {
					text += " " + spelling.Question(plain.Line(near))
					instead = h.Path().Key(near)
				} else if last, is := instead.Last(); is {
					text += " " + plain.Line(instead.Parent().String()+" has "+last.Key) + "."
				}
				odd(child, UnknownKey, text, instead)
			case child.isRuled():
			case isPublished && !p.fits(child):
				odd(child, OtherType, "Elsewhere "+p.words+"; this is "+is.String()+".", "")
			case !had && seen != "" && !strings.Contains(seen+own[h.name][key], is.String()):
				odd(child, OtherType, "Elsewhere "+seen+"; this is "+is.String()+".", "")
			}
		}
	}
	return c.found
}

// elsewhere is the path that a key, or one that is much like it, has in another part of a definition; Whole for none.
func (k Keys) elsewhere(d *Document, key string) Path {
	for _, h := range d.holders() {
		near := spelling.Near(key, k.names(h))
		if len(near) > 0 && h.Path() != Whole {
			return h.Path().Key(near[0])
		}
	}
	return Whole
}

// isRuled reports whether a rule says which kind the value has to be of.
func (n Node) isRuled() bool {
	f, _ := FieldOf(n.Path())
	return f.Kind != 0
}

// Respell gives the key at a path its right one, which may be of another object; where that has it already, it
// gets the value, and the misspelt one goes.
func (d *Document) Respell(path, right Path) (*Document, error) {
	n, there := d.Find(path)
	_, has := d.Find(right)
	key, _ := right.Last()
	var err error
	switch {
	case !there, !has && right.Parent() == path.Parent():
		return d.Rename(path, key.Key)
	case has:
		d, err = d.SetValue(right, n.Raw())
	default:
		d, err = d.Add(right.Parent(), key.Key, n.Raw(), -1)
	}
	if err != nil {
		return nil, err
	}
	return d.Remove(path)
}
