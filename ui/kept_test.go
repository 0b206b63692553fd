package ui_test

import (
	"strings"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
)

func TestATranscriptThatCannotBeKeptIsSaidOnceAndMarked(t *testing.T) {
	x := cutOff(t)
	x.p.says(200, status("in_progress", "1", postgres))
	d, w := x.start(t)
	d.see("Resume?")
	d.keys("y")
	d.heard(w, 1)
	d.stays("not kept")
	if err := x.site.Journal.Close(); err != nil { // the disk is gone
		t.Fatal(err)
	}
	for n := range 3 {
		x.p.says(200, status("in_progress", "1", postgres, line(2145, 120+n, "PostgreSQL")))
		d.lapse(x.clock, 1, 10*time.Second)
		d.heard(w, n+2)
		d.see("▲ transcript not kept")
		if said := strings.Contains(d.model.View(), "error: the transcript is not complete on this machine"); said != (n == 0) {
			t.Errorf("reading %d: said %v\n%s", n, said, d.model.View())
		}
		d.keys("esc")
	}
	if w.env.Upgrade.Reading.Log.Len() != 5 {
		t.Errorf("%d messages on the screen", w.env.Upgrade.Reading.Log.Len())
	}
}

func TestAGapInTheLogOfChangesIsSaid(t *testing.T) {
	site := uitest.NewSite(t, scenarioOf(t, "healthy")).Site
	log := memory(t, site.Clock)
	site.Journal = log
	d, _ := watching(t, site)
	d.see("11.5")
	d.stays("not kept")
	write := adminapi.Write{ID: 1, Operation: "change something", Path: "/x", Sent: site.Clock.Now()}
	if err := log.BeforeWrite(write); err != nil {
		t.Fatal(err)
	}
	_ = log.Close()
	log.AfterWrite(write, adminapi.OutcomeDone, nil)
	d.send(views.Notice{Text: "the change was made"})
	d.see("error: the log of changes is not complete on this machine")
	d.see("▲ log of changes not kept")
}
