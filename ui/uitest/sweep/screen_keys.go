package sweep

import (
	"io"
	"math/rand/v2"
	"strings"
	"time"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/theme"
	"geodeck/ui/keyboard"
)

// keys are the way of what a person types to the dashboard: bytes of a terminal, in reads as a line cuts and joins them.
type keys struct {
	come   chan string // a read each
	rest   string      // of the last
	reader *keyboard.Reader
	ends   func()
	draws  *rand.Rand
	slow   bool // the line gathers what is typed
	bare   bool // the terminal does not mark what is pasted
}

// Read returns what has come, and waits for it.
func (k *keys) Read(p []byte) (int, error) {
	if k.rest == "" {
		come, open := <-k.come
		if !open {
			return 0, io.EOF
		}
		k.rest = come
	}
	n := copy(p, k.rest)
	k.rest = k.rest[n:]
	return n, nil
}

// more reports whether something comes within a time.
func (k *keys) more(wait time.Duration) bool {
	if k.rest != "" {
		return true
	}
	select {
	case k.rest = <-k.come:
		return k.rest != ""
	case <-time.After(wait):
		return false
	}
}

// ears is the program of Bubble Tea, which makes keys of bytes. What it gets the dashboard gets.
type ears struct{ s *screen }

// Init does nothing.
func (e ears) Init() tea.Cmd { return nil }

// View is nothing: the screen is drawn elsewhere.
func (e ears) View() string { return "" }

// Update hands keys on, before all that commands say at that moment.
func (e ears) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg.(type) {
	case tea.KeyMsg, keyboard.Burst, keyboard.Truncated, theme.Background:
		e.s.tell(-1, msg)
	}
	return e, nil
}

// listens lets the dashboard have keys, as the program does.
func (s *screen) listens() {
	k := &keys{come: make(chan string, 64), draws: s.run.machine.day.random(s.run.name + " line of the keys")}
	k.slow, k.bare = k.draws.IntN(4) == 0, k.draws.IntN(8) == 0
	k.reader = keyboard.NewReaderOf(k, k.more, time.Now)
	var decoder keyboard.Decoder
	program := tea.NewProgram(ears{s}, tea.WithInput(struct{ io.Reader }{k.reader}), tea.WithOutput(io.Discard), tea.WithoutRenderer(),
		tea.WithoutSignalHandler(), tea.WithoutCatchPanics(), tea.WithFilter(func(_ tea.Model, msg tea.Msg) tea.Msg { return decoder.Decode(msg) }))
	s.under.Go(func() { _, _ = program.Run() })
	s.keys, k.ends = k, func() {
		close(k.come)
		program.Quit()
	}
	if s.keys.bare {
		s.run.machine.day.meet("keys: a terminal that does not mark what is pasted")
	}
}

// sequences are what a terminal sends for keys that are no character.
var sequences = map[tea.KeyType]string{
	tea.KeyUp: "\x1b[A", tea.KeyDown: "\x1b[B", tea.KeyRight: "\x1b[C", tea.KeyLeft: "\x1b[D", tea.KeyHome: "\x1b[H", tea.KeyEnd: "\x1b[F",
	tea.KeyPgUp: "\x1b[5~", tea.KeyPgDown: "\x1b[6~", tea.KeyDelete: "\x1b[3~", tea.KeyShiftTab: "\x1b[Z", tea.KeyCtrlEnd: "\x1b[1;5F", tea.KeyF2: "\x1bOQ",
	tea.KeySpace: " ",
}

// bytesOf are the bytes of a key, or of several that come together.
func (k *keys) bytesOf(key tea.KeyMsg) string {
	text := string(key.Runes)
	switch sequence, is := sequences[key.Type]; {
	case is && len(sequence) == 3 && strings.Contains("ABCDFH", sequence[2:]) && k.draws.IntN(4) == 0:
		return "\x1bO" + sequence[2:] // as some terminals have it
	case is:
		return sequence
	case key.Type >= 0:
		return string(rune(key.Type))
	case key.Paste && k.bare:
		return strings.ReplaceAll(text, "\n", "\r")
	case key.Paste:
		return "\x1b[200~" + strings.ReplaceAll(text, "\n", "\r") + "\x1b[201~"
	}
	return text
}

