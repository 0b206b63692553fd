package diff_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi/document"
	"geodeck/adminapi/finding"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
	"geodeck/ui/widget/diff"
)

func TestADangerIsAcceptedByItsWordAndTheNextOneFollows(t *testing.T) {
	t.Parallel()
	s := open(t, edited(t))
	n := s.Open()
	s.Shows("▲ danger", "capabilities", "capability removed: No longer offered to clients: Data.", "4 to accept", "Press space, then type capability.")
	s.Press("diff.next-open")
	s.Shows("Press space, then type removed-key.")
	path := s.Path()
	up := s.Accept(s.clock, "")
	dialog := uitest.Find[views.Open](t, up).Dialog
	dialog.SetSize(76, 14)
	for _, want := range []string{"maxWaitTime: The site will delete this key.", "Type removed-key"} {
		if text := ansi.Strip(dialog.View()); !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if s.Open() != n {
		t.Error("a key accepts a danger")
	}
	s.Accept(s.clock, "removed-key")
	if s.Open() != n-1 || s.Path() == path {
		t.Errorf("%d open, cursor on %s", s.Open(), s.Path())
	}
	s.Shows("✓ accepted   maxWaitTime")
	s.Press("diff.previous-open rows.top")
	for s.Path() != path {
		s.Press("j")
	}
	s.Shows("Accepted; space takes that back.")
	s.Accept(s.clock, "")
	if s.Open() != n || s.Path() != path {
		t.Error("what was accepted cannot be taken back")
	}
}

// What nobody had the time to read is not accepted: a key that is held, or typed ahead.
func TestAHeldKeyAcceptsOneFindingOnly(t *testing.T) {
	t.Parallel()
	s := open(t, planOf(t, `{"a":1,"b":1,"c":1}`, `{"a":"1","b":"1","c":"1"}`))
	if s.Open() != 3 {
		t.Fatalf("%d open", s.Open())
	}
	s.Hurry("diff.accept diff.accept diff.accept")
	s.Hurry("diff.accept")
	if s.Open() != 2 {
		t.Errorf("%d open", s.Open())
	}
	for s.Open() > 0 {
		s.Accept(s.clock, "")
	}
	s.Shows("all accepted")
	s.Refuses("all accepted", "diff.next-open", "Nothing is left to accept.")
}

func TestWhatWasAcceptedStaysSoWhileItIsFound(t *testing.T) {
	t.Parallel()
	s := open(t, edited(t))
	n := s.Open()
	s.Accept(s.clock, "capability")
	s.Set(edited(t))
	if s.Open() != n-1 {
		t.Error("it is forgotten")
	}
	s.Set(planOf(t, `{"a":1}`, `{"a":2}`))
	s.Set(edited(t))
	if s.Open() != n {
		t.Error("an acceptance of long ago counts")
	}
}

// B8: what is found in several services is accepted at once, and all of them are named.
func TestTheSameFindingOfSeveralServicesIsAcceptedAtOnce(t *testing.T) {
	t.Parallel()
	one, two, other := planOf(t, `{"a":1,"b":1}`, `{"b":1}`), planOf(t, `{"a":2,"b":1}`, `{"b":1}`), planOf(t, `{"b":1}`, `{"b":"1"}`)
	one.Service, two.Service, other.Service = "Roads.MapServer", "Rivers.MapServer", "Lakes.MapServer"
	s := open(t, one, two, other)
	if s.Open() != 2 {
		t.Fatalf("%d open", s.Open())
	}
	s.Shows("In 2 services: Roads.MapServer, Rivers.MapServer.")
	s.Accept(s.clock, "removed-key")
	if f := one.Risks[0]; s.Open() != 1 || !s.Accepts("Roads.MapServer", f) || !s.Accepts("Rivers.MapServer", two.Risks[0]) || s.Accepts("Lakes.MapServer", other.Risks[0]) {
		t.Errorf("%d open", s.Open())
	}
	s.Set(one, two, other, document.Review{Service: "Seas.MapServer", Risks: one.Risks})
	if s.Accepts("Roads.MapServer", one.Risks[0]) {
		t.Error("one more service is accepted unseen")
	}
}

// A broken rule is a finding to come to as well, and the first: nothing is sent with it.
func TestTheNextFindingIsAlsoABrokenRule(t *testing.T) {
	t.Parallel()
	s := open(t, planOf(t, `{"capabilities":"Map,Data","minInstancesPerNode":1,"maxInstancesPerNode":2}`, `{"capabilities":"Map","minInstancesPerNode":5,"maxInstancesPerNode":2}`))
	s.Press("rows.top diff.next-open")
	first := s.Path()
	s.Press("diff.next-open")
	if second := s.Path(); first != "minInstancesPerNode" && second != "minInstancesPerNode" || first == second {
		t.Errorf("n goes to %s and %s", first, second)
	}
	s = open(t, planOf(t, `{"minInstancesPerNode":1,"maxInstancesPerNode":2}`, `{"minInstancesPerNode":5,"maxInstancesPerNode":2}`))
	s.Press("rows.bottom diff.next-open")
	s.Shows("›   ✗ blocks")
}

// B18: enter on a finding goes to what it is about.
func TestEnterOnAFindingGoesToItsChange(t *testing.T) {
	t.Parallel()
	s := open(t, edited(t))
	s.Press("diff.next-open")
	s.Press("diff.open")
	s.Shows("›   - removed")
	if s.Path() != "maxWaitTime" {
		t.Errorf("on %s", s.Path())
	}
	s.Refuses("on a change", "diff.accept", "Go to a finding first: n.")
	s = open(t, planOf(t, `{"description":"a"}`, `{"description":"b"}`))
	s.Refuses("where nothing was found", "diff.accept", "Nothing has to be accepted.")
	s = open(t, planOf(t, `{"minInstancesPerNode":1,"maxInstancesPerNode":2}`, `{"minInstancesPerNode":5,"maxInstancesPerNode":2}`))
	s.Press("rows.top j")
	s.Shows("✗ blocks")
	s.Refuses("on what blocks", "diff.accept", "Nothing gets over this. Correct the value.")
	s.Press("diff.open")
	s.Shows("›   ~ changed")
}

func TestOnlyABlockingRuleBlocks(t *testing.T) {
	t.Parallel()
	s := open(t, document.Review{Findings: []finding.Finding{{Strength: finding.Note, Text: "It is odd.", At: finding.Place{Path: "a"}}}})
	if s.Blocked() {
		t.Error("a note blocks")
	}
	s.Set(document.Review{}, document.Review{Service: "x", Findings: []finding.Finding{{Strength: finding.Block, Text: "It is wrong.", At: finding.Place{Path: "a"}}}})
	if !s.Blocked() {
		t.Error("a broken rule of the second plan does not block")
	}
	s.Shows("1 rule broken")
}

func TestALongValueIsOpenedAndNothingOfItIsCut(t *testing.T) {
	t.Parallel()
	words := make([]string, 300)
	for i := range words {
		words[i] = fmt.Sprintf("word%03d", i)
	}
	long := strings.Join(words, " ")
	s := open(t, planOf(t, `{"text":"short"}`, `{"text":"`+long+`"}`))
	s.Hides("word299")
	s.Press("rows.bottom enter rows.bottom")
	s.Shows("word299")
	s.Press("h h")
	s.Hides("word299")
}

func TestFoldedListsShowWhereTheyDiffer(t *testing.T) {
	t.Parallel()
	list := func(last string) string {
		return `{"list":[` + strings.Repeat(`{"key":"zone","values":["a","b"]},`, 5) + `{"key":"` + last + `"}]}`
	}
	s := open(t, planOf(t, list("pool"), list("size")))
	for _, width := range []int{60, 80, 120} {
		s.Resize(width, 24)
		s.Shows(`{"key":"pool"}]`, `{"key":"size"}]`)
	}
	s.Set(planOf(t, `{"list":[{"a":1}]}`, `{"list":[`+strings.Repeat(`{"b":"long"},`, 500)+`1]}`))
	s.Shows("[ 501 elements ]")
}

func TestFoldsStayWhenTheWidthChanges(t *testing.T) {
	t.Parallel()
	s := open(t, edited(t))
	s.Press("rows.bottom enter")
	s.Shows(`"byReference": true`)
	s.Resize(200, 35)
	s.Shows(`"byReference": true`)
}

func TestTheStatusShowsThePathAndItsRisks(t *testing.T) {
	t.Parallel()
	s := open(t, edited(t))
	s.Press("rows.filter")
	s.Type("capabilities")
	s.Press("enter rows.bottom")
	s.Press("rows.top")
	for s.Path() != "capabilities" {
		s.Press("j")
	}
	s.Press("diff.open")
	s.Shows("▲ danger · capability removed", "· note · restart likely")
}

func TestAFilterFindsPathsWordsAndValues(t *testing.T) {
	t.Parallel()
	s := open(t, edited(t))
	for _, text := range []string{"maxRecordCount", "rewritten", "restart likely", "cities_2", "danger"} {
		s.Invoke("rows.filter", text)
		if len(views.Usable(s.Commands())) == 0 || strings.Contains(s.Draw(), "0 of 0") {
			t.Errorf("%s is not found", text)
		}
		s.Shows(strings.Fields(text)[0])
	}
}

func TestTheReviewIsCopiedWhole(t *testing.T) {
	t.Parallel()
	s := open(t, edited(t))
	text := uitest.Find[views.Copy](t, s.Press("diff.copy")).Text
	for _, want := range []string{
		"11 changes: 2 added, 2 removed, 6 changed, 1 rewritten\n", "removed-key, to accept  maxWaitTime  The site will delete this key.\n",
		"changed  maxInstancesPerNode\n  - 2\n  + 4\n  note, restart likely: ", "says nothing that matters to anybody.\"", "\"onServerName\": \"cities_2\"",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not copied:\n%s", want, text)
		}
	}
}

