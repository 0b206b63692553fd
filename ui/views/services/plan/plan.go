// Package plan is a change of a part of services as a value: what it is, and what of it is sent. Each
// step of the flow of a change gets it from the one before. Start at [Plan].
package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/operation/batching"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/plain"
)

// Plan is the same change of one service or of several.
type Plan struct {
	Edits    []batching.PlannedEdit
	Several  bool
	Restored time.Time // when the version that is restored was saved; zero where none is
}

// Restores reports whether an older version is restored.
func (p *Plan) Restores() bool { return !p.Restored.IsZero() }

// Title says what is done.
func (p *Plan) Title() string {
	if p.Restores() {
		return "Restore"
	}
	return "Edit"
}

// About names what is changed: of several those that are sent, of none all.
func (p *Plan) About() string {
	switch sent, refused := p.Sendable(), len(p.Refused()); {
	case p.Several && refused > 0 && sent > 0:
		return fmt.Sprintf("%d of %s", sent, plain.Plural(sent+refused, "service"))
	case p.Several && sent == 1:
		return p.ToSend()[0].Service.Path()
	case p.Several:
		return plain.Plural(cmp.Or(sent, len(p.Edits)), "service")
	case len(p.Edits) > 0:
		return p.Edits[0].Service.Path()
	}
	return ""
}

// Makes reports whether another plan makes the same texts of the same ones.
func (p *Plan) Makes(other Plan) bool {
	return slices.EqualFunc(p.Edits, other.Edits, func(a, b batching.PlannedEdit) bool {
		return a.Same(b.Target) && a.Refused == nil && b.Refused == nil && a.Base.Text() == b.Base.Text() && a.Edited.Text() == b.Edited.Text()
	})
}

// First is the first edit, of one service the only one.
func (p *Plan) First() (first batching.PlannedEdit) {
	if len(p.Edits) > 0 {
		first = p.Edits[0]
	}
	return first
}

// ToSend are the edits that are sent.
func (p *Plan) ToSend() []batching.PlannedEdit {
	return batching.ToSend(p.Edits)
}

// Sendable counts the edits that are sent.
func (p *Plan) Sendable() int { return len(p.ToSend()) }

// Refused are the edits that cannot be made.
func (p *Plan) Refused() []batching.PlannedEdit {
	return slices.DeleteFunc(slices.Clone(p.Edits), func(e batching.PlannedEdit) bool { return e.Refused == nil })
}

// Services are those that take part.
func (p *Plan) Services() (services []adminapi.ServiceRef) {
	for _, e := range p.Edits {
		services = append(services, e.Service)
	}
	return services
}

// Changes reports whether a service takes part.
func (p *Plan) Changes(service adminapi.ServiceRef) bool {
	return slices.ContainsFunc(p.Edits, func(e batching.PlannedEdit) bool { return e.Service.Path() == service.Path() })
}

// Of is the edit of a target.
func (p *Plan) Of(target editing.Target) editing.Edit {
	for _, e := range p.Edits {
		if e.Same(target) {
			return e.Edit
		}
	}
	return editing.Edit{Target: target}
}

// Restarts reports whether a service restarts after its edit: else no node takes its pods.
func (p *Plan) Restarts(service adminapi.ServiceRef) bool {
	return slices.ContainsFunc(p.Edits, func(e batching.PlannedEdit) bool {
		return e.Service.Path() == service.Path() && len(e.Plan.Unschedulable()) == 0
	})
}

// Unschedulable are the deployments, of several services these, whose pods no node takes after
// the change.
func (p *Plan) Unschedulable() (ids []string) {
	for _, e := range p.ToSend() {
		if homeless := e.Plan.Unschedulable(); p.Several && len(homeless) > 0 {
			ids = append(ids, e.Service.Path())
		} else {
			ids = append(ids, homeless...)
		}
	}
	return ids
}

// MaxLines bounds the changes, and the services, that a question or a result names.
const MaxLines = 6

// Lines say the changes in short, with the arrow that the terminal can show. What cannot take the change
// may have another value: that of a service which is sent is said, and none where these differ.
func (p *Plan) Lines(arrow string) (lines []string) {
	of, edits := p.First(), p.ToSend()
	if len(edits) > 0 {
		of = edits[0]
	}
	all := editing.ChangeLines(of.Plan.Changes, of.Plan.Words)
	for i, line := range all[:min(len(all), MaxLines)] {
		differs := func(e batching.PlannedEdit) bool {
			return !slices.Contains(editing.ChangeLines(e.Plan.Changes, e.Plan.Words), line)
		}
		before, after, is := strings.Cut(line, " "+editing.Arrow+" ")
		if is && i < len(of.Plan.Changes) && slices.ContainsFunc(edits, differs) {
			path := of.Plan.Changes[i].Path.String()
			if strings.HasPrefix(before, path+" ") {
				line = path + " " + editing.Arrow + " " + after
			}
		}
		lines = append(lines, "  "+strings.ReplaceAll(line, editing.Arrow, arrow))
	}
	if more := len(all) - MaxLines; more > 0 {
		lines = append(lines, "  and "+plain.Plural(more, "more change"))
	}
	return lines
}
