package monkey_test

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"geodeck/adminapi/simulator"
	"geodeck/ui/uitest/bench"
	"geodeck/ui/uitest/monkey"
)

var (
	programFlag = flag.String("program", "", "type at this geodeck, a file")
	seedFlag    = flag.Uint64("seed", 0, "what decides all that the monkey does; 0 takes one from the clock")
	lifeFlag    = flag.Uint64("life", 1, "the life to begin with, one that has failed")
	minutesFlag = flag.Float64("minutes", 30, "how long it types")
	logFlag     = flag.String("log", "", "file for all that is typed; default one in the temporary folder")
)

// TestTheProgramSurvivesAMonkey takes as long as -minutes says: make monkey.
func TestTheProgramSurvivesAMonkey(t *testing.T) {
	if *programFlag == "" {
		t.Skip("-program names the program to type at; make monkey does all")
	}
	seed := *seedFlag
	if seed == 0 {
		seed = uint64(time.Now().Unix())
	}
	log := openLog(t, seed)
	fmt.Printf("seed %d; what is typed is in %s\n", seed, log.Name())
	fmt.Println("| world | as | s | looks | slowest, ms | RSS, MiB: early | late | most | threads | late | descriptors | late | ended by |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|")
	keys := keyboard(t)
	for deadline, n := time.Now().Add(time.Duration(*minutesFlag*float64(time.Minute))), *lifeFlag; time.Now().Before(deadline) && !t.Failed(); n++ {
		if !t.Run(fmt.Sprint("life ", n), func(t *testing.T) { newLife(t, monkey.New(seed, n, keys), log).live(deadline) }) {
			t.Logf("to repeat it: make monkey SEED=%d LIFE=%d", seed, n)
		}
	}
}

func openLog(t *testing.T, seed uint64) *os.File {
	t.Helper()
	name := *logFlag
	if name == "" {
		name = filepath.Join(os.TempDir(), fmt.Sprintf("geodeck-monkey-%d.txt", seed))
	}
	log, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = log.Close() })
	return log
}

// runs is how often the program is started in one life, with the state of the run before.
const runs = 2

// life is a state folder and a misbehaving site, at which the program is run several times.
type life struct {
	t       *testing.T
	monkey  *monkey.Monkey
	log     *os.File
	world   string
	folder  string
	demo    bool
	site    *bench.Site // nil for a demo
	args    []string
	secrets []string

	session       *bench.Session
	gone          chan struct{}
	output        *monkey.Output
	width, height int
	recent        []string
	samples       []bench.Use
	slowest       time.Duration // answer
	resized       bool          // since the bounds were known
}

