package diff

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui/views"
	"geodeck/ui/views/rows"
)

const reviewGroup = "Review"

var (
	cmdOpen = views.Command{ID: "diff.open", Binding: views.Key("open", "enter"), Name: "open or confirm", Group: reviewGroup,
		Help: "Open or fold a long value; on a key that would be lost, type its name to confirm it, or take that back."}
	cmdNext = views.Command{ID: "diff.next-key", Binding: views.Key("next to confirm", "c"), Name: "next key to confirm", Group: reviewGroup,
		Help: "Go to the next key that would be lost and is not confirmed."}
	cmdCopy = views.Command{ID: "diff.copy", Binding: views.Key("copy", "y"), Name: "copy the review", Group: reviewGroup,
		Help: "Copy the whole review as text."}
)

// Table lists everything that can be done here, for help and README.
func Table() []views.Command {
	return slices.Concat([]views.Command{cmdOpen, cmdNext, cmdCopy}, rows.Moves(), rows.Filters(), rows.Searches(), rows.Folds())
}

// Commands lists what can be done right now, the most wanted first.
func (r *Review) Commands() []views.Command {
	if r.tree.Len() == 0 {
		return nil
	}
	var all []views.Command
	if open, ok := r.openCommand(); ok {
		all = append(all, open)
	}
	if r.Open() > 0 {
		all = append(all, cmdNext)
	}
	return slices.Concat(all, []views.Command{cmdCopy}, rows.Moves(), rows.Filters(), rows.Searches(), rows.Folds())
}

// openCommand is what enter does on the row under the cursor.
func (r *Review) openCommand() (views.Command, bool) {
	open := cmdOpen
	i, ok := r.list.Selected()
	switch {
	case !ok:
		return open, false
	case r.tree.items[i].key.part == keyRow && r.confirmed[r.tree.items[i].key.lost()]:
		open = open.Hinted("take back")
	case r.tree.items[i].key.part == keyRow:
		open = open.Hinted("confirm")
	case r.list.Leaf():
		return open, false
	case !r.list.Folded():
		open = open.Hinted("fold")
	}
	return open, true
}

// Do runs a command by its id and tells whether it is one of the review's.
func (r *Review) Do(id, argument string) (cmd tea.Cmd, known bool) {
	switch id {
	case cmdOpen.ID:
		r.open()
	case cmdNext.ID:
		r.goToNext()
	case cmdCopy.ID:
		return r.copy(), true
	case rows.Search:
		if argument = strings.TrimSpace(argument); argument != "" {
			r.list.SetFilter(argument)
			return nil, true
		}
		r.list.Do(id)
	case rows.Find:
		if argument = strings.TrimSpace(argument); argument != "" {
			r.list.SetSearch(argument)
			return nil, true
		}
		r.list.Do(id)
	default:
		return nil, r.list.Do(id)
	}
	return nil, true
}

// open confirms a lost key, and folds or unfolds anything else.
func (r *Review) open() {
	i, ok := r.list.Selected()
	if !ok {
		return
	}
	if row := &r.tree.items[i]; row.key.part == keyRow {
		r.ask(row)
		return
	}
	r.list.Do(rows.Toggle)
}

// CapturesText tells whether typed keys are text at present.
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
