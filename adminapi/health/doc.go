// Package health says what a health check report means: which words count as
// passed, how reports are counted, compared, checked for contradictions, traced
// over time, and exported. It is pure: no I/O but the writers it is given, no
// clock.
//
// Start at [Judge]: everything else stands on its verdicts. An unknown word is
// never a pass.
package health
