package paint

import (
	"image/color"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/cellbuf"
)

// style is how a cell looks, in few bytes that are compared at once.
type style struct {
	fg, bg, stroke hue
	underline      cellbuf.UnderlineStyle
	attributes     cellbuf.AttrMask
}

// hue is a color: its kind in the highest byte, its number or its red, green and blue below.
type hue uint32

const (
	basic   hue = 1 << 24 // one of 16; 0 is the default of the terminal
	indexed hue = 2 << 24 // one of 256
	direct  hue = 3 << 24
)

func hueOf(c color.Color) hue {
	switch c := c.(type) {
	case nil:
		return 0
	case ansi.BasicColor:
		return basic | hue(c)
	case ansi.IndexedColor:
		return indexed | hue(c)
	}
	r, g, b, _ := c.RGBA()
	return direct | hue(r>>8<<16|g>>8<<8|b>>8)
}

func (h hue) color() color.Color {
	switch h &^ 0xffffff {
	case basic:
		return ansi.BasicColor(h)
	case indexed:
		return ansi.IndexedColor(h)
	case direct:
		return color.RGBA{R: uint8(h >> 16), G: uint8(h >> 8), B: uint8(h), A: 0xff}
	}
	return nil
}

func (s style) pen() cellbuf.Style {
	return cellbuf.Style{Fg: s.fg.color(), Bg: s.bg.color(), Ul: s.stroke.color(), UlStyle: s.underline, Attrs: s.attributes}
}

// maxParameters is how many parameters of a sequence the parser has room for.
const maxParameters = 32

// read returns the style after a sequence, which may be an SGR sequence.
func (s style) read(sequence string) style {
	if !strings.HasSuffix(sequence, "m") || strings.Count(sequence, ";")+strings.Count(sequence, ":") >= maxParameters-1 {
		return s
	}
	parser := ansi.GetParser()
	defer ansi.PutParser(parser)
	if ansi.DecodeSequence(sequence, ansi.NormalState, parser); parser.Command() != 'm' {
		return s
	}
	pen := s.pen()
	cellbuf.ReadStyle(parser.Params(), &pen)
	return style{hueOf(pen.Fg), hueOf(pen.Bg), hueOf(pen.Ul), pen.UlStyle, pen.Attrs}
}

// change returns the sequence that turns a style into s. It ends the other one first: terminals
// do not agree on what an attribute leaves behind, such as a bright color that some show bold.
func (s style) change(from style) string {
	if s == (style{}) {
		return ansi.ResetStyle
	}
	pen := s.pen()
	sequence := pen.Sequence()
	if from != (style{}) {
		sequence = strings.Replace(sequence, "[", "[0;", 1)
	}
	return sequence
}
