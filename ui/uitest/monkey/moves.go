package monkey

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
	"unicode/utf8"
)

// Move is one thing that the monkey does, and for how long it rests then.
type Move struct {
	Kind          Kind
	Keys          string // what is typed in one piece
	Width, Height int    // of the terminal, in cells
	Rest          time.Duration
	// Number picks what a move needs and the monkey cannot know: a word of the screen.
	Number int
}

// Kind is what kind of move it is.
type Kind int

// The kinds of moves.
const (
	Type   Kind = iota
	Resize      // the terminal gets another size
	Word        // a word of the screen is typed
	Stall       // the line takes nothing for the time of the rest
	Stop        // the program is stopped for the time of the rest
	Look        // the burst is over: the program has to answer
	End         // the program has to end; Keys say how
)

// How the program is ended: by a key, or by a signal, whose name this is.
const (
	ByKey       = quitKey
	ByInterrupt = ctrlC
	ByTerm      = "SIGTERM"
	ByInt       = "SIGINT"
	ByHangUp    = "the terminal is closed"
)

// String is the line of a move in the log.
func (m Move) String() string {
	switch m.Kind {
	case Resize:
		return fmt.Sprintf("resize %dx%d, rest %v", m.Width, m.Height, m.Rest)
	case Word:
		return fmt.Sprintf("word %d of the screen, rest %v", m.Number, m.Rest)
	case Stall:
		return fmt.Sprintf("stall %v", m.Rest)
	case Stop:
		return fmt.Sprintf("stop %v", m.Rest)
	case Look:
		return "look"
	case End:
		return fmt.Sprintf("end by %q", m.Keys)
	}
	return fmt.Sprintf("type %q, rest %v", m.Keys, m.Rest)
}

// Monkey makes moves, the same ones for the same seed and life.
type Monkey struct {
	*rand.Rand
	keyboard Keyboard
	planned  []Move // before anything else
	looks    int    // until the program is ended
}

// New returns a monkey for one of the lives that follow from a seed.
func New(seed, life uint64, keyboard Keyboard) *Monkey {
	m := &Monkey{Rand: rand.New(rand.NewPCG(seed, life)), keyboard: keyboard}
	m.live()
	return m
}

// live decides how long the program lives: seldom long enough to see whether it grows.
func (m *Monkey) live() {
	m.looks = 5 + m.IntN(35)
	if m.IntN(5) == 0 {
		m.looks += 80
	}
}

// maxBurst is how many moves a burst has at most.
const maxBurst = 40

// Next returns the next move. A burst of moves ends with a look, and some bursts with the
// end of the program.
func (m *Monkey) Next() Move {
	if len(m.planned) == 0 {
		m.plan()
	}
	next := m.planned[0]
	m.planned = m.planned[1:]
	return next
}

// plan plans a burst.
func (m *Monkey) plan() {
	for range 1 + m.IntN(maxBurst) {
		m.act()
	}
	if m.looks--; m.looks > 0 {
		m.planned = append(m.planned, Move{Kind: Look})
		return
	}
	m.planned = append(m.planned, Move{Kind: Look}, Move{Kind: End, Keys: one(m, ByKey, ByKey, ByInterrupt, ByTerm, ByInt, ByHangUp)})
	m.live()
}

// act plans one thing to do.
func (m *Monkey) act() {
	switch n := m.IntN(1000); {
	case n < 400:
		m.typeKey(one(m, m.keyboard.Keys...))
	case n < 520:
		m.typeKey(one(m, "j", "k", "j", "k", "\x1b[A", "\x1b[B", "\x1b[5~", "\x1b[6~", "g", "G", "\r", "\r", "\x1b", "\t", " ", "1", "2", "3", "4"))
	case n < 600:
		m.command()
	case n < 680:
		for _, keys := range one(m, walks...) {
			m.typeKey(keys)
		}
	case n < 740:
		m.typeKey(m.text())
	case n < 780:
		m.planned = append(m.planned, Move{Kind: Word, Number: m.IntN(1 << 20), Rest: m.pause()})
		m.typeKey("\r")
	case n < 820:
		m.typeKey("\x1b[200~" + m.pasted() + "\x1b[201~")
	case n < 850:
		m.typeKey(strings.Repeat(one(m, m.keyboard.Keys...), 1+m.IntN(60)))
	case n < 890:
		m.typeKey(m.mouse())
	case n < 930:
		m.typeKey(m.odd())
	case n < 980:
		m.resize()
	case n < 990:
		m.planned = append(m.planned, Move{Kind: Stall, Rest: time.Duration(m.IntN(int(time.Second)))})
	case n < 993:
		m.planned = append(m.planned, Move{Kind: Stop, Rest: time.Duration(m.IntN(int(500 * time.Millisecond)))})
	default:
		m.planned = append(m.planned, Move{Rest: time.Duration(m.IntN(int(4 * time.Second)))})
	}
}

