package document

import (
	_ "embed"
	"iter"
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

// Keys are the keys that definitions had which were read, each with the kinds of its values, by
// their holder: "MapServer properties". The nil Keys are none; those that are published are known
// without being read.
type Keys map[string]map[string]Kinds

// Kinds is a set of kinds of JSON values.
type Kinds uint8

// String names the kinds, such as "a number or a text".
func (k Kinds) String() string {
	var names []string
	for kind := Null; kind <= Array; kind++ {
		if k&kind.set() != 0 {
			names = append(names, kind.String())
		}
	}
	return strings.Join(names, " or ")
}

func (k Kind) set() Kinds { return 1 << k }

// PublishedKey is what the vendor's public pages say of a key.
type PublishedKey struct {
	Type    string // text, integer, number, flag, object, list, any
	Default string // empty where none is published, as the unit
	Unit    string
}

// valueTypes are the types of published keys: as a person says them, and the kind that they have in JSON.
var valueTypes = map[string]struct {
	words string
	kind  Kind
}{
	"text": {"a text", String}, "integer": {"a whole number", Number}, "number": {"a number", Number},
	"flag": {"true or false", Bool}, "object": {"an object", Object}, "list": {"a list", Array}, "any": {words: "any JSON"},
}

// String says what fits, such as "a whole number, default 60 seconds".
func (p PublishedKey) String() string {
	text := valueTypes[p.Type].words
	switch {
	case p.Default != "":
		text += ", default " + p.Default
		if p.Unit != "" {
			text += " " + p.Unit
		}
	case p.Unit != "":
		text += " of " + p.Unit
	}
	return text
}

// fits reports whether a value has the type. Sites write the numbers of properties as texts too, and
// true and false; an empty text stands for none.
func (p PublishedKey) fits(n Node) bool {
	kind, raw := n.Kind(), n.Raw()
	wants := valueTypes[p.Type].kind
	if kind == String && wants != String && wants < Object {
		if raw = strings.TrimSpace(n.Text()); raw == "" {
			return true
		}
		kind = rawNode(raw).Kind()
	}
	return wants == 0 || kind == wants && (p.Type != "integer" || isInteger(raw))
}

//go:embed published.txt
var publishedText string

// published are the keys of the file by their holder.
var published = sync.OnceValue(func() map[string]map[string]PublishedKey {
	all, at := map[string]map[string]PublishedKey{}, map[string]PublishedKey(nil)
	for line := range strings.Lines(publishedText) {
		words := append(strings.Fields(line), "", "", "")
		heading, is := strings.CutPrefix(strings.TrimSpace(line), "[")
		switch {
		case is:
			at = map[string]PublishedKey{}
			of := strings.Fields(strings.TrimSuffix(heading, "]"))
			for _, name := range of[:len(of)-1] {
				all[name+" "+of[len(of)-1]] = at
			}
		case words[0] != "" && words[0] != "#" && at != nil:
			at[words[0]] = PublishedKey{Type: words[1], Default: words[2], Unit: words[3]}
		}
	}
	return all
})

// holder is an object whose keys are known: the definition itself, its properties, an extension, or
// the properties of one. Everything else is free: what it holds the user or an extension makes up.
type holder struct {
	Node
	of, part string // a type of services or extensions, and which of its objects
}

func (h holder) String() string { return h.of + " " + h.part }

func (h holder) published() map[string]PublishedKey {
	if of, ok := published()[h.String()]; ok {
		return of
	}
	return published()["* "+h.part]
}

// whole is what it belongs to, in a word.
func (h holder) whole() string {
	if strings.HasPrefix(h.part, "extension") {
		return " extension"
	}
	return " definition"
}

// free reports whether any key is normal: in the settings of an extension that somebody wrote.
func (h holder) free() bool { return h.part == "extension-properties" && h.published() == nil }

// holders are those of a definition.
func (d *Document) holders() iter.Seq[holder] {
	return func(yield func(holder) bool) {
		root := d.Root()
		of, ok := root.Child("type")
		if !ok || of.Kind() != String {
			return
		}
		properties, _ := root.Child("properties")
		if !yield(holder{root, of.Text(), "definition"}) || properties.Kind() == Object && !yield(holder{properties, of.Text(), "properties"}) {
			return
		}
		extensions, _ := root.Child(string(extensionsPath))
		if extensions.Kind() != Array {
			return
		}
		for extension := range extensions.Children() {
			name, ok := extension.name()
			if !ok {
				continue
			}
			properties, _ := extension.Child("properties")
			if !yield(holder{extension, name, "extension"}) || properties.Kind() == Object && !yield(holder{properties, name, "extension-properties"}) {
				return
			}
		}
	}
}

// Bounds of what is remembered, for a definition of anybody's making.
const (
	maxKnownKeys  = 500 // of one holder
	maxKnownBytes = 100 // of one key
)

// Learn adds the keys of a definition, and reports whether any is new.
func (k Keys) Learn(d *Document) (isNew bool) {
	for h := range d.holders() {
		if h.free() || len(h.String()) > maxKnownBytes {
			continue
		}
		known := k[h.String()]
		if known == nil {
			known = map[string]Kinds{}
			k[h.String()] = known
		}
		for child := range h.Children() {
			key, _ := child.Key()
			kinds, had := known[key]
			if with := kinds | child.Kind().set(); with != kinds && (had || len(known) < maxKnownKeys && len(key) <= maxKnownBytes) {
				known[key], isNew = with, true
			}
		}
	}
	return isNew
}

// ForAdding lists the keys that an object at a path may get besides those that it has, each with what
// fits; none where that is not known.
func (k Keys) ForAdding(d *Document, path Path) (names []string, says map[string]string) {
	says = map[string]string{}
	for h := range d.holders() {
		if h.Path() != path {
			continue
		}
		for key, kinds := range k[h.String()] {
			says[key] = kinds.String()
		}
		for key, p := range h.published() {
			says[key] = p.String()
		}
		maps.DeleteFunc(says, func(key string, _ string) bool {
			_, has := h.Child(key)
			return has
		})
	}
	return slices.Sorted(maps.Keys(says)), says
}

// Check returns what is odd about the keys that an edit adds or changes: one that no published
// definition of its type has, and none that was read, and a value of another type than its key has
// elsewhere. What the base has already is the site's own.
func (k Keys) Check(d, base *Document) (found []finding.Finding) {
	own := Keys{}
	own.Learn(base)
	var at checks
	for h := range d.holders() {
		was, _ := base.Find(h.Path())
		for child := range h.Children() {
			key, _ := child.Key()
			old, had := was.Child(key)
			if h.free() || had && (old.Raw() == child.Raw() || old.Kind() != child.Kind()) { // another kind is a risk of its own
				continue
			}
			p, isPublished := h.published()[key]
			seen := k[h.String()][key] | own[h.String()][key]
			f, _ := FieldOf(child.Path())
			switch {
			case !isPublished && seen == 0:
				text := "Not a key of any " + plain.Clip(h.of, 60) + h.whole() + " that was seen."
				if instead := k.nearest(own, h, key); instead != "" {
					text += " Did you mean " + plain.Line(instead) + "?"
				}
				at.odd(child, UnknownKey, text)
			case f.Kind != 0: // a rule says it
			case isPublished && !p.fits(child):
				at.odd(child, OtherType, "Elsewhere "+valueTypes[p.Type].words+"; this is "+child.Kind().String()+".")
			case !had && seen != 0 && seen&child.Kind().set() == 0:
				at.odd(child, OtherType, "Elsewhere "+seen.String()+"; this is "+child.Kind().String()+".")
			}
		}
	}
	return at.found
}

func (c *checks) odd(n Node, id, text string) {
	c.add(n, finding.Caution, text)
	f := &c.found[len(c.found)-1]
	f.ID, f.Accept = id, strings.ReplaceAll(id, " ", "-")
}

// nearest returns the known key that one is likely meant to be; empty for none.
func (k Keys) nearest(own Keys, h holder, key string) string {
	names := slices.Collect(maps.Keys(h.published()))
	names = slices.AppendSeq(names, maps.Keys(k[h.String()]))
	names = slices.AppendSeq(names, maps.Keys(own[h.String()]))
	slices.Sort(names)
	return spelling.Nearest(key, names)
}

// Instead returns the key that the one at a path is likely meant to be, where it is unknown; else
// the empty text.
func (k Keys) Instead(d, base *Document, path Path) string {
	own := Keys{}
	own.Learn(base)
	unknown := func(f finding.Finding) bool { return f.ID == UnknownKey && Path(f.At.Path) == path }
	if !slices.ContainsFunc(k.Check(d, base), unknown) {
		return ""
	}
	for h := range d.holders() {
		if last, ok := path.Last(); ok && h.Path() == path.Parent() {
			return k.nearest(own, h, last.Key)
		}
	}
	return ""
}

// Respell gives the key at a path its right name; where the object has that key already, it gets the
// value, and the misspelt one goes.
func (d *Document) Respell(path Path, key string) (*Document, error) {
	n, there := d.Find(path)
	right := path.Parent().Key(key)
	if _, has := d.Find(right); !there || !has {
		return d.Rename(path, key)
	}
	d, err := d.SetValue(right, n.Raw())
	if err != nil {
		return nil, err
	}
	return d.Remove(path)
}
