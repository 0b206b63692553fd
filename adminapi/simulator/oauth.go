package simulator

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// oauth is the area of the sign-in through a form, as browsers and the vendor's Python
// package do it: authorize shows the form, signin takes it and sends the caller on with a
// code or a token, and token exchanges the code. Start reading at authorize.
type oauth struct {
	*world
	grants map[string]grant // by kind and secret
}

// The kinds of a grant.
const (
	grantForm    = "form "    // a form that is shown
	grantCode    = "code "    // a code that can be exchanged, once
	grantRefresh = "refresh " // what gets new tokens
)

// grant is what a caller holds between two steps.
type grant struct {
	client, redirect, state, challenge string
	token                              bool // the form is answered with a token, not with a code
	life                               time.Duration
	user                               *account // nil for a form
	expires                            time.Time
}

// outOfBand is where callers go on that have no address: to a page that shows the code.
const outOfBand = "urn:ietf:wg:oauth:2.0:oob"

// oauthClients are the programs that a new site knows.
var oauthClients = []string{"arcgisonline", "arcgispro", "pythonapi", "geodeck"}

// How long what is granted lives.
const (
	formLife    = 30 * time.Minute
	codeLife    = 10 * time.Minute
	accessLife  = 30 * time.Minute
	refreshLife = 14 * 24 * time.Hour
	maxRefresh  = 90 * 24 * time.Hour
)

func (a *oauth) routes() []*route {
	return []*route{
		portal(http.MethodGet, "/oauth2/authorize", "Sign in", a.authorize),
		portal(http.MethodPost, "/oauth2/signin", "Sign in", a.signIn),
		portal(http.MethodGet, "/oauth2/approval", "Signed in", a.approval),
		portal(http.MethodPost, "/oauth2/token", "Token", a.token),
	}
}

// keep stores a grant for a time, forgets those that are over, and returns its secret.
func (a *oauth) keep(kind string, g grant, life time.Duration) string {
	now := a.wall()
	for key, old := range a.grants {
		if !old.expires.After(now) {
			delete(a.grants, key)
		}
	}
	g.expires = now.Add(life)
	secret := tokenText(a.secrets)
	a.grants[kind+secret] = g
	return secret
}

// held returns the grant of a secret that the request holds.
func (a *oauth) held(q *request, kind, parameter string) grant {
	g := a.grants[kind+q.required(parameter)]
	if q.err == nil && !g.expires.After(a.wall()) {
		q.refuse(oauthError("invalid_grant", "Invalid "+parameter))
	}
	return g
}

// oauthError words an error as this protocol does.
func oauthError(kind, message string) *refusal {
	return &refusal{code: http.StatusBadRequest, oauth: kind, message: message}
}

func (a *oauth) authorize(q *request) any {
	g := grant{client: q.required("client_id"), redirect: q.required("redirect_uri"), state: q.params.Get("state"), challenge: q.params.Get("code_challenge")}
	kind, minutes := q.required("response_type"), cmp.Or(q.params.Get("expiration"), "0")
	n, err := strconv.Atoi(minutes)
	g.token, g.life = kind == "token", time.Duration(n)*time.Minute
	switch {
	case q.err != nil:
		return q.err
	case !slices.Contains(oauthClients, g.client):
		return oauthError("invalid_request", "Invalid client_id")
	case !allowedRedirect(g.redirect, q.host()):
		return oauthError("invalid_request", "Invalid redirect_uri")
	case !g.token && kind != "code":
		return oauthError("unsupported_response_type", "Invalid response_type")
	case g.challenge != "" && q.params.Get("code_challenge_method") != "S256":
		return oauthError("invalid_request", "Invalid code_challenge_method")
	case err != nil || n < -1 || n > int(maxRefresh/time.Minute):
		return oauthError("invalid_request", "Invalid expiration")
	}
	return a.form(q, g)
}

// allowedRedirect reports whether a caller may go on at an address: at this site, or nowhere.
func allowedRedirect(redirect, host string) bool {
	u, err := url.Parse(redirect)
	return err == nil && (redirect == outOfBand ||
		(u.Scheme == "https" || u.Scheme == "http") && u.Host == host && u.Fragment == "" && u.User == nil)
}

