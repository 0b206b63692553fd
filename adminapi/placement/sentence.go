package placement

// Sentence says in plain words where pods of an item go: any of the terms, all
// lines of a term, then the tolerations. It is clean, one line, and at most
// MaxSentence cells long: of long lists it names the first and counts the rest.
func Sentence(i Item) string { panic("contract only") }

// MaxSentence is the longest sentence, in cells.
const MaxSentence = 2000

// LineText returns a line in short, such as `gpu In a100, h100`; clean.
func LineText(l Line) string { panic("contract only") }

// TolerationText returns a toleration in short, such as `dedicated=gis:NoSchedule`
// or `every taint`; clean.
func TolerationText(t Toleration) string { panic("contract only") }
