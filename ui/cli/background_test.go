package cli_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"geodeck/ui/uitest/clitest"
	"geodeck/ui/uitest/terminal"
)

// What the dashboard asks of a terminal, and what one answers.
const (
	asksBackground = "\x1b]11;?"
	isLight        = "\x1b]11;rgb:ffff/ffff/ffff\x1b\\\x1b[?62;22c"
	isDark         = "\x1b]11;rgb:1e1e/1e1e/1e1e\a\x1b[?62;22c"
	isUntold       = "\x1b[?62;22c"
)

// The colours of a key in the footer.
const (
	onDark  = "\x1b[96m"
	onLight = "\x1b[34m"
	onBoth  = "\x1b[94m"
)

func quit(t *testing.T, x *terminal.Terminal) {
	t.Helper()
	x.Press("q")
	if code := x.End(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	x.Restored()
}

func TestTheDashboardAsksForTheBackgroundThatNothingSays(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		env, flags []string
		asks       bool
		key        string
	}{
		"nothing says it":                {[]string{"COLORFGBG="}, nil, true, onBoth},
		"nothing says it, whole lines":   {[]string{"COLORFGBG="}, []string{"--paint", "plain"}, true, onBoth},
		"the environment":                {[]string{"COLORFGBG=0;15"}, nil, false, onLight},
		"the environment, whole lines":   {[]string{"COLORFGBG=0;15"}, []string{"--paint", "plain"}, false, onLight},
		"the flag":                       {[]string{"COLORFGBG="}, []string{"--theme", "dark"}, false, onDark},
		"the flag, against what is kept": {[]string{"COLORFGBG=", kept(t, "light [\"xterm-256color\" \"\" \"\"]\n")}, []string{"--theme", "dark"}, false, onDark},
		"the Linux console":              {[]string{"COLORFGBG=", "TERM=linux"}, nil, false, onDark},
		"nothing is coloured":            {[]string{"COLORFGBG=", "NO_COLOR=1"}, nil, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := clitest.OpenTerminal(t, 100, append([]string{"TERM_PROGRAM=", "SSH_CONNECTION="}, c.env...), append([]string{"demo"}, c.flags...)...)
			x.Shows("1 of 12", "? help")
			if c.asks {
				x.Sends(asksBackground, 0)
			}
			quit(t, x)
			sent := x.Sent()
			if asks := strings.Contains(sent, asksBackground); asks != c.asks {
				t.Errorf("asks: %v, want %v", asks, c.asks)
			}
			if !strings.Contains(sent, c.key) {
				t.Errorf("no key is drawn in %q: %q", c.key, sent)
			}
		})
	}
}

// kept returns the environment with a state folder in which that is kept of terminals.
func kept(t *testing.T, content string) string {
	t.Helper()
	state := t.TempDir()
	if err := os.Mkdir(filepath.Join(state, "geodeck"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(state, "geodeck", "backgrounds"), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return "XDG_STATE_HOME=" + state
}

// asking starts the demo in a terminal that nothing says the background of.
func asking(t *testing.T, flags []string, env ...string) *terminal.Terminal {
	t.Helper()
	env = append([]string{"COLORFGBG=", "TERM_PROGRAM=", "SSH_CONNECTION="}, env...)
	x := clitest.OpenTerminal(t, 100, env, append([]string{"demo"}, flags...)...)
	x.Shows("1 of 12", "? help")
	x.Sends(asksBackground, 0)
	return x
}

// begins fails unless what stands before the terminal has answered has its keys in one colour.
func begins(t *testing.T, x *terminal.Terminal, key string) {
	t.Helper()
	sent := x.Sent()
	for _, other := range []string{onDark, onLight, onBoth} {
		if strings.Contains(sent, other) != (other == key) {
			t.Errorf("it begins with keys in %q, not only in %q: %q", other, key, sent)
		}
	}
}

// answers answers as the terminal, and waits for keys in another colour.
func answers(x *terminal.Terminal, answer, key string) {
	skip := len(x.Sent())
	x.Press(answer)
	x.Sends(key, skip)
}

func TestTheNextStartBeginsWithTheColoursOfItsTerminal(t *testing.T) {
	t.Parallel()
	for name, flags := range map[string][]string{"cells": nil, "whole lines": {"--paint", "plain"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			state, limit := t.TempDir(), clitest.Patience(t)
			for _, c := range []struct {
				program, before, answer, after, keeps string
			}{
				{"", onBoth, isLight, onLight, `light ["xterm-256color" "" ""]` + "\n"},
				{"", onLight, isDark, onDark, `dark ["xterm-256color" "" ""]` + "\n"},
				{"other", onBoth, isLight, onLight, `light ["xterm-256color" "other" ""]` + "\n" + `dark ["xterm-256color" "" ""]` + "\n"},
				{"", onDark, isUntold, onBoth, `light ["xterm-256color" "other" ""]` + "\n"},
				{"", onBoth, isLight, onLight, `light ["xterm-256color" "" ""]` + "\n" + `light ["xterm-256color" "other" ""]` + "\n"},
			} {
				x := asking(t, flags, "XDG_STATE_HOME="+state, "TERM_PROGRAM="+c.program)
				begins(t, x, c.before)
				answers(x, c.answer, c.after)
				for content := ""; content != c.keeps; runtime.Gosched() { // beside the dashboard
					read, _ := os.ReadFile(filepath.Join(state, "geodeck", "backgrounds"))
					if content = string(read); limit.Err() != nil {
						t.Fatalf("%q is kept instead of %q", content, c.keeps)
					}
				}
				quit(t, x)
			}
		})
	}
}

func TestWhatIsKeptOfTerminalsNeverFailsAStart(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("light [\"x\" \"\" \"\"]\n", 1000)
	file, folder := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(file, "geodeck"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(folder, "geodeck", "backgrounds", "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, env := range map[string]string{
		"no file":         "XDG_STATE_HOME=" + t.TempDir(),
		"an empty file":   kept(t, ""),
		"another text":    kept(t, "\x00\xff\x1b[31m\nlight\n light\nlight []\nwhite [\"xterm-256color\" \"\" \"\"]\n"),
		"half a line":     kept(t, "light [\"xterm-256color\" \"\" \"\"]"),
		"a long file":     kept(t, long),
		"a folder":        "XDG_STATE_HOME=" + folder,
		"no state folder": "XDG_STATE_HOME=" + file,
		"no place for it": "XDG_STATE_HOME=",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := asking(t, nil, env, "HOME=")
			begins(t, x, onBoth)
			answers(x, isLight, onLight)
			quit(t, x)
		})
	}
}

// Also where a library draws, and whatever is typed around it.
func TestTheAnswerOfTheTerminalIsNoKeyOfAForm(t *testing.T) {
	t.Parallel()
	x := asking(t, nil)
	x.Press("r")
	x.Shows("Run a health check", "Name of the report")
	x.Press("\t")
	x.Shows("> geodeck", "enter start")
	skip := len(x.Sent())
	x.Press("one" + isLight + "two")
	x.Sends(onLight, skip)
	if text := x.Shows("onetwo"); strings.Contains(text, "rgb") {
		t.Errorf("the answer was typed:\n%s", text)
	}
	if sent := x.Sent()[skip:]; strings.Contains(sent, onBoth) || strings.Contains(sent, onDark) {
		t.Errorf("a part keeps its colours: %q", sent)
	}
}
