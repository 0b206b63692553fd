package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi/simulator"
	"geodeck/adminapi/sites"
	"geodeck/ui/uitest/clitest"
	"geodeck/ui/uitest/terminal"
)

// What the program does on a terminal, where a script sees a pipe. The terminal
// of these tests never answers a question.

func TestCommandsAskTheTerminalNothing(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"version"}, {"health", "report", "testdata/report.json"}} {
		out := clitest.OnTerminal(t, 80, nil, args...)
		if strings.Contains(out, "\x1b]11;?") || strings.Contains(out, "\x1b[6n") {
			t.Errorf("geodeck %s asks the terminal: %q", strings.Join(args, " "), out)
		}
	}
}

func TestTablesFitTheTerminal(t *testing.T) {
	t.Parallel()
	out := clitest.OnTerminal(t, 60, nil, "health", "report", "testdata/report.json")
	for line := range strings.Lines(out) {
		if width := ansi.StringWidth(strings.TrimRight(line, "\r\n")); width > 60 {
			t.Errorf("%d cells: %q", width, line)
		}
	}
	if !strings.Contains(out, "…") {
		t.Errorf("nothing says that text was cut:\n%s", out)
	}
}

func TestColoursAndGlyphsAreForTerminals(t *testing.T) {
	t.Parallel()
	const colour = "\x1b["
	cases := []struct {
		name          string
		env, args     []string
		colour, glyph bool
	}{
		{"as it is", nil, nil, true, true},
		{"NO_COLOR", []string{"NO_COLOR=1"}, nil, false, true},
		{"--no-color", nil, []string{"--no-color"}, false, true},
		{"--plain", nil, []string{"--plain"}, false, false},
		{"--ascii", nil, []string{"--ascii"}, true, false},
		{"a locale that is not UTF-8", []string{"LC_ALL=C"}, nil, true, false},
		{"a terminal that can do nothing", []string{"TERM=dumb"}, nil, false, true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			out := clitest.OnTerminal(t, 120, c.env, append([]string{"health", "report", "testdata/report.json"}, c.args...)...)
			if have := strings.Contains(out, colour); have != c.colour {
				t.Errorf("colours: %v, want %v:\n%q", have, c.colour, out)
			}
			if have := strings.Contains(out, "✓"); have != c.glyph {
				t.Errorf("glyphs: %v, want %v:\n%q", have, c.glyph, out)
			}
		})
	}
}

func TestJSONOnATerminalHoldsNothingThatATerminalObeys(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"health", "report", "-o", "json"}, {"health", "export"}} {
		out := clitest.OnTerminal(t, 80, nil, append(args, "testdata/hostile.json")...)
		if strings.ContainsAny(out, "\u009b\u202e\x7f") || !strings.Contains(out, `\u202e`) {
			t.Errorf("geodeck %s: %q", strings.Join(args, " "), out)
		}
	}
}

