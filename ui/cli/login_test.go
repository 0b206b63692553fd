package cli_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/zalando/go-keyring"

	"geodeck/adminapi/journal"
	"geodeck/adminapi/signin"
	"geodeck/adminapi/simulator"
	"geodeck/ui/cli"
	"geodeck/ui/uitest/clitest"
)

// vault is a keyring in memory.
type vault struct{ texts sync.Map }

func (v *vault) Get(_, name string) (string, error) {
	if text, ok := v.texts.Load(name); ok {
		return text.(string), nil
	}
	return "", keyring.ErrNotFound
}

func (v *vault) Set(_, name, secret string) error {
	v.texts.Store(name, secret)
	return nil
}

func (v *vault) Delete(_, name string) error {
	if _, ok := v.texts.LoadAndDelete(name); !ok {
		return keyring.ErrNotFound
	}
	return nil
}

func TestNoOtherProgramGetsAVariableWithAToken(t *testing.T) {
	t.Parallel()
	config := clitest.FileOf(t, "config.yaml", "sites:\n  staging:\n    url: https://gis.example.org/x/admin\n    signIn: {environment: STAGING_TOKEN}\n")
	var hidden []string
	var out bytes.Buffer
	cli.Run(context.Background(), []string{"site", "list"}, cli.Process{
		In: strings.NewReader(""), Out: &out, Err: &out, Hide: func(name string) { hidden = append(hidden, name) },
		Env: func(name string) string { return map[string]string{"GEODECK_CONFIG": config}[name] },
	})
	if !slices.Contains(hidden, "GEODECK_TOKEN") || !slices.Contains(hidden, "STAGING_TOKEN") {
		t.Errorf("hidden %q; %s", hidden, out.String())
	}
}

func TestASignInIsKeptInTheKeyringUntilTheLogout(t *testing.T) {
	t.Parallel()
	site := clitest.NewSite(t, simulator.Options{Clock: simulator.NewScaledClock(1)})
	user := site.Users()[0]
	config := clitest.FileOf(t, "config.yaml", fmt.Sprintf("current: staging\nsites:\n  staging:\n    url: %s\n    user: %s\n    signIn: keyring\n  asks:\n    url: %s\n", site.URL(), user.Username, site.URL()))
	keeper, state := &vault{}, t.TempDir()
	run := func(in string, args ...string) clitest.Result {
		t.Helper()
		p := cli.Process{In: strings.NewReader(in), Keyring: keeper, Env: func(name string) string {
			return map[string]string{"GEODECK_CONFIG": config, "XDG_STATE_HOME": state}[name]
		}}
		if args[0] == "no keyring" {
			p.Keyring, args = nil, args[1:]
		}
		var out, errs bytes.Buffer
		p.Out, p.Err = &out, &errs
		r := clitest.Result{Code: cli.Run(context.Background(), args, p), Out: out.String(), Err: errs.String()}
		if all := r.Out + r.Err; strings.Contains(all, user.Password) || strings.Contains(all, "CANARY") {
			t.Errorf("geodeck %q prints a secret:\n%s", args, all)
		}
		return r
	}
	for _, c := range []struct {
		in   string
		args []string
		code int
		says string
	}{
		{"", []string{"whoami"}, 3, "geodeck login --site staging"},
		{"CANARY-wrong\n", []string{"login"}, 3, ""},
		{"", []string{"login"}, 2, "no password was given"},
		{"CANARY-wrong\n", []string{"login", "--with-token"}, 3, ""},
		{"x\n", []string{"login", "--oauth"}, 2, "clientId"},
		{user.Password + "\n", []string{"login", "--site", "asks"}, 2, "signIn: keyring"},
		{user.Password + "\n", []string{"no keyring", "login"}, 1, "file, environment, command or ask"},
		{"", []string{"no keyring", "whoami"}, 3, "file, environment, command or ask\n"},
		{"", []string{"whoami"}, 3, ""},
		{user.Password + "\n", []string{"login"}, 0, "Kept in the system's keyring. The token ends at"},
		{"", []string{"whoami", "-o", "json"}, 0, `"username":"` + user.Username + `"`},
		{"", []string{"whoami"}, 0, "staging"},
		{"", []string{"whoami"}, 0, "the system's keyring"},
		{"", []string{"health", "reports"}, 0, ""},
		{"", []string{"logout"}, 0, "Until then the site takes it"},
		{"", []string{"logout"}, 0, "holds nothing"},
		{"", []string{"whoami"}, 3, ""},
	} {
		r := run(c.in, c.args...)
		if c.args[0] == "no keyring" && strings.Contains(r.Err, "geodeck login") {
			t.Errorf("%q: a login without a keyring is advised:\n%s", c.args, r.Err)
		}
		if r.Code != c.code || !strings.Contains(strings.ReplaceAll(r.Out+r.Err, `": "`, `":"`), c.says) {
			t.Errorf("%q: exit code %d, want %d; it says\n%s%s", c.args, r.Code, c.code, r.Out, r.Err)
		}
	}
	noSecretBelow(t, state, []string{user.Password, "CANARY"})
}

