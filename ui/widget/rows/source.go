package rows

// Source is what a [List] shows. It must not change while it is shown; new content is a new
// Source.
type Source[K comparable] interface {
	Content
	// Key identifies a row, also in the next source.
	Key(i int) K
}

// Content is what a list draws: rows in order, a tree with every child below its parent.
type Content interface {
	// Len is the number of rows, those inside folded ones included.
	Len() int
	// Depth is 0 for a list and for the roots of a tree, one more for children.
	Depth(i int) int
	// Matches reports whether a filter finds the row: it calls has with each text of
	// the row that can be searched.
	Matches(i int, has func(text string) bool) bool
	// Version changes when the row would be drawn differently, such as a time
	// that is shown as an age.
	Version(i int) uint64
	// Draw draws the row, in at most look.Width cells, without a line break.
	Draw(i int, look Look) string
}

// Filterer is a source whose filter is more than a text to search for.
type Filterer interface {
	// Filter returns what reports whether a row passes a filter, which is not empty.
	Filter(text string) (passes func(i int) bool)
}

// Counter is a source where other rows than those without children are counted.
type Counter interface {
	// Counts reports whether a row is one of those that are counted.
	Counts(i int) bool
}

// Look says how a row is drawn.
type Look struct {
	Width  int
	Parent bool   // it has rows below it
	Folded bool   // and hides them
	Find   string // what is searched for, in lower case: see [Highlight]
}

// Flat is embedded by a source of rows that are no tree and change only with the source.
type Flat struct{}

// Depth returns 0: no row is below another.
func (Flat) Depth(int) int { return 0 }

// Version returns 0: no row changes.
func (Flat) Version(int) uint64 { return 0 }
