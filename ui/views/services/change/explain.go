package change

import (
	"context"
	"errors"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/explain"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/incident"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/widget/whatnow"
)

// maxRule bounds a broken rule, in cells.
const maxRule = 300

// whatNow opens the panel What now about a change that was not done, or a service that waits after it,
// with what the answer says, and reads the state of the site.
func (f *Flow) whatNow() tea.Cmd {
	if f.step == conflicting {
		next := explain.Step{Text: views.Keys("Press {key:services.merge} to merge, then review and send.")}
		if f.conflicts.open() > 0 {
			next.Text = views.Keys("Choose mine or theirs, then press {key:services.merge} to merge.")
		}
		return whatnow.Open(f.Env, explain.Explanation{Title: f.conflicts.merge.Edit.Target.String(), Fault: true, Next: next,
			Cause: explain.Cause{Known: true, Sentence: "Somebody changed it after you opened it. Nothing was sent."}}, nil, nil)
	}
	if f.step == reviewing {
		x := explain.Explanation{Title: "Cannot send: " + f.target().String(), Fault: true, Next: explain.Step{Text: views.Keys("Press {key:services.back}, then correct the named value.")},
			Cause: explain.Cause{Known: true, Sentence: "Your change breaks a rule. Nothing was sent."}}
		for _, plan := range f.plans() {
			for _, f := range finding.Those(plan.Findings, finding.Finding.Blocks) {
				x.Evidence = append(x.Evidence, explain.Evidence{Text: plain.Clip(plain.Line(f.At.Words()+": "+f.Text), maxRule)})
			}
		}
		return whatnow.Open(f.Env, x, nil, nil)
	}
	r, around := f.last(), whatnow.Around(f.Env)
	if !f.undone() {
		site, service := f.Env.Site, r.Service
		around.Nodes = f.nodes.List()
		return whatnow.Open(f.Env, explain.Explanation{Title: service.Path(), Next: explain.Step{Text: "Reading the site" + f.inks.Glyphs.Ellipsis}},
			func(ctx context.Context) explain.Explanation {
				return incident.ExplainService(ctx, site, service, around)
			}, nil)
	}
	r.Result = f.result()
	facts := incident.EditFactsOf(r.AppliedEdit, around)
	if f.search != nil {
		found := f.search.found
		if found.Job.ID != "" {
			facts.Job = &found.Job
		}
		if f.search.unchanged() {
			facts.Stored, facts.Kept = views.Sentence(operation.StoredOld.Text(r.Part)), true
			if from := f.heldUntil(); !from.IsZero() {
				facts.From = f.Env.Times.Clock(from)
			}
		}
		if found.Err != nil && !errors.Is(found.Err, r.Err) {
			facts.Found = found.Err.Error()
		}
	}
	return whatnow.Write(f.Env, facts)
}
