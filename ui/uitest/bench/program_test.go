package bench_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"geodeck/ui/uitest/bench"
)

var (
	programFlag = flag.String("program", "", "measure this geodeck, a file")
	pageFlag    = flag.String("page", "", "write the table into this page as well")
	otherFlag   = flag.String("other", "", "measure another program: a command whose cursor j and k move")
)

// TestMeasures measures the program that -program names. It takes eight minutes, and its times
// mean something on a calm machine only: make bench-terminal.
func TestMeasures(t *testing.T) {
	if *programFlag == "" {
		t.Skip("-program names the program to measure; make bench-terminal does all")
	}
	where, table := machine(), newTable()
	measureStart(t, table)
	measureMoves(t, table)
	measureWatch(t, table)
	s := demo(t)
	rest(t, s, table)
	openServices(s)
	heldKey(s, table)
	s.Close()
	measureManyMessages(t, table)
	measureSpeech(t, table)
	fileSize(t, *programFlag, table)
	fmt.Println(where)
	if *pageFlag != "" {
		if err := table.rewrite(*pageFlag, where); err != nil {
			t.Fatal(err)
		}
	}
}

// TestAnotherProgram takes of the program that -other names what can be taken of any.
func TestAnotherProgram(t *testing.T) {
	command := strings.Fields(*otherFlag)
	if len(command) == 0 {
		t.Skip("-other names the program to measure")
	}
	table, times := newTable(), newPaints()
	s := openCommand(t, exec.Command(command[0], command[1:]...))
	s.Rest()
	moves(t, s, 20, row{measure: "bytes a cursor move"}, row{measure: "the same, with all that follows"}, times, table)
	times.addTo(table)
	rest(t, s, table)
	heldKey(s, table)
	file, err := exec.LookPath(command[0])
	if err != nil {
		t.Fatal(err)
	}
	fileSize(t, file, table)
}

// open starts the program that is measured.
func open(t testing.TB, args ...string) *bench.Session {
	t.Helper()
	return openCommand(t, exec.Command(*programFlag, args...))
}

// openCommand starts a command in an environment without a past.
func openCommand(t testing.TB, cmd *exec.Cmd) *bench.Session {
	t.Helper()
	cmd.Env = append(os.Environ(), cmd.Env...)
	cmd.Env = append(cmd.Env, "TERM=xterm-256color", "COLORTERM=truecolor", "LC_ALL=C.UTF-8",
		"HOME="+t.TempDir(), "XDG_STATE_HOME="+t.TempDir(), "TMPDIR="+t.TempDir()) // it is killed
	return bench.Open(t, cmd, 120, 40)
}

// firstScreen and firstReport are texts of the first screen: of its frame, and of the report
// that is fetched.
const (
	firstScreen = "q quit"
	firstReport = "13 of 13 passed"
)

// demo opens the dashboard on the simulated platform, and waits until the note that it shows
// at first is gone, and nothing else happens either.
func demo(t testing.TB) *bench.Session {
	t.Helper()
	return calm(open(t, "demo"))
}

func calm(s *bench.Session) *bench.Session {
	s.Shows(firstScreen, firstReport)
	for more := true; more; {
		_, more = s.Next(8 * time.Second)
	}
	return s
}

func measureStart(t *testing.T, table *table) {
	const n = 20
	for _, way := range []struct {
		name                  string
		before, lazygit, less string
		prepare               func(*bench.Session)
	}{
		{"warm", "43 to 67", "20.6", "1.7", func(s *bench.Session) { s.Reply(0) }},
		{"a terminal that never answers", "", "1,025", "", func(*bench.Session) {}},
		{"a terminal that answers after 80 ms", "", "107", "", func(s *bench.Session) { s.Reply(80 * time.Millisecond) }},
	} {
		screen := row{measure: "start to the first screen, ms: " + way.name, digits: 1, before: way.before, lazygit: way.lazygit, less: way.less, goal: "12"}
		report := row{measure: "the same, with its first report: " + way.name, digits: 1}
		for i := range n + 2 { // two to warm up
			s := open(t, "demo")
			way.prepare(s)
			s.Shows(firstScreen, firstReport)
			s.Close()
			if i >= 2 {
				screen.samples.AddTime(shownAt(t, s, firstScreen))
				report.samples.AddTime(shownAt(t, s, firstScreen, firstReport))
			}
		}
		table.add(screen)
		table.add(report)
	}
}

func shownAt(t testing.TB, s *bench.Session, texts ...string) time.Duration {
	t.Helper()
	at, shown := s.ShownAt(texts...)
	if !shown {
		t.Fatalf("%q were never on one screen", texts)
	}
	return at
}

// paints are how soon a key shows, over all views.
type paints struct{ first, last row }

