// Package theme holds every style, glyph and colour of the program. Nothing
// outside it makes a lipgloss style, so the look changes in one place.
//
// Start at [Theme]: names say what a thing means, not how it looks. Colours are
// the terminal's own sixteen, so that the user's palette applies; a state is
// always a glyph and a word as well, never colour alone.
package theme

import (
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/huh"
	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"
)

// Background is how bright the background of a terminal is.
type Background int

// The backgrounds. Colours for an unknown one are read on dark and on light ones.
const (
	Dark Background = iota
	Light
	Unknown
)

// Options say what the terminal can show.
type Options struct {
	// Renderer decides the colours that are written; nil means lipgloss's own.
	Renderer *lipgloss.Renderer
	// Background is that of the terminal; Dark for what is recoloured.
	Background Background
	// ASCII draws every glyph with ASCII characters.
	ASCII bool
	// Monochrome is for a screen without colours: what has the focus, and which view is
	// shown, is drawn with the attributes that every terminal has.
	Monochrome bool
}

// Theme is every look the program has.
type Theme struct {
	Glyphs Glyphs

	Plain  lipgloss.Style // body text
	Strong lipgloss.Style // most important
	Muted  lipgloss.Style // least important
	Accent lipgloss.Style // the one accent colour: where the user is
	Brand  lipgloss.Style // the program's name

	OK      lipgloss.Style
	Warn    lipgloss.Style
	Fail    lipgloss.Style
	Unknown lipgloss.Style
	Running lipgloss.Style

	Key        lipgloss.Style // a key in a hint
	Label      lipgloss.Style // the name of a value
	Heading    lipgloss.Style // the heading of a pane
	TabOn      lipgloss.Style
	TabOff     lipgloss.Style
	Rule       lipgloss.Style // lines between parts of the screen
	Cursor     lipgloss.Style // marker and first column of the selected row, or a choice, that has the focus
	Resting    lipgloss.Style // the marker of the selected row where something else has the focus
	Caret      lipgloss.Style // the cell in which text is typed; it carries [CursorMark]
	Match      lipgloss.Style // what a filter or search found
	Production lipgloss.Style // the banner of a production site
	Locked     lipgloss.Style // that a site takes no writes from here
	Unlocked   lipgloss.Style // that a site that starts locked takes them
	Insecure   lipgloss.Style // that the connection can be read by others
	Demo       lipgloss.Style // the banner of the simulator

	JSONKey    lipgloss.Style
	JSONString lipgloss.Style
	JSONNumber lipgloss.Style
	JSONWord   lipgloss.Style // true, false, null

	options Options
}

// New returns the theme for a terminal.
func New(o Options) *Theme {
	if o.Renderer == nil {
		o.Renderer = lipgloss.DefaultRenderer()
	}
	plain, p := o.Renderer.NewStyle(), paletteFor(o.Background)
	in := plain.Foreground
	t := &Theme{
		Glyphs: unicodeGlyphs, options: o,
		Plain:  plain,
		Strong: plain.Bold(true),
		Muted:  in(p.muted),
		Accent: in(p.accent),
		Brand:  in(p.accent).Bold(true),

		OK:      in(p.ok),
		Warn:    in(p.warn),
		Fail:    in(p.fail),
		Unknown: in(p.unknown),
		Running: in(p.accent),

		Key:        in(p.accent),
		Label:      in(p.muted),
		Heading:    plain.Bold(true),
		TabOn:      in(p.accent).Bold(true).Underline(true),
		TabOff:     in(p.muted),
		Rule:       in(p.muted),
		Resting:    in(p.accent),
		Match:      in(p.warn).Underline(true),
		Production: in(p.fail).Bold(true).Reverse(true).Padding(0, 1),
		Locked:     in(p.ok).Bold(true),
		Unlocked:   in(p.warn).Bold(true).Reverse(true),
		Insecure:   in(p.unknown).Bold(true),
		Demo:       in(p.warn).Bold(true),

		JSONKey:    in(p.accent),
		JSONString: in(p.ok),
		JSONNumber: in(p.warn),
		JSONWord:   in(p.unknown),
	}
	if o.ASCII {
		t.Glyphs = asciiGlyphs
	}
	reverse, underline := t.attribute("7", "27"), t.attribute("4", "24")
	if o.Monochrome { // attributes are no colours
		bold := only(t.attribute("1", "22"))
		t.Strong, t.Brand, t.Heading, t.Demo, t.Locked, t.Insecure = bold, bold, bold, bold, bold, bold
		t.Production, t.Unlocked = only(reverse), only(reverse)
		t.TabOn, t.Match = only(reverse), only(underline)
	}
	t.Cursor = only(reverse)
	t.Caret = only(func(text string) string { return CursorMark + underline(text) })
	return t
}

// attribute returns a function that turns an attribute of the terminal on for a text, by
// its numbers, also on a monochrome screen.
func (t *Theme) attribute(on, off string) func(text string) string {
	if t.options.Renderer.ColorProfile() == termenv.Ascii && !t.options.Monochrome {
		return func(text string) string { return text }
	}
	return func(text string) string { return "\x1b[" + on + "m" + text + "\x1b[" + off + "m" }
}

