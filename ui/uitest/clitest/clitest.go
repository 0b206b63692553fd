// Package clitest runs command lines for the tests of the commands: within the test, as a process,
// or in a terminal, on simulated sites that remember what was sent.
//
// Start at [RunInProcess]; [Main] makes a test binary the program.
package clitest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/secrets"
	"geodeck/adminapi/simulator"
	"geodeck/adminapi/simulator/simtest"
	"geodeck/ui/cli"
)

// Services that every simulated site has beside cities.
const (
	Caching  = "System/CachingTools.GPServer"
	Printing = "Utilities/PrintingTools.GPServer"
	Nosuch   = "NoSuch.MapServer"
)

// Outcomes are the outcomes of the services in the JSON of a batch, in their order.
func Outcomes(t *testing.T, r Result) string {
	t.Helper()
	type line struct {
		Outcome string
		Sent    bool
	}
	var all []string
	for _, line := range ItemsOf[line](t, r) {
		if line.Sent {
			line.Outcome += "+"
		}
		all = append(all, line.Outcome)
	}
	return strings.Join(all, " ")
}

// NoSecretIn looks into the file of --debug: requests are there, secrets are not, and
// nobody else can read it.
func NoSecretIn(t *testing.T, debug string, secrets []string) {
	t.Helper()
	content, err := os.ReadFile(debug)
	if errors.Is(err, fs.ErrNotExist) {
		return // the command line was refused
	}
	if info, e := os.Stat(debug); e != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, error %v", info.Mode(), e)
	}
	if err != nil || len(content) > 0 && !strings.Contains(string(content), `"request":"GET /`) {
		t.Errorf("no request in the debug file, error %v", err)
	}
	for _, secret := range secrets {
		if strings.Contains(string(content), secret) {
			t.Errorf("a secret in the debug file:\n%s", content)
		}
	}
}

// NewSite starts a simulated site that ends with the test.
func NewSite(t *testing.T, o simulator.Options) *simulator.Server {
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

// TokenOf signs in as one of the site's users.
func TokenOf(t *testing.T, server *simulator.Server, user int) string {
	t.Helper()
	client, err := adminapi.New(adminapi.Config{Base: server.URL()})
	if err != nil {
		t.Fatal(err)
	}
	who := server.Users()[user]
	token, err := client.Session.SignIn(context.Background(), who.Username, secrets.Secret(who.Password), time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	return token.Value.Reveal()
}

// Result is what a run of the program left.
type Result struct {
	Code     int
	Out, Err string
}

// RunInProcess runs a command line on a clock that need not be the machine's.
func RunInProcess(t *testing.T, clock simulator.Clock, env map[string]string, args ...string) Result {
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
	return Result{Code: code, Out: out.String(), Err: errs.String()}
}

// Cities is a service of the simulated sites.
const Cities = "SampleWorldCities.MapServer"

// SiteToEdit starts a scenario on a clock that steps by itself, and returns the
// environment of whoever may edit there.
func SiteToEdit(t *testing.T, name string) (simulator.Clock, map[string]string) {
	t.Helper()
	scenario, found := simulator.BuiltIn(name)
	if !found {
		t.Fatalf("no scenario %s", name)
	}
	clock := simtest.NewSteppedClock(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC))
	server := NewSite(t, simulator.Options{Scenario: scenario, Clock: clock})
	return clock, map[string]string{
		"GEODECK_URL": server.URL(), "GEODECK_TOKEN": TokenOf(t, server, 0), "XDG_STATE_HOME": t.TempDir(),
	}
}

// FileOf writes a file that ends with the test.
func FileOf(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	err := os.Chmod(filepath.Dir(path), 0o700) // whatever the umask
	if err == nil {
		err = os.WriteFile(path, []byte(content), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// RulesOfPool writes a file with rules that pick a pool of nodes.
func RulesOfPool(t *testing.T, pool string) string {
	return FileOf(t, pool+".json", `{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[`+
		`{"matchExpressions":[{"key":"pool","operator":"In","values":["`+pool+`"]}]}]}}}`)
}

// Wants runs a command line that ends with a code.
func Wants(t *testing.T, run func(args ...string) Result, code int, args ...string) Result {
	t.Helper()
	r := run(args...)
	if r.Code != code {
		t.Fatalf("%v: exit code %d, it says\n%s%s", args, r.Code, r.Out, r.Err)
	}
	return r
}

// Ok fails the test where a run has failed.
func Ok(t *testing.T, r Result) Result {
	t.Helper()
	if r.Code != 0 {
		t.Fatalf("exit code %d, it says\n%s%s", r.Code, r.Out, r.Err)
	}
	return r
}

// Oldest is the first version of a history.
func Oldest(t *testing.T, r Result) string {
	t.Helper()
	ids := IDsIn(t, r)
	return ids[len(ids)-1]
}

// ItemsOf are the items of a list in JSON, of which it has some.
func ItemsOf[T any](t *testing.T, r Result) []T {
	t.Helper()
	var list struct{ Items []T }
	if err := json.Unmarshal([]byte(r.Out), &list); err != nil || len(list.Items) == 0 {
		t.Fatal(err, r)
	}
	return list.Items
}

// IDsIn are the ids in a list, of which it has some.
func IDsIn(t *testing.T, r Result) (ids []string) {
	t.Helper()
	for _, one := range ItemsOf[struct{ ID string }](t, r) {
		ids = append(ids, one.ID)
	}
	return ids
}

// ConfigOf writes a config.yaml, and returns the environment that names it.
func ConfigOf(t *testing.T, content string) map[string]string {
	t.Helper()
	path := FileOf(t, "config.yaml", content)
	return map[string]string{"GEODECK_CONFIG": path, "XDG_STATE_HOME": t.TempDir()}
}

// With adds to an environment.
func With(env map[string]string, more ...string) map[string]string {
	all := map[string]string{}
	for name, value := range env {
		all[name] = value
	}
	for i := 0; i < len(more); i += 2 {
		all[more[i]] = more[i+1]
	}
	return all
}
