package signin_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"geodeck/adminapi/secrets"
	"geodeck/adminapi/signin"
	"geodeck/adminapi/sites"
)

// open makes a source, and collects what it notes.
func open(t *testing.T, o signin.Options) (source signin.Source, notes *[]string) {
	t.Helper()
	notes = new([]string)
	o.Note = func(text string) { *notes = append(*notes, text) }
	source, err := signin.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return source, notes
}

func write(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := errors.Join(os.WriteFile(path, []byte(text), mode), os.Chmod(path, mode)); err != nil {
		t.Fatal(err)
	}
}

func TestATokenFileIsReadAgainForARefusedToken(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "token")
	write(t, path, "  first\n", 0o600)
	source, notes := open(t, signin.Options{Kind: sites.FromFile, File: path})
	token, err := source.Token(t.Context())
	if err != nil || token.Value != "first" || len(*notes) > 0 || source.Kept() != "the file "+path {
		t.Fatalf("%q, %v, notes %q, kept in %s", token.Value.Reveal(), err, *notes, source.Kept())
	}
	if token, err = source.Renew(t.Context(), "first"); err == nil || token.Known() {
		t.Errorf("the refused token is given again: %v", err)
	}
	write(t, path, "second", 0o600)
	if token, err = source.Renew(t.Context(), "first"); err != nil || token.Value != "second" {
		t.Errorf("%q, %v", token.Value.Reveal(), err)
	}
}

func TestATokenFileThatOthersMayReadIsNoted(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "token")
	write(t, path, "token", 0o640)
	source, notes := open(t, signin.Options{Kind: sites.FromFile, File: path})
	if _, err := source.Token(t.Context()); err != nil || len(*notes) != 1 || !strings.Contains((*notes)[0], "chmod 600") {
		t.Errorf("%v, notes %q", err, *notes)
	}
}

func TestNoErrorShowsWhatATokenFileHolds(t *testing.T) {
	t.Parallel()
	const canary = "CANARY-7d1c"
	for text, want := range map[string]string{
		"":                                  "is empty",
		canary + " " + canary:               "holds more than a token",
		canary + "\x1b[31m":                 "holds more than a token",
		strings.Repeat(canary, 64<<10/11+1): "has more than 64 KiB",
	} {
		path := filepath.Join(t.TempDir(), "token")
		write(t, path, text, 0o600)
		source, _ := open(t, signin.Options{Kind: sites.FromFile, File: path})
		token, err := source.Token(t.Context())
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), canary) || token.Known() {
			t.Errorf("%.30q: %v", text, err)
		}
	}
	source, _ := open(t, signin.Options{Kind: sites.FromFile, File: filepath.Join(t.TempDir(), "none")})
	if _, err := source.Token(t.Context()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without a file: %v", err)
	}
}

func TestATokenFileThatNobodyWritesHoldsUpNobody(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	source, _ := open(t, signin.Options{Kind: sites.FromFile, File: path})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, first := source.Token(ctx)
	_, second := source.Renew(ctx, "refused")
	if !errors.Is(first, context.Canceled) || !errors.Is(second, context.Canceled) {
		t.Errorf("%v, %v", first, second)
	}
	if pipe, err := os.OpenFile(path, os.O_RDWR|syscall.O_NONBLOCK, 0); err != nil || pipe.Close() != nil { // ends what is left behind
		t.Error(err)
	}
}

func TestAVariableOfTheEnvironmentIsOneToken(t *testing.T) {
	t.Parallel()
	for value, c := range map[string]struct {
		want secrets.Secret
		err  string
	}{"": {}, " token\n": {want: "token"}, "CANARY two": {err: "STAGING_TOKEN holds more than a token"}} {
		source, _ := open(t, signin.Options{Kind: sites.Environment, Variable: "STAGING_TOKEN", Env: func(name string) string {
			return map[string]string{"STAGING_TOKEN": value}[name]
		}})
		token, err := source.Token(t.Context())
		if token.Value != c.want || (err == nil) != (c.err == "") || err != nil && err.Error() != c.err || source.Kept() != "the environment (STAGING_TOKEN)" {
			t.Errorf("%q gives %q, %v, kept in %s", value, token.Value.Reveal(), err, source.Kept())
		}
		if _, err := source.Renew(t.Context(), token.Value); err == nil {
			t.Error("an environment has a new token")
		}
	}
}

func TestWhoAsksKeepsNothing(t *testing.T) {
	t.Parallel()
	for _, kind := range []sites.Kind{"", sites.Ask} {
		source, _ := open(t, signin.Options{Kind: kind})
		token, err := source.Token(t.Context())
		if token.Known() || err != nil || source.Kept() != "not kept" {
			t.Errorf("%v, %v, %s", token, err, source.Kept())
		}
		if _, err := source.Renew(t.Context(), "x"); !errors.Is(err, signin.ErrSignIn) {
			t.Error(err)
		}
	}
}

func TestASourceThatNamesNothingIsRefused(t *testing.T) {
	t.Parallel()
	for _, o := range []signin.Options{{Kind: sites.FromFile}, {Kind: sites.Environment}, {Kind: "post-it"}} {
		if _, err := signin.New(o); err == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
}
