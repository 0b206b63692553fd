package views

import (
	"context"
	"errors"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/polling"
)

// Fetch is the state of one thing that a view reads from the site. The zero value has not
// been read.
type Fetch struct {
	Loading     bool         // a request is under way, or waits for its turn
	Updated     time.Time    // of the last good answer; zero where there was none
	Kept        bool         // what was read was kept on this machine by an earlier program
	Unreachable *Unreachable // unreachable since; what was read before is still shown
	Err         error        // why nothing can be read, if a retry does not help
	failed      int          // attempts in a row
}

// Succeeded notes a good answer.
func (f *Fetch) Succeeded(now time.Time) {
	*f = Fetch{Updated: now}
}

// TakeKept notes that what was kept on this machine is shown; false where the site has returned
// something meanwhile.
func (f *Fetch) TakeKept(read time.Time) bool {
	if !f.Updated.IsZero() {
		return false
	}
	f.Updated, f.Kept = read, true
	return true
}

// oldAfter is how long a view shows what it has read before.
const oldAfter = 2 * time.Minute

// Old reports whether what was read is to be read again over a line to the site.
func (f *Fetch) Old(now time.Time, line *polling.Line) bool {
	return !f.Loading && !f.Updated.IsZero() && now.Sub(f.Updated) >= line.Pause(oldAfter)
}

// Failed notes an attempt that failed. Where the error may go by itself it returns
// how long to wait before the next attempt, which is under way from then on; zero
// where nothing but the user can help. line is the one to the site.
func (f *Fetch) Failed(now time.Time, line *polling.Line, err error) (wait time.Duration) {
	if !adminapi.IsTransient(err) {
		f.Loading, f.Unreachable, f.failed, f.Err = false, nil, 0, err
		return 0
	}
	f.failed++
	wait = line.Pause(adminapi.UnreachableBackoff.Pause(f.failed, nil))
	f.Loading, f.Unreachable = true, StillUnreachable(f.Unreachable, now, wait, err)
	return wait
}

// FetchFailed takes an attempt that failed: it is repeated where the error may go by itself, and after a
// sign-in. What was read before stays, and then the error is told; else the view says it in its place.
func (b *Base) FetchFailed(f *Fetch, err error, kind string, again func() tea.Cmd) tea.Cmd {
	if errors.Is(err, adminapi.KindCancelled) {
		f.Loading = false
		return nil
	}
	if wait := f.Failed(b.Env.Clock.Now(), b.Env.Site.Line, err); wait > 0 {
		return b.Scope.Later(b.Env.Clock, wait, kind, again)
	}
	switch {
	case errors.Is(err, adminapi.KindSignIn):
		return b.Scope.RetryAfterSignIn(err, kind, again)
	case errors.Is(err, adminapi.KindVersionTooOld), f.Updated.IsZero():
		return nil
	}
	return TellError(err)
}

// StillUnreachable describes a site after one more attempt that failed; before is how
// it was, nil where it answered. The time starts anew where something else is
// wrong than before: a page of a proxy is no silence.
func StillUnreachable(before *Unreachable, now time.Time, wait time.Duration, err error) *Unreachable {
	a := &Unreachable{Since: now, Next: now.Add(wait), Err: err}
	if before != nil && before.What() == a.What() {
		a.Since = before.Since
	}
	return a
}

// NotRead says why nothing could be read, and what to do; nil where no attempt has failed.
func (f *Fetch) NotRead() []string {
	switch {
	case f.Unreachable != nil:
		return []string{Sentence(f.Unreachable.Err.Error()), "", strings.TrimSpace(f.Unreachable.Advice() + " Retrying automatically.")}
	case f.Err != nil:
		return []string{Sentence(f.Err.Error()), "", strings.TrimSpace(operation.Advice(f.Err) + Keys(" Press {key:health.refresh} to refresh."))}
	}
	return nil
}

// What says in a few words what is wrong: "no answer".
func (a Unreachable) What() string { return adminapi.UnreachableText(a.Err) }

// Advice says what to do; empty where something else than the site answers, as while it restarts.
func (a Unreachable) Advice() string {
	if !errors.Is(a.Err, adminapi.KindUnreachable) {
		return ""
	}
	return operation.Advice(a.Err)
}

// Retry is the reply that follows a pause, a sign-in, an unlocking, or work beside the update loop: Do goes on
// from there, with the request once more after a sign-in. It is called then and not before, since it may have
// been read in the meantime.
type Retry struct{ Do func() tea.Cmd }

// RetryAfterSignIn asks for a sign-in and then, once for each kind of request, replies
// with [Retry]. A write is never sent by that: its question comes back.
func (s *Scope) RetryAfterSignIn(err error, kind string, ask func() tea.Cmd) tea.Cmd {
	retry := s.Call("retry "+kind, ask)
	reason, undone := signInReason(err)
	return Send(SignIn{Reason: reason, Undone: undone, Retry: retry})
}

// signInReason says why a sign-in is needed, and what was not done because of it, which the
// error may begin with.
func signInReason(err error) (reason, undone string) {
	refused, ok := errors.AsType[*adminapi.Error](err)
	if !ok {
		return err.Error(), ""
	}
	reason = adminapi.SignInText(err) + " Sign in to continue."
	if undone, found := strings.CutSuffix(err.Error(), ": "+refused.Error()); found {
		return reason, Sentence(undone)
	}
	return reason, ""
}

// Poll chains the steps of a poller as commands of a scope: a request, its reply, a
// pause, the next request. The poller belongs to the request that is under way, of which
// there is one at a time.
type Poll[T any] struct {
	// Reply makes the message that a view takes. It runs outside the update loop.
	Reply func(polling.Step[T], error) tea.Msg

	scope   *Scope
	clock   adminapi.Clock
	kind    string
	poller  polling.Poller[T]
	reading bool
}

// NewPoll returns the chain of a poller.
func NewPoll[T any](scope *Scope, clock adminapi.Clock, kind string, poller polling.Poller[T], reply func(polling.Step[T], error) tea.Msg) *Poll[T] {
	return &Poll[T]{Reply: reply, scope: scope, clock: clock, kind: kind, poller: poller}
}

// Now returns a command that reads at once, instead of at the end of a pause. It is nil
// while a read is under way, whose reply is still to come.
func (p *Poll[T]) Now() tea.Cmd {
	if p.reading {
		return nil
	}
	p.reading = true
	poller, reply := p.poller, p.Reply
	return p.scope.Do(p.kind, func(ctx context.Context) tea.Msg {
		step, err := poller.Next(ctx)
		return reply(step, err)
	})
}

// Received notes that the reply has arrived. A view calls it first: until then Now is nil.
func (p *Poll[T]) Received() { p.reading = false }

// After returns a command that reads after a pause. Its reply is [Retry] first.
func (p *Poll[T]) After(wait time.Duration) tea.Cmd {
	return p.scope.Later(p.clock, wait, p.kind, p.Now)
}
