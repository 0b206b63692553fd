// Package rows shows long lists and trees, a screen of them at a time: three
// thousand services cost as much to draw as thirteen tests.
//
// Start at [List], which takes a [Source] and needs no running program. It holds its parts:
// outline.go (the source and what is folded), viewport.go (the cursor and what is on the
// screen), marks.go, and line.go (what is typed above the rows: filter.go and search.go). Its
// command rows, such as [List.Moves], are in moves.go. A log that only gets longer is shown
// with [List.Grow]. Text that is only read and scrolled is a [Pager], and a [Page] collects
// its lines.
package rows
