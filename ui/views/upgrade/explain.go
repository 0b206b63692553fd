package upgrade

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/explain"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/views"
	"geodeck/ui/widget/whatnow"
)

// explainRow opens the panel What now about an upgrade that was not sent, or whose answer was
// lost.
func (s *start) explainRow() views.Command {
	return views.Command{ID: "upgrade.explain", Binding: views.Key("what now", whatnow.Key), Name: "explain start", Group: flowGroup,
		Enabled: func() bool { return !s.sending && (s.err != nil || s.lost != nil) }, Run: views.Do(s.whatNow),
		Help: "Explain why the upgrade was not sent, or what is known where its answer was lost."}
}

// whatNow opens the panel with what is known, and reads the state of the site.
func (s *start) whatNow() tea.Cmd {
	site, times := s.Env.Site, s.Env.Times.Site()
	around := operation.Surroundings{Times: func(at adminapi.Millis) string { return times.Moment(at.Time()) }}
	outcome := adminapi.OutcomeNotSent
	if s.searching() {
		outcome = adminapi.OutcomeUnknown
	}
	facts := operation.WriteFactsOf("start the upgrade to "+s.change.title(), outcome, s.err, around)
	if s.lost != nil {
		facts.Running = progress.Runs(s.lost.status)
	}
	fetch := func(ctx context.Context) explain.Explanation { return site.ExplainWrite(ctx, facts, around) }
	return whatnow.Open(s.Env, explain.Write(facts), fetch, whatnow.Elsewhere)
}
