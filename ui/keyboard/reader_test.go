package keyboard

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/theme"
	"geodeck/ui/uitest"
)

// readerOf returns the reader of a line.
func readerOf(l *uitest.Line) *Reader { return NewReaderOf(l, l.More, l.Now) }

// keys is a program that writes down its keys, up to ctrl+d.
type keys struct {
	got []string
}

func (k *keys) Init() tea.Cmd { return nil }
func (k *keys) View() string  { return "" }

func (k *keys) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.KeyMsg:
		if msg.Type == tea.KeyCtrlD {
			return k, tea.Quit
		}
		k.got = append(k.got, name(msg))
	case Burst:
		var names []string
		for _, key := range msg {
			names = append(names, name(key))
		}
		k.got = append(k.got, "("+strings.Join(names, " ")+")")
	case theme.Background:
		k.got = append(k.got, []string{theme.Dark: "<dark>", theme.Light: "<light>", theme.Unknown: "<unknown>"}[msg])
	}
	return k, nil
}

func name(key tea.KeyMsg) string {
	if key.Paste {
		return fmt.Sprintf("paste %q", string(key.Runes))
	}
	return key.String()
}

// press has Bubble Tea read the line and returns the keys.
func press(t *testing.T, asking bool, pieces ...string) string {
	t.Helper()
	r := readerOf(uitest.NewLine(append(pieces, uitest.Pause(time.Minute), "\x04")...))
	r.SetAsking(asking)
	return pressOn(t, r)
}

// pressOn is press on a line that ends with ctrl+d.
func pressOn(t *testing.T, r *Reader) string {
	t.Helper()
	k, decoder := &keys{}, &Decoder{}
	_, err := tea.NewProgram(k, tea.WithInput(r.source0()), tea.WithOutput(io.Discard), tea.WithoutRenderer(), tea.WithoutSignalHandler(),
		tea.WithFilter(func(_ tea.Model, msg tea.Msg) tea.Msg { return decoder.Decode(msg) })).Run()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(k.got, " ")
}

const alphabet = "0123456789abcdefghijklmnopqrstuvwxyz"

// source0 hides that the reader is a file, which it is not here.
func (r *Reader) source0() io.Reader { return struct{ io.Reader }{r} }

