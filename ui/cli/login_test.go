package cli_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/zalando/go-keyring"

	"geodeck/adminapi/simulator"
	"geodeck/ui/cli"
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
	config := fileOf(t, "config.yaml", "sites:\n  staging:\n    url: https://gis.example.org/x/admin\n    signIn: {environment: STAGING_TOKEN}\n")
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
	site := newSite(t, simulator.Options{Clock: simulator.NewScaledClock(1)})
	user := site.Users()[0]
	config := fileOf(t, "config.yaml", fmt.Sprintf("current: staging\nsites:\n  staging:\n    url: %s\n    user: %s\n    signIn: keyring\n  asks:\n    url: %s\n", site.URL(), user.Username, site.URL()))
	keeper, state := &vault{}, t.TempDir()
	run := func(in string, args ...string) result {
		t.Helper()
		p := cli.Process{In: strings.NewReader(in), Keyring: keeper, Env: func(name string) string {
			return map[string]string{"GEODECK_CONFIG": config, "XDG_STATE_HOME": state}[name]
		}}
		if args[0] == "no keyring" {
			p.Keyring, args = nil, args[1:]
		}
		var out, errs bytes.Buffer
		p.Out, p.Err = &out, &errs
		r := result{code: cli.Run(context.Background(), args, p), out: out.String(), err: errs.String()}
		if all := r.out + r.err; strings.Contains(all, user.Password) || strings.Contains(all, "CANARY") {
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
		if r.code != c.code || !strings.Contains(strings.ReplaceAll(r.out+r.err, `": "`, `":"`), c.says) {
			t.Errorf("%q: exit code %d, want %d; it says\n%s%s", c.args, r.code, c.code, r.out, r.err)
		}
	}
	noSecretBelow(t, state, []string{user.Password, "CANARY"})
}
