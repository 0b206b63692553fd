package doctor_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"geodeck/adminapi"
	"geodeck/adminapi/doctor"
	"geodeck/adminapi/secrets"
	"geodeck/adminapi/simulator"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// token is a source that holds a token, or fails.
type token struct {
	value adminapi.Token
	err   error
}

func (s token) Token(context.Context) (adminapi.Token, error) { return s.value, s.err }
func (token) Kept() string                                    { return "a test" }

// environment is one that holds nothing but what is given.
func environment(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

// options are those of a machine without settings.
func options(t *testing.T, address string, security adminapi.TLS) doctor.Options {
	t.Helper()
	transport, err := adminapi.NewTransport(security)
	if err != nil {
		t.Fatal(err)
	}
	transport.Proxy = nil // of the machine that tests
	t.Cleanup(transport.CloseIdleConnections)
	return doctor.Options{
		Address: address, Transport: transport, State: t.TempDir(), Env: environment(), Clock: adminapi.SystemClock{}, Rand: adminapi.SystemRand{}, UserAgent: "geodeck/test",
	}
}

// check returns a check of a report.
func check(t *testing.T, r doctor.Report, id string) doctor.Check {
	t.Helper()
	i := slices.IndexFunc(r.Checks, func(c doctor.Check) bool { return c.ID == id })
	if i < 0 {
		t.Fatalf("no check %s", id)
	}
	return r.Checks[i]
}

// want compares the verdict of a check, and looks for words in it.
func want(t *testing.T, r doctor.Report, id string, verdict doctor.Verdict, words ...string) {
	t.Helper()
	c := check(t, r, id)
	text := strings.Join(append(slices.Clone(c.Evidence), c.Summary, c.Advice), "\n")
	if c.Verdict != verdict {
		t.Errorf("%s is %s, want %s:\n%s", id, c.Verdict, verdict, text)
	}
	for _, word := range words {
		if !strings.Contains(text, word) {
			t.Errorf("%s does not say %q:\n%s", id, word, text)
		}
	}
}

// newSite starts a simulated site.
func newSite(t *testing.T, o simulator.Options) *simulator.Server {
	t.Helper()
	server, err := simulator.New(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	return server
}

func TestEveryCheckOfAGoodConnectionPasses(t *testing.T) {
	t.Parallel()
	o := simulator.Options{TLS: true}
	held := o.SignIn(time.Hour)
	site := newSite(t, o)
	with := options(t, site.URL(), adminapi.TLS{CA: site.Certificate()})
	with.SignIn = token{value: held}
	r := doctor.Examine(t.Context(), with)
	want(t, r, "address", doctor.Passed, site.URL())
	want(t, r, "name", doctor.NotApplicable, "127.0.0.1")
	want(t, r, "proxy", doctor.NotApplicable)
	want(t, r, "tcp", doctor.Passed, "connected in")
	want(t, r, "tls", doctor.Passed, "certificate 1 of", "is for: ", "TLS 1.3")
	want(t, r, "path", doctor.Passed, "/geodeck/admin")
	want(t, r, "version", doctor.Passed, "11.5", "health checks")
	want(t, r, "clock", doctor.Passed)
	want(t, r, "signIn", doctor.Passed, "signed in as admin", "from a test", "it ends 20")
	want(t, r, "privileges", doctor.Passed, "administrator")
	want(t, r, "state", doctor.Passed, "free")
	want(t, r, "nodes", doctor.NotApplicable)
	want(t, r, "terminal", doctor.NotApplicable)
	if r.Count(doctor.Failed) != 0 || r.Site != site.URL() {
		t.Errorf("%d failed at %s", r.Count(doctor.Failed), r.Site)
	}
	text, err := json.Marshal(r)
	if err != nil || strings.Contains(string(text), held.Value.Reveal()) {
		t.Errorf("error %v, %s", err, text)
	}
}

func TestWithoutASiteOnlyTheMachineIsChecked(t *testing.T) {
	t.Parallel()
	r := doctor.Examine(t.Context(), options(t, "", adminapi.TLS{}))
	for _, id := range []string{"address", "name", "proxy", "tcp", "tls", "path", "version", "clock", "signIn", "privileges"} {
		want(t, r, id, doctor.NotApplicable)
	}
	want(t, r, "state", doctor.Passed)
}

func TestWhatNeedsAnEarlierSuccessIsNotKnownAndNotFailed(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"ftp://gis.example.org", "https://gis.example.org:99999/admin", "http://gis.example.org/admin", "https://me:CANARY@gis.example.org"} {
		r := doctor.Examine(t.Context(), options(t, address, adminapi.TLS{}))
		want(t, r, "address", doctor.Failed)
		for _, id := range []string{"name", "proxy", "tcp", "tls", "path", "version", "clock", "signIn", "privileges"} {
			want(t, r, id, doctor.NotKnown)
		}
		if text, _ := json.Marshal(r); strings.Contains(string(text), "CANARY") || r.Count(doctor.Failed) != 1 {
			t.Errorf("%s: %s", address, text)
		}
	}
	o := options(t, "", adminapi.TLS{})
	o.AddressErr = errors.New("there is no site called prod")
	want(t, doctor.Examine(t.Context(), o), "address", doctor.Failed, "called prod")
}

func TestASignInThatIsMissingRefusedOrUnreadableIsTold(t *testing.T) {
	t.Parallel()
	site := newSite(t, simulator.Options{})
	for name, c := range map[string]struct {
		source  doctor.Source
		verdict doctor.Verdict
		words   []string
	}{
		"none":       {nil, doctor.NotKnown, []string{"No token is given", "GEODECK_TOKEN"}},
		"empty":      {token{}, doctor.NotKnown, []string{"from a test"}},
		"refused":    {token{value: adminapi.Token{Value: "CANARY-token-that-is-wrong"}}, doctor.Failed, []string{"refuses the token", "new token"}},
		"unreadable": {token{err: errors.New("the keyring is locked")}, doctor.Failed, []string{"No token could be read.", "the keyring is locked"}},
		"ended":      {token{value: adminapi.Token{Value: "CANARY-token-that-is-old", Expires: adminapi.MillisOf(time.Now().Add(-time.Minute))}}, doctor.Failed, []string{"The token has expired."}},
	} {
		o := options(t, site.URL(), adminapi.TLS{})
		o.SignIn = c.source
		r := doctor.Examine(t.Context(), o)
		want(t, r, "path", doctor.Passed)
		want(t, r, "signIn", c.verdict, c.words...)
		want(t, r, "version", doctor.NotKnown, "signed in")
		want(t, r, "privileges", doctor.NotKnown)
		want(t, r, "clock", doctor.Passed)
		if text, _ := json.Marshal(r); strings.Contains(string(text), "CANARY") {
			t.Errorf("%s: %s", name, text)
		}
	}
}

func TestATokenThatTheSiteCallsExpiredIsNotCalledRefused(t *testing.T) {
	t.Parallel()
	o := options(t, serve(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"error":{"code":498,"message":"Invalid token.","details":["The token has expired."]}}`)
	})+"/geodeck/admin", adminapi.TLS{})
	o.SignIn = token{value: adminapi.Token{Value: "CANARY-token-that-is-old"}}
	r := doctor.Examine(t.Context(), o)
	if c := check(t, r, "signIn"); c.Verdict != doctor.Failed || c.Summary != "The token has expired." {
		t.Errorf("%v", c)
	}
}

func TestPrivilegesAreComparedWithWhatGeodeckNeeds(t *testing.T) {
	t.Parallel()
	site := newSite(t, simulator.Options{})
	for i, user := range site.Users() {
		client, err := adminapi.New(adminapi.Config{Base: site.URL()})
		if err != nil {
			t.Fatal(err)
		}
		held, err := client.Session.SignIn(t.Context(), user.Username, secrets.Secret(user.Password), time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		client.CloseIdleConnections()
		o := options(t, site.URL(), adminapi.TLS{})
		o.SignIn = token{value: held}
		r := doctor.Examine(t.Context(), o)
		want(t, r, "signIn", doctor.Passed, user.Username)
		if len(user.Privileges) == 0 {
			want(t, r, "version", doctor.NotKnown, "The site does not tell you its version.", "You do not have permissions", "privilege")
		}
		switch c := check(t, r, "privileges"); {
		case i == 0 && c.Verdict != doctor.Passed, i > 0 && len(user.Privileges) < 5 && c.Verdict == doctor.Passed:
			t.Errorf("%s with %q: %v", user.Username, user.Privileges, c)
		case i > 0 && slices.Contains(user.Privileges, "Servers") && !slices.Contains(c.Evidence, "may: upgrades"):
			t.Errorf("%s with %q: %q", user.Username, user.Privileges, c.Evidence)
		case i > 0 && !slices.Contains(user.Privileges, "Security and infrastructure") && slices.Contains(c.Evidence, "may: health checks and rules of placement"):
			t.Errorf("%s with %q: %q", user.Username, user.Privileges, c.Evidence)
		}
	}
}

func TestAnOldVersionAndAWrongClockAreWarnings(t *testing.T) {
	t.Parallel()
	scenario, found := simulator.BuiltIn("old")
	if !found {
		t.Fatal("no scenario")
	}
	o := simulator.Options{Scenario: scenario}
	o.Scenario.ClockAhead.Duration = 3 * time.Hour
	held := o.SignIn(time.Hour)
	site := newSite(t, o)
	with := options(t, site.URL(), adminapi.TLS{})
	with.SignIn = token{value: held}
	r := doctor.Examine(t.Context(), with)
	want(t, r, "version", doctor.Warning, "10.9.1", "cannot: health checks (from 11.2)", "can: upgrades")
	want(t, r, "clock", doctor.Warning, "ahead of this machine's", "Tokens")
}

func TestThePlatformIsFoundAtTheUsualPathsWithoutAToken(t *testing.T) {
	t.Parallel()
	const canary = "CANARY-token-of-the-doctor"
	for given, c := range map[string]struct {
		at      string // where the platform is
		verdict doctor.Verdict
		words   []string
	}{
		"/arcgis/admin":   {"/arcgis/admin", doctor.Passed, nil},
		"/wrong/admin":    {"/portal/admin", doctor.Failed, []string{"but at /portal/admin", "/portal/admin."}},
		"/portal":         {"/gis/admin", doctor.Failed, []string{"but at /gis/admin"}},
		"":                {"/arcgis/admin", doctor.Failed, []string{"but at /arcgis/admin"}},
		"/own/home":       {"/own/admin", doctor.Failed, []string{"but at /own/admin"}},
		"/arcgis/manager": {"/nowhere/admin", doctor.Failed, []string{"No platform answers at /arcgis/manager"}},
		"/context":        {"/admin", doctor.Failed, []string{"but at /admin"}},
	} {
		var guesses []string
		guessed := make(chan string, 100)
		s := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if !strings.Contains(r.Header.Get("Authorization"), canary) && r.PostFormValue("token") != canary {
				guessed <- r.Method + " " + r.URL.Path
			}
			switch {
			case r.URL.Path != c.at:
				http.NotFound(w, r)
			case r.Header.Get("Authorization") == "":
				_, _ = w.Write([]byte(`{"error":{"code":499,"message":"Token Required"}}`))
			default:
				_, _ = w.Write([]byte(`{"fullVersion":"11.5.0.1","currentVersion":"11.5","resources":[]}`))
			}
		})
		o := options(t, s+given, adminapi.TLS{})
		o.SignIn = token{value: adminapi.Token{Value: canary}}
		r := doctor.Examine(t.Context(), o)
		want(t, r, "path", c.verdict, c.words...)
		close(guessed)
		for guess := range guessed {
			guesses = append(guesses, guess)
		}
		base, _ := url.Parse(r.Site)
		for _, guess := range guesses {
			if !strings.HasPrefix(guess, "GET ") || guess == "GET "+base.Path {
				t.Errorf("%q: it asked without the token: %s", given, guess)
			}
		}
		if c.verdict == doctor.Failed && len(guesses) < 3 {
			t.Errorf("%q: tried %q only", given, guesses)
		}
	}
}

func TestASignInPageInFrontOfThePlatformIsNoPlatform(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = w.Write([]byte("<html><title>Company login</title></html>"))
	})
	r := doctor.Examine(t.Context(), options(t, s+"/context/admin", adminapi.TLS{}))
	want(t, r, "path", doctor.Failed, "Company login", "X-Esri-Authorization")
	want(t, r, "signIn", doctor.NotKnown)
}
