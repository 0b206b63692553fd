package paint

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"geodeck/theme"
)

// glyphs are texts of all widths, and bytes that are no text.
var glyphs = []string{
	"a", "b", "x", "M", "7", "~", " ", " ", " ", "     ", "word", "a longer text",
	"─", "│", "✓", "●", "›", "…", "█", "░", "▁", "é", "ß", "Ω", "ж", "→", "├", "°", // one cell
	"界", "語", "한", "ア", "ｱ", "Ａ", "🚀", "😀", // wide, and halfwidth
	"e\u0301", "o\u0308\u0323", "\u0301", "क्षि", "ก็", "\u0903", "ﾞ", "\u1100\u1161\u11a8", "\u1161", "\u11a8", "d\u200d", // combining, conjoining
	"❤\ufe0f", "❤\ufe0e", "✔", "⚠", "⚠\ufe0f", "☰", "1\ufe0f\u20e3", "👩\u200d👩\u200d👧", "👍🏽", "🏽", "🇨🇭", "🇨", // of disputed width
	"\u200b", "\u200d", "\ufeff", "\u00ad", "\u200f", "\u202e", "\u2066", "\u2028", "\u0600", "א", "ش", // without width, from right to left
	"\U000e0041", "\ue000", "\ufffd", "\ufffe", "\U0001fae9", "\U000323af", // tags, private, not assigned
	"\x00", "\a", "\b", "\t", "\v", "\r", "\x0e", "\x7f", "\u0085", "\u009b31m", "\x84", "\x9b31m", "\x9d0;t\x9c", // controls
	"\xff", "\xe2\x94", "\xf0\x9f\x9a", "\xc0\xaf", "\xed\xa0\x80", // no UTF-8
	"\x1b", "\x1b[", "\x1b[3", "\x1b[3A", "\x1b[2J", "\x1b[H", "\x1b[K", "\x1bc", "\x1b7", "\x1b(0", "\x1b[?25h", "\x1b[?1049l", "\x1b[>4;2m", "\x1b[!p",
	"\x1b]0;title\a", "\x1b]8;;http://x\x1b\\", "\x1bP+q\x1b\\", "\x1b_other\x1b\\", "\x1b]0;open", "\x1b\x1b", "\x1b[\x1b[m", "\x1b[1\xff",
	theme.CursorMark, theme.CursorMark,
}

// styles are SGR sequences: of all attributes, of one color named in several ways, and some
// that are wrong.
var styles = []string{
	"\x1b[m", "\x1b[0m", "\x1b[m", "\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[3m", "\x1b[5m", "\x1b[6m", "\x1b[7m", "\x1b[8m", "\x1b[9m", "\x1b[4m",
	"\x1b[22m", "\x1b[23m", "\x1b[24m", "\x1b[25m", "\x1b[27m", "\x1b[28m", "\x1b[29m", "\x1b[39m", "\x1b[49m",
	"\x1b[31m", "\x1b[38;5;1m", "\x1b[38;2;128;0;0m", "\x1b[38;5;88m", "\x1b[91m", "\x1b[38;5;9m", "\x1b[38;2;255;0;0m", "\x1b[38;5;196m", "\x1b[30m",
	"\x1b[41m", "\x1b[48;5;1m", "\x1b[48;2;128;0;0m", "\x1b[101m", "\x1b[48;5;240m", "\x1b[40m", "\x1b[48;2;0;0;0m",
	"\x1b[1;31;44m", "\x1b[0;7m", "\x1b[;1m", "\x1b[1;;2m", "\x1b[38m", "\x1b[38;5m", "\x1b[38;2;1m", "\x1b[999m", "\x1b[38;5;300m",
	"\x1b[96m", "\x1b[1;37m", "\x1b[32m", "\x1b[4;33m", "\x1b[1;4;91m", "\x1b[95m",
	"\x1b[1" + strings.Repeat(";1", 40) + "m",
}

