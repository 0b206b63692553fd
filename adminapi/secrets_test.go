package adminapi_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
)

// mostLeft is how many characters in a row of a secret may be left in a text.
const mostLeft = 7

// left returns a part of a secret that a reader of a text still finds, whatever they
// do to it: look at it on a terminal, take escapes away, look past invisible
// characters. It is empty where none is longer than mostLeft.
func left(text, secret string) string {
	secret = solid(secret)
	var forms []string
	add := func(form string) {
		if !slices.Contains(forms, form) {
			forms = append(forms, form)
		}
	}
	add(text)
	add(plain.Text(text))
	looked := 0
	for range 3 {
		for _, form := range forms[looked:] {
			form = solid(form)
			for at := 0; at+mostLeft < len(secret); at++ {
				if part := secret[at : at+mostLeft+1]; strings.Contains(form, part) {
					return part
				}
			}
		}
		fresh := forms[looked:]
		looked = len(forms)
		for _, form := range fresh {
			add(html.UnescapeString(form))
			add(withoutPercents(form))
			add(withoutBackslashes(form))
		}
	}
	return ""
}

// solid leaves of a text what can be seen, in lower case.
func solid(text string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.In(r, unicode.C, unicode.M) || r == utf8.RuneError {
			return -1
		}
		return r
	}, text))
}

