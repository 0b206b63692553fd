package theme

import "github.com/charmbracelet/huh"

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
