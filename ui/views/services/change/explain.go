package change

import (
	"context"
	"errors"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/explain"
	"geodeck/adminapi/operation"
	"geodeck/ui/views"
	"geodeck/ui/widget/whatnow"
)

// explainRow opens the panel What now about a change that was not done.
func (f *Flow) explainRow() views.Command {
	return views.Command{ID: "services.explain-change", Binding: views.Key("what now", whatnow.Key), Name: "explain change", Group: group,
		Enabled: f.wentWrong, Run: views.Do(f.whatNow),
		Help: "Explain a refused, failed or unknown change, and what to do now."}
}

// wentWrong reports whether the change that was sent last is not known to be done.
func (f *Flow) wentWrong() bool {
	return f.step == ended && f.last().Err != nil && (f.search == nil || f.search.found.Finding != operation.EditArrived)
}

// whatNow opens the panel with what the answer says, and reads the state of the site.
func (f *Flow) whatNow() tea.Cmd {
	r, site, times := f.last(), f.Env.Site, f.Env.Times.Site()
	around := operation.Surroundings{Times: func(at adminapi.Millis) string { return times.Moment(at.Time()) }}
	facts := operation.WriteFactsOf("change the "+r.Target.String(), r.Outcome, r.Err, around)
	facts.Service = r.Service.Path()
	if f.search != nil {
		found := f.search.found
		if found.Job.ID != "" {
			facts.Job = &found.Job
		}
		if found.Finding == operation.EditRefused {
			facts.Outcome = adminapi.OutcomeRefused
		}
		if found.Err != nil && !errors.Is(found.Err, r.Err) {
			facts.Found = found.Err.Error()
		}
	}
	fetch := func(ctx context.Context) explain.Explanation { return site.ExplainWrite(ctx, facts, around) }
	return whatnow.Open(f.Env, explain.Write(facts), fetch, whatnow.Elsewhere)
}
