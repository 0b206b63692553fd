package document

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
func Fields() []Field { panic("contract only") }

// FieldOf returns what is known of the value at a path, and false for one that
// nothing is known of.
func FieldOf(path Path) (Field, bool) { panic("contract only") }

// GroupOf returns the group of any path; Other for keys that nobody described.
func GroupOf(path Path) Group { panic("contract only") }

// WidgetFor returns how to edit a value: as its field says where that suits the
// kind the value has now, else by its kind. A number that the server keeps as a
// string stays a string.
func WidgetFor(n Node) Widget { panic("contract only") }

// Items returns the words of a comma list, without the white space around them
// and without empty ones.
func Items(list string) []string { panic("contract only") }
