// Package bench measures programs in a terminal: what they write for a key, how soon, and
// what they take while nothing happens. It knows nothing of the dashboard; its tests do.
// Start at [Open].
package bench

import (
	"io"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"

	"geodeck/ui/uitest/terminal"
)

// Session is a program in a terminal that is measured.
type Session struct {
	*terminal.Terminal
	width, height int
	chaos         *rand.Rand
	quiet         time.Duration // that ends an answer
}

// Open starts a command in a terminal of a size in cells. It is killed when the test ends.
func Open(t testing.TB, cmd *exec.Cmd, width, height int) *Session {
	t.Helper()
	return &Session{
		Terminal: terminal.Open(t, cmd, width, height),
		width:    width, height: height, chaos: rand.New(rand.NewPCG(1, 2)), quiet: quiet,
	}
}

// Close ends the program before the test does.
func (s *Session) Close() {
	_ = s.Cmd.Process.Kill()
	s.End()
}

// ShownAt returns how long after its start the program had written the first screen with all
// the texts, false where there was none so far.
func (s *Session) ShownAt(texts ...string) (time.Duration, bool) {
	screen := vt.NewEmulator(s.width, s.height)
	go func() { _, _ = io.Copy(io.Discard, screen) }()
	defer screen.InputPipe().(io.Closer).Close() // its own Close races with the copy
	pieces, _ := s.Output(0)
	for _, piece := range pieces {
		_, _ = screen.WriteString(piece.Text)
		if containsAll(screen.String(), texts) {
			return piece.At.Sub(s.Started()), true
		}
	}
	return 0, false
}

func containsAll(text string, parts []string) bool {
	for _, part := range parts {
		if !strings.Contains(text, part) {
			return false
		}
	}
	return true
}
