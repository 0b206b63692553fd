package document

// EditError is an edit that cannot be made. The document is as it was.
type EditError struct {
	Path    Path
	Message string // plain words, clean
}

// Error returns the message with the path.
func (e *EditError) Error() string { return e.Path.String() + ": " + e.Message }

// The edits below return a new document and touch no byte but those of the
// value, key or member they are about. A new value is given as JSON text: broken
// text is refused with a [*SyntaxError] whose lines are those of the given text,
// anything else that cannot be done with an [*EditError].
//
// A value on one line is taken as it was written. The lines of a longer one are
// indented for their new place, and get the line breaks of the document; in a
// document that stands on one line it is put on one line too.

// SetValue replaces the value at a path. A value that differs from the old one
// in white space only leaves the document as it is.
func (d *Document) SetValue(path Path, raw string) (*Document, error) { panic("contract only") }

// Add adds a key to the object at parent, as its at-th from 0; an at below 0 or
// beyond the end adds at the end.
func (d *Document) Add(parent Path, key, raw string, at int) (*Document, error) {
	panic("contract only")
}

// Insert adds an element to the array at parent; at is as with [Document.Add].
func (d *Document) Insert(parent Path, raw string, at int) (*Document, error) {
	panic("contract only")
}

// Rename gives a key of an object another name; its place and its value stay.
func (d *Document) Rename(path Path, key string) (*Document, error) { panic("contract only") }

// Move moves a value among its siblings: by places down, or up where by is
// below 0, at most to the end of the row.
func (d *Document) Move(path Path, by int) (*Document, error) { panic("contract only") }

// Remove takes a key with its value, or an element, out of what holds it.
func (d *Document) Remove(path Path) (*Document, error) { panic("contract only") }

// Subtree returns a value as text to be edited alone, as [Document.SetValue]
// takes it back: the indentation of its place is left out, line breaks are \n,
// and what stands on one long line is set out in lines. Put back unchanged it
// leaves the document as it was.
func (n Node) Subtree() string { panic("contract only") }

// Quote returns text as a JSON string. Broken UTF-8 becomes the replacement
// character.
func Quote(text string) string { panic("contract only") }
