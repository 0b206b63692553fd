// Package rows shows long lists and trees, a screen of them at a time: three
// thousand services cost as much to draw as thirteen tests.
//
// Start at [List], which takes a [Source] and needs no running program; it is put
// together from outline.go (the source and what is folded), filter.go, search.go,
// marks.go and viewport.go (the cursor and what is on the screen). Its command rows,
// such as [List.Moves], are in moves.go. A log that only gets longer is shown with
// [List.Grow]. Text that is only read and scrolled is a [Pager], and a [Page] collects
// its lines.
package rows
