package paint

import (
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"

	"geodeck/theme"
)

// Frame is what a model's View returns to Bubble Tea where a [Painter] draws. Its renderer
// then has nothing to do, and what it writes is recognized by this and dropped.
const Frame = "\x1b_frame\x1b\\"

// minPause is the shortest time between two frames. A burst of messages is drawn once.
const minPause = 8 * time.Millisecond

// A frame that a terminal did not take is drawn anew after a pause, twice as long each time.
const (
	firstRetry = 100 * time.Millisecond
	maxRetry   = time.Second
)

// Painter draws frames at once, and writes only the cells that differ. Nobody waits for the
// terminal but the painter itself: see [Painter.Show].
type Painter struct {
	terminal *Terminal
	wake     chan struct{}
	closed   chan struct{}
	begun    chan struct{} // closed after the first frame
	failed   func(value any)

	mu     sync.Mutex
	wanted frame
}

type frame struct {
	text          string
	width, height int
	anew          bool             // whatever is shown
	background    theme.Background // of the terminal; text is drawn for a dark one
}

// NewPainter returns a painter that draws on t until it is closed. From now on t drops the
// frames of Bubble Tea. A panic of the painter ends it; failed is called with its value while
// the stack is that of the panic.
func NewPainter(t *Terminal, failed func(value any)) *Painter {
	p := &Painter{terminal: t, wake: make(chan struct{}, 1), closed: make(chan struct{}), begun: make(chan struct{}), failed: failed}
	t.painted.Store(true)
	go p.run()
	return p
}

// Show draws text soon, on a terminal of a size in cells. A frame that comes while another
// is written replaces the one that waits.
func (p *Painter) Show(text string, width, height int) {
	p.mu.Lock()
	p.wanted.text, p.wanted.width, p.wanted.height = text, width, height
	p.mu.Unlock()
	p.wakeUp()
}

// wakeUp has the painter draw, which may be about to.
func (p *Painter) wakeUp() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// AwaitFirst returns once the terminal has taken the first frame that was shown, or has failed
// to, or the painter is closed.
func (p *Painter) AwaitFirst() {
	select {
	case <-p.begun:
	case <-p.closed:
	}
}

// Redraw makes the next frame draw everything. The size that a terminal has again may be one
// that it had lost in between, with what it showed.
func (p *Painter) Redraw() {
	p.mu.Lock()
	p.wanted.anew = true
	p.mu.Unlock()
}

// SetBackground gives the frames from the next one on the colours of a background.
func (p *Painter) SetBackground(b theme.Background) {
	p.mu.Lock()
	p.wanted.background = b
	p.mu.Unlock()
}

// Close ends the painter, without waiting for a frame that the terminal does not take.
func (p *Painter) Close() { close(p.closed) }

func (p *Painter) run() {
	begin := sync.OnceFunc(func() { close(p.begun) })
	defer func() {
		if value := recover(); value != nil {
			p.failed(value)
			begin() // whoever waits for the first frame need not
		}
	}()
	pause := time.NewTimer(0)
	defer pause.Stop()
	<-pause.C
	retry := firstRetry
	for {
		select {
		case <-p.closed:
			return
		case <-p.wake:
		}
		p.mu.Lock()
		wanted := p.wanted
		p.wanted.anew = false
		p.mu.Unlock()
		drawn, err := p.terminal.draw(wanted)
		begin()
		switch {
		case err != nil:
			pause.Reset(retry)
			retry = min(2*retry, maxRetry)
			p.wakeUp()
		case !drawn:
			continue
		default:
			pause.Reset(minPause)
			retry = firstRetry
		}
		select {
		case <-p.closed:
			return
		case <-pause.C:
		}
	}
}

// draw writes what differs from the screen, and reports whether anything did. Nothing is
// drawn while the terminal is another program's. After an error the next frame draws
// everything: nobody knows what has arrived.
func (t *Terminal) draw(f frame) (drawn bool, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if f.anew {
		t.screen.forget()
	}
	if !t.drawing || f.width <= 0 || f.height <= 0 || t.lost.Load() {
		return false, nil
	}
	t.screen.recolour(f.background)
	changes := t.screen.frame(f.text, f.width, f.height)
	if changes == "" {
		return false, nil
	}
	_, err = t.send([]byte(ansi.SetModeSynchronizedOutput + changes + ansi.ResetModeSynchronizedOutput))
	if err != nil {
		t.screen.forget()
	}
	return true, err
}
