package main

import "slices"

// fault is a mistake that somebody might make in the program, planted to see who notices.
type fault struct {
	promise int    // the row of docs/reliability.md that it breaks
	what    string // what the program does wrong then, as a sentence without its end
	cuts    []cut
}

// planted is a line of the list. What is replaced is told by function and kind of change.
func planted(promise int, what string, cuts ...cut) fault { return fault{promise, what, cuts} }

// faults returns all faults, by topic.
func faults() []fault { return slices.Concat(ofTrial, ofKeeping) }
