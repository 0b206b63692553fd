package adminapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi/secrets"
)

// WriteObserver is notified of every write before and after it is sent.
type WriteObserver interface {
	// BeforeWrite is called before a write is sent. If it returns an error, the write is
	// not sent: what cannot be recorded must not happen.
	BeforeWrite(Write) error
	// AfterWrite is called with the result, also if BeforeWrite returned an error.
	AfterWrite(Write, Outcome, error)
}

// WriteKind says what a write does. Records keep it, so its words stay as they are.
type WriteKind string

// The kinds of writes.
const (
	WriteHealthRun      WriteKind = "health-run"
	WriteReportDeletion WriteKind = "report-deletion"
	WriteDefinition     WriteKind = "definition"
	WriteRules          WriteKind = "rules"
	WriteStart          WriteKind = "start"
	WriteStop           WriteKind = "stop"
	WriteManifest       WriteKind = "manifest"
	WriteUpgrade        WriteKind = "upgrade"
	WriteRollback       WriteKind = "rollback"
	WriteUpload         WriteKind = "upload"
	WriteUploadDeletion WriteKind = "upload-deletion"
)

// EndsLater reports whether such a write, once accepted, begins work that may still fail: its
// outcome is that of the request only. A kind that is not known may.
func (k WriteKind) EndsLater() bool {
	return !slices.Contains([]WriteKind{WriteReportDeletion, WriteManifest, WriteUpload, WriteUploadDeletion}, k)
}

