package keyboard

import (
	"testing"
	"time"

	"github.com/creack/pty"
)

func TestTheTerminalSaysWhetherItsBackgroundIsLight(t *testing.T) {
	t.Parallel()
	const kind = "\x1b[?62;22c"
	for name, c := range map[string]struct {
		says         string
		light, known bool
	}{
		"white":                           {"\x1b]11;rgb:ffff/ffff/ffff\a" + kind, true, true},
		"Solarized light, two digits":     {"\x1b]11;rgb:fd/f6/e3\x1b\\" + kind, true, true},
		"black":                           {"\x1b]11;rgb:0000/0000/0000\x1b\\" + kind, false, true},
		"Solarized dark, behind a key":    {"j\x1b]11;rgb:0000/2b2b/3636\a" + kind, false, true},
		"its kind alone":                  {kind, false, false},
		"what is no colour":               {"\x1b]11;rgb:ffff\a" + kind, false, false},
		"the colour of another part":      {"\x1b]10;rgb:ffff/ffff/ffff\a" + kind, false, false},
		"an answer without its own start": {"rgb:ffff/ffff/ffff" + kind, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ours, theirs, err := pty.Open()
			if err != nil {
				t.Fatal(err)
			}
			defer ours.Close()
			defer theirs.Close()
			go func() {
				asked := make([]byte, 64)
				_, _ = ours.Read(asked)
				_, _ = ours.WriteString(c.says)
			}()
			light, known := background(theirs, theirs, time.Minute)
			if light != c.light || known != c.known {
				t.Errorf("light %v, known %v", light, known)
			}
		})
	}
}

func TestATerminalThatSaysNothingIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	ours, theirs, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer ours.Close()
	defer theirs.Close()
	if light, known := background(theirs, theirs, time.Millisecond); light || known {
		t.Errorf("light %v, known %v", light, known)
	}
}

func TestAnAnswerThatBreaksOffIsWaitedFor(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]bool{
		"": false, "j": false, "\x1b": true, "\x1b]11;rgb:ff": true, "\x1b]11;rgb:ff/ff/ff\x1b": true, "\x1b]11;rgb:ff/ff/ff\x1b\\": false,
		"\x1b]11;rgb:ff/ff/ff\a": false, "\x1b[": true, "\x1b[?62;": true, "\x1b[?62;22c": false, "\x1b[A": false,
	} {
		if got := torn([]byte(said)); got != want {
			t.Errorf("%q: %v", said, got)
		}
	}
}
