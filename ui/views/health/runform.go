package health

import (
	"context"
	"errors"
	"slices"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/huh"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

// draft is what stands in the form of a run. It is kept when the form is left:
// who looks something up first types nothing twice.
type draft struct {
	run     adminapi.HealthRun // the fields are bound to it
	offered string             // the name that was filled in
}

// askRun reads the suites that the form offers.
func (m *Model) askRun() tea.Cmd { return m.askRunAs(nil) }

// askRunAs fills the form in with a run that was not started, nil for none.
func (m *Model) askRunAs(before *adminapi.HealthRun) tea.Cmd {
	switch {
	case m.env.Offline:
		return views.Tell(views.Warning, "There is no site to run a health check on.")
	case m.readOnly():
		return views.Tell(views.Warning, "This dashboard was started read-only: it runs no health check.")
	case m.run != nil:
		return views.Tell(views.Warning, "A health check is running already: "+m.run.name)
	}
	client := m.env.Site.Client
	return m.scope.Do("suites", func(ctx context.Context) tea.Msg {
		suites, err := client.Suites(ctx)
		return suitesRead{suites, before, err}
	})
}

// readOnly tells whether the dashboard was told to change nothing at the site.
func (m *Model) readOnly() bool { return m.env.Site.Client != nil && m.env.Site.Client.ReadOnly() }

type suitesRead struct {
	suites []adminapi.Suite
	before *adminapi.HealthRun
	err    error
}

func (r suitesRead) apply(m *Model) tea.Cmd {
	if r.err != nil {
		return m.failed(r.err, "suites", func() tea.Cmd { return m.askRunAs(r.before) })
	}
	r.suites = slices.DeleteFunc(r.suites, func(s adminapi.Suite) bool { return s.SystemOnly })
	if len(r.suites) == 0 {
		return views.Tell(views.Warning, "The site offers no suite that can be run.")
	}
	m.draft = m.nextDraft(r)
	return views.Send(views.Open{Dialog: m.runForm(r.suites, m.draft), Unasked: r.before != nil})
}

// nextDraft fills the form in: with the run that was not started, else with what
// was left in it, else with everything. A name that nobody typed is made anew,
// since it says when the run was asked for.
func (m *Model) nextDraft(r suitesRead) *draft {
	d := &draft{offered: operation.DefaultRunName(m.env.Clock.Now().In(m.env.Times.Local))}
	d.run.Name = d.offered
	for _, s := range r.suites {
		d.run.SuiteIDs = append(d.run.SuiteIDs, s.ID)
	}
	left := m.draft
	switch {
	case r.before != nil:
		d.run = *r.before
	case left != nil:
		d.run.SuiteIDs = slices.DeleteFunc(d.run.SuiteIDs, func(id string) bool { return !slices.Contains(left.run.SuiteIDs, id) })
		if left.run.Name != left.offered {
			d.run.Name = left.run.Name
		}
	}
	return d
}

func (m *Model) runForm(offered []adminapi.Suite, d *draft) views.Dialog {
	var options []huh.Option[string]
	for _, s := range offered {
		title := views.NameOf(s.Name, s.ID) + " (" + plain.Plural(len(s.Critical)+len(s.General), "test") + ")"
		options = append(options, huh.NewOption(title, s.ID))
	}
	return views.NewForm(m.env.Theme, views.FormOptions{
		ID: "health.run", Title: "Run a health check", Note: "The tests change nothing. The report stays at the site.",
		Build: func() *huh.Form {
			suites := huh.NewMultiSelect[string]().Title("Suites").Options(options...).Value(&d.run.SuiteIDs).
				Validate(func(ids []string) error {
					if len(ids) == 0 {
						return errors.New("choose at least one suite")
					}
					return nil
				})
			title := huh.NewInput().Title("Name of the report").Value(&d.run.Name).Validate(operation.CheckRunName)
			return huh.NewForm(huh.NewGroup(suites, title))
		},
		Submit: func() tea.Cmd {
			m.draft = nil
			return m.startRun(d.run, expectedOf(offered, d.run.SuiteIDs))
		},
	})
}
