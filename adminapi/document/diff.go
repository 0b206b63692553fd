package document

// ChangeKind says what happened to a value.
type ChangeKind uint8

// The kinds of changes. Rewritten is the same value written in another way: 1.0
// for 1, or a character for its escape. Moved is a new order of extensions; the
// order of an object's keys has no meaning.
const (
	Added ChangeKind = iota + 1
	Removed
	Changed
	Rewritten
	Moved
)

// String returns the kind as one word, such as "added".
func (k ChangeKind) String() string { panic("contract only") }

// Change is one difference between two documents.
type Change struct {
	Path Path
	Kind ChangeKind
	Old  string // as it was written; empty where Added
	New  string // as it is written; empty where Removed
}

// Diff returns what is different by meaning, in the order of before, then of
// what was added. Objects are compared by their keys, the extensions by their
// typeName where each has one of its own, any other array is one value. White
// space and the order of keys do not count.
func Diff(before, after *Document) []Change { panic("contract only") }

// Apply makes changes as [Diff] returns them, one after the other.
func (d *Document) Apply(changes []Change) (*Document, error) { panic("contract only") }

// Lost returns the keys of base that edited no longer has, in the order of base.
// Of a value that is gone as a whole only the outermost path is named; elements
// of arrays count as keys where their number has shrunk.
func Lost(base, edited *Document) []Path { panic("contract only") }

// Conflict is a place that two people changed in different ways. An empty text
// means that the version has no such value.
type Conflict struct {
	Path               Path
	Base, Mine, Theirs string // as written
}

// Merge brings what changed from base to mine into theirs: objects by key,
// extensions by typeName, any other array as one value. The document is theirs
// byte for byte but for those changes. Where both changed the same place in
// different ways there is no document, only the conflicts.
func Merge(base, mine, theirs *Document) (*Document, []Conflict) { panic("contract only") }
