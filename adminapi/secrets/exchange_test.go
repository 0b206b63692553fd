package secrets_test

import (
	"slices"
	"strings"
	"testing"

	"geodeck/adminapi/secrets"
)

func TestTheHeadersOfAnExchangeLoseCredentials(t *testing.T) {
	t.Parallel()
	var by secrets.Exchange
	for _, c := range [][3]string{
		{"Authorization", "bEARER  abc", "bEARER {token}"},
		{"X-Esri-Authorization", "Digest a=b", "Digest {credentials}"},
		{"Proxy-Authorization", "abc", "{credentials}"},
		{"Cookie", "a=b; c=d", "{cookie}"},
		{"Set-Cookie", "a=e; Path=/f", "{cookie}"},
		{"Referer", "https://x/?token=g", "https://x/?token=[secret]"},
		{"Www-Authenticate", `Bearer realm="a"`, `Bearer realm="a"`},
		{"Location", "https://x/\u202e\x1b", `https://x/\u202e\u001b`},
		{"Location", "https://x/Größe", "https://x/Größe"},
	} {
		if got := by.Header(c[0], c[1]); got != c[2] {
			t.Errorf("%s: %s is written as %s", c[0], c[1], got)
		}
	}
	if want := []secrets.Secret{"abc", "a=b", "abc", "b", "d", "e", "g"}; !slices.Equal(by.Found, want) {
		t.Errorf("%d secrets", len(by.Found))
	}
}

func TestTheFieldsAndTheBodyOfAnExchangeLoseSecrets(t *testing.T) {
	t.Parallel()
	var by secrets.Exchange
	for _, c := range [][3]string{
		{"token", "a", "{token}"}, {"licenseFile", "a", "{licensefile}"}, {"code", "a", "{code}"}, {"token", "", ""},
		{"f", "json", "json"}, {"url", "https://a:b@c", "https://a:[secret]@c"}, {"message", strings.Repeat("a", 64<<10+1), "(65537 bytes)"},
		{"settings", "\ufeff {\"userInputs\" : [{\"id\":\"storePassword\",\"value\":\"a\"}]}\n", `{"userInputs":[{"id":"storePassword","value":"[secret]"}]}`},
		{"settings", `{"password":"a"`, `{"password":"[secret]"`},
	} {
		if got := by.Value(c[0], c[1]); got != c[2] {
			t.Errorf("%s=%.100s is written as %s", c[0], c[1], got)
		}
	}
	body := []byte(`{"token" : "a", "n":1.0,"text":"\u0041\u001b\u202e","list":[{"value":2,"name":"pwd"}]}`)
	if text, ok := by.Body(body, "<text>", false); !ok || text != `{"token":"<text>","n":1.0,"text":"A\u001b\u202e","list":[{"value":"<text>","name":"pwd"}]}` {
		t.Errorf("%s, %v", text, ok)
	}
	if text, ok := by.Body([]byte(`{"a":{"secret":1}}`), secrets.Mask, true); !ok || text != "{\n  \"a\": {\n    \"secret\": \"[secret]\"\n  }\n}" {
		t.Errorf("%s, %v", text, ok)
	}
	deep := strings.Repeat("[", 32) + strings.Repeat("]", 32)
	if text, ok := by.Body([]byte(deep), secrets.Mask, false); !ok || text != deep {
		t.Errorf("%s is written as %s", deep, text)
	}
	for _, body := range []string{"", "<html>", `{"token":"a"} {}`, strings.Repeat("[", 33) + strings.Repeat("]", 33)} {
		if text, ok := by.Body([]byte(body), secrets.Mask, false); ok || text != "" {
			t.Errorf("%s is written as %s", body, text)
		}
	}
}
