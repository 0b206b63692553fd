package plan_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/operation/batching"
	"geodeck/adminapi/operation/editing"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
	"geodeck/ui/views/services/plan"
	"geodeck/ui/widget/rows"
)

// edits are planned edits of services by name: those that begin with a - cannot be made, with a = change
// nothing.
func edits(names ...string) (list []batching.PlannedEdit) {
	for _, name := range names {
		e := batching.PlannedEdit{Edit: editing.Edit{Target: editing.DefinitionOf(adminapi.ServiceRef{Name: strings.TrimLeft(name, "-="), Type: "MapServer"})}}
		switch name[0] {
		case '-':
			e.Refused = errors.New("no")
		case '=':
		default:
			e.Plan.Changes = []document.Change{{Path: "maxIdleTime", Old: "1", New: "2"}}
		}
		list = append(list, e)
	}
	return list
}

func TestAPlanIsNamedByWhatIsSent(t *testing.T) {
	t.Parallel()
	for about, p := range map[string]plan.Plan{
		"":                {},
		"a.MapServer":     {Edits: edits("a")},
		"b.MapServer":     {Edits: edits("=a", "b"), Several: true},
		"2 services":      {Edits: edits("a", "=b", "c"), Several: true},
		"1 of 2 services": {Edits: edits("a", "-b"), Several: true},
		"3 services":      {Edits: edits("=a", "=b", "=c"), Several: true},
		"2 of 3 services": {Edits: edits("a", "b", "-c", "=d"), Several: true},
	} {
		if got := p.About(); got != about {
			t.Errorf("%+v is about %q, not %q", p.Services(), got, about)
		}
		if p.Sendable() != len(p.ToSend()) {
			t.Errorf("%d are sendable, %d are sent", p.Sendable(), len(p.ToSend()))
		}
	}
	p := plan.Plan{Edits: edits("=a", "b"), Several: true}
	if lines := p.Lines("->"); len(lines) != 1 || lines[0] != "  maxIdleTime 1 -> 2" {
		t.Errorf("%q", lines)
	}
	p = plan.Plan{Edits: edits("a", "b"), Several: true}
	p.Edits[1].Plan.Changes = slices.Clone(p.Edits[1].Plan.Changes)
	p.Edits[1].Plan.Changes[0].Old = "3" // the line of one value before would be a lie of the other service
	if lines := p.Lines("->"); len(lines) != 1 || lines[0] != "  maxIdleTime -> 2" {
		t.Errorf("%q", lines)
	}
	p = plan.Plan{Edits: edits("=a", "b"), Several: true}
	b := p.Edits[1].Service
	if !p.Changes(b) || p.Changes(adminapi.ServiceRef{Name: "x"}) || !p.Restarts(b) || p.Of(p.Edits[1].Target).Service.Path() != b.Path() || p.Title() != "Edit" {
		t.Errorf("%+v", p)
	}
	if p.Restored = uitest.Start; !p.Restores() || p.Title() != "Restore" {
		t.Error("it restores nothing")
	}
}

// part is a step as what is around it drives it.
type part struct{ *plan.Step }

func (part) Update(msg tea.Msg) tea.Cmd {
	if done, is := msg.(views.Retry); is {
		return done.Do()
	}
	return nil
}

func TestWhatComesAfterAStepHasEndedDoesNothing(t *testing.T) {
	t.Parallel()
	site, _ := uitest.NewSite(t, uitest.Scenario(t, "healthy")).Counted(t)
	base := views.NewBase(uitest.Env(t, site, uitest.Theme()))
	inks := rows.NewInks(base.Env.Theme)
	s, done := plan.NewStep(base, &inks), 0
	work := func() tea.Cmd {
		return s.Work("work", func(context.Context) func() tea.Cmd { return func() tea.Cmd { done++; return nil } })
	}
	uitest.Drain(t, part{&s}, work())
	late := work()
	s.Close()
	uitest.Drain(t, part{&s}, late)
	if done != 1 || !s.Closed() || s.WhileOpen(nil) != nil {
		t.Errorf("done %d times", done)
	}
	s.Reopen()
	uitest.Drain(t, part{&s}, tea.Batch(work(), s.Work("nothing", func(context.Context) func() tea.Cmd { return nil })))
	if done != 2 {
		t.Errorf("done %d times", done)
	}
}

func TestAnEarlierRequestIsShownOrTheStepGoesOn(t *testing.T) {
	t.Parallel()
	for scenario, open := range map[string]bool{"healthy": false, "edit-answer-lost-not-performed": true} {
		sim := uitest.NewSite(t, uitest.Scenario(t, scenario))
		sim.Recorded = true
		site, _ := sim.Counted(t)
		cities := adminapi.ServiceRef{Name: "SampleWorldCities", Type: "MapServer"}
		site.ApplyEdit(t.Context(), uitest.Edit(t, site, cities, "maxIdleTime", "707").Edit, nil)
		base := views.NewBase(uitest.Env(t, site, uitest.Theme()))
		inks := rows.NewInks(base.Env.Theme)
		s, went := plan.NewStep(base, &inks), false
		up := uitest.Drain(t, part{&s}, s.Earlier(cities, func(error) tea.Cmd { went = true; return nil }))
		if went == open || len(up) > 0 != open {
			t.Errorf("%s: it goes on %v, shows %v", scenario, went, up)
		}
	}
}
