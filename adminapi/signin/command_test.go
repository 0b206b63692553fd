package signin_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/secrets"
	"geodeck/adminapi/signin"
	"geodeck/adminapi/simulator/simtest"
	"geodeck/adminapi/sites"
)

func TestACommandPrintsAToken(t *testing.T) {
	t.Parallel()
	const canary = "CANARY-4f1d-token"
	for name, c := range map[string]struct {
		lines   string
		want    secrets.Secret
		expires adminapi.Millis
		err     string
	}{
		"alone":           {lines: "echo; echo '  a-token '", want: "a-token"},
		"as JSON":         {lines: `echo '{"token":"a-token","expires":1800000000000}'`, want: "a-token", expires: 1_800_000_000_000},
		"nothing":         {lines: ":", err: "printed no token"},
		"two":             {lines: "echo " + canary + " two", err: "more than a token"},
		"JSON without":    {lines: `echo '{"auth":"` + canary + `"}'`, err: "printed no token"},
		"broken JSON":     {lines: `echo '{"token":"` + canary + `'`, err: "without a token"},
		"too much":        {lines: "while :; do echo " + canary + "; done", err: "stopped after printing more than 64 KiB"},
		"fails":           {lines: "echo " + canary + "; echo 'no " + canary + " for \033[31myou' >&2; exit 3", err: "its errors: no"},
		"a token of it":   {lines: "echo 'sealed: s3cr3tCANARYabcdefghij0123456789' >&2; exit 1", err: "sealed: [secret]"},
		"our environment": {lines: `echo "t$GEODECK_TOKEN"`, want: "t"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source, _ := open(t, signin.Options{Kind: sites.Command, Command: simtest.Script(t, "vault", c.lines) + " 'read it'"})
			token, err := source.Token(t.Context())
			if token.Value != c.want || token.Expires != c.expires || (err == nil) != (c.err == "") {
				t.Fatalf("%q until %d, %v", token.Value.Reveal(), token.Expires, err)
			}
			if err != nil && (!strings.Contains(err.Error(), c.err) || strings.Contains(err.Error(), "CANARY") || strings.Contains(err.Error(), "\x1b")) {
				t.Error(err)
			}
			if err == nil {
				if _, err := source.Renew(t.Context(), token.Value); err == nil || !strings.Contains(err.Error(), "the same token") {
					t.Errorf("renewed: %v", err)
				}
			}
		})
	}
}

func TestACommandThatHangsIsEndedWithTheContext(t *testing.T) {
	t.Parallel()
	source, _ := open(t, signin.Options{Kind: sites.Command, Command: "sh -c 'sleep 600 & sleep 600'"})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := source.Token(ctx); err == nil {
		t.Error("a token")
	}
}

func TestACommandLineThatIsNoneIsRefused(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"", "  ", "vault 'read"} {
		if _, err := signin.New(signin.Options{Kind: sites.Command, Command: line}); err == nil {
			t.Errorf("%q is accepted", line)
		}
	}
}
