package services_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/batching"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/operation/nodesource"
	"geodeck/adminapi/secrets"
	"geodeck/adminapi/simulator"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
)

func TestTheSameRulesOnSeveralServicesAreOnePlanALineEach(t *testing.T) {
	t.Parallel()
	s := openAt(t, uitest.Scenario(t, "healthy"), uitest.Sizes[0])
	s.Press(strings.TrimSpace(strings.Repeat("space ", 16)))
	s.rules().onPool("spot")
	s.Press("services.write services.many")
	s.Shows("! SouthElevationprofile_27.GPServer cannot take it: no MapServer deployment", "5 services · 1 to accept · 5 changes",
		"›     ! caution    MapServer  one node only", "▸ SampleWorldCities.MapServer  ! 4 → 1 of 14 nodes, shared, term 1: pool In", "▸ CoastTrees_29.MapServer  ! 5 → 1 of 14 nodes, term 1 added: pool In spot")
	s.Golden()
	s.Press("down")
	s.Shows("Shared: CityAddresses_34.MapServer and others in these pods move too.", "before  Pods must run on nodes whose pool is gis")
	s.Press("rows.bottom")
	s.Shows("Shared: other services run in these pods and move too.", "after   Pods must run on nodes whose pool is spot")
	s.Press("services.plan")
	plan, err := os.ReadFile(filepath.Join(s.env.Folder, "services-review.txt"))
	if err != nil || strings.Count(string(plan), "→ 1 of 14 nodes") != 5 || strings.Count(string(plan), "Shared: ") != 2 {
		t.Errorf("the file of the plan, %v, says\n%s", err, plan)
	}
	s.Answer(s.ask(), "y")
	s.Shows("The change was sent to 5 services", "✓ done, started          CoastTrees_29.MapServer", "shares its pods")
	s.sent(5)
}

func TestInAWideTerminalWhatTheRulesDoStandsBesideTheBatch(t *testing.T) {
	t.Parallel()
	s := openAt(t, uitest.Scenario(t, "healthy"), uitest.Sizes[2])
	s.Press(strings.TrimSpace(strings.Repeat("space ", 12)))
	s.rules().onPool("spot")
	s.Press("services.write services.many")
	s.Shows("│ ● shared-mapserver iqszeqagcu27jztyox0rr: 4 → 1 of 14 nodes", "│ When you send", "│ /geodeck/admin/services/SampleWorldCities.MapServer/placementPolicy/")
	if n := strings.Count(s.Draw(), "  before  "); n != 1 {
		t.Errorf("the rules before are told %d times", n)
	}
	s.Press("down down")
	s.Shows("│ /geodeck/admin/services/CoastTrees_29.MapServer/placementPolicy/")
}

func TestABatchSaysWhatWasNotSeenOfEachService(t *testing.T) {
	t.Parallel()
	s := openAt(t, uitest.Scenario(t, "healthy", simulator.Fault{Path: "admin/system/deployments/**", Method: "GET", What: "status", Status: 403}), uitest.Sizes[1])
	s.nodes = nodesource.Source{}
	s = s.restart()
	s.Press(strings.TrimSpace(strings.Repeat("space ", 16)))
	s.rules().onPool("spot")
	s.Press("services.write services.many")
	s.Shows("? No node list: placement was not checked.", "CoastTrees_29.MapServer  placement was not checked, term 1 added: pool In spot")
	s.Press("rows.bottom")
	s.Shows("It is unknown whether other services share these pods.")
}

