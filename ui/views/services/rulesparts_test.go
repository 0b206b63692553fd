package services_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/document"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/placement"
	"geodeck/adminapi/simulator"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
)

func TestADeploymentThatIsSharedIsMarkedAndOneThatIsNotToldIsNot(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").rules()
	s.Shows("iqszeqagcu27jztyox0rr  shared ", "the rules hold for other services too")
	s.Hides("is not known")
	sim := uitest.NewSite(t, uitest.Scenario(t, "healthy"))
	site := sim.As(t, sim.Server.Users()[1])
	site.Journal = uitest.Journal(t, sim.Steps)
	other := openOn(t, &screen{t: t, site: site}, uitest.Sizes[2]).rules()
	other.Shows("whether other services share it is not known", "whose pool is gis")
	other.Hides("shared")
}

func TestAPolicyThatCannotBeReadIsShownAndNotEdited(t *testing.T) {
	t.Parallel()
	scenario := uitest.Scenario(t, "healthy")
	line := `{"key":"pool","operator":"Exists","values":[]}`
	scenario.Placement.Policies = map[string]string{"SampleWorldCities.MapServer": `{"tolerations":[],"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":` +
		`{"nodeSelectorTerms":[{"matchExpressions":[` + strings.Repeat(line+",", 1000) + line + `]}]}}}`}
	s := openAt(t, scenario, uitest.Sizes[0]).rules()
	s.Shows("cannot be edited here, only looked at", "more than 1000 lines", "placementPolicy")
	if told := s.Press("w E P C"); len(told) > 0 {
		t.Errorf("sent up %v", told)
	}
	s.Press("/")
	s.Type("operator")
	s.Press("enter")
	s.Shows("operator")
	s.Press("esc")
	s.Shows("cannot be edited")
	s.Press("esc")
	s.Shows("services")
}

func TestChangesOfBothPartsAreKeptSideBySide(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").cities()
	s.set("description", "Half done.")
	s.Press("tab")
	s.onPool("spot")
	up := s.Press("esc")
	if len(up) != 2 {
		t.Errorf("told %v", up)
	}
	s.cities()
	s.Shows("You have edited this definition before")
	s.Press("tab")
	s.Shows("You have edited this placement policy before")
	s.Press("enter")
	s.sendRules(yes...)
	s.Press("esc shift+tab enter")
	s.Shows("Half done.")
	s.send()
	s.Shows("has the new definition")
}

func TestRulesAreBuiltWithTheKeysOfTheBuilder(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").rules()
	s.Press("down space")
	s.Shows("changed, draft kept", "prefer")
	s.Press("u")
	s.Hides("changed")
}

func TestPodsThatTheSiteDoesNotTellOfAreNotAskedForAgain(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy", simulator.Fault{Path: "admin/system/deployments/**", Method: "GET", What: "status", Status: 403}).rules()
	s.onPool("spot").sendRules(yes...)
	s.Shows("has the new placement policy", "the site does not tell", "The change itself is at the site")
	if len(s.rest) > 0 || s.Status().Busy != "" {
		t.Errorf("%d commands go on, busy with %q", len(s.rest), s.Status().Busy)
	}
}

func TestPodsOfASiteThatIsAwayAreAskedForAgain(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy", simulator.Fault{Path: "admin/system/deployments/*/status", Method: "GET", Times: 6, What: "close"}).rules()
	s.onPool("spot").sendRules(yes...)
	s.wait(100)
	s.Shows("All 3 pods answer since")
}

