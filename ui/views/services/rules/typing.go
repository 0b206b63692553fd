package rules

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui/views"
	"geodeck/ui/views/rows"
)

// typingRows name the keys while typed keys are text, for the footer: they come as
// keys and are never run by their id.
func (b *Builder) typingRows() []views.Command {
	key := func(id, hint string, keys ...string) views.Command {
		return views.Command{ID: id, Binding: views.Key(hint, keys...), Enabled: b.CapturesText, Run: func(string) tea.Cmd { return nil }}
	}
	const edit = "rules.edit"
	e := b.entry
	switch {
	case !b.CapturesText():
		return nil
	case e == nil:
		return []views.Command{key(rows.Search, "keep", "enter"), key(rows.Search, "clear", "esc")}
	case e.leaving:
		return []views.Command{key(edit, "drop it", "y"), key(edit, "go on typing", "n")}
	}
	all := []views.Command{key(edit, "take over", "enter"), key(edit, "give up", "esc")}
	if len(e.fields) > 1 {
		all = append(all, key(edit, "next field", "tab"))
	}
	switch {
	case e.field().words != nil:
		all = append(all, key(edit, "choose", "up", "down"))
	case len(e.offers.words) > 0:
		all = slices.Concat(all, []views.Command{key(edit, "choose", "up", "down"), key(edit, "complete", "right")})
	}
	return all
}
