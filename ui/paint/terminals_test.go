package paint

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var terminalList = flag.String("terminals", "", "terminals that random frames are drawn in: tmux, pyte and xterm, or all")

// errAbsent says how to get a terminal that is not installed.
type errAbsent string

func (e errAbsent) Error() string { return "not installed: " + string(e) }

var terminals = map[string]func(t *testing.T) (emulator, error){
	"tmux": newTmux,
	"pyte": func(t *testing.T) (emulator, error) {
		for _, python := range []string{"python3", "/usr/bin/python3"} {
			if exec.Command(python, "-c", "import pyte").Run() == nil {
				return newProcess(t, python, "testdata/terminals/in_pyte.py"), nil
			}
		}
		return nil, errAbsent("apt-get install python3-pyte")
	},
	"xterm": func(t *testing.T) (emulator, error) {
		if exec.Command("node", "-e", "require.resolve('@xterm/headless')").Run() != nil {
			return nil, errAbsent("npm install --global @xterm/headless, with NODE_PATH=$(npm root --global)")
		}
		return newProcess(t, "node", "testdata/terminals/in_xterm.js"), nil
	},
}

// TestTerminals draws random frames in terminals that have their own ideas of cells and
// widths, and compares each screen with what a full redraw shows there.
func TestTerminals(t *testing.T) {
	if *terminalList == "" {
		t.Skip("make paint-check draws in tmux, pyte and xterm")
	}
	names := strings.Split(*terminalList, ",")
	if *terminalList == "all" {
		names = []string{"pyte", "tmux", "xterm"}
	}
	used := make(chan string, len(names))
	t.Run("in", func(t *testing.T) {
		for _, name := range names {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				open, known := terminals[name]
				if !known {
					t.Fatal("no such terminal")
				}
				e, err := open(t)
				if err != nil {
					t.Skip(err)
				}
				used <- name
				for seed := *frameSeed; seed < *frameSeed+max(1, *frameCount/framesPerSeed); seed++ {
					drawIn(t, e, seed)
				}
				t.Logf("%d frames drawn in %s", max(framesPerSeed, *frameCount), name)
			})
		}
	})
	if len(used) == 0 {
		t.Error("none of the terminals is installed")
	}
}

func drawIn(t *testing.T, e emulator, seed uint64) {
	s := newSession(rand.New(rand.NewPCG(seed, 1)))
	if _, ok := e.(*tmux); ok {
		s.without = joiner // it forgets one that ends what it reads at a time
	}
	e.resize(s.width, s.height)
	s.shown = []emulator{e}
	s.start()
	next := 0
	for n := range framesPerSeed {
		s.step()
		if n < next || s.failed {
			continue
		}
		next = n + 1 + s.r.IntN(batch)
		got := e.screen()
		s.terminal.screen.forget()
		s.draw()
		if want := e.screen(); got != want {
			t.Fatalf("seed %d, frame %d, %dx%d: %s\nframe %q", seed, n, s.width, s.height, firstDifference(got, want), s.size.text)
		}
	}
	s.other("\x1b[?1049l")
}

// process is a terminal in a program that takes lines and returns screens.
type process struct {
	t     *testing.T
	lines io.WriteCloser
	found *bufio.Scanner
}

func newProcess(t *testing.T, name string, args ...string) *process {
	command := exec.Command(name, args...)
	command.Stderr = os.Stderr
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	p := &process{t, in, bufio.NewScanner(out)}
	p.found.Buffer(nil, 1<<24)
	t.Cleanup(func() {
		_ = in.Close()
		_ = command.Wait()
	})
	return p
}

func (p *process) send(format string, args ...any) {
	if _, err := fmt.Fprintf(p.lines, format+"\n", args...); err != nil {
		p.t.Fatal(err)
	}
}

func (p *process) paint(frame string) {
	if frame != "" {
		p.send("w %s", base64.StdEncoding.EncodeToString([]byte(frame)))
	}
}

func (p *process) cut(part string)          { p.paint(part) }
func (p *process) resize(width, height int) { p.send("r %d %d", width, height) }
func (p *process) other(sequence string)    { p.paint(withForeign(sequence)) }

func (p *process) screen() string {
	p.send("s")
	var rows []string
	if !p.found.Scan() {
		p.t.Fatal("the terminal has ended: ", p.found.Err())
	}
	if err := json.Unmarshal(p.found.Bytes(), &rows); err != nil {
		p.t.Fatal(err)
	}
	return strings.Join(rows, "\n")
}

// tmux is a pane that shows what is written to a pipe.
type tmux struct {
	t             *testing.T
	socket        string
	pipe          *os.File
	width, height int
	synced        int
}

func newTmux(t *testing.T) (emulator, error) {
	if _, err := exec.LookPath("tmux"); err != nil {
		return nil, errAbsent("apt-get install tmux")
	}
	dir, err := os.MkdirTemp("", "") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	pipe := filepath.Join(dir, "pipe")
	if err := exec.Command("mkfifo", pipe).Run(); err != nil {
		t.Fatal(err)
	}
	m := &tmux{t: t, socket: filepath.Join(dir, "socket")}
	m.run("-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24", "stty raw -echo; exec cat "+pipe,
		";", "set", "-g", "status", "off", ";", "set", "-g", "window-size", "manual")
	t.Cleanup(func() { _ = m.command("kill-server").Run() })
	if m.pipe, err = os.OpenFile(pipe, os.O_RDWR, 0); err != nil { // for reading too: else it waits for cat
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.pipe.Close() })
	return m, nil
}

func (m *tmux) command(args ...string) *exec.Cmd {
	command := exec.Command("tmux", append([]string{"-u", "-S", m.socket}, args...)...)
	command.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "TMUX") }), "LC_ALL=C.UTF-8")
	return command
}

func (m *tmux) run(args ...string) string {
	out, err := m.command(args...).CombinedOutput()
	if err != nil {
		m.t.Fatalf("tmux %q: %v: %s", args, err, out)
	}
	return string(out)
}

func (m *tmux) paint(frame string) {
	if _, err := m.pipe.WriteString(frame); err != nil {
		m.t.Fatal(err)
	}
}

func (m *tmux) cut(part string)       { m.paint(part) }
func (m *tmux) other(sequence string) { m.paint(withForeign(sequence)) }

// sync returns once the pane has read everything: then its title is a new one.
func (m *tmux) sync() {
	m.synced++
	title := fmt.Sprint("synced ", m.synced)
	m.paint("\x1b]2;" + title + "\x1b\\")
	for m.run("display-message", "-p", "#{pane_title}") != title+"\n" {
	}
}

func (m *tmux) resize(width, height int) {
	m.sync()
	m.run("resize-window", "-x", fmt.Sprint(width), "-y", fmt.Sprint(height))
	m.width, m.height = width, height
}

func (m *tmux) screen() string {
	m.sync()
	captured := strings.Split(m.run("capture-pane", "-p", "-e", "-N", ";", "display-message", "-p", "#{cursor_flag} #{cursor_x},#{cursor_y}"), "\n")
	var b strings.Builder
	var start style
	for _, text := range captured[:m.height] {
		l := readLine(text, start, 4*m.width) // what tmux takes for narrower has room
		for _, c := range l.cells[:inked(l.cells)] {
			fmt.Fprintf(&b, "%s<%v>", c.content, c.style)
		}
		b.WriteByte('\n')
		start = l.end
	}
	if at, visible := strings.CutPrefix(captured[m.height], "1 "); visible {
		b.WriteString("cursor at " + at)
	}
	return b.String()
}
