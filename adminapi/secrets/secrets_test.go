package secrets_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"geodeck/adminapi/secrets"
)

func TestASecretIsPrintedAsAMask(t *testing.T) {
	t.Parallel()
	held := struct{ Secret secrets.Secret }{canary}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		if text := fmt.Sprintf(verb, held); strings.Contains(text, canary) || !strings.Contains(text, "[secret]") {
			t.Errorf("%s prints %s", verb, text)
		}
	}
	text, err := json.Marshal(held)
	if err != nil || string(text) != `{"Secret":"[secret]"}` {
		t.Errorf("as JSON it is %s, %v", text, err)
	}
	if text, err := held.Secret.MarshalText(); err != nil || string(text) != secrets.Mask {
		t.Errorf("as a text it is %s, %v", text, err)
	}
	if text := fmt.Sprint(secrets.Secret("")); text != "" { // there is none
		t.Errorf("none is printed as %s", text)
	}
}

func TestAMaskedTextCoversWhatItWasMadeOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		masked, text string
		covers       bool
	}{
		{"called by [secret]", "called by jane", true},
		{"[secret] of [secret]", "one of two", true},
		{"[secret]", "x", true},
		{"[secret]", "", false},
		{"a [secret] c", "a  c", false},
		{"a [secret] c [secret]", "a b d e", false},
		{"a [secret] b [secret] c [secret]", "a x b ", false}, // it ends too early
		{"a [secret] b [secret]", "a b x", false},             // the first would stand for nothing
		{"[secret] b [secret]", "x b ", false},
		{"[secret] b [secret] c [secret]", "1 c 2 b 3", false}, // in another order
		{"ab [secret] ab", "ab ab", false},
		{"called by [secret]", "killed by jane", false},
		{"[secret] was called", "jane was killed", false},
		{"no mask", "no mask", false},
		{"ab", "ab x ab", false},
	} {
		if got := secrets.Covers(c.masked, c.text); got != c.covers {
			t.Errorf("%q covers %q: %v", c.masked, c.text, got)
		}
	}
}
