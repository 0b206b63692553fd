package services_test

import (
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation/nodesource"
	"geodeck/adminapi/simulator"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
	"geodeck/ui/views/services"
)

func TestStatesAreReadOfWhatIsSeenAndOfSomeHundredOthers(t *testing.T) {
	t.Parallel()
	s := openAt(t, uitest.Scenario(t, "many-services"), uitest.Sizes[1])
	s.Shows("3000 services")
	if n := s.wire.Sent("GET status"); n < 500 || n > 570 { // also of the deployments
		t.Errorf("%d states were read", n)
	}
	if n := s.wire.Sent("GET scaling"); n > 35 {
		t.Errorf("the scaling of %d services was read for a screen", n)
	}
	s.Shows(" of 3000 checked")
	before := s.wire.Sent("GET status")
	s.Press("rows.bottom")
	s.Hides("not read")
	if n := s.wire.Sent("GET status") - before; n == 0 || n > 60 {
		t.Errorf("%d states were read for another screen", n)
	}
	before = s.wire.Sent("GET status") + s.wire.Sent("GET scaling")
	s.Press("rows.top")
	if n := s.wire.Sent("GET status") + s.wire.Sent("GET scaling") - before; n > 0 {
		t.Errorf("%d states that were read are read again", n)
	}
}

// C23: of three thousand services, those in sight are read first, with their pods.
func TestTheRowsInSightAreReadBeforeAnyOther(t *testing.T) {
	t.Parallel()
	sim := uitest.NewSite(t, uitest.Scenario(t, "many-services"))
	site, wire := sim.Counted(t)
	var mu sync.Mutex
	var status, inSight []string // by the path of the service, in order
	at := map[string]int{}       // how many states were asked for when it was read how many pods one may have
	wire.Before = func(r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		service, what := path.Split(r.URL.Path)
		switch {
		case what == "status" && strings.Contains(service, "/services/"):
			status = append(status, service)
		case what == "scaling":
			inSight, at[service] = append(inSight, service), len(status)
		}
	}
	openOn(t, &screen{t: t, site: site, wire: wire, nodes: nodesource.Source{Demo: sim.Server.Nodes}}, uitest.Sizes[1])
	mu.Lock()
	defer mu.Unlock()
	if len(inSight) < 20 || len(status) < 500 {
		t.Fatalf("read were %d states, and the pods of %d services", len(status), len(inSight))
	}
	for _, service := range inSight {
		if asked := at[service]; asked > len(inSight) || !slices.Contains(status[:len(inSight)], service) {
			t.Errorf("%s, which is in sight, was read after %d states", service, asked)
		}
	}
}

func TestStatesSayHowItIsAndHowItShouldBe(t *testing.T) {
	t.Parallel()
	s := open(t, "services-down")
	s.Shows("✗ stopped, should run", "○ stopped")
	s.Invoke("rows.filter", "PrintingTools")
	s.Press("down")
	s.Shows("Configured     started", "Real           stopped")
}

func TestAServiceIsStoppedAndStartedAfterAQuestion(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy")
	s.Invoke("rows.filter", "Geometry")
	s.Press("down")
	up := s.Press("services.switch")
	s.Asks(up, "lose access", "The platform itself", "Type Utilities/Geometry")
	s.Tells(s.named(up, "Utilities/Geometry"), "is stopped")
	s.Shows("○ stopped")
	s.Tells(s.Answer(s.Press("services.switch"), "y"), "is started")
	if s.wire.Sent("POST stop") != 1 || s.wire.Sent("POST start") != 1 {
		t.Error("it was not sent once")
	}
}

func TestAServiceThatWasStartedStaysUnderTheCursorOfItsFilter(t *testing.T) {
	t.Parallel()
	s := open(t, "services-down")
	s.Press("rows.top h")
	s.Shows("▸ Down", "1 down")
	s.Press("services.down")
	s.Shows("›   Utilities/PrintingTools", "2 of 40")
	s.Hides("1 of 2 ")
	s.Press("rows.bottom")
	s.Tells(s.Answer(s.Press("services.switch"), "y"), "is started")
	s.Shows("›   Geometry", "3 of 3  ✓ started")
	s.Press("up")
	s.Hides("✓ started")
}

func TestNoServiceOfASharedDeploymentContradictsItsPods(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").rules()
	s.onPool("giss").sendRules(yes...)
	s.wait(40)
	s.Press("esc esc esc")
	s.Shows("0 of 3  ✗ stopped, should run", "9 down")
	s.Press("enter")
	s.rules()
	s.editor(`subst 's/"giss"/"gis"/' "$1"`)
	s.Press("services.editor")
	s.sendRules(yes...)
	s.wait(400)
	s.Press("esc esc esc")
	s.Shows("3 of 3  ✓ started")
	s.Hides("stopped, should run", "down")
}