func TestHostileTextsAreShownAndHarmless(t *testing.T) {
	t.Parallel()
	plan := planOf(t, `{"a":"x","b":{"k\u001b[2J":1},"gone\u0007\u202e":1}`, "{\"a\":\"\u202ey\u009b2J\u200b\",\"b\":{\"k\\u001b[2J\":2},\"new\":\"\\u001b]0;owned\\u0007\"}")
	plan.Service = "\x1b[31mRoads\n.MapServer"
	plan.Findings = []finding.Finding{{Strength: finding.Note, At: finding.Place{Path: "a"}, Text: "bad \x1b[2J text\r\n"}}
	plan.Risks = append(plan.Risks, finding.Finding{ID: "l\x1b[2J", Strength: finding.Danger, Text: "t\x1b[2J", Accept: "x", At: finding.Place{Path: "a"}})
	for _, plans := range [][]document.Review{{plan}, {plan, plan}} {
		s := open(t, plans...)
		s.Press("rows.open-all")
		for range 40 {
			uitest.Harmless(t, s.Draw())
			if strings.ContainsAny(s.Draw(), "\u202e\u200b\u009b") {
				t.Fatalf("it shows what nobody can see:\n%q", s.Draw())
			}
			s.Press("j")
		}
		s.Press("rows.top")
		s.Shows(`\u202ey\u009b2J\u200b`)
		uitest.Harmless(t, uitest.Find[views.Copy](t, s.Press("diff.copy")).Text)
	}
}