func TestAPasswordIsNotShownAsItIsTypedAndTwoProgramsRenewItsTokenOnce(t *testing.T) {
	t.Parallel()
	site := clitest.NewSite(t, simulator.Options{Clock: simulator.NewScaledClock(1)})
	var signIns atomic.Int32
	counting := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/generateToken") && r.Method == http.MethodPost {
			signIns.Add(1)
		}
		clitest.Forward(w, r, site.URL())
	}))
	t.Cleanup(counting.Close)
	user, folder := site.Users()[0], t.TempDir()
	address := counting.URL + "/geodeck/admin"
	config := clitest.FileOf(t, "config.yaml", fmt.Sprintf("current: kept\nsites:\n  kept:\n    url: %s\n    user: %s\n    signIn: keyring\n", address, user.Username))
	env := []string{"GEODECK_CONFIG=" + config, clitest.KeyringFolder + "=" + folder, "XDG_STATE_HOME=" + t.TempDir()}
	screen := clitest.OpenTerminal(t, 100, env, "login")
	screen.Shows("Password:")
	for limit := clitest.Patience(t); reflect.DeepEqual(screen.Modes(), screen.Before()) && limit.Err() == nil; { // the prompt comes first
		runtime.Gosched()
	}
	screen.Press(user.Password + "\r")
	if code, sent := screen.End(), screen.Sent(); code != 0 || strings.Contains(sent, user.Password) || !strings.Contains(sent, "Kept in the system's keyring") {
		t.Fatalf("exit code %d, it says\n%s", code, sent)
	}
	screen.ModesRestored()
	base, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	ended := fmt.Sprintf(`{"user":%q,"password":%q,"token":"ended-token-0","expires":1}`, user.Username, user.Password)
	if err := clitest.FolderVault(folder).Set("", journal.SiteOf(base), ended); err != nil {
		t.Fatal(err)
	}
	signIns.Store(0)
	programs := []*clitest.Process{clitest.Start(t, env, "whoami"), clitest.Start(t, env, "whoami"), clitest.Start(t, env, "whoami")}
	for _, p := range programs {
		p.WantCode(0)
	}
	if n := signIns.Load(); n != 1 {
		t.Errorf("%d programs signed in", n)
	}
}

// A shell without echo would take the next commands for passwords.
func TestAnInterruptionAtAPasswordGivesTheEchoBack(t *testing.T) {
	t.Parallel()
	site := clitest.NewSite(t, simulator.Options{Clock: simulator.NewScaledClock(1)})
	config := clitest.FileOf(t, "config.yaml", fmt.Sprintf("current: kept\nsites:\n  kept:\n    url: %s\n    user: ada\n    signIn: keyring\n", site.URL()))
	screen := clitest.OpenTerminal(t, 100, []string{"GEODECK_CONFIG=" + config, clitest.KeyringFolder + "=" + t.TempDir(), "XDG_STATE_HOME=" + t.TempDir()}, "login")
	screen.Shows("Password:")
	for limit := clitest.Patience(t); reflect.DeepEqual(screen.Modes(), screen.Before()) && limit.Err() == nil; { // the prompt comes first
		runtime.Gosched()
	}
	screen.Press("\x03")
	if code := screen.End(); code == 0 {
		t.Errorf("it ends with %d", code)
	}
	screen.ModesRestored()
}

func TestAnInterruptionEndsTheWaitForAToken(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "token")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	p := clitest.Start(t, []string{"GEODECK_URL=https://gis.example.org/x/admin"}, "whoami", "--token-file", pipe)
	writer, err := os.OpenFile(pipe, os.O_WRONLY, 0) // once it is read
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	p.Signal(os.Interrupt)
	p.WantCode(130)
}

// hostile is a keyring that fails in the words of what it holds, or holds nonsense.
type hostile struct {
	text string
	err  error
}

func (h *hostile) Get(_, _ string) (string, error) { return h.text, h.err }

func (h *hostile) Set(_, _, secret string) error { return fmt.Errorf("no room for %s", secret) }

func (h *hostile) Delete(service, name string) error { return h.err }

