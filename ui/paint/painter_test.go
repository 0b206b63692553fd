package paint_test

import (
	"io"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/charmbracelet/x/vt"

	"geodeck/ui/paint"
)

const enter = "\x1b[?1049h"

// emulated is a terminal that an emulator stands behind.
type emulated struct {
	*paint.Terminal
	screen *vt.SafeEmulator
	sent   strings.Builder
	mu     sync.Mutex
	more   *sync.Cond
}

func newEmulated(t *testing.T, w, h int) *emulated {
	t.Helper()
	r, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	e := &emulated{
		Terminal: paint.NewTerminal(out, func(string) string { return "" }),
		screen:   vt.NewSafeEmulator(w, h),
	}
	e.more = sync.NewCond(&e.mu)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		bytes := make([]byte, 1<<16)
		for {
			n, err := r.Read(bytes)
			e.mu.Lock()
			e.sent.Write(bytes[:n])
			_, _ = e.screen.Write(bytes[:n])
			e.more.Broadcast()
			e.mu.Unlock()
			if err == io.EOF {
				return
			}
		}
	}()
	t.Cleanup(func() {
		_ = out.Close()
		<-ended
		_ = r.Close()
	})
	return e
}

// until waits for a screen.
func (e *emulated) until(want func(screen, sent string) bool) (sent string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for !want(e.screen.String(), e.sent.String()) {
		e.more.Wait()
	}
	sent = e.sent.String()
	e.sent.Reset()
	return sent
}

// shows waits for a text on the screen, and returns what was written for it.
func (e *emulated) shows(text string) string {
	return e.until(func(screen, sent string) bool {
		return strings.Contains(screen, text) && strings.HasSuffix(sent, "\x1b[?2026l")
	})
}

func painted(t *testing.T, w, h int) (*emulated, *paint.Painter) {
	e := newEmulated(t, w, h)
	p := paint.NewPainter(e.Terminal)
	t.Cleanup(p.Close)
	_, _ = e.WriteString(enter)
	return e, p
}

func TestOnlyWhatDiffersIsWritten(t *testing.T) {
	t.Parallel()
	e, p := painted(t, 20, 3)
	p.Show("first\nsecond\nthird", 20, 3)
	e.shows("third")
	p.Show("first\nsecund\nthird", 20, 3)
	if sent := e.shows("secund"); strings.Contains(sent, "first") || len(sent) > 40 {
		t.Errorf("%q was written for one letter", sent)
	}
}

func TestTheLastFrameOfABurstIsShown(t *testing.T) {
	t.Parallel()
	e, p := painted(t, 20, 1)
	for i := range 1000 {
		p.Show(strings.Repeat("x", i%20), 20, 1)
	}
	p.Show("last", 20, 1)
	if sent := e.shows("last"); strings.Count(sent, "\x1b[?2026h") > 20 {
		t.Errorf("%d frames were drawn", strings.Count(sent, "\x1b[?2026h"))
	}
}

func TestBubbleTeasOwnFramesAreDropped(t *testing.T) {
	t.Parallel()
	e, p := painted(t, 20, 1)
	_, _ = e.WriteString("\x1b[H" + paint.Frame + "\x1b[K")
	p.Show("ours", 20, 1)
	if sent := e.shows("ours"); strings.Contains(sent, "frame") {
		t.Errorf("%q", sent)
	}
}

func TestAfterClearingEverythingIsDrawnAnew(t *testing.T) {
	t.Parallel()
	for name, sequence := range map[string]string{
		"clear screen": "\x1b[2J\x1b[H", "another program's screen": "\x1b[?1049l" + enter,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, p := painted(t, 20, 2)
			p.Show("one\ntwo", 20, 2)
			e.shows("two")
			_, _ = e.WriteString(sequence)
			p.Show("one\ntwo", 20, 2)
			e.shows("one")
		})
	}
}

func TestNothingIsDrawnOnTheScreenOfAnotherProgram(t *testing.T) {
	t.Parallel()
	e, p := painted(t, 20, 1)
	_, _ = e.WriteString("\x1b[?1049l")
	p.Show("ours", 20, 1)
	_, _ = e.WriteString("theirs")
	if sent := e.until(func(screen, _ string) bool { return strings.Contains(screen, "theirs") }); strings.Contains(sent, "ours") {
		t.Errorf("%q", sent)
	}
}

func TestTheCursorStandsWhereTheFrameSays(t *testing.T) {
	t.Parallel()
	e, p := painted(t, 20, 2)
	p.Show("one\n界 "+paint.Cursor+"two", 20, 2)
	e.shows("two")
	if at := e.screen.CursorPosition(); at.X != 3 || at.Y != 1 {
		t.Errorf("the cursor stands at %v", at)
	}
}