// one picks one of several.
func one[T any](m *Monkey, of ...T) T { return of[m.IntN(len(of))] }

func (m *Monkey) typeKey(keys string) {
	m.planned = append(m.planned, Move{Keys: keys, Rest: m.pause()})
}

// pause is between two keys: most come one after the other, some together, some after what a
// person needs.
func (m *Monkey) pause() time.Duration {
	switch n := m.IntN(10); {
	case n < 2:
		return 0
	case n < 9:
		return time.Duration(m.IntN(int(40 * time.Millisecond)))
	}
	return time.Duration(m.IntN(int(300 * time.Millisecond)))
}

// command types a command of the palette.
func (m *Monkey) command() {
	m.typeKey(":")
	words := strings.Fields(one(m, m.keyboard.Commands...))
	for i, word := range words {
		if strings.ToUpper(word) == word && strings.ToLower(word) != word {
			words[i] = one(m, arguments...)
		}
	}
	line := strings.Join(words, " ")
	if m.IntN(8) == 0 {
		line = line[:m.IntN(len(line))] + one(m, "\t", "\t\t", "\x1b[B", " ", "")
	}
	m.typeKey(line)
	m.typeKey(one(m, "\r", "\r", "\r", "\x1b"))
}

// walks lead to what random keys seldom reach: into an edit, a review, a pre-flight.
var walks = [][]string{
	{"\x1b", "\x1b", "\x1b"},
	{"3", ":", "open service SampleWorldCities.MapServer", "\r"},
	{"3", "\r", "e", "7", "\r", "w", "w", "y"},
	{"3", "\r", "i", "\x1b[6~", "{}", "\x13"},
	{"3", "\r", "\t", "a", "\x1b[B", "\r", "\x13", "w", "w"},
	{"3", "\r", "\t", "a", "node", "\t", "\t", "x", "\r", "w", "w", "\r"},
	{"3", "E", "w", "w"},
	{"3", "S", "y", "S", "y"},
	{"3", " ", " ", " ", "S", "y"},
	{"2", "\r", " ", " ", " ", " ", " ", "\r", "\r"},
	{"2", "\r", " ", " ", "\x13", "\r"},
	{"2", "]", "]", "b", "\r"},
	{"1", "r", "\r", "\r", "\r", "\r"},
	{"1", " ", " ", "C"},
	{"1", "\r", "_", "+", "W", "\r"},
	{"1", "x", "\r", "\r"},
	{"4", "R", "y", "F", "G", "\r", "v", "\x1b"},
	{"4", "\t", "T", "\r", "x", "\r", "\r"},
	{"/", "a", "\r", "n", "n", "\x1b"},
	{"?", "/", "key", "\x1b", "\x1b"},
	{":", "\x1b[A", "\x1b[A", "\r"},
	{"y", "n", "\x1b"},
	{"w", "\r", "w", "\r", "y"},
}

// arguments stand for the argument of a command. A file is a name in the working folder.
var arguments = []string{
	"1", "0", "-1", "99999999999999999999", "map", "a b", "!x", "code:2173", "kind:attention", "on", "off", "json", "csv", "html", "report.json",
	"SampleWorldCities.MapServer", "Utilities/Geometry.GeometryServer", "nodes.json", "missing.json", ".", "..", "~", "名前", "\u202eevil", "(", "[", "*",
}

