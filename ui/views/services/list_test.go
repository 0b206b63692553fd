package services_test

import (
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/simulator"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
	"geodeck/ui/views/services"
)

func TestFoldersAreShownAsTheyCome(t *testing.T) {
	t.Parallel()
	sim := uitest.NewSite(t, uitest.Scenario(t, "healthy"))
	site, _ := sim.Counted(t)
	env := uitest.Env(t, site, uitest.Theme())
	m := services.New(env)
	s := &screen{Model: m, Screen: uitest.NewScreen(t, m, 120, 35), t: t, env: env, site: site}
	s.Shows("Reading the services")
	_, rest := uitest.Run(m, m.Init(), 2)
	s.Shows("SampleWorldCities", "not read yet", "folders to be read")
	for _, cmd := range rest {
		uitest.Drain(t, m, cmd)
	}
	s.Shows("40 services", "Utilities  3 services")
	s.Hides("not read yet", "to be read")
	s.Press("j rows.top")
	s.Shows(" 1 of 40")
	s.Press("rows.bottom")
	s.Shows(" 40 of 40")
}

func TestAFilterFindsByNameTypeAndMark(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy")
	s.Press("rows.filter")
	s.Type("geometry")
	s.Press("enter")
	s.Shows("Geometry", "Utilities")
	s.Hides("SampleWorldCities")
	s.Press("esc")
	s.Invoke("rows.filter", "hosted")
	s.Shows("▾ Hosted")
	s.Hides("Utilities")
	s.Invoke("rows.filter", "no such service")
	s.Shows("No service matches")
}

// Typing after a filter that esc has cleared reaches no service.
func TestTypingStopsNoService(t *testing.T) {
	t.Parallel()
	s := openAt(t, uitest.Scenario(t, "healthy"), uitest.Sizes[0])
	s.Press("rows.filter")
	s.Type("world")
	s.Press("enter enter rows.filter")
	s.Type("capab")
	s.Press("enter esc")
	s.Shows("Definition", "serviceName")
	s.Press("esc")
	s.Shows("world")
	for _, key := range "stype stop yes" {
		s.Press(strings.ReplaceAll(string(key), " ", "space"))
	}
	if s.wire.Sent("POST stop") > 0 {
		t.Error("typing has stopped a service")
	}
	s.Press("esc esc")
	s.Invoke("rows.filter", "Geometry")
	s.Press("down")
	dialog := uitest.Find[views.Open](t, s.Press("services.switch")).Dialog
	dialog.SetSize(78, 16)
	for _, keys := range [][]tea.KeyMsg{uitest.Keys("y enter"), uitest.Text("Geo"), uitest.Keys("enter")} {
		for _, key := range keys {
			s.drain(dialog.Update(key))
		}
	}
	if s.wire.Sent("POST stop") > 0 {
		t.Error("a service is stopped without its name")
	}
}

func TestAServiceIsNotStoppedDuringAnUpgradeThatBeganWhileTheQuestionWasOpen(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").cities()
	asked := s.Press("services.switch-open")
	s.upgrades(progress.StateRunning, progress.PatchRun)
	s.Tells(uitest.Answer(t, s.Model, asked, append(uitest.Text("SampleWorldCities"), uitest.Key("enter"))...), "An upgrade is running")
	if s.wire.Sent("POST stop") > 0 {
		t.Error("the stop is sent")
	}
}

func TestEscClearsTheFilterThenTheMarks(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy")
	s.Press("space space rows.filter")
	s.Type("hosted")
	s.Press("enter")
	s.Hides("SampleWorldCities")
	s.Press("esc")
	s.Shows("SampleWorldCities", "2 services marked")
	s.Tells(s.Press("esc"), "2 marks cleared.")
	s.Hides("marked")
}

func TestMarkedServicesAreEditedFromTheList(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy")
	s.Tells(s.Press("services.many-first"), "Mark services with space first.")
	s.Press("space space") // the cursor is on one that is not marked
	if hint := s.hint("services.many-first"); hint != "edit 2" {
		t.Errorf("the footer has %q", hint)
	}
	s.Press("services.many-first")
	if row, ok := views.Find(s.Model.Commands(), "services.many-first"); ok && row.Help != "" {
		t.Errorf("help lists %q in the definition", row.Help)
	}
	s.set("maxUsageTime", "700").Shows("Editing for 2 services: CityAddresses_34.MapServer, CityBuildings_26.MapServer")
	s.Press("services.write")
	if send, many := s.hint("services.send"), s.hint("services.many"); send != "on 2 services" || many != "" {
		t.Errorf("the footer has %q and %q", send, many)
	}
	s.Shows("meant for 2 services: w plans it for all.")
	s.Tells(s.Press("enter"), "Press w to plan it for all.")
	s.Press("services.send")
	s.Shows("Edit 2 services")
	s.Asks(s.Press("services.send"), "of 2 services")
	s.sent(0)
}

