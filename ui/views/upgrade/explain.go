package upgrade

import (
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/explain"
	"geodeck/adminapi/finding"
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

// explainRow opens the panel What now about a change that the site refused, else about what is left to
// accept, else about what weighs most.
func (r *review) explainRow() views.Command {
	about := func() []finding.Finding {
		c := r.change
		all := finding.Those(c.checks, finding.Finding.InTheWay)
		slices.SortStableFunc(all, finding.Heaviest)
		return append(c.left(), all...)
	}
	return views.Command{ID: "upgrade.explain-refusal", Key: whatnow.Key, Word: "what now", Name: "explain",
		Shown: func() bool { return r.change.refused() != nil || len(about()) > 0 },
		Run: func() tea.Cmd {
			if r.change.refused() != nil {
				return whatnow.Write(r.Env, r.change.refusal.facts)
			}
			return r.change.explain(r.Env, about()[0], true)
		},
		Help: "Explain a refusal or a finding, and what to do now."}
}

// explainRow opens the panel What now about the check under the cursor.
func (p *preflight) explainRow() views.Command {
	return views.Command{ID: "upgrade.explain-check", Key: whatnow.Key, Word: "what now", Name: "explain check", Enabled: p.unchecked,
		Run: func() tea.Cmd {
			check, _ := p.selected()
			return p.change.explain(p.Env, check, false)
		},
		Help: "Explain what the check has found, and what to do about it."}
}

func (c *change) explain(env *views.Env, check finding.Finding, inReview bool) tea.Cmd {
	return whatnow.Open(env, explain.Check(check, c.facts, c.Has(check), inReview), nil, nil)
}