// pieces are what texts are made of. None has a q: it would quit where no text is expected.
var pieces = []string{
	"a", "x", "7", "true", "null", "{", "}", "[", "]", "\"", ":", ",", "\\", "/", "-", "1e999", "0x", "SampleWorldCities", "11.5", "arcgis", "yes",
	"é", "ß", "名前", "👩‍👩‍👧", "🇩🇪", "e\u0301\u0302\u0303", "\u202e", "\u200b", "\ufeff", "ﷺ", "\u00a0", "key=value", "NoSchedule", "In", "a,b,c", "*", "(", "..",
}

func (m *Monkey) text() string {
	var b strings.Builder
	for range 1 + m.IntN(12) {
		b.WriteString(one(m, pieces...))
	}
	return b.String()
}

// pasted is the text of a paste. It may hold what attacks a terminal, never its own end.
func (m *Monkey) pasted() string {
	switch m.IntN(5) {
	case 0:
		return strings.Repeat(m.text()+"\n", 1+m.IntN(400))
	case 1:
		return m.text() + "\x1b[2J\x1b]0;gone\x07\x1b[31m" + m.text() + "\x00\x7f\x9b"
	case 2:
		return strings.Repeat("long ", 1+m.IntN(20_000))
	}
	return m.text()
}

func (m *Monkey) mouse() string {
	x, y := 1+m.IntN(300), 1+m.IntN(100)
	switch m.IntN(3) {
	case 0:
		return fmt.Sprintf("\x1b[M%c%c%c", 32+m.IntN(4), 33+x%60, 33+y%60)
	case 1:
		return fmt.Sprintf("\x1b[<%d;%d;%dM", one(m, 0, 2, 32, 64, 65), x, y)
	}
	return fmt.Sprintf("\x1b[<0;%d;%dM\x1b[<0;%d;%dm", x, y, x, y)
}

// odd is what no key sends: replies of a terminal, also to what nobody asked, sequences that
// are cut off or unknown, and bytes that are no text.
func (m *Monkey) odd() string {
	sequence := one(m,
		"\x1b]11;rgb:ffff/ffff/ffff\x1b\\", "\x1b]11;rgb:0000/0000/0000\a", "\x1b[12;40R", "\x1b[?62;22c", "\x1b[I", "\x1b[O", "\x1b[97;5u", "\x1b[27;5;97~",
		"\x1bOA", "\x1b[1;2A", "\x1b[1;3D", "\x1b[24~", "\x1b[99999999999999999999~", "\x1b[;;;;m", "\x1bP1$r0m\x1b\\", "\x1b_payload\x1b\\", "\x1b^x\x1b\\", "\x1b\x1b\x1b[A",
		"\x1b[200~", "\x1b[201~", "\x1b]52;c;Zm9v\a", "\x1bOQ", "\x1b[15~", "\x1b[2026;2$y", "\x1b_frame\x1b\\", "\x1b_cursor\x1b\\", "\x1a",
	)
	switch m.IntN(3) {
	case 0:
		return sequence[:1+m.IntN(len(sequence))]
	case 1:
		return sequence
	}
	bytes := make([]byte, 1+m.IntN(16))
	for i := range bytes {
		bytes[i] = byte(m.IntN(256))
		if bytes[i] == ctrlC[0] || bytes[i] == quitKey[0] {
			bytes[i] = utf8.RuneSelf
		}
	}
	return string(bytes)
}

// resize changes the size, or drags the corner of a window.
func (m *Monkey) resize() {
	steps := 1
	if m.IntN(4) == 0 {
		steps = 2 + m.IntN(20)
	}
	for range steps {
		width, height := m.size()
		m.planned = append(m.planned, Move{Kind: Resize, Width: width, Height: height, Rest: m.pause()})
	}
}

// size is that of a usual terminal, or any from 1 by 1 to 300 by 100.
func (m *Monkey) size() (width, height int) {
	switch m.IntN(8) {
	case 0:
		return 1 + m.IntN(300), 1 + m.IntN(100)
	case 1:
		return 1 + m.IntN(20), 1 + m.IntN(20)
	case 2:
		return 58 + m.IntN(5), 13 + m.IntN(5) // around the smallest that is drawn
	}
	return 60 + m.IntN(120), 15 + m.IntN(45)
}