func TestTheDemoOpensQuitsAndLeavesTheTerminalAsItWas(t *testing.T) {
	t.Parallel()
	screen := clitest.OpenTerminal(t, 100, nil, "demo", "--scenario", "degraded")
	screen.Shows("Basic health checks")
	if !strings.Contains(screen.Screen(), "DEMO") {
		t.Error("it does not say that it is a demo")
	}
	screen.Press("q")
	if code := screen.End(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	out := screen.Sent()
	if strings.Count(out, "\x1b[?1049h") != strings.Count(out, "\x1b[?1049l") || !strings.Contains(out, "\x1b[?25h") {
		t.Error("the screen or the cursor is not as before")
	}
}

// Screen readers and braille displays follow the cursor of the terminal.
func TestTheCursorOfTheTerminalFollowsTheSelection(t *testing.T) {
	t.Parallel()
	screen := clitest.OpenTerminal(t, 120, []string{"NO_COLOR=1"}, "health", "open", "testdata/report.json")
	screen.Shows("sharing_availability", "quit")
	screen.ShowsCursor(place(t, screen.Screen(), "✗ 2023-11-1", 0))
	screen.Press("\t")
	column, line := place(t, screen.Shows("›       ✗ healthcheck"), "      ✗ healthcheck", 0)
	screen.ShowsCursor(column, line)
	screen.Press("j")
	screen.ShowsCursor(column, line+1)
	screen.Press("/st")
	screen.ShowsCursor(place(t, screen.Shows("/st"), "/st", len("/st")))
	screen.Press("\r:")
	screen.ShowsCursor(1, 29)
	screen.Press("\x7f")
	screen.Resize(40, 10)
	screen.Shows("too small")
	screen.ShowsCursor(-1, -1)
}

// place returns where a text stands on a screen, so many bytes behind its beginning.
func place(t *testing.T, screen, text string, behind int) (column, line int) {
	t.Helper()
	before, _, found := strings.Cut(screen, text)
	if !found {
		t.Fatalf("no %q in\n%s", text, screen)
	}
	return ansi.StringWidth(before[strings.LastIndexByte(before, '\n')+1:]) + behind, strings.Count(before, "\n")
}

func TestBothWaysToDrawShowTheSame(t *testing.T) {
	t.Parallel()
	for name, way := range map[string]struct {
		env, args []string
		frames    bool // wrapped in synchronized output, which Bubble Tea does not
	}{
		"cells":       {nil, nil, true},
		"--paint":     {nil, []string{"--paint", "plain"}, false},
		"environment": {[]string{"GEODECK_PAINT=plain"}, nil, false},
		"flag first":  {[]string{"GEODECK_PAINT=plain"}, []string{"--paint", "cells"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			screen := clitest.OpenTerminal(t, 100, way.env, append([]string{"health", "open", "testdata/report.json"}, way.args...)...)
			screen.Shows("sharing_availability", "quit")
			if frames := strings.Contains(screen.Sent(), "\x1b[?2026h"); frames != way.frames {
				t.Errorf("drawn by the painter: %v, want %v", frames, way.frames)
			}
			screen.Press("q")
			if code := screen.End(); code != 0 {
				t.Errorf("exit code %d", code)
			}
			screen.Restored()
		})
	}
}

func TestAnUnknownWayToDrawIsRefused(t *testing.T) {
	t.Parallel()
	out := clitest.OnTerminal(t, 100, nil, "demo", "--paint", "nicely")
	if !strings.Contains(out, `--paint takes cells, plain, not "nicely"`) {
		t.Errorf("it says %q", out)
	}
}

func TestTheDemoShowsNoPasswordAndSignsInAgainByItself(t *testing.T) {
	t.Parallel()
	screen := clitest.OpenTerminal(t, 100, nil, "demo")
	screen.Shows("Basic health checks")
	screen.Press(":sign out\r")
	screen.Shows("signed out; the demo signs in again")
	screen.Press("R")
	screen.Shows("session until")
	screen.Press("q")
	if code := screen.End(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	for _, unwanted := range []string{"Password", "Sign in to"} {
		if strings.Contains(screen.Sent(), unwanted) {
			t.Errorf("the screen showed %q", unwanted)
		}
	}
}

func TestAnAbortedDashboardGivesTheTerminalBackAndPrintsNoStacks(t *testing.T) {
	t.Parallel()
	for signal, want := range map[syscall.Signal]int{syscall.SIGQUIT: 131, syscall.SIGABRT: 134} {
		t.Run(signal.String(), func(t *testing.T) {
			state := t.TempDir()
			screen := clitest.OpenTerminal(t, 200, []string{"XDG_STATE_HOME=" + state}, "demo")
			screen.Shows("Basic health checks")
			screen.Signal(signal)
			if code := screen.End(); code != want {
				t.Errorf("exit code %d, want %d", code, want)
			}
			out := screen.Sent()
			_, after, left := strings.Cut(out, "\x1b[?1049l")
			if !left || strings.Contains(out, "goroutine ") {
				t.Errorf("the screen ends with %q", after)
			}
			expectStacks(t, filepath.Join(state, "geodeck"), after)
		})
	}
}

func TestTheDashboardIsNotDrawnOnATerminalThatObeysNothing(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"demo"}, {"--url", "https://gis.example.org/x/admin"}, {"health", "open", "testdata/report.json"}} {
		screen := clitest.OpenTerminal(t, 120, []string{"TERM=dumb"}, args...)
		if code := screen.End(); code != 2 {
			t.Errorf("geodeck %s: exit code %d", strings.Join(args, " "), code)
		}
		out := screen.Sent()
		if strings.Contains(out, "\x1b") {
			t.Errorf("geodeck %s sends %q", strings.Join(args, " "), out)
		}
		for _, command := range []string{"TERM=dumb", "health", "upgrade", "service", "placement", "job", "geodeck --help"} {
			if !strings.Contains(out, command) {
				t.Errorf("geodeck %s does not name %s: %s", strings.Join(args, " "), command, out)
			}
		}
	}
}

