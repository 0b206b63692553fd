package sites

import (
	"errors"
	"fmt"

	"geodeck/adminapi/plain"
)

// Error is what is wrong with the file, or with what is asked of it. It shows no values of
// the file, since a secret may be among them.
type Error struct {
	Path     string // of the file; empty where that is not to blame
	Line     int    // from 1; 0 where it is not one line
	Sentence string
	Advice   string // what to do, empty where the sentence says it
	Err      error  // of the system, or such as [ErrNoSuchSite]
}

// Errors that an [Error] may wrap.
var (
	ErrNoSuchSite = errors.New("no such site")
	ErrSiteExists = errors.New("the site exists already")
	ErrNotPrivate = errors.New("others may read or change the file")
	// ErrByHand says that the file is written in a way that only a person can edit. The
	// advice has the lines.
	ErrByHand = errors.New("the file has to be edited by hand")
)

// Error is the sentence, after the file and the line.
func (e *Error) Error() string {
	switch {
	case e.Path == "":
		return e.Sentence
	case e.Line > 0:
		return fmt.Sprintf("%s: line %d: %s", plain.Line(e.Path), e.Line, e.Sentence)
	}
	return plain.Line(e.Path) + ": " + e.Sentence
}

// Unwrap returns the error of the system.
func (e *Error) Unwrap() error { return e.Err }
