package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"

	"geodeck/adminapi/simulator/simtest"
	"geodeck/ui/uitest/picture"
	"geodeck/ui/uitest/terminal"
)

// The size of pictures and of the recording, in cells.
const picturedWidth, picturedHeight = 100, 30

// TestPictures compares docs/pictures with what the program shows: four screens on dark and on light, and a
// recording of the way to them.
func TestPictures(t *testing.T) {
	t.Parallel()
	t.Run("dark", func(t *testing.T) {
		t.Parallel()
		cast := picture.NewCast(picturedWidth, picturedHeight, picture.Dark, "geodeck: a health check, a release and an edit")
		tour(&album{t: t, name: "dark", palette: picture.Dark, cast: cast})
		drawn(t, "docs/pictures/geodeck.cast", cast.String())
		if took := cast.Length(); took < 100*time.Second || took > 140*time.Second {
			t.Errorf("the recording takes %v, not about two minutes", took)
		}
	})
	t.Run("light", func(t *testing.T) {
		t.Parallel()
		tour(&album{t: t, name: "light", palette: picture.Light})
	})
}

// tour goes through all that is pictured.
func tour(a *album) {
	s := a.sit("degraded", "geodeck demo --scenario degraded")
	s.chapter("A health check that fails")
	s.watches(3, time.Second)
	s.presses("r", 1500*time.Millisecond, "Name of the report")
	s.presses("\r", 1200*time.Millisecond, "enter start")
	s.presses("\r", 1200*time.Millisecond, "13 tests to run")
	s.watches(3, time.Second)
	s.passes(16, 4*time.Second)
	s.sees("Health check failed: 1 of 13 tests.")
	s.presses("\r", 2*time.Second, "q close")
	s.picture("health", "A failed health check as a tree of tests",
		"A report with 11 of 13 tests passed. The tests are a tree; one of the object store failed, with its message, "+
			"what to check next, and that it passed the eight times before.")
	s.watches(3, 2*time.Second)
	s.presses("W", 2*time.Second, "What now")
	s.watches(6, 2*time.Second)
	s.leave()

	s = a.sit("healthy", "geodeck demo")
	s.chapter("A service: its rules and its definition")
	s.watches(2, time.Second)
	s.presses("3", time.Second, "SampleWorldCities")
	s.presses("/", time.Second, "")
	s.types("SampleWorld")
	s.presses("\r", 500*time.Millisecond, "")
	s.presses("\r", 1200*time.Millisecond, "serviceName")
	s.presses("\t", 1500*time.Millisecond, "4 of 14 nodes take these pods")
	s.picture("rules", "Rules of placement beside the nodes of the cluster",
		"The rules that place the pods of a service, as a tree, beside the 14 nodes of the cluster: which 4 take the "+
			"pods, and why each of the others does not.")
	s.watches(4, 2*time.Second)
	s.presses("\x1b[Z", time.Second, "serviceName")
	s.presses("/", time.Second, "")
	s.presses("/", 500*time.Millisecond, "search")
	s.types("maxRecord")
	s.presses("\r", 500*time.Millisecond, "1 of 1 found")
	s.presses("e", 1500*time.Millisecond, "New value")
	s.presses("\x15", 800*time.Millisecond, "New value")
	s.types("2000")
	s.presses("\r", 800*time.Millisecond, "2000")
	s.presses("w", 1500*time.Millisecond, "→ 2000")
	s.watches(3, time.Second)
	s.presses("w", time.Second, "is saved in History first")
	s.watches(2, time.Second)
	s.presses("y", time.Second, "")
	s.passes(5, 2*time.Second)
	s.sees("Read back")
	s.watches(2, time.Second)

	s.chapter("A release: pre-flight, start and board")
	s.presses("2", time.Second, "recommended")
	s.presses("G", 1500*time.Millisecond, "Release 12.0")
	s.presses("\r", 1200*time.Millisecond, "2 cautions to accept")
	s.picture("preflight", "The pre-flight of a release",
		"What would stop release 12.0: two cautions to accept, the checks that passed, and for the one under the "+
			"cursor what was found, what to do next and why.")
	if a.cast != nil {
		s.starts()
	}
	s.leave()

	later := *a
	later.cast = nil
	s = later.sit("running-release", "")
	s.presses("y", time.Second, "Components")
	s.watches(1, 2*time.Second)
	s.picture("board", "The board of a running upgrade",
		"A release that has been running for 50 minutes: the phase that runs, what is done and what is left, and the "+
			"messages of the site.")
	s.leave()
}

// starts starts the release whose pre-flight is shown, and watches its board.
func (s *sitting) starts() {
	s.t.Helper()
	s.watches(4, 2*time.Second)
	s.presses(" ", time.Second, "1 caution to accept")
	s.watches(2, time.Second)
	s.presses(" ", time.Second, "nothing else is in the way")
	s.presses("\r", 1500*time.Millisecond, "Licence file *")
	s.types("licence.json")
	s.presses("\r", time.Second, "Nothing has been sent yet")
	s.watches(3, 2*time.Second)
	s.presses("\r", 1500*time.Millisecond, "")
	s.types("12.0.0.7286")
	s.presses("\r", 1500*time.Millisecond, "")
	s.watches(3, time.Second)
	s.passes(20, 8*time.Second)
}

