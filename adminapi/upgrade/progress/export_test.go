package progress

// Catalogue is every code that is known.
var Catalogue = catalogue

// Counts gives tests the counts of a merger, by identities that they choose.
type Counts struct{ counts }

// Set stores how often a message occurs, and returns how often it did before.
func (t *Counts) Set(high uint64, low uint32, inLog, inSnapshot, snapshot int32) (before [3]int32) {
	id := identity{high, low}
	at, c := t.find(id)
	t.set(at, id, count{inLog, inSnapshot, snapshot})
	return [3]int32{c.inLog, c.inSnapshot, c.snapshot}
}

// IsStep reports whether a code begins or ends a step.
func IsStep(c Code) bool { return c.Kind == Started && isStep(c) }
