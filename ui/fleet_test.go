package ui_test

import (
	"testing"

	"geodeck/adminapi/fleet"
	"geodeck/ui"
	"geodeck/ui/uitest"
)

// Who has signed in on the screen is signed in to that site in the tab Fleet, too; and only there.
func TestTheSiteOnTheScreenIsReadAsItsDashboardReadsIt(t *testing.T) {
	t.Parallel()
	site := uitest.NewSite(t, uitest.Scenario(t, "healthy")).Site
	entries, err := ui.FleetOf(ui.Options{Site: site, Entry: ui.SiteEntry{Name: "shown", Address: "https://gis.example.org/admin"}, Fleet: func() ([]fleet.Entry, error) {
		return []fleet.Entry{{Name: "shown", Address: "https://gis.example.org/admin"}, {Name: "shown", Address: "https://other.example.org/admin"}, {Name: "other"}}, nil
	}})
	if err != nil || len(entries) != 3 || entries[1].Open != nil || entries[2].Open != nil {
		t.Fatalf("%d entries, error %v", len(entries), err)
	}
	conn, err := entries[0].Open(t.Context())
	if err != nil || conn.Site.Client != site.Client || !conn.Shared {
		t.Errorf("it is read over a client of its own, error %v", err)
	}
}
