package result_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/availability"
	"geodeck/adminapi/operation/batching"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/simulator"
	"geodeck/adminapi/simulator/simtest"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
	"geodeck/ui/views/services/cluster"
	"geodeck/ui/views/services/editor"
	"geodeck/ui/views/services/plan"
	"geodeck/ui/views/services/result"
	"geodeck/ui/views/services/sending"
	"geodeck/ui/widget/rows"
)

var cities = adminapi.ServiceRef{Name: "SampleWorldCities", Type: "MapServer"}

// desk is the step with what is around it, which remembers what it is told.
type desk struct {
	*result.Model
	*uitest.Part
	site      operation.Site
	env       *views.Env
	tab       string
	away      bool
	settled   []sending.Settled
	stopped   int
	resumed   int
	continued int
	again     []editing.Edit
	up        []tea.Msg // of the beginning
}

func (d *desk) Origin(editing.Target) (string, bool) { return d.tab, true }
func (d *desk) Settled(s sending.Settled) tea.Cmd {
	d.settled = append(d.settled, s)
	return nil
}

// open sends a value of services, as the step before does, and shows how that ended. The others of the folder
// Utilities are those after the first.
func open(t *testing.T, scenario string, services int, faults ...simulator.Fault) *desk {
	t.Helper()
	return begun(t, &desk{tab: "Definition"}, scenario, services, faults...)
}

func begun(t *testing.T, d *desk, scenario string, services int, faults ...simulator.Fault) *desk {
	t.Helper()
	d.site, _ = uitest.NewSite(t, uitest.Scenario(t, scenario, faults...)).Counted(t)
	folder, err := d.site.Client.Services.Folder(t.Context(), "Utilities")
	if err != nil {
		t.Fatal(err)
	}
	of := result.End{Plan: plan.Plan{Several: services > 1}, Began: d.site.Clock.Now()}
	for _, service := range append([]adminapi.ServiceRef{cities}, folder.Services...)[:services] {
		of.Plan.Edits = append(of.Plan.Edits, uitest.Edit(t, d.site, service, "maxIdleTime", "707"))
	}
	for _, a := range batching.Apply(t.Context(), d.site, of.Plan.Edits, of.Plan.Several, nil, nil) {
		of.Results = append(of.Results, sending.Result{AppliedEdit: a})
	}
	d.env = uitest.Env(t, d.site, uitest.Theme())
	base := views.NewBase(d.env)
	inks := rows.NewInks(base.Env.Theme)
	d.Model = result.New(base, &inks, of, d, result.Options{Nodes: cluster.NewNodes(base), Drafts: editor.NewDrafts(base),
		Pods:     &cluster.Pods{Base: base, Changed: func(adminapi.ServiceRef, availability.Snapshot, bool) tea.Cmd { return nil }},
		Away:     func() bool { return d.away },
		Stopped:  func() tea.Cmd { d.stopped++; return nil },
		Resume:   func() tea.Cmd { d.resumed++; return nil },
		Continue: func() tea.Cmd { d.continued++; return nil },
		Again:    func(e editing.Edit) tea.Cmd { d.again = append(d.again, e); return nil },
	})
	d.Part = uitest.NewChild(t, d.Model, 100, 40)
	d.up = d.Drain(d.Begin())
	return d
}

func TestEachEndIsSaidWithWhatFollowsFromIt(t *testing.T) {
	t.Parallel()
	for scenario, says := range map[string][]string{
		"healthy":                        {"The site has the new definition", "the site has everything that was sent", "r   run a health check", "esc back to Definition; your change is saved"},
		"edit-fails":                     {"did not complete", "It ended as FAILED: ", "still has the old definition.", "W   what now"},
		"drops-keys":                     {"did not keep all of it", "Sent, compared with the site now", "Your change is complete; the site changed the rest.", "W   what now"},
		"edit-elses":                     {"Changed at the site", "maxIdleTime"},
		"edit-answer-lost":               {"only the answer was lost", "Saved before", "run a health check"},
		"edit-answer-lost-not-performed": {"very likely the change never arrived", "R   look for it"},
	} {
		t.Run(scenario, func(t *testing.T) {
			t.Parallel()
			open(t, scenario, 1).Shows(says...)
		})
	}
}

func TestAHealthCheckFollowsAChange(t *testing.T) {
	t.Parallel()
	d := open(t, "healthy", 1)
	if to := uitest.Find[views.Navigate](t, d.Press("services.health")); to.View != "health" || to.Command != "health.run" {
		t.Errorf("it leads to %+v", to)
	}
	if d.WentWrong() || d.Searching() || d.CanContinue() {
		t.Errorf("wrong %v, searching %v, continues %v", d.WentWrong(), d.Searching(), d.CanContinue())
	}
}

func TestSeveralEndAtTheFirstFailureAndTheRestIsLeft(t *testing.T) {
	t.Parallel()
	d := open(t, "edit-third-fails", 4)
	d.Shows("✓ done", "✗ job failed", "○ not sent", "Left: 2 services. They stay marked in the list.", "continue with 2 services (review first)", "esc back to the list")
	if left := d.Left(); len(left) != 2 || !d.CanContinue() || !d.WentWrong() {
		t.Errorf("left %v", left)
	}
	if d.Press("services.many"); d.continued != 1 {
		t.Errorf("continued %d times", d.continued)
	}
}

func TestAllOfSeveralHaveTheChange(t *testing.T) {
	t.Parallel()
	d := open(t, "healthy", 3)
	d.Shows("The change was sent to 3 services. History restores the old versions.", "run a health check")
	d.Refuses("all have it", "services.many", "Every service has the change.")
	if d.CanContinue() || len(d.Left()) > 0 || d.continued > 0 {
		t.Errorf("left %v", d.Left())
	}
}

