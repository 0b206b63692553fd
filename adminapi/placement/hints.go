package placement

// Hint is something that people get wrong about placement.
type Hint struct {
	ID   string // such as "toleration-does-not-attract"
	Text string // one or two sentences
}

// Hints returns what is worth knowing about an item as it is; the ones that suit
// every item come last.
func Hints(i Item) []Hint { panic("contract only") }