func TestSinceWhenPodsAnswerIsToldOnlyWhereItWasSeen(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy", simulator.Fault{Path: "admin/system/deployments/*/status", Method: "GET", Times: 30, What: "close"}).rules()
	s.onPool("spot").sendRules(yes...)
	s.wait(200)
	s.Shows("All 3 pods answer", "the site is not asked any more")
	s.Hides("answer since")
}

// elsesRules has somebody else edit the rules of the sample service.
func (s *screen) elsesRules(edit func(placement.Policy) (placement.Policy, error)) {
	s.t.Helper()
	read, err := s.site.ReadContent(s.t.Context(), operation.PlacementOf(cities))
	if err != nil {
		s.t.Fatal(err)
	}
	policy, err := edit(s.policy())
	if err != nil {
		s.t.Fatal(err)
	}
	edited, err := document.Parse(policy.Bytes())
	if err != nil {
		s.t.Fatal(err)
	}
	if _, _, err := s.site.ApplyEdit(s.t.Context(), operation.Edit{Target: operation.PlacementOf(cities), Base: read.Document, Edited: edited}, nil); err != nil {
		s.t.Fatal(err)
	}
}

func TestRulesThatSomebodyElseHasChangedMeanwhileAreMergedAndReviewedAgain(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").rules()
	s.onPool("spot")
	s.elsesRules(func(p placement.Policy) (placement.Policy, error) {
		return p.AddToleration(placement.AtToleration(0, 0), placement.Toleration{Key: "spot", Operator: placement.Exists})
	})
	s.sendRules(yes...)
	s.Shows("changed at the site meanwhile; nothing was sent", "tolerations")
	s.Press("m")
	s.Shows("merged with what the site has now", "4 of 14 → 1 of 14 nodes")
	s.confirmRules(s.Press("w"), yes...)
	s.Shows("has the new placement policy")
	s.saysRules("whose pool is spot; they also accept nodes with the taint spot")
}

func TestEveryDeploymentOfAServiceIsTakenFromTheOneOfItsKind(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").rules()
	s.Press("esc")
	s.Invoke("services.open", "System/SpatialAnalysisTools.GPServer")
	s.Press("tab")
	s.Shows("GPServer", "GPSyncServer")
	s.Invoke("services.copy-rules", "SampleWorldCities.MapServer")
	s.Shows("whose pool is gis", "changed, draft kept")
	s.Press("w")
	s.Shows("GPServer", "whose pool is gis")
	s.tells(s.Press("p"), "Nothing was sent")
	text, err := os.ReadFile(filepath.Join(s.env.Folder, "System-SpatialAnalysisTools.GPServer-plan.txt"))
	if err != nil || !strings.Contains(string(text), "after   Pods must run on nodes whose pool is gis") {
		t.Errorf("%v, the plan is %s", err, text)
	}
}

func TestRulesThatComeWhileARowIsTypedIntoDoNotTakeItAway(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").rules()
	coming := s.do("services.copy-rules", "Utilities/Geometry.GeometryServer")
	s.Press("down a")
	s.Type("zone")
	s.tells(s.drain(coming), "The rules are as they were: something is being typed")
	s.Shows("zone", "of a label of the nodes")
	if !s.CapturesText() {
		t.Error("the row is left")
	}
}

func TestCopiedRulesGoToTheDeploymentThatTheyWereAskedFor(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").rules()
	s.Press("esc")
	s.Invoke("services.open", "System/SpatialAnalysisTools.GPServer")
	s.Press("tab")
	before := s.Line("GPSyncServer")
	coming := s.do("services.copy-rules", "SampleWorldCities.MapServer")
	s.Press("G")
	s.drain(coming)
	s.Press("w")
	s.Shows("● GPServer", "whose pool is gis")
	s.Hides("● GPSyncServer")
	if before == "" {
		t.Error("the service has one deployment only")
	}
}

func TestOneJudgementIsWorkedOutAtATimeAndTheNewestIsShown(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").rules()
	s.Press("down")
	first := s.do("rules.turn", "")
	second := s.do("rules.turn", "")
	if n := judgements(second); n != 0 {
		t.Errorf("%d judgements begin while one is worked out", n)
	}
	s.drain(first)
	s.Shows("5 of 14 nodes take these pods ·")
}

// judgements runs a command without its replies and counts those that judge rules.
func judgements(cmd tea.Cmd) (n int) {
	if cmd == nil {
		return 0
	}
	switch msg := cmd().(type) {
	case tea.BatchMsg:
		for _, c := range msg {
			n += judgements(c)
		}
	case views.Reply:
		if fmt.Sprintf("%T", msg.Msg) == "services.judged" {
			n++
		}
	}
	return n
}

func TestRulesThatTheContractDoesNotAllowAreNotSent(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").rules()
	s.editor(`sed -i 's/"In"/"Within"/' "$1"`)
	s.Press("E w")
	s.tells(s.Press("w"), "a rule is broken")
	s.sent(0)
}

func TestASignInIsAskedForWhileThePodsAreFollowedAndTheyAreFollowedOn(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy", simulator.Fault{Path: "admin/system/deployments/*/status", Method: "GET", Times: 1, What: "status", Status: 401}).rules()
	s.onPool("spot").Press("w")
	up, rest := uitest.Run(s.Model, uitest.AnswerOnly(t, s.Press("w"), yes...), 60)
	if len(rest) > 0 {
		t.Errorf("%d commands go on before the sign-in", len(rest))
	}
	uitest.Run(s.Model, uitest.Find[views.SignIn](t, up).Retry, 60)
	s.Shows("All 3 pods answer since")
}

func TestWhatNobodyKnowsOfAPolicyIsSentBackAsItWas(t *testing.T) {
	t.Parallel()
	s := open(t, "placement-odd").rules()
	before, err := s.site.Client.ServicePlacement(t.Context(), cities)
	if err != nil {
		t.Fatal(err)
	}
	s.editor(`sed -i 's/"analysis"/"research"/' "$1"`)
	s.Press("E")
	s.sendRules(yes...)
	s.Shows("has the new placement policy", "all that was sent is there")
	after, err := s.site.Client.ServicePlacement(t.Context(), cities)
	if want := strings.Replace(string(before), `"analysis"`, `"research"`, 1); err != nil || string(after) != want {
		t.Errorf("%v, the site has %s\nnot %s", err, after, want)
	}
}
