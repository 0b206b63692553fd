// Package theme holds every style, glyph and colour of the program. Nothing
// outside it makes a lipgloss style, so the look changes in one place.
//
// Start at [Theme]: names say what a thing means, not how it looks. Colours are
// the terminal's own sixteen, so that the user's palette applies; a state is
// always a glyph and a word as well, never colour alone.
package theme

import (
	"github.com/charmbracelet/huh"
	"github.com/charmbracelet/lipgloss"
)

// Options say what the terminal can show.
type Options struct {
	// Renderer decides the colours that are written; nil means lipgloss's own.
	Renderer *lipgloss.Renderer
	// Light is for terminals with a light background.
	Light bool
	// ASCII draws every glyph with ASCII characters.
	ASCII bool
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
	Cursor     lipgloss.Style // the marker of the selected row
	Selected   lipgloss.Style // the short span of colour beside the marker
	Match      lipgloss.Style // what a filter or search found
	Production lipgloss.Style // the banner of a production site
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
	t := &Theme{Glyphs: unicodeGlyphs, options: o}
	if o.ASCII {
		t.Glyphs = asciiGlyphs
	}
	plain, p := o.Renderer.NewStyle(), paletteFor(o.Light)
	in := func(c lipgloss.Color) lipgloss.Style { return plain.Foreground(c) }
	t.Plain = plain
	t.Strong = plain.Bold(true)
	t.Muted = in(p.muted)
	t.Accent = in(p.accent)
	t.Brand = in(p.accent).Bold(true)
	t.JSONKey = in(p.accent)
	t.JSONString = in(p.ok)
	t.JSONNumber = in(p.warn)
	t.JSONWord = in(p.unknown)

	t.OK = in(p.ok)
	t.Warn = in(p.warn)
	t.Fail = in(p.fail)
	t.Unknown = in(p.unknown)
	t.Running = in(p.accent)

	t.Key = in(p.accent)
	t.Label = in(p.muted)
	t.Heading = plain.Bold(true)
	t.TabOn = in(p.accent).Bold(true).Underline(true)
	t.TabOff = in(p.muted)
	t.Rule = in(p.muted)
	t.Cursor = in(p.accent).Bold(true)
	t.Selected = in(p.accent).Bold(true)
	t.Match = in(p.warn).Underline(true)
	t.Production = in(p.fail).Bold(true).Reverse(true).Padding(0, 1)
	t.Demo = in(p.warn).Bold(true)
	return t
}

// Options returns what the theme was made from.
func (t *Theme) Options() Options { return t.options }

// Huh returns the look of forms.
func (t *Theme) Huh() *huh.Theme {
	h := huh.ThemeBase()
	for _, f := range []*huh.FieldStyles{&h.Focused, &h.Blurred} {
		f.Base = t.Plain.PaddingLeft(2)
		f.Card = f.Base
		f.Title, f.NoteTitle = t.Strong, t.Strong
		f.Description = t.Muted
		f.ErrorIndicator, f.ErrorMessage = t.Fail.SetString(" "+t.Glyphs.Fail), t.Fail
		f.SelectSelector = t.Cursor.SetString(t.Glyphs.Cursor + " ")
		f.MultiSelectSelector = t.Cursor.SetString(t.Glyphs.Cursor + " ")
		f.SelectedPrefix, f.UnselectedPrefix = t.OK.SetString("[x] "), t.Muted.SetString("[ ] ")
		f.SelectedOption, f.UnselectedOption, f.Option = t.Plain, t.Plain, t.Plain
		f.NextIndicator, f.PrevIndicator = t.Muted, t.Muted
		f.FocusedButton, f.BlurredButton = t.Accent.Bold(true).Reverse(true).Padding(0, 2), t.Muted.Padding(0, 2)
		f.TextInput.Cursor, f.TextInput.CursorText = t.Accent, t.Plain
		f.TextInput.Prompt, f.TextInput.Placeholder, f.TextInput.Text = t.Accent, t.Muted, t.Plain
	}
	h.Focused.Title = t.Accent.Bold(true)
	h.Blurred.Title = t.Muted
	h.Group.Title, h.Group.Description = t.Heading, t.Muted
	h.FieldSeparator = t.Plain.SetString("\n\n")
	return h
}

// palette names the terminal's own colours by number: converting hex colours at
// every frame is slow where the terminal has fewer, and ignores the user's taste.
type palette struct{ accent, muted, ok, warn, fail, unknown lipgloss.Color }

func paletteFor(light bool) palette {
	if light {
		return palette{accent: "4", muted: "8", ok: "2", warn: "3", fail: "1", unknown: "5"}
	}
	return palette{accent: "14", muted: "8", ok: "10", warn: "11", fail: "9", unknown: "13"}
}
