package diff

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui/widget"
)

func (k *rowKey) lost() lostKey { return lostKey{k.service, k.path} }

// ask starts typing the name of a lost key, or takes a confirmation back.
func (r *Review) ask(row *item) {
	r.revision++
	if r.confirmed[row.key.lost()] {
		delete(r.confirmed, row.key.lost())
		return
	}
	key := row.key
	r.asking, r.problem = &key, ""
	r.input.Reset()
	r.input.Width = max(8, r.width/4)
}

func (r *Review) stopAsking() { r.asking, r.problem = nil, "" }

// typeName takes a key of the name.
func (r *Review) typeName(msg tea.Msg) tea.Cmd {
	r.revision++
	key, ok := msg.(tea.KeyMsg)
	if ok {
		msg = widget.Pasted(key)
	}
	switch {
	case ok && key.String() == "esc":
		r.stopAsking()
		return nil
	case ok && key.String() == "enter":
		r.answer(strings.TrimSpace(r.input.Value()))
		return nil
	case ok:
		r.problem = ""
	}
	var cmd tea.Cmd
	r.input, cmd = r.input.Update(msg)
	return cmd
}

// answer confirms where the name is right, and goes on to the next key.
func (r *Review) answer(name string) {
	right := r.asking.path.Name()
	if name != right && name != r.asking.path.String() {
		r.problem = "That is not its name, which is " + right + "."
		if name == "" {
			r.problem = "Type its name, " + right + ", or leave with esc."
		}
		return
	}
	r.confirmed[r.asking.lost()] = true
	r.stopAsking()
	r.goToNext()
}

// goToNext moves the cursor to the next key that waits, below it or from the top on.
func (r *Review) goToNext() tea.Cmd {
	from, _ := r.list.Selected()
	n := r.tree.Len()
	for step := range n {
		row := &r.tree.items[(from+step)%n]
		if row.key.part == keyRow && !r.confirmed[row.key.lost()] {
			r.list.Select(row.key)
			break
		}
	}
	return nil
}
