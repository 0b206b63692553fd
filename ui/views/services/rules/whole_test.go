package rules_test

import (
	"strings"
	"testing"

	"geodeck/adminapi/placement"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
)

func TestWhatIsCutIsWholeUnderTheChecks(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{58, 8}, {58, 17}, {78, 17}} {
		s := openIn(t, uitest.Theme(), size[0], size[1], file(t, "broken.json"))
		sentence := bare(placement.Sentence(s.Policy().Items()[0]))
		if size[1] > 8 {
			s.Shows("… (see Checks)")
		}
		s.panel("Checks")
		if size[1] > 8 && !strings.Contains(bare(s.panelText()), sentence) {
			t.Errorf("%v: the sentence is not whole under Checks:\n%s", size, s.View())
		}
		if got := uitest.Find[views.Copy](t, s.Press("rows.top rules.copy")); got.What != "sentence" || bare(got.Text) != sentence {
			t.Errorf("%v: copied %+v", size, got)
		}
		s.offersNone("go to the rule")
		s.Press("enter")
		if note := s.Note(); !strings.HasPrefix(note, "Checks") {
			t.Errorf("the sentence leads to %q", note)
		}
		seen := ""
		for range 60 {
			s.Press("down")
			seen += bare(strings.TrimLeft(s.cursorLine(), "›"))
		}
		for _, f := range placement.Check(s.Policy(), cluster()) {
			if !strings.Contains(seen, bare(f.Text[1:])) {
				t.Errorf("%v: the finding %q is never whole", size, f.Text)
			}
		}
	}
}

func TestASentenceThatFitsIsShownOnce(t *testing.T) {
	t.Parallel()
	s := open(t, file(t, "broken.json")).panel("Checks")
	s.Hides("Checks has all of it")
	s.Press("rows.top")
	s.offers("enter go to the rule")
}

func TestTheLeastScreenSaysWhatAKeyDid(t *testing.T) {
	t.Parallel()
	s := openIn(t, uitest.Theme(), 58, 8, file(t, "policy.json")).on("a100")
	s.Press("rules.move-up")
	s.Shows("It cannot move further.")
	s.Press("down")
	s.Shows("4 of 14 nodes take these pods")
}
