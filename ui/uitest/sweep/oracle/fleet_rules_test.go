package oracle_test

import (
	"time"

	"geodeck/ui/uitest/sweep/oracle"
)

// rows judges a row of a site that is in production, and at whose address nobody is from some time on.
func (d *day) rows(away bool, refuses, state, text, age string) {
	gone := false
	told := map[string]string{"/": `{"fullVersion":"11.5.0.6745"}`, oracle.PathMode: `{"isReadOnly":false}`, oracle.PathUpgrades: idle}
	d.Fleet = oracle.NewFleet(oracle.Deployment{
		Name: "harbour", Kind: "PROD", Ask: func(path string) string { return told[path] },
		Away: func() bool { return gone }, Refuses: func(path string) bool { return path == refuses },
	})
	d.LooksAtAll(d.now.Add(-time.Hour))
	gone = away
	d.LooksAtAll(d.now.Add(-10 * time.Minute))
	d.Row(oracle.FleetRow{Program: "program-1", Where: "the screen of the fleet", Site: "harbour", State: state, Text: text, Age: age, From: d.now.Add(-time.Minute), To: d.now})
}

// fails is a screen after the site has told for a while that an upgrade has failed.
func (d *day) fails(head string) {
	d.follows(false, true)
	d.site["/system/upgrades"] = `{"status":{"state":"failed"}}`
	d.Read("program-1", "/system/upgrades", d.site["/system/upgrades"], d.now.Add(-time.Hour))
	d.Looks(d.now.Add(-time.Hour))
	d.shows(head)
}

// onlyReads lets a write of a program arrive, beside one that was started so that it sends nothing.
func (d *day) onlyReads(program string) {
	d.Visits = oracle.NewVisits("city")
	d.WantsAt("city", "907")
	d.Visits.ReadsOnly("program-2")
	d.Lands(oracle.Landed{Program: program, Site: "city", Path: edit, Text: "907"})
}

var fleetDays = []struct {
	rule      string
	good, bad func(*day)
}{
	{"a row of a fleet is as its site is",
		func(d *day) { d.rows(false, "", "not checked", "PRODUCTION no report yet", "") },
		func(d *day) { d.rows(false, "", "healthy", "PRODUCTION report passed", "") }},
	{"what may not be read of a site is not called well",
		func(d *day) {
			d.rows(false, oracle.PathMode, "not checked", "PRODUCTION not all of it may be read", "")
		},
		func(d *day) { d.rows(false, oracle.PathMode, "outdated", "PRODUCTION passed 2 days ago", "") }},
	{"a row of a site that is away has its age",
		func(d *day) { d.rows(true, "", "unreachable", "PRODUCTION", "as of 10 min ago") },
		func(d *day) { d.rows(true, "", "unreachable", "PRODUCTION", "as of 2 min ago") }},
	{"a row says that its site is locked",
		func(d *day) { d.rows(false, "", "not checked", "PRODUCTION no report yet", "") },
		func(d *day) { d.rows(false, "", "not checked", "no report yet", "") }},
	{"a failed end stays until it is dismissed",
		func(d *day) { d.fails("✗ upgrade failed · 11.5.0.6745") },
		func(d *day) { d.fails("11.5.0.6745") }},
	{"a program that only reads sends nothing to any site",
		func(d *day) { d.onlyReads("program-1") },
		func(d *day) { d.onlyReads("program-2") }},
}