func TestRulesThatNoNodeMeetsStopABatchAtTheFirstService(t *testing.T) {
	t.Parallel()
	s := openAt(t, uitest.Scenario(t, "healthy"), uitest.Sizes[0])
	s.Press(strings.TrimSpace(strings.Repeat("space ", 12)))
	s.rules().onPool("giss")
	s.Press("services.write services.many")
	s.Shows("▲ 4 of 14 nodes → none", "! SouthElevationprofile_27.GPServer cannot take it")
	s.Shows("no node takes them", "In 4 services: SampleWorldCities.MapServer")
	up := s.ask()
	if hint := s.hint("services.send"); hint != "send to 4" { // B8
		t.Errorf("the footer says %q", hint)
	}
	dialog := uitest.Find[views.Open](t, up).Dialog
	dialog.SetSize(118, 30)
	if question := dialog.View(); !strings.Contains(strings.Join(strings.Fields(question), " "), "No node takes those of SampleWorldCities.MapServer, ") {
		t.Errorf("the question is\n%s", question)
	}
	s.confirmRules(up, yes...)
	s.wait(400)
	s.Shows("○ not sent", "does not answer after its edit")
	s.sent(1)
}

func TestABatchThatSendsOneServiceIsFollowedToo(t *testing.T) {
	t.Parallel()
	s := openAt(t, uitest.Scenario(t, "healthy"), uitest.Sizes[0])
	s.Invoke("rows.filter", "SouthElevationprofile")
	s.Press("space esc")
	s.rules().onPool("giss")
	s.Press("services.write services.many")
	s.Shows("! SouthElevationprofile_27.GPServer cannot take it")
	s.confirmRules(s.ask(), yes...)
	s.wait(400)
	s.Shows("✗ stopped, should run", "does not answer after its edit")
	s.Hides("✓ done")
	s.sent(1)
	s.Press("esc") // after two minutes it is no restart any more
	s.Shows("9 down", "SampleWorldCities            MapServer       0 of 3  ✗ stopped, should run")
}

func TestTheSameChangeOnSeveralStopsAtTheFirstFailure(t *testing.T) {
	t.Parallel()
	s := open(t, "edit-third-fails")
	s.Press("space space space space")
	s.Shows("4 services marked")
	s.Press("rows.top enter")
	s.set("maxUsageTime", "700")
	s.Press("services.write services.many")
	s.Shows("4 services", "CityTrees_19.MapServer", "CityWatermains_27.MapServer")
	up := s.Press("services.send")
	s.Answer(up, "y")
	s.Shows("✓ done, started          CityTrees_19", "✓ done, started          CityWatermains_27",
		"✗ job failed             CoastAirquality_26", "○ not sent               CoastViewshed_8", "did not complete")
	s.sent(3)
	s.Press("esc")
	s.Shows("2 services marked")
	s.Tells(s.Press("esc"), "2 services left: the marks stay. esc once more clears them.") // the key that closed the page
	s.Shows("2 services marked")
	s.Tells(s.Press("esc"), "2 marks cleared.")
	s.Shows("40 services")
}

func TestTheSameChangeOnAFolderIsOnePlanAndLeavesOutWhoHasIt(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy")
	s.Invoke("services.open", "Utilities/Symbols.GPServer")
	s.set("maxUsageTime", "700")
	s.send()
	s.Press("esc esc")
	s.Invoke("rows.filter", "Utilities")
	s.Press("rows.top space")
	s.Shows("3 services marked", "◆  Geometry", "◆  PrintingTools", "◆  Symbols") // with the folder
	s.Invoke("services.open", "Utilities/Geometry.GeometryServer")
	s.set("maxUsageTime", "700")
	s.Press("services.write services.many")
	s.Shows("Symbols.GPServer has this already", "2 services", "PrintingTools.GPServer")
	s.Answer(s.ask(), "y")
	s.Shows("has this already", "sent to 2 services", "back to the list")
	s.sent(3)
}

func TestASignInThatEndsWhileThePlanIsMadeBringsThePlanBack(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy", simulator.Fault{Path: "admin/services/CityBuildings_26.MapServer", Method: "GET", Times: 1, What: "status", Status: 401})
	s.Press("space space")
	s.Press("rows.top enter")
	s.set("maxUsageTime", "700")
	s.Press("services.write")
	ask := uitest.Find[views.SignIn](t, s.Press("services.many"))
	s.Shows("review", "maxUsageTime")
	s.Hides("cannot take it")
	s.drain(ask.Retry)
	s.Shows("2 services", "CityAddresses_34.MapServer", "CityBuildings_26.MapServer")
	s.Hides("cannot take it")
}

