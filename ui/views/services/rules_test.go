package services_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/document"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/operation/nodesource"
	"geodeck/adminapi/placement"
	"geodeck/adminapi/simulator"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
)

// rules enters the tab in which the rules of the sample service are built.
func (s *screen) rules() *screen {
	s.t.Helper()
	s.cities().Press("tab")
	return s
}

// policy is the placement policy of the sample service as the site has it.
func (s *screen) policy() placement.Policy {
	s.t.Helper()
	raw, err := s.site.Client.Services.Placement(s.t.Context(), cities)
	if err != nil {
		s.t.Fatal(err)
	}
	policy, err := placement.Parse(raw)
	if err != nil {
		s.t.Fatal(err)
	}
	return policy
}

// saysRules fails unless the site has rules that read so.
func (s *screen) saysRules(text string) {
	s.t.Helper()
	if said := placement.Sentence(s.policy().Items()[0]); !strings.Contains(said, text) {
		s.t.Errorf("the site's rules say %q, not %q", said, text)
	}
}

// preset takes a preset by how far down it stands, and its words as they are offered.
func (s *screen) preset(down int) []tea.Msg {
	s.t.Helper()
	keys := strings.Repeat("down ", down) + "enter"
	up := s.Answer(s.Press("services.presets"), keys)
	if len(up) == 0 {
		return up
	}
	if _, asks := up[0].(views.Open); asks {
		return s.Answer(up, "enter enter")
	}
	return up
}

// onPool asks in an editor outside for the nodes of a pool.
func (s *screen) onPool(pool string) *screen {
	s.t.Helper()
	s.editor(`subst 's/"gis"/"` + pool + `"/' "$1"`)
	s.Press("services.editor")
	return s
}

// sendRules reviews, confirms with keys and sends; the pods are followed for a while.
func (s *screen) sendRules(keys ...tea.KeyMsg) {
	s.t.Helper()
	s.Press("services.write")
	s.Shows("review")
	s.confirmRules(s.ask(), keys...)
}

func (s *screen) confirmRules(up []tea.Msg, keys ...tea.KeyMsg) {
	s.t.Helper()
	_, s.rest = uitest.Run(s.Model, uitest.AnswerOnly(s.t, up, keys...), 60)
}

// wait lets what goes on for ever go on for some commands.
func (s *screen) wait(commands int) {
	for _, cmd := range s.rest {
		_, s.rest = uitest.Run(s.Model, cmd, commands)
	}
}

var yes = uitest.Keys("y")

func TestRulesAreBuiltReviewedSentAndThePodsComeBack(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").rules()
	s.onPool("spot")
	s.Shows("changed, draft saved")
	s.Press("services.write")
	s.Shows("review, row 2 of ", "before", "after", "Shared: other services run in these pods and move too.", "whose pool is gis", "whose pool is spot", "4 → 1 of 14 nodes", "pods are replaced")
	s.Hides("on marked")
	s.confirmRules(s.ask(), yes...)
	s.Shows("has the new placement policy", "ready", "All 3 pods answer since", "reads are the same: no longer refreshing", "refresh the pods", "run a health check")
	s.saysRules("whose pool is spot")
	if s.edits() != 1 || s.Status().Busy != "" || s.Leave() != "" {
		t.Errorf("%d edits, busy with %q, leaving asks %q", s.edits(), s.Status().Busy, s.Leave())
	}
	if up := s.Press("esc"); len(up) > 0 {
		t.Errorf("leaving the pods says %v", up)
	}
	s.Hides("changed")
	if drafts, _ := s.site.Memory.EditDrafts(editing.Placement); len(drafts) != 0 {
		t.Errorf("the draft of what was sent stays: %v", drafts)
	}
}

