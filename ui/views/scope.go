package views

import (
	"context"
	"sync/atomic"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
)

// Reply carries the result of a scope's command back to its owner.
type Reply struct {
	scope uint64
	kind  string
	turn  uint64
	sent  bool // of a write: always counts
	Msg   tea.Msg
}

// Kind is the kind of the request that is answered.
func (r Reply) Kind() string { return r.kind }

// Scope is the life of a view or dialog: its requests are cancelled with it, and
// their replies are addressed to it. Of each kind of request only the newest counts: it
// cancels the one before. What changes something goes by [Scope.Write] and is cancelled
// by nothing else than the end of the scope.
type Scope struct {
	id     uint64
	ctx    context.Context
	cancel context.CancelFunc
	kinds  map[string]newest
}

// newest is the newest request of a kind.
type newest struct {
	turn   uint64
	cancel context.CancelFunc
}

var scopes atomic.Uint64

// NewScope returns a scope that ends with parent or with Close.
func NewScope(parent context.Context) *Scope {
	ctx, cancel := context.WithCancel(parent)
	return &Scope{id: scopes.Add(1), ctx: ctx, cancel: cancel, kinds: map[string]newest{}}
}

// Context ends with the scope.
func (s *Scope) Context() context.Context { return s.ctx }

// Close cancels what is under way; replies that still come are stale.
func (s *Scope) Close() { s.cancel() }

// Do returns a command that runs f and replies with its message. A newer Do or After of
// the same kind, and Forget, cancel the context of this one and make its reply stale. f
// runs outside the update loop: it must capture values and touch no model. f changes
// nothing at the site: that is for Write.
func (s *Scope) Do(kind string, f func(context.Context) tea.Msg) tea.Cmd {
	s.Forget(kind)
	ctx, cancel := context.WithCancel(s.ctx)
	id, turn := s.id, s.kinds[kind].turn
	s.kinds[kind] = newest{turn, cancel}
	return func() tea.Msg { return Reply{scope: id, kind: kind, turn: turn, Msg: f(ctx)} }
}

// Work is Do for what ends in the owner of the scope: then is called back in the update loop, with
// what part has found out. A nil one is nothing.
func (s *Scope) Work(kind string, part func(context.Context) (then func() tea.Cmd)) tea.Cmd {
	return s.Do(kind, func(ctx context.Context) tea.Msg {
		if then := part(ctx); then != nil {
			return Retry{then}
		}
		return nil
	})
}

// Call returns a command after which the owner of the scope calls do: what a question leads to.
func (s *Scope) Call(kind string, do func() tea.Cmd) tea.Cmd {
	return s.Work(kind, func(context.Context) func() tea.Cmd { return do })
}

// After is Do once d has passed on clock. Nothing runs when the scope ends before,
// or a newer Do or After of the same kind is made.
func (s *Scope) After(clock adminapi.Clock, d time.Duration, kind string, f func(context.Context) tea.Msg) tea.Cmd {
	return s.Do(kind, func(ctx context.Context) tea.Msg {
		if clock.Sleep(ctx, d) != nil {
			return nil
		}
		return f(ctx)
	})
}

// Later is After for what the owner of the scope does once d has passed: its reply is a [Retry].
func (s *Scope) Later(clock adminapi.Clock, d time.Duration, kind string, do func() tea.Cmd) tea.Cmd {
	return s.After(clock, d, kind, func(context.Context) tea.Msg { return Retry{do} })
}

// Write is Do for what changes something, at the site or elsewhere. Nothing but the end
// of the scope cancels it, and its reply counts whatever else is made: a write that was
// cancelled halfway would have an unknown outcome.
func (s *Scope) Write(f func(context.Context) tea.Msg) tea.Cmd {
	id, ctx := s.id, s.ctx
	return func() tea.Msg { return Reply{scope: id, sent: true, Msg: f(ctx)} }
}

// Forget makes the reply of a request under way stale and cancels it, also in a pause
// before it.
func (s *Scope) Forget(kind string) {
	before := s.kinds[kind]
	if before.cancel != nil {
		before.cancel()
	}
	s.kinds[kind] = newest{turn: before.turn + 1}
}

// Current reports whether a reply still counts: it is addressed to this scope, which lives, and no newer
// request of its kind was made.
func (s *Scope) Current(r Reply) bool {
	return r.scope == s.id && s.ctx.Err() == nil && (r.sent || s.kinds[r.kind].turn == r.turn) && r.Msg != nil
}

// maxReports bounds the reports that wait to be drawn.
const maxReports = 64

// Reports carries the progress of a long command to the view, which takes one report
// after the other. The command never waits for the view: the oldest go first.
type Reports[T any] chan T

// NewReports returns an empty one.
func NewReports[T any]() Reports[T] { return make(Reports[T], maxReports) }

// Send adds a report. Only one command may send, and it closes the channel at its end.
func (r Reports[T]) Send(report T) {
	for {
		select {
		case r <- report:
			return
		default:
		}
		select {
		case <-r:
		default:
		}
	}
}

// Next waits for a report; false at the end of ctx or of the reports.
func (r Reports[T]) Next(ctx context.Context) (report T, ok bool) {
	select {
	case report, ok = <-r:
	case <-ctx.Done():
	}
	return report, ok
}

// Listen takes one report after the other in the owner of a scope.
func (r Reports[T]) Listen(s *Scope, take func(T) tea.Cmd) tea.Cmd {
	return s.Work("progress", func(ctx context.Context) func() tea.Cmd {
		report, ok := r.Next(ctx)
		if !ok {
			return nil
		}
		return func() tea.Cmd { return tea.Batch(take(report), r.Listen(s, take)) }
	})
}