// album takes the pictures of one background.
type album struct {
	t       *testing.T
	name    string
	palette picture.Palette
	cast    *picture.Cast // nil for none
}

// sitting is somebody at a demo.
type sitting struct {
	*album
	*terminal.Terminal
	directions *os.File
	told       int
	recorded   int // bytes of the recording before the program
}

// sit starts the dashboard on a scenario, in YAML. The recording shows the command that does.
func (a *album) sit(scenario, command string) *sitting {
	a.t.Helper()
	folder := a.t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "licence.json"), simtest.Licence("12.0.0"), 0o600); err != nil {
		a.t.Fatal(err)
	}
	theirs, ours, err := os.Pipe()
	if err != nil {
		a.t.Fatal(err)
	}
	a.t.Cleanup(func() { _ = ours.Close() })
	cmd := exec.Command(os.Args[0])
	cmd.Args = []string{pictured, scenario, a.name, folder}
	cmd.Env = append(os.Environ(), "TERM=xterm-256color", "COLORFGBG=", "TMPDIR="+a.t.TempDir()) // it is killed, and leaves its records
	cmd.ExtraFiles = []*os.File{theirs}
	s := &sitting{album: a, Terminal: terminal.Open(a.t, cmd, picturedWidth, picturedHeight), directions: ours}
	_ = theirs.Close()
	if a.cast != nil {
		s.recorded = len(a.cast.String())
		a.cast.Command(command, 60*time.Millisecond, 600*time.Millisecond)
	}
	s.shows(400 * time.Millisecond)
	return s
}

// tell directs the program, see [pictured], and waits until that is done.
func (s *sitting) tell(what string, d time.Duration) {
	s.t.Helper()
	if _, err := fmt.Fprintln(s.directions, what, d); err != nil {
		s.t.Fatal(err)
	}
	s.told++
	s.Sends(doneMark(s.told), 0)
}

// shows waits until nothing goes on any more, and records what is on the screen.
func (s *sitting) shows(after time.Duration) {
	s.t.Helper()
	s.tell("rest", 0)
	if s.cast != nil {
		s.cast.Show(after, s.Still())
	}
}

// sees fails unless the screen has a text.
func (s *sitting) sees(text string) {
	s.t.Helper()
	if screen := s.Screen(); !strings.Contains(screen, text) {
		s.t.Fatalf("the screen does not show %q:\n%s", text, screen)
	}
}

// presses presses a key some time after what was last done. Then the screen has a text.
func (s *sitting) presses(key string, after time.Duration, text string) {
	s.t.Helper()
	s.tell("wait", after)
	s.Press(key)
	s.shows(after)
	s.sees(text)
}

// types types a text.
func (s *sitting) types(text string) {
	s.t.Helper()
	for _, r := range text {
		s.presses(string(r), 120*time.Millisecond, "")
	}
}

// watches looks at the screen some times, a while each.
func (s *sitting) watches(times int, each time.Duration) {
	s.t.Helper()
	for range times {
		s.tell("wait", each)
		s.shows(each)
	}
}

// passes is watches made short: each while takes a quarter of a second of the recording.
func (s *sitting) passes(times int, each time.Duration) {
	s.t.Helper()
	for range times {
		s.tell("wait", each)
		s.shows(250 * time.Millisecond)
	}
}

// picture compares the screen with a picture, and the recording, replayed, with the screen.
func (s *sitting) picture(name, title, description string) {
	s.t.Helper()
	drawn(s.t, "docs/pictures/"+name+"-"+s.name+".svg", picture.SVG(s.Still(), s.palette, title, description))
	if s.cast == nil {
		return
	}
	screen := vt.NewEmulator(picturedWidth, picturedHeight)
	for line := range strings.Lines(s.cast.String()[s.recorded:]) {
		var event []any
		if err := json.Unmarshal([]byte(line), &event); err != nil {
			s.t.Fatal(err)
		}
		if event[1] == "o" {
			_, _ = screen.WriteString(event[2].(string))
		}
	}
	s.Equals("the recording of "+name, screen)
}

// chapter names what follows in the recording.
func (s *sitting) chapter(name string) {
	if s.cast != nil {
		s.cast.Mark(name)
	}
}

// leave ends the program.
func (s *sitting) leave() {
	s.t.Helper()
	_ = s.Cmd.Process.Kill()
	s.End()
	if s.cast != nil {
		s.cast.Leave(time.Second)
	}
}

// drawn compares a picture with what it should be, or writes it with -rewrite.
func drawn(t *testing.T, name, want string) {
	t.Helper()
	if *rewrite {
		if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(name)
	if at := difference(string(have), want); at != "" || err != nil {
		at = cmp.Or(at, fmt.Sprint(err))
		t.Errorf("%s is not what the program shows: %s\nmake pictures makes it anew; look at it then", name, at)
	}
}

// difference names the first line in which two texts differ.
func difference(have, want string) string {
	old, now := strings.Split(have, "\n"), strings.Split(want, "\n")
	for i := range min(len(old), len(now)) {
		if old[i] != now[i] {
			return fmt.Sprintf("line %d is\n%s\nand would be\n%s", i+1, old[i], now[i])
		}
	}
	if len(old) != len(now) {
		return fmt.Sprintf("%d lines would be %d", len(old), len(now))
	}
	return ""
}
