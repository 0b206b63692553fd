package change

import (
	"context"
	"errors"
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
)

// sameChange returns the services that the same change can be planned for: the one it was
// made in, and the marked ones. Rules are for one deployment alone.
func (f *Flow) sameChange() []adminapi.ServiceRef {
	if f.step != reviewing || f.target().Part != operation.Definition {
		return nil
	}
	services, first := f.host.Marked(), f.edits[0].Service
	if !slices.ContainsFunc(services, func(s adminapi.ServiceRef) bool { return s.Path() == first.Path() }) {
		services = append([]adminapi.ServiceRef{first}, services...)
	}
	return services
}

// planMarked plans the reviewed change for all marked services; after sending, for those
// that remain.
func (f *Flow) planMarked() tea.Cmd {
	if f.step == ended {
		return f.continueRemaining()
	}
	services := f.sameChange()
	switch {
	case f.several:
		return views.Tell(views.Info, "This plan already covers all marked services.")
	case len(services) < 2:
		return views.Tell(views.Info, "Mark other services in the list first (space). Your edit is saved.")
	}
	f.changes = f.edits[0].Plan.Changes
	return f.planFor(services)
}

// planFor plans the change on several services.
func (f *Flow) planFor(services []adminapi.ServiceRef) tea.Cmd {
	f.step, f.several, f.read, f.wanted = checking, true, 0, len(services)
	f.lay()
	changes := f.changes
	f.progress = views.NewReports[report]()
	site, progress := f.Env.Site, f.progress
	plan := f.Scope.Do("plan", func(ctx context.Context) tea.Msg {
		defer close(progress)
		return planned{edits: site.PlanMany(ctx, services, changes, func(done int) { progress.Send(report{read: done}) })}
	})
	return views.Batch(plan, f.listen())
}

// signIn is the error of a definition whose fetch needs a sign-in, nil for none.
func (r planned) signIn() error {
	for _, e := range r.edits {
		if errors.Is(e.Refused, adminapi.KindSignIn) {
			return e.Refused
		}
	}
	return nil
}

// replan plans the change for all marked services after a sign-in.
func (f *Flow) replan() tea.Cmd {
	if f.step != reviewing || f.several {
		return nil
	}
	return f.planMarked()
}

// remaining are those of several services that do not have the change, as far as is known:
// it failed, was not sent, or cannot be made there.
func (s *state) remaining() (services []adminapi.ServiceRef) {
	accepted := map[string]bool{}
	for _, r := range s.results {
		end := r.ending()
		accepted[r.Service.Path()] = end == endDone || end == endNotKept
	}
	if s.search != nil && s.search.found.Finding == operation.EditArrived {
		accepted[s.search.edit.Service.Path()] = true
	}
	for _, e := range s.edits {
		if !e.Unchanged() && !accepted[e.Service.Path()] {
			services = append(services, e.Service)
		}
	}
	return services
}

// canContinue reports whether the change can be planned for the remaining services.
func (s *state) canContinue() bool {
	return s.several && s.step == ended && !s.searching() && len(s.remaining()) > 0
}

// continueRemaining plans the change for the remaining services, for one review.
func (f *Flow) continueRemaining() tea.Cmd {
	if !f.canContinue() {
		return nil
	}
	services := f.remaining()
	f.host.MarkOnly(services)
	return f.planFor(services)
}

const (
	maxAside      = 4 // services that are named above a review as not taking part
	maxAsideLines = 3 // lines that each of them takes: the review needs the room
)

// preface says above a review what happens to pods, or which of several services take no
// part and why.
func (f *Flow) preface() (lines []string) {
	k := f.inks
	switch {
	case f.step != reviewing:
		return nil
	case !f.several:
		return f.movesPreface()
	}
	var named, left int
	add := func(sign string, ink rows.Ink, text string) {
		if named++; named > maxAside {
			left++
			return
		}
		p := f.page()
		p.Signed(sign, ink, text)
		lines = append(lines, p.Lines[:min(len(p.Lines), maxAsideLines)]...)
	}
	for _, e := range f.edits {
		path := plain.Line(e.Service.Path())
		switch {
		case e.Refused != nil:
			add(k.Glyphs.Warn, k.Warn, path+" cannot take it: "+e.Refused.Error())
		case e.Unchanged():
			add(k.Glyphs.Skipped, k.Muted, path+" has it already")
		}
	}
	if left > 0 {
		lines = append(lines, k.Muted.On(fmt.Sprintf("  and %d more", left)))
	}
	if len(lines) > 0 {
		lines = append(lines, "")
	}
	return lines
}
