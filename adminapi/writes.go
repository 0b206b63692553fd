package adminapi

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// WriteObserver is notified of every write before and after it is sent.
type WriteObserver interface {
	// BeforeWrite is called before a write is sent. If it returns an error, the write is
	// not sent: what cannot be recorded must not happen.
	BeforeWrite(Write) error
	// AfterWrite is called with the result, also if BeforeWrite returned an error.
	AfterWrite(Write, Outcome, error)
}

// Write describes one write for an observer. Secrets are masked.
type Write struct {
	ID        uint64 // the same before and after; unique within one client
	Operation string // such as "run a health check"
	Path      string
	Fields    url.Values // form fields, secrets masked; "file NAME, N bytes" for a file
	// Target is what the write changes, so that no two writes to it are sent at the same
	// time: see [TargetSite]. It is empty if a repeated write does no harm.
	Target string
	Sent   time.Time // by the client's clock
}

// TargetSite is the target of writes that change the whole site: an upgrade, a rollback,
// the import of a version manifest.
const TargetSite = "site"

// TargetService is the target of writes that edit, start or stop a service, or edit its
// placement policy. Case does not distinguish services.
func TargetService(s ServiceRef) string { return "service " + strings.ToLower(s.Path()) }

// TargetHealthRun is the target of a health run: two of the same name could not be
// distinguished.
func TargetHealthRun(name string) string { return "health run " + name }

// write sends every request that changes the site. accept reads an answer without an
// error; if it fails, the outcome is unknown.
func (c *Client) write(ctx context.Context, k call, accept func(answer) *Error) (Outcome, error) {
	k.method = http.MethodPost
	u, e := c.checkWrite(ctx, k)
	if e != nil {
		e.Operation = k.operation.name
		return OutcomeNotSent, e
	}
	w := Write{
		ID: c.lastWrite.Add(1), Operation: k.operation.name, Path: u.EscapedPath(),
		Fields: k.maskedFields(), Sent: c.config.Clock.Now(), Target: k.target,
	}
	outcome, err := OutcomeNotSent, error(nil)
	if c.config.Observer != nil {
		recorded := w
		recorded.Fields = maps.Clone(w.Fields)
		if cause := c.config.Observer.BeforeWrite(recorded); cause != nil {
			err = &Error{
				Kind: KindNotRecorded, Operation: w.Operation, Path: w.Path, Err: cause,
				Message: fmt.Sprintf("it cannot be recorded (%v), so nothing was sent", cause),
			}
		}
	}
	if err == nil {
		outcome, err = c.send(ctx, k, accept)
	}
	if c.config.Observer != nil {
		c.config.Observer.AfterWrite(w, outcome, err)
	}
	return outcome, err
}

// Writable returns the error of every write of this client, nil if it sends them. It is a
// check before the steps that lead to a write.
func (c *Client) Writable() error {
	if e := c.writable(); e != nil {
		return e
	}
	return nil
}

func (c *Client) writable() *Error {
	if !c.config.ReadOnly {
		return nil
	}
	return &Error{Kind: KindReadOnly, Message: "this program was started read-only; nothing was sent"}
}

// checkWrite returns the URL of a write, or why it is not sent.
func (c *Client) checkWrite(ctx context.Context, k call) (*url.URL, *Error) {
	if e := cmp.Or(k.invalid, c.writable()); e != nil {
		return nil, e
	}
	if e := c.tooOld(k.operation); e != nil {
		return nil, e
	}
	if ctx.Err() != nil {
		return nil, cancelled(ctx)
	}
	if k.parts != nil {
		if e := checkParts(k.parts); e != nil {
			return nil, e
		}
	}
	return c.url(k)
}

func (k call) maskedFields() url.Values {
	if k.parts != nil {
		return maskedParts(k.parts)
	}
	fields := maps.Clone(k.fields)
	secrets := newScrubber(k.secrets...)
	for name, values := range fields {
		fields[name] = secrets.texts(append([]string(nil), values...))
	}
	return fields
}

// send sends a write exactly once.
func (c *Client) send(ctx context.Context, k call, accept func(answer) *Error) (Outcome, error) {
	a, e := c.exchange(ctx, k, c.writes)
	if e != nil {
		outcome := a.outcome()
		if e.Kind == KindSignIn {
			c.renewed(ctx, a.sentToken) // for the next request; this one is not sent again
		}
		if old := c.diagnoseVersion(ctx, k, e); old != nil {
			return outcome, old
		}
		return outcome, e
	}
	if e := a.explain(k, accept(a)); e != nil {
		return OutcomeUnknown, e
	}
	return OutcomeDone, nil
}

// outcome returns the outcome of a write that ended in an error. It was refused if the site
// cannot have begun it; after any other error the outcome is unknown, since a site can
// begin and then run out of time.
func (a answer) outcome() Outcome {
	switch {
	case a.unsent:
		return OutcomeNotSent
	case a.refused:
		return OutcomeRefused
	}
	return OutcomeUnknown
}

// Outcome is the result of a write. The zero value is [OutcomeUnknown], so that no write
// counts as done by default.
type Outcome int

const (
	// OutcomeUnknown means that the write may have been sent, and there is no usable
	// answer. Never repeat it; fetch the state of the site.
	OutcomeUnknown Outcome = iota
	// OutcomeDone means that the platform accepted it.
	OutcomeDone
	// OutcomeRefused means that the platform rejected it.
	OutcomeRefused
	// OutcomeNotSent means that nothing was sent; it is safe to repeat it.
	OutcomeNotSent
)

// String returns the outcome in words.
func (o Outcome) String() string {
	switch o {
	case OutcomeDone:
		return "done"
	case OutcomeRefused:
		return "refused"
	case OutcomeNotSent:
		return "not sent"
	}
	return "unknown"
}
