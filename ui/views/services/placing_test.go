package services_test

import (
	"strconv"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/operation"
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
	raw, err := s.site.Client.ServicePlacement(s.t.Context(), cities)
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
	up := s.Answer(s.Press("P"), keys)
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
	s.editor(`sed -i 's/"gis"/"` + pool + `"/' "$1"`)
	s.Press("E")
	return s
}

// sendRules reviews, confirms with keys and sends; the pods are followed for a while.
func (s *screen) sendRules(keys ...tea.KeyMsg) {
	s.t.Helper()
	s.Press("w")
	s.Shows("review")
	s.confirmRules(s.Press("w"), keys...)
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
	s.Shows("changed, draft kept")
	s.Press("w")
	s.Shows("review, row 1 of ", "before", "after", "Shared: the rules hold for other services too; the site does not tell which.", "whose pool is gis", "whose pool is spot", "4 of 14 → 1 of 14 nodes", "pods are replaced")
	s.Hides("on marked")
	s.confirmRules(s.Press("w"), yes...)
	s.Shows("has the new placement policy", "ready", "All 3 pods answer since", "readings say the same: the site is not asked any more", "asks for the pods again", "runs a health check")
	s.saysRules("whose pool is spot")
	if s.edits() != 1 || s.Status().Busy != "" || s.Leave() != "" {
		t.Errorf("%d edits, busy with %q, leaving asks %q", s.edits(), s.Status().Busy, s.Leave())
	}
	if up := s.Press("esc"); len(up) > 0 {
		t.Errorf("leaving the pods says %v", up)
	}
	s.Hides("changed")
	if drafts, _ := s.site.EditDrafts(operation.Placement); len(drafts) != 0 {
		t.Errorf("the draft of what was sent stays: %v", drafts)
	}
}

func TestRulesThatNoNodeFitsAreSentOnlyAfterAWordWasTyped(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").rules()
	s.onPool("giss").Press("w")
	s.Shows("4 of 14 nodes → none", "no node takes them")
	up := s.Press("w")
	dialog := uitest.Find[views.Open](t, up).Dialog
	dialog.SetSize(78, 16)
	dialog.Update(uitest.Key("y"))
	dialog.Update(uitest.Paste("none"))
	for _, key := range uitest.Keys("enter") {
		if uitest.Drain(t, dialog, dialog.Update(key)) != nil {
			t.Fatal("y or a paste confirms it")
		}
	}
	if !strings.Contains(dialog.View(), "Pending") || s.edits() != 0 {
		t.Errorf("%d edits, the question is\n%s", s.edits(), dialog.View())
	}
	s.confirmRules(up, append(uitest.Keys("ctrl+u"), typedNone()...)...)
	s.Shows("has the new placement policy")
	s.wait(400)
	s.Shows("0 of 3 ready since", ", STOPPED", "No node takes these pods, as was confirmed", "(Pending)", "restore the ones from before", "Nothing changes: the site is not asked any more")
	s.saysRules("whose pool is giss")
}

func TestWhereNoNodesAreKnownTheReviewSaysThatItWasNotLooked(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy")
	s.nodes = operation.NodeSource{}
	s = s.again().rules()
	s.Shows("No nodes are known", "N names a file, or a command such as kubectl")
	s.onPool("giss").Press("w")
	s.Shows("it was not looked whether any node takes these pods")
	s.confirmRules(s.Press("w"), yes...)
	s.Shows("has the new placement policy")
}

func TestARefusedEditOfRulesIsSaidAndTheDraftStays(t *testing.T) {
	t.Parallel()
	s := open(t, "placement-refused").rules()
	s.onPool("spot").sendRules(yes...)
	s.Shows("refused the placement policy", "kept by the operator of the cluster", "your change is kept")
	s.Press("esc")
	s.Shows("changed, draft kept")
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
	s.Shows("did not complete", "placement policy from before: nothing of the change is there")
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
	s.Shows("changed, draft kept")
}