func TestTheSameChangeNeedsMarkedServices(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy")
	s.cities().set("maxUsageTime", "700")
	s.Tells(s.Press("services.many-first"), "press w")
	s.Press("services.write")
	s.Tells(s.Press("services.many"), "Mark other services")
}

func TestTheFooterCountsTheServicesOfTheSameChange(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy")
	s.Press("space space space")
	s.cities().set("maxUsageTime", "700")
	s.Press("services.write")
	if hint := s.hint("services.many"); hint != "on 4 services" {
		t.Errorf("the footer says %q", hint)
	}
}

func TestStartAndStopSayThatMarksPlayNoPart(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy")
	s.Press("space space")
	s.Asks(s.Press("services.switch"), "Only the service under the cursor", "not the 2 marked.")
}

func TestAfterAFailureOneKeyGoesOnWithTheRest(t *testing.T) {
	t.Parallel()
	s := open(t, "edit-third-fails")
	s.Press("space space space space rows.top enter")
	s.set("maxUsageTime", "700")
	s.Press("services.write services.many")
	s.Answer(s.ask(), "y")
	s.Shows("Left: 2 services", "continue with 2 services")
	s.Press("services.many")
	s.Shows("review", "2 services", "CoastAirquality_26", "CoastViewshed_8")
	s.Hides("CityTrees_19")
	s.Answer(s.ask(), "y")
	s.Shows("sent to 2 services")
	s.sent(5)
	s.Press("esc")
	s.Hides("marked")
}

// What the site refused is asked for again, and what it took is sent no second time.
func TestABatchGoesOnAfterASignIn(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy", simulator.Fault{Path: "admin/services/CityDistricts_36.MapServer/edit", Method: "POST", Times: 1, What: "status", Status: 401})
	s.Press("space space space space space rows.top enter")
	s.set("maxUsageTime", "700")
	s.Press("services.write services.many")
	ask := uitest.Find[views.SignIn](t, s.Answer(s.ask(), "y"))
	if !strings.HasSuffix(ask.Undone, "services were not sent.") {
		t.Errorf("it says %q", ask.Undone)
	}
	s.Shows("✓ done, started          CityAddresses_34", "○ not sent")
	before := s.edits()
	up := s.drain(ask.Retry)
	s.Shows("review", "Edit 3 services", "3 services")
	s.Asks(up, "of 3 services")
	s.sent(before)
	s.Answer(up, "y")
	s.Shows("sent to 3 services")
	s.sent(before + 3)
}

func TestATitleCountsTheServicesThatAreSent(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy", simulator.Fault{Path: "admin/services/CityBuildings_26.MapServer", Method: "GET", What: "status", Status: 403})
	s.Press("space space space rows.top enter")
	s.set("maxUsageTime", "700")
	s.Press("services.write services.many")
	s.Shows("Edit 2 of 3 services", "CityBuildings_26.MapServer cannot take it", "2 services · 2 changes",
		"2 of these services share pods, which restart up to 2 times. Other services share these pods and restart too.")
	up := s.Press("services.send")
	s.Asks(up, "Send the definition of 2 of 3 services", "Not to CityBuildings_26.MapServer:", "it cannot take it and keeps its definition.", "2 of these services share pods, which restart up to 2 times.")
	s.Answer(up, "y")
	s.Press("rows.top esc") // what is left is marked, and has the cursor
	s.Shows("\u203a\u25c6CityBuildings_26")
}

func TestWhatIsLeftStaysMarked(t *testing.T) {
	t.Parallel()
	s := open(t, "edit-third-fails")
	s.Press("space space space space rows.top enter")
	s.set("maxUsageTime", "700")
	s.Press("services.write services.many")
	s.Answer(s.ask(), "y")
	s.Press("esc")
	s.Shows("2 services marked", "\u25c6CoastAirquality_26", "\u25c6CoastViewshed_8")
	s.Hides("\u25c6CityTrees_19")
}

