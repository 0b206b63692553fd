// Package picture makes pictures and recordings of what a terminal shows, from its cells: the same cells
// give the same bytes. Start at [SVG] and [Cast].
package picture

import (
	"encoding/xml"
	"fmt"
	"image/color"
	"strings"
	"unicode/utf16"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"geodeck/ui/uitest/terminal"
)

// Sizes in pixels. Lines are as close as the box characters of common fonts are high, so that these touch.
const (
	cellWidth  = 9
	lineHeight = 17
	baseline   = 13
	fontSize   = 15
	margin     = 14
)

const fonts = `ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace`

// Palette is the colours that a terminal draws with.
type Palette struct {
	Text, Background string
	Sixteen          [16]string
}

// Dark and Light are palettes for the two kinds of background.
var (
	Dark = Palette{"#e6edf3", "#0d1117", [16]string{
		"#484f58", "#ff7b72", "#3fb950", "#d29922", "#58a6ff", "#bc8cff", "#39c5cf", "#b1bac4",
		"#8b949e", "#ffa198", "#56d364", "#e3b341", "#79c0ff", "#d2a8ff", "#56d4dd", "#ffffff",
	}}
	Light = Palette{"#1f2328", "#ffffff", [16]string{
		"#24292f", "#cf222e", "#116329", "#9a6700", "#0969da", "#8250df", "#1b7c83", "#6e7781",
		"#57606a", "#a40e26", "#1a7f37", "#7d4e00", "#0550ae", "#6639ba", "#3192aa", "#8c959f",
	}}
)

// hex returns a colour of the palette, other for none.
func (p Palette) hex(c color.Color, other string) string {
	switch c := c.(type) {
	case nil:
		return other
	case ansi.BasicColor:
		return p.Sixteen[c]
	case ansi.IndexedColor:
		if int(c) < len(p.Sixteen) {
			return p.Sixteen[c]
		}
	}
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}

// SVG draws a still. Its text stays text, and each character stands in its column whatever the width of the font
// is. Title and description are for those who do not see it.
func SVG(s terminal.Still, p Palette, title, description string) string {
	d := drawing{palette: p, classes: map[string]string{}}
	for y := range s.Height {
		d.line(s.Line(y), y)
	}
	width, height := 2*margin+s.Width*cellWidth, 2*margin+s.Height*lineHeight
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" `+
		"xml:space=\"preserve\" aria-labelledby=\"title description\">\n<title id=\"title\">%s</title>\n<desc id=\"description\">%s</desc>\n<style>\n",
		width, height, escaped(title), escaped(description))
	fmt.Fprintf(&b, "text{font-size:%dpx;font-family:%s;white-space:pre;fill:%s}\n", fontSize, fonts, p.Text)
	for i, style := range d.styles {
		fmt.Fprintf(&b, ".%s{%s}\n", className(i), style)
	}
	fmt.Fprintf(&b, "</style>\n<rect width=\"%d\" height=\"%d\" rx=\"8\" fill=\"%s\"/>\n%s%s</svg>\n",
		width, height, p.Background, d.blocks.String(), d.text.String())
	return b.String()
}

// drawing is a picture as far as it is drawn.
type drawing struct {
	palette      Palette
	blocks, text strings.Builder
	styles       []string
	classes      map[string]string // of each style its class
}

func className(i int) string { return string(rune('a' + i)) }

// line draws a line of cells: a run of cells that look alike is one piece.
func (d *drawing) line(cells []uv.Cell, y int) {
	var text strings.Builder
	for x := 0; x < len(cells); {
		end := x + 1
		for end < len(cells) && (cells[end].Width == 0 || sameRun(&cells[x], &cells[end])) {
			end++
		}
		d.run(&text, cells[x:end], x, y)
		x = end
	}
	if text.Len() > 0 {
		fmt.Fprintf(&d.text, "<text y=\"%d\">%s</text>\n", margin+y*lineHeight+baseline, text.String())
	}
}

// sameRun reports whether a cell can be drawn with the first of a run: it looks like it, or nothing is seen of it.
func sameRun(first, next *uv.Cell) bool {
	return next.Style.Equal(&first.Style) || blank(next) && !filled(first)
}

func blank(c *uv.Cell) bool { return strings.TrimSpace(c.Content) == "" && !filled(c) }

// filled reports whether something is seen of a cell without a character.
func filled(c *uv.Cell) bool {
	return c.Style.Bg != nil || c.Style.Underline != 0 || c.Style.Attrs&(uv.AttrReverse|uv.AttrStrikethrough) != 0
}

// run draws cells that look alike, from column x on. What is blank at their end is left out.
func (d *drawing) run(text *strings.Builder, cells []uv.Cell, x, y int) {
	style := cells[0].Style
	fill, back := d.palette.hex(style.Fg, d.palette.Text), d.palette.hex(style.Bg, "")
	if style.Attrs&uv.AttrReverse != 0 {
		fill, back = d.palette.hex(style.Bg, d.palette.Background), fill
	}
	if back != "" {
		fmt.Fprintf(&d.blocks, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\"/>\n",
			margin+x*cellWidth, margin+y*lineHeight, len(cells)*cellWidth, lineHeight, back)
	}
	for len(cells) > 0 && blank(&cells[len(cells)-1]) {
		cells = cells[:len(cells)-1]
	}
	if len(cells) == 0 {
		return
	}
	var columns, content strings.Builder
	for i, c := range cells {
		if c.Width == 0 {
			continue
		}
		if c.Content == "" {
			c.Content = " "
		}
		content.WriteString(c.Content)
		for range utf16.Encode([]rune(c.Content)) { // each has its place in the list
			fmt.Fprintf(&columns, " %d", margin+(x+i)*cellWidth)
		}
	}
	class := ""
	if of := d.look(style, fill); of != "" {
		class = fmt.Sprintf(" class=\"%s\"", d.class(of))
	}
	fmt.Fprintf(text, "<tspan%s x=\"%s\">%s</tspan>", class, columns.String()[1:], escaped(content.String()))
}

// look returns the style of text.
func (d *drawing) look(style uv.Style, fill string) string {
	var look []string
	if fill != d.palette.Text {
		look = append(look, "fill:"+fill)
	}
	for _, a := range []struct {
		on   bool
		look string
	}{
		{style.Attrs&uv.AttrBold != 0, "font-weight:bold"},
		{style.Attrs&uv.AttrFaint != 0, "opacity:.65"},
		{style.Attrs&uv.AttrItalic != 0, "font-style:italic"},
		{style.Underline != 0, "text-decoration:underline"},
		{style.Attrs&uv.AttrStrikethrough != 0, "text-decoration:line-through"},
	} {
		if a.on {
			look = append(look, a.look)
		}
	}
	return strings.Join(look, ";")
}

// class returns the class of a style, a new one where there is none.
func (d *drawing) class(style string) string {
	if d.classes[style] == "" {
		d.classes[style] = className(len(d.styles))
		d.styles = append(d.styles, style)
	}
	return d.classes[style]
}

func escaped(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a builder takes everything
	return b.String()
}
