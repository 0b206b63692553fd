// Package rows shows long lists and trees, a screen of them at a time: three
// thousand services cost as much to draw as thirteen tests.
//
// Start at [List], which takes a [Source] and needs no running program. Text
// that is only read and scrolled is a [Pager]. Both are moved by the commands of
// [Moves]; a tree by those of [Folds] as well.
package rows