func TestKeysAreWholeHoweverTheLineCutsThem(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("0123456789", 60)
	const beat = 300 * time.Millisecond
	for _, c := range []struct {
		what, want string
		pieces     []string
	}{
		{"an arrow", "up", []string{"\x1b[A"}},
		{"an arrow in two reads", "up", []string{"\x1b", "[A"}},
		{"an arrow byte by byte", "up", []string{"\x1b", "[", "A"}},
		{"a key with numbers", "alt+up", []string{"\x1b[1;", uitest.Pause(100 * time.Millisecond), "3A"}},
		{"home of a terminal in application mode", "home", []string{"\x1bO", "H"}},
		{"shift+home of rxvt", "shift+home down", []string{"\x1b[7$", uitest.Pause(time.Second), "\x1b[B"}},
		{"F1 of the console", "f1", []string{"\x1b[", "[", "A"}},
		{"esc alone", "esc q", []string{"\x1b", uitest.Pause(time.Second), "q"}},
		{"esc and a key at once", "(esc q)", []string{"\x1bq"}},
		{"esc and a key in two reads", "(esc q)", []string{"\x1b", "q"}},
		{"esc and a key a little later", "esc q", []string{"\x1b", uitest.Pause(51 * time.Millisecond), "q"}},
		{"two escs", "esc esc", []string{"\x1b\x1b"}},
		{"esc and an arrow", "esc up", []string{"\x1b\x1b[A"}},
		{"esc and an arrow, cut", "esc up", []string{"\x1b", "\x1b", "[", "A"}},
		{"esc and enter", "(esc enter)", []string{"\x1b\r"}},
		{"esc and [", "(esc [)", []string{"\x1b[", uitest.Pause(time.Second)}},
		{"esc and O", "(esc O q)", []string{"\x1bOq"}},
		{"esc and ]", "(esc ])", []string{"\x1b]"}},
		{"esc and P", "(esc P q)", []string{"\x1bPq"}},
		{"esc and a paste", `esc paste "yes"`, []string{"\x1b\x1b[200~yes\x1b[201~"}},
		{"esc and the mouse", "(esc q)", []string{"\x1b\x1b[<0;10;10Mq"}},
		{"esc and the focus", "(esc q)", []string{"\x1b\x1b[Iq"}},
		{"an arrow that comes much later than its esc", "esc j", []string{"\x1b", uitest.Pause(300 * time.Millisecond), "[A", uitest.Pause(time.Second), "j"}},
		{"keys together soon behind esc", "esc (O P)", []string{"\x1b", uitest.Pause(100 * time.Millisecond), "OP"}},
		{"an answer's start long behind esc", "esc (] 1)", []string{"\x1b", uitest.Pause(400 * time.Millisecond), "]1"}},
		{"another answer's start long behind esc", "esc (P 0)", []string{"\x1b", uitest.Pause(400 * time.Millisecond), "P0"}},
		{"a character in two reads", "é", []string{"\xc3", "\xa9"}},
		{"half a character", "q", []string{"\xc3", "q"}},
		{"keys typed fast", "(j j j)", []string{"jjj"}},
		{"arrows read together", "down down up", []string{"\x1b[B\x1b[B\x1b[A"}},
		{"ctrl+c among keys", "(j ctrl+c)", []string{"j\x03"}},
		{"a held key", "(" + strings.TrimSpace(strings.Repeat("j ", 100)) + ")", []string{strings.Repeat("j", 100)}},
		{"a paste", `paste "q\ny"`, []string{"\x1b[200~q\ny\x1b[201~"}},
		{"a paste whose start and end are cut", `paste "q\ny" j`, []string{"\x1b[2", "00~q\n", "y\x1b[20", "1~", uitest.Pause(time.Second), "j"}},
		{"a long paste", fmt.Sprintf("paste %q", long), []string{"\x1b[200~" + long + "\x1b[201~"}},
		{"a paste with esc", fmt.Sprintf("paste %q", "a\x1b[Ab"), []string{"\x1b[200~a\x1b", "[Ab\x1b[201~"}},
		{"a paste cut in a character", `paste "aé"`, []string{"\x1b[200~a\xc3", "\xa9\x1b[201~"}},
		{"a slow paste", `paste "abc"`, []string{"\x1b[200~", uitest.Pause(time.Second), "ab", uitest.Pause(time.Second), "c\x1b[201~"}},
		{"an empty paste", "q", []string{"\x1b[200~\x1b[201~", "q"}},
		{"a paste with an end that never comes", `paste "ab" q`, []string{"\x1b[200~ab", uitest.Pause(3 * time.Second), "q"}},
		{"keys that are pressed while the end does not come", `paste "abxx" q`,
			[]string{"\x1b[200~ab", uitest.Pause(900 * time.Millisecond), "x", uitest.Pause(900 * time.Millisecond), "x", uitest.Pause(900 * time.Millisecond), "q"}},
		{"pairs of keys while the end does not come", `(paste "abjkjkjkjkjkjk" j k)`,
			[]string{"\x1b[200~ab", uitest.Pause(beat), "jk", uitest.Pause(beat), "jk", uitest.Pause(beat), "jk", uitest.Pause(beat), "jk", uitest.Pause(beat), "jk", uitest.Pause(beat), "jk", uitest.Pause(beat), "jk"}},
		{"ctrl+c alone while the end does not come", `paste "ab" ctrl+c q`, []string{"\x1b[200~ab", uitest.Pause(beat), "\x03", uitest.Pause(beat), "q"}},
		{"ctrl+c alone while half of the end is there", `paste "ab\x1b[20" ctrl+c q`, []string{"\x1b[200~ab\x1b[20", uitest.Pause(beat), "\x03", uitest.Pause(beat), "q"}},
		{"a paste that stalled", `paste "ab\ncd"`, []string{"\x1b[200~ab\n", uitest.Pause(5 * time.Second), "cd\x1b[201~"}},
		{"a paste that stalled, and keys", `paste "abcd" q`,
			[]string{"\x1b[200~ab", uitest.Pause(5 * time.Second), "cd\x1b[201~", uitest.Pause(time.Second), "q"}},
		{"a paste that stalled, and its end behind text", `(paste "ab" c d) paste "ef" q`,
			[]string{"\x1b[200~ab", uitest.Pause(5 * time.Second), "cd", "ef\x1b[201~", uitest.Pause(time.Second), "q"}},
		{"the answer to a query for a colour", "<dark> q", []string{"\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\", "q"}},
		{"such an answer in pieces", "q", []string{"\x1b]1", "1;rgb:1e", uitest.Pause(500 * time.Millisecond), "1e/1e\x1b", "\\q"}},
		{"such an answer that is cut off", "q", []string{"\x1b]11;rgb:ff", uitest.Pause(2 * time.Second), "q"}},
		{"keys behind such an answer that is cut off", "j j",
			[]string{"\x1b]11;rgb:00", uitest.Pause(beat), "j", uitest.Pause(beat), "j", uitest.Pause(beat), "j", uitest.Pause(beat), "j", uitest.Pause(beat), "j"}},
		{"keys behind attributes that are cut off", "7 8",
			[]string{"\x1b[?62;", uitest.Pause(beat), "4", uitest.Pause(beat), "5", uitest.Pause(beat), "6", uitest.Pause(beat), "7", uitest.Pause(beat), "8"}},
		{"two such answers in three pieces", "q",
			[]string{"\x1b]11;rgb:1e", uitest.Pause(700 * time.Millisecond), "1e\x1b\\\x1b]10;rgb:", uitest.Pause(700 * time.Millisecond), "1e\x1b\\", "q"}},
		{"such an answer that a key cuts off", "up", []string{"\x1b]11;rgb:ff", "\x1b[A"}},
		{"such an answer that esc cuts off", "esc", []string{"\x1b]11;rgb:ff", "\x1b"}},
		{"attributes", "q", []string{"\x1b[?62;2", "2c", "q"}},
		{"attributes that are cut off", "q", []string{"\x1b[?62;", uitest.Pause(2 * time.Second), "q"}},
		{"the place of the cursor", "q", []string{"\x1b[24;80R", "q"}},
		{"the state of a mode", "q", []string{"\x1b[?2026;2$y", "q"}},
		{"the name of the terminal", "q", []string{"\x1bP>|xterm(390)\x1b\\", "q"}},
		{"the mouse of old terminals", "j", []string{"\x1b[M q", "qj"}},
		{"bytes that are no text", "q", []string{"\xfc\xfd\xfe\xffq"}},
		{"pasted text that is not marked", `paste "systemctl restart postgresql.service\rreboot\r" q`,
			[]string{"systemctl restart postgresql.service\rreboot\r", uitest.Pause(time.Second), "q"}},
		{"the last keys of such text", `paste "0123456789abcdefghijklmnopqrstuvwxyz" paste "yz" (y z)`,
			[]string{alphabet, uitest.Pause(100 * time.Millisecond), "yz", uitest.Pause(time.Second), "yz"}},
		{"pairs of keys behind such text", `paste "0123456789abcdefghijklmnopqrstuvwxyz" paste "jk" (j k)`,
			[]string{alphabet, uitest.Pause(200 * time.Millisecond), "jk", uitest.Pause(200 * time.Millisecond), "jk"}},
		{"a key held behind such text", `paste "0123456789abcdefghijklmnopqrstuvwxyz" j (j j) j`,
			[]string{alphabet, uitest.Pause(33 * time.Millisecond), "j", uitest.Pause(33 * time.Millisecond), "jj", uitest.Pause(33 * time.Millisecond), "j"}},
		{"a held key and another", "(" + strings.Repeat("j ", 33) + "enter)", []string{strings.Repeat("j", 33) + "\r"}},
		{"keys around such text", `up esc paste "0123456789abcdefghijklmnopqrstuvwxyz" down esc`, []string{"\x1b[A\x1b" + alphabet + "\x1b[B\x1b"}},
	} {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel()
			if got := press(t, false, c.pieces...); got != c.want {
				t.Errorf("the keys are\n%s instead of\n%s", got, c.want)
			}
		})
	}
}