// extended are SGR sequences that not every terminal understands.
var extended = []string{
	"\x1b[4:0m", "\x1b[4:1m", "\x1b[4:2m", "\x1b[4:3m", "\x1b[4:4m", "\x1b[4:5m", "\x1b[4:9m", "\x1b[4:m", "\x1b[21m", "\x1b[53m",
	"\x1b[58;5;1m", "\x1b[58;2;1;2;3m", "\x1b[58:2::1:2:3m", "\x1b[59m", "\x1b[38:5:200m", "\x1b[38:2::1:2:3m", "\x1b[48:2:1:2:3m", "\x1b[38:3::9:9:9m", "\x1b[38;1m",
}

// foreign stands for all that another program draws on the alternate screen.
const foreign = "foreign"

func withForeign(sequence string) string {
	if sequence == foreign {
		return "\x1b[?1049h\x1b[Htheirs\x1b[?1049l"
	}
	return sequence
}

// session is a random sequence of all that happens to a terminal.
type session struct {
	r       *rand.Rand
	styles  []string
	single  bool   // only ASCII and glyphs of the program
	without string // no token holds it

	width, height int // of the terminal
	terminal      Terminal
	size          frame // what the program takes for the size, and its last frame
	rows          [][]string
	shown         []emulator
	failed        bool // the last frame has not arrived
}

// emulator is a terminal.
type emulator interface {
	paint(frame string)    // what a painter writes
	cut(part string)       // what has arrived of it
	other(sequence string) // what anything else writes
	resize(width, height int)
	screen() string // everything that can be seen
}

func newSession(r *rand.Rand) *session {
	s := &session{r: r, styles: styles}
	s.width, s.height = s.anySize()
	s.size.width, s.size.height = s.width, s.height
	return s
}

func (s *session) anySize() (width, height int) {
	if s.r.IntN(20) == 0 {
		return 80 + s.r.IntN(60), 24 + s.r.IntN(30)
	}
	return 1 + s.r.IntN(30), 1 + s.r.IntN(6)
}

// start begins on the alternate screen, as Bubble Tea does.
func (s *session) start() {
	s.other(ansi.SetModeAltScreenSaveCursor)
	s.other("\x1b[2J")
	s.other("\x1b[H")
	s.other("\x1b[?25l")
}

// other writes as Bubble Tea does.
func (s *session) other(sequence string) {
	s.terminal.follow([]byte(sequence))
	for _, e := range s.shown {
		e.other(string(withoutAutoWrap([]byte(sequence))))
	}
}

// step shows one frame, after anything that may have happened before.
func (s *session) step() {
	switch s.r.IntN(60) {
	case 0:
		s.other("\x1b[2J")
		if s.r.IntN(2) == 0 {
			s.draw() // in between
		}
		s.other("\x1b[H")
	case 1:
		s.other("\x1b[2K")
		s.other("\r")
		s.other("\x1b[?1049l")
		s.other("\x1b[?25h")
		for _, e := range s.shown {
			e.other(foreign)
		}
		s.start()
	case 2:
		s.other([]string{"\a", "\x1b]52;c;YQ==\a", "\x1b[?2004h", "\x1b[?1002h", "\x1b[?25h", "\x1b[?25l"}[s.r.IntN(6)])
	case 3: // the terminal is resized before the program knows of it, maybe to and fro
		s.resize(s.anySize())
		if s.r.IntN(2) == 0 {
			s.rows = s.frame()
			s.draw()
		}
		if s.r.IntN(2) == 0 {
			s.resize(s.size.width, s.size.height)
		}
		s.settle()
	case 4: // what the program draws for another size comes late
		s.size.width, s.size.height = s.anySize()
		s.rows = s.frame()
		s.draw()
		s.settle()
	case 5: // another background, also of what stays as it is
		s.size.background = theme.Background(s.r.IntN(3))
		if s.r.IntN(2) == 0 {
			s.draw()
		}
	}
	s.rows = s.frame()
	if s.failed = s.r.IntN(25) == 0; s.failed {
		s.fail()
		return
	}
	s.draw()
}

