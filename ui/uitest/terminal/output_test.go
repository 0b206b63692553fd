package terminal_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"golang.org/x/term"

	"geodeck/ui/uitest/terminal"
)

// askVariable makes this test binary a program that queries the terminal for the cursor's
// place and shows what it reads then.
const askVariable = "TERMINAL_ASK"

func TestMain(m *testing.M) {
	if os.Getenv(askVariable) == "" {
		os.Exit(m.Run())
	}
	if _, err := term.MakeRaw(0); err != nil {
		panic(err)
	}
	fmt.Print("\x1b[3;5Hready")
	in := bufio.NewReader(os.Stdin)
	_, _ = in.ReadByte()
	fmt.Print("\x1b[6n")
	read, _ := in.ReadString('R')
	fmt.Printf("\x1b[Hread %q", read)
}

func openAsking(t *testing.T) *terminal.Terminal {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), askVariable+"=1", "GORACE=atexit_sleep_ms=0")
	x := terminal.Open(t, cmd, 80, 24)
	x.Shows("ready")
	return x
}

func TestATerminalRepliesToNothing(t *testing.T) {
	t.Parallel()
	x := openAsking(t)
	x.Press("?typedR")
	x.Shows(`read "typedR"`)
}

func TestATerminalRepliesWhenItIsToldTo(t *testing.T) {
	t.Parallel()
	const after = 20 * time.Millisecond
	x := openAsking(t)
	x.Reply(after)
	asked := time.Now()
	x.Press("?")
	x.Shows(`read "\x1b[3;10R"`)
	if took := time.Since(asked); took < after {
		t.Errorf("it replied after %v", took)
	}
}

func TestPiecesOfTheOutputMakeItWhole(t *testing.T) {
	t.Parallel()
	x := openAsking(t)
	early, more := x.Output(0)
	x.Press("?R")
	x.End()
	select {
	case <-more:
	default:
		t.Error("nobody was told that there is more")
	}
	pieces, _ := x.Output(0)
	whole, last := "", x.Started()
	for _, piece := range pieces {
		if piece.At.Before(last) {
			t.Errorf("%q came before what it follows", piece.Text)
		}
		whole, last = whole+piece.Text, piece.At
	}
	if whole != x.Sent() {
		t.Errorf("the pieces are %q, and all is %q", whole, x.Sent())
	}
	if rest, _ := x.Output(len(early)); len(rest) != len(pieces)-len(early) {
		t.Errorf("%d pieces follow %d of %d", len(rest), len(early), len(pieces))
	}
}

func TestWhatNobodyHasReadIsCounted(t *testing.T) {
	t.Parallel()
	for _, more := range []string{"", "more"} {
		x := openAsking(t)
		x.Press("?typedR")
		x.Shows(`read "typedR"`)
		x.Press(more)
		x.End()
		if n := x.Unread(); n != len(more) {
			t.Errorf("%d bytes, want %d", n, len(more))
		}
	}
}

func TestWhatIsTakenOfTheOutputIsForgotten(t *testing.T) {
	t.Parallel()
	x := openAsking(t)
	if taken := x.Take(); !strings.HasSuffix(taken, "ready") || x.Sent() != "" {
		t.Errorf("%q was taken, and %q is left", taken, x.Sent())
	}
	x.Press("?R")
	x.End()
	taken := x.Take()
	if pieces, _ := x.Output(0); len(pieces) > 0 || !strings.Contains(taken, "read") || strings.Contains(taken, "ready") {
		t.Errorf("%q was taken, and %q is left", taken, pieces)
	}
}