func TestAKeyThatAnswersComesAlone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		want   string
		pieces []string
	}{
		{"y", []string{"y"}},
		{"y y", []string{"y", uitest.Pause(31 * time.Millisecond), "y"}},
		{"(y e s enter)", []string{"y", "e", uitest.Pause(29 * time.Millisecond), "s", "\r"}},
		{"esc", []string{"\x1b"}},
		{"y <dark>", []string{"y", "\x1b]11;rgb:0/0/0\a"}},
		{"down down", []string{"\x1b[B", "\x1b[B"}},
		{`(esc q) paste "ef" q`, []string{"\x1bq", uitest.Pause(time.Second), "\x1b[200~", uitest.Pause(5 * time.Second), "ef\x1b[201~", uitest.Pause(time.Second), "q"}},
		{"(" + strings.Join(strings.Split(alphabet, ""), " ") + ") ( y) y",
			[]string{alphabet, uitest.Pause(200 * time.Millisecond), "y", uitest.Pause(200 * time.Millisecond), "y"}},
	} {
		if got := press(t, true, c.pieces...); got != c.want {
			t.Errorf("%q is %s instead of %s", c.pieces, got, c.want)
		}
	}
}

func TestTheReaderReadsAFile(t *testing.T) {
	t.Parallel()
	ours, theirs, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer ours.Close()
	r := NewReader(ours, nil)
	if r.Fd() != ours.Fd() {
		t.Error("the terminal behind it is not found")
	}
	buffer := make([]byte, 256)
	for _, c := range [][2]string{{"\x1b[A", "\x1b[A"}, {"\x1bq", "\xfe\xfcq\xff"}, {"\x1b[1;", ""}, {"3A", "\x1b[1;3A"}} {
		if _, err := theirs.WriteString(c[0]); err != nil {
			t.Fatal(err)
		}
		if n, err := r.Read(buffer); err != nil || string(buffer[:n]) != c[1] {
			t.Errorf("%q was read as %q, %v", c[0], buffer[:n], err)
		}
	}
	if _, err := theirs.WriteString("\x1b"); err != nil {
		t.Fatal(err)
	}
	theirs.Close() // nothing more comes: esc does not wait
	if n, err := r.Read(buffer); err != nil || string(buffer[:n]) != "\xfc" {
		t.Errorf("esc was read as %q, %v", buffer[:n], err)
	}
	if _, err := r.Read(buffer); !errors.Is(err, io.EOF) {
		t.Errorf("the end is %v", err)
	}
	if _, err := r.Read(buffer[:10]); !errors.Is(err, io.ErrShortBuffer) {
		t.Errorf("a short buffer is %v", err)
	}
}

