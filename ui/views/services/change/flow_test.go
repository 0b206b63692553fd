package change_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/availability"
	"geodeck/adminapi/operation/batching"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/operation/nodesource"
	"geodeck/adminapi/simulator"
	"geodeck/adminapi/simulator/simtest"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
	"geodeck/ui/views/services/change"
	"geodeck/ui/views/services/cluster"
	"geodeck/ui/views/services/editor"
	"geodeck/ui/views/services/review"
	"geodeck/ui/widget/rows"
)

var cities = adminapi.ServiceRef{Name: "SampleWorldCities", Type: "MapServer"}

// host is what is around a flow, and remembers what it is told.
type host struct {
	noChanges string
	marked    []adminapi.ServiceRef
	settled   []change.Settled
	rebased   []editing.Edit
	undoable  bool // what is rebased is taken over in a tab
	closed    int
	several   bool // it was closed to the list
}

func (h *host) NoChanges() string                  { return h.noChanges }
func (h *host) Restarts(adminapi.ServiceRef)       {}
func (h *host) Follow(adminapi.ServiceRef) tea.Cmd { return nil }
func (h *host) Correct(editing.Target, document.Path) tea.Cmd {
	return nil
}
func (h *host) Marked() []adminapi.ServiceRef        { return slices.Clone(h.marked) }
func (h *host) MarkOnly(left []adminapi.ServiceRef)  { h.marked = left }
func (h *host) Batch() bool                          { return false }
func (h *host) Opened(s adminapi.ServiceRef) bool    { return s.Path() == cities.Path() }
func (h *host) Origin(editing.Target) (string, bool) { return "Definition", false }
func (h *host) Settled(s change.Settled) tea.Cmd {
	h.settled = append(h.settled, s)
	return nil
}
func (h *host) Rebased(edit editing.Edit, _ *document.Document) tea.Cmd {
	h.rebased = append(h.rebased, edit)
	if h.undoable {
		return func() tea.Msg { return nil }
	}
	return nil
}
func (h *host) Closed(several bool) tea.Cmd {
	h.closed, h.several = h.closed+1, several
	return nil
}

// desk is a flow on a site whose requests are counted.
type desk struct {
	*change.Flow
	t     testing.TB
	host  *host
	sim   *uitest.Site
	site  operation.Site
	wire  *uitest.Wire
	nodes *cluster.Nodes
	pods  *cluster.Pods
}

func (d *desk) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case views.Retry:
		return msg.Do()
	case cluster.PodsRead:
		return d.pods.Update(msg)
	}
	return d.Flow.Update(msg)
}

func open(t testing.TB, scenario string, faults ...simulator.Fault) *desk {
	t.Helper()
	sim := uitest.NewSite(t, uitest.Scenario(t, scenario, faults...))
	site, wire := sim.Counted(t)
	base := views.NewBase(uitest.Env(t, site, uitest.Theme()))
	inks := rows.NewInks(base.Env.Theme)
	d := &desk{t: t, host: &host{}, sim: sim, site: site, wire: wire, nodes: cluster.NewNodes(base)}
	d.pods = &cluster.Pods{Base: base, Changed: func(adminapi.ServiceRef, availability.Snapshot, bool) tea.Cmd { return nil }}
	d.Flow = change.NewFlow(base, &inks, d.host, review.Facts{Drafts: editor.NewDrafts(base), Deployments: cluster.NewDeployments(),
		Sharing:       func(string) string { return "" },
		Together:      func([]string) (int, bool) { return 0, false },
		State:         func(adminapi.ServiceRef) availability.State { return availability.State{} },
		DescribeField: func(*rows.Page, *document.Document, document.Path) {},
	}, d.nodes, d.pods)
	d.SetSize(100, 30)
	return d
}

// edit is a change of one value of the definition that the site has.
func (d *desk) edit(path document.Path, raw string) editing.Edit {
	d.t.Helper()
	return uitest.Edit(d.t, d.site, cities, path, raw).Edit
}

// rules is a change of the rules that the site has to another pool of nodes.
func (d *desk) rules() editing.Edit {
	d.t.Helper()
	read, err := editing.Read(d.t.Context(), d.site.Client, editing.PlacementOf(cities))
	if err != nil {
		d.t.Fatal(err)
	}
	edited, err := document.Parse([]byte(strings.ReplaceAll(read.Document.Text(), `"gis"`, `"spot"`)))
	if err != nil {
		d.t.Fatal(err)
	}
	return editing.Edit{Target: editing.PlacementOf(cities), Base: read.Document, Edited: edited}
}

