package adminapi

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"geodeck/adminapi/secrets"
)

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
