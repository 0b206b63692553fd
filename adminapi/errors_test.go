package adminapi_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"geodeck/adminapi"
)

func TestEveryFormOfAnErrorIsUnderstood(t *testing.T) {
	t.Parallel()
	type seen struct {
		Kind        adminapi.Kind
		Status      int
		Code        int
		MessageCode string
		Message     string
		Details     []string
	}
	cases := []struct {
		name   string
		status int
		body   string
		want   seen
	}{
		{"400", 200, recorded(t, "error_400_portal"), seen{adminapi.KindInvalid, 200, 400, "", "'type' and 'title' property required.", nil}},
		{"403", 200, recorded(t, "error_403_portal"), seen{adminapi.KindPrivilege, 200, 403, "", "You do not have permissions to access this resource or perform this operation.", nil}},
		{"498", 200, recorded(t, "error_498_portal"), seen{adminapi.KindSignIn, 200, 498, "", "Invalid token.", nil}},
		{"499", 200, recorded(t, "error_499_portal"), seen{adminapi.KindSignIn, 200, 499, "GWM_0003", "Token Required", []string{"Token Required"}}},
		{"499 of the family", 200, recorded(t, "error_499_SIBLING_server_admin"), seen{adminapi.KindSignIn, 200, 499, "", "Unauthorized access.Token not found. You can generate a token using the 'generateToken' operation.", nil}},
		{"500 of the family", 200, recorded(t, "error_500_SIBLING_server_admin_start"), seen{adminapi.KindServer, 200, 500, "", "(reason the service cannot be started)", nil}},
		{"message code counts before 403", 200, `{"error":{"code":403,"messageCode":"GWM_0003","message":"m"}}`, seen{adminapi.KindSignIn, 200, 403, "GWM_0003", "m", nil}},
		{"code as text, details as text", 200, `{"error":{"code":"404","message":"gone","details":"look"}}`, seen{adminapi.KindNotFound, 200, 404, "", "gone", []string{"look"}}},
		{"details null, no code", 500, `{"error":{"message":"m","details":null}}`, seen{adminapi.KindServer, 500, 0, "", "m", nil}},
		{"code as a word", 200, `{"error":{"code":"GatewayTimeout","message":"gone","details":["look"]}}`, seen{adminapi.KindServer, 200, 0, "", "gone", []string{"look"}}},
		{"code as an object", 200, `{"error":{"code":{"id":7},"messageCode":9}}`, seen{adminapi.KindServer, 200, 0, "9", "", nil}},
		{"error as text", 200, `{"error":"text","code":409}`, seen{adminapi.KindBusy, 200, 409, "", "text", nil}},
		{"failure, flat", 200, `{"code":500,"message":"m","status":"failure","details":null}`, seen{adminapi.KindServer, 200, 500, "", "m", nil}},
		{"failed with JSON messages in a text", 200, `{"status":"failed","statusMessage":"{\"messages\":[\"one\",\"two\"]}"}`, seen{adminapi.KindServer, 200, 0, "", "one", []string{"two"}}},
		{"failed with other JSON in a text", 200, `{"status":"failed","statusMessage":"{\"reason\":\"odd\"}"}`, seen{adminapi.KindServer, 200, 0, "", `{"reason":"odd"}`, nil}},
		{"401 around a 500", 401, `{"error":{"code":500,"message":"m"}}`, seen{adminapi.KindSignIn, 401, 500, "", "m", nil}},
		{"failed with JSON in a text", 200, `{"status":"failed","statusMessage":"{\"message\":\"inner\"}"}`, seen{adminapi.KindServer, 200, 0, "", "inner", nil}},
		{"success false", 200, `{"success":false}`, seen{adminapi.KindServer, 200, 0, "", "", nil}},
		{"success false as text", 200, `{"success":"false","message":"m"}`, seen{adminapi.KindServer, 200, 0, "", "m", nil}},
		{"messages of objects", 200, `{"status":"error","messages":[{"code":1,"message":"one"},"two"]}`, seen{adminapi.KindServer, 200, 0, "", "one", []string{"two"}}},
		{"read-only site", 200, `{"error":{"code":403,"message":"m","details":["The site is in read-only mode"]}}`, seen{adminapi.KindReadOnly, 200, 403, "", "m", []string{"The site is in read-only mode"}}},
		{"something runs", 200, `{"error":{"code":400,"message":"An upgrade is in progress."}}`, seen{adminapi.KindBusy, 200, 400, "", "An upgrade is in progress.", nil}},
		{"locked", 423, `{"error":{"code":423,"message":"m"}}`, seen{adminapi.KindBusy, 423, 423, "", "m", nil}},
		{"too large for the site", 413, ``, seen{adminapi.KindTooLarge, 413, 0, "", "Request Entity Too Large", nil}},
		{"flat, told by the status", 404, `{"message":"m"}`, seen{adminapi.KindNotFound, 404, 0, "", "m", nil}},
		{"flat, of the lowest status", 400, `{"messages":["one","two"]}`, seen{adminapi.KindInvalid, 400, 0, "", "one", []string{"two"}}},
		{"bare 498", 498, ``, seen{adminapi.KindSignIn, 498, 0, "", "the token is not valid", nil}},
		{"bare 401", 401, ``, seen{adminapi.KindSignIn, 401, 0, "", "Unauthorized", nil}},
		{"text with 500", 500, "upstream died", seen{adminapi.KindServer, 500, 0, "", "Internal Server Error: upstream died", nil}},
		{"long text with 500", 500, strings.Repeat("é", 300), seen{adminapi.KindServer, 500, 0, "", "Internal Server Error: " + strings.Repeat("é", 250) + "…", nil}},
		{"page with a long title", 200, `<html><title>` + strings.Repeat("T", 201) + `</title>`, seen{adminapi.KindNotJSON, 200, 0, "",
			`the answer is a web page ("` + strings.Repeat("T", 200) + `…"), not the API's; check the address, the proxy and the login page`, nil}},
		{"page with a title that just fits", 200, `<html><title>` + strings.Repeat("T", 200) + `</title>`, seen{adminapi.KindNotJSON, 200, 0, "",
			`the answer is a web page ("` + strings.Repeat("T", 200) + `"), not the API's; check the address, the proxy and the login page`, nil}},
		{"nothing with 200", 200, ``, seen{adminapi.KindNotJSON, 200, 0, "", "the answer is empty", nil}},
		{"half", 200, `{"jobs":["a`, seen{adminapi.KindNotJSON, 200, 0, "", "the answer is cut off or not the expected JSON", nil}},
		{"page with 200", 200, `<!DOCTYPE html><title> Sign in &amp; go </title>`, seen{adminapi.KindNotJSON, 200, 0, "",
			`the answer is a web page ("Sign in & go"), not the API's; check the address, the proxy and the login page`, nil}},
		{"page with 401", 401, `<html><title>Sign in</title>`, seen{adminapi.KindSignIn, 401, 0, "",
			`the answer is a web page ("Sign in"), not the API's; check the address, the proxy and the login page`, nil}},
		{"page with 404", 404, "\ufeff \n<html>", seen{adminapi.KindNotFound, 404, 0, "", `the site has nothing at /ctx/admin/jobs`, nil}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := serve(t, says(c.status, c.body)).client(t).Jobs.IDs(t.Context())
			if err == nil {
				t.Fatal("no error")
			}
			e := wantKind(t, err, c.want.Kind)
			got := seen{e.Kind, e.Status, e.Code, e.MessageCode, e.Message, e.Details}
			if len(got.Details) == 0 {
				got.Details = nil
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if e.Operation == "" || e.Method != http.MethodGet || e.Path != "/ctx/admin/jobs" {
				t.Errorf("about %q %s %s", e.Operation, e.Method, e.Path)
			}
		})
	}
}

