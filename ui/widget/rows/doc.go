// Package rows shows long lists and trees, a screen of them at a time: three
// thousand services cost as much to draw as thirteen tests.
//
// Start at [List], which takes a [Source] and needs no running program. Text
// that is only read and scrolled is a [Pager]. Both are moved by the commands of
// [Moves]; a tree by those of [Folds] as well. [Filters] hide rows, [Searches] go
// from one found row to the next, [Marks] choose several. A log that only gets
// longer is shown with [List.Grow].
package rows