func TestWhyAServiceCannotTakeItIsReadWholeInANarrowTerminal(t *testing.T) {
	t.Parallel()
	s := openAt(t, uitest.Scenario(t, "healthy", simulator.Fault{Path: "admin/services/CityBuildings_26.MapServer", Method: "GET", What: "status", Status: 403}), uitest.Sizes[0])
	s.Press("space space rows.top enter")
	s.set("maxUsageTime", "700")
	s.Press("services.write services.many")
	s.Shows("CityBuildings_26.MapServer cannot take it", "(code 403)")
}

// All lines of all requests would be laid out whenever the window gets another size.
func TestTheReviewOfManyShowsTheFirstRequests(t *testing.T) {
	t.Parallel()
	s := open(t, "many-services")
	s.Press("rows.range pgdown pgdown pgdown rows.range")
	s.Press("rows.top enter")
	s.set("maxUsageTime", "700")
	s.Press("services.write services.many services.request")
	s.Shows("The request: POST", "maxUsageTime")
	s.Press("rows.bottom")
	s.Shows("more requests: press x to write all to a file")
	s.sent(0)
}

// A batch says before it is sent which of its services do not run, as far as their states were read.
func TestTheReviewOfSeveralSaysWhichDoNotRun(t *testing.T) {
	t.Parallel()
	s := openAt(t, uitest.Scenario(t, "services-down"), uitest.Sizes[0])
	s.Press(strings.TrimSpace(strings.Repeat("space ", 16)))
	s.Invoke("services.open", cities.Path())
	s.set("maxIdleTime", "907").Press("services.write services.many")
	s.Shows("review", "! Not running before the edit: Utilities/PrintingTools.GPServer (stopped,", "should run).")
}

func TestRulesThatNoOtherServiceCanTakeStayInTheirReview(t *testing.T) {
	t.Parallel()
	s := openAt(t, uitest.Scenario(t, "healthy"), uitest.Sizes[0])
	s.Press("space space")
	s.rules().editor(`subst '1,/"podPlacementPolicy": *{/s/"podPlacementPolicy": *{/&"podAntiAffinity": {},/; s/"gis"/"spot"/' "$1"`)
	s.Press("services.editor services.write")
	s.Tells(s.Press("services.many"), "This edit also changes podAntiAffinity; send it on its own.")
	s.Shows("review")
	s.Asks(s.ask(), "Send the placement policy of SampleWorldCities.MapServer")
	s.sent(0)
}

// program is one of several on one machine, whose writes its own journal records.
func program(t *testing.T, sim *uitest.Site, folder string, who journal.Program) (operation.Site, *journal.Journal) {
	t.Helper()
	j, err := journal.Open(folder, sim.Server.URL(), journal.WithClock(sim.Steps), journal.WithProgram(who))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close() })
	client, err := adminapi.New(adminapi.Config{Base: sim.Server.URL(), Clock: sim.Steps, Observer: j})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.CloseIdleConnections)
	user := sim.Server.Users()[0]
	if _, err := client.Session.SignIn(t.Context(), user.Username, secrets.Secret(user.Password), time.Hour); err != nil {
		t.Fatal(err)
	}
	return operation.Site{Client: client, Clock: sim.Steps, Memory: operation.Memory{Journal: j}}, j
}

// geometry and printing are services beside the one that is edited.
var (
	geometry = adminapi.ServiceRef{Folder: "Utilities", Name: "Geometry", Type: "GeometryServer"}
	printing = adminapi.ServiceRef{Folder: "Utilities", Name: "PrintingTools", Type: "GPServer"}
)

// killedAt sends the same change to services in a program that is killed while the job of one of them runs.
func killedAt(t *testing.T, sim *uitest.Site, folder string, at int, services ...adminapi.ServiceRef) {
	t.Helper()
	site, j := program(t, sim, folder, alice)
	planned := batching.PlanEach(t.Context(), site, services, editing.Definition, nil, func(_ adminapi.ServiceRef, d *document.Document) (*document.Document, error) {
		return d.SetValue("maxIdleTime", "907")
	})
	ctx, kill := context.WithCancel(t.Context())
	batching.Apply(ctx, site, planned, false, nil, func(service adminapi.ServiceRef, p operation.EditProgress) {
		if service.Path() == services[at].Path() && p.Step == operation.StepEditJob {
			kill()
		}
	})
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
}

