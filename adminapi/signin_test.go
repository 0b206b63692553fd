package adminapi_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/secrets"
)

// A password that is sent again by itself can lock its account.
func TestARefusedPasswordIsSentOnce(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]http.HandlerFunc{
		"400 within a 200": says(200, `{"error":{"code":400,"message":"Unable to generate token."}}`),
		"403 within a 200": says(200, `{"error":{"code":403,"message":"You are locked out."}}`),
		"498 within a 200": says(200, recorded(t, "error_498_portal")),
		"401":              says(401, `{"error":{"code":401,"message":"Unauthorized"}}`),
		"401 page":         says(401, "<html><title>Unauthorized</title></html>"),
	} {
		requests := 0
		c := serveRoot(t, func(w http.ResponseWriter, r *http.Request) {
			requests++
			answer(w, r)
		}).client(t, func(c *adminapi.Config) {
			c.Renew = func(context.Context, secrets.Secret) (adminapi.Token, error) {
				t.Errorf("%s: another token is fetched for a request without one", name)
				return adminapi.Token{Value: "another-token"}, nil
			}
		})
		_, err := c.Session.SignIn(t.Context(), "admin", "wrong", time.Hour)
		wantKind(t, err, adminapi.KindSignIn)
		check(t, name, []any{requests, adminapi.SignInText(err)}, []any{1, "Wrong user name or password."}, nil)
	}
}

func TestAPageInPlaceOfTheSignInSaysNothingOfThePassword(t *testing.T) {
	t.Parallel()
	for _, status := range []int{200, 400, 403, 404} {
		var requests []string
		c := serveRoot(t, func(w http.ResponseWriter, r *http.Request) {
			requests = append(requests, r.URL.Path)
			if isRoot(r) {
				says(200, aRoot)(w, r)
				return
			}
			says(status, "<html><title>Our proxy</title></html>")(w, r)
		}).client(t)
		_, err := c.Session.SignIn(t.Context(), "admin", "right", time.Hour)
		if e := wantKind(t, err, adminapi.KindNotJSON); !errors.Is(err, adminapi.ErrPage) {
			t.Errorf("%d: %v", status, e)
		}
		check(t, "requests", requests, []string{"/ctx/sharing/rest/generateToken"}, nil)
	}
}

func TestWhoSignedInMeanwhileIsNotTakenForSomebodyElse(t *testing.T) {
	t.Parallel()
	var c *adminapi.Client
	again := false
	c = serve(t, func(w http.ResponseWriter, r *http.Request) {
		if again {
			c.Session.SetToken(adminapi.Token{Value: "token-of-another"})
		}
		says(200, `{"username":"anna"}`)(w, r)
	}).client(t)
	_, err := c.Session.Self(t.Context())
	check(t, "user", c.Session.User(), "anna", err)
	again = true
	_, err = c.Session.Self(t.Context())
	check(t, "user", c.Session.User(), "", err)
}

// A site may replace the secret of a grant each time: the one before is worth nothing then.
func TestTheNewestSecretOfAGrantIsKept(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]secrets.Secret{`,"refresh_token":"CANARY-second"`: "CANARY-second", "": "CANARY-first"} {
		c := serve(t, says(200, `{"access_token":"CANARY-access","expires_in":1800`+given+`}`)).client(t)
		grant, err := c.Session.RefreshToken(t.Context(), "geodeck", "CANARY-first")
		check(t, "secret", grant.Refresh.Reveal(), want.Reveal(), err)
		text := c.Secrets().Text("CANARY-access "+want.Reveal(), secrets.Anywhere)
		check(t, "masked", strings.Contains(text, "CANARY"), false, nil)
	}
}

func TestTheAddressOfASignInNamesNoLifeThatNobodyWants(t *testing.T) {
	t.Parallel()
	c := newClient(t, "https://gis.example/ctx/admin")
	for life, want := range map[time.Duration]bool{0: false, 90 * time.Second: true} {
		address := c.Session.AuthorizeAddress("geodeck", "0123456789abcdef0123456789abcdef0123456789ab", life)
		check(t, address, strings.Contains(address, "expiration=2"), want, nil)
		check(t, address, strings.Contains(address, "expiration"), want, nil)
	}
}

func TestARenewalThatBringsNothingLeavesTheTokenInUse(t *testing.T) {
	t.Parallel()
	var seen []string
	c := tokens(t, "fresh-token", &seen).client(t, func(c *adminapi.Config) {
		c.Renew = func(context.Context, secrets.Secret) (adminapi.Token, error) { return adminapi.Token{}, nil }
	})
	_, err := c.Jobs.IDs(t.Context())
	wantKind(t, err, adminapi.KindSignIn)
	check(t, "in use", c.Session.Token().Value.Reveal(), canary, nil)
	check(t, "tokens", seen, []string{"Bearer " + canary}, nil)
}

func TestARenewedTokenIsOfTheSameUser(t *testing.T) {
	t.Parallel()
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/self"):
			says(200, `{"username":"anna"}`)(w, r)
		case r.Header.Get("Authorization") == "Bearer fresh-token":
			says(200, `{"jobs":[]}`)(w, r)
		default:
			says(200, recorded(t, "error_498_portal"))(w, r)
		}
	}).client(t, func(c *adminapi.Config) {
		c.Renew = func(context.Context, secrets.Secret) (adminapi.Token, error) {
			return adminapi.Token{Value: "fresh-token"}, nil
		}
	})
	_, err := c.Session.Self(t.Context())
	check(t, "user", c.Session.User(), "anna", err)
	_, err = c.Jobs.IDs(t.Context())
	check(t, "user after the renewal", c.Session.User(), "anna", err)
	check(t, "in use", c.Session.Token().Value.Reveal(), "fresh-token", nil)
}

func TestARenewalMayFailWhereNobodyIsTold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client, used := timed(t, 4*time.Minute, func(context.Context, secrets.Secret) (adminapi.Token, error) {
			return adminapi.Token{}, errors.New("no way")
		}, nil)
		time.Sleep(3 * time.Minute)
		_, err := client.Jobs.IDs(t.Context())
		synctest.Wait()
		check(t, "tokens", used(), []string{"Bearer old-token"}, err)
	})
}

func TestATokenIsAcceptedFromTheFirstAnswerToTheNextRefusal(t *testing.T) {
	t.Parallel()
	answer := says(200, `{"jobs":[]}`)
	s := serve(t, func(w http.ResponseWriter, r *http.Request) { answer(w, r) })
	c := s.client(t)
	accepted := func(when string, want bool) {
		t.Helper()
		if got := c.Session.Accepted(); got != want {
			t.Errorf("%s: accepted %v", when, got)
		}
	}
	ask := func(status int, body string) {
		answer = says(status, body)
		_, _ = c.Jobs.IDs(t.Context())
	}
	refused := recorded(t, "error_498_portal")
	accepted("before any answer", false)
	ask(200, refused)
	accepted("after a refusal at once", false)
	ask(200, `{"jobs":[]}`)
	accepted("after an answer", true)
	ask(500, `{"error":{"code":500,"message":"m"}}`)
	accepted("after another error", true)
	ask(200, refused)
	accepted("after a refusal", false)
	ask(200, `{"jobs":[]}`)
	c.Session.SetToken(adminapi.Token{Value: "another-token"})
	accepted("of another token", false)
	ask(200, `{"jobs":[]}`)
	accepted("after its first answer", true)
	c.Session.SetToken(adminapi.Token{})
	ask(200, `{"jobs":[]}`)
	accepted("without a token", false)
}
