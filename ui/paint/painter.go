package paint

import (
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"
)

// Frame is what a model's View returns to Bubble Tea where a [Painter] draws: its renderer
// then has nothing to do, and what it writes is recognized and dropped.
const Frame = "\x1b_frame\x1b\\"

// minPause is the shortest time between two frames. A burst of messages is drawn once.
const minPause = 8 * time.Millisecond

// Cursor marks the cell in a frame's text on which the terminal's cursor stands. It takes no
// room. Screen readers and copy modes follow the cursor; without a mark it is hidden.
const Cursor = "\x1b_cursor\x1b\\"

// Painter draws frames on a terminal at once, and writes only the cells that differ.
type Painter struct {
	terminal *Terminal
	wake     chan struct{}
	done     chan struct{}
	ended    chan struct{}

	mu     sync.Mutex
	wanted frame
}

type frame struct {
	text          string
	width, height int
}

// NewPainter returns a painter that draws on t until it is closed. t drops the frames of
// Bubble Tea from now on.
func NewPainter(t *Terminal) *Painter {
	p := &Painter{terminal: t, wake: make(chan struct{}, 1), done: make(chan struct{}), ended: make(chan struct{})}
	t.paint()
	go p.run()
	return p
}

// Show draws text, soon, on a terminal of a size in cells. It never waits for the terminal:
// a frame that comes while another is written replaces the one that waits.
func (p *Painter) Show(text string, width, height int) {
	p.mu.Lock()
	p.wanted = frame{text, width, height}
	p.mu.Unlock()
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// Close ends the painter. What waits is not drawn.
func (p *Painter) Close() {
	close(p.done)
	<-p.ended
}

func (p *Painter) run() {
	defer close(p.ended)
	pause := time.NewTimer(0)
	defer pause.Stop()
	<-pause.C
	for {
		select {
		case <-p.done:
			return
		case <-p.wake:
		}
		p.mu.Lock()
		wanted := p.wanted
		p.mu.Unlock()
		if !p.terminal.draw(wanted) {
			continue
		}
		pause.Reset(minPause)
		select {
		case <-p.done:
			return
		case <-pause.C:
		}
	}
}

// paint makes the terminal drop the frames of Bubble Tea.
func (t *Terminal) paint() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.painted = true
}

// draw writes what differs from the screen. It reports whether anything did. Nothing is drawn
// while the terminal is not ours.
func (t *Terminal) draw(f frame) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.drawing || f.width <= 0 || f.height <= 0 {
		return false
	}
	text, x, y, focused := cutCursor(f.text)
	bytes := t.screen.frame(text, f.width, f.height)
	bytes += t.screen.cursor(min(x, f.width-1), y, focused && y < f.height)
	if bytes == "" {
		return false
	}
	if _, err := t.File.WriteString(ansi.SetModeSynchronizedOutput + bytes + ansi.ResetModeSynchronizedOutput); err != nil {
		t.screen.forget()
	}
	return true
}

// cutCursor takes the last mark of the cursor out of a frame and returns its column and line.
func cutCursor(text string) (rest string, x, y int, found bool) {
	i := strings.LastIndex(text, Cursor)
	if i < 0 {
		return text, 0, 0, false
	}
	before := text[:i]
	y = strings.Count(before, "\n")
	x = ansi.StringWidth(before[strings.LastIndexByte(before, '\n')+1:])
	return before + text[i+len(Cursor):], x, y, true
}
