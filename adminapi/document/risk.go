package document

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"geodeck/adminapi/finding"
	"geodeck/adminapi/plain"
)

// What a change may do, in few words: the ID of its finding.
const (
	RestartLikely      = "restart likely"
	IdentityChanged    = "identity changed" // serviceName or type
	CapabilityRemoved  = "capability removed"
	ExtensionOff       = "extension switched off"
	PathChanged        = "path changed"
	UnitNotStated      = "unit not documented"
	KeyRemoved         = "key removed"
	KindChanged        = "kind changed" // such as a number that became a text
	WrittenDifferently = "written differently"
	DigitsLost         = "digits lost" // a program has rounded the number
)

// Gates are what a change of a definition may do.
var Gates = finding.Gates{
	gate(KeyRemoved, "removed-key", "The site deletes the key with all that it holds.", finding.Danger),
	gate(DigitsLost, "digits", "The site gets the rounded number.", finding.Danger),
	gate(IdentityChanged, "identity", "The definition may be that of another service.", finding.Danger),
	gate(CapabilityRemoved, "capability", "Clients can no longer do this. A note where the extension is off.", finding.Danger, finding.Note),
	gate(ExtensionOff, "extension-off", "Clients of this interface lose access.", finding.Danger),
	gate(PathChanged, "path", "The service reads another place. A wrong path stops it.", finding.Danger),
	gate(KindChanged, "other-type", "The value is of another type than before.", finding.Caution),
	gate(UnknownKey, "unknown-key", "The site gets a key that no definition of this type is known to have.", finding.Caution),
	gate(OtherType, "other-type", "The value is of another type than its key has elsewhere.", finding.Caution),
	gate(RestartLikely, "", "Requests may fail while the service restarts.", finding.Note),
	gate(UnitNotStated, "", "Look at another service for the unit.", finding.Note),
	gate(WrittenDifferently, "", "The value is the same.", finding.Note),
}

func gate(id, accept, means string, weighs ...finding.Strength) finding.Gate {
	return finding.NewGate([]finding.Change{finding.Edit}, id, accept, means, weighs...)
}

// Risk is what a change at a path may do, see [Gates].
func Risk(path Path, id, text string) finding.Finding {
	return Gates.Finding(finding.Edit, id, finding.Place{Path: string(path)}, text)
}

// Risks returns what changes may do, in their order, for each change the
// heaviest first, with secrets masked. after is the document with the changes made.
func Risks(changes []Change, after *Document) []finding.Finding {
	var all []finding.Finding
	for i, c := range Masked(changes) {
		r := risks{}
		r.ofRemoved(changes[i])
		r.ofWhole(c)
		r.ofParts(part{c.Path, rawNode(c.Old), rawNode(c.New)})
		r.ofSwitchedOff(c, after)
		slices.SortStableFunc(r, finding.Heaviest)
		all = append(all, r...)
	}
	return all
}

type risks []finding.Finding

func (r *risks) add(path Path, id, text string) { *r = append(*r, Risk(path, id, text)) }

// ofRemoved looks for the keys that a change removes: its own, or some within it.
func (r *risks) ofRemoved(c Change) {
	var gone removals
	switch c.Kind {
	case Removed:
		gone = removals{c.Path}
	case Changed:
		gone.values(c.Path, rawNode(c.Old), rawNode(c.New))
	}
	for _, path := range gone {
		r.add(path, KeyRemoved, "The site will delete this key.")
	}
}

// RemovedKeys are the paths of the keys that are removed, of what changes may do.
func RemovedKeys(all []finding.Finding) (paths []Path) {
	for _, f := range all {
		if f.ID == KeyRemoved {
			paths = append(paths, Path(f.At.Path))
		}
	}
	return paths
}

// ofWhole looks at a change as it is.
func (r *risks) ofWhole(c Change) {
	old, new := kindOfRaw(c.Old), kindOfRaw(c.New)
	switch {
	case c.Kind == Rewritten:
		r.add(c.Path, WrittenDifferently, "Same value, now written "+clip(c.New)+", before "+clip(c.Old)+".")
		return
	case c.Kind == Changed && old != new:
		r.add(c.Path, KindChanged, "Was "+old.String()+", is now "+new.String()+".")
	}
	if was, now := roundedIn(rawNode(c.Old), rawNode(c.New)); was != "" {
		r.add(c.Path, DigitsLost, "The number lost digits: "+clip(was)+" is now "+clip(now)+
			". The program that wrote it rounds numbers, as jq before 1.7 does.")
	}
	if c.Path == "serviceName" || c.Path == "type" {
		r.add(c.Path, IdentityChanged,
			"This identifies the service: wrong service, or the edit will be refused.")
	}
	if f, ok := nearestField(c.Path); ok && f.Restart || c.Path == Whole {
		r.add(c.Path, RestartLikely, "The service likely restarts; requests may fail meanwhile.")
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

// ofSwitchedOff makes a note of capabilities of an extension that is switched off:
// nobody can use them at present.
func (r risks) ofSwitchedOff(c Change, after *Document) {
	for i := range r {
		extension := Path(r[i].At.Path).Parent()
		if r[i].ID != CapabilityRemoved || extension.Parent() != extensionsPath || !isOff(extension, c, after) {
			continue
		}
		r[i].Strength, r[i].Accept = finding.Note, ""
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

// ofField looks at a part by what its field is for.
func (r *risks) ofField(p part) {
	switch f, _ := FieldOf(p.path); {
	case f.Pattern == "capabilities", f.Pattern == "extensions[*].capabilities":
		kept := Items(textOf(p.new))
		gone := slices.DeleteFunc(Items(textOf(p.old)), func(item string) bool { return slices.Contains(kept, item) })
		if len(gone) > 0 {
			r.add(p.path, CapabilityRemoved,
				"No longer offered to clients: "+plain.Clip(strings.Join(gone, ", "), 200)+".")
		}
	case f.Pattern == "extensions[*].enabled" && isOn(p.old) && !isOn(p.new):
		r.add(p.path, ExtensionOff, "Clients of this interface lose access.")
	case f.Path && p.old.Valid():
		r.add(p.path, PathChanged,
			"The service no longer reads "+clip(textOf(p.old))+"; a wrong path stops it.")
	case f.Widget == TimeInteger && p.new.Valid():
		r.add(p.path, UnitNotStated, "Unit not documented; check another service.")
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
