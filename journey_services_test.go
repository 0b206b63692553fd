package main

import (
	"bytes"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui/uitest"
)

// toTheCities filters the list of the services down to the sample service, and opens it.
func (j *journey) toTheCities() *journey {
	j.t.Helper()
	j.sees("1 of 12").presses("3").sees("SampleWorldCities").presses("/").types("world").presses("enter").sees("/world")
	return j.presses("enter")
}

// never fails where a text was shown since the last keys.
func (j *journey) never(text string) *journey {
	j.t.Helper()
	j.screen()
	j.film.Until("", func(shown []byte) bool {
		if bytes.Contains(shown, []byte(text)) {
			j.t.Errorf("%q was shown:\n%s", text, shown)
		}
		return true
	})
	return j
}

func TestJourneyTypingAfterASearchStopsNoService(t *testing.T) {
	parallel(t)
	j := setOut(t, "healthy", 80, 24).toTheCities().sees("serviceName")
	j.presses("/").types("capab").presses("enter").seesAtRest("capab").presses("esc").seesAtRest("serviceName")
	j.types("stop").presses("esc").seesAtRest("1 of 40").never("Stop ")
	j.types("stop").seesAtRest("by name").never("Stop ")
	j.presses("esc").leaves("/world").presses("S").sees("Stop SampleWorldCities")
	j.pause()
	j.types("yes").presses("enter").sees("Only the word").presses("esc").leaves("Stop ")
	if screen := j.ends(); !strings.Contains(screen, "› SampleWorldCities              MapServer       3 of 3  ✓ started") {
		t.Errorf("the screen is\n%s", screen)
	}
}

func TestJourneyAServiceThatIsDownAfterAWriteIsNotGreen(t *testing.T) {
	parallel(t)
	j := setOut(t, "edit-slow", 80, 24)
	j.toTheReview().presses("w").sees("is saved in History first").presses("y").sees("does not answer yet: stopped, should run")
	j.seesAtRest("● The site has the new definition").never("✓ started")
	j.presses("esc").sees("● restarting since")
	j.presses("esc esc").sees("✓ started")
	j.ends()
}

func TestJourneyTypedTextSurvivesAKilledTerminal(t *testing.T) {
	parallel(t)
	j := setOut(t, "healthy", 80, 24).toTheCities().sees("serviceName")
	j.presses("i").send([]tea.KeyMsg{uitest.Paste("half a sentence")}).sees("text, draft saved")
	j.program.Kill()
	j.opens().sees("Unfinished work").presses("esc").toTheCities().sees("It has text you were typing")
	j.pause()
	j.presses("enter").seesAtRest("half a sentence")
	j.ends()
}

// What was begun is listed by the next start, which leads there; where nothing was, nothing is shown.
func TestJourneyUnfinishedWorkIsListedAtTheStart(t *testing.T) {
	parallel(t)
	j := setOut(t, "healthy", 80, 24)
	j.toTheReview().without("Unfinished work")
	j.presses("esc esc esc").sees("Draft saved")
	j.presses(":").types("unfinished work").presses("enter").sees("Draft: definition of SampleWorldCities.MapServer").presses("esc").leaves("Unfinished work")
	j.ends()
	j.opens().sees("Unfinished work").golden("unfinished")
	j.pause()
	j.presses("enter").sees("Your draft of this definition").presses("enter").sees("draft saved").presses("X").sees("Discard all").presses("y").sees("Discarded")
	j.presses(":").types("unfinished work").presses("enter").sees("Nothing is unfinished.")
	j.ends()
	j.opens().sees("1 of 12").without("Unfinished work")
	j.ends()
}