// A server in front answers with a page of its own where the site has nothing. Nobody is to look for another
// address then, as long as the platform answers anywhere at this one.
func TestAPageOfAMissingResourceDoesNotPutTheAddressInDoubt(t *testing.T) {
	t.Parallel()
	const missing, running = "<html><title>404 Not Found</title>", `{"status":{"code":0,"messages":[],"state":"no_upgrade"}}`
	mapping := adminapi.ServiceRef{Name: "roads", Type: "MapServer"}
	for name, tt := range map[string]struct {
		root, upgrades string
		want           adminapi.Kind
	}{
		"the root answers":                 {aRoot, missing, adminapi.KindNotFound},
		"the root asks for a token":        {`{"error":{"code":499,"message":"Token Required"}}`, missing, adminapi.KindNotFound},
		"only the state of upgrades shows": {missing, running, adminapi.KindNotFound},
		"nothing but pages":                {missing, missing, adminapi.KindNotJSON},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := serveRoot(t, func(w http.ResponseWriter, r *http.Request) {
				body := missing
				switch {
				case isRoot(r):
					body = tt.root
				case strings.HasSuffix(r.URL.Path, "/admin/system/upgrades"):
					body = tt.upgrades
				}
				status := http.StatusOK
				if body == missing {
					status = http.StatusNotFound
				}
				says(status, body)(w, r)
			}).client(t)
			_, report := c.Health.Report(t.Context(), "abcdefghij")
			_, job := c.Jobs.Get(t.Context(), "j1")
			_, service := c.Services.Definition(t.Context(), mapping)
			outcome, deletion := c.Health.Delete(t.Context(), "r1")
			for path, err := range map[string]error{
				"healthCheck/reports/abcdefghij": report, "jobs/j1": job, "services/roads.MapServer": service, "healthCheck/reports/r1/delete": deletion,
			} {
				e := wantKind(t, err, tt.want)
				lacking := strings.Contains(e.Error(), "the site has nothing at /ctx/admin/"+path+" (HTTP 404)") && errors.Is(err, adminapi.ErrMissing)
				if lacking != (tt.want == adminapi.KindNotFound) {
					t.Errorf("%s: %v", path, err)
				}
			}
			if outcome != adminapi.OutcomeRefused {
				t.Errorf("the write: %v", outcome)
			}
			if _, err := c.Upgrades.Status(t.Context()); tt.upgrades == missing && !errors.Is(err, adminapi.KindNotJSON) {
				t.Errorf("the watch of an upgrade ends: %v", err)
			}
		})
	}
}

