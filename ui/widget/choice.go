package widget

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/huh"

	"geodeck/theme"
	"geodeck/ui/views"
)

// NewChoice returns a list of choices for a [Form]: the number of the chosen one is in at.
// It keeps that one on the screen, also where choices take several lines.
func NewChoice(title string, choices []string, at *int) huh.Field {
	options := make([]huh.Option[int], len(choices))
	for i, text := range choices {
		options[i] = huh.NewOption(text, i)
	}
	return &choice{huh.NewSelect[int]().Title(title).Options(options...).Value(at)}
}

// Choose opens a form that is one list of choices; chosen is the number of the one under the cursor at first.
// then gets that of the one that was taken. Build and Submit of the options are those of the list.
func Choose(t *theme.Theme, o FormOptions, title string, choices []string, chosen int, then func(int) tea.Cmd) tea.Cmd {
	return views.Show(NewList(t, o, title, choices, chosen, then))
}

// NewList returns the form of [Choose].
func NewList(t *theme.Theme, o FormOptions, title string, choices []string, chosen int, then func(int) tea.Cmd) *Form {
	o.Submit, o.list = func() tea.Cmd { return then(chosen) }, true
	f := NewForm(t, o)
	f.options.Build = func() *huh.Form {
		lines := make([]string, len(choices))
		for i, text := range choices { // by us: huh breaks days and options as well
			lines[i] = strings.Join(views.Wrap(text, min(f.width, maxForm)-choiceMargin), "\n")
		}
		return huh.NewForm(huh.NewGroup(NewChoice(title, lines, &chosen)))
	}
	return f
}

// choiceMargin are the cells before and behind a choice.
const choiceMargin = 6

type choice struct{ *huh.Select[int] }

// Update scrolls back to what is chosen: with every message the list begins at the line
// of that number, as if each choice had one line, and only a key corrects that.
func (c *choice) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	_, cmd := c.Select.Update(msg)
	if _, key := msg.(tea.KeyMsg); !key && c.Error() == nil {
		_, _ = c.Select.Update(tea.KeyMsg{Type: tea.KeyNull})
	}
	return c, cmd
}