func TestTheDraftOfRulesSurvivesLeavingAndIsOffered(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").rules()
	s.onPool("spot")
	s.tells(s.Press("esc"), "placement policy of SampleWorldCities.MapServer are kept as a draft")
	s = s.again().rules()
	s.Shows("You have edited this placement policy before")
	s.Press("v")
	s.Shows("nodeSelectorTerms", "the draft against the present")
	s.Press("esc enter")
	s.Shows("changed, draft kept", "whose pool is spot")
	s.Answer(s.Press("X"), "y")
	s.Shows("whose pool is gis")
	s.Hides("changed")
}

func TestASiteThatIsTooOldOrAUserWhoMayNotIsToldPlainly(t *testing.T) {
	t.Parallel()
	s := open(t, "old").rules()
	s.Shows("it needs 11.2")
	s = open(t, "healthy", simulator.Fault{Path: "admin/services/SampleWorldCities.MapServer/placementPolicy", Method: "GET", What: "status", Status: 403}).rules()
	s.Shows("ctrl+l asks again")
}

func TestBrokenRulesFromAnEditorAreKeptAndShown(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").rules()
	s.editor(`echo '{"placementPolicy": 3}' > "$1"`)
	s.Press("E")
	s.Shows("The text from your editor is no placement policy", "must be a list")
	s = s.again().rules()
	s.Shows("Its text is broken")
}

func TestAPresetReplacesTheAffinityAndIsTakenBack(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").rules()
	s.preset(1)
	s.Shows("topology.kubernetes.io/zone", "changed, draft kept")
	s.Press("u")
	s.Hides("changed")
	s.preset(5)
	s.Shows("may run on any node")
}

func TestTheRulesOfAnotherServiceAreCopiedAndNothingIsSent(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").rules()
	up := s.Press("C")
	s.Answer(up, "G e o m e t r y . G enter")
	s.Shows("changed, draft kept")
	s.Hides("whose pool is gis")
	s.Press("u")
	s.Shows("whose pool is gis")
	s.tells(s.Invoke("services.copy-rules", "nobody"), "No other service")
	s.asks(s.Press("C"), "CityBuildings_26.MapServer", " more")
	s.Answer(s.Press("C"), "g e o m tab enter")
	s.Shows("changed, draft kept")
	s.Press("u")
	told := uitest.NoticeText(t, s.Invoke("services.copy-rules", "Cit"))
	if like := strings.Count(told, "Cit"); like < 3 || !strings.Contains(told, strconv.Itoa(like)+" services are called so") {
		t.Errorf("told %q", told)
	}
	if told := uitest.NoticeText(t, s.Invoke("services.copy-rules", "Server")); strings.Count(told, "Server") != 10 || !strings.HasSuffix(told, " more.") {
		t.Errorf("told %q", told)
	}
	s.sent(0)
}

func TestOldRulesAreRestoredByTheSameWay(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").rules()
	s.onPool("spot").sendRules(yes...)
	s.Press("esc tab")
	s.Shows("What", "placement")
	s.Press("r")
	s.Shows("Restore SampleWorldCities.MapServer", "whose pool is gis")
	s.confirmRules(s.Press("w"), yes...)
	s.Shows("has the new placement policy", "goes back to the tab History")
	s.saysRules("whose pool is gis")
	s.Press("esc")
	s.Shows("before restoring the placement policy of 2026-11-20")
}

func TestOldRulesAreRestoredAlsoWhereTheirTabWasNotOpened(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").rules()
	s.onPool("giss").sendRules(typedNone()...)
	s = s.again().cities()
	s.Press("shift+tab shift+tab r")
	s.Shows("none → 4 of 14 nodes")
	s.confirmRules(s.Press("w"), yes...)
	s.Shows("has the new placement policy")
	s.Press("esc shift+tab")
	s.Shows("whose pool is gis;")
}

// typedNone are the keys that confirm rules that no node fits.
func typedNone() []tea.KeyMsg { return append(uitest.Text("none"), uitest.Key("enter")) }

func TestTwoKindsInTheHistoryAreNotCompared(t *testing.T) {
	t.Parallel()
	s := sentOnce(open(t, "healthy"))
	s.Press("tab")
	s.onPool("spot").sendRules(yes...)
	s.Press("esc tab")
	s.Shows("definition", "placement")
	s.tells(s.Press("c down c"), "cannot be compared")
}