// A site may lack its root and its list of services in its own words. It is reached all the same, and says
// whether it takes the token.
func TestASiteWithoutARootIsReachedByTheStateOfItsUpgrades(t *testing.T) {
	t.Parallel()
	const lacking = `{"error":{"code":404,"message":"no such resource"}}`
	const running = `{"status":{"code":0,"messages":[],"state":"no_upgrade"}}`
	for name, tt := range map[string]struct {
		root, upgrades string
		want           error
	}{
		"the root answers":          {aRoot, lacking, nil},
		"upgrades answer":           {lacking, running, nil},
		"upgrades are for others":   {lacking, `{"error":{"code":403,"message":"not allowed"}}`, nil},
		"upgrades ask for a token":  {lacking, `{"error":{"code":499,"message":"Token Required"}}`, adminapi.KindSignIn},
		"the root asks for a token": {`{"error":{"code":499,"message":"Token Required"}}`, running, adminapi.KindSignIn},
		"nothing is at the address": {lacking, lacking, adminapi.KindNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := serveRoot(t, func(w http.ResponseWriter, r *http.Request) {
				body, status := lacking, http.StatusOK
				switch {
				case isRoot(r):
					body = tt.root
				case strings.HasSuffix(r.URL.Path, "/admin/system/upgrades"):
					body = tt.upgrades
				}
				if body == lacking {
					status = http.StatusNotFound
				}
				says(status, body)(w, r)
			}).client(t)
			if _, err := c.Reach(t.Context()); !errors.Is(err, tt.want) {
				t.Errorf("reached with %v, want %v", err, tt.want)
			}
			_, err := c.Services.Folder(t.Context(), "")
			if missing := errors.Is(err, adminapi.ErrMissing); missing == (tt.want == adminapi.KindNotFound) {
				t.Errorf("the list of services: missing is %v: %v", missing, err)
			}
		})
	}
}