func TestEverySizeIsDrawn(t *testing.T) {
	t.Parallel()
	s := open(t, edited(t))
	for width := 1; width < 130; width += 7 {
		for height := 1; height < 40; height += 3 {
			s.Resize(width, height)
			s.Draw()
		}
	}
}

func TestEveryCommandHasAHandlerAndAHelp(t *testing.T) {
	t.Parallel()
	for _, c := range diff.New(uitest.Theme()).Commands() {
		if c.Run == nil && c.With == nil || c.Help == "" || c.Group == "" {
			t.Errorf("%s has no handler, or no help", c.ID)
		}
	}
	if len(views.Usable(open(t, planOf(t, `{"a":1}`, `{"a":1}`)).Commands())) > 0 {
		t.Error("where there is nothing to see something can be done")
	}
}

// manyChanges is a plan of n changes.
func manyChanges(t testing.TB, n int) document.Review {
	var before, after strings.Builder
	for i := range n {
		if i > 0 {
			before.WriteByte(',')
			after.WriteByte(',')
		}
		fmt.Fprintf(&before, `"key%05d":{"value":%d,"more":[1,2,3]}`, i, i)
		fmt.Fprintf(&after, `"key%05d":{"value":%d,"more":[3,2,1,"a longer text that has no place beside the path of the change it is of"]}`, i, i+1)
	}
	return planOf(t, "{"+before.String()+"}", "{"+after.String()+"}")
}

func BenchmarkSetOf5000Changes(b *testing.B) {
	plan := manyChanges(b, 2500)
	s := open(b, plan)
	b.ReportAllocs()
	for b.Loop() {
		s.Set(plan)
		_ = s.View()
	}
}

func BenchmarkFrameOf5000Changes(b *testing.B) {
	s := open(b, manyChanges(b, 2500))
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if i%5000 == 4999 {
			views.Invoke(s, "rows.top", "")
		}
		views.Invoke(s, "rows.down", "")
		_ = s.View()
	}
}

func TestWhatIsToldOfARowTakesTheEmptyRowsAboveIt(t *testing.T) {
	t.Parallel()
	s := openIn(t, uitest.Theme(), 80, 12, planOf(t, `{"maxIdleTime":1800,"a":1}`, `{"maxIdleTime":900,"a":1}`))
	s.Press("rows.bottom")
	s.Shows("1 change", "requests may fail", "meanwhile.", "unit not documented: Unit")
	s.Press("rows.top")
	s.Shows("maxIdleTime")
}

// A sentence that decides is read whole in a low terminal: its key, its word and why; else its end says that
// it goes on.
func TestADangerIsReadInALowTerminalAndWhatIsCutSaysSo(t *testing.T) {
	t.Parallel()
	plan := planOf(t, `{"a":1,"b":2}`, `{"a":1}`)
	for i := range 8 {
		plan.Changes = append(plan.Changes, document.Change{Path: document.Path("c" + strconv.Itoa(i)), Old: "1", New: "2"})
	}
	plan.Risks[0].Text = "The service no longer reads its data from the place that it had before this."
	s := openIn(t, uitest.Theme(), 80, 14, plan)
	s.Shows("Press space, then type removed-key. The service no longer reads its data", "place that it had before this.")
	plan.Risks[0].Text = strings.Repeat("More is said of it here than there is room for. ", 8)
	s.Set(plan)
	if lines := strings.Split(strings.TrimRight(s.Draw(), " \n"), "\n"); !strings.HasSuffix(strings.TrimRight(lines[len(lines)-1], " "), "…") {
		t.Errorf("it ends with %q", lines[len(lines)-1])
	}
}
