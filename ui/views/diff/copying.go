package diff

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui/views"
)

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
