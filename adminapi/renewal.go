package adminapi

import (
	"context"
	"time"

	"geodeck/adminapi/secrets"
)

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
