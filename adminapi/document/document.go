package document

// What a document may have at most. A definition of a service has a few hundred
// lines.
const (
	MaxSize  = 4 << 20 // bytes
	MaxDepth = 200     // objects and arrays within each other
)

// Document is one JSON value with its exact bytes. It never changes and may be
// read by several goroutines. The zero Document is not usable: see [Parse].
type Document struct {
	text  string
	nodes []node
}

// Parse reads a JSON text. It refuses what no site can take or what would be
// read in two ways: broken JSON, a key that an object has twice, broken UTF-8,
// half a surrogate pair, more than MaxSize or MaxDepth. The error is a
// [*SyntaxError].
func Parse(data []byte) (*Document, error) { panic("contract only") }

// Bytes returns a copy of the text, byte for byte as it was parsed.
func (d *Document) Bytes() []byte { return []byte(d.text) }

// Text returns the text as Bytes does, without a copy.
func (d *Document) Text() string { return d.text }

// Root returns the outermost value.
func (d *Document) Root() Node { return Node{d, 0} }

// Find returns the value at a path, and false where the document has none.
func (d *Document) Find(path Path) (Node, bool) { panic("contract only") }

// At returns the innermost value that covers a byte offset; a key, its colon and
// the white space before them belong to the value that holds them.
func (d *Document) At(offset int) Node { panic("contract only") }

// Position returns the line and the column of a byte offset, both from 1, in
// characters, as an editor counts them.
func (d *Document) Position(offset int) (line, column int) { panic("contract only") }
