package review_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/availability"
	"geodeck/adminapi/operation/batching"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/operation/nodesource"
	"geodeck/adminapi/simulator"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
	"geodeck/ui/views/services/cluster"
	"geodeck/ui/views/services/editor"
	"geodeck/ui/views/services/plan"
	"geodeck/ui/views/services/review"
	"geodeck/ui/widget/rows"
)

var (
	cities   = adminapi.ServiceRef{Name: "SampleWorldCities", Type: "MapServer"}
	geometry = adminapi.ServiceRef{Folder: "Utilities", Name: "Geometry", Type: "GeometryServer"}
)

// desk is the step with what is around it, which remembers how it ended.
type desk struct {
	*review.Model
	*uitest.Part
	t      *testing.T
	env    *views.Env
	sim    *uitest.Site
	site   operation.Site
	wire   *uitest.Wire
	no     string
	marked []adminapi.ServiceRef
	opened adminapi.ServiceRef
	batch  bool
	sent   []plan.Plan
	beside []bool
	forAll int
}

func (d *desk) NoChanges() string                 { return d.no }
func (d *desk) Marked() []adminapi.ServiceRef     { return d.marked }
func (d *desk) Opened(s adminapi.ServiceRef) bool { return s.Path() == d.opened.Path() }
func (d *desk) Batch() bool                       { return d.batch }

func open(t *testing.T, width int, faults ...simulator.Fault) *desk {
	t.Helper()
	d := &desk{t: t, opened: cities}
	d.sim = uitest.NewSite(t, uitest.Scenario(t, "healthy", faults...))
	d.site, d.wire = d.sim.Counted(t)
	d.env = uitest.Env(t, d.site, uitest.Theme())
	base := views.NewBase(d.env)
	inks := rows.NewInks(base.Env.Theme)
	d.Model = review.New(base, &inks, d, &review.Facts{Drafts: editor.NewDrafts(base), Deployments: cluster.NewDeployments(),
		Sharing:  func(string) string { return "with others" },
		Together: func(paths []string) (int, bool) { return len(paths), true },
		State:    func(adminapi.ServiceRef) availability.State { return availability.State{} },
		DescribeField: func(p *rows.Page, _ *document.Document, path document.Path) {
			p.Line("(the field " + string(path) + ")")
		},
	}, review.Handlers{
		Send: func(of plan.Plan, beside bool) tea.Cmd {
			d.sent, d.beside = append(d.sent, of), append(d.beside, beside)
			return nil
		},
		ForAll: func() tea.Cmd { d.forAll++; return nil },
	})
	d.Part = uitest.NewChild(t, d.Model, width, 40)
	return d
}

// plans reviews another value of one service, or of several.
func (d *desk) plans(path document.Path, raw string, services ...adminapi.ServiceRef) *desk {
	d.t.Helper()
	of := plan.Plan{Several: len(services) > 1}
	for _, service := range services {
		of.Edits = append(of.Edits, uitest.Edit(d.t, d.site, service, path, raw))
	}
	d.Drain(d.Set(of, review.Merge{}))
	return d
}

// rules reviews rules of services that ask for another pool of nodes, seen with the nodes of the cluster or
// without.
func (d *desk) rules(pool string, seen bool, services ...adminapi.ServiceRef) *desk {
	d.t.Helper()
	of := plan.Plan{Several: len(services) > 1}
	for _, service := range services {
		read, err := editing.Read(d.t.Context(), d.site.Client, editing.PlacementOf(service))
		if err != nil {
			d.t.Fatal(err)
		}
		edited, err := document.Parse([]byte(strings.ReplaceAll(read.Document.Text(), `"gis"`, `"`+pool+`"`)))
		if err != nil {
			d.t.Fatal(err)
		}
		edit := editing.Edit{Target: editing.PlacementOf(service), Base: read.Document, Edited: edited}
		if seen {
			nodes, err := nodesource.Source{Demo: d.sim.Server.Nodes}.Read(d.t.Context(), d.site.Clock)
			if err != nil {
				d.t.Fatal(err)
			}
			edit.Nodes = nodes.List
		}
		of.Edits = append(of.Edits, batching.PlannedEdit{Edit: edit, Plan: edit.Plan()})
	}
	d.Drain(d.Set(of, review.Merge{}))
	return d
}

