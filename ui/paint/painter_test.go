package paint_test

import (
	"io"
	"math"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"golang.org/x/sys/unix"

	"geodeck/theme"
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
	p := paint.NewPainter(e.Terminal, failed)
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

func TestAnotherBackgroundChangesTheColoursOfWhatIsShown(t *testing.T) {
	t.Parallel()
	e, p := painted(t, 40, 2)
	p.SetBackground(theme.Unknown)
	const frame = "plain \x1b[1;96mwhere\x1b[0m it \x1b[32mwent\x1b[0m\n\x1b[91mwrong\x1b[0m"
	p.Show(frame, 40, 2)
	if sent := e.shows("wrong"); !strings.Contains(sent, "\x1b[1;94mwhere") || strings.Contains(sent, "32m") || !strings.Contains(sent, "\x1b[91mwrong") {
		t.Errorf("%q is not for an unknown background", sent)
	}
	p.SetBackground(theme.Light)
	p.Show(frame, 40, 2)
	sent := e.until(func(_, sent string) bool { return strings.HasSuffix(sent, "\x1b[?2026l") })
	if !strings.Contains(sent, "\x1b[1;34mwhere") || !strings.Contains(sent, "31mwrong") || strings.Contains(sent, "plain") || strings.Contains(sent, "went") {
		t.Errorf("%q was written for a light one", sent)
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

func TestTheFirstFrameIsAwaitedUntilItIsWrittenOrThePainterClosed(t *testing.T) {
	t.Parallel()
	r, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	terminal := paint.NewTerminal(out, func(string) string { return "" })
	p := paint.NewPainter(terminal, failed)
	_, _ = terminal.WriteString(enter)
	p.Show("first", 20, 1)
	p.AwaitFirst()
	_ = out.Close()
	if sent, _ := io.ReadAll(r); !strings.Contains(string(sent), "first") {
		t.Errorf("only %q was written", sent)
	}
	p.Close()

	never := paint.NewPainter(terminal, failed)
	never.Close()
	never.AwaitFirst()
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

func TestATerminalThatWasResizedToAndFroIsDrawnAnew(t *testing.T) {
	t.Parallel()
	e, p := painted(t, 20, 2)
	p.Show("one\ntwo", 20, 2)
	e.shows("two")
	e.screen.Resize(1, 1)
	e.screen.Resize(20, 2)
	p.Redraw()
	p.Show("one\ntwo", 20, 2)
	e.shows("two")
}

func TestAFrameInBetweenDoesNotMoveTheNext(t *testing.T) {
	t.Parallel()
	e, p := painted(t, 20, 2)
	p.Show("one\ntwo "+theme.CursorMark, 20, 2)
	e.shows("two")
	_, _ = e.WriteString("\x1b[H") // the second half of what clears the screen
	p.Show("one\ntwo "+theme.CursorMark, 20, 2)
	e.until(func(_, sent string) bool {
		at := e.screen.CursorPosition()
		return strings.HasPrefix(sent, "\x1b[H") && at.X == 4 && at.Y == 1
	})
}

func TestNothingIsDrawnOnTheScreenOfAnotherProgram(t *testing.T) {
	t.Parallel()
	e, p := painted(t, 20, 1)
	_, _ = e.WriteString("\x1b[?1049l")
	p.Show("ours", 20, 1)
	p.AwaitFirst()
	_, _ = e.WriteString("theirs")
	if sent := e.until(func(screen, _ string) bool { return strings.Contains(screen, "theirs") }); strings.Contains(sent, "ours") {
		t.Errorf("%q", sent)
	}
}

func TestTheCursorStandsWhereTheFrameSays(t *testing.T) {
	t.Parallel()
	e, p := painted(t, 20, 2)
	p.Show("one\n界 "+theme.CursorMark+"two", 20, 2)
	e.shows("two")
	if at := e.screen.CursorPosition(); at.X != 3 || at.Y != 1 {
		t.Errorf("the cursor stands at %v", at)
	}
}

func TestNothingWaitsForATerminalThatTakesNothing(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	terminal := paint.NewTerminal(w, func(string) string { return "" })
	p := paint.NewPainter(terminal, failed)
	defer p.Close()
	_, _ = terminal.WriteString(enter)
	full := strings.Repeat(strings.Repeat("x", 1000)+"\n", 1000) // more than a pipe holds
	p.Show(full, 1000, 1000)
	if n, err := r.Read(make([]byte, len(enter)+4096)); n == 0 || err != nil { // it is being written
		t.Fatal(n, err)
	}
	for range 100 {
		p.Show(full, 999, 1000)
		if n, err := terminal.WriteString(paint.Frame); n != len(paint.Frame) || err != nil {
			t.Fatal(n, err)
		}
	}
	terminal.Lose()
	if n, err := terminal.WriteString("\x1b[?1049l"); n != 8 || err != nil {
		t.Fatal(n, err)
	}
}

func TestAFrameThatWasNotTakenIsDrawnAnew(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	terminal := paint.NewTerminal(w, func(string) string { return "" })
	p := paint.NewPainter(terminal, failed)
	defer p.Close()
	_, _ = terminal.WriteString(enter)
	// What is written stops wherever the pipe is full.
	frame := strings.Repeat(strings.Repeat("x", 399)+"\n", 299) + "the last line"
	p.Show(frame, 400, 300)
	if _, err := r.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	if err := w.SetWriteDeadline(time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	_, _ = terminal.WriteString("\a") // waits until the frame has failed
	if err := w.SetWriteDeadline(time.Time{}); err != nil {
		t.Fatal(err)
	}
	screen := vt.NewEmulator(400, 300)
	chunk := make([]byte, 1<<16)
	for !strings.Contains(screen.String(), "the last line") {
		n, err := r.Read(chunk)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = screen.Write(chunk[:n])
	}
	if first, _, _ := strings.Cut(screen.String(), "\n"); first != strings.Repeat("x", 399) {
		t.Errorf("the first line is %q", first)
	}
}

func TestAFrameIsWrittenToItsEndWhereWritesDoNotWait(t *testing.T) {
	t.Parallel()
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	r, w := os.NewFile(uintptr(ends[0]), "r"), os.NewFile(uintptr(ends[1]), "w")
	defer r.Close()
	if err := unix.SetNonblock(ends[1], true); err != nil { // as another program does it: w does not know
		t.Fatal(err)
	}
	terminal := paint.NewTerminal(w, func(string) string { return "" })
	p := paint.NewPainter(terminal, failed)
	_, _ = terminal.WriteString(enter)
	p.Show(strings.Repeat(strings.Repeat("x", 999)+"\n", 300)+"the last line", 1000, 301) // more than a pipe holds
	sent, chunk := "", make([]byte, 4096)
	for !strings.Contains(sent, "the last line") {
		n, err := r.Read(chunk)
		if err != nil {
			t.Fatal(err)
		}
		sent += string(chunk[:n])
	}
	p.Close()
	_ = w.Close()
	if n := strings.Count(sent, "\x1b[2J"); n != 1 {
		t.Errorf("the frame was begun %d times", n)
	}
}

// failed is for painters that must not fail.
func failed(value any) { panic(value) }

func TestAPainterThatFailsSaysSoAndHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	e := newEmulated(t, 20, 1)
	values := make(chan any, 1)
	p := paint.NewPainter(e.Terminal, func(value any) { values <- value })
	t.Cleanup(p.Close)
	_, _ = e.WriteString(enter)
	p.Show("text", math.MaxInt, 1) // no slice is that long
	if value := <-values; value == nil {
		t.Error("it does not say why")
	}
	p.AwaitFirst()
	p.Show("text", 20, 1)
	if _, err := e.WriteString("\a"); err != nil {
		t.Error(err)
	}
}
