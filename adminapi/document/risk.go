package document

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"geodeck/adminapi/plain"
)

// Severity says how much a risk weighs.
type Severity uint8

// The severities, the lightest first.
const (
	Note Severity = iota + 1
	Caution
	Danger
	Blocking // nothing can be sent
)

// String returns the severity as one word, such as "caution".
func (s Severity) String() string {
	names := [...]string{"unknown", "note", "caution", "danger", "blocking"}
	if int(s) >= len(names) {
		s = 0
	}
	return names[s]
}

// MarshalText returns the word of [Severity.String].
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Label names a risk in few words.
type Label string

// The labels.
const (
	RestartLikely      Label = "restart likely"
	IdentityChanged    Label = "identity changed" // serviceName or type
	CapabilityRemoved  Label = "capability removed"
	ExtensionOff       Label = "extension switched off"
	MinAboveMax        Label = "min above max"
	PathChanged        Label = "path changed"
	UnitNotStated      Label = "unit not documented"
	KeyRemoved         Label = "key removed"
	KindChanged        Label = "kind changed" // such as a number that became a text
	WrittenDifferently Label = "written differently"
	DigitsLost         Label = "digits lost" // a program has rounded the number
)

// Risk is what one change may do.
type Risk struct {
	Path     Path     `json:"path"`
	Label    Label    `json:"label"`
	Severity Severity `json:"severity"`
	Text     string   `json:"text"` // a sentence for a person, clean
}

// Risks returns what changes may do, in their order, for each change the
// heaviest first, with secrets masked. after is the document with the changes made.
func Risks(changes []Change, after *Document) []Risk {
	var all []Risk
	for _, c := range Masked(changes) {
		r := risks{}
		r.ofWhole(c)
		r.ofParts(part{c.Path, rawNode(c.Old), rawNode(c.New)})
		r.ofSwitchedOff(c, after)
		slices.SortStableFunc(r, func(a, b Risk) int { return int(b.Severity) - int(a.Severity) })
		all = append(all, r...)
	}
	return append(all, instancesRisk(changes, after)...)
}

type risks []Risk

//go:noinline
func (r *risks) add(path Path, label Label, severity Severity, text string) {
	*r = append(*r, Risk{path, label, severity, text})
}

// ofWhole looks at a change as it is.
func (r *risks) ofWhole(c Change) {
	old, new := kindOfRaw(c.Old), kindOfRaw(c.New)
	switch {
	case c.Kind == Rewritten:
		r.add(c.Path, WrittenDifferently, Note, "Same value, now written "+clip(c.New)+", before "+clip(c.Old)+".")
		return
	case c.Kind == Removed:
		r.add(c.Path, KeyRemoved, Danger, "The site will delete this key.")
	case c.Kind == Changed && old != new:
		r.add(c.Path, KindChanged, Caution, "Was "+old.String()+", is now "+new.String()+".")
	}
	if was, now := roundedIn(rawNode(c.Old), rawNode(c.New)); was != "" {
		r.add(c.Path, DigitsLost, Danger, "The number lost digits: "+clip(was)+" is now "+clip(now)+".")
	}
	if c.Path == "serviceName" || c.Path == "type" {
		r.add(c.Path, IdentityChanged, Danger, "This identifies the service: wrong service, or the edit will be refused.")
	}
	if f, ok := nearestField(c.Path); ok && f.Restart || c.Path == Whole {
		r.add(c.Path, RestartLikely, Caution, "The service likely restarts; requests may fail meanwhile.")
	}
}

// roundedIn returns the first number of a value that is only its nearest 64-bit float afterwards,
// as programs write it that know no other numbers; empty for none.
func roundedIn(a, b Node) (was, now string) {
	switch {
	case !a.Valid() || !b.Valid() || a.Kind() != b.Kind() || a.Raw() == b.Raw():
	case a.Kind() == Number:
		x, y := floatOf(a.Raw()), floatOf(b.Raw())
		if x == y && numberOf(a.Raw()) != numberOf(b.Raw()) {
			return a.Raw(), b.Raw()
		}
	case a.Kind() == Object:
		for x, y := range members(a, b) {
			if was, now = roundedIn(x, y); was != "" {
				break
			}
		}
	case a.Kind() == Array && a.Len() == b.Len():
		for x, y := a.First(), b.First(); x.Valid() && was == ""; x, y = x.Next(), y.Next() {
			was, now = roundedIn(x, y)
		}
	}
	return was, now
}