// only returns a style that draws a text as draw does, whatever else is set: inputs of the
// library reverse the cell that is typed in. A terminal draws its cursor by reversing a
// cell once more, and it would be lost.
func only(draw func(text string) string) lipgloss.Style {
	r := lipgloss.NewRenderer(io.Discard)
	r.SetColorProfile(termenv.Ascii)
	return r.NewStyle().Transform(draw)
}

// Tab draws the name of a view or a panel among others, in brackets where it is the one that
// is shown.
func (t *Theme) Tab(name string, on bool) string {
	if on {
		return "[" + t.TabOn.Render(name) + "]"
	}
	return " " + t.TabOff.Render(name) + " "
}

// RuleOf draws a horizontal line of some cells.
func (t *Theme) RuleOf(cells int) string { return t.Rule.Render(strings.Repeat(t.Glyphs.Rule, cells)) }

// Options returns what the theme was made from.
func (t *Theme) Options() Options { return t.options }

// Huh returns the look of forms.
func (t *Theme) Huh() *huh.Theme {
	h := huh.ThemeBase()
	choice := only(func(text string) string { return text + CursorMark }).SetString(t.Glyphs.Cursor + " ") // forms draw its row
	for _, f := range []*huh.FieldStyles{&h.Focused, &h.Blurred} {
		f.Base = t.Plain.PaddingLeft(2)
		f.Card = f.Base
		f.Title, f.NoteTitle = t.Strong, t.Strong
		f.Description = t.Muted
		f.ErrorIndicator, f.ErrorMessage = t.Fail.SetString(" "+t.Glyphs.Fail), t.Fail
		f.SelectSelector, f.MultiSelectSelector = choice, choice
		f.SelectedPrefix, f.UnselectedPrefix = t.OK.SetString("[x] "), t.Muted.SetString("[ ] ")
		f.SelectedOption, f.UnselectedOption, f.Option = t.Plain, t.Plain, t.Plain
		f.NextIndicator, f.PrevIndicator = t.Muted, t.Muted
		f.FocusedButton, f.BlurredButton = t.Accent.Bold(true).Reverse(true).Padding(0, 2), t.Muted.Padding(0, 2)
		f.TextInput.Cursor, f.TextInput.CursorText = t.Caret, t.Plain
		f.TextInput.Prompt, f.TextInput.Placeholder, f.TextInput.Text = t.Accent, t.Muted, t.Plain
	}
	h.Focused.Title = t.Accent.Bold(true)
	h.Blurred.Title = t.Muted
	h.Blurred.TextInput.Prompt = only(func(string) string { return t.Muted.Render(t.Glyphs.Divider) + " " }) // one field has the mark
	h.Blurred.SelectSelector = t.Resting.SetString(t.Glyphs.Cursor + " ")
	h.Blurred.MultiSelectSelector = h.Blurred.SelectSelector
	h.Group.Title, h.Group.Description = t.Heading, t.Muted
	h.FieldSeparator = t.Plain.SetString("\n\n")
	return h
}

// palette names the terminal's own colours by number: converting hex colours at
// every frame is slow where the terminal has fewer, and ignores the user's taste.
type palette struct{ accent, muted, ok, warn, fail, unknown lipgloss.Color }

// Recolour returns text that was drawn for a dark background in the colours of b. Each of the
// dark colours stands for one thing, so a screen can be drawn before its background is known.
func (b Background) Recolour(text string) string {
	if b == Dark {
		return text
	}
	from, to := paletteFor(Dark).parameters(), paletteFor(b).parameters()
	var out strings.Builder
	for {
		before, sequence, found := strings.Cut(text, "\x1b[")
		out.WriteString(before)
		if !found {
			return out.String()
		}
		out.WriteString("\x1b[")
		text = strings.TrimLeft(sequence, "0123456789;")
		numbers := sequence[:len(sequence)-len(text)]
		if !strings.HasPrefix(text, "m") || strings.Contains(numbers, "8;") { // one of 256 colours, or of more
			out.WriteString(numbers)
			continue
		}
		for i, n := range strings.Split(numbers, ";") {
			if i > 0 {
				out.WriteByte(';')
			}
			if role := slices.Index(from[:], n); role >= 0 {
				n = to[role]
			}
			out.WriteString(n)
		}
	}
}

// parameters are the numbers that set the colours in a sequence.
func (p palette) parameters() (all [6]string) {
	for i, c := range []lipgloss.Color{p.accent, p.muted, p.ok, p.warn, p.fail, p.unknown} {
		switch n, err := strconv.Atoi(string(c)); {
		case err != nil:
			all[i] = "39" // the terminal's own
		case n < 8:
			all[i] = strconv.Itoa(30 + n)
		default:
			all[i] = strconv.Itoa(82 + n)
		}
	}
	return all
}

// paletteFor returns colours that are read on common palettes; what is muted is not bright
// black, which is the background of some. A test holds the contrasts.
func paletteFor(b Background) palette {
	switch b {
	case Light:
		return palette{accent: "4", muted: "8", ok: "", warn: "5", fail: "1", unknown: "4"}
	case Unknown:
		return palette{accent: "12", muted: "", ok: "", warn: "5", fail: "9", unknown: "13"}
	}
	return palette{accent: "14", muted: "7", ok: "2", warn: "3", fail: "9", unknown: "13"}
}
