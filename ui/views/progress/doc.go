// Package progress is the view of an upgrade while it runs: its state and its two
// clocks, its phases, and its messages as they come, to be filtered, searched,
// copied and saved. When it is over it is summed up. When nothing runs the view
// shows the last run, and on request the record of one that was watched before.
//
// It asks the site nothing about the run itself: the root's one watch reads for it,
// and goes on whatever view is shown. Start at [Model]; shown.go is what its parts share,
// board.go and phases.go
// are what stands above the log, messages.go is the log, summary.go the end.
package progress
