package document

// Severity says how much a finding or a risk weighs.
type Severity uint8

// The severities, the lightest first.
const (
	Note Severity = iota + 1
	Caution
	Danger
)

// String returns the severity as one word, such as "caution".
func (s Severity) String() string { panic("contract only") }

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
func Risks(changes []Change, after *Document) []Risk { panic("contract only") }

// Finding is a rule that a definition breaks.
type Finding struct {
	Path     Path
	Line     int  // where it stands, from 1; 0 where it does not stand anywhere
	Blocking bool // the server cannot be meant to take it
	Text     string
}

// Check returns where a definition breaks the rules of its fields, in the order
// of the rules. base is the definition that the server has, or nil: what it
// already breaks in the same way is the server's own and does not block, and it
// decides which service this is. Unknown keys are fine.
func Check(d, base *Document) []Finding { panic("contract only") }