func withoutPercents(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if i+2 < len(text) && text[i] == '%' {
			if plainText, err := url.PathUnescape(text[i : i+3]); err == nil {
				b.WriteString(plainText)
				i += 2
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

func withoutBackslashes(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) {
			for _, size := range []int{2, 6} {
				var decoded string
				if i+size <= len(text) && json.Unmarshal([]byte(`"`+text[i:i+size]+`"`), &decoded) == nil {
					b.WriteString(decoded)
					i += size
					break
				}
			}
			if i >= len(text) {
				break
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// unseen are characters that stand in a text and that nobody sees.
var unseen = []string{"\u200b", "\u200d", "\u202e", "\u2066", "\u2069", "\u00ad", "\ufeff", "\u034f", "\ufe0f", "\U000e0041", "\x07", "\x00", "\r", "\n", "\t", "\x1b[31m", "\u0301", "\ufffd", "\u0085"}

// mangled repeats a secret as a careless or hostile site may.
func mangled(draw *rand.Rand, secret string) string {
	escape := []func(rune) string{
		func(r rune) string { return fmt.Sprintf("&#%d;", r) },
		func(r rune) string { return fmt.Sprintf("&#x%X;", r) },
		func(r rune) string { return html.EscapeString(string(r)) },
		func(r rune) string { return url.QueryEscape(string(r)) },
		func(r rune) string { return strings.ToLower(url.QueryEscape(string(r))) },
		func(r rune) string { return fmt.Sprintf("%%%02x", string(r)[0]) + percentRest(r) },
		func(r rune) string { return fmt.Sprintf(`\u%04x`, r) },
		func(r rune) string { return string(unicode.ToUpper(r)) },
		func(r rune) string { return string(unicode.ToLower(r)) },
		func(r rune) string { return string(r) },
	}
	kind, often := draw.IntN(len(escape)+1), 1+draw.IntN(12)
	var b strings.Builder
	for _, r := range secret {
		if draw.IntN(often) == 0 && often < 10 {
			b.WriteString(unseen[draw.IntN(len(unseen))])
		}
		if k := kind; k < len(escape) {
			b.WriteString(escape[k](r))
		} else {
			b.WriteString(escape[draw.IntN(len(escape))](r))
		}
	}
	text := []rune(b.String())
	from := draw.IntN(1 + len(text)/3)
	return string(text[from : from+draw.IntN(1+len(text)-from)])
}

func percentRest(r rune) string {
	rest := ""
	for _, b := range []byte(string(r))[1:] {
		rest += fmt.Sprintf("%%%02X", b)
	}
	return rest
}

func randomSecret(draw *rand.Rand, length int) string {
	const letters = `abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.+/=&<>"'%\~!`
	b := make([]byte, length)
	for i := range b {
		b[i] = letters[draw.IntN(len(letters))]
	}
	return string(b)
}

// echo is a site that says one text wherever a site can say any.
type echo struct {
	text  string
	name  string // of a suite, which loses tokens alone; empty for the text
	token string // for a sign-in
}

func (e *echo) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	quoted, _ := json.Marshal(e.text)
	q := string(quoted)
	quoted, _ = json.Marshal(cmp.Or(e.name, e.text))
	name := string(quoted)
	switch {
	case strings.HasSuffix(r.URL.Path, "/generateToken"):
		says(200, fmt.Sprintf(`{"token":%q,"expires":0}`, e.token))(w, r)
	case strings.HasSuffix(r.URL.Path, "/system/upgrades"):
		says(200, `{"status":{"state":"in_progress","code":1,"messages":[{"code":2038,"when":1,"message":`+q+`,"more":{"of":[`+q+`]}}]}}`)(w, r)
	case strings.HasSuffix(r.URL.Path, "/jobs/j"):
		says(200, `{"jobid":"j","status":"FAILED","messages":[`+q+`],"result":{"message":`+q+`,"service":{"serviceName":"a","description":`+q+`}}}`)(w, r)
	case strings.HasSuffix(r.URL.Path, "/reports/r"):
		says(200, `{"id":"r","suiteStatus":[{"name":`+name+`,"criticalTestStatus":[{"description":`+q+`,"why":`+q+`}]}]}`)(w, r)
	case strings.HasSuffix(r.URL.Path, "/a.MapServer"):
		says(200, `{"serviceName":"a","description":`+q+`}`)(w, r)
	case strings.HasSuffix(r.URL.Path, "/a.MapServer/placementPolicy"):
		says(200, `{"placementPolicy":[{"key":`+q+`}]}`)(w, r)
	case strings.HasSuffix(r.URL.Path, "/mode"):
		says(400, e.text)(w, r)
	case strings.HasSuffix(r.URL.Path, "/suites"):
		says(403, `<html><title>`+e.text+`</title></html>`)(w, r)
	default:
		says(200, `{"error":{"code":400,"message":`+q+`,"messageCode":`+q+`,"details":[`+q+`]}}`)(w, r)
	}
}

// everyText returns the texts in which a client hands on what a site says.
func everyText(t testing.TB, c *adminapi.Client) []string {
	t.Helper()
	texts := textsOfRequests(t, c)
	status, err := c.UpgradeStatus(t.Context())
	if err != nil || len(status.Messages) != 1 {
		t.Fatal(err)
	}
	texts = append(texts, status.Messages[0].Message, string(status.Messages[0].Unknown))
	report, err := c.Report(t.Context(), "r")
	if err != nil {
		t.Fatal(err)
	}
	test := report.Suites[0].Critical[0]
	return append(texts, report.Suites[0].Name, test.Description, string(test.Unknown), string(test.Raw), string(report.Raw))
}

// textsOfRequests returns those of errors and of a job.
func textsOfRequests(t testing.TB, c *adminapi.Client) (texts []string) {
	t.Helper()
	ctx := t.Context()
	fails := func(err error) {
		for ; err != nil; err = errors.Unwrap(err) {
			texts = append(texts, fmt.Sprintf("%v", err), fmt.Sprintf("%+v", err), fmt.Sprintf("%#v", err))
			if e, ok := err.(*adminapi.Error); ok {
				texts = append(append(texts, e.Message, e.MessageCode), e.Details...)
			}
		}
	}
	_, err := c.JobIDs(ctx)
	fails(err)
	_, err = c.Mode(ctx)
	fails(err)
	_, err = c.Suites(ctx)
	fails(err)
	job, err := c.Job(ctx, "j")
	if err != nil {
		t.Fatal(err)
	}
	return append(append(texts, job.Messages...), append(job.Reasons(), string(job.Raw), string(job.Result))...)
}

// wantNone fails where more than a few characters of a secret are left in a text.
func wantNone(t testing.TB, texts []string, secret string) {
	t.Helper()
	for _, text := range texts {
		if part := left(text, secret); part != "" {
			t.Errorf("%q of %q is left in %.300q", part, secret, text)
		}
	}
}

func TestASecretIsPrintedAsAMask(t *testing.T) {
	t.Parallel()
	held := struct{ Secret adminapi.Secret }{canary}
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

func TestNoSecretIsLeftInAnyEncoding(t *testing.T) {
	t.Parallel()
	draw := rand.New(rand.NewPCG(1, 2))
	e := &echo{}
	s := serve(t, e.ServeHTTP)
	for range 150 {
		secret := randomSecret(draw, 9+draw.IntN(60))
		c := s.client(t, func(cfg *adminapi.Config) { cfg.Token = adminapi.Token{Value: adminapi.Secret(secret)} })
		e.text = "it says " + mangled(draw, secret) + " and " + mangled(draw, secret) + "."
		wantNone(t, everyText(t, c), secret)
		if t.Failed() {
			t.Fatalf("the site said %q", e.text)
		}
	}
}

func FuzzSecretsInTexts(f *testing.F) {
	f.Add(uint64(1), canary, "before ", " after")
	f.Add(uint64(2), `a%41b\u0042c&amp;d+e f`, "%", ";")
	f.Add(uint64(3), "pässwörter", "&", "#")
	f.Fuzz(func(t *testing.T, seed uint64, secret, before, after string) {
		draw := rand.New(rand.NewPCG(seed, 5))
		c := newClient(t, "https://gis.example/admin", func(cfg *adminapi.Config) { cfg.Token = adminapi.Token{} })
		c.SetToken(adminapi.Token{Value: adminapi.Secret(secret)})
		text := before + secret + after
		if part := left(c.Clean(text), secret); part != "" && left("[secret]", secret) == "" {
			t.Errorf("%q of %q is left in %q", part, secret, c.Clean(text))
		}
		clean := c.Clean(before + mangled(draw, secret) + after)
		if !utf8.ValidString(clean) && utf8.ValidString(before) && utf8.ValidString(secret) && utf8.ValidString(after) {
			t.Errorf("broken: %q", clean)
		}
		quoted, _ := json.Marshal(map[string]string{before: text, "b": after})
		if masked := c.CleanJSON(quoted); !json.Valid(masked) {
			t.Errorf("%s became %s", quoted, masked)
		}
	})
}

func TestASecretIsMaskedBeforeTextIsCut(t *testing.T) {
	t.Parallel()
	draw := rand.New(rand.NewPCG(3, 4))
	long := strings.Map(func(r rune) rune {
		if isPlain := r < 0x80 && (unicode.IsLetter(r) || unicode.IsDigit(r)); isPlain {
			return r
		}
		return 'x'
	}, randomSecret(draw, 700))
	for _, secret := range []string{long, "hunter2"} {
		for _, length := range []int{30, 190, 470, 480, 490, 494, 8<<10 - 7, 64<<10 - 7} {
			e := &echo{text: strings.Repeat("-", length) + " " + secret}
			c := serve(t, e.ServeHTTP).client(t, func(cfg *adminapi.Config) { cfg.Token = adminapi.Token{Value: adminapi.Secret(secret)} })
			texts := textsOfRequests(t, c)
			if len(secret) >= 8 { // short ones may be words of what is kept
				texts = everyText(t, c)
			}
			for _, text := range texts {
				if strings.Contains(text, secret[:4]) {
					t.Errorf("behind %d: %.60q", length, text[strings.Index(text, secret[:4]):])
				}
			}
		}
	}
}

// Eight characters in a row are masked, seven are not.
func TestAPartOfASecretIsMaskedAnywhere(t *testing.T) {
	t.Parallel()
	c := newClient(t, "https://gis.example/admin")
	for at := range len(canary) - mostLeft {
		for before := range 50 {
			around := strings.Repeat("~", before)
			if got := c.Clean(around + canary[at:at+mostLeft+1] + around); !strings.HasPrefix(got, around) || !strings.Contains(got, "[secret]") {
				t.Fatalf("behind %d: %q", before, got)
			}
			if text := around + canary[at:at+mostLeft] + around; c.Clean(text) != text {
				t.Fatalf("%q became %q", text, c.Clean(text))
			}
		}
	}
}

func TestAShortSecretIsMaskedAsAWholeWord(t *testing.T) {
	t.Parallel()
	e := &echo{}
	s := serve(t, e.ServeHTTP)
	for secret, texts := range map[string]map[string]string{
		"Kestr3l": {
			"the password Kestr3l is wrong": "the password [secret] is wrong",
			"(kestr3l)\nKESTR3L":            "([secret])\n[secret]",
			"Kes\u200btr\x073l, %4bestr3l.": "[secret], [secret].",
			"Kestr3ls and xKestr3l stay":    "Kestr3ls and xKestr3l stay",
		},
		"a&b": {"a&amp;b or a&b or a%26b": "[secret] or [secret] or [secret]", "xa&b": "xa&b"},
		"ab":  {"ab is too short to be looked for": "ab is too short to be looked for"},
	} {
		c := s.client(t)
		e.token = canary
		if _, err := c.SignIn(t.Context(), "admin", adminapi.Secret(secret), time.Hour); err != nil {
			t.Fatal(err)
		}
		for text, want := range texts {
			e.text = text
			_, err := c.JobIDs(t.Context())
			if refused, ok := errors.AsType[*adminapi.Error](err); !ok || refused.Message != want {
				t.Errorf("%q became %v, want %q", text, err, want)
			}
			// Of what is kept it may be any word.
			if status, err := c.UpgradeStatus(t.Context()); err != nil || status.Messages[0].Message != text {
				t.Errorf("%q is kept as %q, %v", text, status.Messages[0].Message, err)
			}
		}
	}
}

func TestEarlierSecretsAreMasked(t *testing.T) {
	t.Parallel()
	const password = "a long password of somebody"
	var signIns atomic.Int32
	e := &echo{}
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/generateToken") {
			e.token = fmt.Sprintf("token-number-%d-of-this-site", signIns.Add(1))
		}
		e.ServeHTTP(w, r)
	}).client(t)
	for range 3 {
		if _, err := c.SignIn(t.Context(), "admin", password, time.Hour); err != nil {
			t.Fatal(err)
		}
	}
	for _, secret := range []string{canary, password, "token-number-1-of-this-site", "token-number-2-of-this-site", "token-number-3-of-this-site"} {
		if e.text, e.name = "the site tells of "+secret+" once more", ""; secret == password {
			e.name = "a suite"
		}
		wantNone(t, everyText(t, c), secret)
	}
}

func TestAPasswordThatIsRefusedIsMaskedInTheRefusal(t *testing.T) {
	t.Parallel()
	const password = "correct horse+battery/staple"
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		says(200, `{"error":{"code":400,"message":"wrong: `+url.QueryEscape(r.Form.Get("password"))+` `+strings.ToUpper(r.Form.Get("password"))+`"}}`)(w, r)
	}).client(t)
	_, err := c.SignIn(t.Context(), "admin", password, time.Hour)
	wantKind(t, err, adminapi.KindSignIn)
	wantNone(t, []string{err.Error()}, password)
}

