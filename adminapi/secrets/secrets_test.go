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
		{"no mask", "no mask", false},
	} {
		if got := secrets.Covers(c.masked, c.text); got != c.covers {
			t.Errorf("%q covers %q: %v", c.masked, c.text, got)
		}
	}
}
