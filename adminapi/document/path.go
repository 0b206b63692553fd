package document

// Path names a value in a document in a form that people read and type:
// properties.maxRecordCount, extensions[WMSServer].enabled, datasets[0]. It is
// the same for the same place, so paths can be compared and be keys of a map.
//
// An element of the outermost extensions is named by its typeName, any other
// element by its index. A key that is no plain word stands in brackets and
// quotes: properties["odd key"]. A Path holds no control or invisible
// characters; it comes from [ParsePath], [Node.Path], or the methods of Path.
type Path string

// Whole is the path of the whole document.
const Whole Path = ""

// Step is one part of a path: a key of an object, or an element of an array by
// its index or by its typeName.
type Step struct {
	Key      string // of an object
	TypeName string // of an element of extensions
	Index    int    // of any other element
	Kind     StepKind
}

// StepKind says which part of a Step counts.
type StepKind uint8

// The kinds of steps.
const (
	ByKey StepKind = iota
	ByIndex
	ByTypeName
)

// ParsePath reads a path as people type it. Quoted forms that need no quotes are
// understood, and come back without.
func ParsePath(text string) (Path, error) { panic("contract only") }

// String returns the path for a person: the empty one as "(whole document)".
func (p Path) String() string { panic("contract only") }

// Key returns the path of a key of the object at p.
func (p Path) Key(name string) Path { panic("contract only") }

// Index returns the path of an element of the array at p.
func (p Path) Index(i int) Path { panic("contract only") }

// TypeName returns the path of an extension in the array at p.
func (p Path) TypeName(name string) Path { panic("contract only") }

// Parent returns the path of what holds the value; that of Whole is Whole.
func (p Path) Parent() Path { panic("contract only") }

// Last returns the last step, and false for Whole.
func (p Path) Last() (Step, bool) { panic("contract only") }

// Steps returns the parts of the path from the outside in.
func (p Path) Steps() []Step { panic("contract only") }

// Within tells whether p is outer, or lies in it.
func (p Path) Within(outer Path) bool { panic("contract only") }
