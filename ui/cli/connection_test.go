package cli_test

import (
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"io/fs"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"geodeck/adminapi/simulator"
	"geodeck/adminapi/simulator/simtest"
	"geodeck/ui/cli"
	"geodeck/ui/uitest/clitest"
)

// behindTLS serves a site with the certificate of httptest, changed and signed by itself.
// asked counts the requests that got through.
func behindTLS(t *testing.T, site string, change func(*x509.Certificate)) (address string, ca []byte, asked *atomic.Int32) {
	t.Helper()
	asked = new(atomic.Int32)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		clitest.Forward(w, r, site)
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	usual := httptest.NewTLSServer(http.NotFoundHandler())
	defer usual.Close()
	template, key := usual.Certificate(), usual.TLS.Certificates[0].PrivateKey
	change(template)
	der, err := x509.CreateCertificate(rand.Reader, template, template, template.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	s.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
	s.StartTLS()
	t.Cleanup(s.Close)
	return s.URL, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), asked
}

func TestACommandThatCannotTrustTheCertificateSaysWhichAndSendsNothing(t *testing.T) {
	t.Parallel()
	site := clitest.NewSite(t, simulator.Options{Clock: simulator.NewScaledClock(3600)})
	token := clitest.TokenOf(t, site, 0)
	for name, c := range map[string]struct {
		change  func(*x509.Certificate)
		trusted bool   // named with --ca
		want    string // in the sentence; empty: it is good
	}{
		"good with its own CA file": {func(*x509.Certificate) {}, true, ""},
		"signed by itself":          {func(*x509.Certificate) {}, false, "trust it with --ca FILE"},
		"expired":                   {func(c *x509.Certificate) { c.NotAfter = time.Now().Add(-time.Hour) }, true, "has expired"},
		"of another host":           {func(c *x509.Certificate) { c.IPAddresses, c.DNSNames = nil, []string{"gis.example.org"} }, true, "another host name"},
	} {
		t.Run(name, func(t *testing.T) {
			address, ca, asked := behindTLS(t, site.URL(), c.change)
			env := map[string]string{"GEODECK_URL": address + "/geodeck/admin", "GEODECK_TOKEN": token}
			for _, command := range [][]string{{"health", "reports"}, {"health", "run", "--name", "over TLS"}, {"service", "stop", clitest.Cities, "--confirm", "SampleWorldCities"}} {
				if c.trusted {
					command = append(command, "--ca", clitest.FileOf(t, "ca.pem", string(ca)))
				}
				r := clitest.RunInProcess(t, nil, env, command...)
				if c.want == "" {
					if r.Code != 0 || asked.Load() == 0 {
						t.Errorf("%q: exit code %d, it says\n%s", command, r.Code, r.Err)
					}
					continue
				}
				if r.Code != 5 || asked.Load() != 0 || !strings.Contains(r.Err, c.want) || strings.Contains(r.Err, token) {
					t.Errorf("%q: exit code %d after %d requests, it says\n%s", command, r.Code, asked.Load(), r.Err)
				}
			}
		})
	}
}

func TestInsecureIsNeverRemembered(t *testing.T) {
	t.Parallel()
	env := map[string]string{"XDG_STATE_HOME": t.TempDir(), "GEODECK_URL": "http://gis.example.org/x/admin", "GEODECK_TOKEN": "t"}
	for _, c := range []struct {
		flags    []string
		accepted bool
	}{{nil, false}, {[]string{"--insecure"}, true}, {nil, false}} {
		r := clitest.RunInProcess(t, nil, env, append([]string{"job", "list", "--timeout", "1ns"}, c.flags...)...)
		if strings.Contains(r.Err, "http sends the token") == c.accepted || r.Code == 0 {
			t.Errorf("%q: exit code %d, it says\n%s", c.flags, r.Code, r.Err)
		}
	}
}

