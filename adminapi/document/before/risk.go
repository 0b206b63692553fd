package before

import "slices"

// Severity says how much a risk weighs.
type Severity uint8

// The severities, the lightest first.
const (
	Note Severity = iota + 1
	Caution
	Danger
)

// String returns the severity as one word, such as "caution".
func (s Severity) String() string {
	names := [...]string{"unknown", "note", "caution", "danger"}
	if int(s) >= len(names) {
		s = 0
	}
	return names[s]
}

// Label names a risk in few words.
type Label string

// The labels.
const (
	RestartLikely     Label = "restart likely"
	IdentityChanged   Label = "identity changed" // serviceName or type
	CapabilityRemoved Label = "capability removed"
	ExtensionOff      Label = "extension switched off"
	MinAboveMax       Label = "min above max"
	PathChanged       Label = "path changed"
	UnitNotStated     Label = "unit not stated"
	KeyRemoved        Label = "key removed"
	KindChanged       Label = "kind changed" // such as a number that became a text
	WrittenAnew       Label = "written differently"
)

// Risk is what one change may do.
type Risk struct {
	Path     Path
	Label    Label
	Severity Severity
	Text     string // a sentence for a person, clean
}

// Risks returns what changes may do, in their order, for each change the
// heaviest first. after is the document with the changes made.
func Risks(changes []Change, after *Document) []Risk {
	var all []Risk
	for _, c := range changes {
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

func (r *risks) add(path Path, label Label, severity Severity, text string) {
	*r = append(*r, Risk{path, label, severity, text})
}

// ofWhole looks at a change as it is.
func (r *risks) ofWhole(c Change) {
	old, new := kindOfRaw(c.Old), kindOfRaw(c.New)
	switch {
	case c.Kind == Rewritten:
		r.add(c.Path, WrittenAnew, Note, "It is the same value, written as "+clip(c.New)+" where it was "+clip(c.Old)+".")
		return
	case c.Kind == Removed:
		r.add(c.Path, KeyRemoved, Danger, "The definition is replaced as a whole: what is left out is not kept.")
	case c.Kind == Changed && old != new:
		r.add(c.Path, KindChanged, Caution, "It was "+old.String()+" and is now "+new.String()+".")
	}
	if c.Path == "serviceName" || c.Path == "type" {
		r.add(c.Path, IdentityChanged, Danger, "The service is known by it: the edit is for another service, or will be refused.")
	}
	if f, ok := nearestField(c.Path); ok && f.Restart || c.Path == Whole {
		r.add(c.Path, RestartLikely, Caution, "The service likely restarts; requests may fail meanwhile.")
	}
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
