package adminapi

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi/internal/jsonx"
)

const maxRetries = 3 // of a read, after the first attempt

// read sends a read, with retries, and returns what take makes of its answer.
func read[T any](ctx context.Context, c *Client, k Call, take func(answer) (T, *Error)) (value T, err error) {
	a, e := c.fetch(ctx, k)
	switch {
	case e != nil:
	case len(a.body) == 0:
		e = a.explain(k, notJSON("the answer is empty", nil))
	default:
		value, e = take(a)
		e = a.explain(k, e)
	}
	if e == nil {
		return value, nil
	}
	// The site may be too old for it, or lack it, or an upgrade is running.
	if old := c.diagnoseVersion(ctx, k, e); old != nil {
		return value, old
	}
	e = c.diagnoseMissing(ctx, k, e)
	if k.operation.upgrade {
		e = c.diagnoseUpgrade(ctx, e)
	}
	return value, e
}

// readAs fetches a T. holds reports whether a decoded value is one, and what names what
// the answer lacks otherwise. holds may be nil.
func readAs[T any](ctx context.Context, c *Client, k Call, what string, holds func(*T) bool) (T, error) {
	return read(ctx, c, k, func(a answer) (T, *Error) { return decodeAs(a, what, holds) })
}

// readRaw is like readAs, and also returns the answer as the server wrote it.
func readRaw[T any](ctx context.Context, c *Client, k Call, what string, holds func(*T) bool) (value T, raw jsontext.Value, err error) {
	value, err = read(ctx, c, k, func(a answer) (T, *Error) {
		value, e := decodeAs(a, what, holds)
		if e == nil {
			raw = a.body
		}
		return value, e
	})
	return value, raw, err
}

// unseparated removes what the tolerant reader ignores in the name of a member.
var unseparated = strings.NewReplacer("_", "", "-", "")

// readList fetches the list that an answer has under a name; null is an empty list.
func readList[T any](ctx context.Context, c *Client, k Call, name string) ([]T, error) {
	return read(ctx, c, k, func(a answer) ([]T, *Error) {
		object, e := decodeAs[jsontext.Value](a, "", nil)
		if e != nil {
			return nil, e
		}
		var written jsontext.Value
		for member := range jsonx.Children(object) {
			if strings.EqualFold(unseparated.Replace(member.Name), name) {
				written = member.Value
			}
		}
		if written == nil {
			return nil, lacks(name)
		}
		return readElements[T](written)
	})
}

// readElements decodes a list; null is an empty list.
func readElements[T any](written jsontext.Value) (list []T, e *Error) {
	if err := decode(written, &list); err != nil {
		return nil, notJSON("the answer is not a list", err)
	}
	return list, nil
}

// fetch returns the answer to a read: its body is JSON of an object, or nothing.
func (c *Client) fetch(ctx context.Context, k Call) (answer, *Error) {
	if k.method == "" {
		k.method = http.MethodGet
	}
	if e := c.tooOld(k.operation); e != nil {
		return answer{}, e
	}
	usual := k.method
	method, known := c.methods.Load(k.operation.name)
	if known {
		k.method = method.(string)
	}
	a, e := c.retry(ctx, k)
	if e != nil && k.method != usual && isCode(e, http.StatusMethodNotAllowed) {
		k.method, known = usual, false // the site, or what stands in front, is another one since
		a, e = c.retry(ctx, k)
	}
	if e != nil && k.method == http.MethodGet && (isCode(e, http.StatusMethodNotAllowed) || k.operation.watches && !known && isCode(e, http.StatusNotFound)) {
		k.method = http.MethodPost // as an operation of the contract; a site without such a GET may say that there is no such thing
		a, e = c.retry(ctx, k)
	}
	if e == nil {
		c.methods.Store(k.operation.name, k.method)
	}
	if e != nil && e.Kind == KindSignIn && !k.public && c.Session.renewed(ctx, a.sentToken) {
		a, e = c.retry(ctx, k)
	}
	return a, e
}

func isCode(e *Error, code int) bool { return e.Status == code || e.Code == code }

// maxReads bounds the reads of a client that are under way, whichever lists and views ask for them.
const maxReads = 8

// slots are what reads wait for. All but one of them are for any read; the last is left for who
// watches an upgrade.
type slots struct{ all, others chan struct{} }

func newSlots() slots { return slots{make(chan struct{}, maxReads), make(chan struct{}, maxReads-1)} }

// take waits for a slot, and returns what gives it back. A sign-in waits for none.
func (s slots) take(ctx context.Context, k Call) (free func(), e *Error) {
	if k.public {
		return func() {}, nil
	}
	taken := 0
	waits := []chan struct{}{s.others, s.all}
	if k.operation.watches {
		waits = waits[1:]
	}
	free = func() {
		for _, slot := range waits[:taken] {
			<-slot
		}
	}
	for _, slot := range waits {
		select {
		case slot <- struct{}{}:
			taken++
		case <-ctx.Done():
			free()
			return nil, cancelled(ctx)
		}
	}
	return free, nil
}

// retryBackoff paces the retries of a read.
var retryBackoff = Backoff{First: 400 * time.Millisecond, Max: 5 * time.Second, Factor: 2, Jitter: 0.5}

// retry sends a read, and repeats it after growing pauses while that can help.
func (c *Client) retry(ctx context.Context, k Call) (answer, *Error) {
	var earlier *Error
	for retries := 0; ; retries++ {
		a, e := c.exchange(ctx, k, false)
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

// diagnoseMissing makes a missing resource of a bare 404, such as a page of the server in front, where the
// platform answers at its root, and of a 404 in its words for what most sites have. Half an answer stays one,
// and the watch of an upgrade goes on in any case.
func (c *Client) diagnoseMissing(ctx context.Context, k Call, e *Error) *Error {
	unlisted := e.Kind == KindNotFound && slices.Equal(k.path, []string{"services"}) // else no platform is there
	if e.Status != http.StatusNotFound || e.Code != 0 && !unlisted || IsCut(e) || k.public || k.operation.watches || len(k.path) == 0 || !c.Answers(ctx) {
		return e
	}
	if errors.Is(e.Err, ErrPage) {
		e.Message = "the site has nothing at " + e.Path
	}
	e.Kind, e.Explicit, e.Err = KindNotFound, true, ErrMissing
	return e
}

// Answers reports whether the platform answers below the root of this client: a site that does not show its
// root may still show the state of its upgrades.
func (c *Client) Answers(ctx context.Context) bool {
	_, err := c.Reach(ctx)
	return answered(err)
}

// Reach fetches the root, which says whether the site takes the token. A site that shows no root says so with
// the state of its upgrades, and its root is empty.
func (c *Client) Reach(ctx context.Context) (Root, error) {
	root, err := c.Root(ctx)
	if !IsMissing(err) {
		return root, err
	}
	_, below := c.Upgrades.Status(ctx)
	switch {
	case errors.Is(below, KindSignIn):
		return Root{}, below
	case answered(below):
		return Root{}, nil
	}
	return root, err
}

// answered reports whether a read got an answer of the platform, if only its words why not. That there is
// nothing may be said of a wrong address, too.
func answered(err error) bool {
	e, failed := errors.AsType[*Error](err)
	return !failed || e.Code != 0 && e.Kind != KindNotFound
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
