package session

import (
	"net/url"
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

// Who gives an address has not said that a keyring may have the password.
func TestAKeyringHasASignInOnlyWhereTheFileOfSitesSaysSo(t *testing.T) {
	t.Parallel()
	s, base := New(Options{Flags: &Flags{}, Env: func(string) string { return "" }}), &url.URL{Scheme: "https", Host: "gis.example.org", Path: "/geodeck/admin"}
	inKeyring := sites.Site{Name: "one"}
	inKeyring.SignIn.Kind = sites.Keyring
	for _, c := range []struct {
		of   Settings
		kept bool
	}{{Settings{}, false}, {Settings{Named: sites.Site{Name: "one"}}, false}, {Settings{Named: inKeyring}, true}} {
		if kept := s.KeepSignIn(c.of, base) != nil; kept != c.kept {
			t.Errorf("%+v: kept is %v", c.of.Named, kept)
		}
	}
}