func TestAReaderThatFailsSaysSoAndEnds(t *testing.T) {
	t.Parallel()
	var failure any
	r := NewReaderOf(broken{}, nil, time.Now)
	r.failed = func(value any) { failure = value }
	if n, err := r.Read(make([]byte, 256)); n != 0 || !errors.Is(err, io.EOF) || failure != "broken" {
		t.Errorf("it read %d, %v and said %v", n, err, failure)
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { panic("broken") }

func TestAPasteEndsAtAMiB(t *testing.T) {
	t.Parallel()
	var d Decoder
	piece := tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(strings.Repeat("é", 300)), Paste: true}
	pasted := func(pieces int) tea.Msg {
		for range pieces - 1 {
			d.mark(markMore)
			if msg := d.Decode(piece); msg != nil {
				t.Fatalf("%T came before the end", msg)
			}
		}
		return d.Decode(piece)
	}
	switch msg := pasted(2000).(type) {
	case Truncated:
		if len(msg.Runes) != maxPaste/2 {
			t.Errorf("%d characters were taken", len(msg.Runes))
		}
	default:
		t.Errorf("a long paste is a %T", msg)
	}
	if msg, whole := pasted(2).(tea.KeyMsg); !whole || len(msg.Runes) != 600 {
		t.Error("the paste behind it is cut as well")
	}
}

// whole reads a line to its end, and returns its pieces.
func whole(t *testing.T, l *uitest.Line) []piece {
	t.Helper()
	return read(t, readerOf(l))
}

// read is whole of a reader.
func read(t *testing.T, r *Reader) []piece {
	t.Helper()
	var all []piece
	buffer := make([]byte, 256)
	for {
		n, err := r.Read(buffer)
		if err != nil {
			return all
		}
		if n >= len(buffer)-1 {
			t.Fatalf("the buffer is full: %q", buffer[:n])
		}
		for _, p := range r.pieces {
			p.bytes = bytes.Clone(p.bytes)
			last := len(all) - 1
			switch {
			case p.kind == ignored:
			case p.kind == pasted && last >= 0 && all[last].kind == pasted && all[last].more:
				all[last].bytes, all[last].more = append(all[last].bytes, p.bytes...), p.more
			default:
				all = append(all, p)
			}
		}
		r.pieces = r.pieces[:0]
	}
}

// FuzzCuts cuts any input in any places: while the pieces follow in time the keys are the
// same, in their order, and none is lost.
func FuzzCuts(f *testing.F) {
	for _, input := range []string{
		"jjj\x1b[A\x1bq", "\x1b\x1b[A\x1b\x1b[200~y\r\x1b[201~q", "\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\q", "\x1bP>|x\x1bq", "\x1b[?62;22cq", "\x1b[M !!q",
		"\x1b[<0;1;1Mq", "\x1b[200~no end", "aé漢\x1bO", "\xff\xc3\x1b", "\x1b[" + strings.Repeat("0", 60) + "A", "\x1b[1;\x1b[201~", strings.Repeat("\x1b", 300), strings.Repeat("a\x1b[201~\x1b[200~b", 40),
		"\x1b[200~" + strings.Repeat("é", 300) + "\x1b[201~" + strings.Repeat("x", 300),
	} {
		f.Add([]byte(input), []byte{1, 2, 3})
		f.Add([]byte(input), []byte{0})
		f.Add([]byte(input), []byte{170, 4})
	}
	f.Fuzz(func(t *testing.T, input, cuts []byte) {
		if bytes.Contains(input, []byte("\x00pause")) || bytes.HasSuffix(input, []byte{interrupt}) { // alone it ends a paste
			return
		}
		var pieces []string
		for i, rest := 0, string(input); len(rest) > 0; i++ {
			n := len(rest)
			if len(cuts) > 0 {
				n = min(n, 1+int(cuts[i%len(cuts)]))
			}
			pieces = append(pieces, rest[:n])
			rest = rest[n:]
		}
		var one []string
		if len(input) > 0 {
			one = []string{string(input)}
		}
		cut, uncut := whole(t, uitest.NewLine(pieces...)), whole(t, uitest.NewLine(one...))
		if !slices.EqualFunc(cut, uncut, func(a, b piece) bool {
			return a.kind == b.kind && a.more == b.more && bytes.Equal(a.bytes, b.bytes)
		}) {
			t.Errorf("%.300q cut to %.300q is\n%.300v instead of\n%.300v", input, pieces, cut, uncut)
		}
		if strings.IndexFunc(string(input), func(r rune) bool { return r < ' ' || r > '~' }) < 0 {
			var typed []byte
			for _, p := range uncut {
				typed = append(typed, p.bytes...)
			}
			if !bytes.Equal(typed, input) {
				t.Errorf("%q is typed as %q", input, typed)
			}
		}
	})
}
