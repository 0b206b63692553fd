package adminapi

import (
	"context"
	"errors"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Token is what a site gives out for a user and a password.
type Token struct {
	Value   Secret `json:"token"`
	Expires Millis `json:"expires"` // zero where it is not known
	SSL     bool   `json:"ssl"`
}

// Known reports whether there is a token at all.
func (t Token) Known() bool { return t.Value != "" }

// SignIn asks the site's portal for a token (generateToken, bound to this
// client's referer) and uses it from then on. life is how long the token should
// last; the site may grant less. Of the password only checksums are kept, by which it
// is masked wherever the site repeats it.
func (c *Client) SignIn(ctx context.Context, user string, password Secret, life time.Duration) (Token, error) {
	fields := url.Values{
		"username": {user}, "password": {password.Reveal()}, "client": {"referer"}, "referer": {referer},
	}
	if life > 0 {
		fields.Set("expiration", strconv.Itoa(int(math.Ceil(life.Minutes()))))
	}
	k := call{
		operation: opSignIn, method: http.MethodPost, portal: true, public: true,
		path: []string{"generateToken"}, fields: fields, secrets: []Secret{password},
	}
	token, err := readAs(ctx, c, k, "token", func(t *Token) bool { return t.Known() })
	if err != nil {
		return Token{}, wrongPassword(err)
	}
	c.SetToken(token)
	return token, nil
}

// wrongPassword gives the kind that it has to the refusal of a user or a
// password: the portal calls it an invalid request.
func wrongPassword(err error) error {
	if e, ok := errors.AsType[*Error](err); ok && (isCode(e, http.StatusBadRequest) || isCode(e, http.StatusForbidden)) && e.Kind != KindNotJSON {
		e.Kind = KindSignIn
	}
	return err
}

// SetToken uses t from now on. Safe while requests are under way.
func (c *Client) SetToken(t Token) {
	t.Value = Secret(strings.TrimSpace(t.Value.Reveal())) // files end in a line break
	c.secrets.addToken(t.Value)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.token = t
}

// Token returns the token in use.
func (c *Client) Token() Token {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.token
}

// renewed reports whether there is another token now than the one that the site
// refused: somebody has set one meanwhile, or Config.Renew gave one.
func (c *Client) renewed(ctx context.Context, refused Secret) bool {
	select {
	case c.renewing <- struct{}{}:
		defer func() { <-c.renewing }()
	case <-ctx.Done():
		return false
	}
	if c.Token().Value != refused {
		return true
	}
	if c.renew == nil {
		return false
	}
	token, err := c.renew(ctx)
	if err != nil || !token.Known() {
		return false
	}
	c.SetToken(token)
	return c.Token().Value != refused
}

// Renew asks for another token as after a refusal, and reports whether there is one now.
func (c *Client) Renew(ctx context.Context) bool { return c.renewed(ctx, c.Token().Value) }

// Self is the signed-in user as the portal describes them.
type Self struct {
	Username   string   `json:"username"`
	FullName   string   `json:"fullName"`
	Role       string   `json:"role"`
	Privileges []string `json:"privileges"` // the portal's words, such as portal:admin:manageServers
	Unknown    Unknown  `json:",embed"`
}

// Self asks the portal who the caller is (community/self). Not every site
// answers: an error here means that the privileges are not known, no more.
func (c *Client) Self(ctx context.Context) (Self, error) {
	k := call{operation: opSelf, maskAnswer: true, portal: true, path: []string{"community", "self"}}
	return readAs(ctx, c, k, "username", func(s *Self) bool { return s.Username != "" })
}
