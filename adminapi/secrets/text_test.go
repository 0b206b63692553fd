package secrets_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"geodeck/adminapi/secrets"
)

// masked is a text as it may be shown, and as what is kept of a site.
func masked(text string) (open, kept string) {
	return new(secrets.ByName).Text(text), (&secrets.ByName{Kept: true}).Text(text)
}

func TestSecretsAreMaskedWhereANameOrASignSaysSo(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		// After a name and =.
		"https://x?a=1&token=abc&f=json": "https://x?a=1&token=[secret]&f=json",
		"my-client.secret=a b":           "my-client.secret=[secret] b",
		"dbPassphrase2=a,b":              "dbPassphrase2=[secret]",
		"redirect=x%3Ftoken%3Dabc":       "redirect=x%3Ftoken%3D[secret]",
		"a=b%26sig%3Dabc":                "a=b%26sig%3D[secret]",
		"db.pwd=abc and x_pwd=abc":       "db.pwd=[secret] and x_pwd=abc",
		"access_token=Bearer abc.def":    "access_token=Bearer [secret]",
		"x-api-key=abc; API key=abc":     "x-api-key=[secret] API key=[secret]",
		"to\u212aen=abc ſecret=abc":      "token=[secret] secret=[secret]",
		"my ſecret=abc":                  "my secret=[secret]",
		"my to\u212aen=abc":              "my token=[secret]",
		// In quotes, also where JSON stands in a text or is cut.
		`sent {"adminPassword" : "two words, and \"more\"", "n":2}`: `sent {"adminPassword" : "[secret]", "n":2}`,
		`{"passcode":"cut in the middle of i`:                       `{"passcode":"[secret]`,
		`the "secret of the store":"a b"`:                           `the "secret of the store":"[secret]"`,
		`{\"password\":\"a b\",\"n\":1}`:                            `{\"password\":\"[secret]\",\"n\":1}`,
		`{'secretKey': 'a b', 'n': 1}`:                              `{'secretKey': '[secret]', 'n': 1}`,
		`"pwd":"a b" "basin":"a b"`:                                 `"pwd":"[secret]" "basin":"a b"`,
		`{"Authorization":"Bearer abcdefghij.0123456789"}x`:         `{"Authorization":"Bearer [secret]"}x`,
		`"token is":"a", "note":"b"`:                                `"token is":"[secret]", "note":"b"`,
		// Signs of secrets.
		"Authorization: Basic YTpi\r\nX: 1":                             "Authorization: Basic [secret]\r\nX: 1",
		"authorization%3A Basic YTpi":                                   "authorization%3A Basic [secret]",
		"BEARER abcdefghij.0123456789== x":                              "BEARER [secret] x",
		"jdbc:pg://gis:hunter2@db/x":                                    "jdbc:pg://gis:[secret]@db/x",
		"https://:p@ss@h https://h:80/a@b":                              "https://:[secret]@h https://h:80/a@b",
		"-----BEGIN PRIVATE KEY-----\nMII\n-----END PRIVATE KEY-----\n": "-----BEGIN PRIVATE KEY-----[secret]-----END PRIVATE KEY-----\n",
		"-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nMII\n-----END RSA PRIVATE KEY-----": "-----BEGIN RSA PRIVATE KEY-----[secret]-----END RSA PRIVATE KEY-----",
		// No secrets.
		"":               "",
		"token=":         "token=",
		"token= a":       "token= a",
		" {\"a\" : 1}\n": " {\"a\" : 1}\n",
		"12 \u212a in the Ma\u017f\u017fe, no secret":         "12 \u212a in the Ma\u017f\u017fe, no secret",
		"The token service was restarted; tokens stay valid.": "The token service was restarted; tokens stay valid.",
		"replicas=3 image=registry.example.org/portal:11.5":   "replicas=3 image=registry.example.org/portal:11.5",
		"Private keys in the keystore: 4 = all.":              "Private keys in the keystore: 4 = all.",
		"12:30:45 https://gis.example.org:6443/a":             "12:30:45 https://gis.example.org:6443/a",
	} {
		open, kept := masked(text)
		if kept != want {
			t.Errorf("kept: %q\nbecame %q\nwant   %q", text, kept, want)
		}
		if open != want && text != "my-client.secret=a b" && !strings.Contains(text, "; ") {
			t.Errorf("%q\nbecame %q\nwant   %q", text, open, want)
		}
	}
}

