package adminapi

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi/internal/jsonx"
)

const maxRetries = 3 // of a read, after the first attempt

// read sends a read, with retries, and passes its answer to take.
func (c *Client) read(ctx context.Context, k Call, take func(answer) *Error) error {
	a, e := c.fetch(ctx, k)
	switch {
	case e != nil:
	case len(a.body) == 0:
		e = a.explain(k, notJSON("the answer is empty", nil))
	default:
		e = a.explain(k, take(a))
	}
	if e == nil {
		return nil
	}
	// The site may be too old for it, or an upgrade is running.
	if old := c.diagnoseVersion(ctx, k, e); old != nil {
		return old
	}
	if k.operation.upgrade {
		return c.diagnoseUpgrade(ctx, e)
	}
	return e
}

// readAs fetches a T. holds reports whether a decoded value is one, and what names what
// the answer lacks otherwise. holds may be nil.
func readAs[T any](ctx context.Context, c *Client, k Call, what string, holds func(*T) bool) (T, error) {
	value, _, err := readRaw(ctx, c, k, what, holds)
	return value, err
}

// readRaw is like readAs, and also returns the answer as the server wrote it.
func readRaw[T any](ctx context.Context, c *Client, k Call, what string, holds func(*T) bool) (value T, raw jsontext.Value, err error) {
	err = c.read(ctx, k, func(a answer) (e *Error) {
		if value, e = decodeAs(a, what, holds); e == nil {
			raw = a.body
		}
		return e
	})
	return value, raw, err
}

// unseparated removes what the tolerant reader ignores in the name of a member.
var unseparated = strings.NewReplacer("_", "", "-", "")

// readList fetches the list that an answer has under a name; null is an empty list.
func readList[T any](ctx context.Context, c *Client, k Call, name string) ([]T, error) {
	var list []T
	err := c.read(ctx, k, func(a answer) *Error {
		object, e := decodeAs[jsontext.Value](a, "", nil)
		if e != nil {
			return e
		}
		var written jsontext.Value
		for member := range jsonx.Children(object) {
			if strings.EqualFold(unseparated.Replace(member.Name), name) {
				written = member.Value
			}
		}
		if written == nil {
			return lacks(name)
		}
		return readElements(written, &list)
	})
	return list, err
}

// readElements decodes a list; null is an empty list.
func readElements[T any](list jsontext.Value, into *[]T) *Error {
	if err := decode(list, into); err != nil {
		return notJSON("the answer is not a list", err)
	}
	return nil
}

// fetch returns the answer to a read: its body is JSON of an object, or nothing.
func (c *Client) fetch(ctx context.Context, k Call) (answer, *Error) {
	if k.method == "" {
		k.method = http.MethodGet
	}
	if e := c.tooOld(k.operation); e != nil {
		return answer{}, e
	}
	a, e := c.retry(ctx, k)
	if e != nil && k.method == http.MethodGet && isCode(e, http.StatusMethodNotAllowed) {
		k.method = http.MethodPost
		a, e = c.retry(ctx, k)
	}
	if e != nil && e.Kind == KindSignIn && !k.public && c.Session.renewed(ctx, a.sentToken) {
		a, e = c.retry(ctx, k)
	}
	return a, e
}

func isCode(e *Error, code int) bool { return e.Status == code || e.Code == code }

// retryBackoff paces the retries of a read.
var retryBackoff = Backoff{First: 400 * time.Millisecond, Max: 5 * time.Second, Factor: 2, Jitter: 0.5}

// retry sends a read, and repeats it after growing pauses while that can help.
func (c *Client) retry(ctx context.Context, k Call) (answer, *Error) {
	var earlier *Error
	for retries := 0; ; retries++ {
		a, e := c.exchange(ctx, k, c.reads)
		if e != nil && ctx.Err() != nil {
			e.Earlier = earlier
		}
		if e == nil || retries == maxRetries || !isRetryable(e) {
			return a, e
		}
		if c.config.Clock.Sleep(ctx, retryBackoff.Pause(retries+1, c.config.Rand)) != nil && ctx.Err() != nil {
			stopped := cancelled(ctx)
			stopped.Earlier, stopped.Operation, stopped.Method, stopped.Path = e, e.Operation, e.Method, e.Path
			return a, stopped
		}
		earlier = e
	}
}

// isRetryable reports whether another attempt can help: the connection broke, or a gateway
// did not reach the site. A request that used all its time is not repeated.
func isRetryable(e *Error) bool {
	if isGateway(e.Status) {
		return true
	}
	return e.Kind == KindUnreachable && e.Err != nil && e.Code == 0 && !isPermanent(e.Err) && !errors.Is(e.Err, errPrefixChanged) &&
		!errors.Is(e.Err, context.DeadlineExceeded)
}

// decodeAs decodes the body of an answer, with the checks of readAs.
func decodeAs[T any](a answer, what string, holds func(*T) bool) (T, *Error) {
	var value, none T
	switch err := decode(a.body, &value); {
	case len(a.body) == 0:
		return none, notJSON("the answer is empty", nil)
	case err != nil:
		return none, notJSON("the answer is cut off or not the expected JSON", err)
	case holds != nil && !holds(&value):
		return none, lacks(what)
	}
	return value, nil
}

func lacks(what string) *Error { return notJSON("the answer is JSON, but has no "+what, nil) }

// diagnoseVersion fetches the version of a site that lacks a resource.
func (c *Client) diagnoseVersion(ctx context.Context, k Call, e *Error) *Error {
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

// diagnoseUpgrade fetches the Upgrades resource after an error of a resource below it:
// how a site refuses these during an upgrade is not documented.
func (c *Client) diagnoseUpgrade(ctx context.Context, e *Error) *Error {
	if e.Status < 400 && e.Code == 0 || e.Kind == KindBusy || e.Kind == KindSignIn || isRetryable(e) {
		return e
	}
	status, err := c.Upgrades.Status(ctx)
	if err != nil || !status.Running() {
		return e
	}
	e.Kind, e.Privilege = KindBusy, ""
	e.Details = append(e.Details, "an upgrade is in progress; this is not available until it ends")
	return e
}
