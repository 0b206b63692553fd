package upgrade

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/explain"
	"geodeck/adminapi/operation/incident"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/views"
	"geodeck/ui/widget/whatnow"
)

// explainRow opens the panel What now about an upgrade that was not sent, or whose answer was
// lost.
func (s *start) explainRow() views.Command {
	return views.Command{ID: "upgrade.explain", Key: whatnow.Key, Word: "what now", Name: "explain start",
		Shown: func() bool { return !s.sending && (s.result.Err != nil || s.lost != nil) }, Run: s.whatNow,
		Help: "Explain why the upgrade was not sent, or its lost answer."}
}

// whatNow opens the panel about a start that was not sent, or whose answer was lost.
func (s *start) whatNow() tea.Cmd {
	facts := incident.WriteFactsOf(s.result, whatnow.Around(s.Env))
	if s.lost != nil {
		facts.Look, facts.Running = explain.LookForStart, progress.Runs(s.lost.found.Status)
	}
	return whatnow.Write(s.Env, facts)
}

// refusal is why the site refused a change, while its problem tells that.
type refusal struct {
	facts   explain.WriteFacts
	sent    time.Time
	problem string
	next    string
}

// refused returns why the site refused the change, nil where it did not, or where that was
// mended.
func (c *change) refused() *refusal {
	if c.refusal == nil || c.refusal.problem != c.problem {
		return nil
	}
	return c.refusal
}

// explainRow opens the panel What now about a change that the site refused.
func (r *review) explainRow() views.Command {
	return views.Command{ID: "upgrade.explain-refusal", Key: whatnow.Key, Word: "what now", Name: "explain refusal",
		Shown: func() bool { return r.change.refused() != nil }, Run: func() tea.Cmd { return whatnow.Write(r.Env, r.change.refusal.facts) },
		Help: "Explain why the site refused, and what to do now."}
}
