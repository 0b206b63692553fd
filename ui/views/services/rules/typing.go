package rules

import (
	"geodeck/ui/views"
	"geodeck/ui/views/rows"
)

// typed is a key of what is typed at present, for the footer.
func typed(id, hint string, keys ...string) views.Command {
	return views.Command{ID: id, Binding: views.Key(hint, keys...)}
}

// typingCommands are the keys while typed keys are text: they are named and never run
// by their id.
func (b *Builder) typingCommands() []views.Command {
	e := b.entry
	switch {
	case e == nil:
		return []views.Command{typed(rows.Search, "keep", "enter"), typed(rows.Search, "clear", "esc")}
	case e.leaving:
		return []views.Command{typed(cmdEdit.ID, "drop it", "y"), typed(cmdEdit.ID, "go on typing", "n")}
	}
	all := []views.Command{typed(cmdEdit.ID, "take over", "enter"), typed(cmdEdit.ID, "give up", "esc")}
	if len(e.fields) > 1 {
		all = append(all, typed(cmdEdit.ID, "next field", "tab"))
	}
	switch {
	case e.field().words != nil:
		all = append(all, typed(cmdEdit.ID, "choose", "up", "down"))
	case len(e.offers.words) > 0:
		all = append(all, typed(cmdEdit.ID, "choose", "up", "down"), typed(cmdEdit.ID, "complete", "right"))
	}
	return all
}