func TestAnAlarmIsALineAloneWhereNothingElseIsWanted(t *testing.T) {
	t.Parallel()
	known, _ := simulator.BuiltIn("running-patch")
	cases := map[string]struct {
		env, args []string
		osc, bell bool
	}{
		"a terminal": {nil, nil, true, true},
		"--plain":    {nil, []string{"--plain"}, false, false},
		"TERM=dumb":  {[]string{"TERM=dumb"}, nil, false, true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := clitest.NewSite(t, simulator.Options{Scenario: known, Clock: simulator.NewScaledClock(300)})
			env := append(c.env, clitest.ClockSpeed+"=20", "GEODECK_URL="+server.URL(), "GEODECK_TOKEN="+clitest.TokenOf(t, server, 0))
			out := clitest.OnTerminal(t, 120, env, append([]string{"upgrade", "watch"}, c.args...)...)
			if !strings.Contains(out, "succeeded") {
				t.Fatalf("no end is told: %q", out)
			}
			rest := strings.ReplaceAll(out, "\x1b]9;", "")
			if have := rest != out; have != c.osc {
				t.Errorf("a notification: %v, want %v: %q", have, c.osc, out)
			}
			if !c.osc && strings.Contains(out, "\x1b") {
				t.Errorf("escape sequences: %q", out)
			}
			if have := strings.Contains(out, "\a"); have != c.bell {
				t.Errorf("a bell: %v, want %v: %q", have, c.bell, out)
			}
		})
	}
}

