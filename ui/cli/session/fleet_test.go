package session_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/spf13/pflag"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/sites"
	"geodeck/ui/cli/session"
	"geodeck/ui/uitest/clitest"
)

func TestASiteOfTheFleetIsOpenedOnceItsCertificatesAreThere(t *testing.T) {
	t.Parallel()
	authorities := filepath.Join(t.TempDir(), "ca.pem")
	env := clitest.ConfigOf(t, "sites:\n  gis:\n    url: https://gis.example.org/context/admin\n    ca: "+authorities+"\n")
	flags := &session.Flags{}
	flags.Register(pflag.NewFlagSet("", pflag.ContinueOnError))
	of := session.New(session.Options{
		Flags: flags, Env: func(name string) string { return env[name] }, Hide: func(string) {},
		Clock: adminapi.SystemClock{}, Rand: adminapi.SystemRand{}, Disk: journal.SystemFiles{}, Debug: &session.DebugLog{},
	})
	entries, err := of.Fleet(nil, func(string, string) {})
	if err != nil || len(entries) != 1 {
		t.Fatalf("%d sites, %v", len(entries), err)
	}
	if _, err := entries[0].Open(t.Context()); err == nil {
		t.Fatal("it is opened without its certificates")
	}
	if err := os.WriteFile(authorities, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := entries[0].Open(t.Context()); err != nil {
		t.Error(err)
	}
}

// config.yaml may give a name another address while the dashboard runs: the token of the old one is not for it.
func TestASiteByTheSameNameAtAnotherAddressIsNotTheOneThatWasLeft(t *testing.T) {
	t.Parallel()
	left := func(address string, change func(*session.Settings)) session.Visited {
		client, err := adminapi.New(adminapi.Config{Base: address})
		if err != nil {
			t.Fatal(err)
		}
		s := session.Settings{Named: sites.Site{Name: "gis"}}
		change(&s)
		return s.Visited(client)
	}
	same := func(*session.Settings) {}
	here := left("https://gis.example.org/context/admin", same)
	if again := left("https://gis.example.org/context/admin", same); again != here {
		t.Error("who comes back has to sign in again")
	}
	for what, other := range map[string]session.Visited{
		"another host":    left("https://gis.example.net/context/admin", same),
		"another context": left("https://gis.example.org/other/admin", same),
		"another name":    left("https://gis.example.org/context/admin", func(s *session.Settings) { s.Named.Name = "test" }),
		"another user":    left("https://gis.example.org/context/admin", func(s *session.Settings) { s.User.Value = "anna" }),
		"another sign-in": left("https://gis.example.org/context/admin", func(s *session.Settings) { s.Named.SignIn.Variable = "TOKEN" }),
	} {
		if other == here {
			t.Errorf("%s gets the token of the site that was left", what)
		}
	}
}