func TestARefusalWithoutAWordSaysThatItGivesNoReason(t *testing.T) {
	t.Parallel()
	for body, code := range map[string]string{
		`{"success":false}`: "", `{"status":"failed"}`: "", `{"status":"error","messages":[]}`: "", `{"error":{"message":"","details":null}}`: "",
		`{"error":{"code":500}}`: " (code 500)", `{"status":"failure","code":501,"message":null}`: " (code 501)",
	} {
		c := serve(t, says(200, body)).client(t)
		_, read := c.Jobs.IDs(t.Context())
		_, outcome, write := c.Health.Start(t.Context(), aRun)
		for want, err := range map[string]error{"read the list of jobs": read, "run a health check": write} {
			want = "cannot " + want + ": the site reports a failure and gives no reason" + code
			if !errors.Is(err, adminapi.ErrNoReason) || err.Error() != want {
				t.Errorf("%s: %v, want %s", body, err, want)
			}
		}
		if outcome != adminapi.OutcomeUnknown {
			t.Errorf("%s: the outcome is %v", body, outcome)
		}
	}
}

func TestAnAnswerThatLooksLikeAnErrorIsNotOne(t *testing.T) {
	t.Parallel()
	c := serve(t, says(200, `{"jobid":"j1","status":"failed","messages":["why"],"error":{"code":500,"message":"deep"}}`)).client(t)
	job, err := c.Jobs.Get(t.Context(), "j1")
	check(t, "a job that failed", job.Reasons(), []string{"why", "deep"}, err)
	c = serve(t, says(200, `{"jobs":["a"],"error":null,"success":true,"status":"success"}`)).client(t)
	ids, err := c.Jobs.IDs(t.Context())
	check(t, "an answer without an error", ids, []string{"a"}, err)
	c = serve(t, says(200, `{"success":true,"jobs":["a"],"error":""}`)).client(t)
	ids, err = c.Jobs.IDs(t.Context())
	check(t, "an error without a word", ids, []string{"a"}, err)
	outcome, err := c.Health.Delete(t.Context(), "a", "b")
	check(t, "a write that succeeded", outcome, adminapi.OutcomeDone, err)
}

func TestARefusalNamesThePrivilege(t *testing.T) {
	t.Parallel()
	c := serve(t, says(200, recorded(t, "error_403_portal"))).client(t)
	_, _, err := c.Health.Start(t.Context(), aRun)
	if e := wantKind(t, err, adminapi.KindPrivilege); !strings.Contains(e.Error(), "Security and infrastructure") {
		t.Error(e)
	}
	_, err = c.Jobs.IDs(t.Context())
	if e := wantKind(t, err, adminapi.KindPrivilege); e.Privilege != "" {
		t.Errorf("%q is not in the platform's table", e.Privilege)
	}
}

// hostileEchoes are servers that send the secrets back wherever they can.
func hostileEchoes(secret string) map[string]http.HandlerFunc {
	quoted, _ := json.Marshal(secret)
	texts := map[string]string{
		"in an error":         fmt.Sprintf(`{"error":{"code":400,"messageCode":%[1]s,"message":%[1]s,"details":[%[1]s,"x"]}}`, quoted),
		"in messages":         fmt.Sprintf(`{"status":"error","messages":[%[1]s,%[1]s]}`, quoted),
		"in a title":          "<title>" + secret + "</title>",
		"as a key":            fmt.Sprintf(`{%s:[`, quoted),
		"escaped for an URL":  `{"error":"` + strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(secret, "+", "%2B"), "/", "%2F"), "=", "%3D") + `"}`,
		"instead of an error": secret,
	}
	handlers := map[string]http.HandlerFunc{
		"in a redirect": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", "https://user:"+secret+"@evil.example/"+secret+"?token="+secret+"#"+secret)
			w.WriteHeader(http.StatusFound)
		},
		"in the status line": func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				fmt.Fprintf(conn, "HTTP/1.1 %s %s\r\n\r\n", secret, secret)
				conn.Close()
			}
		},
	}
	for name, text := range texts {
		handlers[name] = says(http.StatusInternalServerError, text)
	}
	return handlers
}

