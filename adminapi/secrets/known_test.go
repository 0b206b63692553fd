package secrets_test

import (
	"fmt"
	"testing"

	"geodeck/adminapi/secrets"
)

var (
	taken   = secrets.Answer{Taken: true}
	refused = secrets.Answer{Refused: true}
	none    = secrets.Answer{}
)

// What the site makes of a secret decides whether it is masked in errors, and in what is kept.
func TestASecretIsKnownForWhatTheSiteMakesOfIt(t *testing.T) {
	t.Parallel()
	const it, other = "administrator", "another-token"
	for name, c := range map[string]struct {
		does           func(k *secrets.Known)
		anywhere, kept bool
	}{
		"never seen":                   {func(*secrets.Known) {}, false, false},
		"sent as a value":              {func(k *secrets.Known) { k.Add(it) }, true, true},
		"a password under way":         {func(k *secrets.Known) { k.SignIn(it) }, true, false},
		"a password that is taken":     {func(k *secrets.Known) { k.SignIn(it); k.SignedIn(taken, it) }, true, true},
		"a password that is refused":   {func(k *secrets.Known) { k.SignIn(it); k.SignedIn(refused, it) }, false, false},
		"a password without an answer": {func(k *secrets.Known) { k.SignIn(it); k.SignedIn(none, it) }, true, false},
		"refused while it is sent again": {func(k *secrets.Known) {
			k.SignIn(it)
			k.SignIn(it)
			k.SignedIn(refused, it)
		}, true, false},
		"refused twice": {func(k *secrets.Known) {
			k.SignIn(it)
			k.SignIn(it)
			k.SignedIn(refused, it)
			k.SignedIn(refused, it)
		}, false, false},
		"refused once it was taken": {func(k *secrets.Known) {
			k.SignIn(it)
			k.SignedIn(taken, it)
			k.SignIn(it)
			k.SignedIn(refused, it)
		}, true, true},
		"refused, and no answer when it was sent again": {func(k *secrets.Known) {
			k.SignIn(it)
			k.SignIn(it)
			k.SignedIn(refused, it)
			k.SignedIn(none, it)
		}, false, false},
		"refused, and it is the user's name, too": {func(k *secrets.Known) { k.SignIn(it, it); k.SignedIn(refused, it, it) }, false, false},
		"taken, beside one that was before": {func(k *secrets.Known) {
			k.Add(other)
			k.SignIn(it, other)
			k.SignedIn(taken, it, other)
		}, true, true},
		"a password under way that is a value":  {func(k *secrets.Known) { k.SignIn(it); k.Add(it) }, true, true},
		"a value that is refused as a password": {func(k *secrets.Known) { k.Add(it); k.SignIn(it); k.SignedIn(refused, it) }, true, true},
		"a token of the user":                   {func(k *secrets.Known) { k.AddToken(it, false) }, true, true},
		"a token that is refused": {func(k *secrets.Known) {
			k.AddToken(it, false)
			k.SendToken(it)
			k.TokenSent(refused, it, it)
		}, true, false},
		"a token that is refused, then has no answer": {func(k *secrets.Known) {
			k.AddToken(it, false)
			k.SendToken(it)
			k.TokenSent(refused, it, it)
			k.SendToken(it)
			k.TokenSent(none, it, it)
		}, true, false},
		"refused as another is": {func(k *secrets.Known) { // the site refuses all, and may take it again
			k.AddToken(it, false)
			k.SendToken(it)
			k.TokenSent(refused, it, it)
			k.AddToken(other, false)
			k.SendToken(other)
			k.TokenSent(refused, other, other)
		}, true, false},
		"refused, and another is taken": {func(k *secrets.Known) {
			k.AddToken(it, false)
			k.SendToken(it)
			k.TokenSent(refused, it, it)
			k.AddToken(other, false)
			k.SendToken(other)
			k.TokenSent(taken, other, other)
		}, false, false},
		"refused, another is taken, and it is in use": {func(k *secrets.Known) {
			k.AddToken(it, false)
			k.SendToken(it)
			k.TokenSent(refused, it, it)
			k.AddToken(other, false)
			k.SendToken(other)
			k.TokenSent(taken, other, it)
		}, true, false},
		"issued, refused, and another is taken": {func(k *secrets.Known) {
			k.AddToken(it, true)
			k.SendToken(it)
			k.TokenSent(refused, it, it)
			k.AddToken(other, true)
			k.SendToken(other)
			k.TokenSent(taken, other, other)
		}, true, true},
		"a token without a privilege": {func(k *secrets.Known) {
			k.AddToken(it, false)
			k.SendToken(it)
			k.TokenSent(none, it, it)
			k.AddToken(other, false)
			k.SendToken(other)
			k.TokenSent(taken, other, other)
		}, true, true},
	} {
		k := secrets.New(base)
		c.does(k)
		for rule, known := range map[secrets.Rule]bool{secrets.Anywhere: c.anywhere, secrets.InKept: c.kept} {
			if got := k.Masker().Text("by "+it+".", rule); (got == "by [secret].") != known {
				t.Errorf("%s: %q under rule %d", name, got, rule)
			}
		}
	}
}

