package editor

import (
	"context"
	"errors"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation/editing"
	"geodeck/ui/views"
)

// source reads what the site has of a part, and retries where that can help.
type source struct {
	views.Fetch
	base views.Base
	run  *background
	name string // as in "the definition"
	// read captures what a read needs; the func that it returns runs in a command.
	read func() func(context.Context) (then func() tea.Cmd, err error)
	left bool
}

// load reads what the site has; not once it was left.
func (s *source) load() tea.Cmd {
	if s.left {
		return nil
	}
	s.Loading = true
	read := s.read()
	return s.base.Scope.Work(s.name, func(ctx context.Context) func() tea.Cmd {
		then, err := read(ctx)
		if err != nil {
			then = func() tea.Cmd { return s.failed(err) }
		}
		return s.run.late(then)
	})
}

func (s *source) failed(err error) tea.Cmd {
	if s.left {
		return nil
	}
	return s.base.FetchFailed(&s.Fetch, err, s.name, s.load)
}

// leave ends a read under way.
func (s *source) leave() {
	s.left = true
	s.base.Scope.Forget(s.name)
}

// unread says why there is nothing to show.
func (s *source) unread() []string {
	switch {
	case errors.Is(s.Err, adminapi.KindSignIn):
		return []string{"Not signed in: the " + s.name + " could not be read.", "", views.Keys("Press {key:services.refresh} to refresh.")}
	case errors.Is(s.Err, adminapi.KindVersionTooOld):
		return []string{views.Sentence(s.Err.Error())}
	case editing.Unreadable(s.Err):
		return append(s.NotRead(), "", "The site does not show the "+s.name+views.Keys(". {key:services.open-file} opens a file to edit in its place."))
	case s.Err != nil, s.Unreachable != nil:
		return s.NotRead()
	}
	return []string{"Reading the " + s.name + s.base.Env.Theme.Glyphs.Ellipsis}
}
