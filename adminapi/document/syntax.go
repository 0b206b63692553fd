package document

import "strconv"

// SyntaxError is a text that is no document, with the place as an editor counts
// it: lines and columns from 1, columns in characters.
type SyntaxError struct {
	Line, Column int
	Offset       int    // in bytes, from 0
	Path         Path   // of the value that was being read
	Message      string // plain words, clean
}

// Error returns the message with its place.
func (e *SyntaxError) Error() string {
	at := "line " + strconv.Itoa(e.Line) + ", column " + strconv.Itoa(e.Column)
	if e.Path != Whole {
		at += ", at " + e.Path.String()
	}
	return at + ": " + e.Message
}