// everyCommand is each command that talks to a site, in its good and bad forms.
var everyCommand = []string{
	"health explain", "upgrade explain", "upgrade watch --timeout 5s", "upgrade transcripts", "upgrade evidence", "upgrade import-manifest testdata/report.json",
	"service list", "service get " + clitest.Cities, "service status " + clitest.Cities, "service explain " + clitest.Cities, "service history " + clitest.Cities, "service restore " + clitest.Cities + " NOSUCH",
	"service diff " + clitest.Cities + " -f testdata/rules.json", "service apply " + clitest.Cities + " -f testdata/rules.json", "service edit " + clitest.Cities + " --dry-run",
	"service stop " + clitest.Cities + " --confirm SampleWorldCities", "service start " + clitest.Cities,
	"placement explain testdata/rules.json --nodes testdata/nodes.json", "placement simulate testdata/rules.json --nodes testdata/nodes.json",
	"health suites", "health run", "health run --suite NOSUCH", "health run --fail-on new", "health reports",
	"health report NOSUCH", "health delete NOSUCH", "health compare NOSUCH NOSUCH", "health export NOSUCH --format md",
	"upgrade available", "upgrade plan rel_11122025_7286", "upgrade settings rel_11122025_7286", "upgrade status", "upgrade history",
	"upgrade start rel_11122025_7286 --accept health,placement --confirm 12.0.0", "upgrade rollback NOSUCH --accept health,placement --confirm NOSUCH",
	"upgrade start pat_12082025_6805 --accept health,placement --confirm 11.5.0.6805",
	"service edit " + clitest.Cities + " " + clitest.Nosuch + " --set maxIdleTime=900 --partial", "service apply --plan testdata/rules.json",
	"placement get " + clitest.Cities, "placement pods " + clitest.Cities, "placement history " + clitest.Cities, "placement restore " + clitest.Cities + " NOSUCH",
	"placement apply " + clitest.Cities + " -f testdata/rules.json --nodes testdata/nodes.json", "placement check testdata/rules.json", "placement presets", "placement presets gpu",
	"placement apply " + clitest.Cities + " --from " + clitest.Nosuch, "placement apply " + clitest.Cities + " --preset gpu --dry-run",
	"fleet", "fleet --filter gis -o jsonl", "fleet health run", "fleet compare NOSUCH NOSUCH",
	"doctor", "login", "login --with-token", "login --oauth", "logout", "token", "token --oauth", "whoami", "job list", "job get NOSUCH", "job wait NOSUCH", "log --limit 0", "log --limit 0 -o json", "log --verify", "version", "--help", "health run --help", "nosuch",
	"pull -d testdata/report.json", "diff -d NOSUCH", "apply -d NOSUCH", "placement diff " + clitest.Cities + " -f testdata/rules.json",
	"site list", "site show", "site edit gis --user me", "site edit", "site add gis --url https://gis.example.org", "site use NOSUCH", "site remove NOSUCH", "site schema",
	"health reports --timeout 1ns", "health run --read-only",
}

func TestNoCanaryTokenIsPrintedOrLoggedByAnyCommand(t *testing.T) {
	t.Parallel()
	for _, command := range leaves(cli.Tree()) {
		without := []string{"completion", "man", "demo", "serve", "help", "health open"} // a site, or for a terminal
		if !slices.Contains(without, command) && !slices.ContainsFunc(everyCommand, func(line string) bool { return strings.HasPrefix(line+" ", command+" ") }) {
			t.Errorf("geodeck %s has no line in everyCommand", command)
		}
	}
	const canary = "CANARY-4f1d-token"
	degraded, _ := simulator.BuiltIn("degraded")
	clock := simtest.NewSteppedClock(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC))
	server := clitest.NewSite(t, simulator.Options{Scenario: degraded, Clock: clock})
	echo := httptest.NewServer(http.HandlerFunc(echoSecrets))
	t.Cleanup(echo.Close)

	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte(canary+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	valid := clitest.TokenOf(t, server, 0)
	unprivileged := clitest.TokenOf(t, server, len(server.Users())-1)
	cases := []struct {
		name, url, token string
		flags            []string
	}{
		{"administrator", server.URL(), valid, nil},
		{"without privilege", server.URL(), unprivileged, nil},
		{"refused", server.URL(), canary, nil},
		{"refused from a file", server.URL(), "", []string{"--token-file", file}},
		{"on the command line", server.URL(), "", []string{"--token", canary}},
		{"a site that repeats another header", echo.URL + "/geodeck/admin", canary, []string{"--auth-header", "X-Esri-Authorization"}},
		{"a site that repeats what it got", echo.URL + "/geodeck/admin", canary, nil},
		{"password in the address", "https://admin:" + canary + "@gis.example.org/admin", canary, nil},
		{"token in the address", server.URL() + "?token=" + canary, valid, nil},
	}
	secrets := []string{canary, valid, unprivileged}
	for _, user := range server.Users() {
		secrets = append(secrets, user.Password)
	}
	for i, c := range cases {
		forms := []string{"table", "json"}
		if !strings.HasPrefix(c.name, "a") { // both where the site answers with most
			forms = forms[i%2 : i%2+1]
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			debug, state := filepath.Join(t.TempDir(), "debug.jsonl"), t.TempDir()
			for _, form := range forms {
				for _, command := range everyCommand {
					args := slices.Concat(strings.Fields(command), []string{"--url", c.url, "-o", form, "--debug", debug}, c.flags)
					r := clitest.RunInProcess(t, clock, map[string]string{"GEODECK_TOKEN": c.token, "EDITOR": "true", "XDG_STATE_HOME": state}, args...)
					for _, secret := range secrets {
						if strings.Contains(r.Out, secret) || strings.Contains(r.Err, secret) {
							t.Errorf("geodeck %s -o %s prints a secret:\n%s%s", command, form, r.Out, r.Err)
						}
					}
				}
			}
			clitest.NoSecretIn(t, debug, secrets)
			noSecretBelow(t, state, secrets)
		})
	}
}

