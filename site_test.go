package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/simulator"
	"geodeck/ui/cli"
)

// newSite starts a simulated site that ends with the test.
func newSite(t *testing.T, o simulator.Options) *simulator.Server {
	t.Helper()
	server, err := simulator.New(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	return server
}

// tokenOf signs in as one of the site's users.
func tokenOf(t *testing.T, server *simulator.Server, user int) string {
	t.Helper()
	client, err := adminapi.New(adminapi.Config{Base: server.URL()})
	if err != nil {
		t.Fatal(err)
	}
	who := server.Users()[user]
	token, err := client.SignIn(context.Background(), who.Username, adminapi.Secret(who.Password), time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	return token.Value.Reveal()
}

// result is what a run of the program left.
type result struct {
	code     int
	out, err string
}

// runInProcess runs a command line on a clock that need not be the machine's.
func runInProcess(t *testing.T, clock simulator.Clock, env map[string]string, args ...string) result {
	t.Helper()
	var out, errs bytes.Buffer
	state := t.TempDir()
	code := cli.Run(context.Background(), args, cli.Process{
		In: strings.NewReader(""), Out: &out, Err: &errs, Clock: clock,
		Env: func(name string) string {
			if value, given := env[name]; given || name != "XDG_STATE_HOME" {
				return value
			}
			return state
		},
	})
	return result{code: code, out: out.String(), err: errs.String()}
}
