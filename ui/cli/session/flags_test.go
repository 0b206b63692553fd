package session

import (
	"slices"
	"testing"

	"geodeck/adminapi/sites"
)

// A site other than the chosen one is found in the same file: its name alone may be that of another in the default one.
func TestTheCommandsOfAnotherSiteHaveTheFileOfSites(t *testing.T) {
	t.Parallel()
	s := New(Options{Flags: &Flags{config: "/etc/geodeck/sites.yaml", TokenFile: "/home/ada/token", Insecure: true}})
	s.own = "two"
	words, want := s.SiteFlags(Settings{Named: sites.Site{Name: "two"}}), []string{"--site", "two", "--config", "/etc/geodeck/sites.yaml"}
	if !slices.Equal(words, want) {
		t.Errorf("%q, want %q", words, want)
	}
}
