package uitest

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
)

// patience bounds a wait that would never end: a release with its 368 messages takes five
// seconds alone, and many more under the race detector on a busy machine.
const patience = 2 * time.Minute

// Film is what a program has shown so far: the lines of each frame that were not in the one
// before, without colours.
type Film struct {
	t testing.TB

	mu      sync.Mutex
	last    []string      // the lines of the last frame
	shown   []byte        // since the last cut
	changed chan struct{} // closed at the next change
}

// NewFilm returns a film with nothing on it.
func NewFilm(t testing.TB) *Film { return &Film{t: t, changed: make(chan struct{})} }

// Add takes the next frame.
func (f *Film) Add(frame string) {
	lines := strings.Split(frame, "\n")
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, line := range lines {
		if i >= len(f.last) || line != f.last[i] {
			f.shown = append(append(f.shown, ansi.Strip(line)...), '\n')
		}
	}
	f.last = lines
	close(f.changed)
	f.changed = make(chan struct{})
}

// Cut forgets what was shown so far.
func (f *Film) Cut() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.shown = nil
}

// Until waits until what was shown since the last cut is what a test waits for.
func (f *Film) Until(what string, done func(shown []byte) bool) {
	f.t.Helper()
	limit := time.NewTimer(patience)
	defer limit.Stop()
	for {
		f.mu.Lock()
		shown, changed := f.shown, f.changed
		f.mu.Unlock()
		if done(shown) {
			return
		}
		select {
		case <-changed:
		case <-limit.C:
			f.t.Fatalf("there never was %s; shown was\n%s", what, shown)
		}
	}
}