func TestASavedReportOpensInTheDashboardWithoutASite(t *testing.T) {
	t.Parallel()
	screen := clitest.OpenTerminal(t, 100, nil, "health", "open", "testdata/report.json")
	screen.Shows("sharing_availability")
	screen.Press("q")
	if code := screen.End(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestTheDemoIsDrawnAndEndsUnderEachTERM(t *testing.T) {
	t.Parallel()
	for _, term := range []string{"xterm", "xterm-256color", "screen", "screen-256color", "tmux-256color", "linux", "vt100", "no-such-terminal", ""} {
		t.Run(term, func(t *testing.T) {
			t.Parallel()
			screen := clitest.OpenTerminal(t, 80, []string{"TERM=" + term}, "demo")
			screen.Shows("1 of 12", "? help", "q quit")
			screen.Press("q")
			if code := screen.End(); code != 0 {
				t.Errorf("exit code %d", code)
			}
			screen.Restored()
		})
	}
}

// Keys come from the terminal where the standard input is something else, and there is nothing
// to draw on where the output is.
func TestTheDashboardTakesKeysWithoutATerminalOnStdinAndNeedsOneOnStdout(t *testing.T) {
	t.Parallel()
	in := func(line string) *terminal.Terminal {
		cmd := exec.CommandContext(clitest.Patience(t), "sh", "-c", line)
		cmd.Env = append(os.Environ(), "TERM=xterm-256color", "XDG_STATE_HOME="+t.TempDir(), "TMPDIR="+t.TempDir())
		return terminal.Open(t, cmd, 80, 30)
	}
	x := in("geodeck demo </dev/null")
	x.Shows("1 of 12", "? help", "q quit")
	x.Press("q")
	if code := x.End(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	x.Restored()
	for _, line := range []string{"geodeck demo | cat", "geodeck demo </dev/null | cat"} {
		x := in(line)
		x.End()
		if sent := x.Sent(); !strings.Contains(sent, "the dashboard needs a terminal") || strings.Contains(sent, "\x1b") {
			t.Errorf("%s: %q", line, sent)
		}
	}
}

// Each site gets its own token: that of the environment goes to the chosen one alone. Who
// comes back is still signed in, and a site that was left is locked anew.
func TestSitesThatAreGoneToAndFroOnTheDashboard(t *testing.T) {
	t.Parallel()
	lab, live := clitest.NewSite(t, simulator.Options{}), clitest.NewSite(t, simulator.Options{})
	env := clitest.ConfigOf(t, "current: lab\nsites:\n  lab:\n    url: "+lab.URL()+"\n  live:\n    url: "+live.URL()+"\n    production: true\n")
	var vars []string
	for name, value := range clitest.With(env, "GEODECK_TOKEN", clitest.TokenOf(t, lab, 0)) {
		vars = append(vars, name+"="+value)
	}
	screen := clitest.OpenTerminal(t, 100, vars)
	screen.Shows("lab · 127.0.0.1", "admin")
	goTo := func(name string) {
		t.Helper()
		screen.Press("@")
		screen.Shows("Go to a site")
		screen.Press("/" + name + "\r")
	}
	goTo("live")
	screen.Shows("PRODUCTION", "read-only", "Sign in to", "How")
	screen.Press("\r")
	screen.Shows("Password")
	user := live.Users()[0]
	screen.Press(user.Username + "\r" + user.Password + "\r")
	screen.Shows("live · 127.0.0.1", "signed in", "11.5")
	// Another program chooses the other site meanwhile: the name still says which is meant.
	if err := sites.Use(env["GEODECK_CONFIG"], "live"); err != nil {
		t.Fatal(err)
	}
	goTo("lab")
	screen.Shows("lab · 127.0.0.1", "admin")
	goTo("live")
	if text := screen.Shows("live · 127.0.0.1", "admin", "read-only"); strings.Contains(text, "Sign in to") {
		t.Errorf("the sign-in is forgotten:\n%s", text)
	}
}

// An address that is typed is the site of config.yaml that has it, also on the screen.
func TestTheDashboardOfALockedAddressIsLocked(t *testing.T) {
	t.Parallel()
	live := clitest.NewSite(t, simulator.Options{})
	env := clitest.With(clitest.ConfigOf(t, "sites:\n  live:\n    url: "+live.URL()+"\n    production: true\n"), "GEODECK_TOKEN", clitest.TokenOf(t, live, 0))
	vars := func() (all []string) {
		for name, value := range env {
			all = append(all, name+"="+value)
		}
		return all
	}
	screen := clitest.OpenTerminal(t, 100, vars(), "--url", strings.TrimSuffix(live.URL(), "/admin")+"//")
	screen.Shows("PRODUCTION", "read-only", "live · 127.0.0.1", "is the site live of config.yaml")
	screen.Press(":unlock\r")
	screen.Shows("Unlock live at 127.0.0.1")
	clitest.OpenTerminal(t, 100, vars(), "--url", live.URL(), "--unlock", "live").Shows("PRODUCTION", "UNLOCKED", "live · 127.0.0.1")
	env["GEODECK_CONFIG"] = clitest.FileOf(t, "config.yaml", "sites: [")
	screen = clitest.OpenTerminal(t, 100, vars(), "--url", live.URL())
	screen.Shows("read-only", "127.0.0.1", "It is not known whether")
	screen.Press(":unlock\r")
	screen.Shows("It is not known whether config.yaml locks this site")
}

// A flag unlocks a site for the dashboard that it opens: who comes back unlocks it anew. A site
// at the address of another gets nothing of that one's sign-in.
func TestASiteThatIsComeBackToIsLockedAnew(t *testing.T) {
	t.Parallel()
	live := clitest.NewSite(t, simulator.Options{})
	env := clitest.ConfigOf(t, "sites:\n  live:\n    url: "+live.URL()+"\n    production: true\n  alias:\n    url: "+live.URL()+"\n")
	var vars []string
	for name, value := range clitest.With(env, "GEODECK_TOKEN", clitest.TokenOf(t, live, 0)) {
		vars = append(vars, name+"="+value)
	}
	screen := clitest.OpenTerminal(t, 100, vars, "--site", "live", "--unlock", "live")
	screen.Shows("UNLOCKED", "live · 127.0.0.1", "admin")
	screen.Press("@")
	screen.Shows("Go to a site")
	screen.Press("/alias\r")
	screen.Shows("alias · 127.0.0.1", "Sign in to", "How")
	screen.Press("\x1b")
	screen.Shows("You are not signed in. Press R to sign in.")
	screen.Press("@")
	screen.Shows("Go to a site")
	screen.Press("/live\r")
	screen.Shows("PRODUCTION", "read-only", "live · 127.0.0.1", "admin")
}
