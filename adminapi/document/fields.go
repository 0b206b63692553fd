package document

import (
	"cmp"
	_ "embed"
	"slices"
	"strings"
	"sync"
)

// Widget is the way a value is best edited.
type Widget uint8

// The widgets.
const (
	AnyWidget   Widget = iota // the JSON text itself
	OnOff                     // true or false
	Integer                   // a whole number without a unit
	TimeInteger               // a whole number of time, unit not documented
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
	Fixed   bool     // an edit cannot change it
	Path    bool     // it names a place in a file system or store
	Text    string   // what it is, for a person
}

//go:embed fields.txt
var fieldsText string

// fields are those of the file.
var fields = sync.OnceValue(func() (all []Field) {
	widgets := map[string]Widget{"line": OneLine, "words": CommaList, "integer": Integer, "time": TimeInteger, "clock": ClockTime, "on-off": OnOff}
	var group Field
	for line := range strings.Lines(fieldsText) {
		said, text, isField := strings.Cut(strings.TrimSpace(line), " : ")
		if !isField {
			if name, more, is := strings.Cut(said, "]"); is {
				group = Field{Group: Group(name[1:]), Restart: more != ""}
			}
			continue
		}
		f, words := group, strings.Fields(said)
		f.Pattern, f.Text = words[0], text
		for _, word := range words[1:] {
			word, values, _ := strings.Cut(word, "=")
			switch widget, is := widgets[word]; {
			case is:
				f.Widget = widget
			case values != "":
				f.Values = strings.Split(values, ",")
			default:
				f.Kind = cmp.Or(f.Kind, valueTypes[word].kind)
			}
			f.Restart, f.Fixed, f.Path = f.Restart || word == "restart", f.Fixed || word == "fixed", f.Path || word == "path"
		}
		all = append(all, f)
	}
	return all
})

var fieldByPattern = sync.OnceValue(func() map[string]Field {
	byPattern := map[string]Field{}
	for _, f := range fields() {
		byPattern[f.Pattern] = f
	}
	return byPattern
})

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
			return fieldByPattern()["extensions[*]"], true
		}
		outer = "extensions[*]" + join(steps[2:len(steps)-1]).below(extensionsPath)
	}
	last := steps[len(steps)-1]
	if f, ok := fieldByPattern()[string(outer.then(last))]; ok {
		return f, true
	}
	if last.Kind != ByKey || outer == Whole {
		return Field{}, false
	}
	f, ok := fieldByPattern()[string(outer)+".*"]
	f.Path = f.Path || ok && isPathKey(last.Key)
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

// isPathKey reports whether a key of a type's properties, which differ from type
// to type, sounds like one for a place in a file system.
func isPathKey(key string) bool {
	key = strings.ToLower(key)
	return strings.HasSuffix(key, "dir") || strings.HasSuffix(key, "directory") || strings.HasSuffix(key, "path") || key == "toolbox"
}

// GroupOf returns the group of any path; Other for keys that are not described.
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