func newPaints() *paints {
	return &paints{
		first: row{measure: "key to the first byte, ms", digits: 2, before: "16 / 33", lazygit: "2.3 / 4.0", less: ".16 / .21", goal: "1.6 / 5"},
		last:  row{measure: "key to the last byte of the move, ms", digits: 2, lazygit: "6.0", less: ".16"},
	}
}

func (p *paints) addTo(table *table) {
	table.add(p.first)
	table.add(p.last)
}

// moves presses j and k in turns within some rows.
func moves(t testing.TB, s *bench.Session, rows int, alone, whole row, times *paints, table *table) {
	t.Helper()
	for i := range 60 {
		key := "j"
		if i/(rows-1)%2 == 1 {
			key = "k"
		}
		bursts := s.Answer(key)
		if len(bursts) == 0 {
			t.Fatalf("%s: %s has written nothing:\n%s", alone.measure, key, s.Screen())
		}
		all := 0
		for _, b := range bursts {
			all += len(b.Text)
		}
		alone.samples.Add(float64(len(bursts[0].Text)))
		whole.samples.Add(float64(all))
		times.first.samples.AddTime(bursts[0].First)
		times.last.samples.AddTime(bursts[0].Last)
	}
	table.add(alone)
	table.add(whole)
}

func measureMoves(t *testing.T, table *table) {
	times := newPaints()
	for _, view := range []struct {
		name, before, lazygit, less, beforeAll string
		rows                                   int
		open                                   func(*bench.Session)
	}{
		{"services", "553", "716", "115", "1,056", 30, openServices},
		{"JSON of a service", "627", "", "", "627", 25, openDefinition},
		{"placement", "1,026", "", "", "1,026", 6, func(s *bench.Session) {
			openDefinition(s)
			s.Answer("\t")
			s.Shows("4 of 14 nodes take these pods")
			s.Rest()
		}},
		{"reports", "607", "", "", "3,313", 12, func(*bench.Session) {}},
	} {
		s := demo(t)
		view.open(s)
		moves(t, s, view.rows,
			row{measure: "bytes a cursor move, " + view.name, before: view.before, less: view.less, goal: "200"},
			row{measure: "the same, with all that follows", before: view.beforeAll, lazygit: view.lazygit, goal: "1,400"}, times, table)
		s.Close()
	}
	times.addTo(table)
}

func openServices(s *bench.Session) {
	s.Answer("3")
	s.Shows("40 services")
	s.Rest()
}

func openDefinition(s *bench.Session) {
	s.Answer(":")
	s.Answer("open service SampleWorldCities.MapServer")
	s.Answer("\r")
	s.Shows(`"serviceName"`)
	s.Rest()
}

// measureWatch watches a release at the end of its log, where a line comes about every six
// seconds and its clocks change every second.
func measureWatch(t *testing.T, table *table) {
	tick := row{measure: "bytes a status tick", before: "360", goal: "50"}
	line := row{measure: "bytes a new log line at the end", before: "4,938", goal: "250"}
	s := open(t, "demo", "--scenario", "testdata/log.yaml")
	s.Shows("Watch it?")
	s.Answer("y")
	s.Shows(" messages")
	s.Rest()
	before := messages(t, s)
	for began := time.Now(); time.Since(began) < time.Minute; {
		burst, any := s.Next(10 * time.Second)
		now := messages(t, s)
		switch {
		case !any:
			t.Fatalf("the clocks of the watch stand still:\n%s", s.Screen())
		case now == before:
			tick.samples.Add(float64(len(burst.Text)))
		case now == before+1:
			line.samples.Add(float64(len(burst.Text)))
		}
		before = now
	}
	table.add(tick)
	table.add(line)
}

// messages is how many messages the screen says there are.
func messages(t testing.TB, s *bench.Session) int {
	t.Helper()
	screen := s.Screen()
	words, _, found := strings.Cut(screen, " messages")
	n, err := strconv.Atoi(words[strings.LastIndexByte(words, ' ')+1:])
	if !found || err != nil {
		t.Fatalf("the screen does not say how many messages there are:\n%s", screen)
	}
	return n
}

// heldKey holds j and k in turns.
func heldKey(s *bench.Session, table *table) {
	lag := row{measure: "held key at 100 Hz: ms from the last key to the last byte", digits: 2, goal: "5"}
	bytes := row{measure: "the same, bytes a key"}
	const n = 40
	for range 5 {
		for _, key := range []string{"j", "k"} {
			after, all := s.Hold(key, n, 10*time.Millisecond)
			lag.samples.AddTime(after)
			bytes.samples.Add(float64(all) / n)
		}
	}
	table.add(lag)
	table.add(bytes)
}