// noSecretBelow looks into every file of a folder.
func noSecretBelow(t *testing.T, folder string, secrets []string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		for _, secret := range secrets {
			if strings.Contains(string(content), secret) {
				t.Errorf("a secret in %s", path)
			}
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// echoSecrets answers as careless platforms do: with what they were sent.
func echoSecrets(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	w.Header().Set("Content-Type", "application/json")
	text := strings.NewReplacer(`"`, "'", `\`, "/").Replace(r.URL.String() + " " + string(body) + " " + r.Header.Get("Authorization") + r.Header.Get("X-Esri-Authorization"))
	_, _ = w.Write([]byte(`{"error":{"code":400,"message":"bad request ` + text + `","details":["` + text + `"]}}`))
}

func TestASiteBehindWebTierSignInIsReachedWithItsOwnHeader(t *testing.T) {
	t.Parallel()
	site := clitest.NewSite(t, simulator.Options{Clock: simulator.NewScaledClock(3600)})
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Set("Authorization", "Basic cHJveHk6cGFzcw==") // the proxy's own
		clitest.Forward(w, r, site.URL())
	}))
	t.Cleanup(proxy.Close)
	for _, c := range []struct {
		env  string
		flag []string
		code int
		says string
	}{
		{"", nil, 3, "Token Required"},
		{"Authorization", nil, 3, "Token Required"},
		{"X-Esri-Authorization", nil, 0, ""},
		{"", []string{"--auth-header", "x-esri-authorization"}, 0, ""},
		{"Authorization", []string{"--auth-header", "X-Esri-Authorization"}, 0, ""},
		{"Cookie", nil, 2, "--auth-header or GEODECK_AUTH_HEADER"},
		{"", []string{"--auth-header", "Bearer x"}, 2, "use Authorization or X-Esri-Authorization"},
	} {
		env := map[string]string{"GEODECK_URL": proxy.URL + "/geodeck/admin", "GEODECK_TOKEN": clitest.TokenOf(t, site, 0), "GEODECK_AUTH_HEADER": c.env}
		for _, command := range [][]string{{"health", "reports"}, {"service", "start", clitest.Cities}} {
			if command[0] == "service" && c.code == 3 {
				continue // a form holds the token too
			}
			r := clitest.RunInProcess(t, nil, env, append(command, c.flag...)...)
			if r.Code != c.code || !strings.Contains(r.Err, c.says) {
				t.Errorf("%q %q: exit code %d, want %d; it says\n%s", c.env, command, r.Code, c.code, r.Err)
			}
		}
	}
}

func TestAFileWithoutEndIsRefused(t *testing.T) {
	t.Parallel()
	const endless = "/dev/zero"
	for _, args := range [][]string{
		{"health", "suites", "--url", "http://127.0.0.1:1/admin", "--ca", endless},
		{"health", "suites", "--url", "http://127.0.0.1:1/admin", "--token-file", endless},
		{"serve", "--scenario", endless},
	} {
		if r := clitest.RunInProcess(t, simtest.NewSteppedClock(time.Now()), nil, args...); r.Code != 2 || !strings.Contains(r.Err, endless) {
			t.Errorf("%q exits with %d: %s", args, r.Code, r.Err)
		}
	}
}
