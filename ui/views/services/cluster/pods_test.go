package cluster_test

import (
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/availability"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/simulator"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
	"geodeck/ui/views/services/cluster"
	"geodeck/ui/widget/rows"
)

var cities = adminapi.ServiceRef{Name: "SampleWorldCities", Type: "MapServer"}

// desk follows pods of a site whose requests are counted.
type desk struct {
	*cluster.Pods
	t    *testing.T
	site operation.Site
	wire *uitest.Wire
	inks rows.Inks
	seen int // snapshots
}

func (d *desk) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case cluster.PodsRead:
		return d.Pods.Update(msg)
	case views.Retry:
		return msg.Do()
	}
	return nil
}

func open(t *testing.T, faults ...simulator.Fault) *desk {
	t.Helper()
	d := &desk{t: t}
	d.site, d.wire = uitest.NewSite(t, uitest.Scenario(t, "healthy", faults...)).Counted(t)
	base := views.NewBase(uitest.Env(t, d.site, uitest.Theme()))
	d.inks = rows.NewInks(base.Env.Theme)
	d.Pods = &cluster.Pods{Base: base, Changed: func(adminapi.ServiceRef, availability.Snapshot, bool) tea.Cmd { d.seen++; return nil }}
	return d
}

// sent sends rules for another pool of nodes, and begins to follow the pods.
func (d *desk) sent() tea.Cmd {
	d.t.Helper()
	read, err := editing.Read(d.t.Context(), d.site.Client, editing.PlacementOf(cities))
	if err != nil {
		d.t.Fatal(err)
	}
	edited, err := document.Parse([]byte(strings.ReplaceAll(read.Document.Text(), `"gis"`, `"spot"`)))
	if err != nil {
		d.t.Fatal(err)
	}
	edit := editing.Edit{Target: read.Target, Base: read.Document, Edited: edited}
	if _, r := d.site.ApplyEdit(d.t.Context(), edit, nil); r.Err != nil {
		d.t.Fatal(r.Err)
	}
	_, cmd := d.FollowEdit(edit, edit.Moves())
	return cmd
}

// says is the answer of the service, and the page of its pods.
func (d *desk) says() string {
	_, _, answer := d.Now().Answer(&d.inks)
	p := &rows.Page{Inks: &d.inks, Width: 100}
	d.Now().Write(p)
	return answer + "\n" + ansi.Strip(strings.Join(p.Lines, "\n"))
}

func (d *desk) shows(shown bool, texts ...string) {
	d.t.Helper()
	for _, text := range texts {
		if said := d.says(); strings.Contains(said, text) != shown {
			d.t.Errorf("%q is shown: %v\n%s", text, !shown, said)
		}
	}
}

// status is a fault of what the site tells of pods.
func status(f simulator.Fault) simulator.Fault {
	f.Path, f.Method = "admin/system/deployments/*/status", "GET"
	return f
}

func TestPodsOfAnUnreachableSiteAreFetchedAgain(t *testing.T) {
	t.Parallel()
	d := open(t, status(simulator.Fault{Times: 6, What: "close"}))
	uitest.Drain(t, d, d.sent())
	d.shows(true, "All 3 pods answer since", "The service answers.")
}

func TestSinceWhenPodsAnswerIsShownOnlyWhereItWasSeen(t *testing.T) {
	t.Parallel()
	away := simulator.Fault{Path: "admin/services/*/status", Method: "GET", What: "close"}
	away.For = simulator.Duration{Duration: 2 * time.Minute}
	d := open(t, away, status(away))
	_, rest := uitest.Run(d, d.sent(), 4)
	d.shows(true, "The site reports nothing now. Retrying: ")
	uitest.Drain(t, d, tea.Batch(rest...))
	d.shows(true, "All 3 pods answer", "no longer refreshing")
	d.shows(false, "answer since")
}

// A service that nothing was heard of since its edit is not said to answer.
func TestAServiceIsSaidToAnswerOnlyOnceThatWasSeen(t *testing.T) {
	t.Parallel()
	for what, says := range map[string]string{"close": "Checking whether the service answers", "status": "It is not known whether the service answers: "} {
		d := open(t, simulator.Fault{Path: "admin/services/*/status", Method: "GET", What: what, Status: 403})
		cmd := d.sent()
		d.shows(true, "Checking whether the service answers")
		_, rest := uitest.Run(d, cmd, 20)
		d.shows(true, says)
		d.shows(false, "The service answers.")
		d.ForgetOthers(adminapi.ServiceRef{}) // another service is opened
		for _, cmd := range rest {
			uitest.Drain(t, d, cmd)
		}
	}
}

func TestPodsAreFollowedOfOneServiceAtATime(t *testing.T) {
	t.Parallel()
	d := open(t)
	ids := d.site.Availability().DeploymentIDs(t.Context(), cities)
	late := d.Follow(cities, ids)
	uitest.Drain(t, d, d.Follow(adminapi.ServiceRef{Name: "other", Type: "T"}, ids))
	seen := d.seen
	uitest.Drain(t, d, late)
	if d.seen != seen || seen < availability.SettledAfter || !d.Now().Over() {
		t.Errorf("%d snapshots were taken, then %d", seen, d.seen)
	}
	d.ForgetOthers(cities)
	if d.Now() != nil {
		t.Error("another service is followed")
	}
}

func TestPodsAreFollowedOnOnlyAfterAnEditWhereTheServiceIsLeft(t *testing.T) {
	t.Parallel()
	d := open(t)
	late := d.Follow(cities, d.site.Availability().DeploymentIDs(t.Context(), cities))
	d.Leave()
	uitest.Drain(t, d, late)
	if d.Now() != nil || d.seen > 0 {
		t.Errorf("%d snapshots were taken of what was only looked at", d.seen)
	}
	cmd := d.sent()
	d.Leave()
	if !d.Now().Followed() {
		t.Fatal("the edit is not followed")
	}
	if uitest.Drain(t, d, cmd); d.seen == 0 || !d.Now().Over() || d.Now().Waits() {
		t.Errorf("%d snapshots, over %v", d.seen, d.Now().Over())
	}
	before, again := d.seen, d.RefreshRow(nil, func() {})
	uitest.Drain(t, d, again.Run())
	if d.seen-before != availability.SettledAfter || again.Run() == nil {
		t.Errorf("it is followed once more for %d snapshots", d.seen-before)
	}
}

func TestPodsAreFollowedOnAfterASignIn(t *testing.T) {
	t.Parallel()
	signedOut := simulator.Fault{Path: "admin/services/*/status", Method: "GET", Times: 1, What: "status", Status: 401}
	d := open(t, signedOut, status(signedOut))
	ask := uitest.Find[views.SignIn](t, uitest.Drain(t, d, d.sent()))
	if d.Now().Followed() || d.seen > 0 {
		t.Error("it goes on without a sign-in")
	}
	uitest.Drain(t, d, ask.Retry)
	d.shows(true, "The service answers.")
	d.ForgetOthers(adminapi.ServiceRef{}) // another service is opened
	if uitest.Drain(t, d, ask.Retry); d.Now() != nil {
		t.Error("what was left is followed")
	}
}