// takeNodes knows the nodes of the cluster from now on.
func (d *desk) takeNodes() {
	d.t.Helper()
	nodes, err := nodesource.Source{Demo: d.sim.Server.Nodes}.Read(d.t.Context(), d.site.Clock)
	if err != nil {
		d.t.Fatal(err)
	}
	d.nodes.Take(nodes)
}

func (d *desk) start(edit editing.Edit) {
	d.t.Helper()
	uitest.Drain(d.t, d, d.Start(edit))
	d.shows("review")
}

func (d *desk) shows(texts ...string) {
	d.t.Helper()
	for _, text := range texts {
		if !strings.Contains(d.View(), text) {
			d.t.Errorf("it does not show %q:\n%s", text, d.View())
		}
	}
}

// confirm is the answer to the question whether to send.
func (d *desk) confirm() tea.Cmd {
	d.t.Helper()
	return uitest.AnswerOnly(d.t, uitest.Drain(d.t, d, views.Invoke(d, "services.send", "")), uitest.Keys("y")...)
}

// asks fails unless the question whether to send begins so.
func (d *desk) asks(text string) {
	d.t.Helper()
	dialog := uitest.Find[views.Open](d.t, uitest.Drain(d.t, d, views.Invoke(d, "services.send", ""))).Dialog
	dialog.SetSize(120, 20)
	text = strings.ReplaceAll(text, "SITE", d.site.Client.Base().Host+"/geodeck")
	if asked := ansi.Strip(dialog.View()); !strings.HasPrefix(asked, text) {
		d.t.Errorf("it asks\n%s\nnot\n%s", asked, text)
	}
}

func (d *desk) sent() int { return d.wire.Sent("POST edit") }

func TestAReviewedChangeIsSentOnceHoweverOftenItIsConfirmed(t *testing.T) {
	t.Parallel()
	d := open(t, "healthy")
	d.start(d.edit("maxUsageTime", "700"))
	confirmed := d.confirm()
	uitest.Drain(t, d, tea.Batch(confirmed, confirmed))
	d.shows("The site has the new definition", "back to Definition")
	if len(d.host.settled) != 1 || !d.host.settled[0].Done || d.host.settled[0].Now == nil || d.sent() != 1 {
		t.Errorf("sent %d times, settled %+v", d.sent(), d.host.settled)
	}
	uitest.Drain(t, d, views.Invoke(d, "services.back", ""))
	if d.Active() || d.host.closed != 1 {
		t.Error("it is not closed")
	}
}

func TestAConfirmationOfAnEarlierChangeSendsNothing(t *testing.T) {
	t.Parallel()
	d := open(t, "healthy")
	d.start(d.edit("maxUsageTime", "700"))
	late := d.confirm()
	d.start(d.edit("maxIdleTime", "900"))
	uitest.Drain(t, d, late)
	d.shows("review", "maxIdleTime")
	if d.sent() > 0 {
		t.Error("it was sent")
	}
}

func TestNothingIsSentOnceTheSiteTakesNoChanges(t *testing.T) {
	t.Parallel()
	d := open(t, "healthy")
	d.start(d.edit("maxUsageTime", "700"))
	confirmed := d.confirm()
	d.host.noChanges = "It is closed."
	if told := uitest.NoticeText(t, uitest.Drain(t, d, confirmed)); told != "It is closed." || d.sent() > 0 {
		t.Errorf("told %q, sent %d times", told, d.sent())
	}
}

func TestAChangeThatChangesNothingIsNotReviewed(t *testing.T) {
	t.Parallel()
	d := open(t, "healthy")
	edit := d.edit("maxUsageTime", "700")
	edit.Edited = edit.Base
	told := uitest.NoticeText(t, uitest.Drain(t, d, d.Start(edit)))
	if !strings.Contains(told, "No changes to send") || d.Active() {
		t.Errorf("told %q, active %v", told, d.Active())
	}
}

func TestTheOutcomeOfALostAnswerIsSearchedAndNothingIsSentTwice(t *testing.T) {
	t.Parallel()
	d := open(t, "edit-answer-lost-not-performed")
	d.start(d.edit("maxUsageTime", "700"))
	uitest.Drain(t, d, d.confirm())
	d.shows("still has the old definition", "look for it")
	if n := d.sent(); n != 1 {
		t.Errorf("sent %d times", n)
	}
}

