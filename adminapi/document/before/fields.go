package before

import (
	"slices"
	"strings"
)

// Widget is the way a value is best edited.
type Widget uint8

// The widgets.
const (
	AnyWidget   Widget = iota // the JSON text itself
	OnOff                     // true or false
	Integer                   // a whole number without a unit
	TimeInteger               // a whole number of time, unit not stated
	NumberText                // any number, as it is written
	OneLine                   // a string
	CommaList                 // a string of words with commas, a set
	ClockTime                 // a string HH:MM
)

// Group is the part of a definition that a field belongs to.
type Group string

// The groups, in the order in which a screen shows them.
const (
	Description    Group = "Description"
	Framework      Group = "Framework"
	TypeProperties Group = "Type properties"
	Extensions     Group = "Extensions"
	Other          Group = "Not described"
)

// Field is what is known of one place in a definition.
type Field struct {
	Pattern string // its path, any extension as extensions[*], any key as *
	Group   Group
	Widget  Widget
	Kind    Kind     // as the contract of the API states it; 0 where it does not
	Values  []string // words that are known to fit, others may too
	Restart bool     // a change of it likely restarts the service
	Path    bool     // it names a place in a file system or store
	Text    string   // what it is, for a person
}

// Fields returns all known fields in the order of their groups.
func Fields() []Field { return slices.Clone(fields) }

var fieldByPattern = func() map[string]Field {
	byPattern := make(map[string]Field, len(fields))
	for _, f := range fields {
		byPattern[f.Pattern] = f
	}
	return byPattern
}()

// FieldOf returns what is known of the value at a path, and false for one that
// nothing is known of.
func FieldOf(path Path) (Field, bool) { return fieldOf(path.Steps()) }

func fieldOf(steps []Step) (Field, bool) {
	if len(steps) == 0 {
		return Field{}, false
	}
	outer := join(steps[:len(steps)-1])
	if len(steps) > 1 && steps[0].Key == string(extensionsPath) && steps[1].Kind != ByKey {
		if len(steps) == 2 {
			return fieldByPattern["extensions[*]"], true
		}
		outer = "extensions[*]" + join(steps[2:len(steps)-1]).below(extensionsPath)
	}
	last := steps[len(steps)-1]
	if f, ok := fieldByPattern[string(outer.then(last))]; ok {
		return f, true
	}
	if last.Kind != ByKey || outer == Whole {
		return Field{}, false
	}
	f, ok := fieldByPattern[string(outer)+".*"]
	f.Path = f.Path || ok && namesPlace(last.Key)
	return f, ok
}

// nearestField returns the field of a path, or of the nearest value around it
// that is known.
func nearestField(path Path) (Field, bool) {
	for steps := path.Steps(); len(steps) > 0; steps = steps[:len(steps)-1] {
		if f, ok := fieldOf(steps); ok {
			return f, true
		}
	}
	return Field{}, false
}

// namesPlace tells whether a key of a type's properties, which differ from type
// to type, sounds like one for a place in a file system.
func namesPlace(key string) bool {
	key = strings.ToLower(key)
	return strings.HasSuffix(key, "dir") || strings.HasSuffix(key, "directory") || strings.HasSuffix(key, "path") || key == "toolbox"
}

// GroupOf returns the group of any path; Other for keys that nobody described.
func GroupOf(path Path) Group {
	if f, ok := nearestField(path); ok {
		return f.Group
	}
	return Other
}

// WidgetFor returns how to edit a value: as its field says where that suits the
// kind the value has now, else by its kind. A number that the server keeps as a
// string stays a string.
func WidgetFor(n Node) Widget {
	f, _ := FieldOf(n.Path())
	suits := map[Kind][]Widget{
		Bool: {OnOff}, Number: {Integer, TimeInteger, NumberText}, String: {OneLine, CommaList, ClockTime},
	}
	switch fitting := suits[n.Kind()]; {
	case slices.Contains(fitting, f.Widget):
		return f.Widget
	case n.Kind() == Number:
		return NumberText
	case len(fitting) > 0:
		return fitting[0]
	}
	return AnyWidget
}

// Items returns the words of a comma list, without the white space around them
// and without empty ones.
func Items(list string) []string {
	var items []string
	for item := range strings.SplitSeq(list, ",") {
		if item = strings.TrimSpace(item); item != "" {
			items = append(items, item)
		}
	}
	return items
}
