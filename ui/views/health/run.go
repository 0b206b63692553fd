package health

import (
	"context"
	"errors"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/huh"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

// running is a health check that goes on.
type running struct {
	name    string
	started time.Time
	run     *operation.HealthRun // nil until the site has answered; used by commands only
	last    operation.HealthReading
	unknown bool // whether the site took it is not known yet
	stalled bool // a sign-in is needed to go on reading
	away    *views.Away
}

func (r *running) key() entryKey { return entryKey{fromRun, r.name} }

func (r *running) entry() entry {
	return entry{r.key(), adminapi.ReportSummary{Name: r.name, StartTime: adminapi.MillisOf(r.started)}}
}

// lost tells whether it is not known that the site took the run.
func (r *running) lost() bool { return r.unknown && !r.last.Adopted }

// status says in a few words what the run does.
func (r *running) status(now time.Time) string {
	switch {
	case r.run == nil:
		return "being sent"
	case r.stalled:
		return "goes on at the site; sign in to see it, R asks again"
	case r.lost():
		return "looking for it"
	case r.away != nil:
		return "no answer for " + views.Took(now.Sub(r.away.Since)) + ", it goes on at the site"
	case r.last.Job.Status == "":
		return "accepted"
	}
	return strings.ToLower(plain.Line(r.last.Job.Status))
}

// says tells about a run that shows no tests yet.
func (r *running) says() []string {
	if r.lost() {
		return []string{
			"No answer came: it is not known whether the site took the health check.", "",
			"It is looked for among the jobs and reports there. Nothing is sent again.",
		}
	}
	return []string{
		"Tests appear here once the site reports them.", "",
		"You can go on meanwhile: the run is watched to its end.",
	}
}

// askRun reads the suites that the form offers.
func (m *Model) askRun() tea.Cmd { return m.askRunAs(nil) }

// askRunAs fills the form in with a run that was not started, nil for none.
func (m *Model) askRunAs(before *adminapi.HealthRun) tea.Cmd {
	switch {
	case m.env.Offline:
		return views.Tell(views.Warning, "There is no site to run a health check on.")
	case m.run != nil:
		return views.Tell(views.Warning, "A health check is running already: "+m.run.name)
	}
	client := m.env.Site.Client
	return m.scope.Do("suites", func(ctx context.Context) tea.Msg {
		suites, err := client.Suites(ctx)
		return suitesRead{suites, before, err}
	})
}

type suitesRead struct {
	suites []adminapi.Suite
	before *adminapi.HealthRun
	err    error
}

func (r suitesRead) apply(m *Model) tea.Cmd {
	if r.err != nil {
		return m.failed(r.err, "suites", func() tea.Cmd { return m.askRunAs(r.before) })
	}
	var options []huh.Option[string]
	var all []string
	for _, s := range r.suites {
		if s.SystemOnly {
			continue
		}
		title := nameOf(s.Name, s.ID) + " (" + plural(len(s.Critical)+len(s.General), "test") + ")"
		options = append(options, huh.NewOption(title, s.ID))
		all = append(all, s.ID)
	}
	if len(options) == 0 {
		return views.Tell(views.Warning, "The site offers no suite that can be run.")
	}
	run := adminapi.HealthRun{SuiteIDs: all, Name: operation.DefaultRunName(m.env.Clock.Now().In(m.env.Times.Local))}
	if r.before != nil {
		run = *r.before
	}
	return views.Send(views.Open{Dialog: m.runForm(options, run), Unasked: r.before != nil})
}

func (m *Model) runForm(options []huh.Option[string], run adminapi.HealthRun) views.Dialog {
	chosen, name := run.SuiteIDs, run.Name
	return views.NewForm(m.env.Theme, views.FormOptions{
		ID: "health.run", Title: "Run a health check", Note: "The tests change nothing. The report stays at the site.",
		Build: func() *huh.Form {
			suites := huh.NewMultiSelect[string]().Title("Suites").Options(options...).Value(&chosen).
				Validate(func(ids []string) error {
					if len(ids) == 0 {
						return errors.New("choose at least one suite")
					}
					return nil
				})
			title := huh.NewInput().Title("Name of the report").Value(&name).Validate(operation.CheckRunName)
			return huh.NewForm(huh.NewGroup(suites, title))
		},
		Submit: func() tea.Cmd { return m.startRun(adminapi.HealthRun{SuiteIDs: chosen, Name: name}) },
	})
}
