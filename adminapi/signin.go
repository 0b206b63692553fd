package adminapi

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"geodeck/adminapi/secrets"
)

// Token is a credential that a site issues for a user and a password.
type Token struct {
	Value   secrets.Secret `json:"token"`
	Expires Millis         `json:"expires"` // zero if not known
	SSL     bool           `json:"ssl"`
}

// Known reports whether there is a token.
func (t Token) Known() bool { return t.Value != "" }

// The headers that can carry a token. The second is for sites behind web-tier sign-in, where
// the first belongs to the proxy.
const standardHeader, esriHeader = "Authorization", "X-Esri-Authorization"

// ParseAuthHeader returns the header for the token that a text names in any case; without
// one it is Authorization. The error is of [KindInvalid].
func ParseAuthHeader(name string) (string, error) {
	name = strings.TrimSpace(name)
	switch {
	case name == "", strings.EqualFold(name, standardHeader):
		return standardHeader, nil
	case strings.EqualFold(name, esriHeader):
		return esriHeader, nil
	}
	return "", &Error{Kind: KindInvalid, Operation: "choose the header of the token",
		Message: strconv.Quote(name) + " cannot carry the token; use " + standardHeader + " or " + esriHeader}
}

// SignIn requests a token from the site's portal (generateToken, bound to this client's
// referer) and uses it from then on. life is how long the token should be valid; the site
// may grant less. The client keeps only checksums of the password, to mask it in texts.
func (c *Client) SignIn(ctx context.Context, user string, password secrets.Secret, life time.Duration) (Token, error) {
	fields := url.Values{
		"username": {user}, "password": {password.Reveal()}, "client": {"referer"}, "referer": {referer},
	}
	if life > 0 {
		fields.Set("expiration", strconv.Itoa(int(math.Ceil(life.Minutes()))))
	}
	k := Call{
		operation: opSignIn, method: http.MethodPost, portal: true, public: true,
		path: []string{"generateToken"}, fields: fields, secrets: []secrets.Secret{password},
	}
	token, err := signIn(ctx, c, k, func(t *Token) bool { return t.Known() })
	if err != nil {
		return Token{}, err
	}
	c.secrets.AddToken(token.Value, true)
	c.setToken(token, user)
	return token, nil
}

// signIn sends a sign-in.
func signIn[T any](ctx context.Context, c *Client, k Call, holds func(*T) bool) (T, error) {
	c.secrets.SignIn(k.secrets...)
	answered, err := readAs(ctx, c, k, "token", holds)
	if e, ok := errors.AsType[*Error](err); ok && (isCode(e, http.StatusBadRequest) || isCode(e, http.StatusForbidden)) && e.Kind != KindNotJSON {
		e.Kind = KindSignIn // the portal calls a wrong user or password an invalid request
	}
	c.secrets.SignedIn(secrets.Answer{Taken: err == nil, Refused: errors.Is(err, KindSignIn)}, k.secrets...)
	return answered, err
}

// SetToken makes the client use t for its next requests.
func (c *Client) SetToken(t Token) { c.setToken(t, "") }

// setToken makes the client use the token of a user; empty where that is not known.
func (c *Client) setToken(t Token, user string) {
	t.Value = secrets.Secret(strings.TrimSpace(t.Value.Reveal())) // files end in a line break
	c.secrets.AddToken(t.Value, !t.Expires.IsZero())              // only who issues it knows its end
	c.mu.Lock()
	defer c.mu.Unlock()
	c.token, c.user, c.accepted = t, user, ""
	c.renewal = renewal{seen: c.config.Clock.Now(), running: c.renewal.running}
}

// Accepted reports whether the site took the token in use when it was last sent.
func (c *Client) Accepted() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.token.Known() && c.accepted == c.token.Value
}

// noteToken keeps whether the site took the token of a request.
func (c *Client) noteToken(sent secrets.Secret, e *Error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case e == nil:
		c.accepted = sent
	case e.Kind == KindSignIn && c.accepted == sent:
		c.accepted = ""
	}
}

// Token returns the token in use.
func (c *Client) Token() Token {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.token
}

// renewed reports whether the token is another one than that which the site refused:
// SetToken was called in the meantime, or Config.Renew returned one.
func (c *Client) renewed(ctx context.Context, refused secrets.Secret) bool {
	renewed, _ := c.renewToken(ctx, refused)
	return renewed
}

// Renew renews the token, as after a refusal, and reports whether there is another one.
func (c *Client) Renew(ctx context.Context) bool { return c.renewed(ctx, c.Token().Value) }

