package adminapi_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode"

	"geodeck/adminapi"
	"geodeck/adminapi/secrets"
	"geodeck/adminapi/simulator/simtest"
)

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
	status, err := c.Upgrades.Status(t.Context())
	if err != nil || len(status.Messages) != 1 {
		t.Fatal(err)
	}
	texts = append(texts, status.Messages[0].Message, string(status.Messages[0].Unknown))
	report, err := c.Health.Report(t.Context(), "r")
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
	_, err := c.Jobs.IDs(ctx)
	fails(err)
	_, err = c.Mode(ctx)
	fails(err)
	_, err = c.Health.Suites(ctx)
	fails(err)
	job, err := c.Jobs.Get(ctx, "j")
	if err != nil {
		t.Fatal(err)
	}
	return append(append(texts, job.Messages...), append(job.Reasons(), string(job.Raw), string(job.Result))...)
}

// wantNone fails where more than a few characters of a secret are left in a text.
func wantNone(t testing.TB, texts []string, secret string) {
	t.Helper()
	for _, text := range texts {
		if part := simtest.Left(text, secret); part != "" {
			t.Errorf("%q of %q is left in %.300q", part, secret, text)
		}
	}
}

func TestNoSecretIsLeftInAnyEncoding(t *testing.T) {
	t.Parallel()
	draw := rand.New(rand.NewPCG(1, 2))
	e := &echo{}
	s := serve(t, e.ServeHTTP)
	for range 150 {
		secret := simtest.RandomSecret(draw, 9+draw.IntN(60))
		c := s.client(t, func(cfg *adminapi.Config) { cfg.Token = adminapi.Token{Value: secrets.Secret(secret)} })
		e.text = "it says " + simtest.Mangled(draw, secret) + " and " + simtest.Mangled(draw, secret) + "."
		wantNone(t, everyText(t, c), secret)
		if t.Failed() {
			t.Fatalf("the site said %q", e.text)
		}
	}
}

func TestASecretIsMaskedBeforeTextIsCut(t *testing.T) {
	t.Parallel()
	draw := rand.New(rand.NewPCG(3, 4))
	long := strings.Map(func(r rune) rune {
		if isPlain := r < 0x80 && (unicode.IsLetter(r) || unicode.IsDigit(r)); isPlain {
			return r
		}
		return 'x'
	}, simtest.RandomSecret(draw, 700))
	for _, secret := range []string{long, "hunter2"} {
		for _, length := range []int{30, 190, 470, 480, 490, 494, 8<<10 - 7, 64<<10 - 7} {
			e := &echo{text: strings.Repeat("-", length) + " " + secret}
			c := serve(t, e.ServeHTTP).client(t, func(cfg *adminapi.Config) { cfg.Token = adminapi.Token{Value: secrets.Secret(secret)} })
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
		if _, err := c.Session.SignIn(t.Context(), "admin", secrets.Secret(secret), time.Hour); err != nil {
			t.Fatal(err)
		}
		for text, want := range texts {
			e.text = text
			_, err := c.Jobs.IDs(t.Context())
			if refused, ok := errors.AsType[*adminapi.Error](err); !ok || refused.Message != want {
				t.Errorf("%q became %v, want %q", text, err, want)
			}
			// Of what is kept it may be any word.
			if status, err := c.Upgrades.Status(t.Context()); err != nil || status.Messages[0].Message != text {
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
		if _, err := c.Session.SignIn(t.Context(), "admin", password, time.Hour); err != nil {
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
	_, err := c.Session.SignIn(t.Context(), "admin", password, time.Hour)
	wantKind(t, err, adminapi.KindSignIn)
	wantNone(t, []string{err.Error()}, password)
}

// A mask that is sent back would replace what the administrator wrote.
func TestTextThatIsSentBackIsNotMasked(t *testing.T) {
	t.Parallel()
	e := &echo{text: "the key is " + canary}
	c := serve(t, e.ServeHTTP).client(t)
	service := adminapi.ServiceRef{Name: "a", Type: "MapServer"}
	definition, err := c.Services.Definition(t.Context(), service)
	if want := `{"serviceName":"a","description":"the key is ` + canary + `"}`; err != nil || string(definition) != want {
		t.Errorf("definition %s, %v", definition, err)
	}
	policy, err := c.Services.Placement(t.Context(), service)
	if err != nil || !strings.Contains(string(policy), canary) {
		t.Errorf("policy %s, %v", policy, err)
	}
	job, err := c.Jobs.Get(t.Context(), "j")
	if err != nil || len(job.Result) == 0 || strings.Contains(string(job.Result), canary) {
		t.Errorf("the job holds %s, %v", job.Result, err)
	}
}

// A site may write a secret of the settings into the log of the upgrade.
func TestASecretOfSettingsIsMaskedOnceItIsSent(t *testing.T) {
	t.Parallel()
	const passphrase = "open sesame of the store"
	settings := adminapi.Part{Name: "upgradeSettings", Content: []byte(`{"a":"` + passphrase + `"}`), Secrets: []secrets.Secret{passphrase}}
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
	status, outcome, err := c.Upgrades.Start(t.Context(), []adminapi.Part{settings})
	if err != nil || outcome != adminapi.OutcomeDone || status.Messages[0].Message != "with [secret]" {
		t.Errorf("%v %+v, %v", outcome, status, err)
	}
	wantNone(t, everyText(t, c), passphrase)
}
