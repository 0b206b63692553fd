package upgrade

import (
	"geodeck/adminapi/upgrade"
	"geodeck/theme"
	"geodeck/ui/views/rows"
)

// inks are the styles of the view, and its signs.
type inks struct{ rows.Inks }

func newInks(t *theme.Theme) inks { return inks{rows.NewInks(t)} }

// state returns the sign of a state of an update and its colour.
func (k *inks) state(s upgrade.State) (glyph string, ink rows.Ink) {
	switch s {
	case upgrade.Applicable:
		return k.Glyphs.Pass, k.OK
	case upgrade.RequiredFirst:
		return k.Glyphs.Warn, k.Warn
	case upgrade.NotApplicable, upgrade.InPlace:
		return k.Glyphs.Skipped, k.Muted
	case upgrade.Broken:
		return k.Glyphs.Fail, k.Fail
	}
	return k.Glyphs.Unknown, k.Unknown
}

// check returns the sign of a pre-flight check and its colour.
func (k *inks) check(s upgrade.CheckState) (glyph string, ink rows.Ink) {
	switch s {
	case upgrade.CheckOK:
		return k.Glyphs.Pass, k.OK
	case upgrade.CheckWarning:
		return k.Glyphs.Warn, k.Warn
	case upgrade.CheckBlocking:
		return k.Glyphs.Fail, k.Fail
	case upgrade.CheckToCome:
		return k.Glyphs.Skipped, k.Muted
	}
	return k.Glyphs.Unknown, k.Unknown
}
