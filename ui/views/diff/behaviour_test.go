package diff_test

import (
	"fmt"
	"strings"
	"testing"

	"geodeck/adminapi/document"
	"geodeck/ui/views"
	"geodeck/ui/views/diff"
	"geodeck/ui/views/uitest"
)

func TestALostKeyIsConfirmedByItsLastNameOnly(t *testing.T) {
	s := open(t, edited(t))
	if s.Open() != 2 {
		t.Fatalf("%d keys are open", s.Open())
	}
	s.press("c enter")
	s.typed("waittime")
	s.press("enter")
	s.shows("That is not its name, which is maxWaitTime.")
	if s.Open() != 2 || !s.CapturesText() {
		t.Error("a wrong name confirms, or ends the asking")
	}
	s.press("ctrl+u")
	s.hides("That is not its name")
	s.typed("maxWaitTime")
	s.press("enter")
	if s.Open() != 1 || s.CapturesText() || s.Path() != "extensions[WFSServer]" {
		t.Errorf("%d open, cursor on %s", s.Open(), s.Path())
	}
	s.shows("✓ confirmed  maxWaitTime", "1 of 2 lost keys to confirm")
	s.press("enter")
	s.key(uitest.Paste("WFSServer\n"))
	s.press("enter")
	if got := fmt.Sprint(s.Confirmed("")); got != "[maxWaitTime extensions[WFSServer]]" || s.Open() != 0 {
		t.Errorf("confirmed %s, %d open", got, s.Open())
	}
	s.shows("all of them are confirmed")
	s.press("enter")
	if s.Open() != 1 {
		t.Error("a confirmation cannot be taken back")
	}
}

func TestAnEmptyNameConfirmsNothingAndEscLeaves(t *testing.T) {
	s := open(t, edited(t))
	s.press("c enter enter")
	s.shows("Type its name, maxWaitTime")
	s.press("esc")
	if s.Open() != 2 || s.CapturesText() {
		t.Errorf("%d open", s.Open())
	}
}

func TestWhatWasConfirmedStaysSoWhereItIsStillLost(t *testing.T) {
	s := open(t, edited(t))
	s.press("c enter")
	s.typed("maxWaitTime")
	s.press("enter")
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

func TestServicesAreConfirmedOnTheirOwn(t *testing.T) {
	one, two := edited(t), edited(t)
	one.Service, two.Service = "Roads.MapServer", "Rivers.MapServer"
	s := open(t, one, two)
	s.press("c enter")
	s.typed("maxWaitTime")
	s.press("enter")
	if len(s.Confirmed("Roads.MapServer")) != 1 || len(s.Confirmed("Rivers.MapServer")) != 0 || s.Open() != 3 {
		t.Errorf("confirmed %v, %v", s.Confirmed("Roads.MapServer"), s.Confirmed("Rivers.MapServer"))
	}
}

func TestABrokenRuleBlocksOnlyWhereItSaysSo(t *testing.T) {
	s := open(t, diff.Plan{Findings: []document.Finding{{Path: "a", Text: "It is odd."}}})
	if s.Blocked() {
		t.Error("a note blocks")
	}
	s.Set(diff.Plan{}, diff.Plan{Service: "x", Findings: []document.Finding{{Path: "a", Text: "It is wrong.", Blocking: true}}})
	if !s.Blocked() {
		t.Error("a broken rule of the second plan does not block")
	}
	s.shows("1 rule broken")
}

func TestALongValueIsOpenedAndNothingOfItIsCut(t *testing.T) {
	words := make([]string, 300)
	for i := range words {
		words[i] = fmt.Sprintf("word%03d", i)
	}
	long := strings.Join(words, " ")
	s := open(t, planOf(t, `{"text":"short"}`, `{"text":"`+long+`"}`))
	s.hides("word299")
	s.press("G enter G")
	s.shows("word299")
	s.press("h h")
	s.hides("word299")
}

func TestFoldsStayWhereTheWidthChanges(t *testing.T) {
	s := open(t, edited(t))
	s.press("G enter")
	s.shows(`"byReference": true`)
	s.width = 200
	s.SetSize(200, 35)
	s.shows(`"byReference": true`)
}

func TestTheCursorTellsThePathAndWhatItRisks(t *testing.T) {
	s := open(t, edited(t))
	s.press("/")
	s.typed("capabilities")
	s.press("enter G")
	s.press("k k k k k k k k k k k k k k k k k k k k")
	for s.Path() != "capabilities" {
		s.press("j")
	}
	s.shows("▲ danger · capability removed", "! caution · restart likely")
}

func TestAFilterFindsPathsWordsAndValues(t *testing.T) {
	s := open(t, edited(t))
	for _, text := range []string{"maxRecordCount", "rewritten", "restart likely", "cities_2", "danger"} {
		s.Do("rows.filter", text)
		if len(s.Commands()) == 0 || strings.Contains(s.view(), "0 of 0") {
			t.Errorf("%s is not found", text)
		}
		s.shows(strings.Fields(text)[0])
	}
}

func TestTheReviewIsCopiedWhole(t *testing.T) {
	s := open(t, edited(t))
	text := uitest.Find[views.Copy](t, s.press("y")).Text
	for _, want := range []string{
		"11 changes: 2 added, 2 removed, 6 changed, 1 rewritten\n", "lost key, to confirm  maxWaitTime\n",
		"changed  maxInstancesPerNode\n  - 2\n  + 4\n  caution, restart likely: ", "says nothing that matters to anybody.\"", "\"onServerName\": \"cities_2\"",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not copied:\n%s", want, text)
		}
	}
}