func TestOneFolderThatCannotBeReadHidesNoOther(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy", simulator.Fault{Path: "/admin/services/Utilities", What: "status", Status: 403})
	s.Shows("Utilities  ✗", "Hosted  19 services")
}

func TestASiteThatIsReachableAgainIsFetchedByItself(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy", simulator.Fault{Path: "/admin/services", Times: 9, What: "empty"})
	s.Shows("40 services", "SampleWorldCities")
}

func TestReadOnlyModeIsShownBeforeAnythingIsTyped(t *testing.T) {
	t.Parallel()
	s := open(t, "readonly")
	s.Shows("The site is in read-only mode")
	s.cities()
	s.Shows("The site is in read-only mode")
	s.set("maxUsageTime", "700")
	s.Press("services.write")
	if hint := s.hint("services.send"); hint != "" {
		t.Errorf("the footer offers %q", hint)
	}
	s.Tells(s.Press("services.send"), "read-only mode")
	s.sent(0)
	s.Press("esc esc")
	s.Tells(s.Press("services.switch"), "read-only mode")
}

func TestReadOnlyModeAfterAFailedUpgradeIsNotSaidToBeTheUpgrade(t *testing.T) {
	t.Parallel()
	s := open(t, "readonly")
	s.upgrades(progress.StateFailed, progress.PatchRun)
	s.Shows("The upgrade has failed, and the site is still")
	s.Hides("in progress", "The site says", "draft")
}

func TestAReviewNamesReadOnlyModeThatBeganWhileSomethingWasEdited(t *testing.T) {
	t.Parallel()
	scenario, on := uitest.Scenario(t, "healthy"), true
	scenario.Events = []simulator.Event{{At: simulator.Duration{Duration: 20 * time.Minute}, ReadOnly: &on}}
	s := openAt(t, scenario, uitest.Sizes[0]).cities().set("maxUsageTime", "700")
	s.Hides("read-only mode")
	if err := s.site.Clock.Sleep(t.Context(), 25*time.Minute); err != nil {
		t.Fatal(err)
	}
	uitest.Refresh(s.env)
	s.Press("services.write")
	s.Shows("review", "The site is in read-only mode")
}

func TestAnyServiceIsStoppedByItsPathFromAFolder(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy")
	s.Press("rows.bottom h")
	if s.hint("services.switch") != "" {
		t.Error("the footer offers to stop a folder")
	}
	s.Tells(s.Press("services.switch"), "Folders cannot be started or stopped.")
	s.Asks(s.Invoke("services.switch", "SampleWorldCities.MapServer"), "Stop SampleWorldCities.MapServer")
}

func TestInReadOnlyModeNothingOffersToStartOrStop(t *testing.T) {
	t.Parallel()
	s := open(t, "readonly")
	list := s.hint("services.switch")
	s.cities().Press("tab tab tab")
	if open := s.hint("services.switch-open"); list+open != "" {
		t.Errorf("the footers offer %q and %q", list, open)
	}
}

