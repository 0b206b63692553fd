package services

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

// askDrop asks before a broken text is given up. What was edited before it stays.
func (e *edited) askDrop() tea.Cmd {
	stays, text := "The "+e.name()+" is then as the site has it.", e.broken
	if e.editedBefore() {
		stays = "Your changes from before it stay."
	}
	then := e.m.scope.Do("discard", func(context.Context) tea.Msg { return dropped{e, text} })
	return views.Send(views.Open{Dialog: views.NewConfirm(e.m.env.Theme, views.Question{
		ID: "services.discard", Text: "Discard the broken text of the " + plain.Line(e.target.String()) + "?",
		Consequence: "Only this text is given up. " + stays + " The site is not changed.",
		Yes:         "discard the text", No: "keep it", Then: then,
	})})
}

// editedBefore tells whether there are changes beside a broken text.
func (e *edited) editedBefore() bool {
	return e.editor.Document().Text() != e.editor.Base().Text()
}

// dropped says that a broken text was given up.
type dropped struct {
	of   *edited
	text *broken
}

// apply goes back to what was edited before the text, which is kept as the draft again.
func (r dropped) apply(m *Model) tea.Cmd {
	e := r.of
	if !e.isOpen() || e.broken != r.text || e.away {
		return nil
	}
	e.broken = nil
	if e.editedBefore() {
		return tea.Batch(e.follow(), e.keep(e.editor.Document().Text()),
			views.Tell(views.Info, "The broken text is discarded. Your changes from before it are here."))
	}
	return discarded{e.target}.apply(m)
}
