package adminapi_test

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/secrets"
	"geodeck/adminapi/simulator/simtest"
)

// traced collects the exchanges of a client as lines of JSON.
type traced struct {
	mu    sync.Mutex
	lines []string
	all   []adminapi.Exchange
}

func (x *traced) config(c *adminapi.Config) {
	c.Trace = func(e adminapi.Exchange) {
		line, err := json.Marshal(e)
		if err != nil {
			line = []byte(err.Error())
		}
		x.mu.Lock()
		defer x.mu.Unlock()
		x.lines, x.all = append(x.lines, string(line)), append(x.all, e)
	}
}

func (x *traced) last() adminapi.Exchange { return x.all[len(x.all)-1] }

func TestATraceHoldsRequestsAndAnswers(t *testing.T) {
	t.Parallel()
	const root = `{"fullVersion":"11.5.0.6745","currentVersion":11.5,"resources":["a"]}`
	s := serveRoot(t, says(200, root))
	var x traced
	client := newClient(t, s.URL, x.config, func(c *adminapi.Config) { c.Token = adminapi.Token{Value: "CANARY-token-of-a-trace"} })
	if _, err := client.Root(t.Context()); err != nil {
		t.Fatal(err)
	}
	e := x.last()
	check(t, "method and path", e.Method+" "+e.Path, "GET /admin", nil)
	check(t, "status", e.Status, 200, nil)
	check(t, "fields", e.Fields, map[string][]string{"f": {"json"}}, nil)
	check(t, "sent", e.Sent["Authorization"], []string{"Bearer {token}"}, nil)
	check(t, "body", string(e.Body), root, nil)
	if len(e.Headers["Date"]) != 1 || e.LeftOut != "" {
		t.Errorf("%v, left out %q", e.Headers, e.LeftOut)
	}
}

func TestABodyThatIsNoJSONOrLongIsLeftOutWithItsChecksum(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ kind, body, want string }{
		"a page":      {"text/html; charset=utf-8", "<html>CANARY-cookie-of-a-page</html>", "text/html, 36 bytes, sha256 "},
		"cut":         {"application/json", `{"password":"CANARY-cookie-of`, "no JSON as a whole, 29 bytes, sha256 "},
		"long":        {"application/json", `{"a":"` + strings.Repeat("x", 1<<20) + `"}`, "long, 1048584 bytes, sha256 "},
		"unknown":     {"", "\x00\x01CANARY-cookie", "no JSON as a whole, 15 bytes"},
		"several":     {"application/json", `{"password":"CANARY-cookie-of"} {}`, "no JSON as a whole"},
		"an octet":    {"application/octet-stream", "CANARY-cookie-of-a-page", "application/octet-stream, 23 bytes"},
		"not escaped": {"application/json", "{\"a\":\"\x1b[31m\xff\"}", "no JSON as a whole"},
	} {
		var x traced
		s := serveRoot(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", c.kind)
			_, _ = w.Write([]byte(c.body))
		})
		_, _ = newClient(t, s.URL, x.config).Root(t.Context())
		if e := x.last(); !strings.HasPrefix(e.LeftOut, c.want) || e.Body != nil || strings.Contains(x.lines[len(x.lines)-1], "CANARY") {
			t.Errorf("%s: left out %q, want %q; %.300s", name, e.LeftOut, c.want, x.lines[len(x.lines)-1])
		}
	}
}

// variants are what a careless site or program makes of a secret.
func variants(secret string) []string {
	quoted, _ := json.Marshal(secret)
	numbered, percents, unicodes := "", "", ""
	for _, b := range []byte(secret) {
		numbered += fmt.Sprintf("&#x%X;", b)
		percents += fmt.Sprintf("%%%02X", b)
		unicodes += fmt.Sprintf(`\u%04x`, b)
	}
	return []string{
		secret, strings.ToUpper(secret), strings.ToLower(secret), url.QueryEscape(secret), strings.ToLower(url.QueryEscape(secret)), percents,
		html.EscapeString(secret), numbered, unicodes, strings.Trim(string(quoted), `"`), secret[:len(secret)/2] + "\u200b" + secret[len(secret)/2:], secret[3:],
	}
}

