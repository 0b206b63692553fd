package views_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/huh"

	"geodeck/ui/views"
	"geodeck/ui/views/uitest"
)

func TestTheCursorOfALongListOfChoicesStaysOnALowScreen(t *testing.T) {
	chosen := 0
	f := views.NewForm(uitest.Theme(), views.FormOptions{
		ID: "f", Title: "Preset", Note: "Replaces what is there by now, for the part that the cursor is on; nothing is sent.",
		Build: func() *huh.Form {
			var options []huh.Option[int]
			for i := range 7 {
				options = append(options, huh.NewOption(fmt.Sprintf("choice %d:%s", i, strings.Repeat(" and more words", 1+i*3%8)), i))
			}
			return huh.NewForm(huh.NewGroup(views.Choice(huh.NewSelect[int]().Title("Which").Options(options...).Value(&chosen))))
		},
	})
	f.SetSize(56, 9)
	uitest.Drain(t, f, f.Init())
	for _, key := range strings.Fields("down down down down down down down up up up up g up up up") {
		give(t, f, uitest.Key(key))
		fits(t, f, 56, 9)
		if !strings.Contains(f.View(), fmt.Sprintf("› choice %d", chosen)) {
			t.Fatalf("choice %d is not on the screen after %s:\n%s", chosen, key, f.View())
		}
	}
	f.SetSize(56, 30)
	f.SetSize(56, 9)
	give(t, f, uitest.Key("down"), uitest.Key("down"))
	if !strings.Contains(f.View(), fmt.Sprintf("› choice %d", chosen)) {
		t.Errorf("choice %d is not on the screen:\n%s", chosen, f.View())
	}
}
