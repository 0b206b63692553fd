package health

// Hint says what a known test covers and where to look when it does not pass.
type Hint struct {
	Covers string // one sentence
	Look   string // one or two sentences
}

// HintFor returns the hint for a test of the basic suite by its name, such as
// healthcheck_objectStore, and false for any other test.
func HintFor(testName string) (Hint, bool) { panic("contract only") }