func TestTheReviewOfRulesSaysWhichNodesTakeThePods(t *testing.T) {
	t.Parallel()
	d := open(t, 100).rules("spot", true, cities)
	d.Shows("nodes", "before", "after", "It is unknown whether other services share these pods.")
	d.Shows("! caution", "one node only")
	d.Accept(d.env.Clock, "")
	d.Asks(d.Press("services.send"), "The pods of 1", "Accepted: one-node.")
	d.rules("nowhere", true, cities)
	d.Shows("none", "1 to accept", "no node takes them")
	d.Tells(d.Press("services.send"), "1 danger to accept")
	d.Accept(d.env.Clock, "no-node")
	d.Asks(d.Press("services.send"), "they\nstay Pending", "Accepted: no-node.", "y send")
	d.rules("spot", false, cities)
	d.Shows("No node list: placement was not checked.")
	d.rules("spot", true, cities, adminapi.ServiceRef{Name: "CityBuildings_26", Type: "MapServer"})
	d.Shows("2 services")
}

// answers is the answer to the question whether to send.
func (d *desk) answers() tea.Cmd {
	d.t.Helper()
	return uitest.AnswerOnly(d.t, d.Press("services.send"), uitest.Keys("y")...)
}

func TestAPlanIsSentOnceHoweverOftenItIsConfirmed(t *testing.T) {
	t.Parallel()
	d := open(t, 100).plans("maxUsageTime", "700", cities)
	d.Shows("maxUsageTime", "600 → 700")
	confirmed := d.answers()
	d.Drain(tea.Batch(confirmed, confirmed))
	if len(d.sent) != 1 || d.beside[0] || d.sent[0].First().Service.Path() != cities.Path() {
		t.Errorf("sent %+v", d.sent)
	}
}

func TestTheConfirmationOfAnotherPlanSendsNothing(t *testing.T) {
	t.Parallel()
	d := open(t, 100).plans("maxUsageTime", "700", cities)
	late := d.answers()
	d.Replan()
	d.Tells(d.Drain(late), "Nothing was sent.")
	d.Tells(d.Press("services.send"), "The nodes changed, so the plan was updated.")
	d.plans("maxIdleTime", "900", cities)
	late = d.answers()
	d.plans("maxIdleTime", "901", cities)
	d.Tells(d.Drain(late), "Nothing was sent.")
	if len(d.sent) > 0 {
		t.Errorf("sent %+v", d.sent)
	}
}

func TestNothingIsSentOnceTheSiteTakesNoChanges(t *testing.T) {
	t.Parallel()
	d := open(t, 100).plans("maxUsageTime", "700", cities)
	late := d.answers()
	d.no = "It is closed."
	d.Tells(d.Drain(late), "It is closed.")
	d.Tells(d.Press("services.send"), "It is closed.")
	if len(d.sent) > 0 {
		t.Errorf("sent %+v", d.sent)
	}
}

func TestADangerIsAcceptedByItsWordFirst(t *testing.T) {
	t.Parallel()
	d := open(t, 100)
	edit := uitest.Edit(t, d.site, cities, "maxUsageTime", "600").Edit
	edited, err := edit.Base.Remove("provider")
	if err != nil {
		t.Fatal(err)
	}
	edit.Edited = edited
	d.Drain(d.Set(plan.Plan{Edits: []batching.PlannedEdit{{Edit: edit, Plan: edit.Plan()}}}, review.Merge{}))
	d.Shows("1 to accept", "▲ danger     provider  key removed: The site will delete this key.")
	d.Tells(d.Press("services.send"), "1 danger to accept: press n, then space.")
	d.Accept(d.env.Clock, "removed-key")
	d.Drain(d.answers())
	if len(d.sent) != 1 || len(d.sent[0].First().Accepted.Removed) != 1 || len(edit.Accepted.Removed) > 0 {
		t.Errorf("sent %+v", d.sent)
	}
}

