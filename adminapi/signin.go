package adminapi

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"geodeck/adminapi/secrets"
)

// The operations of this file, with the privilege and the version that they require.
var (
	opSignIn = operation{name: "sign in"}
	opSelf   = operation{name: "read who is signed in"}
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

// Session is who is signed in at a site, with the token of each request. It renews the token before it
// ends, or where the site refuses it.
type Session struct {
	client   *Client
	renewing chan struct{} // holds a value while a token is renewed

	mu       sync.Mutex
	token    Token
	user     string         // whose token that is; empty where it is not known
	accepted secrets.Secret // the token that the site took last, unless it refused it since
	renewal  renewal        // before the end of the token
}

// SignIn requests a token from the site's portal (generateToken, bound to this client's
// referer) and uses it from then on. life is how long the token should be valid; the site
// may grant less. The client keeps only checksums of the password, to mask it in texts.
func (s *Session) SignIn(ctx context.Context, user string, password secrets.Secret, life time.Duration) (Token, error) {
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
	token, err := signIn(ctx, s.client, k, func(t *Token) bool { return t.Known() })
	if err != nil {
		return Token{}, err
	}
	s.client.secrets.AddToken(token.Value, true)
	s.setToken(token, user)
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
func (s *Session) SetToken(t Token) { s.setToken(t, "") }

// setToken makes the client use the token of a user; empty where that is not known.
func (s *Session) setToken(t Token, user string) {
	t.Value = secrets.Secret(strings.TrimSpace(t.Value.Reveal())) // files end in a line break
	s.client.secrets.AddToken(t.Value, !t.Expires.IsZero())       // only who issues it knows its end
	s.mu.Lock()
	defer s.mu.Unlock()
	s.token, s.user, s.accepted = t, user, ""
	s.renewal = renewal{seen: s.client.config.Clock.Now(), running: s.renewal.running}
}

// Accepted reports whether the site took the token in use when it was last sent.
func (s *Session) Accepted() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.token.Known() && s.accepted == s.token.Value
}

// noteToken keeps whether the site took the token of a request.
func (s *Session) noteToken(sent secrets.Secret, e *Error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case e == nil:
		s.accepted = sent
	case e.Kind == KindSignIn && s.accepted == sent:
		s.accepted = ""
	}
}

// Token returns the token in use.
func (s *Session) Token() Token {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.token
}

// renewed reports whether the token is another one than that which the site refused:
// SetToken was called in the meantime, or Config.Renew returned one.
func (s *Session) renewed(ctx context.Context, refused secrets.Secret) bool {
	renewed, _ := s.renewToken(ctx, refused)
	return renewed
}

// Renew renews the token, as after a refusal, and reports whether there is another one.
func (s *Session) Renew(ctx context.Context) bool { return s.renewed(ctx, s.Token().Value) }

// Self is the signed-in user, as the portal describes it.
type Self struct {
	Username   string   `json:"username"`
	FullName   string   `json:"fullName"`
	Role       string   `json:"role"`
	Privileges []string `json:"privileges"` // in the portal's words, such as portal:admin:manageServers
	Unknown    Unknown  `json:",embed"`
}

// Self fetches the signed-in user from the portal (community/self). Not every site answers
// this: an error means only that the privileges are not known.
func (s *Session) Self(ctx context.Context) (Self, error) {
	k, of := Call{operation: opSelf, maskAnswer: true, portal: true, path: []string{"community", "self"}}, s.Token().Value
	self, err := readAs(ctx, s.client, k, "username", func(s *Self) bool { return s.Username != "" })
	if err == nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.token.Value == of { // else another has signed in meanwhile
			s.user = self.Username
		}
	}
	return self, err
}

// User returns who is signed in, as far as the sign-in or the site has told; empty otherwise.
func (s *Session) User() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.user
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
// [Session.ExchangeCode]. clientID names the program at the site, verifier is a new secret of
// 43 to 128 letters, digits, - . _ ~, and life is for how long tokens should be renewed.
// Nothing is sent.
func (s *Session) AuthorizeAddress(clientID string, verifier secrets.Secret, life time.Duration) string {
	sum := sha256.Sum256([]byte(verifier.Reveal()))
	query := url.Values{
		"client_id": {clientID}, "response_type": {"code"}, "redirect_uri": {outOfBand},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"},
	}
	if life > 0 {
		query.Set("expiration", strconv.Itoa(int(math.Ceil(life.Minutes()))))
	}
	address := *s.client.portal
	setPath(&address, strings.TrimSuffix(address.EscapedPath(), "/")+"/oauth2/authorize")
	address.RawQuery = query.Encode()
	return address.String()
}