func TestHostileTextsAreSeenAndNotObeyed(t *testing.T) {
	plan := planOf(t, `{"a":"x","b":{"k\u001b[2J":1},"gone\u0007\u202e":1}`, "{\"a\":\"\u202ey\u009b2J\u200b\",\"b\":{\"k\\u001b[2J\":2},\"new\":\"\\u001b]0;owned\\u0007\"}")
	plan.Service = "\x1b[31mRoads\n.MapServer"
	plan.Findings = []document.Finding{{Path: "a", Text: "bad \x1b[2J text\r\n"}}
	plan.Risks = append(plan.Risks, document.Risk{Path: "a", Label: "l\x1b[2J", Severity: document.Danger, Text: "t\x1b[2J"})
	for _, plans := range [][]diff.Plan{{plan}, {plan, plan}} {
		s := open(t, plans...)
		s.press("+")
		for range 40 {
			uitest.Harmless(t, s.view())
			if strings.ContainsAny(s.view(), "\u202e\u200b\u009b") {
				t.Fatalf("it shows what nobody can see:\n%q", s.view())
			}
			s.press("j")
		}
		s.press("g")
		s.shows(`\u202ey\u009b2J\u200b`)
		uitest.Harmless(t, uitest.Find[views.Copy](t, s.press("y")).Text)
	}
}

func TestAKeyThatCannotBeTypedIsConfirmedAsItsPathIsWritten(t *testing.T) {
	s := open(t, planOf(t, `{"a":{"k\u200b":1,"b":2}}`, `{"a":{"b":2}}`))
	s.press("c enter")
	s.typed(`["k\u200b"]`)
	s.press("enter")
	if s.Open() != 0 {
		t.Errorf("it is not confirmed:\n%s", s.view())
	}
}

func TestEverySizeIsDrawn(t *testing.T) {
	s := open(t, edited(t))
	for width := 1; width < 130; width += 7 {
		for height := 1; height < 40; height += 3 {
			s.width, s.height = width, height
			s.SetSize(width, height)
			s.view()
		}
	}
}

func TestEveryCommandIsKnown(t *testing.T) {
	s := open(t, edited(t))
	for _, c := range diff.Table() {
		if _, known := s.Do(c.ID, ""); !known {
			t.Errorf("%s is not known", c.ID)
		}
	}
	if _, known := s.Do("nothing", ""); known {
		t.Error("a command of nobody is known")
	}
}

// manyChanges is a plan of n changes.
func manyChanges(t testing.TB, n int) diff.Plan {
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
			s.Do("rows.top", "")
		}
		s.Do("rows.down", "")
		_ = s.View()
	}
}