func TestADriftIsMergedAndReviewedAgain(t *testing.T) {
	t.Parallel()
	d := open(t, "edit-elses")
	d.start(d.edit("maxUsageTime", "700"))
	uitest.Drain(t, d, d.confirm())
	d.shows("conflict", "meanwhile; nothing was sent")
	if now, at := d.Read(); now == nil || at.IsZero() || d.sent() > 0 {
		t.Errorf("read %v at %v, sent %d times", now, at, d.sent())
	}
	uitest.Drain(t, d, views.Invoke(d, "services.merge", ""))
	d.shows("review, merged with the site's version", "Others changed this; it stays as they left it")
	uitest.Drain(t, d, d.confirm())
	d.shows("The site has the new definition")
	if len(d.host.rebased) != 1 || d.sent() != 1 {
		t.Errorf("rebased %+v, sent %d times", d.host.rebased, d.sent())
	}
}

func TestAnEditOfWhatTheSiteHasNoMoreIsMergedFirst(t *testing.T) {
	t.Parallel()
	d := open(t, "healthy")
	mine, theirs := d.edit("maxIdleTime", "1000"), d.edit("maxIdleTime", "900")
	uitest.Drain(t, d, d.StartOn(mine, theirs.Edited))
	d.shows("Edit SampleWorldCities.MapServer", "conflict", "mine    1000", "theirs  900")
	for range 2 { // theirs
		uitest.Drain(t, d, views.Invoke(d, "services.choose", ""))
	}
	d.host.undoable = true
	told := uitest.NoticeText(t, uitest.Drain(t, d, views.Invoke(d, "services.merge", "")))
	if !strings.Contains(told, "was not sent. u undoes.") || d.Active() || d.host.closed != 1 {
		t.Errorf("told %q, closed %d times", told, d.host.closed)
	}
	uitest.Drain(t, d, d.StartOn(mine, mine.Base))
	d.shows("review", "1800 → 1000")
}

func TestAVersionIsRestoredAndSaidSo(t *testing.T) {
	t.Parallel()
	d := open(t, "healthy")
	uitest.Drain(t, d, d.Restore(d.edit("maxUsageTime", "700"), uitest.Start))
	d.shows("Restore SampleWorldCities.MapServer to 2026-", "review")
	uitest.Drain(t, d, d.confirm())
	d.shows("The site has the new definition")
	if d.CloseResult(); d.Active() {
		t.Error("it is not closed")
	}
}

// batch reviews the same change of so many services.
func (d *desk) batch(services int) {
	d.t.Helper()
	folder, err := d.site.Client.Services.Folder(d.t.Context(), "Utilities")
	if err != nil {
		d.t.Fatal(err)
	}
	d.host.marked = folder.Services[:services-1]
	d.start(d.edit("maxUsageTime", "707"))
	uitest.Drain(d.t, d, views.Invoke(d, "services.many", ""))
	d.shows("review", fmt.Sprint(services)+" services")
}

func TestABatchThatStopsGoesOnWithTheRest(t *testing.T) {
	t.Parallel()
	d := open(t, "edit-third-fails")
	d.batch(4)
	d.asks(`Send the definition of 4 services to SITE, one at a time?

  SampleWorldCities.MapServer (open, not marked)
  Utilities/Geometry.GeometryServer
  Utilities/PrintingTools.GPServer
  Utilities/Symbols.GPServer

  maxUsageTime 600 → 707

Each current definition is saved in History first. Stops at the first failure. The services likely restart; requests may
fail meanwhile.
`)
	uitest.Drain(t, d, d.confirm())
	d.shows("result", "Left: 2 services")
	for n, want := range []string{"result", "review"} {
		if n > 0 {
			uitest.Drain(t, d, views.Invoke(d, "services.many", ""))
		}
		d.shows(want)
	}
	if len(d.host.marked) != 2 {
		t.Errorf("marked are %v", d.host.marked)
	}
	d.asks(`Send the definition of 2 services to SITE, one at a time?

  Utilities/PrintingTools.GPServer
  Utilities/Symbols.GPServer

  maxUsageTime 600 → 707

Each current definition is saved in History first. Stops at the first failure. The services likely restart; requests may
fail meanwhile.
`)
	uitest.Drain(t, d, d.confirm())
	d.shows("The change was sent to 2 services")
	uitest.Drain(t, d, views.Invoke(d, "services.back", ""))
	if len(d.host.marked) > 0 || !d.host.several || d.sent() != 5 {
		t.Errorf("marked %v, closed to the list %v, sent %d times", d.host.marked, d.host.several, d.sent())
	}
}

