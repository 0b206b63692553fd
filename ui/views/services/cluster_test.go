package services_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/operation/nodesource"
	"geodeck/adminapi/simulator"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
)

func TestANodesCommandThatFailsSlowlyTakesNoKeyFromWhatIsTypedOrReviewed(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").rules()
	s.onPool("spot")
	reading := s.do("services.nodes-command", "sh -c 'exit 1'")
	s.Press("down down down down rules.edit")
	if !s.CapturesText() {
		t.Fatal("nothing is typed into")
	}
	s.Tells(s.drain(reading), "The nodes were not read: ", "Press L to correct it")
	if !s.CapturesText() {
		t.Error("the row is not typed into any more")
	}
	s.Press("esc")
	reading = s.do("services.nodes-command", "sh -c 'exit 1'")
	s.Press("services.write")
	s.Tells(s.drain(reading), "The nodes were not read: ", "Press L to correct it")
	s.Shows("review")
}

func TestANodesCommandThatFailsOnceItsTabIsLeftOpensNothingAndIsOfferedAgain(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").rules()
	reading := s.do("services.nodes-command", "sh -c 'exit 1'")
	s.Press("esc")
	up := s.drain(reading)
	if told := uitest.NoticeText(t, up); len(up) != 1 || !strings.Contains(told, "The nodes were not read") {
		t.Errorf("sent up %v", up)
	}
	s.rules()
	s.Asks(s.Press("services.nodes"), "! sh -c 'exit 1'")
}

func TestNodesThatArriveDuringAReviewAreCompared(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy")
	demo := s.nodes
	s.nodes = nodesource.Source{}
	s = s.restart().rules()
	path := filepath.Join(t.TempDir(), "nodes.json")
	if err := os.WriteFile(path, demo.Demo(), 0o600); err != nil {
		t.Fatal(err)
	}
	reading := s.do("services.nodes-file", path)
	s.onPool("giss").Press("services.write")
	s.Shows("No node list: placement was not checked.")
	s.drain(reading)
	s.Shows("4 of 14 nodes → none")
}

