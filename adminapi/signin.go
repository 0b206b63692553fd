package adminapi

import (
	"context"
	"time"
)

// Token is what a site gives out for a user and a password.
type Token struct {
	Value   Secret `json:"token"`
	Expires Millis `json:"expires"` // zero where it is not known
	SSL     bool   `json:"ssl"`
}

// Known tells whether there is a token at all.
func (t Token) Known() bool { return t.Value != "" }

// SignIn asks the site's portal for a token (generateToken, bound to this
// client's referer) and uses it from then on. life is how long the token shall
// last; the site may grant less. The password is not kept.
func (c *Client) SignIn(ctx context.Context, user string, password Secret, life time.Duration) (Token, error) {
	panic("contract only")
}

// SetToken uses t from now on. Safe while requests are under way.
func (c *Client) SetToken(t Token) { panic("contract only") }

// Token returns the token in use.
func (c *Client) Token() Token { panic("contract only") }

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
func (c *Client) Self(ctx context.Context) (Self, error) { panic("contract only") }