func TestAStoppedServiceDoesNotCountThePodsOfOthers(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy")
	s.Invoke("rows.filter", "CachingTools")
	s.Shows("6 of 6", "Scales         6 pods, fixed") // in two deployments, as its Status counts
	s.named(s.Press("services.switch"), "System/CachingTools")
	s.Shows("shared  ○ stopped", "6 of 6 ready, for")
	s.Hides("6 of 6  ○")
}

func TestASwitchWhoseEndWasNotSeenIsNoFailure(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy", simulator.Fault{Path: "admin/jobs/*", Method: "GET", What: "status", Status: 401})
	s.Invoke("rows.filter", "Geometry")
	s.Press("down")
	s.Tells(s.named(s.Press("services.switch"), "Utilities/Geometry"), "Accepted, but its end was not seen")
}

func TestWhyAServiceCannotStartIsShown(t *testing.T) {
	t.Parallel()
	s := open(t, "services-down")
	s.Invoke("rows.filter", "PrintingTools")
	s.Press("down")
	s.Shows("Not known. It is", "Start it again") // in the detail
	told := uitest.NoticeText(t, s.Answer(s.Answer(s.Press("services.switch"), "enter"), "y"))
	if !strings.HasPrefix(told, "Not started: a container image cannot be pulled (Utilities/PrintingTools.GPServer). ") || !strings.Contains(told, "printing tools") {
		t.Errorf("told %q", told)
	}
	s.Shows("cannot be pulled.", "Check that nodes")
	s.Hides("Not known. It is")
}

func TestALostAnswerToAStopIsReadAndNotSentAgain(t *testing.T) {
	t.Parallel()
	s := open(t, "edit-answer-lost")
	s.Invoke("rows.filter", "SampleWorldCities")
	told := uitest.NoticeText(t, s.named(s.Press("services.switch"), "SampleWorldCities"))
	if !strings.Contains(told, "is stopped") || s.wire.Sent("POST stop") != 1 {
		t.Errorf("told %q, sent %d", told, s.wire.Sent("POST stop"))
	}
}

func TestAStoppedServiceIsFoundByItsState(t *testing.T) {
	t.Parallel()
	s := openAt(t, uitest.Scenario(t, "services-down"), uitest.Sizes[0])
	if s.hint("services.down") != "not running" {
		t.Error("the footer does not lead to the service that is down")
	}
	s.Invoke("rows.filter", "stopped")
	s.Shows("PrintingTools", "stopped, should run", "Geometry", "1 down, 1 stopped on purpose")
	s.Hides("SampleWorldCities", "of 40 read")
	s.Invoke("rows.filter", "not as")
	s.Shows("PrintingTools")
	s.Hides("Geometry")
}

func TestServicesAreSortedAndOnlyThoseThatDoNotRunShown(t *testing.T) {
	t.Parallel()
	s := openAt(t, uitest.Scenario(t, "services-down"), uitest.Sizes[0])
	s.Press("services.sort services.sort rows.top")
	s.Shows("by state", "1 down, 1 stopped on purpose")
	if rows := strings.Split(s.Draw(), "\n"); !strings.Contains(rows[2], "PrintingTools") || !strings.Contains(rows[3], "Geometry") {
		t.Errorf("the first rows are not those that do not run:\n%s", s.Draw())
	}
	s.Press("services.sort services.sort services.down")
	s.Shows("Utilities", "PrintingTools", "Geometry")
	s.Hides("SampleWorldCities", "by state")
	s.Press("services.down")
	s.Shows("WestElevationprofile_10") // all again
	healthy := open(t, "healthy")
	healthy.Press("services.down")
	healthy.Shows("Every service runs.")
}

// Of a site that tells a user nothing of pods nothing is guessed, nor asked for each row.
func TestPodsThatAUserMayNotSeeAreNotAskedForEachRow(t *testing.T) {
	t.Parallel()
	sim := uitest.NewSite(t, uitest.Scenario(t, "healthy"))
	site, wire := sim.Counted(t)
	site.Client.Session.SetToken(sim.As(t, sim.Server.Users()[1]).Client.Session.Token())
	s := openOn(t, &screen{t: t, site: site, wire: wire}, uitest.Sizes[1])
	s.Press("rows.bottom")
	s.Shows("✓ started", "? ", "not known: needs")
	if n := s.wire.Sent("GET scaling"); n > 60 {
		t.Errorf("%d requests for pods", n)
	}
}

// The cursor is led to the first service that is down as long as nobody has pressed a key.
func TestServicesOutOfSightAreCheckedAsWell(t *testing.T) {
	t.Parallel()
	s, rest := checking(t)
	s.drain(rest...)
	s.Shows("▾ Down  1 service", "›   Utilities/PrintingTools", "1 of 40")
	s, rest = checking(t)
	s.Hurry("down up")
	s.drain(rest...) // what should run and does not comes first, and the cursor stays where it was
	s.Shows("40 services · 1 down, 1 stopped on purpose", "▾ Down  1 service", "  Utilities/PrintingTools", "› CoastViewshed_36")
	s.Hides("checked")
	if rows := strings.Split(s.Draw(), "\n"); !strings.Contains(rows[2], "▾ Down") || strings.Contains(rows[2]+rows[3], "Geometry") {
		t.Errorf("what does not run is not first:\n%s", s.Draw())
	}
	s.Press("rows.top space")
	s.Shows("1 service marked")
	s.Press("esc rows.top rows.toggle")
	s.Hides("PrintingTools")
	s.Press("rows.toggle services.sort")
	s.Hides("▾ Down")
	s.Invoke("rows.filter", "utilities printing")
	s.Shows("1 of 40")
	s.Hides("1 of 1 ") // one count is enough
}

// checking is a view that has read the list and no state of a service that is down, and what goes
// on then.
func checking(t *testing.T) (s *screen, rest []tea.Cmd) {
	t.Helper()
	site, _ := uitest.NewSite(t, uitest.Scenario(t, "services-down")).Counted(t)
	env := uitest.Env(t, site, uitest.Theme())
	m := services.New(env)
	s = &screen{Model: m, Screen: uitest.NewScreen(t, m, 80, 24), t: t, env: env, site: site}
	_, rest = uitest.Run(m, m.Init(), 6)
	s.Shows(" checked")
	s.Hides("stopped", "▾ Down")
	s.Shows("› CoastViewshed_36")
	return s, rest
}

func TestLettersInsideAStateFindNothingByIt(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy")
	s.Invoke("rows.filter", "arted")
	s.Shows("No service matches.")
}

func TestAFilterForAStateReadsAFewAtATimeAndStopsWithIt(t *testing.T) {
	t.Parallel()
	s := openAt(t, uitest.Scenario(t, "many-services"), uitest.Sizes[1])
	before := s.wire.Sent("GET status")
	_, rest := uitest.Run(s.Model, tea.Batch(s.do("rows.filter", "stopped"), s.Update(views.Rested)), 5)
	s.Shows("No service matches so far", " of 3000")
	if s.Status().Busy == "" {
		t.Error("nothing says that states are being read")
	}
	rest = append(rest, s.do("services.back", ""))
	s.drain(tea.Batch(rest...))
	if n := s.wire.Sent("GET status") - before; n == 0 || n > 70 {
		t.Errorf("%d states were read for a filter that was taken away", n)
	}
}

func TestAFilterForAStateGivesUpWhereNoStateCanBeRead(t *testing.T) {
	t.Parallel()
	s := open(t, "many-services", simulator.Fault{Path: "/admin/services/*/status", Method: "GET", What: "status", Status: 500},
		simulator.Fault{Path: "/admin/services/*/*/status", Method: "GET", What: "status", Status: 500})
	before := s.wire.Sent("GET status")
	s.Invoke("rows.filter", "stopped")
	s.Shows("as far as states could be read")
	if n := s.wire.Sent("GET status") - before; n > 100 {
		t.Errorf("%d requests that fail alike", n)
	}
}