func TestNoSecretOfASignInLeavesItsPlace(t *testing.T) {
	t.Parallel()
	const password, token, refresh, code, printed, filed, variable, proxy, definition = "CANARY/pass word+1#", "CANARY-token-2f6e8a", "CANARY-refresh-3b7d", "CANARY-code-4c91ee", "CANARY-printed-5a20", "CANARY-filed-61bb07", "CANARY-variable-7d", "CANARY-proxy-8e55", "CANARY-hook-90aa17"
	secrets := []string{password, token, refresh, code, printed, filed, variable, proxy, definition}
	site := clitest.NewSite(t, simulator.Options{Clock: simulator.NewScaledClock(1)})
	echo := httptest.NewServer(http.HandlerFunc(echoSecrets))
	t.Cleanup(echo.Close)
	tokenFile, program := clitest.FileOf(t, "token", filed), clitest.FileOf(t, "print", "#!/bin/sh\necho "+printed+"\necho 'the answer was "+printed+"' >&2\nexit $1\n")
	if err := os.Chmod(program, 0o700); err != nil {
		t.Fatal(err)
	}
	var config strings.Builder
	config.WriteString("current: kept\nsites:\n")
	for name, lines := range map[string]string{
		"kept": "signIn: keyring\n    user: siteadmin\n    clientId: geodeck", "printed": "signIn: {command: " + program + " 0}", "fails": "signIn: {command: " + program + " 1}",
		"filed": "signIn: {file: " + tokenFile + "}\n    hook: notify --token=" + definition, "variable": "signIn: {environment: STAGING_TOKEN}", "asks": "signIn: ask",
	} {
		fmt.Fprintf(&config, "  %s:\n    url: %s\n    %s\n  %s-echo:\n    url: %s/geodeck/admin\n    %s\n", name, site.URL(), lines, name, echo.URL, lines)
	}
	good := clitest.FileOf(t, "config.yaml", config.String())
	bad := clitest.FileOf(t, "config.yaml", config.String()+"  proxied:\n    url: https://gis.example.org/x/admin\n    proxy: http://me:"+proxy+"@127.0.0.1:1\n    password: "+definition+"\n")
	full := &vault{}
	for _, base := range []string{site.URL(), echo.URL + "/geodeck/admin"} {
		parsed, err := url.Parse(base)
		if err != nil {
			t.Fatal(err)
		}
		full.texts.Store(journal.SiteOf(parsed), fmt.Sprintf(`{"user":"siteadmin","password":%q,"token":%q,"refresh":%q}`, password, token, refresh))
	}
	keyrings := map[string]signin.Store{
		"empty": &vault{}, "full": full, "none": nil,
		"locked": &hostile{err: fmt.Errorf("locked, with %s of %s", token, password)}, "refusing": &hostile{err: errors.New(password + token)},
		"nonsense": &hostile{text: "v2:" + token + password}, "a later version": &hostile{text: `{"version":2,"secrets":[` + strconv.Quote(token) + `]}`},
	}
	commands := []string{
		"fleet", "fleet -o json", "fleet health run", "fleet compare kept filed", "doctor --bundle ZIP", "log", "log --verify", "whoami", "site list", "site show", "site show -o json",
		"login", "login --with-token", "login --oauth", "logout", "logout",
	}
	for name, keeper := range keyrings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			debug := filepath.Join(folder, "debug.jsonl")
			for _, command := range commands {
				for _, at := range []string{"kept", "kept-echo", "printed-echo", "fails", "filed-echo", "variable"} {
					if at != "kept" && (name != "full" && at != "kept-echo" || strings.HasPrefix(command, "fleet")) {
						continue
					}
					args := append(strings.Fields(strings.ReplaceAll(command, "ZIP", filepath.Join(folder, at+".zip"))), "--site", at, "--debug", debug)
					in := map[string]string{"login": password, "login --with-token": token, "login --oauth": code}[command] + "\n"
					files := []string{good}
					if name == "none" {
						files = append(files, bad)
					}
					for _, file := range files {
						var out, errs bytes.Buffer
						cli.Run(context.Background(), args, cli.Process{In: strings.NewReader(in), Out: &out, Err: &errs, Keyring: keeper, Env: func(variableName string) string {
							return map[string]string{"GEODECK_CONFIG": file, "XDG_STATE_HOME": filepath.Join(folder, "state"), "STAGING_TOKEN": variable, "HTTPS_PROXY": "http://me:" + proxy + "@127.0.0.1:1"}[variableName]
						}})
						noSecretInAnyForm(t, "geodeck "+strings.Join(args, " "), out.String()+errs.String(), secrets)
					}
				}
			}
			err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
				if err != nil || !entry.Type().IsRegular() {
					return err
				}
				if strings.HasSuffix(path, ".zip") {
					for member, content := range unzipped(t, path) {
						noSecretInAnyForm(t, path+" "+member, content, secrets)
					}
					return nil
				}
				content, err := os.ReadFile(path)
				noSecretInAnyForm(t, path, string(content), secrets)
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// noSecretInAnyForm looks for secrets as they are, and as URLs, JSON and headers write them, in
// any case.
func noSecretInAnyForm(t *testing.T, where, text string, secrets []string) {
	t.Helper()
	text = strings.ToLower(text)
	for _, secret := range secrets {
		quoted := strconv.Quote(secret)
		for _, form := range []string{
			secret, url.QueryEscape(secret), url.PathEscape(secret), quoted[1 : len(quoted)-1], hex.EncodeToString([]byte(secret)),
			strings.TrimRight(base64.StdEncoding.EncodeToString([]byte(secret)), "="), strings.TrimRight(base64.URLEncoding.EncodeToString([]byte(secret)), "="),
		} {
			if at := strings.Index(text, strings.ToLower(form)); at >= 0 {
				t.Errorf("%s holds %s: %s", where, form, text[max(0, at-100):min(len(text), at+100)])
			}
		}
	}
}
