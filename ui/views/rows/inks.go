package rows

import (
	"geodeck/theme"
	"geodeck/ui/views"
)

// Inks are the styles of a theme that views draw with, rendered once.
type Inks struct {
	Glyphs theme.Glyphs

	Plain, Strong, Muted, Accent, Heading, Label, Selected Ink
	OK, Warn, Fail, Unknown, Running, Rule, Key, Match     Ink

	JSONKey, JSONString, JSONNumber, JSONWord Ink
}

// NewInks renders them.
func NewInks(t *theme.Theme) Inks {
	return Inks{
		Glyphs: t.Glyphs,
		Strong: NewInk(t.Strong), Muted: NewInk(t.Muted), Accent: NewInk(t.Accent),
		Heading: NewInk(t.Heading), Label: NewInk(t.Label), Selected: NewInk(t.Selected),
		OK: NewInk(t.OK), Warn: NewInk(t.Warn), Fail: NewInk(t.Fail),
		Unknown: NewInk(t.Unknown), Running: NewInk(t.Running), Rule: NewInk(t.Rule),
		Key: NewInk(t.Key), Match: NewInk(t.Match),
		JSONKey: NewInk(t.JSONKey), JSONString: NewInk(t.JSONString),
		JSONNumber: NewInk(t.JSONNumber), JSONWord: NewInk(t.JSONWord),
	}
}

// Fit returns text in exactly width cells.
func (k *Inks) Fit(text string, width int) string { return views.Fit(text, width, k.Glyphs.Ellipsis) }