func TestRulesThatNoNodeFitsAreSentOnlyAfterAWordWasTyped(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").rules()
	s.onPool("giss").Press("services.write")
	s.Shows("4 of 14 nodes → none", "no node takes them")
	s.Tells(s.Press("services.send"), "1 danger to accept")
	up := s.Press("diff.accept")
	dialog := uitest.Find[views.Open](t, up).Dialog
	dialog.SetSize(78, 16)
	dialog.Update(uitest.Key("y"))
	dialog.Update(uitest.Paste("no-node"))
	for _, key := range uitest.Keys("enter") {
		if uitest.Drain(t, dialog, dialog.Update(key)) != nil {
			t.Fatal("y or a paste accepts it")
		}
	}
	if !strings.Contains(dialog.View(), "None of 14 nodes") || s.edits() != 0 {
		t.Errorf("%d edits, the question is\n%s", s.edits(), dialog.View())
	}
	s.Tells(s.Press("services.send"), "1 danger to accept")
	s.Accept(s.site.Clock, "no-node")
	s.Asks(s.Press("services.send"), "they stay Pending")
	s.confirmRules(s.ask(), yes...)
	s.Shows("has the new placement policy")
	s.wait(400)
	s.Shows("0 of 3 ready, first seen", ", stopped", "No node takes these pods, as you confirmed", "Pending", "restore old ones (History)", "Nothing changes: no longer refreshing")
	s.saysRules("whose pool is giss")
}

func TestRulesThatNoNodeCanMatchNeedAWordWithoutNodesToo(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy")
	s.nodes = nodesource.Source{}
	s = s.restart().rules()
	s.editor(`text=$(tr -d ' \n' < "$1"); echo "$text" | sed 's/{"key":"pool","operator":"In","values":\["gis"\]}/{"key":"pool","operator":"Exists"},{"key":"pool","operator":"DoesNotExist"}/' > "$1"`)
	s.Press("services.editor")
	s.Shows("1 danger")
	s.Press("services.write")
	s.Shows("no node takes them", "no node can match the rules")
	s.Tells(s.Press("services.send"), "1 danger to accept")
	s.Accept(s.site.Clock, "no-node")
	s.confirmRules(s.ask(), yes...)
	s.Shows("has the new placement policy")
	s.wait(400)
	s.Shows("0 of 3 ready, first seen")
}

func TestWithoutNodesTheReviewSaysThatNoneWereCompared(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy")
	s.nodes = nodesource.Source{}
	s = s.restart().rules()
	s.Shows("No node list: placement was not checked. Press L to")
	s.onPool("giss").Press("services.write")
	s.Shows("No node list: placement was not checked.")
	s.confirmRules(s.ask(), yes...)
	s.Shows("has the new placement policy")
}

func TestARefusedEditOfRulesIsSaidAndTheDraftStays(t *testing.T) {
	t.Parallel()
	s := open(t, "placement-refused").rules()
	s.onPool("spot").sendRules(yes...)
	s.Shows("refused the placement policy", "kept by the operator of the cluster", "your change is saved")
	s.Press("esc")
	s.Shows("changed, draft saved")
}

func TestRulesThatGoOnInAJobAreFollowedToItsEnd(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"placement-async", "placement-async-other"} {
		s := open(t, name).rules()
		s.onPool("spot").sendRules(yes...)
		s.Shows("has the new placement policy", "Job", "ready")
	}
	s := open(t, "placement-fails").rules()
	s.onPool("spot").sendRules(yes...)
	s.Shows("did not complete", "still has the old placement policy.")
}

func TestALostAnswerToRulesIsLookedForAndNothingIsSentAgain(t *testing.T) {
	t.Parallel()
	s := open(t, "placement-answer-lost").rules()
	s.onPool("spot").sendRules(yes...)
	s.Shows("only the answer was lost", "ready")
	s = open(t, "placement-answer-lost-not-performed").rules()
	s.onPool("spot").sendRules(yes...)
	s.Shows("very likely the change never arrived")
	s.sent(1)
	s.Press("esc")
	s.Shows("changed, draft saved")
}

func TestTheResultOfRulesThatWereLeftStandsOnTheirTab(t *testing.T) {
	t.Parallel()
	s := openAt(t, uitest.Scenario(t, "healthy"), uitest.Sizes[0]).rules()
	s.onPool("spot").Press("services.write")
	_, s.rest = uitest.Run(s.Model, uitest.AnswerOnly(t, s.ask(), yes...), 2)
	s.Press("esc")
	s.wait(60)
	s.Invoke("services.open", "SampleWorldCities.MapServer")
	s.Shows("has the new placement policy", "back to Placement")
	if path := s.Status().Path; !slices.Equal(path, []string{"SampleWorldCities.MapServer", "placement", "result"}) {
		t.Errorf("the path is %q", path)
	}
}

