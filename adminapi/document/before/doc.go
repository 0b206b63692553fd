// Package document holds the JSON of a service's definition exactly as it was
// written, and changes it without touching a byte that nobody asked to change:
// numbers, order, escapes and white space stay. It says what two versions differ
// in, which keys are gone, how three versions join, what a change risks, and
// what the known fields mean. It is pure: no I/O, no clock.
//
// Start at [Parse]; a [Document] never changes, every edit returns a new one.
// Raw text, keys and values are the server's: they are cleaned by package plain
// before a person sees them. A [Path] is clean as it is.
package before
