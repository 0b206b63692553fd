package health_test

import (
	"path/filepath"
	"strings"
	"testing"

	"geodeck/adminapi/operation"
	"geodeck/theme"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
)

func TestAComparisonContinuesWithAnotherReport(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	s.Press("down down")
	id := uitest.Find[views.Copy](t, s.Press("y")).Text
	s.Press("g space C")
	s.Shows("Before", "check by hand")
	if !s.offers("health.compare") {
		t.Fatal("no other report can be named")
	}
	s.Invoke("health.compare", id)
	s.Shows("Before", "scheduled-20261114")
	if text := uitest.NoticeText(t, s.Press("x")); !strings.Contains(text, "geodeck health compare") {
		t.Errorf("x tells %q", text)
	}
}

func TestAComparisonKnowsWhatHasPassedSince(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	s.Press("n C")
	s.Shows("newly failing", "It has passed since, last on 2026-11-18", "Nothing needs to be done.")
	s.Press("esc g C")
	if strings.Contains(s.Draw(), "f hides them") {
		s.Press("f")
	}
	s.Shows("No test result changed.", "All 13 tests of 2026-11-", " were compared.")
}

func TestASavedReportOpensWithoutASiteAndCanBeCompared(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	s.Invoke("health.export", "json")
	s.Press("G")
	s.Invoke("health.export", "json")
	files, _ := filepath.Glob(filepath.Join(s.env.Folder, "*.json"))
	if len(files) != 2 {
		t.Fatalf("files %v", files)
	}
	offline := openIn(t, uitest.Env(t, operation.Site{}, uitest.Theme()), 120, 35)
	offline.Shows("There is no site.")
	for _, file := range files {
		offline.Invoke("health.open", file)
	}
	offline.Shows("1 of 2", "file", "healthcheck_objectStore")
	offline.Press("space C")
	offline.Shows("Before", "After", "new failure")
}

func TestASCIIArrowsReadAsArrows(t *testing.T) {
	t.Parallel()
	ascii := *uitest.Theme()
	ascii.Glyphs = theme.New(theme.Options{ASCII: true}).Glyphs
	s := openIn(t, uitest.Env(t, siteOf(t, "degraded"), &ascii), 80, 19)
	s.runCheck()
	s.Press("C")
	s.Shows("+ -> x", "s -> 30 s")
}
