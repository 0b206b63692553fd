package widget_test

import (
	"strings"
	"testing"

	"github.com/charmbracelet/huh"

	"geodeck/theme"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
	"geodeck/ui/widget"
)

// stands fails unless one place of a dialog has the cursor of the terminal, behind one text
// and before another.
func stands(t *testing.T, d views.Dialog, before, behind string) {
	t.Helper()
	if n := strings.Count(d.View(), theme.CursorMark); n != 1 {
		t.Errorf("%d places have the cursor:\n%s", n, d.View())
	}
	if b, a := uitest.Focus(d.View()); !strings.HasSuffix(b, before) || !strings.HasPrefix(a, behind) {
		t.Errorf("the cursor stands between %q and %q, not between %q and %q", b, a, before, behind)
	}
}

func TestTheCursorStandsInTheFieldOfAForm(t *testing.T) {
	t.Parallel()
	for _, th := range []*theme.Theme{uitest.Theme(), uitest.ColorTheme()} {
		name, text, one, some := "Ann", "a\nbc", "y", []string{"x"}
		f := widget.NewForm(th, widget.FormOptions{ID: "f", Title: "Form", Build: func() *huh.Form {
			return huh.NewForm(huh.NewGroup(
				huh.NewInput().Title("Name").Value(&name),
				huh.NewInput().Title("Secret").EchoMode(huh.EchoModePassword).Value(new(string)),
				huh.NewSelect[string]().Title("One").Options(huh.NewOptions("x", "y", "z")...).Value(&one),
				huh.NewMultiSelect[string]().Title("Some").Options(huh.NewOptions("x", "y")...).Value(&some),
				huh.NewText().Title("Text").Lines(3).ExternalEditor(false).Value(&text)))
		}})
		f.SetSize(60, 40)
		uitest.Drain(t, f, f.Init())
		stands(t, f, "Ann", " ")
		give(t, f, uitest.Keys("left")...)
		stands(t, f, "An", "n")
		give(t, f, uitest.Keys("enter p w")...)
		stands(t, f, "**", " ")
		give(t, f, uitest.Key("enter"))
		stands(t, f, "› ", "y")
		give(t, f, uitest.Key("down"))
		stands(t, f, "› ", "z")
		give(t, f, uitest.Key("/"))
		stands(t, f, "/", " ")
		give(t, f, uitest.Keys("esc enter down")...)
		stands(t, f, "› ", "[ ] y")
		give(t, f, uitest.Key("enter"))
		stands(t, f, "bc", "")
		f.Wait("sending")
		if strings.Contains(f.View(), theme.CursorMark) {
			t.Error("a form that waits has the cursor")
		}
	}
}

func TestTheCursorStandsInTheLineOfAPrompt(t *testing.T) {
	t.Parallel()
	p := widget.NewPrompt(uitest.Theme(), widget.PromptOptions{ID: "p", Title: "Write to", Value: strings.Repeat("long/", 40) + "end"})
	p.SetSize(60, 10)
	stands(t, p, "long/end", " ")
	give(t, p, uitest.Key("home"))
	stands(t, p, "› ", "long/")
}

func TestTheCursorStandsWhereAQuestionIsAnswered(t *testing.T) {
	t.Parallel()
	stands(t, confirm(), "", "y do it")
	c := widget.NewConfirm(uitest.Theme(), widget.Question{ID: "q", Text: "Sure?", Yes: "send", Word: "none"})
	c.SetSize(40, 10)
	give(t, c, uitest.Keys("n o")...)
	stands(t, c, "send: no", " ")
	give(t, c, uitest.Text(strings.Repeat("x", 60))...)
	stands(t, c, "xxx", " ")
}

func TestTheCursorStandsWhereAPageBegins(t *testing.T) {
	t.Parallel()
	m := widget.NewMessage(uitest.Theme(), "m", "Error", strings.Repeat("line\n", 30)+"end")
	m.SetSize(40, 8)
	stands(t, m, "", "line")
	give(t, m, uitest.Key("end"))
	stands(t, m, "", "line")
}
