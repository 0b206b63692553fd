package paint_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"geodeck/ui/paint"
)

func notified(t *testing.T, env map[string]string, text string) string {
	t.Helper()
	return written(t, env, func(x *paint.Terminal) {
		if err := x.Notify(text); err != nil {
			t.Error(err)
		}
	})
}

func TestTheBellIsOneByte(t *testing.T) {
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
	got := notified(t, nil, strings.Repeat("ü", 5000))
	if len(got) > 300 || !utf8.ValidString(got) || !strings.HasSuffix(got, "ü...\a") {
		t.Errorf("%d bytes: %q", len(got), got)
	}
}
