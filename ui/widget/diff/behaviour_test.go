package diff_test

import (
	"fmt"
	"strings"
	"testing"

	"geodeck/adminapi/document"
	"geodeck/adminapi/finding"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
	"geodeck/ui/widget/diff"
)

func TestALostKeyIsConfirmedByItsLastNameOnly(t *testing.T) {
	t.Parallel()
	s := open(t, edited(t))
	if s.Open() != 2 {
		t.Fatalf("%d keys are open", s.Open())
	}
	s.Press("diff.next-key enter")
	s.Type("waittime")
	s.Press("enter")
	s.Shows("Its name is maxWaitTime.")
	if s.Open() != 2 || !s.CapturesText() {
		t.Error("a wrong name confirms, or ends the asking")
	}
	s.Press("ctrl+u")
	s.Hides("That is not its name")
	s.Type("maxWaitTime")
	s.Press("enter")
	if s.Open() != 1 || s.CapturesText() || s.Path() != "extensions[WFSServer]" {
		t.Errorf("%d open, cursor on %s", s.Open(), s.Path())
	}
	s.Shows("✓ confirmed  maxWaitTime", "1 removed key to confirm")
	s.Press("enter")
	s.Send(uitest.Paste("WFSServer\n"))
	s.Press("enter")
	if got := fmt.Sprint(s.Confirmed("")); got != "[maxWaitTime extensions[WFSServer]]" || s.Open() != 0 {
		t.Errorf("confirmed %s, %d open", got, s.Open())
	}
	s.Shows("all confirmed")
	s.Press("enter")
	if s.Open() != 1 {
		t.Error("a confirmation cannot be taken back")
	}
}

func TestAnEmptyNameConfirmsNothingAndEscLeaves(t *testing.T) {
	t.Parallel()
	s := open(t, edited(t))
	s.Press("diff.next-key enter enter")
	s.Shows("Type its name, maxWaitTime")
	s.Press("esc")
	if s.Open() != 2 || s.CapturesText() {
		t.Errorf("%d open", s.Open())
	}
}

func TestAConfirmationStaysWhileItsKeyIsStillLost(t *testing.T) {
	t.Parallel()
	s := open(t, edited(t))
	s.Press("diff.next-key enter")
	s.Type("maxWaitTime")
	s.Press("enter")
	s.Set(edited(t))
	if s.Open() != 1 {
		t.Error("the confirmation is forgotten")
	}
	s.Set(planOf(t, `{"a":1}`, `{"a":2}`))
	s.Set(edited(t))
	if s.Open() != 2 {
		t.Error("a confirmation of long ago counts")
	}
}

func TestEachServiceIsConfirmedByItself(t *testing.T) {
	t.Parallel()
	one, two := edited(t), edited(t)
	one.Service, two.Service = "Roads.MapServer", "Rivers.MapServer"
	s := open(t, one, two)
	s.Press("diff.next-key enter")
	s.Type("maxWaitTime")
	s.Press("enter")
	if len(s.Confirmed("Roads.MapServer")) != 1 || len(s.Confirmed("Rivers.MapServer")) != 0 || s.Open() != 3 {
		t.Errorf("confirmed %v, %v", s.Confirmed("Roads.MapServer"), s.Confirmed("Rivers.MapServer"))
	}
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
	s.Shows("▲ danger · capability removed", "! caution · restart likely")
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
		"11 changes: 2 added, 2 removed, 6 changed, 1 rewritten\n", "removed key, to confirm  maxWaitTime\n",
		"changed  maxInstancesPerNode\n  - 2\n  + 4\n  caution, restart likely: ", "says nothing that matters to anybody.\"", "\"onServerName\": \"cities_2\"",
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
	plan.Risks = append(plan.Risks, document.Risk("a", "l\x1b[2J", finding.Danger, "t\x1b[2J"))
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

func TestAKeyThatCannotBeTypedIsConfirmedAsItsPathIsWritten(t *testing.T) {
	t.Parallel()
	s := open(t, planOf(t, `{"a":{"k\u200b":1,"b":2}}`, `{"a":{"b":2}}`))
	s.Press("diff.next-key enter")
	s.Type(`["k\u200b"]`)
	s.Press("enter")
	if s.Open() != 0 {
		t.Errorf("it is not confirmed:\n%s", s.Draw())
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
		if c.Run == nil && c.With == nil || c.Help == "" && c.Name != "" || c.Group == "" { // the keys of a name are listed elsewhere
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

func TestATypedNameStaysWhileItsKeyIsStillLost(t *testing.T) {
	t.Parallel()
	s := open(t, edited(t))
	s.Press("diff.next-key enter")
	s.Type("maxWait")
	s.Set(edited(t))
	s.Type("Time")
	s.Press("enter")
	if s.Open() != 1 {
		t.Errorf("%d keys are open:\n%s", s.Open(), s.Draw())
	}
	s.Press("enter")
	s.Type("WFS")
	s.Set(planOf(t, `{"a":1}`, `{"a":2}`))
	if s.CapturesText() {
		t.Error("the name of a key is asked for that is not lost any more")
	}
}

func TestWhatIsToldOfARowTakesTheEmptyRowsAboveIt(t *testing.T) {
	t.Parallel()
	s := openIn(t, uitest.Theme(), 80, 12, planOf(t, `{"maxIdleTime":1800,"a":1}`, `{"maxIdleTime":900,"a":1}`))
	s.Press("rows.bottom")
	s.Shows("1 change · ! 2 cautions: restart likely, unit not documented", "requests may fail", "meanwhile.", "unit not documented: Unit")
	s.Press("rows.top")
	s.Shows("maxIdleTime")
}
