package ui

import "geodeck/ui/views"

// whileTyping names the groups of keys that work where something is typed.
const whileTyping = "While typing"

// typingKeys are the keys of what takes all keys while it is open. They are told
// in help and README; the lines and dialogs themselves take them.
func typingKeys() []Group {
	const forms, filter, pages = "Forms", "The filter line", "Pages of text"
	const row = "A row of rules"
	return grouped(whileTyping, append((&palette{}).commands(), []views.Command{
		{ID: "form.next", Binding: views.Key("", "enter", "tab"), Group: forms, Help: "Goes to the next field; after the last one the form is sent."},
		{ID: "form.back", Binding: views.Key("", "shift+tab"), Group: forms, Help: "Goes to the field before."},
		{ID: "form.choose", Binding: views.Key("", "up", "down"), Group: forms, Help: "Chooses in a list."},
		{ID: "form.mark", Binding: views.Key("", " ", "x"), Group: forms, Help: "Marks or unmarks an entry of a list of which several can be chosen."},
		{ID: "form.complete", Binding: views.Key("", "ctrl+e"), Group: forms, Help: "Takes the word that is offered behind what is typed."},
		{ID: "form.leave", Binding: views.Key("", "esc"), Group: forms, Help: "Leaves the form; nothing is sent."},

		{ID: "row.next", Binding: views.Key("", "tab"), Group: row, Help: "Takes the chosen word of those offered, and goes to the next column; in a list of values it stays for one more."},
		{ID: "row.back", Binding: views.Key("", "shift+tab"), Group: row, Help: "Goes to the column before."},
		{ID: "row.choose", Binding: views.Key("", "down", "up"), Group: row, Help: "Goes through the words offered; where a column has words of its own, to the next or the one before."},
		{ID: "row.word", Binding: views.Key("", " "), Group: row, Help: "Where a column has words of its own: the next one; a letter goes to the next word that begins with it."},
		{ID: "row.complete", Binding: views.Key("", "right"), Group: row, Help: "At the end of what is typed: takes the chosen word, or else the first one offered."},
		{ID: "row.edit", Binding: views.Key("", "ctrl+u", "ctrl+w"), Group: row, Help: "Deletes what stands before the cursor; the word before it."},
		{ID: "row.take", Binding: views.Key("", "enter", "ctrl+s"), Group: row, Help: "Takes the row over, or says what is wrong with it; nothing is sent."},
		{ID: "row.leave", Binding: views.Key("", "esc"), Group: row, Help: "Gives up; asks first where something was typed."},

		{ID: "filter.keep", Binding: views.Key("", "enter"), Group: filter, Help: "Keeps the filter and goes back to the rows."},
		{ID: "filter.clear", Binding: views.Key("", "esc"), Group: filter, Help: "Drops the filter."},
		{ID: "filter.edit", Binding: views.Key("", "ctrl+u", "ctrl+w"), Group: filter, Help: "Empties the line; drops its last word."},

		{ID: "page.page", Binding: views.Key("", "pgup", "pgdown", " "), Group: pages, Help: "A page up or down, in the help too."},
		{ID: "page.end", Binding: views.Key("", "g", "G"), Group: pages, Help: "The first line, the last line."},
		{ID: "page.close", Binding: views.Key("", "esc", "enter"), Group: pages, Help: "Closes the page; in the help, esc drops the filter first."},
	}...))
}
