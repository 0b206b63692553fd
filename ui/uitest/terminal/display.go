package terminal

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
)

// patience is how long a test waits for a program before it fails.
const patience = time.Minute

// Display is what a user sees of the bytes that are written to it.
type Display struct {
	t        testing.TB
	replies  atomic.Pointer[func(reply string)]
	finished chan struct{} // closed once nothing more will be written

	mu      sync.Mutex
	screen  *vt.Emulator
	hidden  bool // the cursor
	sent    strings.Builder
	changed chan struct{} // closed at the next change
}

func newDisplay(t testing.TB, width, height int) *Display {
	d := &Display{t: t, finished: make(chan struct{}), screen: vt.NewEmulator(width, height), changed: make(chan struct{})}
	d.screen.SetCallbacks(vt.Callbacks{CursorVisibility: func(visible bool) { d.hidden = !visible }})
	answers := make(chan struct{})
	go func() {
		defer close(answers)
		d.passReplies()
	}()
	t.Cleanup(func() {
		<-d.finished
		_ = d.screen.InputPipe().(io.Closer).Close() // ends the replies; Close of the emulator races with them
		<-answers
	})
	return d
}

// Pipe returns a display of a size in cells behind a pipe, and the end to write to. Both end
// with the test.
func Pipe(t testing.TB, width, height int) (*Display, *os.File) {
	t.Helper()
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	d := newDisplay(t, width, height)
	t.Cleanup(func() { _ = in.Close() })
	go func() {
		defer out.Close()
		d.readAll(out)
	}()
	return d, in
}

// readAll shows everything that comes from a file, until it ends.
func (d *Display) readAll(from *os.File) {
	defer close(d.finished)
	buffer := make([]byte, 1<<16) // a frame in one piece
	for {
		n, err := from.Read(buffer)
		d.mu.Lock()
		d.add(string(buffer[:n]))
		d.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// add shows what was written. The lock is held.
func (d *Display) add(text string) {
	d.sent.WriteString(text)
	_, _ = d.screen.Write([]byte(text))
	close(d.changed)
	d.changed = make(chan struct{})
}

// passReplies reads what the emulator replies, whether it is sent or not: it waits for that.
func (d *Display) passReplies() {
	buffer := make([]byte, 4096)
	for {
		n, err := d.screen.Read(buffer)
		if send := d.replies.Load(); send != nil && n > 0 {
			(*send)(string(buffer[:n]))
		}
		if err != nil {
			return
		}
	}
}

// Resize gives the display another size in cells.
func (d *Display) Resize(width, height int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.screen.Resize(width, height)
}

// Screen returns the text that the screen shows, a line each.
func (d *Display) Screen() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.screen.String()
}

// ShowsCursor waits until the cursor is on a column and a line, from 0, and can be seen; on
// neither it has to be hidden.
func (d *Display) ShowsCursor(column, line int) {
	d.t.Helper()
	where := fmt.Sprintf("show the cursor on line %d, column %d", line+1, column+1)
	d.until(where, func() bool {
		if column < 0 {
			return d.hidden
		}
		at := d.screen.CursorPosition()
		return !d.hidden && at.X == column && at.Y == line
	})
}

// Sent returns every byte that was written.
func (d *Display) Sent() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.sent.String()
}

// Shows waits until the screen shows all of the texts at once, and returns it.
func (d *Display) Shows(texts ...string) string {
	d.t.Helper()
	var screen string
	d.until("show "+strings.Join(texts, " with "), func() bool {
		screen = d.screen.String()
		return !slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(screen, text) })
	})
	return screen
}

// Sends waits until text was written behind the first skip bytes, and returns everything
// that was written.
func (d *Display) Sends(text string, skip int) string {
	d.t.Helper()
	var sent string
	d.until("write "+text, func() bool {
		sent = d.sent.String()
		return strings.Contains(sent[min(skip, len(sent)):], text)
	})
	return sent
}

// Equals waits until the display shows the same cells as a screen, with all their attributes.
func (d *Display) Equals(what string, want *vt.Emulator) {
	d.t.Helper()
	d.compare(what, d, func() string { return difference(d.screen, want) })
}

// Same waits until the display shows the same cells as another, whose last frame may still come.
func (d *Display) Same(other *Display) {
	d.t.Helper()
	d.compare("what another display shows", other, func() string {
		other.mu.Lock()
		defer other.mu.Unlock()
		return difference(d.screen, other.screen)
	})
}

// compare waits until there is no difference to what another display shows, or a screen that is at rest.
func (d *Display) compare(what string, other *Display, differs func() string) {
	d.t.Helper()
	wrong := ""
	defer func() {
		if wrong != "" {
			d.t.Log("in " + what + ", " + wrong)
		}
	}()
	d.untilEither(other, "show "+what, func() bool {
		wrong = differs()
		return wrong == ""
	})
}

// difference names the first cell that is not as wanted, with its attributes, if there is one.
func difference(got, want *vt.Emulator) string {
	for y := range want.Height() {
		for x := range want.Width() {
			if g, w := got.CellAt(x, y), want.CellAt(x, y); *g != *w {
				return fmt.Sprintf("line %d, column %d is %+v instead of %+v", y+1, x+1, *g, *w)
			}
		}
	}
	return ""
}

// until waits for something that the program does. It looks under the lock.
func (d *Display) until(what string, done func() bool) {
	d.t.Helper()
	d.untilEither(d, what, done)
}

// untilEither looks again where another display has changed, too.
func (d *Display) untilEither(other *Display, what string, done func() bool) {
	d.t.Helper()
	limit := time.NewTimer(patience)
	defer limit.Stop()
	for {
		other.mu.Lock()
		beside := other.changed
		other.mu.Unlock()
		d.mu.Lock()
		ok, changed := done(), d.changed
		d.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-changed:
		case <-beside:
		case <-d.finished:
			d.mu.Lock()
			ok = done()
			d.mu.Unlock()
			if !ok {
				d.t.Fatalf("the program ended and did not %q; it wrote %q, and shows\n%s", what, d.Sent(), d.Screen())
			}
			return
		case <-limit.C:
			d.t.Fatalf("the program did not %q; it wrote %q, and shows\n%s", what, d.Sent(), d.Screen())
		}
	}
}