func TestThePageOfWhatIsSentIsLeftAndFoundAgain(t *testing.T) {
	t.Parallel()
	d := open(t, "healthy")
	d.start(d.edit("maxUsageTime", "700"))
	_, rest := uitest.Run(d, d.confirm(), 2)
	d.shows("sending")
	uitest.Drain(t, d, views.Invoke(d, "services.back", ""))
	if d.Active() || d.Working() == "" || d.Sends(cities.Path()) != "sending" || !d.SendsTo(editing.DefinitionOf(cities)) || !strings.Contains(d.Leave(), "being sent") {
		t.Errorf("active %v, working %q, sends %q", d.Active(), d.Working(), d.Sends(cities.Path()))
	}
	if told := uitest.NoticeText(t, uitest.Drain(t, d, d.Wait())); told != "Wait until the edit of SampleWorldCities.MapServer is sent." {
		t.Errorf("told %q", told)
	}
	told := uitest.NoticeText(t, uitest.Drain(t, d, tea.Batch(rest...)))
	d.Return(cities)
	d.shows("result", "The site has the new definition")
	if !strings.Contains(told, "The site has the new definition") || !d.Active() || d.sent() != 1 {
		t.Errorf("told %q, sent %d times", told, d.sent())
	}
}

func TestAfterASignInTheQuestionComesBack(t *testing.T) {
	t.Parallel()
	d := open(t, "healthy", simulator.Fault{Path: "admin/services/*/edit", Method: "POST", Times: 1, What: "status", Status: 401})
	d.start(d.edit("maxUsageTime", "700"))
	ask := uitest.Find[views.SignIn](t, uitest.Drain(t, d, d.confirm()))
	d.shows("review")
	n := d.sent()
	asked := uitest.Drain(t, d, ask.Retry)
	if d.sent() != n {
		t.Error("it was sent without a question")
	}
	uitest.Drain(t, d, uitest.AnswerOnly(t, asked, uitest.Keys("y")...))
	d.shows("The site has the new definition")
	d.start(d.edit("maxIdleTime", "900"))
	if up := uitest.Drain(t, d, ask.Retry); len(up) > 0 {
		t.Errorf("another change is asked about: %v", up)
	}
}

func TestALostChangeIsReviewedAgain(t *testing.T) {
	t.Parallel()
	d := open(t, "edit-answer-lost-not-performed")
	d.start(d.edit("maxUsageTime", "700"))
	uitest.Drain(t, d, d.confirm())
	d.site.Clock.(*simtest.SteppedClock).Advance(time.Hour)
	uitest.Drain(t, d, views.Invoke(d, "services.again", ""))
	d.shows("review", "600 → 700")
	if now, at := d.Read(); now == nil || at.IsZero() || d.sent() != 1 {
		t.Errorf("read %v at %v, sent %d times", now, at, d.sent())
	}
}

func TestAPlanIsMadeAnewWithTheNodesThatCame(t *testing.T) {
	t.Parallel()
	d := open(t, "healthy")
	d.start(d.rules())
	d.shows("No node list: placement was not checked.")
	late := d.confirm()
	d.takeNodes()
	again := d.NodesChanged()
	if told := uitest.NoticeText(t, uitest.Drain(t, d, late)); !strings.HasPrefix(told, "Nothing was sent.") {
		t.Errorf("told %q", told)
	}
	uitest.Drain(t, d, again)
	d.shows("review", "nodes")
	if strings.Contains(d.View(), "No node list") || d.NodesChanged() != nil {
		t.Errorf("it is not planned anew:\n%s", d.View())
	}
	views.Invoke(d, "diff.next-open", "")
	uitest.Drain(t, d, d.Rested())
	views.Invoke(d, "diff.accept", "") // one node only
	uitest.Drain(t, d, uitest.AnswerOnly(t, uitest.Drain(t, d, views.Invoke(d, "services.send", "")), uitest.Keys("y")...))
	d.shows("The site has the new placement policy")
	d.ClusterChanged()
}

func TestWhatIsLeftOfABatchIsPlannedAnewWithTheNodesThatCame(t *testing.T) {
	t.Parallel()
	d := open(t, "healthy")
	edit := d.rules()
	path, err := batching.WritePlan(d.site, filepath.Join(t.TempDir(), "plan.json"), []batching.PlannedEdit{{Edit: edit, Plan: edit.Plan()}})
	if err != nil {
		t.Fatal(err)
	}
	planned := d.Continue(batching.Interrupted{Plan: path})
	d.takeNodes()
	uitest.Drain(t, d, planned)
	d.shows("review", "one node only")
}

func TestWhatNowIsAboutTheStepThatIsShown(t *testing.T) {
	t.Parallel()
	d := open(t, "healthy")
	d.start(d.edit("minInstancesPerNode", "9"))
	dialog := uitest.Find[views.Open](t, uitest.Drain(t, d, views.Invoke(d, "services.explain-change", ""))).Dialog
	dialog.SetSize(90, 24)
	if text := dialog.View(); !strings.Contains(text, "Your change breaks a rule.") {
		t.Error(text)
	}
}
