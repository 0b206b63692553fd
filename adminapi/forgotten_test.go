package adminapi_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/secrets"
)

// door is a site that takes one token and one password, and can let requests wait.
type door struct {
	mu              sync.Mutex // guards what follows
	token, password string
	status          int           // of what is refused; 0 for 498
	held            string        // requests with this secret wait
	here, gone      chan struct{} // for them
}

func (d *door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm()
	token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	d.mu.Lock()
	held, good, password, status := d.held != "" && d.held == token+r.Form.Get("password"), d.token, d.password, d.status
	d.mu.Unlock()
	if held {
		d.here <- struct{}{}
		<-d.gone
	}
	switch {
	case strings.HasSuffix(r.URL.Path, "/generateToken") && r.Form.Get("password") != password:
		says(200, `{"error":{"code":400,"message":"wrong: `+r.Form.Get("password")+`"}}`)(w, r)
	case strings.HasSuffix(r.URL.Path, "/generateToken"):
		says(200, `{"token":"`+good+`"}`)(w, r)
	case token != good && status == http.StatusForbidden:
		says(200, `{"error":{"code":403,"message":"not allowed"}}`)(w, r)
	case token != good:
		says(200, `{"error":{"code":498,"message":"Invalid token `+token+`"}}`)(w, r)
	default:
		says(200, `{"jobs":[],"description":"the administrator of the enterprise"}`)(w, r)
	}
}

// holds makes requests with a secret wait; the functions await one, and let one go.
func (d *door) holds(secret string) (arrived, letGo func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.held, d.here, d.gone = secret, make(chan struct{}), make(chan struct{})
	return func() { <-d.here }, func() { d.gone <- struct{}{} }
}

// change changes what the site takes from now on.
func (d *door) change(change func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	change()
}

// wantKnown fails unless a secret is masked, or is not.
func wantKnown(t *testing.T, c *adminapi.Client, secret string, want bool) {
	t.Helper()
	if got := c.Secrets().Text("it is "+secret, secrets.Anywhere); (got == "it is [secret]") != want {
		t.Errorf("%q, known %v", got, want)
	}
}

func TestAPasswordThatIsRefusedIsForgotten(t *testing.T) {
	t.Parallel()
	const wrong, right = "administrator", "enterprise"
	d := &door{token: "a-token-of-this-site", password: right}
	var x traced
	c := serve(t, d.ServeHTTP).client(t, x.config)
	signIn := func(password secrets.Secret) error {
		_, err := c.Session.SignIn(t.Context(), "admin", password, time.Hour)
		return err
	}
	err := signIn(wrong)
	wantKind(t, err, adminapi.KindSignIn)
	for _, text := range []string{err.Error(), x.lines[len(x.lines)-1]} {
		if strings.Contains(text, wrong) {
			t.Errorf("of the attempt: %s", text)
		}
	}
	wantKnown(t, c, wrong, false)

	// Two attempts at a time: the answer of the first changes nothing for the second.
	arrived, letGo := d.holds(wrong)
	done := make(chan error, 2)
	go func() { done <- signIn(wrong) }()
	arrived()
	go func() { done <- signIn(wrong) }()
	arrived()
	letGo()
	<-done
	wantKnown(t, c, wrong, true)
	// What is read meanwhile has nothing to do with it.
	if text := "the administrator of it"; c.Secrets().Text(text, secrets.InKept) != text || c.Secrets().Text(text, secrets.InNames) != text {
		t.Errorf("%q is kept as %q", text, c.Secrets().Text(text, secrets.InKept))
	}
	letGo()
	<-done
	wantKnown(t, c, wrong, false)

	if err := signIn(right); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Jobs.IDs(t.Context()); err != nil || !strings.Contains(string(x.last().Body), wrong) {
		t.Errorf("traced %s, %v", x.last().Body, err)
	}
	wantKnown(t, c, right, true)
	if text := c.Secrets().Text("the enterprise and enterprises", secrets.InKept); text != "the [secret] and enterprises" {
		t.Errorf("the right one is kept as %q", text)
	}
	d.change(func() { d.password = "another" })
	wantKind(t, signIn(right), adminapi.KindSignIn) // it was one of this site
	wantKnown(t, c, right, true)
}

