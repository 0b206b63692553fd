package health_test

import (
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/simulator"
	"geodeck/ui/uitest"
)

// withReports shows a healthy site with so many reports.
func withReports(t testing.TB, n int) *screen {
	sc := uitest.Scenario(t, "healthy")
	sc.Reports = &n
	return open(t, uitest.NewSite(t, sc).Site, 120, 35)
}

// readOnly shows a site with a client that changes nothing.
func readOnly(t testing.TB) *screen {
	t.Helper()
	site := siteOf(t, "healthy")
	client, err := adminapi.New(adminapi.Config{Base: site.Client.Base().String(), Insecure: true, ReadOnly: true, Clock: site.Clock})
	if err != nil {
		t.Fatal(err)
	}
	client.Session.SetToken(site.Client.Session.Token())
	site.Client = client
	return open(t, site, 120, 35)
}

func TestAKeyThatDoesNothingSaysWhy(t *testing.T) {
	t.Parallel()
	runs := func(t testing.TB) *screen {
		s := healthy(t)
		s.startRun(4)
		return s
	}
	unread := func(t testing.TB) *screen {
		fault := simulator.Fault{Path: "/admin/healthCheck/reports/*", What: "status", Status: 500, After: 1, Times: 100}
		return open(t, uitest.NewSite(t, uitest.Scenario(t, "healthy", fault)).Site, 120, 35)
	}
	narrow := func(t testing.TB) *screen { return open(t, siteOf(t, "healthy"), 80, 19) }
	for _, c := range []struct {
		state    string
		open     func(testing.TB) *screen
		way      string
		keys     string // each alone
		sentence string
	}{
		{"no site", func(t testing.TB) *screen { return openIn(t, uitest.Env(t, operation.Site{}, uitest.Theme()), 80, 19) }, "",
			"health.run", "There is no site to run a health check on."},
		{"no site", func(t testing.TB) *screen { return openIn(t, uitest.Env(t, operation.Site{}, uitest.Theme()), 80, 19) }, "",
			"R f5 health.last-good", "No site to read from."},
		{"an old site", func(t testing.TB) *screen { return open(t, siteOf(t, "old"), 80, 19) }, "", "health.run", "Health checks need 11.2 or newer."},
		{"no report", func(t testing.TB) *screen { return withReports(t, 0) }, "", "health.export health.json health.copy", "No report is on the screen."},
		{"one report", func(t testing.TB) *screen { return withReports(t, 1) }, "", "health.compare", "There is no other report to compare with."},
		{"a run", runs, "", "health.run", "A health check is running already: geodeck 2026-11-20 15:05:00"},
		{"a run", runs, "", "health.compare health.delete health.export health.json health.copy", "This run has no report yet."},
		{"a run", runs, "enter", "health.next-failed health.previous-failed health.next-group health.previous-group", "No test is known yet."},
		{"a run", runs, "enter", "enter health.failed health.order", "No tests are on the screen."},
		{"a filter that finds no report", healthy, "rows.filter q q q enter", "enter health.compare health.delete health.export health.json health.copy", "No report is selected."},
		{"the list alone", narrow, "", "health.failed health.order", "No tests are on the screen."},
		{"a filter that finds no test", narrow, "enter rows.filter q q q enter", "enter", "No tests are on the screen."},
		{"a report that could not be read", unread, "", "health.export health.json", "The report could not be read. Press R to refresh."},
		{"a filter that finds no difference", healthy, "C / q q q enter", "enter", "No test is selected."},
	} {
		s := c.open(t)
		s.Press(c.way)
		s.Refuses(c.state, c.keys, c.sentence)
	}
}

func TestACommandOfAComparisonSaysThatNoneIsOpen(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	if text := uitest.NoticeText(t, s.Invoke("health.unchanged", "")); text != "No comparison is open." {
		t.Errorf("told %q", text)
	}
}

func TestATestThatIsGoneCannotBeOpenedFromAComparison(t *testing.T) {
	t.Parallel()
	s, path := bigScreen(t, 3)
	s.Invoke("health.open", path)
	writeReport(t, s.env.Folder, "later.json", `{"id":"later","name":"later","result":"passed","state":"completed","startTime":1795183700000,"endTime":1795183800000,"suiteStatus":[]}`)
	s.Invoke("health.open", "later.json")
	s.Press("health.compare")
	s.Shows("gone")
	if text := uitest.NoticeText(t, s.Press("enter")); text != "The newer report does not have this test." || s.hint("enter") != "" {
		t.Errorf("told %q, and the footer says %q", text, s.hint("enter"))
	}
}
