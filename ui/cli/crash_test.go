package cli

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"geodeck/adminapi"
	"geodeck/ui"
	"geodeck/ui/cli/exit"
	"geodeck/ui/cli/session"
)

// kept returns the one file that a crash left in a folder.
func kept(t *testing.T, folder string) (path, content string) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(folder, "geodeck-crash-*.txt"))
	if err != nil || len(found) != 1 {
		t.Fatalf("files %v, %v", found, err)
	}
	info, err := os.Stat(found[0])
	if err != nil || info.Mode() != 0o600 {
		t.Fatalf("%v, %v", info.Mode(), err)
	}
	raw, err := os.ReadFile(found[0])
	if err != nil {
		t.Fatal(err)
	}
	return found[0], string(raw)
}

func TestAPanicIsASentenceOnTheScreenAndAStackInAPrivateFile(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	var out, errs bytes.Buffer
	env := func(name string) string {
		if name == session.EnvURL {
			panic("no such variable") // anything that fails within a command
		}
		return ""
	}
	code := Run(t.Context(), []string{"job", "list", "--state-dir", state}, Process{Out: &out, Err: &errs, Env: env})
	if code != exit.Failed {
		t.Errorf("exit code %d", code)
	}
	path, content := kept(t, state)
	for _, want := range []string{"the program failed in a command", "Nothing more is sent", "continues at the site", path, "geodeck upgrade status"} {
		if !strings.Contains(errs.String(), want) {
			t.Errorf("nothing says %q:\n%s", want, errs.String())
		}
	}
	if out.Len() > 0 || strings.Contains(errs.String(), "goroutine ") {
		t.Errorf("the stack is shown:\n%s", errs.String())
	}
	if !strings.Contains(content, "goroutine ") || !strings.Contains(content, "(*Session).choose") {
		t.Errorf("the file holds\n%s", content)
	}
}

func TestAPanicOfTheDashboardTellsNoSecret(t *testing.T) {
	state := t.TempDir()
	client, err := adminapi.New(adminapi.Config{Base: "https://gis.example.org/x/admin", Token: adminapi.Token{Value: "renewed-token"}})
	if err != nil {
		t.Fatal(err)
	}
	secrets := []string{"renewed-token", "token-of-the-environment", "hunter22"}
	values := []any{
		errors.New("bad state renewed-token and token-of-the-environment\x1b[2J"),
		"renewed-token, token-of-the-environment",
		struct{ password string }{"hunter22"},
	}
	for i, value := range values {
		var errs bytes.Buffer
		env := func(name string) string { return map[string]string{session.EnvToken: "token-of-the-environment"}[name] }
		p, folder := newProgram(t.Context(), nil, Process{Out: io.Discard, Err: &errs, Env: env}), filepath.Join(state, string(rune('a'+i)))
		set := pflag.NewFlagSet("", pflag.ContinueOnError)
		if p.flags.Register(set); set.Parse([]string{"--state-dir", folder}) != nil {
			t.Fatal("it has no flag for the state folder")
		}
		if code := exit.Print(p.Out, p.Exit.Explain(ofDashboard(client, &ui.PanicError{Where: "drawing", Value: value, Stack: []byte("goroutine 7 [running]:")}))); code != exit.Failed {
			t.Errorf("exit code %d", code)
		}
		_ = p.Out.Flush()
		_, content := kept(t, folder)
		for _, secret := range secrets {
			if strings.Contains(errs.String(), secret) || strings.Contains(content, secret) {
				t.Errorf("%v tells a secret:\n%s%s", value, errs.String(), content)
			}
		}
		if strings.Contains(errs.String()+content, "\x1b") || !strings.Contains(content, "goroutine 7") {
			t.Errorf("it says\n%s%s", errs.String(), content)
		}
	}
}