func TestATokenIsForgottenOnlyWhereItNeverWasOne(t *testing.T) {
	t.Parallel()
	const good, better = "a-token-of-this-site", "its-next-token"
	ask := func(c *adminapi.Client) error {
		_, err := c.Jobs.IDs(t.Context())
		return err
	}
	start := func(t *testing.T) (*door, *adminapi.Client) {
		d := &door{token: good}
		return d, serve(t, d.ServeHTTP).client(t, func(cfg *adminapi.Config) { cfg.Token = adminapi.Token{Value: "administrator"} })
	}
	t.Run("refused", func(t *testing.T) {
		t.Parallel()
		_, c := start(t)
		wantKind(t, ask(c), adminapi.KindSignIn)
		wantKnown(t, c, "administrator", true) // it is in use
		if text := "the administrator of it"; c.Secrets().Text(text, secrets.InKept) != text || c.Secrets().Text(text, secrets.InNames) != text {
			t.Errorf("%q is kept as %q", text, c.Secrets().Text(text, secrets.InKept))
		}
		c.Session.SetToken(adminapi.Token{Value: good})
		wantKnown(t, c, "administrator", true) // a site that restarts refuses all
		if err := ask(c); err != nil {
			t.Fatal(err)
		}
		wantKnown(t, c, "administrator", false)
		wantKnown(t, c, good, true)
	})
	t.Run("in use again", func(t *testing.T) {
		t.Parallel()
		d, c := start(t)
		wantKind(t, ask(c), adminapi.KindSignIn)
		c.Session.SetToken(adminapi.Token{Value: good})
		arrived, letGo := d.holds(good)
		done := make(chan error)
		go func() { done <- ask(c) }()
		arrived()
		c.Session.SetToken(adminapi.Token{Value: "administrator"})
		letGo()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		wantKnown(t, c, "administrator", true)
	})
	t.Run("under way", func(t *testing.T) {
		t.Parallel()
		d, c := start(t)
		wantKind(t, ask(c), adminapi.KindSignIn)
		arrived, letGo := d.holds("administrator")
		done := make(chan error)
		go func() { done <- ask(c) }()
		arrived()
		c.Session.SetToken(adminapi.Token{Value: good})
		if err := ask(c); err != nil {
			t.Fatal(err)
		}
		wantKnown(t, c, "administrator", true)
		d.change(func() { d.held = "" })
		letGo()
		if err := <-done; err != nil { // it was sent again with the good one
			t.Fatal(err)
		}
		wantKnown(t, c, "administrator", false)
	})
	t.Run("a privilege", func(t *testing.T) {
		t.Parallel()
		d, c := start(t)
		d.change(func() { d.status = http.StatusForbidden })
		wantKind(t, ask(c), adminapi.KindPrivilege)
		c.Session.SetToken(adminapi.Token{Value: good})
		if err := ask(c); err != nil {
			t.Fatal(err)
		}
		wantKnown(t, c, "administrator", true)
	})
	t.Run("taken once", func(t *testing.T) {
		t.Parallel()
		d, c := start(t)
		c.Session.SetToken(adminapi.Token{Value: good})
		if err := ask(c); err != nil {
			t.Fatal(err)
		}
		d.change(func() { d.token = better })
		wantKind(t, ask(c), adminapi.KindSignIn)
		c.Session.SetToken(adminapi.Token{Value: better})
		if err := ask(c); err != nil {
			t.Fatal(err)
		}
		wantKnown(t, c, good, true)
	})
}

func TestNamesAndNumbersOfAnAnswerStayWhatTheyAre(t *testing.T) {
	t.Parallel()
	const body = `{"id":"kestrel","name":"kestrel","suiteStatus":[{"name":"Kestrel checks","description":"by kestrel","criticalTestStatus":[{"name":"kestrel","state":"kestrel","kestrel":[1]}]}]}`
	for _, password := range []secrets.Secret{"kestrel", "Kestrel checks", "suiteStatus", "1"} {
		c := serve(t, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			if strings.HasSuffix(r.URL.Path, "/generateToken") {
				says(200, `{"token":"a-token-of-this-site"}`)(w, r)
				return
			}
			says(200, body)(w, r)
		}).client(t)
		if _, err := c.Session.SignIn(t.Context(), "admin", password, time.Hour); err != nil {
			t.Fatal(err)
		}
		report, err := c.Health.Report(t.Context(), "kestrel")
		if err != nil || string(report.Raw) != body {
			t.Errorf("%s, %v", report.Raw, err)
		}
		want := body
		if password == "kestrel" {
			want = strings.Replace(body, "by kestrel", "by [secret]", 1)
		}
		if got := string(c.Secrets().JSON([]byte(body), secrets.Anywhere)); got != want {
			t.Errorf("with %s: %s", password.Reveal(), got)
		}
	}
}