func TestTheNewestSecretsAreKept(t *testing.T) {
	t.Parallel()
	k := secrets.New(base)
	var values []secrets.Secret
	for i := range 600 {
		values = append(values, secrets.Secret(fmt.Sprintf("value-%d-of-it", i)))
	}
	k.Add(values[:400]...)
	k.Add(values[400:]...)
	for i := range 40 {
		k.AddToken(secrets.Secret(fmt.Sprintf("token-%d-of-it", i)), true)
	}
	for text, known := range map[string]bool{"token-39-of-it": true, "token-8-of-it": true, "token-7-of-it": false, "value-88-of-it": true, "value-87-of-it": false} {
		if got := k.Masker().Text(text, secrets.InKept); (got == secrets.Mask) != known {
			t.Errorf("%s is %s", text, got)
		}
	}
}

// Nothing but its checksums tells one from another: those of short ones are of another kind.
func TestAShortSecretIsKnownBesideAnother(t *testing.T) {
	t.Parallel()
	k := secrets.New(base)
	for _, secret := range []secrets.Secret{"Kestr3l", "Falc0n", "administrator", "Kestr3l"} {
		k.Add(secret)
	}
	if got := k.Masker().Text("Kestr3l, Falc0n, administrator", secrets.Anywhere); got != "[secret], [secret], [secret]" {
		t.Error(got)
	}
}

func TestWhatWasTracedIsMaskedLaterWhereItIsLong(t *testing.T) {
	t.Parallel()
	k := secrets.New(base)
	const found = "a-long-secret twelve-bytes a-short1"
	if got := k.Traced([]secrets.Secret{"a-long-secret", "twelve-bytes", "a-short1"}).Text(found, secrets.Anywhere); got != "[secret] [secret] [secret]" {
		t.Error(got)
	}
	if got := k.Traced(nil).Text(found, secrets.Anywhere); got != "[secret] [secret] a-short1" {
		t.Error(got)
	}
	if got := k.Masker().Text("a-long-secret", secrets.Anywhere); got != "a-long-secret" {
		t.Errorf("what another site may have is masked outside of traces: %s", got)
	}
	k.SignIn("a-long-secret")
	k.SignedIn(refused, "a-long-secret")
	if got := k.Traced(nil).Text("a-long-secret", secrets.Anywhere); got != "a-long-secret" {
		t.Errorf("a refused password is masked in traces: %s", got)
	}
	k.SignIn("twelve-bytes", "another-password")
	k.SignedIn(taken, "twelve-bytes")
	k.SignedIn(refused, "another-password")
	if got := k.Traced(nil).Text(found, secrets.Anywhere); got != "a-long-secret [secret] a-short1" {
		t.Errorf("what was not refused is lost with it: %s", got)
	}
}
