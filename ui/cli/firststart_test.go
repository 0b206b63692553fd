package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi/simulator"
	"geodeck/ui/uitest/clitest"
	"geodeck/ui/uitest/terminal"
)

// What a new user types at the first screen and at the sign-in arrives as it is typed, by hand, by
// a fast keyboard and as a paste; and it leads to the site.
func TestTheFirstStartTakesEachLineAsItIsTyped(t *testing.T) {
	t.Parallel()
	for way, pause := range map[string]time.Duration{"10 a second": 100 * time.Millisecond, "200 a second": 5 * time.Millisecond, "pasted": 0} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			site := clitest.NewSite(t, simulator.Options{})
			user := site.Users()[0]
			config := filepath.Join(t.TempDir(), "config.yaml")
			screen := clitest.OpenTerminal(t, 100, []string{"GEODECK_CONFIG=" + config})
			line := func(text string) {
				t.Helper()
				if pause == 0 {
					screen.Press("\x1b[200~" + text + "\x1b[201~")
				} else {
					typeAt(screen, text, pause)
				}
			}
			screen.Shows("Type its address, or choose.")
			address := site.URL()
			line(address)
			screen.Shows("> "+address, "A platform")
			screen.Press("\r")
			line("lab/quick")
			screen.Shows("> lab/quick")
			screen.Press("\x15")
			line("quick-lab")
			screen.Shows("> quick-lab")
			screen.Press("\r\r")
			screen.Shows("Sign in to", "How")
			line(user.Username)
			screen.Shows("> " + user.Username)
			screen.Press("\r")
			line(user.Password)
			screen.Shows(strings.Repeat("*", len(user.Password)))
			screen.Press("\r")
			screen.Shows("quick-lab · 127.0.0.1", user.Username)
			kept, err := os.ReadFile(config)
			if err != nil || !strings.Contains(string(kept), address) {
				t.Errorf("config.yaml: %v\n%s", err, kept)
			}
		})
	}
}

// typeAt types a text with a pause between its characters: the speed is what is tested.
func typeAt(screen *terminal.Terminal, text string, pause time.Duration) {
	next := time.NewTicker(pause)
	defer next.Stop()
	for _, r := range text {
		<-next.C
		screen.Press(string(r))
	}
}

// A host that never answers is not added before the user says so.
func TestTheFirstStartKeepsNoAddressThatNeverAnswered(t *testing.T) {
	t.Parallel()
	config := filepath.Join(t.TempDir(), "config.yaml")
	screen := clitest.OpenTerminal(t, 100, []string{"GEODECK_CONFIG=" + config})
	screen.Shows("Type its address, or choose.")
	screen.Press("http://127.0.0.1:1/arcgis/admin")
	screen.Shows("> http://127.0.0.1:1/arcgis/admin")
	screen.Press("\r")
	screen.Shows("> empty: taken from the address")
	screen.Press("lab\r")
	screen.Press("\r")
	screen.Shows("Not added.", "> http://127.0.0.1:1/arcgis/admin", "yes: add it")
	if _, err := os.Stat(config); err == nil {
		t.Error("config.yaml is written")
	}
}