func TestABrokenRuleIsExplainedAndNotSent(t *testing.T) {
	t.Parallel()
	d := open(t, 100).plans("minInstancesPerNode", "9", cities)
	d.Tells(d.Press("services.send"), "a rule is broken")
	if panel := ansi.Strip(d.Dialog(d.Drain(d.Explain()), 80, 22)); !d.Blocked() || !strings.Contains(panel, "Your change breaks a rule.") || !strings.Contains(panel, "minInstancesPerNode: ") {
		t.Error(panel)
	}
}

func TestTheRequestIsShownInPlaceOfTheDifferences(t *testing.T) {
	t.Parallel()
	d := open(t, 100).plans("maxUsageTime", "700", cities)
	d.Press("services.request")
	d.Shows("Each field as it would be sent", "The request: POST", "/services/SampleWorldCities.MapServer/edit", "async")
	if note := d.Note(80); !strings.HasPrefix(note, "request, lines ") {
		t.Errorf("the note is %q", note)
	}
	d.Press("rows.bottom")
	d.Shows("token", "[secret]")
	if !d.Back() || d.Back() {
		t.Error("there is no way back")
	}
	d.Shows("600 → 700")
	if note := d.Note(80); !strings.HasPrefix(note, "review, row ") || d.Note(10) != "review" {
		t.Errorf("the note is %q", note)
	}
	if n := d.wire.Sent("POST edit"); n > 0 {
		t.Errorf("%d edits were sent", n)
	}
}

func TestInAWideTerminalWhatSendingDoesStandsBesideTheReview(t *testing.T) {
	t.Parallel()
	d := open(t, 200).plans("maxUsageTime", "700", cities)
	d.Shows("When you send", "is saved in History first.", "(the field maxUsageTime)", "Last edit", "none kept on this machine", "The request: POST")
	d.plans("maxUsageTime", "700", cities, geometry)
	d.Shows("Each current definition is saved in History first. Stops at the", "2 services · 2 changes")
}

// A file that is handed on stands alone: the site, who, the warning above the review, and what sends it.
func TestAReviewIsSavedWithItsRequestAndNothingIsSent(t *testing.T) {
	t.Parallel()
	d := open(t, 100).plans("description", `"Server=db;Password=hunter2"`, cities)
	d.Shows("changed", "Password=[secret]")
	d.Tells(d.Press("services.plan"), "Nothing was sent")
	text, err := os.ReadFile(filepath.Join(d.env.Folder, "SampleWorldCities.MapServer-review.txt"))
	for _, want := range []string{"Site: http", "\nVersion: ", "\nExported: ", "\nTimes below: ", "A review, not sent. Edit of SampleWorldCities.MapServer.",
		"\nNext: geodeck service apply --plan ", "It sends the plan in ", "POST /geodeck/admin/services/SampleWorldCities.MapServer/edit\n", "\nasync\n  true\n", "\ntoken\n  [secret]\n", `"description":"Server=db;Password=[secret]"`} {
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%v, no %q in\n%s", err, want, text)
		}
	}
	d.Hides("hunter2")
	if strings.Contains(string(text), "hunter2") {
		t.Error("the secret is in the file")
	}
	if copied := uitest.Find[views.Copy](t, d.plans("maxUsageTime", "700", cities).Press("diff.copy")); !strings.HasPrefix(copied.Text, "Site: ") || !strings.Contains(copied.Text, "Pods shared with others") {
		t.Errorf("copied %q", copied.Text)
	}
	plans, _ := filepath.Glob(filepath.Join(d.env.Folder, "*-plan.json"))
	if len(plans) != 1 {
		t.Fatalf("the plans are %q", plans)
	}
	if _, err := batching.ReadPlanFile(plans[0]); err != nil {
		t.Errorf("the plan beside it: %v", err)
	}
	_, err = batching.ReadPlanFile(filepath.Join(d.env.Folder, "SampleWorldCities.MapServer-review.txt"))
	if err == nil || !strings.Contains(err.Error(), "this is the text of a review") {
		t.Errorf("the text as a plan: %v", err)
	}
}