// A mask that is sent back would replace what the administrator wrote.
func TestTextThatIsSentBackIsNotMasked(t *testing.T) {
	t.Parallel()
	e := &echo{text: "the key is " + canary}
	c := serve(t, e.ServeHTTP).client(t)
	service := adminapi.ServiceRef{Name: "a", Type: "MapServer"}
	definition, err := c.ServiceDefinition(t.Context(), service)
	if want := `{"serviceName":"a","description":"the key is ` + canary + `"}`; err != nil || string(definition) != want {
		t.Errorf("definition %s, %v", definition, err)
	}
	policy, err := c.ServicePlacement(t.Context(), service)
	if err != nil || !strings.Contains(string(policy), canary) {
		t.Errorf("policy %s, %v", policy, err)
	}
	job, err := c.Job(t.Context(), "j")
	edited, found := job.Service()
	if err != nil || !found || string(edited) != string(definition) || strings.Contains(string(job.Result), canary) {
		t.Errorf("the job holds %s, and %s, %v", edited, job.Result, err)
	}
}

func TestOfManySecretsNoneIsLeft(t *testing.T) {
	t.Parallel()
	secrets := make([]adminapi.Secret, 2000)
	var text strings.Builder
	for i := range secrets {
		secrets[i] = adminapi.Secret(fmt.Sprintf("%x", rand.New(rand.NewPCG(uint64(i), 7)).Uint64()))
		text.WriteString(secrets[i].Reveal() + " ")
	}
	masked := adminapi.Mask(text.String(), secrets...)
	for i, secret := range secrets {
		if strings.Contains(masked, secret.Reveal()) {
			t.Fatalf("secret %d of %d is left", i, len(secrets))
		}
	}
}