// form shows a form to sign in. Programs find what they need in the JSON of its script,
// which is the first on the page and on one line.
func (a *oauth) form(q *request, g grant, messages ...string) any {
	state := a.keep(grantForm, g, formLife)
	info := object{"oauth_state": state, "client_id": g.client}
	if len(messages) > 0 {
		info["code"], info["messages"] = "OAUTH_0015", messages
	}
	if q.format != "html" {
		return info
	}
	return oauthPage("Sign in", info, strings.Join(messages, " ")+`</p><form method="post" action="`+
		html.EscapeString(q.url(sharingRoot+"/oauth2/signin"))+`"><input type="hidden" name="oauth_state" value="`+state+`">
<p><label>User <input name="username" autocomplete="username"></label></p>
<p><label>Password <input name="password" type="password" autocomplete="current-password"></label></p>
<p><button>Sign in</button></p></form><p>`)
}

// oauthPage makes a page for people, and for programs that read its script or its title.
func oauthPage(title string, info object, body string) webPage {
	script, _ := json.Marshal(info) // of texts only
	return webPage(`<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>` + html.EscapeString(title) + `</title>
<script>var oAuthInfo = ` + string(script) + `;</script>
</head>
<body>
<p><strong>This is a simulator, not a real site.</strong></p>
<p>` + body + `</p>
</body>
</html>
`)
}

func (a *oauth) signIn(q *request) any {
	q.params = q.http.PostForm // as for generateToken
	g := a.held(q, grantForm, "oauth_state")
	if q.err != nil {
		return q.err
	}
	delete(a.grants, grantForm+q.params.Get("oauth_state"))
	user := a.accounts.byPassword(q.params.Get("username"), q.params.Get("password"))
	if user == nil {
		return a.form(q, g, "Invalid username or password.")
	}
	g.user = user
	to, fields := g.redirect, url.Values{}
	if to == outOfBand {
		to = q.url(sharingRoot + "/oauth2/approval")
	}
	if g.state != "" {
		fields.Set("state", g.state)
	}
	if !g.token {
		fields.Set("code", a.keep(grantCode, g, codeLife))
		separator := "?"
		if strings.Contains(to, "?") {
			separator = "&"
		}
		return location(to + separator + fields.Encode())
	}
	for name, value := range a.access(user, cmp.Or(min(max(g.life, 0), refreshLife), 2*time.Hour)) {
		fields.Set(name, fmt.Sprint(value))
	}
	return location(to + "#" + fields.Encode())
}

// access issues a token that no referer is bound to.
func (a *oauth) access(user *account, life time.Duration) object {
	now := a.wall()
	text, expires := a.accounts.issue(token{user: user}, now, life)
	return object{"access_token": text, "username": user.Username, "ssl": false,
		"expires_in": int(expires.Sub(now).Seconds())}
}

// approval shows the code in its title, where programs without an address read it.
func (a *oauth) approval(q *request) any {
	q.format = "html"
	code := q.params.Get("code")
	if code == "" { // a token is in the fragment
		return oauthPage("SUCCESS", nil, "You are signed in.")
	}
	if a.held(q, grantCode, "code"); q.err != nil {
		return q.err
	}
	return oauthPage("SUCCESS code="+code, object{"code": code}, "Copy this code into the program: "+code)
}

// token exchanges a code for a token, and gets further ones. It always answers JSON.
func (a *oauth) token(q *request) any {
	q.format = "json"
	client := q.required("client_id")
	switch kind := q.required("grant_type"); {
	case q.err != nil:
		return q.err
	case kind == "authorization_code":
		g := a.held(q, grantCode, "code")
		delete(a.grants, grantCode+q.params.Get("code"))
		sum := sha256.Sum256([]byte(q.params.Get("code_verifier")))
		switch {
		case q.err != nil:
			return q.err
		case client != g.client:
			return oauthError("invalid_request", "Invalid client_id")
		case q.params.Get("redirect_uri") != g.redirect:
			return oauthError("invalid_request", "Invalid redirect_uri")
		case g.challenge != "" && g.challenge != base64.RawURLEncoding.EncodeToString(sum[:]):
			return oauthError("invalid_grant", "Invalid code_verifier")
		}
		life := cmp.Or(g.life, refreshLife)
		if life < 0 {
			life = maxRefresh
		}
		body := a.access(g.user, accessLife)
		body["refresh_token"] = a.keep(grantRefresh, g, life)
		body["refresh_token_expires_in"] = int(life.Seconds())
		return body
	case kind == "refresh_token":
		g := a.held(q, grantRefresh, "refresh_token")
		if q.err == nil && client == g.client {
			return a.access(g.user, accessLife)
		}
		return oauthError("invalid_request", "Invalid client_id")
	}
	return oauthError("unsupported_grant_type", "Invalid grant_type")
}