func TestATraceHoldsNoSecretInAnyVariantOrPlace(t *testing.T) {
	t.Parallel()
	const token, password, licence, setting = "CANARY/Tok+en=93kd81ms7", "CANARY pass&word!52-ügh", "CANARYLICENCEQ7W8E9R0T1Y2", "CANARY.setting.7719.abc"
	const inDefinition, inAnswer, inHeader = "CANARY-definition-4471x", "CANARY-answered-8812y", "CANARY-cookie-3317z"
	all := []string{token, password, licence, setting, inDefinition, inAnswer, inHeader}
	for i := range variants(token) {
		var x traced
		s := serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Set-Cookie", "session="+inHeader+"; Path=/")
			w.Header().Set("Location", "https://gis.example.org/?token="+url.QueryEscape(token))
			w.Header().Set("Content-Type", "application/json")
			said := variants(token)[i] + " " + variants(password)[i]
			for at, secret := range map[string]string{"/edit": inDefinition, "/upload": licence, "/upgrade": setting} {
				if strings.HasSuffix(r.URL.Path, at) {
					said += " " + variants(secret)[i]
				}
			}
			q, _ := json.Marshal(said)
			body := `{"token":"` + inAnswer + `","apiKey":"` + inAnswer + `","nested":{"secret":["` + inAnswer + `"]},"connection":"SERVER=a;PASSWORD=` + inAnswer + `","again":"` + strings.ToUpper(inAnswer) + `","text":` + string(q) +
				`,"error":{"code":400,"message":` + string(q) + `,"details":[` + string(q) + `]}}`
			if strings.HasSuffix(r.URL.Path, "/generateToken") { // it takes the password: one that it refuses is no secret
				body = strings.Replace(strings.Replace(body, inAnswer, "issued-for-a-sign-in", 1), `"error":`, `"more":`, 1)
			}
			for _, piece := range []string{body[:len(body)/3], body[len(body)/3 : len(body)/2], body[len(body)/2:]} { // in the middle of what it says
				_, _ = w.Write([]byte(piece))
				w.(http.Flusher).Flush()
			}
		})
		client := newClient(t, s.URL, x.config, func(c *adminapi.Config) { c.Token = adminapi.Token{Value: token} })
		ctx := t.Context()
		_, _ = client.Session.SignIn(ctx, "admin", password, time.Hour)
		client.Session.SetToken(adminapi.Token{Value: token})
		_, _ = client.Root(ctx)
		_, _ = client.Jobs.IDs(ctx)
		_, _, _ = client.Change(ctx, adminapi.EditService(adminapi.ServiceRef{Name: "a", Type: "MapServer"}, []byte(`{"serviceName":"a","properties":{"password":"`+inDefinition+`","url":"https://me:`+inDefinition+`@h/"}}`), true))
		_, _, _ = client.Uploads.Send(ctx, adminapi.Part{Name: "itemFile", File: true, FileName: "licence.json", Secret: true, Content: []byte(`{"code":"` + licence + `"}`)}, "a licence", nil)
		_, _, _ = client.Upgrades.Start(ctx, []adminapi.Part{{Name: "upgradeSettings", Content: []byte(`{"x":"` + setting + `"}`), Secrets: []secrets.Secret{setting}}})
		for _, line := range x.lines {
			for _, secret := range all {
				if part := simtest.Left(line, secret); part != "" {
					t.Errorf("variant %d: %q of %q in %.1500s", i, part, secret, line)
				}
			}
		}
		for _, path := range []string{"/generateToken", "/jobs", "/edit", "/upload", "/upgrade"} {
			if !strings.Contains(strings.Join(x.lines, "\n"), path+`"`) {
				t.Fatalf("nothing was sent to %s", path)
			}
		}
	}
}

// A setting has its name beside its value, and a site may repeat either anywhere.
func TestATraceHidesTheValueBesideTheNameOfASecret(t *testing.T) {
	t.Parallel()
	const secret = "CANARY-of-a-setting-5518"
	var x traced
	s := serveRoot(t, says(200, `{"userInputs":[{"value":"`+secret+`","id":"storePassword"}],"fullVersion":"11.5.0.6745","note":"`+secret+` {\"password\":\"two `+secret+` words\"}"}`))
	_, _ = newClient(t, s.URL, x.config).Root(t.Context())
	if want := `{"userInputs":[{"value":"[secret]","id":"storePassword"}],"fullVersion":"11.5.0.6745","note":"[secret] {\"password\":\"[secret]\"}"}`; string(x.last().Body) != want {
		t.Errorf("%s", x.last().Body)
	}
}

// What has the name of a secret in one answer is one in all that follow, whatever name it has there.
func TestATraceKnowsASecretFromThenOn(t *testing.T) {
	t.Parallel()
	const secret = "CANARY-of-an-earlier-answer-71"
	var x traced
	answers := []string{`{"clientSecret":"` + secret + `","fullVersion":"11.5.0.6745"}`, `{"fullVersion":"11.5.0.6745","note":"it was ` + secret + ` before"}`}
	var asked atomic.Int64
	s := serveRoot(t, func(w http.ResponseWriter, r *http.Request) {
		says(200, answers[asked.Add(1)-1])(w, r)
	})
	client := newClient(t, s.URL, x.config)
	for range answers {
		if _, err := client.Root(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if all := strings.Join(x.lines, "\n"); len(x.all) != 2 || strings.Contains(all, secret) || !strings.Contains(all, "it was [secret] before") {
		t.Error(all)
	}
}