// Self is the signed-in user, as the portal describes it.
type Self struct {
	Username   string   `json:"username"`
	FullName   string   `json:"fullName"`
	Role       string   `json:"role"`
	Privileges []string `json:"privileges"` // in the portal's words, such as portal:admin:manageServers
	Unknown    Unknown  `json:",embed"`
}

// RoleAdministrator is the role that may do everything, whatever the privileges say.
const RoleAdministrator = "org_admin"

// Has reports whether one of the privileges is among the names. A name that ends in a colon stands
// for all that begin with it.
func (s Self) Has(names []string) bool {
	return slices.ContainsFunc(s.Privileges, func(p string) bool {
		p = strings.TrimSpace(p)
		return slices.ContainsFunc(names, func(name string) bool {
			return strings.EqualFold(p, name) || strings.HasSuffix(name, ":") && strings.HasPrefix(p, name)
		})
	})
}

// Self fetches the signed-in user from the portal (community/self). Not every site answers
// this: an error means only that the privileges are not known.
func (c *Client) Self(ctx context.Context) (Self, error) {
	k, of := Call{operation: opSelf, maskAnswer: true, portal: true, path: []string{"community", "self"}}, c.Token().Value
	self, err := readAs(ctx, c, k, "username", func(s *Self) bool { return s.Username != "" })
	if err == nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.token.Value == of { // else another has signed in meanwhile
			c.user = self.Username
		}
	}
	return self, err
}

// User returns who is signed in, as far as the sign-in or the site has told; empty otherwise.
func (c *Client) User() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.user
}

// outOfBand is where a site sends whoever signs in for a program without an address: to a page
// that shows the code.
const outOfBand = "urn:ietf:wg:oauth:2.0:oob"

// Grant is what a site grants who signs in with OAuth.
type Grant struct {
	Token   Token
	User    string
	Refresh secrets.Secret // gets further tokens; empty where the site gives none
}

// AuthorizeAddress returns the address where the user signs in with OAuth and gets a code for
// [Client.ExchangeCode]. clientID names the program at the site, verifier is a new secret of
// 43 to 128 letters, digits, - . _ ~, and life is for how long tokens should be renewed.
// Nothing is sent.
func (c *Client) AuthorizeAddress(clientID string, verifier secrets.Secret, life time.Duration) string {
	sum := sha256.Sum256([]byte(verifier.Reveal()))
	query := url.Values{
		"client_id": {clientID}, "response_type": {"code"}, "redirect_uri": {outOfBand},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"},
	}
	if life > 0 {
		query.Set("expiration", strconv.Itoa(int(math.Ceil(life.Minutes()))))
	}
	address := *c.portal
	setPath(&address, strings.TrimSuffix(address.EscapedPath(), "/")+"/oauth2/authorize")
	address.RawQuery = query.Encode()
	return address.String()
}

// ExchangeCode exchanges the code that the user got for a token, and uses that from then on.
func (c *Client) ExchangeCode(ctx context.Context, clientID string, verifier, code secrets.Secret) (Grant, error) {
	return c.grant(ctx, clientID, url.Values{
		"grant_type": {"authorization_code"}, "redirect_uri": {outOfBand}, "code": {code.Reveal()}, "code_verifier": {verifier.Reveal()},
	}, verifier, code)
}

// RefreshToken requests another token from the site with the secret of an earlier grant, and
// uses that from then on. The grant has the secret for the next time.
func (c *Client) RefreshToken(ctx context.Context, clientID string, refresh secrets.Secret) (Grant, error) {
	c.secrets.Add(refresh)
	grant, err := c.grant(ctx, clientID, url.Values{"grant_type": {"refresh_token"}, "refresh_token": {refresh.Reveal()}}, refresh)
	if err == nil && grant.Refresh == "" {
		grant.Refresh = refresh
	}
	return grant, err
}