// What the site has issued is one of it, also where it refuses it at once: one that restarts
// refuses all.
func TestWhatTheSiteHasIssuedIsNotForgotten(t *testing.T) {
	t.Parallel()
	const issued, ofCode, next, refresh, kept = "a-token-of-this-site", "a-token-without-an-end", "its-next-token", "the-refresh-token", "the-kept-refresh-token"
	d := &door{token: issued, password: "enterprise"}
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		switch {
		case !strings.HasSuffix(r.URL.Path, "/oauth2/token"):
			d.ServeHTTP(w, r)
		case r.Form.Get("code") != "":
			says(200, `{"access_token":"`+ofCode+`","refresh_token":"`+refresh+`"}`)(w, r)
		default:
			says(200, `{"error":{"code":400,"message":"not now"}}`)(w, r)
		}
	}).client(t)
	refused := func(issued string) {
		d.change(func() { d.token = next })
		_, err := c.Jobs.IDs(t.Context())
		wantKind(t, err, adminapi.KindSignIn)
		c.Session.SetToken(adminapi.Token{Value: next})
		if _, err := c.Jobs.IDs(t.Context()); err != nil {
			t.Fatal(err)
		}
		wantKnown(t, c, issued, true)
		if text := c.Secrets().Text("it is "+issued, secrets.InKept); text != "it is [secret]" {
			t.Errorf("it is kept as %q", text)
		}
	}
	if _, err := c.Session.SignIn(t.Context(), "admin", "enterprise", time.Hour); err != nil {
		t.Fatal(err)
	}
	refused(issued)
	if _, err := c.Session.ExchangeCode(t.Context(), "geodeck", "the-verifier", "the-code"); err != nil {
		t.Fatal(err)
	}
	refused(ofCode)
	for _, secret := range []secrets.Secret{refresh, kept} {
		_, err := c.Session.RefreshToken(t.Context(), "geodeck", secret)
		wantKind(t, err, adminapi.KindSignIn)
		wantKnown(t, c, secret.Reveal(), true)
	}
	// One with an end is of an earlier session.
	earlier := serve(t, d.ServeHTTP).client(t, func(cfg *adminapi.Config) {
		cfg.Token = adminapi.Token{Value: "of-an-earlier-session", Expires: adminapi.MillisOf(time.Now().Add(time.Hour))}
	})
	_, err := earlier.Jobs.IDs(t.Context())
	wantKind(t, err, adminapi.KindSignIn)
	earlier.Session.SetToken(adminapi.Token{Value: next})
	if _, err := earlier.Jobs.IDs(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantKnown(t, earlier, "of-an-earlier-session", true)
}

// A secret of a setting stays one where it is tried as a password, too.
func TestARefusedPasswordThatIsASecretOfASettingIsKept(t *testing.T) {
	t.Parallel()
	const passphrase = "of-the-database"
	d := &door{token: "a-token-of-this-site", password: "enterprise"}
	c := serve(t, d.ServeHTTP).client(t, func(cfg *adminapi.Config) { cfg.Token = adminapi.Token{Value: "a-token-of-this-site"} })
	_, _, _ = c.Upgrades.Start(t.Context(), []adminapi.Part{{Name: "upgradeSettings", Content: []byte(`{}`), Secrets: []secrets.Secret{passphrase}}})
	wantKnown(t, c, passphrase, true)
	_, err := c.Session.SignIn(t.Context(), "admin", passphrase, time.Hour)
	wantKind(t, err, adminapi.KindSignIn)
	wantKnown(t, c, passphrase, true)
}

// A token is no word: where a site shows one as a name or a code, it is masked.
func TestATokenIsMaskedInNamesAndCodes(t *testing.T) {
	t.Parallel()
	const token = "tok3n.of-this_site:7"
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/upgrades") {
			says(200, `{"status":{"state":"`+token+`","code":1,"messages":[]}}`)(w, r)
			return
		}
		says(200, `{"status":"error","error":{"code":500,"messageCode":"`+token+`","message":"no"}}`)(w, r)
	}).client(t, func(cfg *adminapi.Config) { cfg.Token = adminapi.Token{Value: token} })
	status, err := c.Upgrades.Status(t.Context())
	if err != nil || status.State != "[secret]" {
		t.Errorf("the state is %q, %v", status.State, err)
	}
	_, err = c.Jobs.IDs(t.Context())
	var e *adminapi.Error
	if !errors.As(err, &e) || strings.Contains(e.MessageCode, token) {
		t.Errorf("the error is %+v", e)
	}
	if got := string(c.Secrets().JSON([]byte(`{"`+token+`":1}`), secrets.Anywhere)); got != `{"[secret]":1}` {
		t.Errorf("a member: %s", got)
	}
}