func TestAChangeForAllLeadsToTheirPlan(t *testing.T) {
	t.Parallel()
	d := open(t, 100)
	d.marked, d.batch = []adminapi.ServiceRef{geometry}, true
	d.plans("maxUsageTime", "700", cities)
	if d.NotForAll() != "" || len(d.Same()) != 2 {
		t.Errorf("%q, %v", d.NotForAll(), d.Same())
	}
	d.Press("services.send")
	if d.forAll != 1 || len(d.sent) > 0 {
		t.Errorf("planned %d times", d.forAll)
	}
	d.Alone()
	d.Asks(d.Press("services.send"), "Send the definition of SampleWorldCities.MapServer to ", "not the 1 marked")
}

func TestTheQuestionNamesEachOfSeveralAndWhoCannotTakeIt(t *testing.T) {
	t.Parallel()
	d := open(t, 100)
	symbols := adminapi.ServiceRef{Folder: "Utilities", Name: "Symbols", Type: "GPServer"}
	d.marked = []adminapi.ServiceRef{geometry, symbols}
	of := plan.Plan{Several: true}
	for _, service := range []adminapi.ServiceRef{cities, geometry, symbols} {
		of.Edits = append(of.Edits, uitest.Edit(t, d.site, service, "maxUsageTime", "700"))
	}
	of.Edits[2].Refused = os.ErrPermission
	d.Drain(d.Set(of, review.Merge{}))
	d.Shows("Utilities/Symbols.GPServer cannot take it: permission denied")
	d.Asks(d.Press("services.send"), "Send the definition of 2 of 3 services to "+d.site.Client.Base().Host+`/geodeck, one at a
time?

  SampleWorldCities.MapServer (open, not marked)
  Utilities/Geometry.GeometryServer
  Not to Utilities/Symbols.GPServer:
  it cannot take it and keeps its definition.

  maxUsageTime 600 → 700

Each current definition is saved in History first. Stops at the first failure.
2 of these services share pods, which restart up to 2 times. Other services
share these pods and restart too. The services likely restart; requests may
fail meanwhile.
`)
	if why := d.NotForAll(); why != "This plan already covers all marked services." {
		t.Errorf("it says %q", why)
	}
}

// What others changed meanwhile is overwritten only once the word is typed for it.
func TestAMergeSaysWhatStaysAndWhatIsOverwritten(t *testing.T) {
	t.Parallel()
	d := open(t, 100)
	edit := uitest.Edit(t, d.site, cities, "maxUsageTime", "700").Edit
	edit.Drift = []finding.Finding{editing.Gates.Finding(finding.Edit, editing.Overwrites, finding.Place{Path: "maxUsageTime"}, "Others changed this.")}
	d.Drain(d.Set(plan.Plan{Edits: []batching.PlannedEdit{{Edit: edit, Plan: edit.Plan()}}}, review.Merge{Done: true, Kept: []string{"maxIdleTime 1800 → 900"}}))
	d.Shows("overwrites others: Others changed this.", "Others changed this; it stays as they left it", "maxIdleTime 1800 → 900")
	d.Tells(d.Press("services.send"), "1 danger to accept")
	d.Accept(d.env.Clock, "drift")
	d.Asks(d.Press("services.send"), "Accepted: drift.")
	if note := d.Note(80); !strings.HasPrefix(note, "review, merged with the site's version") {
		t.Errorf("the note is %q", note)
	}
}

