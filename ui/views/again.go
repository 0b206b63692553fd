package views

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"
)

// Again is the reply that follows a sign-in: it asks once more for what needed one.
// That is made then and not before, since meanwhile the same may have been asked
// for in another way.
type Again struct{ Ask func() tea.Cmd }

// SignInFirst asks for a sign-in and then, once for each kind of request, replies
// with [Again]. A write is never sent by that: its question comes back.
func (s *Scope) SignInFirst(err error, kind string, ask func() tea.Cmd) tea.Cmd {
	retry := s.Do("again "+kind, func(context.Context) tea.Msg { return Again{ask} })
	return Send(SignIn{Reason: err.Error(), Retry: retry})
}