func (s *session) resize(width, height int) {
	s.width, s.height = width, height
	for _, e := range s.shown {
		e.resize(width, height)
	}
}

// settle makes the program and the terminal agree on the size.
func (s *session) settle() {
	s.size.width, s.size.height, s.size.anew = s.width, s.height, true
}

func (s *session) changes() string {
	if s.size.anew {
		s.terminal.screen.forget()
		s.size.anew = false
	}
	s.size.text = joined(s.rows)
	s.terminal.screen.recolour(s.size.background)
	if changes := s.terminal.screen.frame(s.size.text, s.size.width, s.size.height); changes != "" {
		return ansi.SetModeSynchronizedOutput + changes + ansi.ResetModeSynchronizedOutput
	}
	return ""
}

func (s *session) draw() {
	changes := s.changes()
	for _, e := range s.shown {
		e.paint(changes)
	}
}

// fail writes a part of a frame.
func (s *session) fail() {
	changes := s.changes()
	if changes == "" {
		return
	}
	changes = changes[:s.r.IntN(len(changes))]
	for _, e := range s.shown {
		e.cut(changes)
	}
	s.terminal.screen.forget()
}

// frame changes the frame before a little, or makes lines anew.
func (s *session) frame() [][]string {
	r := s.r
	rows := make([][]string, max(0, s.size.height+r.IntN(3)*r.IntN(2)-r.IntN(3)*r.IntN(2)))
	for y := range rows {
		switch {
		case y < len(s.rows) && r.IntN(4) > 0:
			rows[y] = s.rows[y]
			if r.IntN(3) > 0 {
				continue
			}
			rows[y] = slices.Clone(rows[y])
			for range 1 + r.IntN(5) {
				i := r.IntN(len(rows[y]) + 1)
				switch r.IntN(3) {
				case 0:
					rows[y] = slices.Insert(rows[y], i, s.token())
				case 1:
					rows[y] = slices.Delete(rows[y], min(i, max(0, len(rows[y])-1)), min(i+1, len(rows[y])))
				default:
					if i < len(rows[y]) {
						rows[y][i] = s.token()
					}
				}
			}
		case len(s.rows) > 0 && r.IntN(3) == 0:
			rows[y] = s.rows[r.IntN(len(s.rows))]
		default:
			n := r.IntN(s.size.width + 3)
			if r.IntN(2) == 0 {
				n /= 4
			}
			rows[y] = make([]string, 0, n+4)
			for range n {
				rows[y] = append(rows[y], s.token())
			}
		}
	}
	return rows
}

func (s *session) token() string {
	token := s.anyToken()
	if s.without != "" && strings.Contains(token, s.without) {
		return " "
	}
	return token
}

// anyToken is mostly plain: lines without anything disputed are of interest too.
func (s *session) anyToken() string {
	switch n := s.r.IntN(12); {
	case n < 2:
		return s.styles[s.r.IntN(len(s.styles))]
	case n == 2 && !s.single:
		switch s.r.IntN(3) {
		case 0:
			return fmt.Sprintf("\x1b[38;2;%d;%d;%dm", s.r.IntN(256), s.r.IntN(256), s.r.IntN(256))
		case 1:
			return string(rune(s.r.IntN(0x20000)))
		}
		return glyphs[s.r.IntN(len(glyphs))]
	case n < 6 && !s.single:
		return glyphs[s.r.IntN(len(glyphs))]
	}
	return glyphs[s.r.IntN(28)]
}

func joined(rows [][]string) string {
	lines := make([]string, len(rows))
	for y, row := range rows {
		lines[y] = strings.Join(row, "")
	}
	return strings.Join(lines, "\n")
}