func TestNoSecretIsInAnyText(t *testing.T) {
	t.Parallel()
	const password = "CANARY-password+/="
	for name, handler := range hostileEchoes(canary) {
		t.Run("token "+name, func(t *testing.T) {
			c := serve(t, handler).client(t)
			_, err := c.Jobs.IDs(t.Context())
			wantNoCanary(t, err)
			_, _, err = c.Health.Start(t.Context(), aRun)
			wantNoCanary(t, err)
		})
	}
	for name, handler := range hostileEchoes(password) {
		t.Run("password "+name, func(t *testing.T) {
			_, err := serve(t, handler).client(t).Session.SignIn(t.Context(), "admin", password, 0)
			wantNoCanary(t, err)
		})
	}
}

func wantNoCanary(t *testing.T, err error) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	for ; err != nil; err = unwrap(err) {
		for _, format := range []string{"%v", "%+v", "%#v", "%q"} {
			if text := fmt.Sprintf(format, err); strings.Contains(text, "CANARY") {
				t.Errorf("%s of %T: %s", format, err, text)
			}
		}
	}
}

func unwrap(err error) error {
	if u, ok := err.(interface{ Unwrap() error }); ok {
		return u.Unwrap()
	}
	return nil
}

func TestARedirectedPostOrReadIsNotFollowed(t *testing.T) {
	t.Parallel()
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("%s %s was followed", r.Method, r.URL)
	}))
	defer other.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		for _, host := range []string{"", other.URL} {
			t.Run(fmt.Sprintf("%d to %q", status, host), func(t *testing.T) {
				s := serve(t, func(w http.ResponseWriter, r *http.Request) {
					if strings.HasPrefix(r.URL.Path, "/portal") {
						t.Errorf("%s %s was followed", r.Method, r.URL)
					}
					_, _ = io.Copy(io.Discard, r.Body) // see says
					http.Redirect(w, r, host+"/portal/login?next=x", status)
				})
				c := s.client(t)
				_, err := c.Jobs.IDs(t.Context())
				e := wantKind(t, err, adminapi.KindNotJSON)
				target := host
				if target == "" {
					target = s.URL
				}
				if !strings.Contains(e.Message, "redirects to "+target+"/portal/login;") {
					t.Error(e)
				}
				_, outcome, err := c.Health.Start(t.Context(), aRun)
				wantKind(t, err, adminapi.KindNotJSON)
				if outcome != adminapi.OutcomeUnknown {
					t.Errorf("outcome %v", outcome)
				}
				_, outcome, err = c.Upgrades.Start(t.Context(), anUpgrade)
				wantKind(t, err, adminapi.KindNotJSON)
				check(t, "outcome of an upgrade", outcome, adminapi.OutcomeUnknown, nil)
			})
			t.Run(fmt.Sprintf("sign-in, %d to %q", status, host), func(t *testing.T) {
				s := serve(t, func(w http.ResponseWriter, r *http.Request) {
					if !strings.HasSuffix(r.URL.Path, "/generateToken") {
						t.Errorf("%s %s was followed", r.Method, r.URL)
					}
					_, _ = io.Copy(io.Discard, r.Body) // see says
					http.Redirect(w, r, host+"/elsewhere", status)
				})
				_, err := s.client(t).Session.SignIn(t.Context(), "me", "a password", time.Hour)
				wantKind(t, err, adminapi.KindNotJSON)
			})
		}
	}
}

