package views

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"
)

// Retry is the reply that follows a sign-in: it asks once more for what needed one.
// That is made then and not before, since meanwhile the same may have been asked
// for in another way.
type Retry struct{ Ask func() tea.Cmd }

// RetryAfterSignIn asks for a sign-in and then, once for each kind of request, replies
// with [Retry]. A write is never sent by that: its question comes back.
func (s *Scope) RetryAfterSignIn(err error, kind string, ask func() tea.Cmd) tea.Cmd {
	retry := s.Do("again "+kind, func(context.Context) tea.Msg { return Retry{ask} })
	return Send(SignIn{Reason: err.Error(), Retry: retry})
}
