package uitest

import (
	"io"
	"strings"
	"time"
)

// Line is a terminal whose bytes come in pieces: each read returns one at most. A piece
// that is a [Pause] lets time go by. Its clock moves by pauses alone.
type Line struct {
	Pieces []string
	now    time.Time
}

// NewLine returns a line on which pieces come.
func NewLine(pieces ...string) *Line { return &Line{pieces, Start} }

// Pause is a piece of a line: for so long nothing comes.
func Pause(d time.Duration) string { return "\x00pause " + d.String() }

func paused(piece string) (time.Duration, bool) {
	name, ok := strings.CutPrefix(piece, "\x00pause ")
	if !ok {
		return 0, false
	}
	d, err := time.ParseDuration(name)
	return d, err == nil
}

// Now is the time on the line.
func (l *Line) Now() time.Time { return l.now }

// More lets time go by, up to the end of a pause, and reports whether a read would not block.
func (l *Line) More(wait time.Duration) bool {
	if len(l.Pieces) == 0 {
		return false
	}
	d, ok := paused(l.Pieces[0])
	switch {
	case !ok:
		return true
	case d > wait:
		l.now = l.now.Add(wait)
		l.Pieces[0] = Pause(d - wait)
		return false
	}
	l.now = l.now.Add(d)
	l.Pieces = l.Pieces[1:]
	return l.More(wait - d)
}

// Read returns the next piece, io.EOF at the end.
func (l *Line) Read(p []byte) (int, error) {
	for len(l.Pieces) > 0 {
		d, ok := paused(l.Pieces[0])
		if !ok {
			break
		}
		l.now = l.now.Add(d)
		l.Pieces = l.Pieces[1:]
	}
	if len(l.Pieces) == 0 {
		return 0, io.EOF
	}
	n := copy(p, l.Pieces[0])
	if l.Pieces[0] = l.Pieces[0][n:]; l.Pieces[0] == "" {
		l.Pieces = l.Pieces[1:]
	}
	return n, nil
}