// Write describes one write for an observer. Secrets are masked.
type Write struct {
	ID        uint64 // the same before and after; unique within one client
	Kind      WriteKind
	Operation string // such as "run a health check"
	Path      string
	Fields    url.Values // form fields, secrets masked; "file NAME, N bytes" for a file
	// Target is what the write changes, so that no two writes to it are sent at the same
	// time: see [TargetSite]. It is empty if a repeated write does no harm.
	Target string
	User   string    // of the site, see [Session.User]
	Sent   time.Time // by the client's clock
	Server Millis    // the same by the server's clock; zero if that is not known
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
func (c *Client) write(ctx context.Context, k Call, accept func(answer) *Error) (Outcome, error) {
	var u *url.URL
	e := c.writable()
	if e == nil {
		k, u, e = c.prepare(ctx, k)
	}
	if e != nil {
		e.Operation = k.operation.name
		return OutcomeNotSent, e
	}
	w := Write{
		ID: c.lastWrite.Add(1), Kind: k.operation.writes, Operation: k.operation.name, Path: u.EscapedPath(),
		Fields: k.maskedFields(), Sent: c.config.Clock.Now(), Target: k.target, User: c.Session.User(),
	}
	if ahead, known := c.ServerTime(); known {
		w.Server = MillisOf(w.Sent.Add(ahead))
	}
	outcome, err := OutcomeNotSent, error(nil)
	if c.config.Observer != nil {
		recorded := w
		recorded.Fields = maps.Clone(w.Fields)
		if cause := c.config.Observer.BeforeWrite(recorded); cause != nil {
			err = &Error{
				Kind: KindNotRecorded, Operation: w.Operation, Path: w.Path, Err: cause,
				Message: fmt.Sprintf("the request cannot be recorded (%v), so nothing was sent", cause),
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

// submit is write for an answer that accept makes something of.
func submit[T any](ctx context.Context, c *Client, k Call, accept func(answer) (T, *Error)) (value T, outcome Outcome, err error) {
	outcome, err = c.write(ctx, k, func(a answer) (e *Error) {
		value, e = accept(a)
		return e
	})
	return value, outcome, err
}

// Request is a write as it would be sent, with secrets masked.
type Request struct {
	Method string  `json:"method"`
	Path   string  `json:"path"` // of the URL, escaped
	Fields []Field `json:"fields"`
}

// Field is a field of a form.
type Field struct {
	Name  string    `json:"name"`
	Value string    `json:"value"`          // of a file a description
	File  *FileSize `json:"file,omitempty"` // nil for a plain field
}

// FileSize describes a file of a form; one that is sent empty has no name.
type FileSize struct {
	Name string `json:"name"`
	Size int    `json:"size"` // bytes
}

// Preview returns a write as it would be sent, also by a client that is read-only. Nothing is
// sent, and nothing but the version of the site is fetched.
func (c *Client) Preview(ctx context.Context, k Call) (Request, error) {
	k, u, e := c.prepare(ctx, k)
	if e != nil {
		e.Operation = k.operation.name
		return Request{}, e
	}
	r := Request{Method: k.method, Path: c.Secrets().Text(u.EscapedPath(), secrets.InNames)}
	for _, part := range k.parts {
		field := Field{Name: part.Name, Value: part.masked()}
		if part.File {
			field.File = &FileSize{part.FileName, len(part.Content)}
		}
		r.Fields = append(r.Fields, field)
	}
	fields := k.form(c.Session.Token().Value.String())      // without those of parts
	for _, name := range slices.Sorted(maps.Keys(fields)) { // as they are encoded
		r.Fields = append(r.Fields, Field{Name: name, Value: fields.Get(name)})
	}
	for i, field := range r.Fields {
		if jsontext.Value(field.Value).Kind() == jsontext.KindBeginObject {
			r.Fields[i].Value = string(c.Secrets().JSON([]byte(field.Value), secrets.Anywhere))
		}
	}
	return r, nil
}

// Writable returns the error of every write of this client, nil if it sends them. It is a
// check before the steps that lead to a write.
func (c *Client) Writable() error {
	if e := c.writable(); e != nil {
		e.Operation = "change the site"
		return e
	}
	return nil
}

func (c *Client) writable() *Error {
	switch {
	case c.config.ReadOnly: // also of a client that is unlocked
		return &Error{Kind: KindReadOnly, Message: "geodeck was started with --read-only; nothing was sent"}
	case c.Locked():
		return &Error{Kind: KindLocked, Message: "this site is read-only until it is unlocked; nothing was sent"}
	}
	return nil
}

// prepare returns a write in the form that the site knows, with its URL, or why it cannot
// be sent.
func (c *Client) prepare(ctx context.Context, k Call) (Call, *url.URL, *Error) {
	k.method = http.MethodPost
	u, e := c.url(k)
	switch {
	case k.invalid != nil:
		return k, nil, k.invalid
	case ctx.Err() != nil:
		return k, nil, cancelled(ctx)
	case k.parts != nil:
		e = cmp.Or(checkParts(k.parts), e)
	}
	if e == nil && k.fields.Has(asyncField) {
		e = c.needVersion(ctx)
	}
	if e == nil {
		e = c.tooOld(k.operation)
	}
	if e == nil && k.fields.Has(asyncField) && !c.knowsAsync(k) {
		k.fields, k.timeout = maps.Clone(k.fields), SyncTime
		k.fields.Del(asyncField)
	}
	return k, u, e
}

// asyncField is the parameter that lets an operation run in a job.
const asyncField = "async"

// needVersion fetches the version of the site, unless it is known. A site that does not show it, or not
// to this user, is no error: it gets the form of a write that every version of the operation knows.
func (c *Client) needVersion(ctx context.Context) *Error {
	if _, known := c.Version(); known {
		return nil
	}
	_, err := c.Reach(ctx)
	e, failed := errors.AsType[*Error](err)
	if !failed || e.Kind == KindPrivilege || isCode(e, http.StatusMethodNotAllowed) {
		return nil
	}
	return &Error{Kind: e.Kind, Method: e.Method, Path: e.Path, Status: e.Status, Code: e.Code, Err: e,
		Message: "nothing was sent: the site's version could not be read: " + e.words()}
}

// knowsAsync reports whether the site knows the parameter async. Without a version it
// does where the operation itself came later, or where a person has chosen it.
func (c *Client) knowsAsync(k Call) bool {
	version, known := c.Version()
	if !known {
		version = k.operation.since
	}
	return version.AtLeast(VersionAsync) || !known && k.chosen
}

// WithAsync is an edit of a service that the site runs in a job, or answers at its end, as a person has chosen:
// a site of unknown version is sent that, too.
func (k Call) WithAsync(async bool) Call {
	k.fields, k.chosen = maps.Clone(k.fields), true
	k.fields.Set(asyncField, strconv.FormatBool(async))
	if k.timeout, k.extra = SyncTime, 0; async {
		k.timeout, k.extra = 0, slowLineTime(len(k.fields.Encode()))
	}
	return k
}

// maskedFields are the fields of a write for an observer. The only secret in a form is the
// token, which is added later.
func (k Call) maskedFields() url.Values {
	if k.parts == nil {
		return maps.Clone(k.fields)
	}
	fields := url.Values{}
	for _, part := range k.parts {
		fields.Add(part.Name, part.masked())
	}
	return fields
}

// send sends a write exactly once.
func (c *Client) send(ctx context.Context, k Call, accept func(answer) *Error) (Outcome, error) {
	a, e := c.exchange(ctx, k, true)
	if e != nil {
		// It was refused if the site cannot have begun it; after any other error the outcome is
		// unknown, since a site can begin and then run out of time.
		outcome := OutcomeUnknown
		switch {
		case a.unsent:
			outcome = OutcomeNotSent
		case a.refused:
			outcome = OutcomeRefused
		}
		if e.Kind == KindSignIn {
			c.Session.renewed(ctx, a.sentToken) // for the next request; this one is not sent again
		}
		if old := c.diagnoseVersion(ctx, k, e); old != nil {
			return outcome, old
		}
		return outcome, c.diagnoseMissing(ctx, k, e)
	}
	if e := a.explain(k, accept(a)); e != nil {
		return OutcomeUnknown, e
	}
	return OutcomeDone, nil
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
