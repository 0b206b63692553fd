package adminapi_test

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/secrets"
	"geodeck/adminapi/simulator"
)

// signInAt does at an address what the user does in a browser, and returns the code that the
// last page shows.
func signInAt(t *testing.T, address, user, password string) secrets.Secret {
	t.Helper()
	page := func(resp *http.Response, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Fatalf("status %d, %v: %s", resp.StatusCode, err, body)
		}
		return string(body)
	}
	between := func(text, before, after string) string {
		_, text, _ = strings.Cut(text, before)
		text, _, _ = strings.Cut(text, after)
		return text
	}
	browser := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	form := page(browser.Get(address))
	to := between(form, `action="`, `"`)
	done := page(browser.PostForm(to, url.Values{"oauth_state": {between(form, `name="oauth_state" value="`, `"`)}, "username": {user}, "password": {password}}))
	return secrets.Secret(between(done, "SUCCESS code=", "</title>"))
}

func TestACodeOfOAuthBecomesATokenThatIsRenewed(t *testing.T) {
	t.Parallel()
	server, err := simulator.New(simulator.Options{Clock: simulator.NewScaledClock(1)})
	if err == nil {
		err = server.Start("127.0.0.1:0")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	c, err := adminapi.New(adminapi.Config{Base: server.URL()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.CloseIdleConnections)
	const verifier, other = "0123456789abcdef0123456789abcdef0123456789ab", "CANARY-of-another-0123456789abcdef0123456789"
	address := c.Session.AuthorizeAddress("geodeck", verifier, 14*24*time.Hour)
	if strings.Contains(address, verifier) || !strings.Contains(address, "/sharing/rest/oauth2/authorize?") {
		t.Errorf("address %s", address)
	}
	password := server.Users()[0].Password
	code := signInAt(t, address, "admin", password)
	if _, err := c.Session.ExchangeCode(t.Context(), "geodeck", other, code); !errors.Is(err, adminapi.KindSignIn) || strings.Contains(err.Error(), code.Reveal()) {
		t.Errorf("with another verifier: %v", err)
	}
	code = signInAt(t, address, "admin", password)
	grant, err := c.Session.ExchangeCode(t.Context(), "geodeck", verifier, code)
	if err != nil || grant.User != "admin" || grant.Refresh == "" || grant.Token.Expires.Time().Before(time.Now().Add(25*time.Minute)) {
		t.Fatalf("%+v, %v", grant, err)
	}
	if self, err := c.Session.Self(t.Context()); err != nil || self.Username != "admin" {
		t.Errorf("%+v, %v", self, err)
	}
	if text := c.Secrets().Text(grant.Refresh.Reveal()+" "+code.Reveal(), secrets.Anywhere); strings.Contains(text, grant.Refresh.Reveal()) || strings.Contains(text, code.Reveal()) {
		t.Errorf("not masked: %s", text)
	}
	again, err := c.Session.RefreshToken(t.Context(), "geodeck", grant.Refresh)
	if err != nil || again.Token.Value == grant.Token.Value || again.Refresh == "" || c.Session.Token() != again.Token {
		t.Errorf("%+v, %v", again, err)
	}
	if _, err := c.Session.RefreshToken(t.Context(), "geodeck", "CANARY-refresh"); !errors.Is(err, adminapi.KindSignIn) || strings.Contains(err.Error(), "CANARY") {
		t.Errorf("with another secret: %v", err)
	}
}
