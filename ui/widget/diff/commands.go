package diff

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui/views"
)

const reviewGroup = "Review"

// Commands lists every row of the review, the most wanted first.
func (r *Review) Commands() []views.Command {
	return views.When(func() bool { return r.tree.Len() > 0 }, slices.Concat([]views.Command{
		{ID: "diff.open", Binding: views.Key(r.openHint(), "enter"), Name: "open or confirm", Group: reviewGroup, Enabled: r.opens, Run: views.Do(r.open),
			Help: "Open or fold a long value; on a key that would be lost, type its name to confirm it, or take that back."},
		{ID: "diff.next-key", Binding: views.Key("next to confirm", "c"), Name: "next key to confirm", Group: reviewGroup,
			Enabled: func() bool { return r.Open() > 0 }, Run: views.Do(r.goToNext),
			Help: "Go to the next key that would be lost and is not confirmed."},
		{ID: "diff.copy", Binding: views.Key("copy", "y"), Name: "copy the review", Group: reviewGroup, Run: views.Do(r.copy),
			Help: "Copy the whole review as text."},
	}, r.list.Moves(), r.list.Filters(), r.list.Searches(), r.list.Folds()))
}

// opens reports whether enter does something on the row under the cursor.
func (r *Review) opens() bool {
	i, ok := r.list.Selected()
	return ok && (r.tree.items[i].key.part == keyRow || !r.list.Leaf())
}

// openHint says what enter does on the row under the cursor.
func (r *Review) openHint() string {
	i, ok := r.list.Selected()
	switch {
	case ok && r.tree.items[i].key.part == keyRow && r.confirmed[r.tree.items[i].key.lost()]:
		return "take back"
	case ok && r.tree.items[i].key.part == keyRow:
		return "confirm"
	case ok && !r.list.Leaf() && !r.list.Folded():
		return "fold"
	}
	return "open"
}

// open confirms a lost key, and folds or unfolds anything else.
func (r *Review) open() tea.Cmd {
	if i, ok := r.list.Selected(); ok && r.tree.items[i].key.part == keyRow {
		r.ask(&r.tree.items[i])
		return nil
	}
	r.list.Toggle()
	return nil
}

// CapturesText reports whether typed keys are text at present.
func (r *Review) CapturesText() bool { return r.asking != nil || r.list.Typing() }

// Update takes keys while CapturesText.
func (r *Review) Update(msg tea.Msg) tea.Cmd {
	if r.asking != nil {
		return r.typeName(msg)
	}
	if key, ok := msg.(tea.KeyMsg); ok && r.list.Typing() {
		r.list.Type(key)
	}
	return nil
}

// copy puts the whole review on the clipboard.
func (r *Review) copy() tea.Cmd {
	return views.Send(views.Copy{Text: r.text(), What: "review"})
}

// text is the review in plain words.
func (r *Review) text() string {
	texts := make([]string, len(r.plans))
	for i, plan := range r.plans {
		texts[i] = plan.Text(r.confirmedIn(plan))
	}
	return strings.Join(texts, "\n")
}