func TestAnEditThatAnotherProgramHasIsAskedAboutOnceMore(t *testing.T) {
	t.Parallel()
	d := open(t, 100).plans("maxUsageTime", "700", cities)
	d.Drain(d.answers())
	d.Reopen()
	holder := journal.Draft{}
	holder.Program = journal.Program{User: "bob", Host: "adm1", PID: 4712}
	asked := d.Drain(d.AskHeld(editing.DefinitionOf(cities), holder))
	d.Asks(asked, "Nothing was sent. Send it despite the edit of bob", "Its text stays.")
	d.Drain(uitest.AnswerOnly(t, asked, uitest.Keys("y")...))
	if len(d.sent) != 2 || !d.beside[1] {
		t.Errorf("sent %d times, %v", len(d.sent), d.beside)
	}
}

func TestARestoredVersionIsNamedInTheQuestion(t *testing.T) {
	t.Parallel()
	d := open(t, 100)
	d.Drain(d.Set(plan.Plan{Restored: uitest.Start, Edits: []batching.PlannedEdit{uitest.Edit(t, d.site, cities, "maxUsageTime", "700")}}, review.Merge{}))
	d.Asks(d.Press("services.send"), "Restore SampleWorldCities.MapServer at ", "definition of 2026-")
}

func TestTheReviewOfSeveralShowsEachRequest(t *testing.T) {
	t.Parallel()
	d := open(t, 100).plans("maxUsageTime", "700", cities, geometry)
	d.Press("services.request")
	d.Shows("The request: POST", "SampleWorldCities.MapServer/edit")
	d.Press("rows.bottom")
	d.Shows("[secret]")
	d.Resize(100, 200)
	d.Shows("Utilities/Geometry.GeometryServer/edit")
}

// What stands beside a review is read for nobody's key: only who asks for the request hears why there is none.
func TestWhyThereIsNoRequestIsToldToWhoAsksForIt(t *testing.T) {
	t.Parallel()
	d := open(t, 200)
	of := plan.Plan{Edits: []batching.PlannedEdit{uitest.Edit(t, d.site, cities, "maxUsageTime", "700")}}
	of.Edits[0].Service.Name = "Another" // whose request cannot be made
	if up := d.Drain(d.Set(of, review.Merge{})); len(up) > 0 {
		t.Errorf("told %v", up)
	}
	d.Tells(d.Press("v"), "The request cannot be shown")
}

// Where no service can take the change there is no request beside the review, which needs no notice.
func TestAReviewWithoutARequestTellsNothing(t *testing.T) {
	t.Parallel()
	d := open(t, 200)
	of := plan.Plan{Several: true}
	for _, service := range []adminapi.ServiceRef{cities, geometry} {
		e := uitest.Edit(t, d.site, service, "maxUsageTime", "700")
		e.Refused = os.ErrPermission
		of.Edits = append(of.Edits, e)
	}
	up := d.Drain(d.Set(of, review.Merge{}))
	d.Shows("cannot take it")
	d.Hides("The request:")
	if len(up) > 0 {
		t.Errorf("told %v", up)
	}
	d.Refuses("no request", "services.request", "No changes, so there is no request.")
}

// The one that the change was made in may be the one that cannot take it.
func TestTheQuestionNamesTheValuesOfAServiceThatIsSent(t *testing.T) {
	t.Parallel()
	d := open(t, 100)
	of := plan.Plan{Several: true, Edits: []batching.PlannedEdit{
		uitest.Edit(t, d.site, cities, "minInstancesPerNode", "7"), uitest.Edit(t, d.site, geometry, "maxUsageTime", "707"),
	}}
	of.Edits[0].Refused = os.ErrPermission
	d.Drain(d.Set(of, review.Merge{}))
	d.Shows("SampleWorldCities.MapServer cannot take it")
	d.Asks(d.Press("services.send"), "Send the definition of 1 of 2 services to "+d.site.Client.Base().Host+`/geodeck?

  Utilities/Geometry.GeometryServer
  Not to SampleWorldCities.MapServer:
  it cannot take it and keeps its definition.

  maxUsageTime 600 → 707

The current definition is saved in History first. Other services share these
pods and restart too. The service likely restarts; requests may fail
meanwhile.
`)
}
