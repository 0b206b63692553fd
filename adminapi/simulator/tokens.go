package simulator

import (
	"crypto/rand"
	"encoding/base64"
	"net"
	"net/http"
	"strings"
	"time"
)

// How long a token lives: on the wall's time, since the people and programs
// that hold it live there.
const (
	defaultTokenLife = 60 * time.Minute
	maxTokenLife     = 15 * 24 * time.Hour
)

// token is a sign-in that is good for a while and for one caller.
type token struct {
	user    *account
	expires time.Time
	referer string // the Referer that must come with it; empty: none
	ip      string // the address it must come from; empty: any
}

type tokens struct {
	issued map[string]token
	most   time.Duration // longest life; 0 means maxTokenLife
}

func newTokens(most time.Duration) *tokens {
	if most == 0 {
		most = maxTokenLife
	}
	return &tokens{issued: map[string]token{}, most: most}
}

// issue makes a token. Its text is truly random, whatever the seed: it opens
// the site to whoever can reach loopback.
func (t *tokens) issue(tok token, now time.Time, life time.Duration) (string, time.Time) {
	for text, old := range t.issued {
		if !old.expires.After(now) {
			delete(t.issued, text)
		}
	}
	var secret [48]byte
	_, _ = rand.Read(secret[:])
	text := base64.RawURLEncoding.EncodeToString(secret[:])
	tok.expires = now.Add(min(life, t.most))
	t.issued[text] = tok
	return text, tok.expires
}

// endAll lets every token that was issued be expired from now on.
func (t *tokens) endAll() {
	for text, tok := range t.issued {
		tok.expires = time.Time{}
		t.issued[text] = tok
	}
}

// check finds who sends a request.
func (t *tokens) check(r *http.Request, now time.Time) (*account, error) {
	text := tokenOf(r)
	if text == "" {
		return nil, tokenMissing()
	}
	tok, ok := t.issued[text]
	switch {
	case !ok:
		return nil, tokenInvalid("The token is not known here.")
	case !tok.expires.After(now):
		return nil, tokenInvalid("The token has expired.")
	case tok.referer != "" && !strings.HasPrefix(r.Referer(), tok.referer):
		return nil, tokenInvalid("The token was issued for another referer.")
	case tok.ip != "" && tok.ip != remoteIP(r):
		return nil, tokenInvalid("The token was issued for another address.")
	}
	return tok.user, nil
}

// tokenOf reads the token from the form, the header or, on GET only, the URL.
func tokenOf(r *http.Request) string {
	if text := r.PostForm.Get("token"); text != "" {
		return text
	}
	if r.MultipartForm != nil && len(r.MultipartForm.Value["token"]) > 0 {
		return r.MultipartForm.Value["token"][0]
	}
	if scheme, text, ok := strings.Cut(r.Header.Get("Authorization"), " "); ok && strings.EqualFold(scheme, "Bearer") {
		return strings.TrimSpace(text)
	}
	if r.Method == http.MethodGet {
		return r.URL.Query().Get("token")
	}
	return ""
}

func remoteIP(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}
