package ui_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi/simulator"
	"geodeck/ui"
	"geodeck/ui/paint"
	"geodeck/ui/uitest"
)

// wholeProgram is what a cursor key costs with all that is around a view.
var wholeProgram = uitest.Cost{Allocs: 120, Bytes: 48 << 10}

// cursorScreens are the screens on which a cursor key costs little.
var cursorScreens = []struct {
	screen   string
	scenario string
	keys     []string // lead to the screen; each is followed by rest
}{
	{"reports", "", nil},
	{"tree of a report", "", []string{"enter"}},
	{"versions", "", []string{"view.upgrade"}},
	{"installed versions", "", []string{"view.upgrade", "upgrade.next-list"}},
	{"services", "", []string{"view.services"}},
	{"3,000 services", "many-services", []string{"view.services"}},
	{"definition", "", []string{"view.services", "down", "down", "enter"}},
	{"placement", "", []string{"view.services", "down", "down", "enter", "tab"}},
	{"status", "", []string{"view.services", "down", "down", "enter", "tab", "tab", "tab"}},
	{"jobs", "", []string{"view.activity"}},
	{"help", "", []string{"help", "down", "down"}},
	{"pre-flight", "", []string{"view.upgrade", "upgrade.enter"}},
}

// cursorOn opens one of these screens.
func cursorOn(t *testing.T, name string, keys []string) *driver {
	t.Helper()
	scenario := simulator.Scenario{Name: "frame"}
	if name != "" {
		scenario = uitest.Scenario(t, name)
	}
	site := signedInSite(t, scenario)
	d := start(t, ui.Options{Site: site, Clock: site.Clock, Theme: uitest.ColorTheme()}, 120, 40, ui.Makers()...)
	d.idle()
	for _, key := range keys {
		d.keys(key)
		d.idle()
	}
	return d
}

func TestACursorKeyAllocatesLittle(t *testing.T) {
	for _, c := range cursorScreens {
		t.Run(c.screen, func(t *testing.T) {
			d := cursorOn(t, c.scenario, c.keys)
			wholeProgram.Holds(t, func(key string) {
				_, _ = d.model.Update(uitest.Key(key))
				_ = d.model.View()
			}, "down", "up")
		})
	}
}

// What a move of the cursor writes at most, and of it the words that a screen reader speaks.
const maxMove, maxSpoken = 200, 12

func TestACursorKeyWritesLittle(t *testing.T) {
	t.Parallel()
	for _, c := range cursorScreens {
		if c.screen == "status" { // a text that scrolls has no selected row
			continue
		}
		t.Run(c.screen, func(t *testing.T) {
			t.Parallel()
			d := cursorOn(t, c.scenario, c.keys)
			for range 4 {
				before := d.model.View()
				_, _ = d.model.Update(uitest.Key("down"))
				after := d.model.View()
				sent := written(t, before, after)
				words := len(strings.Fields(ansi.Strip(cursorPlaces.ReplaceAllString(sent, " "))))
				t.Logf("%d bytes, %d words", len(sent), words)
				if len(sent) > maxMove || words > maxSpoken {
					t.Errorf("a move writes %d bytes, %d words: %q", len(sent), words, sent)
				}
			}
		})
	}
}

// written returns what turns one screen into the next.
func written(t *testing.T, before, after string) string {
	t.Helper()
	file, err := os.Create(t.TempDir() + "/terminal")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	terminal := paint.NewTerminal(file, func(string) string { return "" })
	_, _ = terminal.WriteString(ansi.SetModeAltScreenSaveCursor)
	size := int64(0)
	for _, screen := range []string{before, after} {
		end, _ := file.Seek(0, 1)
		size = end
		p := paint.NewPainter(terminal, func(value any) { panic(value) })
		p.Show(screen, 120, 40)
		p.AwaitFirst()
		p.Close()
	}
	sent, err := os.ReadFile(file.Name())
	if err != nil {
		t.Fatal(err)
	}
	return string(sent[size:])
}

// cursorPlaces move the cursor of the terminal: what is written there is spoken by itself.
var cursorPlaces = regexp.MustCompile(`\x1b\[[0-9;]*[HC]`)
