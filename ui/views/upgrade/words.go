package upgrade

import (
	"strings"

	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade"
	"geodeck/theme"
	"geodeck/ui/views"
	"geodeck/ui/views/rows"
)

// inks are the styles of the view, rendered once.
type inks struct {
	glyphs theme.Glyphs

	plain, strong, muted, accent, heading, label, selected rows.Ink
	ok, warn, fail, unknown, running, rule, key            rows.Ink
}

func newInks(t *theme.Theme) inks {
	return inks{
		glyphs: t.Glyphs,
		strong: rows.NewInk(t.Strong), muted: rows.NewInk(t.Muted), accent: rows.NewInk(t.Accent),
		heading: rows.NewInk(t.Heading), label: rows.NewInk(t.Label), selected: rows.NewInk(t.Selected),
		ok: rows.NewInk(t.OK), warn: rows.NewInk(t.Warn), fail: rows.NewInk(t.Fail),
		unknown: rows.NewInk(t.Unknown), running: rows.NewInk(t.Running), rule: rows.NewInk(t.Rule),
		key: rows.NewInk(t.Key),
	}
}

// fit returns text in exactly width cells.
func (k *inks) fit(text string, width int) string { return views.Fit(text, width, k.glyphs.Ellipsis) }

// state returns the sign of a state of an update and its colour.
func (k *inks) state(s upgrade.State) (glyph string, ink rows.Ink) {
	switch s {
	case upgrade.Applicable:
		return k.glyphs.Pass, k.ok
	case upgrade.RequiredFirst:
		return k.glyphs.Warn, k.warn
	case upgrade.NotApplicable, upgrade.InPlace:
		return k.glyphs.Skipped, k.muted
	case upgrade.Broken:
		return k.glyphs.Fail, k.fail
	}
	return k.glyphs.Unknown, k.unknown
}

// check returns the sign of a pre-flight check and its colour.
func (k *inks) check(s upgrade.CheckState) (glyph string, ink rows.Ink) {
	switch s {
	case upgrade.CheckOK:
		return k.glyphs.Pass, k.ok
	case upgrade.CheckWarning:
		return k.glyphs.Warn, k.warn
	case upgrade.CheckBlocking:
		return k.glyphs.Fail, k.fail
	case upgrade.CheckToCome:
		return k.glyphs.Skipped, k.muted
	}
	return k.glyphs.Unknown, k.unknown
}

// nameOf returns what to call something that may have no name.
func nameOf(name, id string) string {
	if name = plain.Line(name); name != "" {
		return name
	}
	if id = plain.Line(id); id != "" {
		return id
	}
	return "(no name)"
}

// sentence writes an error with a capital and a full stop.
func sentence(err error) string { return asSentence(err.Error()) }

func asSentence(text string) string {
	text = plain.Line(text)
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + strings.TrimSuffix(text[1:], ".") + "."
}
