package adminapi

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

const maxRetries = 3 // of a read, after the first attempt

// read sends a read until it is answered, decodes the answer into v, and lets
// missing say what v lacks to be an answer (missing may be nil).
func (c *Client) read(ctx context.Context, k call, v any, missing func() string) error {
	_, err := c.readWhole(ctx, k, v, missing)
	return err
}

// readWhole is read, and returns the answer as the server wrote it.
func (c *Client) readWhole(ctx context.Context, k call, v any, missing func() string) (jsontext.Value, error) {
	a, e := c.fetch(ctx, k)
	if e == nil {
		e = a.explain(k, a.decode(v, missing))
	}
	if e == nil {
		return a.body, nil
	}
	return nil, c.complete(ctx, k, e)
}

// fetch returns the body of an answer: JSON of an object, or nothing.
func (c *Client) fetch(ctx context.Context, k call) (answer, *Error) {
	if e := c.tooOld(k.operation); e != nil {
		return answer{}, e
	}
	a, e := c.repeat(ctx, k)
	if e != nil && k.method == http.MethodGet && isCode(e, http.StatusMethodNotAllowed) {
		k.method = http.MethodPost
		a, e = c.repeat(ctx, k)
	}
	if e != nil && e.Kind == KindSignIn && !k.public && c.renewed(ctx, a.sentToken) {
		a, e = c.repeat(ctx, k)
	}
	return a, e
}

func isCode(e *Error, code int) bool { return e.Status == code || e.Code == code }

// repeatBackoff is for a read that failed.
var repeatBackoff = Backoff{First: 400 * time.Millisecond, Max: 5 * time.Second, Factor: 2, Jitter: 0.5}

// repeat sends a read again, after growing pauses, while that can help.
func (c *Client) repeat(ctx context.Context, k call) (answer, *Error) {
	for repeats := 0; ; repeats++ {
		a, e := c.exchange(ctx, k, c.reads)
		if e == nil || repeats == maxRetries || !worthRepeating(e) {
			return a, e
		}
		if c.clock.Sleep(ctx, repeatBackoff.Pause(repeats+1, c.rand)) != nil && ctx.Err() != nil {
			stopped := cancelled(ctx)
			stopped.Operation, stopped.Method, stopped.Path = e.Operation, e.Method, e.Path
			return a, stopped
		}
	}
}

// worthRepeating: a broken connection and a gateway without a site behind it
// pass; a request that had all its time does not get it again.
func worthRepeating(e *Error) bool {
	if isGateway(e.Status) {
		return true
	}
	return e.Kind == KindUnreachable && e.Err != nil && e.Code == 0 && !isLasting(e.Err) && !errors.Is(e.Err, errNotAsBefore) &&
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

// complete finds out whether what a read asks for is missing because the site is too old
// for it, or closed because an upgrade runs.
func (c *Client) complete(ctx context.Context, k call, e *Error) *Error {
	if old := c.foundTooOld(ctx, k, e); old != nil {
		return old
	}
	if !k.operation.upgrade {
		return e
	}
	return c.closed(ctx, e)
}

// foundTooOld asks for the version of a site that lacks a resource.
func (c *Client) foundTooOld(ctx context.Context, k call, e *Error) *Error {
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

// closed asks the Upgrades resource where one below it gave an error: how a
// site refuses what is closed during an upgrade is not laid down.
func (c *Client) closed(ctx context.Context, e *Error) *Error {
	if e.Status < 400 && e.Code == 0 || e.Kind == KindBusy || e.Kind == KindSignIn || worthRepeating(e) {
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