// What an error means for the user does not depend on who asks.
func TestWhatAnErrorMeansIsToldByItsAnswer(t *testing.T) {
	t.Parallel()
	type meaning struct {
		NotOffered, Cut, NoReason bool
		Unreachable, SignIn       string
	}
	const errs, expired = "answers with errors", "Session expired."
	for name, c := range map[string]struct {
		answer func(exchange) bool
		want   meaning
	}{
		"not found in words":         {reply(404, `{"error":{"code":404,"message":"no such job"}}`), meaning{true, false, false, errs, expired}},
		"not found without a word":   {reply(404, ""), meaning{true, false, false, errs, expired}},
		"half a word of not found":   {reply(404, `{"error":{"code":404,"mess`), meaning{false, true, false, "half an answer", expired}},
		"not allowed":                {reply(403, ""), meaning{true, false, false, errs, expired}},
		"neither by GET nor by POST": {reply(405, ""), meaning{true, false, false, errs, expired}},
		"broken":                     {reply(500, "oops"), meaning{false, false, false, errs, expired}},
		"half a word of broken":      {reply(500, `{"error":{"code":500,`), meaning{false, true, false, "half an answer", expired}},
		"a code and no word":         {reply(200, `{"error":{"code":500}}`), meaning{false, false, true, errs, expired}},
		"a code of a message":        {reply(200, `{"error":{"code":500,"messageCode":"GWM_0010"}}`), meaning{false, false, false, errs, expired}},
		"a page":                     {reply(200, "<html>"), meaning{false, false, false, "answers with a web page", expired}},
		"an old token":               {reply(200, recorded(t, "error_498_portal")), meaning{false, false, false, "sign-in needed", expired}},
		"no token":                   {reply(200, `{"error":{"code":499,"message":"m"}}`), meaning{false, false, false, "sign-in needed", "You are not signed in."}},
		"no token, by a code":        {reply(200, `{"error":{"code":403,"messageCode":"GWM_0003","message":"m"}}`), meaning{false, false, false, "sign-in needed", "You are not signed in."}},
		"a line that breaks":         {breakOff("HTTP/1.1 200 OK\r\nContent-Length: 40\r\n\r\n{"), meaning{false, false, false, "no answer", expired}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client := newClient(t, rawServe(t, c.answer).base(), func(cfg *adminapi.Config) { cfg.Clock = &steppedClock{} })
			_, err := client.Jobs.Get(t.Context(), "j1")
			got := meaning{adminapi.IsNotOffered(err), adminapi.IsCut(err), errors.Is(err, adminapi.ErrNoReason), adminapi.UnreachableText(err), adminapi.SignInText(err)}
			check(t, fmt.Sprint(err), got, c.want, nil)
		})
	}
	secure, _ := serveTLS(t, func(*httptest.Server) {})
	_, err := newClient(t, secure.URL).Jobs.IDs(t.Context())
	check(t, "a certificate", adminapi.UnreachableText(err), "certificate refused", nil)
	other := errors.New("something else")
	got := meaning{adminapi.IsNotOffered(other), adminapi.IsCut(other), false, adminapi.UnreachableText(other), adminapi.SignInText(other)}
	check(t, "an error of another kind", got, meaning{false, false, false, "no answer", expired}, nil)
}

func TestASecretInThePathOrTheCauseOfAnErrorIsMaskedAndTheCauseIsStillThere(t *testing.T) {
	t.Parallel()
	cause := fmt.Errorf("broken at %s: %w", canary, io.ErrClosedPipe)
	broken := roundTripper(func(*http.Request) (*http.Response, error) { return nil, cause })
	_, err := newClient(t, "https://gis.example", func(c *adminapi.Config) { c.Transport, c.Clock = broken, &steppedClock{} }).Jobs.Get(t.Context(), canary)
	e := wantKind(t, err, adminapi.KindUnreachable)
	for _, text := range []string{err.Error(), e.Path, fmt.Sprint(e.Err), fmt.Sprintf("%#v", e.Err)} {
		if strings.Contains(text, "CANARY") {
			t.Errorf("the token is in %q", text)
		}
	}
	if !errors.Is(err, io.ErrClosedPipe) || errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("the cause is lost: %v", err)
	}
	if e.Path == "" || !strings.HasPrefix(e.Path, "/admin/jobs/") {
		t.Errorf("the path is %q", e.Path)
	}
}