// floatOf is the nearest float, of what is beyond all of them the largest, as jq writes it.
func floatOf(raw string) float64 {
	f, _ := strconv.ParseFloat(raw, 64)
	return max(-math.MaxFloat64, min(f, math.MaxFloat64))
}

func kindOfRaw(raw string) Kind {
	if raw == "" {
		return 0
	}
	return kindOf(raw[0])
}

// instancesRisk looks at the two numbers of instances together, where one of
// them has changed.
func instancesRisk(changes []Change, after *Document) []Risk {
	touched := func(c Change) bool {
		return c.Path == minInstances || c.Path == maxInstances || c.Path == Whole
	}
	at := slices.IndexFunc(changes, touched)
	text, above := minAboveMax(after)
	if at < 0 || !above {
		return nil
	}
	return []Risk{{changes[at].Path, MinAboveMax, Danger, text}}
}

// part is a value within a change, before and after; an invalid node is none.
type part struct {
	path     Path
	old, new Node
}

// rawNode reads a value that is known to be valid; the empty text is none.
func rawNode(raw string) Node {
	d, err := parse(raw)
	if err != nil {
		return Node{}
	}
	return d.Root()
}

// ofParts looks at a part, and at those that it holds.
func (r *risks) ofParts(p part) {
	if p.new.Valid() && p.old.Valid() && compare(p.old, p.new) != different {
		return
	}
	r.ofCapabilities(p)
	r.ofExtension(p)
	r.ofField(p)
	old, new := p.holder(p.old), p.holder(p.new)
	for x, y := range members(old, new) {
		child := x
		if !x.Valid() {
			child = y
		}
		r.ofParts(part{p.path.toChild(child), x, y})
	}
}

// holder returns a version of the part where something is known of what it holds: of
// lists only the extensions.
func (p part) holder(n Node) Node {
	if n.Kind() == Array && p.path != extensionsPath {
		return Node{}
	}
	return n
}

func (r *risks) ofCapabilities(p part) {
	f, _ := FieldOf(p.path)
	if f.Pattern != "capabilities" && f.Pattern != "extensions[*].capabilities" {
		return
	}
	kept := Items(textOf(p.new))
	gone := slices.DeleteFunc(Items(textOf(p.old)), func(item string) bool { return slices.Contains(kept, item) })
	if len(gone) > 0 {
		r.add(p.path, CapabilityRemoved, Danger, "No longer offered to clients: "+plain.Clip(strings.Join(gone, ", "), 200)+".")
	}
}

func (r *risks) ofExtension(p part) {
	f, _ := FieldOf(p.path)
	if f.Pattern == "extensions[*].enabled" && isOn(p.old) && !isOn(p.new) {
		r.add(p.path, ExtensionOff, Danger, "Clients of this interface lose access.")
	}
}

// ofSwitchedOff makes a note of capabilities of an extension that is switched off:
// nobody can use them at present.
func (r risks) ofSwitchedOff(c Change, after *Document) {
	for i := range r {
		extension := r[i].Path.Parent()
		if r[i].Label != CapabilityRemoved || extension.Parent() != extensionsPath || !isOff(extension, c, after) {
			continue
		}
		r[i].Severity = Note
		r[i].Text = "Now off, so nobody loses access; when on, it offers less. " + r[i].Text
	}
}

// isOff reports whether an extension that a change is about is switched off for
// certain.
func isOff(extension Path, c Change, after *Document) bool {
	enabled, found := after.Find(extension.Key("enabled"))
	if c.Path == extension {
		enabled, found = rawNode(c.Old).Child("enabled")
	}
	return found && !isOn(enabled)
}

func isOn(n Node) bool { return strings.EqualFold(textOf(n), "true") }

func (r *risks) ofField(p part) {
	switch f, _ := FieldOf(p.path); {
	case f.Path && p.old.Valid():
		r.add(p.path, PathChanged, Danger, "The service no longer reads "+clip(textOf(p.old))+"; a wrong path stops it.")
	case f.Widget == TimeInteger && p.new.Valid():
		r.add(p.path, UnitNotStated, Caution, "Unit not documented; check another service.")
	}
}

// textOf returns the content of a value that may be none.
func textOf(n Node) string {
	if !n.Valid() {
		return ""
	}
	return n.Text()
}

func clip(text string) string { return plain.Clip(text, 60) }