func newLife(t *testing.T, m *monkey.Monkey, log *os.File) *life {
	l := &life{t: t, monkey: m, log: log, folder: t.TempDir(), demo: m.IntN(2) == 0}
	world := m.Trouble(l.demo)
	l.world = world.Name
	text, err := world.YAML()
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"world.yaml": string(text), "editor": editor} {
		if err := os.WriteFile(filepath.Join(l.folder, name), []byte(content), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"state", "home", "tmp", "work"} {
		if err := os.Mkdir(filepath.Join(l.folder, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	site := []string{"--scenario", filepath.Join(l.folder, "world.yaml"), "--seed", fmt.Sprint(1 + m.IntN(1000)), "--speed", fmt.Sprint(1 + m.IntN(20))}
	if m.IntN(6) == 0 {
		l.args = append(l.args, []string{"--ascii", "--no-color", "--plain"}[m.IntN(3)])
	}
	fmt.Fprintf(log, "\n%s %s %v\n%s\n", t.Name(), l.world, site, text)
	if l.demo {
		l.args = append(append([]string{"demo"}, site...), l.args...)
		server, err := simulator.New(simulator.Options{Scenario: world})
		if err != nil {
			t.Fatal(err)
		}
		for _, user := range server.Users() {
			l.secrets = append(l.secrets, user.Password)
		}
		return l
	}
	nodes := filepath.Join(l.folder, "work", "nodes.json")
	l.site = bench.Serve(t, *programFlag, append(site, "--write-nodes", nodes)...)
	l.secrets = append(l.secrets, l.site.Passwords...)
	l.args = append(l.args, "--url", l.site.URL, "--nodes", nodes)
	return l
}

// editor is what $EDITOR runs: it leaves the text, changes it, breaks it or fails.
const editor = `#!/bin/sh
case $(($$ % 5)) in
0) exit 3 ;;
1) echo '{' >>"$1" ;;
2) sed -i 's/1/2/' "$1" ;;
3) : >"$1" ;;
esac
`

func (l *life) live(deadline time.Time) {
	for range runs {
		if l.t.Failed() || !time.Now().Before(deadline) {
			return
		}
		l.run(deadline)
	}
}

// start starts the program.
func (l *life) start() {
	cmd := exec.Command(*programFlag, l.args...)
	cmd.Dir = filepath.Join(l.folder, "work")
	cmd.Env = append(os.Environ(), "TERM=xterm-256color", "LC_ALL=C.UTF-8", "EDITOR="+filepath.Join(l.folder, "editor"), "VISUAL=",
		"HOME="+filepath.Join(l.folder, "home"), "XDG_STATE_HOME="+filepath.Join(l.folder, "state"), "TMPDIR="+filepath.Join(l.folder, "tmp"))
	if !l.demo {
		token := l.site.SignIn(l.t)
		l.secrets = append(l.secrets, token)
		cmd.Env = append(cmd.Env, "GEODECK_TOKEN="+token)
	}
	l.width, l.height = 120, 40
	l.samples, l.slowest, l.resized = nil, 0, true
	l.output = monkey.NewOutput(l.secrets...)
	l.session = bench.Open(l.t, cmd, l.width, l.height)
	gone := make(chan struct{})
	l.gone = gone
	go func() {
		_ = cmd.Wait()
		close(gone)
	}()
	l.session.Sends("\x1b[?1049h", 0) // what is typed before, the terminal itself shows
	if l.monkey.IntN(2) == 0 {
		l.session.Reply(time.Duration(l.monkey.IntN(int(200 * time.Millisecond))))
	}
}

// run starts the program, and types until it has to end or has ended.
func (l *life) run(deadline time.Time) {
	l.start()
	began, ended := time.Now(), "itself"
	for {
		move := l.monkey.Next()
		if move.Kind != monkey.End && time.Now().After(deadline) {
			move = monkey.Move{Kind: monkey.End, Keys: monkey.ByTerm}
		}
		l.note(began, move)
		if move.Kind == monkey.End {
			ended = l.end(move.Keys)
			break
		}
		l.make(move)
		l.read()
		if l.hasGone() {
			l.exited(0)
			break
		}
	}
	l.remains()
	l.report(time.Since(began), ended)
}

func (l *life) note(began time.Time, move monkey.Move) {
	line := fmt.Sprintf("%8.3f %s", time.Since(began).Seconds(), move)
	fmt.Fprintln(l.log, line)
	l.recent = append(l.recent, line[:min(len(line), 200)])
	l.recent = l.recent[max(0, len(l.recent)-60):]
}

// fail ends the life, with what led to it.
func (l *life) fail(format string, args ...any) {
	l.t.Helper()
	l.t.Fatalf("%s\n\nin %s, after\n%s\n\nthe screen of %dx%d:\n%s", fmt.Sprintf(format, args...), l.world,
		strings.Join(l.recent, "\n"), l.width, l.height, l.session.Screen())
}

func (l *life) hasGone() bool {
	select {
	case <-l.gone:
		return true
	default:
		return false
	}
}

func (l *life) make(move monkey.Move) {
	switch move.Kind {
	case monkey.Type:
		l.press(move.Keys)
	case monkey.Word:
		if words := word.FindAllString(l.session.Screen(), -1); len(words) > 0 {
			chosen := words[move.Number%len(words)]
			fmt.Fprintf(l.log, "         it is %q\n", chosen)
			l.press(chosen)
		}
	case monkey.Resize:
		l.resize(move.Width, move.Height)
	case monkey.Stall:
		l.session.StopAt("")
		defer l.session.GoOn()
	case monkey.Stop:
		_ = l.session.Cmd.Process.Signal(syscall.SIGSTOP)
		defer func() { _ = l.session.Cmd.Process.Signal(syscall.SIGCONT) }()
	case monkey.Look:
		l.look()
	}
	time.Sleep(move.Rest)
}

// word is what may be typed of a screen, without the key that quits.
var word = regexp.MustCompile(`[0-9A-Za-pr-z][0-9A-Za-pr-z_./-]*`)

// patience is how long a program may take to answer on a busy machine.
const patience = 20 * time.Second

func (l *life) press(keys string) {
	pressed := make(chan struct{})
	go func() {
		defer close(pressed)
		l.session.Press(keys)
	}()
	select {
	case <-pressed:
	case <-l.gone:
	case <-time.After(patience):
		l.hangs("it reads no keys")
	}
}

func (l *life) resize(width, height int) {
	l.output.Bound(0, 0)
	l.width, l.height, l.resized = width, height, true
	l.session.Resize(width, height)
}

// hangs fails with the stacks of a program that does not answer.
func (l *life) hangs(what string) {
	l.t.Helper()
	_ = l.session.Cmd.Process.Signal(syscall.SIGQUIT)
	select {
	case <-l.gone:
	case <-time.After(patience):
	}
	stacks := ""
	for _, name := range l.crashes() {
		content, _ := os.ReadFile(name)
		stacks += string(content)
	}
	l.fail("%s within %v\n%s", what, patience, stacks)
}

// read reads what the program has written.
func (l *life) read() string {
	l.t.Helper()
	text := l.session.Take()
	if err := l.output.Read(text); err != nil {
		l.fail("%v", err)
	}
	return text
}

// redraw has the whole screen drawn anew, and returns it once the program is quiet.
func (l *life) redraw() string {
	l.read()
	_ = l.session.Cmd.Process.Signal(syscall.SIGWINCH)
	anew := false
	for began, last := time.Now(), time.Now(); !anew || time.Since(last) < quiet && time.Since(began) < 10*quiet; time.Sleep(quiet / 10) {
		if l.hasGone() {
			return ""
		}
		text := l.read()
		if text != "" {
			last = time.Now()
		}
		if !anew && strings.Contains(text, "\x1b[2J") {
			anew = true
			l.slowest = max(l.slowest, time.Since(began))
		}
		if time.Since(began) > patience {
			l.hangs("it draws nothing")
		}
	}
	return l.session.Screen()
}

// quiet is how long nothing is written for a screen to be whole.
const quiet = 100 * time.Millisecond

// smallest is the smallest screen on which everything is drawn.
const smallestWidth, smallestHeight = 60, 15

// look expects the program to answer, and its screen to be whole: what was drawn in pieces is
// what is drawn anew.
func (l *life) look() {
	screen := l.redraw()
	if l.resized && !l.hasGone() {
		l.output.Bound(l.width, l.height)
		l.resized = false
	}
	changed := ""
	for began := time.Now(); time.Since(began) < patience; { // what was typed still has effects, and so has the site
		again := l.redraw()
		if l.hasGone() {
			return
		}
		changed = differences(screen, again)
		if screen = again; changed == "" {
			break
		}
		fmt.Fprintf(l.log, "         after %v it still changes:\n%s", time.Since(began), changed)
	}
	if changed != "" {
		l.fail("it draws another screen each time:\n%s", changed)
	}
	if err := l.output.Clean(screen); err != nil {
		l.fail("%v", err)
	}
	if odd := wronglyFormatted.FindString(screen); odd != "" {
		l.fail("the screen says %q", odd)
	}
	first, _, _ := strings.Cut(screen, "\n")
	if l.width >= smallestWidth && l.height >= smallestHeight && !strings.HasPrefix(first, " geodeck") {
		l.fail("the first line is %q", first)
	}
	if use, err := l.session.Use(); err == nil {
		l.samples = append(l.samples, use)
	}
}

var digit = regexp.MustCompile(`\d`)

// differences lists the lines in which two screens differ, whatever their clocks show.
func differences(before, after string) string {
	before, after = digit.ReplaceAllString(before, "0"), digit.ReplaceAllString(after, "0")
	if before == after {
		return ""
	}
	var lines strings.Builder
	now := strings.Split(after, "\n")
	for i, line := range strings.Split(before, "\n") {
		if i >= len(now) || line != now[i] {
			fmt.Fprintf(&lines, "line %d\n- %s\n+ %s\n", i+1, line, strings.Join(now[min(i, len(now)):min(i+1, len(now))], ""))
		}
	}
	return lines.String()
}

var wronglyFormatted = regexp.MustCompile(`%!|<nil>|\{\d+ \d+\}|0x[0-9a-f]{8}`)

// end ends the program, and returns how.
func (l *life) end(by string) string {
	want := 0
	switch by {
	case monkey.ByKey:
		l.resize(120, 40) // where nothing can be read, q does nothing
		if !l.insist("\x1b", "\x1b", "\x1b", "q", "y") {
			l.hangs("q does not end it")
		}
	case monkey.ByInterrupt:
		if !l.insist(by, by) {
			l.hangs("ctrl+c does not end it")
		}
	case monkey.ByHangUp:
		l.read()
		want = 129
		l.session.HangUp()
	case monkey.ByInt:
		want = 130
		l.session.Signal(syscall.SIGINT)
	case monkey.ByTerm:
		want = 143
		l.session.Signal(syscall.SIGTERM)
	}
	select {
	case <-l.gone:
	case <-time.After(patience):
		l.hangs("it does not end by " + by)
	}
	if by == monkey.ByHangUp {
		if code := l.session.Cmd.ProcessState.ExitCode(); code != want {
			l.fail("exit code %d after the terminal was closed", code)
		}
		return by
	}
	l.exited(want)
	return fmt.Sprintf("%q", by)
}

// insist types keys until the program has ended: they answer questions too.
func (l *life) insist(keys ...string) bool {
	for range 20 {
		for _, key := range keys {
			if l.hasGone() {
				return true
			}
			l.press(key)
			select {
			case <-l.gone:
				return true
			case <-time.After(200 * time.Millisecond):
			}
			l.read()
		}
	}
	return false
}

// exited checks what a program has left that has ended.
func (l *life) exited(want int) {
	l.t.Helper()
	code := l.session.End()
	l.output.Bound(0, 0)
	l.read()
	if code != want {
		l.fail("exit code %d, not %d", code, want)
	}
	if err := l.output.Left(); err != nil {
		l.fail("%v", err)
	}
	l.session.ModesRestored()
}

func (l *life) crashes() []string {
	var found []string
	_ = filepath.WalkDir(l.folder, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && strings.Contains(entry.Name(), "crash") {
			found = append(found, name)
		}
		return nil
	})
	return found
}

// remains looks for reports of crashes and for secrets in all files of the program.
func (l *life) remains() {
	l.t.Helper()
	for _, name := range l.crashes() {
		content, _ := os.ReadFile(name)
		l.fail("it left the report %s:\n%s", name, content)
	}
	err := filepath.WalkDir(l.folder, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil {
			err = l.output.Clean(string(content))
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	})
	if err != nil {
		l.fail("%v", err)
	}
}

// What a program may have more of at the end than when it was warm.
const (
	moreMemory  = 32 << 20
	moreThreads = 8
	moreFiles   = 12
)

// report prints what the program took, and fails where that has grown.
func (l *life) report(took time.Duration, ended string) {
	memory, threads, files := growth(l.samples, func(u bench.Use) int { return u.Memory }), growth(l.samples, func(u bench.Use) int { return u.Threads }),
		growth(l.samples, func(u bench.Use) int { return u.Files })
	as := "site"
	if l.demo {
		as = "demo"
	}
	fmt.Printf("| %s | %s | %.0f | %d | %d | %.1f | %.1f | %.1f | %.0f | %.0f | %.0f | %.0f | %s |\n", strings.TrimPrefix(l.world, "monkey-"), as, took.Seconds(), len(l.samples), l.slowest.Milliseconds(),
		memory.Early/(1<<20), memory.Late/(1<<20), memory.Most/(1<<20), threads.Early, threads.Late, files.Early, files.Late, ended)
	if len(l.samples) < 20 {
		return // it was never warm
	}
	if memory.More() > moreMemory || threads.More() > moreThreads || files.More() > moreFiles {
		l.fail("it grows: memory %+v, threads %+v, descriptors %+v", memory, threads, files)
	}
}

func growth(uses []bench.Use, of func(bench.Use) int) bench.Growth {
	var s bench.Samples
	for _, u := range uses {
		s.Add(float64(of(u)))
	}
	return s.Growth()
}