// ExchangeCode exchanges the code that the user got for a token, and uses that from then on.
func (s *Session) ExchangeCode(ctx context.Context, clientID string, verifier, code secrets.Secret) (Grant, error) {
	return s.grant(ctx, clientID, url.Values{
		"grant_type": {"authorization_code"}, "redirect_uri": {outOfBand}, "code": {code.Reveal()}, "code_verifier": {verifier.Reveal()},
	}, verifier, code)
}

// RefreshToken requests another token from the site with the secret of an earlier grant, and
// uses that from then on. The grant has the secret for the next time.
func (s *Session) RefreshToken(ctx context.Context, clientID string, refresh secrets.Secret) (Grant, error) {
	s.client.secrets.Add(refresh)
	grant, err := s.grant(ctx, clientID, url.Values{"grant_type": {"refresh_token"}, "refresh_token": {refresh.Reveal()}}, refresh)
	if err == nil && grant.Refresh == "" {
		grant.Refresh = refresh
	}
	return grant, err
}

func (s *Session) grant(ctx context.Context, clientID string, fields url.Values, used ...secrets.Secret) (Grant, error) {
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
	began := s.client.config.Clock.Now()
	a, err := signIn(ctx, s.client, k, func(a *answered) bool { return a.Token != "" })
	if err != nil {
		return Grant{}, err
	}
	token := Token{Value: a.Token, SSL: a.SSL}
	if a.Seconds > 0 {
		ahead, _ := s.client.ServerTime()
		token.Expires = MillisOf(began.Add(ahead).Add(time.Duration(min(a.Seconds, math.MaxInt32)) * time.Second))
	}
	s.client.secrets.Add(a.Refresh)
	s.client.secrets.AddToken(token.Value, true)
	s.SetToken(token)
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

// renewal is the state of the renewal before the end of a token. The mutex of the session
// guards it.
type renewal struct {
	seen     time.Time     // when the token was set
	running  chan struct{} // closed at the end of the attempt that runs; nil for none
	failures int           // in a row
	retryAt  time.Time
	told     bool // the user was told of the failure
}

// renewEarly renews the token where it ends soon, or where there is none yet.
func (s *Session) renewEarly(ctx context.Context) {
	if s.client.config.Renew == nil || !s.client.config.RenewEarly {
		return
	}
	now := s.client.config.Clock.Now()
	s.mu.Lock()
	soon, ended := s.ends(now)
	running, first := s.renewal.running, false
	if soon && running == nil && !now.Before(s.renewal.retryAt) {
		running, first = make(chan struct{}), true
		s.renewal.running = running
	}
	token := s.token.Value
	s.mu.Unlock()
	if first {
		go s.attemptRenewal(context.WithoutCancel(ctx), token, running)
	}
	if !soon || running == nil || !first && !ended {
		return
	}
	wait := make(chan struct{})
	if !ended {
		timer := s.client.config.AfterFunc(renewalWait, func() { close(wait) })
		defer timer.Stop()
	}
	select {
	case <-running:
	case <-wait:
	case <-ctx.Done():
	}
}

// ends reports whether the token ends soon, and whether it has ended; both where there is
// none. The mutex is held.
func (s *Session) ends(now time.Time) (soon, ended bool) {
	switch {
	case !s.token.Known():
		return true, true
	case s.token.Expires.IsZero():
		return false, false
	}
	ahead, _ := s.client.ServerTime()
	end := s.token.Expires.Time().Add(-ahead) // by our clock
	left := end.Sub(now)
	return left <= min(renewalMargin, end.Sub(s.renewal.seen)/2), left <= 0
}

// attemptRenewal renews the token once. The first failure in a row is told, if there was a
// token: without one, the site says what is missing.
func (s *Session) attemptRenewal(ctx context.Context, token secrets.Secret, running chan struct{}) {
	renewed, err := s.renewToken(ctx, token)
	s.mu.Lock()
	tell := false
	if !renewed {
		s.renewal.failures++
		s.renewal.retryAt = s.client.config.Clock.Now().Add(renewalBackoff.Pause(s.renewal.failures, s.client.config.Rand))
		tell = token != "" && err != nil && !s.renewal.told && s.client.config.RenewFailed != nil
		s.renewal.told = s.renewal.told || tell
	}
	s.renewal.running = nil
	s.mu.Unlock()
	close(running)
	if tell {
		s.client.config.RenewFailed(err)
	}
}

// renewToken replaces the token that the site refused or that ends soon, and reports whether
// there is another one. It is done once at a time.
func (s *Session) renewToken(ctx context.Context, old secrets.Secret) (renewed bool, err error) {
	select {
	case s.renewing <- struct{}{}:
		defer func() { <-s.renewing }()
	case <-ctx.Done():
		return false, ctx.Err()
	}
	if s.Token().Value != old {
		return true, nil
	}
	if s.client.config.Renew == nil {
		return false, nil
	}
	token, err := s.client.config.Renew(ctx, old)
	if err == nil && token.Known() {
		s.setToken(token, s.User()) // the same user's
	}
	return s.Token().Value != old, err
}
