package document

// Part says which part of a value a line shows.
type Part uint8

// The parts: a value that needs one line only, or the two ends of an object or
// array that holds something.
const (
	WholeValue Part = iota
	Opening
	Closing
)

// Line is one line of a document set out for reading, whatever its own layout.
type Line struct {
	Node  Node // the value; its Key, Raw and Path are made when they are asked for
	Part  Part
	Depth int // of indentation; the root has 0
	Pair  int // index of the line with the other end; its own for WholeValue
}

// Comma tells whether a comma follows what the line shows.
func (l Line) Comma() bool { panic("contract only") }

// Lines returns the document set out for reading: one line for each plain or
// empty value, two for the ends of any other. The lines are made anew by each
// call, in a fraction of the time that [Parse] takes.
func (d *Document) Lines() []Line { panic("contract only") }