func TestAStopThatASignInEndsIsToldAsNotSent(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy")
	s.Invoke("rows.filter", "Geometry")
	s.Press("down")
	question := s.Press("services.switch")
	s.site.Client.Session.SetToken(adminapi.Token{Value: "stale"})
	up := s.named(question, "Utilities/Geometry")
	s.Tells(up, "The request to stop Utilities/Geometry.GeometryServer was not sent.")
	if ask := uitest.Find[views.SignIn](t, up); !strings.HasSuffix(ask.Undone, "was not sent.") {
		t.Errorf("%q", ask.Undone)
	}
}

func TestTheTabStatusTellsWhatIsKnownBesideTheState(t *testing.T) {
	t.Parallel()
	s := sentOnce(openAt(t, uitest.Scenario(t, "healthy"), uitest.Sizes[2]))
	s.Press("esc")
	before := s.wire.Sent("GET placementPolicy")
	s.cities().Press("tab tab tab")
	s.Shows("│ Placement", "│ Pods must run on nodes whose pool is gis", "│ Deployments", "│ ✓ 3 of 3  shared-mapserver", "in Kubernetes Deployment arcgis-",
		"│ maxUsageTime           700", "│ Saved versions", "definition  admin")
	if n := s.wire.Sent("GET placementPolicy") - before; n > 2 { // of the tab that was passed, too
		t.Errorf("the rules are read %d times", n)
	}
	s.misplace("SampleWorldCities.MapServer")
	s.drain(s.Update(views.Freshen))
	s.Shows("│ Pods must run on nodes whose pool is giss", "│ ! 0 of 3  shared-mapserver")
	refused := open(t, "healthy", simulator.Fault{Path: "/admin/services/*/placementPolicy", Method: "GET", What: "status", Status: 403}).cities()
	refused.Press("tab tab tab")
	refused.Shows("as configured", "│ Deployments")
	refused.Hides("│ Placement")
}