// replies are what a terminal answers to another program, or late.
var replies = []string{"\x1b[24;80R", "\x1b[?62;22c", "\x1bP>|xterm(390)\x1b\\", "\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\", "\x1b[?2026;2$y", "\x1b]10;rgb:fff/fff/fff\a", "\x1b[I"}

// some is a time that ends at the moment of nothing else.
func (k *keys) some(least, most time.Duration) time.Duration {
	return least + time.Duration(k.draws.Int64N(int64(most-least)))
}

// comes lets bytes come, in reads: a sequence or a paste may be cut anywhere. How long a gap may be says what there is of it.
func (s *screen) comes(bytes string) {
	k, day := s.keys, s.run.machine.day
	cuts := 0
	switch pastes := strings.HasPrefix(bytes, "\x1b[200~"); {
	case pastes && k.draws.IntN(2) == 0:
		cuts = 1 + k.draws.IntN(3)
		if k.draws.IntN(2) == 0 { // its end, of all places
			at := len(bytes) - 1 - k.draws.IntN(5)
			s.reads(bytes[:at], k.some(time.Millisecond, time.Second))
			bytes, cuts = bytes[at:], 0
			day.meet("keys: the end of a paste in two reads")
		}
	case len(bytes) > 1 && bytes[0] == '\x1b' && k.draws.IntN(3) == 0:
		cuts = 1
		day.meet("keys: a sequence in two reads")
	case len(bytes) > 1 && utf8.RuneCountInString(bytes) == 1:
		cuts = 1
	}
	for ; cuts > 0 && len(bytes) > 1; cuts-- {
		at := 1 + k.draws.IntN(len(bytes)-1)
		gap := k.some(time.Millisecond, 40*time.Millisecond) // an esc that is longer alone is a key
		if at > 2 && bytes[at-1] != '\x1b' {
			gap = k.some(time.Millisecond, 200*time.Millisecond)
		}
		s.reads(bytes[:at], gap)
		bytes = bytes[at:]
	}
	s.reads(bytes, k.some(20*time.Millisecond, 80*time.Millisecond))
}

// reads lets one read come, and time pass.
func (s *screen) reads(bytes string, then time.Duration) {
	if s.dead() {
		return
	}
	s.run.machine.day.log("%s keys: %q", s.run.name, bytes)
	s.keys.come <- bytes
	s.settle()
	s.pass(then)
}

// latest is how long the reader waits at most for what may belong to a key.
const latest = 260 * time.Millisecond

// send gives keys to the dashboard. A slow line gathers letters.
func (s *screen) send(keys ...tea.KeyMsg) {
	k, day := s.keys, s.run.machine.day
	gathered := ""
	for i, key := range keys {
		if k.draws.IntN(24) == 0 && gathered == "" {
			day.meet("keys: a terminal answers in between")
			s.comes(pick(k.draws, replies))
		}
		bytes := k.bytesOf(key)
		letter := key.Type == tea.KeyRunes && !key.Paste && len(key.Runes) == 1
		if letter && k.slow && i+1 < len(keys) && keys[i+1].Type == tea.KeyRunes && !keys[i+1].Paste && len(gathered) < 8 && k.draws.IntN(3) > 0 {
			gathered += bytes
			continue
		}
		if gathered != "" {
			day.meet("keys: letters in one read")
			s.reads(gathered+bytes, k.some(20*time.Millisecond, 80*time.Millisecond))
			gathered = ""
			continue
		}
		if key.Paste {
			day.meet("keys: a paste")
		}
		s.comes(bytes)
	}
	s.pass(latest)
	s.read()
}

// holds holds a key down.
func (s *screen) holds(key tea.KeyMsg) {
	s.reads(s.keys.bytesOf(key), s.keys.some(250*time.Millisecond, 500*time.Millisecond))
	for range 3 {
		s.reads(s.keys.bytesOf(key), s.keys.some(30*time.Millisecond, 36*time.Millisecond))
	}
	s.pass(latest)
	s.read()
}
