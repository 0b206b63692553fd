package before

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
func (l Line) Comma() bool { return l.Part != Opening && l.Node.Next().Valid() }

// Lines returns the document set out for reading: one line for each plain or
// empty value, two for the ends of any other. The lines are made anew by each
// call, in a fraction of the time that [Parse] takes.
func (d *Document) Lines() []Line {
	count := len(d.nodes)
	for i := range d.nodes {
		if d.nodes[i].len > 0 {
			count++
		}
	}
	lines := make([]Line, 0, count)
	return d.Root().lines(lines, 0)
}

func (n Node) lines(lines []Line, depth int) []Line {
	here := len(lines)
	lines = append(lines, Line{Node: n, Depth: depth, Pair: here})
	if n.at().len == 0 {
		return lines
	}
	for child := n.First(); child.Valid(); child = child.Next() {
		lines = child.lines(lines, depth+1)
	}
	lines[here].Part, lines[here].Pair = Opening, len(lines)
	return append(lines, Line{Node: n, Part: Closing, Depth: depth, Pair: here})
}
