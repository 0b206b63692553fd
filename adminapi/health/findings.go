package health

import "geodeck/adminapi"

// Finding is a contradiction inside a report: the report cannot be trusted as
// it stands, or not all of it.
type Finding struct {
	Path string // where: suite and test by name, "" for the report itself
	Text string // what does not fit, one sentence
}

// Check looks for contradictions: a suite or report that says passed while a
// test did not, one that says failed while all passed, tests without a result,
// unknown words, an end before its start, a test outside its suite's time, two
// tests of one name or id in a suite, a severity that contradicts the list it
// stands in, a suite without tests, an empty report. Nil where all fits.
func Check(r adminapi.Report) []Finding { panic("contract only") }
