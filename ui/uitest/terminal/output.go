package terminal

import (
	"strings"
	"time"
)

// Piece is what one read of the program's output returned, and when.
type Piece struct {
	At   time.Time
	Text string
}

func (x *Terminal) read(arrived chan<- Piece) {
	defer close(arrived)
	buffer := make([]byte, 4096)
	for {
		n, err := x.ours.Read(buffer)
		if n > 0 {
			arrived <- Piece{time.Now(), string(buffer[:n])}
			if p := x.pause.Load(); p != nil {
				p.wait(string(buffer[:n]))
			}
		}
		if err != nil {
			return
		}
	}
}

// pause stops the reading of what the program writes.
type pause struct {
	at, seen string
	end      chan struct{}
}

func (p *pause) wait(arrived string) {
	if p.seen += arrived; strings.Contains(p.seen, p.at) {
		<-p.end
	}
}

// StopAt makes the terminal take nothing more once the program has written a text, as a line
// that is stuck. What the program writes then fills some 64 KiB, and blocks.
func (x *Terminal) StopAt(text string) {
	x.pause.Store(&pause{at: text, end: make(chan struct{})})
}

// GoOn ends the effect of [Terminal.StopAt].
func (x *Terminal) GoOn() {
	if p := x.pause.Swap(nil); p != nil {
		close(p.end)
	}
}

// show gives what arrives to the display. It does so beside the reading, which tells the times.
func (x *Terminal) show(arrived <-chan Piece) {
	defer close(x.finished)
	for piece := range arrived {
		x.mu.Lock()
		x.pieces = append(x.pieces, piece)
		x.add(piece.Text)
		x.mu.Unlock()
	}
}

// Output returns what the program has written behind the first skip pieces, and a channel
// that is closed when more is there.
func (x *Terminal) Output(skip int) ([]Piece, <-chan struct{}) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.pieces[skip:len(x.pieces):len(x.pieces)], x.changed
}

// Take returns what the program has written since the last Take, and forgets it: a program
// that runs for hours writes more than the memory holds. Of all that is counted from the
// start, only what came since is left.
func (x *Terminal) Take() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	taken := x.sent.String()
	x.sent.Reset()
	x.pieces = nil
	return taken
}

// Started returns when the program was started.
func (x *Terminal) Started() time.Time { return x.started }

// Finished returns a channel that is closed once nothing more can come from the program: after
// [Terminal.End] and [Terminal.HangUp].
func (x *Terminal) Finished() <-chan struct{} { return x.finished }

// Reply makes the terminal answer queries after a time, as at the end of a long line.
func (x *Terminal) Reply(after time.Duration) {
	send := func(reply string) {
		time.AfterFunc(after, func() { _, _ = x.ours.WriteString(reply) })
	}
	x.replies.Store(&send)
}