// rest lets a program be that has nothing to do.
func rest(t testing.TB, s *bench.Session, table *table) {
	t.Helper()
	written := row{measure: "idle, B/s", digits: 1, before: "0", lazygit: "46", less: "0", goal: "0"}
	cpu := row{measure: "idle, CPU %", digits: 2, before: "0.48", lazygit: ".25", less: "0", goal: ".05"}
	wakeups := row{measure: "idle, wake-ups/s", digits: 1, before: "158", lazygit: "34", less: "0", goal: "10"}
	memory := row{measure: "RSS at rest, MiB", digits: 1, before: "26", lazygit: "23.5", less: "2.3", goal: "25"}
	for range 3 {
		idle, err := s.Idle(10 * time.Second)
		if err != nil {
			t.Fatal(err)
		}
		written.samples.Add(idle.Bytes)
		cpu.samples.Add(idle.CPU)
		wakeups.samples.Add(idle.Wakeups)
	}
	memory.samples.Add(mebibytes(t, s))
	for _, r := range []row{written, cpu, wakeups, memory} {
		table.add(r)
	}
}

func mebibytes(t testing.TB, s *bench.Session) float64 {
	t.Helper()
	use, err := s.Use()
	if err != nil {
		t.Fatal(err)
	}
	return float64(use.Memory) / (1 << 20)
}

// measureManyMessages watches a release with 100,000 messages at a site in another process, so
// that the messages are there once. What reading them took goes back to the system at once, and what has
// become garbage since then when the collector runs: every two minutes at the least.
func measureManyMessages(t *testing.T, table *table) {
	early := row{measure: "RSS with 100,000 messages, MiB: when they were read", digits: 1, before: "95 to 120"}
	memory := row{measure: "the same: 150 s later", digits: 1, before: "52 to 59", goal: "40"}
	end := row{measure: "to the top of them and back to the end, ms", digits: 2}
	site := bench.Serve(t, *programFlag, "--scenario", "messages-many")
	cmd := exec.Command(*programFlag, "--url", site.URL)
	cmd.Env = []string{"GEODECK_TOKEN=" + site.SignIn(t)}
	s := openCommand(t, cmd)
	s.Shows("Watch it?")
	s.Answer("y")
	s.Shows(" messages")
	s.Rest()
	if n := messages(t, s); n < 100_000 {
		t.Fatalf("there are %d messages", n)
	}
	early.samples.Add(mebibytes(t, s))
	for range 10 {
		for _, key := range []string{"g", "G"} {
			end.samples.AddTime(s.Answer(key)[0].Last)
		}
	}
	time.Sleep(150 * time.Second)
	memory.samples.Add(mebibytes(t, s))
	table.add(early)
	table.add(memory)
	table.add(end)
}

// measureSpeech counts the words that a screen reader speaks when the cursor moves. yasr takes
// any program for a speech synthesizer; ours keeps what it is given.
func measureSpeech(t *testing.T, table *table) {
	for _, view := range []struct {
		name, before, less string
		open               func(*bench.Session)
	}{
		{"services", "49", "6", openServices},
		{"reports", "163 to 189", "", func(*bench.Session) {}},
	} {
		words := row{measure: "words that yasr speaks at one move, " + view.name, before: view.before, less: view.less, goal: "25"}
		reader, err := exec.LookPath("yasr")
		if err != nil {
			words.measure += " (yasr is not installed)"
			table.add(words)
			continue
		}
		folder := t.TempDir()
		spoken, synthesizer := filepath.Join(folder, "spoken"), filepath.Join(folder, "synthesizer")
		if err := os.WriteFile(synthesizer, []byte("#!/bin/sh\nexec cat >>'"+spoken+"'\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		s := calm(openCommand(t, exec.Command(reader, "-s", "emacspeak server", "-p", "|"+synthesizer, *programFlag, "demo")))
		view.open(s)
		before := spokenWords(t, spoken)
		for range 10 {
			s.Answer("j")
			now := spokenWords(t, spoken)
			words.samples.Add(float64(now - before))
			before = now
		}
		if words.samples.Quantile(1) == 0 {
			t.Fatal("yasr has said nothing")
		}
		s.Close()
		table.add(words)
	}
}

// spokenWords counts the words that a server of Emacspeak was given to speak: each in a line
// of its own, as q {words}.
func spokenWords(t testing.TB, name string) int {
	t.Helper()
	spoken, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	words := 0
	for line := range strings.Lines(string(spoken)) {
		if text, ok := strings.CutPrefix(strings.TrimSpace(line), "q {"); ok {
			words += len(strings.Fields(strings.TrimSuffix(text, "}")))
		}
	}
	return words
}

func fileSize(t testing.TB, name string, table *table) {
	t.Helper()
	file, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	r := row{measure: "stripped binary, MiB", digits: 1, before: "19.8", lazygit: "18.7", less: ".2", goal: "20"}
	r.samples.Add(float64(file.Size()) / (1 << 20))
	table.add(r)
}