func TestAReadOnlyDashboardSaysSoAndSendsNothing(t *testing.T) {
	t.Parallel()
	sim := uitest.NewSite(t, uitest.Scenario(t, "healthy"))
	client, err := adminapi.New(adminapi.Config{Base: sim.Server.URL(), Clock: sim.Steps, ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	client.Session.SetToken(sim.Client.Session.Token())
	site := operation.Site{Client: client, Clock: sim.Steps, Memory: operation.Memory{Journal: uitest.Journal(t, sim.Steps)}}
	s := openOn(t, &screen{t: t, site: site, wire: &uitest.Wire{}}, uitest.Sizes[0])
	s.Shows("Started with --read-only")
	s.Tells(s.Press("services.switch"), "read-only")
	s.cities().set("maxUsageTime", "700")
	s.Press("services.write")
	s.Tells(s.Press("services.send"), "read-only")
}

// The banner gets an age with time alone. Where it needs a line more for that, what is below has one less.
func TestAnAgeInTheBannerMakesTheScreenNoLonger(t *testing.T) {
	t.Parallel()
	s := open(t, "readonly")
	s.env.State.Mode.Value.Message = strings.Repeat("so it was set ", 3)
	s.drain(s.Update(views.StateChanged))
	banner := func() int { return strings.Count(s.View()[:strings.Index(s.View(), "Scales")], "\n") }
	before := banner()
	s.env.State.Mode.At = s.env.Clock.Now().Add(-time.Hour)
	if s.Shows("As of "); banner() == before {
		t.Fatal("the banner has as many lines as before")
	}
	if lines := strings.Count(s.View(), "\n") + 1; lines != s.size.Height {
		t.Errorf("%d lines instead of %d", lines, s.size.Height)
	}
}

func TestWhileAnUpgradeRunsNothingIsSent(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy")
	s.upgrades(progress.StateRunning, progress.RollbackRun)
	s.Shows("A rollback is running: until it ends the site accepts")
	seen := s.env.Clock.Now().Add(-5 * time.Minute)
	s.env.State.Upgrade.At = seen
	s.drain(s.Update(views.StateChanged))
	s.Shows("As of " + s.env.Times.HereMinute(seen) + ": A rollback is running; until it ends the site accepts")
	s.upgrades(progress.StateRunning, progress.PatchRun)
	s.Shows("An upgrade is running")
	s.cities().set("maxUsageTime", "700")
	s.Press("services.write")
	s.Tells(s.Press("services.send"), "An upgrade is running")
	s.sent(0)
}

func TestAnUpgradeThatBeginsWhileTheQuestionIsOpenStopsTheSending(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").cities().set("maxUsageTime", "700")
	s.Press("services.write")
	up := s.Press("services.send")
	s.upgrades(progress.StateRunning, progress.PatchRun)
	s.Tells(s.Answer(up, "y"), "An upgrade is running")
	s.sent(0)
	s.Shows("700")
}

func TestARefusalNamesThePrivilege(t *testing.T) {
	t.Parallel()
	sim := uitest.NewSite(t, uitest.Scenario(t, "healthy"))
	users := sim.Server.Users()
	site := sim.As(t, users[2])
	site.Memory.Journal = uitest.Journal(t, sim.Steps)
	s := openOn(t, &screen{t: t, site: site, wire: &uitest.Wire{}}, uitest.Sizes[1])
	s.cities().set("maxUsageTime", "700")
	s.send()
	s.Shows("privilege")
	s.Press("esc")
	s.Shows("700")
}

func TestASignInThatEndsBringsTheQuestionBack(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").cities().set("maxUsageTime", "700")
	s.Press("services.write")
	token := s.site.Client.Session.Token()
	up := s.Press("services.send")
	s.site.Client.Session.SetToken(adminapi.Token{Value: "stale"})
	ask := uitest.Find[views.SignIn](t, s.Answer(up, "y"))
	if s.edits() != 0 {
		t.Fatal("it was sent")
	}
	s.site.Client.Session.SetToken(token)
	s.Answer(s.drain(ask.Retry), "y")
	s.Shows("has the new definition")
}

func TestHostileTextIsHarmless(t *testing.T) {
	t.Parallel()
	s := open(t, "hostile")
	for _, keys := range []string{"", "rows.bottom", "enter", "tab", "tab", "esc"} {
		s.Press(keys)
		uitest.Harmless(t, s.Draw())
	}
}

func TestADefinitionThatCannotBeEditedSaysWhy(t *testing.T) {
	t.Parallel()
	s := open(t, "odd-definitions")
	seen := 0
	for range 45 {
		s.Press("enter")
		if strings.Contains(s.Draw(), "cannot be edited without loss") {
			seen++
		}
		s.Press("esc down")
	}
	if seen == 0 {
		t.Error("nothing is said of any definition")
	}
}

func TestOfflineThereIsNothingToRead(t *testing.T) {
	t.Parallel()
	env := uitest.Env(t, operation.Site{}, uitest.Theme())
	m := services.New(env)
	s := uitest.NewScreen(t, m, 80, 19)
	s.Start()
	s.Shows("There is no site.")
}

func BenchmarkThreeThousandServices(b *testing.B) {
	s := openAt(b, uitest.Scenario(b, "many-services"), uitest.Sizes[1])
	b.ResetTimer()
	for i := range b.N {
		s.do([]string{"rows.down", "rows.page-down", "rows.bottom", "rows.top"}[i%4], "")
		_ = s.View()
	}
}

func BenchmarkAKeyInALongDefinition(b *testing.B) {
	s := openAt(b, uitest.Scenario(b, "long-definition"), uitest.Sizes[1]).cities().set("maxUsageTime", "700")
	b.ResetTimer()
	for i := range b.N {
		s.do([]string{"rows.down", "rows.half-down", "rows.bottom", "rows.top"}[i%4], "")
		_ = s.View()
	}
}

// reading is a view that has read the root, and no other folder yet.
func reading(t *testing.T) (s *screen, rest tea.Cmd) {
	t.Helper()
	site, _ := uitest.NewSite(t, uitest.Scenario(t, "healthy")).Counted(t)
	env := uitest.Env(t, site, uitest.Theme())
	m := services.New(env)
	s = &screen{Model: m, Screen: uitest.NewScreen(t, m, 120, 35), t: t, env: env, site: site}
	_, left := uitest.Run(m, m.Init(), 2)
	s.Shows("not read yet")
	return s, tea.Batch(left...)
}

func TestAServiceIsOpenedWhenItsFolderArrives(t *testing.T) {
	t.Parallel()
	s, rest := reading(t)
	told := uitest.NoticeText(t, s.Invoke("services.open", "utilities/geometry.GeometryServer"))
	if !strings.Contains(told, "Reading the list") {
		t.Errorf("told %q", told)
	}
	s.drain(rest)
	s.Shows("Definition", "History", "Status")
	if at := s.Status().Path; len(at) == 0 || at[0] != "Utilities/Geometry.GeometryServer" {
		t.Errorf("it leads to %v", at)
	}
}

func TestAMissingServiceIsReportedWhenAllIsRead(t *testing.T) {
	t.Parallel()
	s, rest := reading(t)
	s.Invoke("services.open", "No/Such.MapServer")
	s.Tells(s.drain(rest), "No service No/Such.MapServer")
}

// B17: a part of a path that only one service has is enough, keys wait for no other service, and esc gives it up.
func TestNoKeyReachesAnotherServiceWhileOneIsAwaited(t *testing.T) {
	t.Parallel()
	s, rest := reading(t)
	s.Tells(s.Invoke("services.open", "geometry"), "Reading the list; geometry opens when it is found. esc cancels.")
	for _, key := range []string{"services.enter", "services.switch", "services.edit-outside", "rows.down"} {
		s.Tells(s.Press(key), "geometry opens when it is found")
		s.Hides("Definition")
	}
	s.Tells(s.drain(rest), "Utilities/Geometry.GeometryServer is open.")
	if at := s.Status().Path; len(at) == 0 || at[0] != "Utilities/Geometry.GeometryServer" {
		t.Errorf("it leads to %v", at)
	}

	s, rest = reading(t)
	s.Invoke("services.history", "geometry")
	s.drain(rest)
	s.Shows("No versions yet")

	s, rest = reading(t)
	s.Invoke("services.open", "geometry")
	s.Press("esc")
	s.drain(rest)
	s.Hides("Definition")
	s.Tells(s.Invoke("services.open", "mapserver"), "services match mapserver: ")
	s.Tells(s.Press("e"), "Press enter to open and edit it, E for your editor.")
}

func TestTheDetailIsEmptyWhereNoServiceMatches(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy")
	s.Shows("Folder  ")
	s.Invoke("rows.filter", "no such service")
	s.Hides("Folder  ")
	s.Press("esc")
	s.Shows("Folder  ")
}

func TestWhatIsBeingReadIsNotReadAgainAtEachRest(t *testing.T) {
	t.Parallel()
	s := openAt(t, uitest.Scenario(t, "many-services"), uitest.Sizes[1])
	s.Update(views.Rested)
	s.do("rows.bottom", "")
	first := s.Update(views.Rested)
	if first == nil {
		t.Fatal("the states of the last services are not read")
	}
	before := s.wire.Sent("GET status")
	if s.drain(s.Update(views.Rested)); s.wire.Sent("GET status") != before {
		t.Error("they are read a second time")
	}
	s.drain(first)
	if n := strings.Count(s.Draw(), "started"); n < 20 {
		t.Errorf("%d states are known:\n%s", n, s.Draw())
	}
}

func TestEscClearsTheFilterOfADefinitionBeforeItLeaves(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").cities()
	s.Press("rows.filter")
	s.Type("maxIdleTime")
	s.Press("enter")
	s.Hides("serviceName")
	s.Press("esc")
	s.Shows("serviceName", "Definition")
	s.Press("esc")
	s.Hides("serviceName")
}

// What the site has is the same: there is nothing to draw anew.
func TestARefreshKeepsTheCursorAndTheFolds(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").cities()
	s.Press("-")
	s.Hides("WMSServer")
	s.Invoke("jsonedit.go", "maxUsageTime")
	s.Shows("maxUsageTime  ")
	s.Press("f5")
	s.Hides("WMSServer")
	s.Press("jsonedit.edit ctrl+u")
	s.Type("700")
	s.Press("enter")
	s.send()
	s.siteHas("maxUsageTime", "700")
}

// Sorted by name the folder stands before the name, for which the scales make room.
func TestNamesOfASortedListAreWhole(t *testing.T) {
	t.Parallel()
	s := openAt(t, uitest.Scenario(t, "healthy"), uitest.Sizes[1])
	s.Press("services.sort")
	s.Shows("Hosted/CountyFloodzones_14 ", "Pods")
	s.Hides("Scales Pods")
}