func TestTheDraftOfRulesSurvivesLeavingAndIsOffered(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").rules()
	s.onPool("spot")
	s.Tells(s.Press("esc"), "Draft saved, not sent: placement policy of SampleWorldCities.MapServer")
	s = s.restart().rules()
	s.Shows("Your draft of this placement policy")
	s.Press("services.difference")
	s.Shows("pool In gis → spot", "the draft against the present")
	s.Press("esc enter")
	s.Shows("changed, draft saved", "whose pool is spot")
	s.Answer(s.Press("services.discard"), "y")
	s.Shows("whose pool is gis")
	s.Hides("changed")
}

func TestOldRulesAreReviewedAndRestored(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").rules()
	s.onPool("spot").sendRules(yes...)
	s.Press("esc tab")
	s.Shows("What changed", "placement")
	s.Press("services.restore")
	s.Shows("Restore SampleWorldCities.MapServer to 2026-11-20 15:0", "whose pool is gis")
	asked := s.Press("services.send")
	s.Asks(asked, "placement policy of 2026-11-20 15:")
	s.confirmRules(asked, yes...)
	s.Shows("has the new placement policy", "back to History")
	s.saysRules("whose pool is gis")
	s.Press("esc")
	s.Shows("restoring the placement policy of 2026-11-20")
}

func TestOldRulesAreRestoredAlsoWhereTheirTabWasNotOpened(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").rules()
	s.onPool("giss").sendRules(yes...)
	s = s.restart().cities()
	s.Press("shift+tab shift+tab services.restore")
	s.Shows("none → 4 of 14 nodes")
	s.confirmRules(s.ask(), yes...)
	s.Shows("has the new placement policy")
	s.Press("esc shift+tab")
	s.Shows("whose pool is gis;")
}

func TestChangesOfBothPartsAreKeptSideBySide(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").cities().set("description", "Half done.")
	s.Press("tab")
	s.onPool("spot")
	up := s.Press("esc")
	if len(up) != 2 {
		t.Errorf("told %v", up)
	}
	s.cities()
	s.Shows("Half done.")
	s.Press("tab")
	s.sendRules(yes...)
	s.Press("esc shift+tab")
	s.Shows("Half done.")
	s.send()
	s.Shows("has the new definition")
}