// fewer begins to read a file of the nodes without some of them.
func (s *screen) fewer(without string) tea.Cmd {
	s.t.Helper()
	path := filepath.Join(s.t.TempDir(), "fewer.json")
	text := strings.ReplaceAll(string(s.nodes.Demo()), `"pool": "`+without+`"`, `"pool": "gone"`)
	if text == string(s.nodes.Demo()) {
		s.t.Fatalf("no node is in pool %s", without)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
	return s.do("services.nodes-file", path)
}

func TestWhatWasConfirmedIsNotSentOnceOtherNodesAreKnown(t *testing.T) {
	t.Parallel()
	for pool, keys := range map[string][]tea.KeyMsg{"spot": yes, "giss": yes} {
		s := open(t, "healthy").rules()
		reading := s.fewer("spot")
		s.onPool(pool).Press("services.write")
		question := s.ask()
		s.drain(reading)
		s.confirmRules(question, keys...)
		s.Shows("review", "→ none")
		s.sent(0)
		s.confirmRules(s.ask(), yes...)
		s.Shows("has the new placement policy")
	}
}

func TestWhileAPlanIsMadeAnewWithOtherNodesNothingIsSent(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").rules()
	reading := s.fewer("spot")
	s.onPool("spot").Press("services.write")
	question := s.ask()
	again := s.Update(reading().(views.Reply).Msg)
	s.Shows("review")
	s.Tells(s.Press("services.send"), "the plan was updated")
	s.confirmRules(question, yes...)
	s.sent(0)
	s.drain(again)
	s.Shows("4 of 14 nodes → none")
}

// until lets what goes on for ever go on until the screen shows something.
func (s *screen) until(shown string) {
	s.t.Helper()
	for range 200 {
		if strings.Contains(s.Draw(), shown) || len(s.rest) == 0 {
			break
		}
		_, more := uitest.Run(s.Model, s.rest[0], 1)
		s.rest = append(s.rest[1:], more...)
	}
	s.Shows(shown)
}

// sendsSlowly sends rules and stops where the pods begin to come back.
func (s *screen) sendsSlowly(pool string) *screen {
	s.t.Helper()
	s.onPool(pool).Press("services.write")
	s.rest = []tea.Cmd{uitest.AnswerOnly(s.t, s.ask(), yes...)}
	s.until("1 of 3 ready")
	return s
}

func TestThePodsAreFollowedOnAfterTheirPageWasLeft(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").rules().sendsSlowly("spot")
	s.Shows("1 of 3 ready, first seen", "You can leave: the list follows the service.", "esc back to Placement")
	if copied := uitest.Find[views.Copy](t, s.Press("services.copy-result")); strings.Contains(copied.Text, "You can leave") {
		t.Errorf("what is handed on talks of the screen:\n%s", copied.Text)
	}
	s.Press("esc")
	s.Shows("pods: 1 of 3 ready")
	s.until("pods: 2 of 3 ready")
	if s.Status().Busy != "following the service" || s.Leave() != "" {
		t.Errorf("busy with %q, leaving asks %q", s.Status().Busy, s.Leave())
	}
	s.Invoke("services.pods", "")
	s.Shows("shared-mapserver iqszeqagcu27jztyox0rr: 2 of 3 ready, first seen", "back to the rules")
	s.until("All ready since")
	s.Shows("old pods may be among them", "Refreshing until nothing changes.")
	s.Hides("All 3 pods answer")
	s.until("no longer refreshing")
	s.Shows("All 3 pods answer since")
	s.Hides("old pods may")
	s.Press("esc")
	s.Shows("whose pool is spot")
	s.Hides("pods:")
	s.wait(20) // the state of the service is read
	if len(s.rest) > 0 {
		t.Errorf("%d commands go on", len(s.rest))
	}
}

func TestAServiceIsFollowedOnInTheListUntilAnotherIsOpened(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").rules().sendsSlowly("spot")
	s.Press("esc esc")
	s.Invoke("rows.filter", "SampleWorldCities")
	s.Shows("1 of 3", "started, pods wait")
	s.until("3 of 3  ✓ started")
	s.Invoke("services.open", "Utilities/Geometry.GeometryServer")
	s.wait(3) // the reading that waits ends, and no other begins
	if len(s.rest) > 0 || s.Status().Busy != "" {
		t.Errorf("%d commands go on, busy with %q", len(s.rest), s.Status().Busy)
	}
}

// A definition that the site has taken says nothing of the service, which restarts.
func TestAServiceThatRestartsAfterAnEditIsNotGreen(t *testing.T) {
	t.Parallel()
	s := openAt(t, uitest.Scenario(t, "edit-slow"), uitest.Sizes[0]).cities().set("maxInstancesPerNode", "6")
	s.Press("services.write")
	s.rest = []tea.Cmd{uitest.AnswerOnly(t, s.ask(), yes...)}
	s.until("The service does not answer yet: stopped, should run")
	s.Shows("● The site has the new definition")
	s.Hides("✓ The site", "✓ started", "3 of 3 ready, ")
	s.Press("esc") // a restart is no fault
	s.Shows("● restarting since ")
	s.Hides("✓ started", "should run")
	s.Invoke("services.status", "SampleWorldCities.MapServer")
	s.Shows("State          ● restarting since ", "It restarts: the edit ended")
	s.Press("esc")
	s.Invoke("rows.filter", "SampleWorldCities")
	s.Shows("● restarting ")
	s.Hides("should run", "1 down")
	s.until("✓ started")
	s.Hides("should run")
}

// movedToSpot has sent rules that move the pods of a service, and of the one that shares them.
func movedToSpot(t *testing.T) *screen {
	t.Helper()
	sim := uitest.NewSite(t, uitest.Scenario(t, "healthy"))
	sim.Recorded = true
	site, wire := sim.Counted(t)
	s := openOn(t, &screen{t: t, site: site, wire: wire, nodes: nodesource.Source{Demo: sim.Server.Nodes}}, uitest.Sizes[0]).rules()
	s.onPool("spot").Press("services.write")
	s.rest = []tea.Cmd{uitest.AnswerOnly(t, s.ask(), yes...)}
	return s
}

// Rules are saved at once, without a job, and restart all that runs in the same pods.
func TestServicesThatRestartAfterOwnRulesAreNotCalledDown(t *testing.T) {
	t.Parallel()
	s := movedToSpot(t)
	s.until("0 of 3 ready")
	s.Press("esc esc")
	s.Shows("SampleWorldCities ", "SouthSchools_31                MapServer       0 of 3  ● restarting")
	s.Hides(" down", "should run")
	for _, path := range []string{"SampleWorldCities.MapServer", "SouthSchools_31.MapServer"} { // which shares its pods
		s.Invoke("services.status", path)
		s.Shows("● restarting since ", "It restarts after your change of ")
		s.Press("esc")
		s.Shows("● restarting")
		s.Hides(" down", "not known")
	}
}

// A service answers as soon as one of its pods is ready; the others are on their way.
func TestPodsOfOwnRulesThatAreNotReadyYetAreNoFault(t *testing.T) {
	t.Parallel()
	s := movedToSpot(t)
	s.until("1 of 3 ready")
	s.Press("esc esc services.refresh")
	s.Shows("SouthSchools_31                MapServer       1 of 3  ● restarting")
	s.Hides("pods wait")
	s.Invoke("services.status", "SouthSchools_31.MapServer")
	s.Shows("● restarting since ", "It restarts after your change of ")
	s.Hides("Not known")
}

func TestServicesThatRestartWhileABatchIsSentAreNotCalledDown(t *testing.T) {
	t.Parallel()
	s := openAt(t, uitest.Scenario(t, "healthy"), uitest.Sizes[0])
	s.Press(strings.TrimSpace(strings.Repeat("space ", 16)))
	s.rules().onPool("spot")
	s.Press("services.write services.many")
	waits, goOn, sent, held := make(chan struct{}), make(chan struct{}), make(chan tea.Msg), atomic.Bool{}
	s.wire.Before = func(r *http.Request) { // the first service is waited for
		if s.wire.Sent("POST edit") == 1 && strings.HasSuffix(r.URL.Path, "/status") && held.CompareAndSwap(false, true) {
			close(waits)
			<-goOn
		}
	}
	_, rest := uitest.Run(s.Model, uitest.AnswerOnly(t, s.ask(), yes...), 2)
	go func() { sent <- rest[0]() }()
	<-waits
	for listens := rest[1:]; !strings.Contains(s.Draw(), "Reading back what"); {
		_, listens = uitest.Run(s.Model, tea.Batch(listens...), 1)
	}
	s.Press("esc services.refresh")
	s.Shows("● sending", "● restarting")
	s.Hides(" down", "should run")
	close(goOn)
	s.drain(func() tea.Msg { return <-sent })
	s.sent(5)
}

func TestASwitchThatLeavesAServiceDownIsNoSuccess(t *testing.T) {
	t.Parallel()
	s := open(t, "no-node")
	s.Invoke("rows.filter", "SampleWorldCities")
	s.Tells(s.Answer(s.Answer(s.Press("services.switch"), "enter"), "y"), "is not there yet: stopped, should run") // S starts it again
	s.Hides("✓ started")
}

// The status says what a service waits for, as far as was read.
func TestTheStatusSaysWhyAServiceDoesNotAnswer(t *testing.T) {
	t.Parallel()
	s := openAt(t, uitest.Scenario(t, "no-node"), uitest.Sizes[0]).cities()
	s.Press("tab tab tab")
	s.Shows("✗ stopped, should run", "0 of 3 ready", "Why            None of 14 nodes takes its pods: no label fits.", "Next           Correct the rules: no node has pool=giss", "lines 1-17 of 33")
	s.Press("rows.bottom")
	s.Shows("Placement", "per node", "capabilities", "lines 17-33 of 33")
	refreshing, _, _ := uitest.PressKey(s.Model, uitest.Key("services.read-again").String())
	s.Hides("lines 17-33 of 33") // why it does not answer is being read
	s.drain(refreshing)
	s.Shows("capabilities", "lines 17-33 of 33")
}

// What merges to nothing leaves no draft.
func TestAMergeToNothingLeavesNoDraft(t *testing.T) {
	t.Parallel()
	s := open(t, "edit-elses").cities().set("maxIdleTime", "900")
	s.send()
	s.Shows("changed at the site meanwhile")
	s.Press("m")
	s.Press("esc esc")
	s.Shows("SampleWorldCities")
	s.Hides("draft")
}

// At 80x24 a batch never looks finished while it is not.
func TestABatchSaysWhichServiceIsSentAndWhichWait(t *testing.T) {
	t.Parallel()
	s := openAt(t, uitest.Scenario(t, "edit-third-fails"), uitest.Sizes[0])
	s.Press("space space space space rows.top enter")
	s.set("maxUsageTime", "700")
	s.Press("services.write services.many")
	_, rest := uitest.Run(s.Model, uitest.AnswerOnly(t, s.ask(), yes...), 2)
	sent := make(chan tea.Msg)
	go func() { sent <- rest[0]() }()
	listens := rest[1:]
	begun := func() bool { // a later one where reports were quicker than the screen
		return strings.Contains(s.Draw(), "sending, service 2 of 4") || strings.Contains(s.Draw(), "sending, service 3 of 4")
	}
	for i := 0; i < 50 && !begun(); i++ {
		_, listens = uitest.Run(s.Model, tea.Batch(listens...), 2)
	}
	s.Shows(" of 4, ", "✓ done", "● sending", "○ waiting", "CoastViewshed_8", "Stops at the first failure.")
	s.drain(append(listens, func() tea.Msg { return <-sent })...)
	s.Shows("job failed", "not sent")
}

func TestABatchStopsAtAServiceThatDoesNotComeBack(t *testing.T) {
	t.Parallel()
	scenario := uitest.Scenario(t, "healthy")
	scenario.Editing.Restart = simulator.Duration{Duration: time.Hour}
	s := openAt(t, scenario, uitest.Sizes[0])
	s.Press("space space space rows.top enter")
	s.set("maxUsageTime", "700")
	s.Press("services.write services.many")
	s.Answer(s.ask(), "y")
	s.Shows("✗ stopped, should run", "○ not sent", "does not answer after its edit", "The others were not sent")
	s.sent(1)
}

func TestTheStateOfAServiceFollowsItsPods(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").rules()
	s.onPool("giss").sendRules(yes...)
	s.Press("esc")
	s.Shows("pods: 0 of 3 ready", "stopped, should run")
	s.wait(400)
	s.Shows("stopped, should run")
	s.editor(`subst 's/"giss"/"gis"/' "$1"`)
	s.Press("services.editor")
	s.sendRules(yes...)
	s.wait(400)
	s.Press("esc")
	s.Shows("✓ started")
}

func TestABatchIsPlannedAnewWhereNodesArriveWhileItIsPlanned(t *testing.T) {
	t.Parallel()
	s := openAt(t, uitest.Scenario(t, "healthy"), uitest.Sizes[0])
	s.Invoke("rows.filter", "SouthElevationprofile")
	s.Press("space esc")
	s.rules()
	reading := s.fewer("spot")
	s.onPool("spot").Press("services.write")
	plan := s.do("services.many", "")
	s.drain(reading)
	s.drain(plan)
	s.Shows("review", "SouthElevationprofile_27.GPServer cannot take it", "no node has pool=spot")
	s.confirmRules(s.ask(), yes...)
	s.wait(400)
	s.sent(1)
	reading = s.fewer("gis")
	plan = s.do("services.many", "")
	s.drain(reading)
	s.drain(plan)
	s.Shows("review", "SouthElevationprofile_27.GPServer cannot take it")
	s.sent(1)
}
