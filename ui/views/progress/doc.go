// Package progress is the view of an upgrade while it runs: its state, how long
// it has taken, and its messages as they come. When nothing runs it shows the
// messages of the last one.
//
// It asks the site nothing itself: the root's one watch reads for it, and goes
// on whatever view is shown. Start at [Model].
package progress