func TestPodsThatTheSiteDoesNotShowAreNotFetchedAgain(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy", simulator.Fault{Path: "admin/system/deployments/**", Method: "GET", What: "status", Status: 403}).rules()
	s.onPool("spot").sendRules(yes...)
	s.Shows("has the new placement policy", "not reported by the site", "how many pods are ready is unknown")
	if len(s.rest) > 0 || s.Status().Busy != "" {
		t.Errorf("%d commands go on, busy with %q", len(s.rest), s.Status().Busy)
	}
}

// later is when the list has read what it shows of pods, and an edit goes on.
var later = simulator.Window{From: &simulator.Moment{Plus: simulator.Duration{Duration: time.Second}}}

// editRulesElsewhere has somebody else edit the rules of the sample service.
func (s *screen) editRulesElsewhere(edit func(placement.Policy) (placement.Policy, error)) {
	s.t.Helper()
	read, err := editing.Read(s.t.Context(), s.site.Client, editing.PlacementOf(cities))
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
	if _, r := s.site.ApplyEdit(s.t.Context(), editing.Edit{Target: editing.PlacementOf(cities), Base: read.Document, Edited: edited}, nil); r.Err != nil {
		s.t.Fatal(r.Err)
	}
}

func TestRulesThatSomebodyElseHasChangedMeanwhileAreMergedAndReviewedAgain(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").rules()
	s.onPool("spot")
	s.editRulesElsewhere(func(p placement.Policy) (placement.Policy, error) {
		return p.AddToleration(placement.AtToleration(0, 0), placement.Toleration{Key: "spot", Operator: placement.Exists})
	})
	s.sendRules(yes...)
	s.Shows("changed at the site meanwhile; nothing was sent", "toleration", "spot")
	s.Press("m")
	s.Shows("merged with the site's version", "4 → 1 of 14 nodes")
	s.confirmRules(s.ask(), yes...)
	s.Shows("has the new placement policy")
	s.saysRules("whose pool is spot; they also accept nodes with the taint spot")
}

func TestAConflictOfRulesIsSaidInTheirWords(t *testing.T) {
	t.Parallel()
	s := open(t, "placement-elses").rules()
	s.onPool("spot").sendRules(yes...)
	s.Shows("Conflict: you and someone else changed this", "node affinity of ",
		"mine    term 1: pool In gis → spot", "theirs  term 1: pool In gis → memory", "base    term 1: pool In gis",
		": 4 → 1 of 14 nodes", ": 4 of 14 nodes → none")
	s.Hides("matchExpressions", "nodeSelectorTerms")
	s.Press("space m")
	s.Shows("merged with the site's version", "pool In memory → spot", "overwrites others", "you overwrite it: term 1: pool In gis to memory.")
	s.Press("esc rules.undo")
	s.Shows("whose pool is memory", "Undone; nothing more to undo.")
	s.sent(0)
}

func TestEveryDeploymentOfAServiceIsTakenFromTheOneOfItsKind(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").rules()
	s.Press("esc")
	s.Invoke("services.open", "System/SpatialAnalysisTools.GPServer")
	s.Press("tab")
	s.Shows("GPServer", "GPSyncServer")
	s.Invoke("services.copy-rules", "SampleWorldCities.MapServer")
	s.Shows("whose pool is gis", "changed, draft saved")
	s.Press("services.write")
	s.Shows("GPServer", "whose pool is gis")
	s.Tells(s.Press("services.plan"), "Nothing was sent")
	text, err := os.ReadFile(filepath.Join(s.env.Folder, "System-SpatialAnalysisTools.GPServer-review.txt"))
	if err != nil || !strings.Contains(string(text), "after   Pods must run on nodes whose pool is gis") {
		t.Errorf("%v, the plan is %s", err, text)
	}
}

func TestRulesThatTheContractDoesNotAllowAreNotSent(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").rules()
	s.editor(`subst 's/"In"/"Within"/' "$1"`)
	s.Press("services.editor services.write")
	s.Tells(s.Press("services.send"), "a rule is broken")
	s.sent(0)
}

func TestASignInIsAskedForWhileThePodsAreFollowedAndTheyAreFollowedOn(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy", simulator.Fault{Path: "admin/system/deployments/*/status", Method: "GET", Times: 1, What: "status", Status: 401, Window: later}).rules()
	s.onPool("spot").Press("services.write")
	up, rest := uitest.Run(s.Model, uitest.AnswerOnly(t, s.ask(), yes...), 60)
	if len(rest) > 0 {
		t.Errorf("%d commands go on before the sign-in", len(rest))
	}
	uitest.Run(s.Model, uitest.Find[views.SignIn](t, up).Retry, 60)
	s.Shows("All 3 pods answer since")
}

func TestWhatNobodyKnowsOfAPolicyIsSentBackAsItWas(t *testing.T) {
	t.Parallel()
	s := open(t, "placement-odd").rules()
	before, err := s.site.Client.Services.Placement(t.Context(), cities)
	if err != nil {
		t.Fatal(err)
	}
	s.editor(`subst 's/"analysis"/"research"/' "$1"`)
	s.Press("services.editor")
	s.sendRules(yes...)
	s.Shows("has the new placement policy", "the site has everything that was sent")
	after, err := s.site.Client.Services.Placement(t.Context(), cities)
	if want := strings.Replace(string(before), `"analysis"`, `"research"`, 1); err != nil || string(after) != want {
		t.Errorf("%v, the site has %s\nnot %s", err, after, want)
	}
}

func TestWhatBlocksIsNamedInWordsAndSaidOnce(t *testing.T) {
	t.Parallel()
	s := openAt(t, uitest.Scenario(t, "healthy"), uitest.Sizes[0])
	s.rules().editor(`subst 's/"pool"/"a pool"/' "$1"`)
	s.Press("services.editor services.write")
	s.Shows("▲ shared-mapserver", "✗ 1 rule broken · 1 change", "MapServer: term 1, line 1")
	s.Hides("requiredDuring", "danger")
	s.sent(0)
}