func TestTheRestIsAskedForAfterASignIn(t *testing.T) {
	t.Parallel()
	d := open(t, "healthy", 3, simulator.Fault{Path: "admin/services/Utilities/*/edit", Method: "POST", Times: 1, What: "status", Status: 401})
	ask := uitest.Find[views.SignIn](t, d.up)
	if ask.Undone != "2 services were not sent." {
		t.Errorf("undone: %q", ask.Undone)
	}
	d.Drain(ask.Retry)
	if d.resumed != 1 {
		t.Errorf("resumed %d times", d.resumed)
	}
	d.Model.Close()
	d.Drain(ask.Retry)
	if d.resumed != 1 {
		t.Error("it is resumed after it was closed")
	}
}

// What the search finds is told once, and the change is reviewed again only once it may be sent.
func TestALostChangeIsSentAgainOnlyOnceItMayBe(t *testing.T) {
	t.Parallel()
	d := open(t, "edit-answer-lost-not-performed", 1)
	if len(d.settled) > 0 {
		t.Errorf("settled %+v", d.settled)
	}
	d.Tells(d.Press("services.look"), "Checked ", "still the old definition")
	d.Tells(d.Press("services.again"), "Not before ", " s left.")
	d.site.Clock.(*simtest.SteppedClock).Advance(time.Hour)
	d.Press("services.again")
	if len(d.again) != 1 || d.again[0].Service.Path() != cities.Path() {
		t.Errorf("sent again: %+v", d.again)
	}
	d.Tells(d.Drain(d.Wait()), "The outcome of SampleWorldCities.MapServer is not known yet")
	panel := ansi.Strip(d.Dialog(d.Drain(d.Explain()), 90, 30))
	if !strings.Contains(panel, "Outcome unknown: edit the service (SampleWorldCities.MapServer)") {
		t.Error(panel)
	}
}

func TestAChangeThatArrivedIsSettled(t *testing.T) {
	t.Parallel()
	d := open(t, "edit-answer-lost", 1)
	if len(d.settled) != 1 || !d.settled[0].Done || d.Searching() {
		t.Errorf("settled %+v", d.settled)
	}
	if now, at := d.Search.Read(); now == nil || at.IsZero() {
		t.Error("what the site has is not known")
	}
}

func TestTheEndIsToldWhereThePageWasLeft(t *testing.T) {
	t.Parallel()
	for scenario, says := range map[string]string{
		"healthy":                        "The site has the new definition of SampleWorldCities.MapServer.",
		"edit-fails":                     "SampleWorldCities.MapServer: job failed; open it.",
		"edit-answer-lost":               "only the answer was lost.",
		"edit-answer-lost-not-performed": "SampleWorldCities.MapServer: ",
	} {
		t.Run(scenario, func(t *testing.T) {
			t.Parallel()
			d := begun(t, &desk{away: true}, scenario, 1)
			var told []string
			for _, msg := range d.up {
				if n, is := msg.(views.Notice); is {
					told = append(told, n.Text)
				}
			}
			if !slices.ContainsFunc(told, func(text string) bool { return strings.Contains(text, says) }) {
				t.Errorf("told %q", told)
			}
		})
	}
	d := begun(t, &desk{away: true}, "edit-third-fails", 4)
	d.Tells(d.up, "3 of 4: ", ": job failed; open it.")
	d = begun(t, &desk{away: true}, "healthy", 3)
	d.Tells(d.up, "The change was sent to 3 services; open one of them.")
}

func TestWhatNowIsAboutTheServiceWhereTheChangeIsDone(t *testing.T) {
	t.Parallel()
	d := open(t, "healthy", 1)
	if panel := ansi.Strip(d.Dialog(d.Drain(d.Explain()), 90, 30)); !strings.Contains(panel, cities.Path()) {
		t.Error(panel)
	}
}

func TestTheKeysOfALongResultStayInSight(t *testing.T) {
	t.Parallel()
	d := open(t, "edit-fails", 1)
	d.Resize(100, 12)
	for _, key := range []string{"rows.top", "rows.bottom"} {
		d.Press(key)
		d.Shows("r   run a health check", "esc back to Definition")
		if note := d.Note(80); !strings.HasPrefix(note, "result, lines ") {
			t.Errorf("the note is %q", note)
		}
	}
}

func TestTheTimeOfAJobIsByTheClockOfTheSite(t *testing.T) {
	t.Parallel()
	d := open(t, "healthy", 1)
	d.env.Times.Mode, d.env.Times.Ahead = views.RelativeTime, -3*time.Hour-30*time.Minute
	d.Shows("Job updated    in 3 h")
}

// A result is copied for a ticket: what changed, where, by whom and when, with the job and its request.
func TestAResultIsCopiedWithWhatChanged(t *testing.T) {
	t.Parallel()
	d := open(t, "healthy", 1)
	d.Shows("The site has the new definition", "maxIdleTime 1800 → 707")
	copied := uitest.Find[views.Copy](t, d.Press("services.copy-result"))
	for _, want := range []string{"Site: http", "\nVersion: ", "\nExported: ", " by ", "Edit of SampleWorldCities.MapServer", "maxIdleTime 1800 → 707", "Job", "Request"} {
		if !strings.Contains(copied.Text, want) {
			t.Errorf("no %q in\n%s", want, copied.Text)
		}
	}
	if strings.Contains(copied.Text, "run a health check") {
		t.Errorf("it copies keys:\n%s", copied.Text)
	}
}
