package views_test

import (
	"strconv"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui/views"
	"geodeck/ui/views/uitest"
)

func TestAPromptShowsWhatFitsAndTabTakesTheFirst(t *testing.T) {
	names := []string{"Utilities/Geometry\x1b[31m"}
	for i := range 9 {
		names = append(names, "City_"+strconv.Itoa(i))
	}
	p := views.NewPrompt(uitest.Theme(), views.Ask{
		ID: "p", Title: "Which?", Choices: func() []string { return names },
		Then: func(s string) tea.Cmd { return views.Send(views.Copy{Text: s}) },
	})
	p.SetSize(60, 14)
	fits(t, p, 60, 14)
	uitest.Harmless(t, p.View())
	give(t, p, uitest.Text("city")...)
	if shown := p.View(); strings.Contains(shown, "Utilities") || !strings.Contains(shown, "City_5") || !strings.Contains(shown, "and 3 more") {
		t.Errorf("it shows\n%s", shown)
	}
	give(t, p, uitest.Keys("_ 4 tab")...)
	shut := uitest.Find[views.Shut](t, give(t, p, uitest.Key("enter")))
	if got := shut.Then().(views.Copy).Text; got != "City_4" {
		t.Errorf("sent %q", got)
	}
}
