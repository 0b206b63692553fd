package ui_test

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/simulator"
	"geodeck/theme"
	"geodeck/ui"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
	"geodeck/ui/widget"
)

func TestATerminalBelowTheMinimumIsToldSoInOneLine(t *testing.T) {
	ascii := theme.New(theme.Options{Renderer: uitest.Theme().Options().Renderer, ASCII: true})
	for _, c := range []struct {
		width, height int
		theme         *theme.Theme
		want          string
	}{
		{40, 10, uitest.Theme(), "too small, needs 60x15; ctrl+c quits"},
		{40, 10, ascii, "too small, needs 60x15; ctrl+c quits"},
		{20, 5, uitest.Theme(), "too small, needs 60…"},
		{20, 5, ascii, "too small, needs 60~"},
		{59, 40, uitest.Theme(), "too small, needs 60x15; ctrl+c quits"},
		{200, 14, uitest.Theme(), "too small, needs 60x15; ctrl+c quits"},
	} {
		_, maker := fake("alpha", "Alpha")
		d := start(t, ui.Options{Theme: c.theme}, c.width, c.height, maker)
		screen := d.model.View()
		uitest.Fits(t, screen, c.width, c.height)
		line, rest, _ := strings.Cut(screen, "\n")
		if strings.TrimRight(line, " ") != c.want || strings.TrimSpace(rest) != "" {
			t.Errorf("%dx%d: the screen is\n%q", c.width, c.height, screen)
		}
	}
}

func TestWhatWasTypedIsThereAgainAfterATerminalThatWasTooSmall(t *testing.T) {
	typing := map[string]func(d *driver){
		"nothing":     func(*driver) {},
		"the palette": func(d *driver) { d.keys(":"); d.text("open alpha my fi") },
		"a sign-in": func(d *driver) {
			d.send(views.SignIn{Reason: "The sign-in has ended."})
			d.see("user and password")
			d.keys("enter")
			d.see("Password")
			d.text("jdoe")
		},
		"a confirmation": func(d *driver) {
			d.send(views.Open{Dialog: widget.NewConfirm(uitest.Theme(), widget.Question{ID: "q", Text: "Sure?", Yes: "do it", Word: "none"})})
			d.keys("n o")
		},
	}
	for name, typed := range typing {
		t.Run(name, func(t *testing.T) {
			_, maker := fake("alpha", "Alpha")
			o := ui.Options{Site: signedInSite(t, simulator.Scenario{Name: "small"})}
			o.Clock = o.Site.Clock
			d := start(t, o, 80, 24, maker)
			d.see("admin") // signed in: the header is complete
			typed(d)
			before := d.model.View()
			for _, size := range [][2]int{{40, 10}, {20, 5}, {1, 1}} {
				d.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
				d.keys("x y enter") // on a screen that nobody sees
				uitest.Fits(t, d.model.View(), size[0], size[1])
				if screen := d.model.View(); size[0] > 1 && !strings.HasPrefix(screen, "too small") {
					t.Errorf("%v: the screen is\n%s", size, screen)
				}
			}
			d.send(tea.WindowSizeMsg{Width: 80, Height: 24})
			if after := d.model.View(); after != before {
				t.Errorf("before\n%s\nand after\n%s", before, after)
			}
		})
	}
}
