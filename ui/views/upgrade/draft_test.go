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
	again.Press("g")
	for range 11 {
		if strings.Contains(again.Line("› "), "Licence") {
			break
		}
		again.Press("down")
	}
	again.Shows("blocking", "your draft of 2026-11-20")
	again.Press("n")
	again.Shows("licence.json", "Restored from the draft")
}
