package adminapi

import (
	"context"
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
	k := call{
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
func signIn[T any](ctx context.Context, c *Client, k call, holds func(*T) bool) (T, error) {
	c.secrets.SignIn(k.secrets...)
	answered, err := readAs(ctx, c, k, "token", holds)
	err = wrongPassword(err)
	c.secrets.SignedIn(secrets.Answer{Taken: err == nil, Refused: errors.Is(err, KindSignIn)}, k.secrets...)
	return answered, err
}

// wrongPassword makes the refusal of a user or a password an error of [KindSignIn]: the
// portal calls it an invalid request.
func wrongPassword(err error) error {
	if e, ok := errors.AsType[*Error](err); ok && (isCode(e, http.StatusBadRequest) || isCode(e, http.StatusForbidden)) && e.Kind != KindNotJSON {
		e.Kind = KindSignIn
	}
	return err
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
	k, of := call{operation: opSelf, maskAnswer: true, portal: true, path: []string{"community", "self"}}, c.Token().Value
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
