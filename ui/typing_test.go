package ui_test

import (
	"strings"
	"testing"
)

// A line may cut and join the bytes of keys as it likes: these go through a terminal, the
// reader and Bubble Tea.

func TestAnArrowInTwoWritesIsAnArrow(t *testing.T) {
	t.Parallel()
	x := open(t, "dashboard")
	x.Shows("offline")
	x.Press(":")
	x.Shows("time display")
	x.Press("help")
	x.Press("\x1b")
	x.Press("[D")
	x.Press("\x1b[")
	x.Press("D")
	x.Press("x")
	x.Shows(":hexlp")
}

func TestEscapeAndAKeyInOneWriteAreBoth(t *testing.T) {
	t.Parallel()
	x := open(t, "dashboard")
	x.Shows("offline")
	x.Press("?")
	x.Shows("Help for")
	x.Press("\x1bq")
	if code := x.End(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	x.Restored()
}

func TestAPasteIntoAListDoesNothing(t *testing.T) {
	t.Parallel()
	for what, paste := range map[string]string{
		"marked":         "\x1b[200~?\r:quit\rq\x1b[201~",
		"not marked":     "systemctl restart postgresql\rquit\rq\r2\r3\r",
		"behind esc":     "\x1b\x1b[200~q\x1b[201~",
		"an answer":      "\x1b]11;rgb:1e1e/qqqq/1e1e\x1b\\\x1b[?62;22c",
		"a half of one":  "\x1b]11;rgb:qq",
		"of two writes":  "\x1b[20",
		"of the control": "\x1b[200~q\x03\x1b[201~",
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			x := open(t, "dashboard")
			x.Shows("offline")
			x.Press(paste)
			if what == "of two writes" {
				x.Press("0~q\x1b[201~")
			}
			x.Press("\x1b[A") // of a key, since letters may belong to what is pasted
			x.Press("\x03")
			if code := x.End(); code != 0 {
				t.Errorf("exit code %d", code)
			}
			if sent := x.Sent(); strings.Contains(sent, "Help for") || strings.Contains(sent, "Quit geodeck?") {
				t.Errorf("it acted: %q", sent)
			}
		})
	}
}

func TestAPasteThatIsNotMarkedAnswersNoQuestion(t *testing.T) {
	t.Parallel()
	x := open(t, "dashboard")
	x.Shows("offline")
	x.Press("?")
	x.Shows("Help for")
	x.Press("\x03")
	x.Shows("Quit geodeck?")
	x.Press("y\ry\r")
	x.Shows("Quit geodeck?", "Pasted text answers no question: press y or n alone.")
	x.Press("y")
	if code := x.End(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
