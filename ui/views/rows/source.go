package rows

// Source is what a [List] shows: rows in the order in which they stand, a tree
// with every child below its parent. It stays as it is while it is shown;
// something new is a new Source.
type Source[K comparable] interface {
	// Len is the number of rows, those inside folded ones included.
	Len() int
	// Key tells rows apart, also between one source and the next.
	Key(i int) K
	// Depth is 0 for a list and for the roots of a tree, one more for children.
	Depth(i int) int
	// Matches tells whether a filter finds the row: it asks has about each text
	// of the row that can be looked for.
	Matches(i int, has func(text string) bool) bool
	// Version changes when the row would be drawn differently, such as a time
	// that is shown as an age.
	Version(i int) uint64
	// Draw draws the row, in at most look.Width cells, without a line break.
	Draw(i int, look Look) string
}

// Asker is a source whose filter is more than a text to look for.
type Asker interface {
	// Ask returns what tells whether a row passes a filter, which is not empty.
	Ask(filter string) (passes func(i int) bool)
}

// Look says how a row is drawn.
type Look struct {
	Width    int
	Selected bool   // the cursor is on it: colour a short span, not the whole row
	Parent   bool   // it has rows below it
	Folded   bool   // and hides them
	Find     string // what is searched for, in lower case: see [Highlight]
}
