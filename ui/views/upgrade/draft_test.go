package upgrade_test

import (
	"strings"
	"testing"

	"geodeck/ui/views/uitest"
)

func TestAnswersAreKeptAtOnceWhenTheSettingsAreLeft(t *testing.T) {
	site, _ := counted(t, "healthy")
	s := open(t, site, 120, 35)
	s.choose(true)
	s.clear()
	for _, key := range uitest.Text("licence.json") {
		_ = s.Update(key) // the pause that would keep it never ends
	}
	uitest.Drain(t, s.Model, s.Update(uitest.Key("esc")))
	again := open(t, site, 120, 35)
	again.choose(true)
	again.press("g")
	for range 11 {
		if strings.Contains(again.line("› "), "Licence") {
			break
		}
		again.press("down")
	}
	again.shows("blocking", "your draft of 2026-11-20")
	again.press("n")
	again.shows("licence.json", "Restored from the draft")
}