func TestMaskingChangesNothingElse(t *testing.T) {
	t.Parallel()
	c := newClient(t, "https://gis.example/admin")
	for text, want := range map[string]string{
		"100 % of 17 %2B, R&amp;D, C:\\new\\u0041, 1+1=2 \x1b[2J\u200b": "100 % of 17 %2B, R&amp;D, C:\\new\\u0041, 1+1=2 \x1b[2J\u200b",
		"x\u200b" + canary + "\u200by":                                  "x\u200b[secret]\u200by",
		canary + canary:                                                 "[secret]",
		canary + ", " + canary:                                          "[secret], [secret]",
	} {
		if got := c.Clean(text); got != want || c.Clean(got) != got {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
	for value, want := range map[string]string{
		`{"a" : 1.0, "b":"x\u0041" }` + "\n" + `[ "` + canary + `" , 2]`: `{"a" : 1.0, "b":"x\u0041" }` + "\n" + `["[secret]" , 2]`,
		`no JSON: ` + canary: `no JSON: [secret]`,
	} {
		if got := string(c.CleanJSON([]byte(value))); strings.ReplaceAll(got, `[ "`, `["`) != want {
			t.Errorf("%s became %s", value, got)
		}
	}
}

// A site may write a secret of the settings into the log of the upgrade.
func TestASecretOfSettingsIsMaskedOnceItIsSent(t *testing.T) {
	t.Parallel()
	const passphrase = "open sesame of the store"
	settings := adminapi.Part{Name: "upgradeSettings", Content: []byte(`{"a":"` + passphrase + `"}`), Secrets: []adminapi.Secret{passphrase}}
	e := &echo{text: "opened with " + strings.ToUpper(passphrase) + " now", name: "a suite"}
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/upgrades/upgrade") {
			body, _ := io.ReadAll(r.Body)
			if !strings.Contains(string(body), passphrase) {
				t.Errorf("sent as %s", body)
			}
			says(200, `{"status":{"state":"in_progress","code":1,"messages":[{"code":2010,"message":"with `+passphrase+`","when":1}]}}`)(w, r)
			return
		}
		e.ServeHTTP(w, r)
	}).client(t)
	status, outcome, err := c.StartUpgrade(t.Context(), []adminapi.Part{settings})
	if err != nil || outcome != adminapi.OutcomeDone || status.Messages[0].Message != "with [secret]" {
		t.Errorf("%v %+v, %v", outcome, status, err)
	}
	wantNone(t, everyText(t, c), passphrase)
}

// A long text is searched in pieces, and a secret may lie between two.
func TestALongTextIsSearchedToItsEnd(t *testing.T) {
	t.Parallel()
	c := newClient(t, "https://gis.example/admin")
	for _, filling := range []string{"x", "é", "%41", "\u200b"} {
		for _, size := range []int{1 << 12, 60 << 10, 64<<10 - 5, 64 << 10, 140 << 10} {
			before := strings.Repeat(filling, size)
			if got := c.Clean(before + canary + before); got != before+"[secret]"+before {
				t.Errorf("between %d times %q it is left, or more is gone: %d bytes", size, filling, len(got))
			}
		}
	}
}
