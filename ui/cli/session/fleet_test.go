package session_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/spf13/pflag"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
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