func (c *Client) grant(ctx context.Context, clientID string, fields url.Values, used ...secrets.Secret) (Grant, error) {
	type answered struct {
		Token   secrets.Secret `json:"access_token"`
		Seconds int64          `json:"expires_in"`
		SSL     bool           `json:"ssl"`
		User    string         `json:"username"`
		Refresh secrets.Secret `json:"refresh_token"`
	}
	fields.Set("client_id", clientID)
	k := Call{
		operation: opSignIn, method: http.MethodPost, portal: true, public: true,
		path: []string{"oauth2", "token"}, fields: fields, secrets: used,
	}
	began := c.config.Clock.Now()
	a, err := signIn(ctx, c, k, func(a *answered) bool { return a.Token != "" })
	if err != nil {
		return Grant{}, err
	}
	token := Token{Value: a.Token, SSL: a.SSL}
	if a.Seconds > 0 {
		ahead, _ := c.ServerTime()
		token.Expires = MillisOf(began.Add(ahead).Add(time.Duration(min(a.Seconds, math.MaxInt32)) * time.Second))
	}
	c.secrets.Add(a.Refresh)
	c.secrets.AddToken(token.Value, true)
	c.SetToken(token)
	return Grant{Token: token, User: a.User, Refresh: a.Refresh}, nil
}

// A token that ends soon is renewed beside the requests that still use it: the first waits for
// the new one a little, the others not at all.
const (
	renewalMargin = 5 * time.Minute // before the end of a token; half of its life where that is shorter
	renewalWait   = 5 * time.Second
)

// renewalBackoff paces what is tried again before a token ends.
var renewalBackoff = Backoff{First: 15 * time.Second, Max: 2 * time.Minute, Factor: 2, Jitter: 0.2}

// renewal is the state of the renewal before the end of a token. The mutex of the client
// guards it.
type renewal struct {
	seen     time.Time     // when the token was set
	running  chan struct{} // closed at the end of the attempt that runs; nil for none
	failures int           // in a row
	retryAt  time.Time
	told     bool // the user was told of the failure
}

// renewEarly renews the token where it ends soon, or where there is none yet.
func (c *Client) renewEarly(ctx context.Context) {
	if c.config.Renew == nil || !c.config.RenewEarly {
		return
	}
	now := c.config.Clock.Now()
	c.mu.Lock()
	soon, ended := c.tokenEnds(now)
	running, first := c.renewal.running, false
	if soon && running == nil && !now.Before(c.renewal.retryAt) {
		running, first = make(chan struct{}), true
		c.renewal.running = running
	}
	token := c.token.Value
	c.mu.Unlock()
	if first {
		go c.attemptRenewal(context.WithoutCancel(ctx), token, running)
	}
	if !soon || running == nil || !first && !ended {
		return
	}
	wait := make(chan struct{})
	if !ended {
		timer := c.config.AfterFunc(renewalWait, func() { close(wait) })
		defer timer.Stop()
	}
	select {
	case <-running:
	case <-wait:
	case <-ctx.Done():
	}
}

// tokenEnds reports whether the token ends soon, and whether it has ended; both where there is
// none. The mutex is held.
func (c *Client) tokenEnds(now time.Time) (soon, ended bool) {
	switch {
	case !c.token.Known():
		return true, true
	case c.token.Expires.IsZero():
		return false, false
	}
	end := c.token.Expires.Time().Add(-c.ahead) // by our clock
	left := end.Sub(now)
	return left <= min(renewalMargin, end.Sub(c.renewal.seen)/2), left <= 0
}

// attemptRenewal renews the token once. The first failure in a row is told, if there was a
// token: without one, the site says what is missing.
func (c *Client) attemptRenewal(ctx context.Context, token secrets.Secret, running chan struct{}) {
	renewed, err := c.renewToken(ctx, token)
	c.mu.Lock()
	tell := false
	if !renewed {
		c.renewal.failures++
		c.renewal.retryAt = c.config.Clock.Now().Add(renewalBackoff.Pause(c.renewal.failures, c.config.Rand))
		tell = token != "" && err != nil && !c.renewal.told && c.config.RenewFailed != nil
		c.renewal.told = c.renewal.told || tell
	}
	c.renewal.running = nil
	c.mu.Unlock()
	close(running)
	if tell {
		c.config.RenewFailed(err)
	}
}

// renewToken replaces the token that the site refused or that ends soon, and reports whether
// there is another one. It is done once at a time.
func (c *Client) renewToken(ctx context.Context, old secrets.Secret) (renewed bool, err error) {
	select {
	case c.renewing <- struct{}{}:
		defer func() { <-c.renewing }()
	case <-ctx.Done():
		return false, ctx.Err()
	}
	if c.Token().Value != old {
		return true, nil
	}
	if c.config.Renew == nil {
		return false, nil
	}
	token, err := c.config.Renew(ctx, old)
	if err == nil && token.Known() {
		c.setToken(token, c.User()) // the same user's
	}
	return c.Token().Value != old, err
}