// What a batch has sent, and whose job runs, is not offered again when it is continued: the count is what is sent.
func TestWhatABatchHasSentAndStillRunsIsNotOfferedAgain(t *testing.T) {
	t.Parallel()
	sim, folder := uitest.NewSite(t, uitest.Scenario(t, "edit-slow")), t.TempDir()
	services := []adminapi.ServiceRef{cities, geometry, printing}
	killedAt(t, sim, folder, 0, services...)
	next, _ := program(t, sim, folder, bob)
	s := openOn(t, &screen{t: t, site: next}, uitest.Sizes[0])
	s.Press("services.batch")
	s.Shows("1 of 3 sent already: "+cities.Path()+" (its job ", " runs). Open it to follow.", services[1].Path(), services[2].Path())
	s.Hides("has this already")
	if hint := s.hint("services.send"); hint != "send to 2" {
		t.Errorf("the footer says %q", hint)
	}
	q := s.ask()
	s.Asks(q, "of 2 services to")
	s.Answer(q, "y")
	s.Shows("sent before  ", cities.Path(), "The change was sent to 2 services")
	s.Hides("not sent", "Left: ")
}

// The service that was sent before the program was killed may still be down when the rest is reviewed.
func TestAContinuedBatchSaysWhatHasNotStartedAgain(t *testing.T) {
	t.Parallel()
	sim, folder := uitest.NewSite(t, uitest.Scenario(t, "edit-slow")), t.TempDir()
	killedAt(t, sim, folder, 0, cities, geometry, printing)
	next, _ := program(t, sim, folder, bob)
	down := func() bool {
		state := next.Availability().States(t.Context(), []adminapi.ServiceRef{cities})[0]
		return state.Err == nil && !state.Running()
	}
	for !down() {
		sim.Steps.Advance(time.Second)
	}
	for jobRuns := true; jobRuns; _, _, _, jobRuns = next.UnseenEdit(cities) { // it ends before the service has started again
		sim.Steps.Advance(time.Second)
		if _, err := next.ResolveWrites(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if !down() {
		t.Fatal("it has started again")
	}
	s := openOn(t, &screen{t: t, site: next}, uitest.Sizes[1])
	s.Press("services.batch")
	s.Shows(cities.Path() + " has this already, and has not started again yet")
}

// Once it is found that the site has what a killed program sent, its service is marked as a draft no longer.
func TestWhatWasSentIsMarkedAsADraftNoLonger(t *testing.T) {
	t.Parallel()
	sim, folder := uitest.NewSite(t, uitest.Scenario(t, "edit-slow")), t.TempDir()
	site, j := program(t, sim, folder, alice)
	target := editing.Target{Service: cities, Part: editing.Definition}
	now, err := site.Read(t.Context(), target)
	if err != nil {
		t.Fatal(err)
	}
	edited, err := now.Document.SetValue("maxIdleTime", "907")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := site.Memory.SaveEditDraft(target, operation.EditDraft{Base: now.Document.Text(), Edited: edited.Text()}); err != nil {
		t.Fatal(err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	killedAt(t, sim, folder, 0, cities, geometry)
	next, _ := program(t, sim, folder, bob)
	s := openOn(t, &screen{t: t, site: next}, uitest.Sizes[1])
	s.Shows("draft")
	sim.Steps.Advance(10 * time.Minute) // its job ends
	if found, err := next.ResolveWrites(t.Context()); err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	s.drain(s.Update(views.RecordChanged))
	s.Hides("draft")
}

// What is left of a batch that was interrupted, and then stopped, is sent as the plan has it: the change of another
// service is nothing by then.
func TestWhatAStoppedRestOfABatchLeavesIsSent(t *testing.T) {
	t.Parallel()
	sim, folder := uitest.NewSite(t, uitest.Scenario(t, "edit-slow")), t.TempDir()
	services := []adminapi.ServiceRef{cities, geometry, printing}
	killedAt(t, sim, folder, 0, services...)
	sim.Steps.Advance(time.Hour) // the job of the first ends
	next, _ := program(t, sim, folder, bob)
	s := openOn(t, &screen{t: t, site: next}, uitest.Sizes[1])
	s.Press("services.batch")
	s.Shows(services[0].Path()+" has this already", services[1].Path(), services[2].Path())
	_, rest := uitest.Run(s.Model, uitest.AnswerOnly(t, s.ask(), yes...), 2)
	s.Press("services.back")
	if hint := s.hint("services.batch"); hint != "" {
		t.Errorf("while it is sent, the list offers to %s", hint)
	}
	s.Invoke("services.open", services[1].Path())
	s.Tells(s.Press("services.stop-sending"), "It stops after this service. The rest is not sent.")
	s.drain(rest...)
	s.Shows("not sent", services[2].Path(), "Left: 1 service")
	if left, err := batching.AllInterrupted(next.Memory); err != nil || len(left) != 1 || left[0].Text() != "An edit of 2 services was stopped: 1 sent, 1 not sent" {
		t.Errorf("%+v, %v", left, err)
	}
	s.Press("services.many")
	s.Shows("review", "maxIdleTime", "907", services[2].Path())
	s.Hides("has this already")
	s.Answer(s.ask(), "y")
	s.Shows("The change was sent to 1 service")
}

// A program is killed while it sends to the second of three services. The next one goes on with M.
func TestWhatAKilledProgramHasNotSentIsReviewedAndSent(t *testing.T) {
	t.Parallel()
	sim, folder := uitest.NewSite(t, uitest.Scenario(t, "edit-slow")), t.TempDir()
	services := []adminapi.ServiceRef{cities, geometry, printing}
	killedAt(t, sim, folder, 1, services...)
	sim.Steps.Advance(time.Hour) // the job of the second ends
	next, _ := program(t, sim, folder, bob)
	s := openOn(t, &screen{t: t, site: next}, uitest.Sizes[1])
	s.Press("services.batch")
	if path := s.Status().Path; !slices.Equal(path, []string{services[2].Path(), "review"}) {
		t.Errorf("the path is %q", path)
	}
	s.Shows("review", "1 change", services[0].Path()+" has this already", services[1].Path()+" has this already", services[2].Path())
	s.Answer(s.ask(), "y")
	s.Shows("The change was sent to 1 service")
	if records, err := next.Memory.Journal.Actions(0); err != nil || len(records) != 3 || records[0].Subject != services[2].Path() {
		t.Errorf("%+v, %v", records, err)
	}
	if hint := openOn(t, s, s.size).hint("services.batch"); hint != "" {
		t.Errorf("it is offered again: %s", hint)
	}
}

// Two programs have each left a batch: each is opened by its own row of the unfinished work, not the newest by both.
func TestEachInterruptedBatchIsOpenedByItself(t *testing.T) {
	t.Parallel()
	sim, folder := uitest.NewSite(t, uitest.Scenario(t, "edit-slow")), t.TempDir()
	for _, services := range [][]adminapi.ServiceRef{{cities, geometry}, {printing, {Folder: "System", Name: "CachingTools", Type: "GPServer"}}} {
		killedAt(t, sim, folder, 0, services...)
		sim.Steps.Advance(time.Hour) // its job ends
	}
	next, _ := program(t, sim, folder, bob)
	left, err := batching.AllInterrupted(next.Memory)
	if err != nil || len(left) != 2 {
		t.Fatalf("%+v, %v", left, err)
	}
	for _, b := range left {
		s := openOn(t, &screen{t: t, site: next}, uitest.Sizes[1])
		s.Invoke("services.batch-left", b.Plan)
		s.Shows("review", b.Left[0], b.Sent[0]+" has this already")
	}
	s := openOn(t, &screen{t: t, site: next}, uitest.Sizes[1])
	s.Tells(s.Invoke("services.batch-left", "gone"), "That edit was sent or given up meanwhile.")
}