// Texts that a site tells are sentences: some words count elsewhere only. A connection string goes on
// behind a semicolon; a token that a site tells may have one in it.
func TestKeptTextsSpeakOfSecrets(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]string{
		"The token: renewed":            {"The token: [secret]", "The token: renewed"},
		"tests: pass=12 fail=3":         {"tests: pass=[secret] fail=3", "tests: pass=12 fail=3"},
		"exit code=3":                   {"exit code=[secret]", "exit code=3"},
		"SERVER=db;PASSWORD=a;USER=gis": {"SERVER=db;PASSWORD=[secret];USER=gis", "SERVER=db;PASSWORD=[secret]"},
		"Bearer abc":                    {"Bearer abc", "Bearer [secret]"},
		"password: 'a b'":               {"password: '[secret] b'", "password: 'a b'"},
		`{"password":12,"n":" a "}`:     {`{"password":"[secret]","n":" a "}`, `{"password":12,"n":" a "}`},
		` {"a":{"token":["x",""]}} `:    {`{"a":{"token":["[secret]",""]}}`, ` {"a":{"token":["x",""]}} `},
	} {
		if open, kept := masked(text); open != want[0] || kept != want[1] {
			t.Errorf("%q\nbecame   %q\nand kept %q", text, open, kept)
		}
	}
}

func TestWhatIsMaskedByItsNameIsCollected(t *testing.T) {
	t.Parallel()
	var by secrets.ByName
	by.Text("token=one")
	by.Text(`{"password":"two","in":"{\"secret\":3}","n":4}`)
	by.Text("nothing")
	if want := []secrets.Secret{"one", "two", "3"}; !slices.Equal(by.Found, want) {
		t.Errorf("%d secrets", len(by.Found))
	}
}

// The time that a text takes grows as its length does.
func TestManySignsStayLinear(t *testing.T) {
	t.Parallel()
	for _, sign := range []string{"token", "token.", "token ", `token"`, `"token" `, `token\`, "pwd", "://", "://a:", "bearer ", "private key-----", "-----begin ", "token%3", "authorization ", "code", `'token'`, "token:", "a=", "token   \t"} {
		masked(strings.Repeat(sign, 1<<15/len(sign)))
	}
}

// What is kept is masked again when it is read: that must not change it.
func FuzzTextsByName(f *testing.F) {
	for _, text := range []string{`{"token":"a":"b"}`, "token=bearer 1", `"x token=a":"b"`, `\"pwd\":\"a`, "https://a:b@c?sig=%26", "to\u212aen=ſecret", "%22secret%22%3A%22x", "-----BEGIN PRIVATE KEY-----a"} {
		f.Add(text, "=")
		f.Add(text, `":"`)
	}
	f.Fuzz(func(t *testing.T, text, sign string) {
		open, kept := masked(text)
		if utf8.ValidString(text) && !(utf8.ValidString(open) && utf8.ValidString(kept)) {
			t.Errorf("%q became %q and %q", text, open, kept)
		}
		if _, again := masked(kept); again != kept {
			t.Errorf("%q is kept as %q, and that as %q", text, kept, again)
		}
		if sign == "=" || sign == `":"` {
			open, kept = masked("\n" + `"password` + sign + canary + `" ` + text)
			if strings.Contains(open+kept, canary) {
				t.Errorf("%q and %q", open, kept)
			}
		}
	})
}

// A mask has the word secret in it. What a sentence says behind it, also in quotes, is no value of a name.
func TestAMaskIsNoNameOfASecret(t *testing.T) {
	t.Parallel()
	for _, kept := range []bool{false, true} {
		for text, want := range map[string]string{
			`the node [secret] said "ready": "all images are there"`: `the node [secret] said "ready": "all images are there"`,
			`[secret] of 'node 7': 'it is down'`:                     `[secret] of 'node 7': 'it is down'`,
			`{"[secret]": "hidden-by-its-key"`:                       `{"[secret]": "[secret]"`,
			`user[secret]=x "secret word": "hunter-2"`:               `user[secret]=x "secret word": "[secret]"`,
		} {
			if got := (&secrets.ByName{Kept: kept}).Text(text); got != want {
				t.Errorf("kept %v: %q became %q", kept, text, got)
			}
		}
	}
}
