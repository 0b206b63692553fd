package views

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
)

// Poll chains the steps of a poller as commands of a scope: a request, its reply, a
// pause, the next request. The poller belongs to the request that is under way, of which
// there is one at a time.
type Poll[T any] struct {
	// Reply makes the message that a view takes. It runs outside the update loop.
	Reply func(operation.Step[T], error) tea.Msg

	scope   *Scope
	clock   adminapi.Clock
	kind    string
	poller  operation.Poller[T]
	reading bool
}

// NewPoll returns the chain of a poller.
func NewPoll[T any](scope *Scope, clock adminapi.Clock, kind string, poller operation.Poller[T], reply func(operation.Step[T], error) tea.Msg) *Poll[T] {
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
