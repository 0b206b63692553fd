package paint

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"github.com/hinshun/vt10x"

	"geodeck/theme"
)

var (
	frameCount = flag.Uint64("frames", 10_000, "how many random frames are drawn")
	frameSeed  = flag.Uint64("seed", 0, "the first seed of random frames")
)

// framesPerSeed is how many frames are drawn for one seed, and batch how many of them at most
// before screens are compared.
const (
	framesPerSeed = 250
	batch         = 16
)

// virtual is x/vt: its cells and widths are those of a painter.
type virtual struct {
	*vt.Emulator
	visible bool
}

func newVirtual(width, height int) *virtual {
	v := &virtual{vt.NewEmulator(width, height), true}
	v.SetCallbacks(vt.Callbacks{CursorVisibility: func(visible bool) { v.visible = visible }})
	return v
}

func (v *virtual) paint(frame string)       { _, _ = v.WriteString(frame) }
func (v *virtual) cut(part string)          { v.paint(part) }
func (v *virtual) resize(width, height int) { v.Resize(width, height) }
func (v *virtual) other(sequence string)    { v.paint(withForeign(sequence)) }

func (v *virtual) screen() string {
	var b strings.Builder
	var style uv.Style
	for y := range v.Height() {
		b.WriteByte('\n')
		for x := range v.Width() {
			c := v.CellAt(x, y)
			if c.Style != style {
				style = c.Style
				fmt.Fprintf(&b, "<%#v>", style)
			}
			b.WriteString(c.Content)
			b.WriteByte(0)
		}
	}
	at := v.CursorPosition()
	writeCursor(&b, v.visible, at.X, at.Y)
	return b.String()
}

// vt10 is vt10x: each rune takes a cell.
type vt10 struct{ vt10x.Terminal }

func (v vt10) paint(frame string)       { _, _ = v.Write([]byte(frame)) }
func (v vt10) cut(part string)          { v.paint(part) }
func (v vt10) resize(width, height int) { v.Resize(width, height) }
func (v vt10) other(sequence string)    { v.paint(withForeign(sequence)) }

func (v vt10) screen() string {
	var b strings.Builder
	width, height := v.Size()
	style := vt10x.Glyph{}
	for y := range height {
		b.WriteByte('\n')
		for x := range width {
			c := v.Cell(x, y)
			b.WriteRune(c.Char)
			if c.Char = 0; c != style {
				style = c
				fmt.Fprintf(&b, "<%v>", style)
			}
		}
	}
	at := v.Cursor()
	writeCursor(&b, v.CursorVisible(), at.X, at.Y)
	return b.String()
}

// anyWidth is that of a terminal that agrees with others on nothing that is disputed.
func anyWidth(r rune) int {
	if agreed(r) {
		return 1
	}
	return int(uint32(r) * 2654435761 >> 16 % 3)
}

func runeWidth(r rune) int { return ansi.StringWidth(string(r)) }

func TestFramesShowWhatAFullRedrawShows(t *testing.T) {
	t.Parallel()
	for seed := *frameSeed; seed < *frameSeed+max(1, *frameCount/framesPerSeed); seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			s := newSession(rand.New(rand.NewPCG(seed, 1)))
			s.single = seed%4 == 0
			var emulators []func() emulator
			add := func(e func() emulator) { emulators = append(emulators, e) }
			add(func() emulator { return newGrid(s.width, s.height, &s.size, runeWidth) })
			add(func() emulator { return newGrid(s.width, s.height, &s.size, anyWidth) })
			add(func() emulator { return newVirtual(s.width, s.height) })
			if seed%2 == 0 {
				add(func() emulator { return vt10{vt10x.New(vt10x.WithSize(s.width, s.height))} })
			} else {
				s.styles = append(s.styles[:len(s.styles):len(s.styles)], extended...)
			}
			var anew []emulator
			for _, e := range emulators {
				s.shown = append(s.shown, e())
				anew = append(anew, e())
				anew[len(anew)-1].other(string(withoutAutoWrap([]byte(ansi.SetModeAltScreenSaveCursor))))
			}
			s.start()
			next := 0
			for n := range framesPerSeed {
				s.step()
				if n < next || s.failed {
					continue
				}
				next = n + 1 + s.r.IntN(batch)
				redrawn := (&screen{background: s.size.background}).frame(s.size.text, s.size.width, s.size.height)
				for i, e := range anew {
					e.resize(s.width, s.height)
					e.paint(redrawn)
					if got, want := s.shown[i].screen(), e.screen(); got != want {
						t.Fatalf("seed %d, frame %d, %dx%d, %T %d: %s\nframe %q", seed, n, s.width, s.height, e, i, firstDifference(got, want), s.size.text)
					}
					if g, ok := s.shown[i].(*grid); ok && g.Fault != "" {
						t.Fatalf("seed %d, frame %d: %s", seed, n, g.Fault)
					}
				}
			}
		})
	}
}

func TestTheCursorStandsInItsColumnWhereATerminalHasOtherWidths(t *testing.T) {
	t.Parallel()
	size := frame{width: 10, height: 1}
	g := newGrid(size.width, size.height, &size, func(rune) int { return 1 })
	g.paint(new(screen).frame("界"+theme.CursorMark+"a", size.width, size.height))
	if g.X != 2 {
		t.Errorf("the cursor stands in column %d", g.X)
	}
	g.paint(new(screen).frame("界"+theme.CursorMark, size.width, size.height))
	if g.X != 2 {
		t.Errorf("the cursor stands in column %d", g.X)
	}
}

// A terminal to which each line is written as it is shows the same.
func TestAFrameShowsWhatItsTextShows(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		s := newSession(rand.New(rand.NewPCG(seed, 2)))
		s.single, s.styles = true, styles[:len(styles)-1]
		painted, written := newVirtual(s.width, s.height), newVirtual(s.width, s.height)
		painted.paint(ansi.ResetModeAutoWrap)
		written.paint(ansi.ResetModeAutoWrap)
		for range 20 {
			s.rows = s.frame()
			text := joined(s.rows)
			painted.paint(new(screen).frame(text, s.width, s.height))
			written.paint(ansi.ResetStyle + ansi.EraseEntireScreen + ansi.HideCursor)
			for y, line := range strings.Split(text, "\n") {
				if y < s.height {
					written.paint(ansi.CursorPosition(1, y+1) + ansi.Truncate(line, s.width, ""))
				}
			}
			if got, want := painted.screen(), written.screen(); got != want {
				t.Fatalf("seed %d: %s\n%q", seed, firstDifference(got, want), text)
			}
		}
	}
}

// firstDifference returns the lines of two screens that differ first.
func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	y := 0
	for y < min(len(g), len(w))-1 && g[y] == w[y] {
		y++
	}
	return fmt.Sprintf("line %d is\n%q\nafter a redraw\n%q", y, g[y], w[y])
}
