package paint_test

import (
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"geodeck/ui/paint"
)

// written returns what a terminal is sent.
func written(t *testing.T, env map[string]string, use func(*paint.Terminal)) string {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan string)
	go func() {
		all, _ := io.ReadAll(r)
		got <- string(all)
	}()
	use(paint.NewTerminal(w, func(name string) string { return env[name] }))
	_ = w.Close()
	return <-got
}

func encoded(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

func TestCopyReachesTheTerminalThroughMultiplexers(t *testing.T) {
	t.Parallel()
	plain := "\x1b]52;c;" + encoded("HC_112_002") + "\x07"
	tests := map[string]struct {
		env  map[string]string
		want string
	}{
		"none":   {map[string]string{"TERM": "xterm-256color"}, plain},
		"tmux":   {map[string]string{"TERM": "screen", "TMUX": "/tmp/x"}, plain + "\x1bPtmux;\x1b" + plain + "\x1b\\"},
		"screen": {map[string]string{"TERM": "screen.xterm"}, "\x1bP" + plain + "\x1b\\"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := written(t, tt.env, func(x *paint.Terminal) {
				if err := x.Copy("HC_112_002"); err != nil {
					t.Error(err)
				}
			})
			if got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

func TestALineThatIsTooLongForTheTerminalDoesNotMoveTheOthers(t *testing.T) {
	t.Parallel()
	got := written(t, nil, func(x *paint.Terminal) {
		for _, piece := range []string{"\x1b[?1049h", "frame", "\x1b[?1049l"} {
			if n, err := x.Write([]byte(piece)); n != len(piece) || err != nil {
				t.Errorf("%d, %v", n, err)
			}
		}
	})
	if want := "\x1b[?1049h\x1b[?7lframe\x1b[?7h\x1b[?1049l"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestCopiedTextCannotActWhereItIsPasted(t *testing.T) {
	t.Parallel()
	got := written(t, nil, func(x *paint.Terminal) { _ = x.Copy("a\tb\nrm\x1b[201~\x03\x00\u009bc\xff") })
	if want := "\x1b]52;c;" + encoded("a\tb\nrm[201~c") + "\x07"; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestTooMuchToCopyIsSaidAndNotSent(t *testing.T) {
	t.Parallel()
	got := written(t, nil, func(x *paint.Terminal) {
		err := x.Copy(strings.Repeat("x", paint.MaxCopy+1))
		if err == nil || !strings.HasPrefix(err.Error(), fmt.Sprint(paint.MaxCopy+1, " bytes do not fit")) {
			t.Errorf("error %v", err)
		}
	})
	if got != "" {
		t.Errorf("%d bytes were sent", len(got))
	}
	got = written(t, nil, func(x *paint.Terminal) {
		if err := x.Copy(strings.Repeat("x", paint.MaxCopy)); err != nil {
			t.Error(err)
		}
	})
	if len(got) == 0 || len(got) > 100_000 {
		t.Errorf("the longest copy takes %d bytes", len(got))
	}
}

func TestWritesDoNotMix(t *testing.T) {
	t.Parallel()
	frame := "<" + strings.Repeat("frame", 20_000) + ">"
	copied := "\x1b]52;c;" + encoded("id") + "\x07"
	got := written(t, nil, func(x *paint.Terminal) {
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() { _, _ = io.WriteString(x, frame) })
			all.Go(func() { _ = x.Copy("id") })
		}
		all.Wait()
	})
	rest := strings.ReplaceAll(strings.ReplaceAll(got, frame, ""), copied, "")
	if rest != "" || strings.Count(got, frame) != 4 || strings.Count(got, copied) != 4 {
		t.Errorf("writes are mixed: %d bytes left over", len(rest))
	}
}

func notified(t *testing.T, env map[string]string, text string) string {
	t.Helper()
	return written(t, env, func(x *paint.Terminal) {
		if err := x.Notify(text); err != nil {
			t.Error(err)
		}
	})
}

func TestTheBellIsOneByte(t *testing.T) {
	t.Parallel()
	got := written(t, map[string]string{"TMUX": "/tmp/x"}, func(x *paint.Terminal) {
		if err := x.Bell(); err != nil {
			t.Error(err)
		}
	})
	if got != "\a" {
		t.Errorf("got %q", got)
	}
}

func TestANotificationReachesTheTerminalThroughMultiplexers(t *testing.T) {
	t.Parallel()
	plain := "\x1b]9;upgrade done\a"
	tests := map[string]struct {
		env  map[string]string
		want string
	}{
		"none":   {map[string]string{"TERM": "xterm-256color"}, plain},
		"tmux":   {map[string]string{"TERM": "screen", "TMUX": "/tmp/x"}, "\x1bPtmux;\x1b" + plain + "\x1b\\"},
		"screen": {map[string]string{"TERM": "screen.xterm"}, "\x1bP" + plain + "\x1b\\"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := notified(t, tt.env, "upgrade done"); got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

func TestANotificationIsNeverACommandOfTheTerminal(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"4;1;50":                           "geodeck: 4;1;50",
		" \t4;3":                           "geodeck: 4;3",
		"\u200b4;3":                        "geodeck: 4;3",
		"5":                                "geodeck: 5",
		"12.0.0 is there":                  "geodeck: 12.0.0 is there",
		"done: 4;1":                        "done: 4;1",
		"a\x1b\\b\x07\n\u202ec\u009cd\xff": "a\\b cd",
	} {
		if got := notified(t, nil, text); got != "\x1b]9;"+want+"\a" {
			t.Errorf("%q was sent as %q", text, got)
		}
	}
	for _, nothing := range []string{"", " \n", "\x1b\x07\u200b"} {
		if got := notified(t, nil, nothing); got != "" {
			t.Errorf("%q was sent as %q", nothing, got)
		}
	}
}

func TestALongNotificationIsCutBetweenCharacters(t *testing.T) {
	t.Parallel()
	got := notified(t, nil, strings.Repeat("ü", 5000))
	if len(got) > 300 || !utf8.ValidString(got) || !strings.HasSuffix(got, "ü...\a") {
		t.Errorf("%d bytes: %q", len(got), got)
	}
}
