package adminapi

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

const maxRetries = 3 // of a read, after the first attempt

// read sends a read, with retries, decodes the answer into v, and lets
// missing say what v lacks to be an answer (missing may be nil).
func (c *Client) read(ctx context.Context, k call, v any, missing func() string) error {
	_, err := c.readRaw(ctx, k, v, missing)
	return err
}

// readRaw is read, and returns the answer as the server wrote it.
func (c *Client) readRaw(ctx context.Context, k call, v any, missing func() string) (jsontext.Value, error) {
	a, e := c.fetch(ctx, k)
	if e == nil {
		e = a.explain(k, a.decode(v, missing))
	}
	if e == nil {
		return a.body, nil
	}
	return nil, c.diagnose(ctx, k, e)
}

// fetch returns the body of an answer: JSON of an object, or nothing.
func (c *Client) fetch(ctx context.Context, k call) (answer, *Error) {
	if e := c.tooOld(k.operation); e != nil {
		return answer{}, e
	}
	a, e := c.retry(ctx, k)
	if e != nil && k.method == http.MethodGet && isCode(e, http.StatusMethodNotAllowed) {
		k.method = http.MethodPost
		a, e = c.retry(ctx, k)
	}
	if e != nil && e.Kind == KindSignIn && !k.public && c.renewed(ctx, a.sentToken) {
		a, e = c.retry(ctx, k)
	}
	return a, e
}

func isCode(e *Error, code int) bool { return e.Status == code || e.Code == code }

// retryBackoff paces the retries of a read.
var retryBackoff = Backoff{First: 400 * time.Millisecond, Max: 5 * time.Second, Factor: 2, Jitter: 0.5}

// retry sends a read, and again after growing pauses while that can help.
func (c *Client) retry(ctx context.Context, k call) (answer, *Error) {
	for retries := 0; ; retries++ {
		a, e := c.exchange(ctx, k, c.reads)
		if e == nil || retries == maxRetries || !isRetryable(e) {
			return a, e
		}
		if c.clock.Sleep(ctx, retryBackoff.Pause(retries+1, c.rand)) != nil && ctx.Err() != nil {
			stopped := cancelled(ctx)
			stopped.Operation, stopped.Method, stopped.Path = e.Operation, e.Method, e.Path
			return a, stopped
		}
	}
}

// isRetryable reports whether another attempt can help: after a broken connection, or
// from a gateway without a site. A request that used all its time is not sent again.
func isRetryable(e *Error) bool {
	if isGateway(e.Status) {
		return true
	}
	return e.Kind == KindUnreachable && e.Err != nil && e.Code == 0 && !isPermanent(e.Err) && !errors.Is(e.Err, errPrefixChanged) &&
		!errors.Is(e.Err, context.DeadlineExceeded)
}

// decode reads the body of an answer into v.
func (a answer) decode(v any, missing func() string) *Error {
	if len(a.body) == 0 {
		return notJSON("the answer is empty", nil)
	}
	if err := decode(a.body, v); err != nil {
		return notJSON("the answer is cut off, or not the JSON that this operation gives", err)
	}
	if missing == nil {
		return nil
	}
	if what := missing(); what != "" {
		return notJSON("the answer is JSON, but holds no "+what, nil)
	}
	return nil
}

// diagnose finds out whether a read failed because the site is too old for it, or
// because an upgrade runs.
func (c *Client) diagnose(ctx context.Context, k call, e *Error) *Error {
	if old := c.diagnoseVersion(ctx, k, e); old != nil {
		return old
	}
	if !k.operation.upgrade {
		return e
	}
	return c.diagnoseUpgrade(ctx, e)
}

// diagnoseVersion fetches the version of a site that lacks a resource.
func (c *Client) diagnoseVersion(ctx context.Context, k call, e *Error) *Error {
	if _, known := c.Version(); known || !isCode(e, http.StatusNotFound) || k.operation.since == (Version{}) {
		return nil
	}
	if _, err := c.Root(ctx); err != nil {
		return nil
	}
	old := c.tooOld(k.operation)
	if old != nil {
		old.Method, old.Path, old.Status, old.Code = e.Method, e.Path, e.Status, e.Code
	}
	return old
}

// diagnoseUpgrade reads the Upgrades resource after an error of one below it: how a
// site refuses these during an upgrade is not documented.
func (c *Client) diagnoseUpgrade(ctx context.Context, e *Error) *Error {
	if e.Status < 400 && e.Code == 0 || e.Kind == KindBusy || e.Kind == KindSignIn || isRetryable(e) {
		return e
	}
	status, err := c.UpgradeStatus(ctx)
	if err != nil || !status.Running() {
		return e
	}
	e.Kind, e.Privilege = KindBusy, ""
	e.Details = append(e.Details, "an upgrade is in progress; this is not available until it ends")
	return e
}
