package rules_test

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui/uitest"
	"geodeck/ui/views"
)

func TestATermIsAddedWithAKeyFromTheLabels(t *testing.T) {
	t.Parallel()
	s := open(t, file(t, "two.json"))
	s.shows("6 of 14 nodes take these pods")
	s.press("a")
	s.typed("gp")
	s.press("down enter")
	s.shows("In needs at least one value", "a100  3 nodes", "h100  2 nodes")
	s.press("down tab")
	s.hides("a100  3 nodes")
	s.press("down enter")
	s.holds(`"key": "gpu"`, `"a100"`, `"h100"`)
	s.shows("none of 14 nodes takes these pods")
	s.press("u")
	s.is(file(t, "two.json"))
	s.shows("6 of 14 nodes take these pods", "Undone; nothing more to undo.")
	if line := s.cursorLine(); !strings.Contains(line, "FeatureServer") {
		t.Errorf("the cursor is on %q", line)
	}
}

func TestATolerationIsAddedFromTheTaints(t *testing.T) {
	t.Parallel()
	s := open(t, strings.Replace(file(t, "policy.json"), `{"key": "dedicated", "operator": "Equal", "value": "gis", "effect": "NoSchedule"}`, "", 1))
	s.shows("none of 14 nodes takes these pods", "4 would fit but for a taint")
	s.on("Tolerations").press("a")
	s.typed("d")
	s.press("down tab tab")
	s.shows("gis│", "gis  5 nodes")
	s.press("down enter")
	s.holds(`"key": "dedicated"`, `"operator": "Equal"`, `"value": "gis"`, `"effect": "NoSchedule"`)
	s.shows("4 of 14 nodes take these pods")
	s.press("a")
	s.typed("cri")
	s.press("right enter")
	s.holds(`"key": "CriticalAddonsOnly"`, `"value": "true"`, `"effect": "NoExecute"`)
}

func TestMembersThatAreNotKnownSurviveEveryEdit(t *testing.T) {
	t.Parallel()
	s := open(t, file(t, "two.json"))
	s.on("weight 60").press("W ctrl+u")
	s.typed("75")
	s.press("enter c K")
	s.on("cores").press("e tab tab ctrl+u")
	s.typed("16")
	s.press("enter")
	s.on("gis").press("e tab tab ctrl+u")
	s.typed("maps")
	s.press("enter")
	s.on("any key").press("space")
	s.on("gpu-1").press("d")
	s.holds(`"schedulerName": "binpack"`, `"note": "ops"`, `"weight": 75`, `"weight": 1,`, `"values": ["16"]`, `"value": "maps"`, `"tolerationSeconds": 300`)
	if strings.Count(s.text(), `"note": "ops"`) != 2 {
		t.Errorf("the copy of a term lost a member:\n%s", s.text())
	}
}

func TestBothShapesOfPreferredStayAsTheyWereRead(t *testing.T) {
	t.Parallel()
	inTerms := strings.Replace(file(t, "policy.json"), "requiredDuring", "preferredDuring", 1)
	s := open(t, inTerms)
	s.on("gpu").press("a")
	s.typed("pool")
	s.press("tab space space enter")
	s.holds(`"preferredDuringSchedulingIgnoredDuringExecution": {`, `"nodeSelectorTerms": [`, `"pool"`)
	s.press("W")
	s.shows("the site's own form of a preferred affinity is one without")
	s.panel("Advice").shows("Preferred terms weigh the same here")
	s.Back()
	s.press("u")
	s.is(inTerms)

	s = open(t, file(t, "two.json"))
	s.on("preferred:").press("A")
	s.typed("pool")
	s.press("tab space space enter")
	s.holds(`"preferredDuringSchedulingIgnoredDuringExecution": [`, `"weight": 1, "preference"`)
}

func TestGoingRoundTheWordsBringsBackAllThatTheyHeld(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ row, words string }{
		{"(●) both", "required preferred none both"}, {"gpu  ", "DoesNotExist In NotIn Exists"}, {"cores", "Lt In NotIn Exists DoesNotExist Gt"},
		{"NoExecute", "any NoSchedule PreferNoSchedule NoExecute"},
	} {
		s := open(t, file(t, "two.json")).on(c.row)
		for word := range strings.FieldsSeq(c.words) {
			s.press("space")
			if line := s.cursorLine(); !strings.Contains(line, word) {
				t.Errorf("%q instead of %s", line, word)
			}
		}
		s.is(file(t, "two.json"))
	}
}

func TestKubernetesOwnOperatorsAreOfferedWhereALineHasOneOnly(t *testing.T) {
	t.Parallel()
	s := open(t, file(t, "two.json")).on("cores")
	s.press("e tab")
	s.shows("Gt                a number greater than the value")
	s.press("esc")
	s.on("eu-1a").press("e tab")
	s.shows("DoesNotExist      the label is not there")
	s.hides("a number greater")
	s.typed("g")
	s.press("enter")
	s.is(file(t, "two.json"))
}

func TestWrongInputIsShownAtItsPlaceAndStays(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ row, keys, text, want string }{
		{"a100", "ctrl+u", "", "✗ The key is empty."},
		{"a100", "ctrl+u", "bad key", "✗ The key bad key is no name of a label"},
		{"a100", "tab tab ctrl+u", " , ,", "✗ In needs at least one value."},
		{"a100", "tab tab ctrl+u", "a b", "✗ The value a b is none a label can have"},
		{"dedicated", "tab tab tab down down tab", "soon", "✗ A number should stand here"},
		{"dedicated", "ctrl+u", "", "✗ Equal needs a key"},
	} {
		s := open(t, file(t, "policy.json")).on(c.row)
		s.press("e " + c.keys)
		s.typed(c.text)
		s.press("enter")
		s.shows(c.want)
		if c.text != "" {
			s.shows(strings.TrimSpace(c.text) + "│")
		}
		s.is(file(t, "policy.json"))
		if !s.Unsaved() || !s.CapturesText() {
			t.Errorf("%q is lost", c.text)
		}
	}
}

func TestOperatorsWithoutAValueCloseItsField(t *testing.T) {
	t.Parallel()
	s := open(t, file(t, "policy.json")).on("a100")
	s.press("e tab")
	s.typed("E")
	s.shows("(takes no value)")
	s.typed("i")
	s.shows("a100, h100")
	s.typed("d")
	s.press("enter")
	s.holds(`{"key": "gpu", "operator": "DoesNotExist", "values": []}`)
	s.press("u")
	s.is(file(t, "policy.json"))
}

func TestTheLastLineThatGoesLeavesATermThatIsWarnedAbout(t *testing.T) {
	t.Parallel()
	s := open(t, file(t, "policy.json")).on("a100")
	s.press("d d up down")
	s.shows("term 1  no line: a adds one", "! the only term has no line", "none of 14 nodes takes these pods")
	s.press("d")
	s.shows("no term: a adds one", "1 blocking")
	s.press("u u u")
	s.is(file(t, "policy.json"))
	if line := s.cursorLine(); !strings.Contains(line, "a100") {
		t.Errorf("the cursor is on %q", line)
	}
}

func TestRowsMoveAndAreCopiedAmongTheirOwn(t *testing.T) {
	t.Parallel()
	s := open(t, file(t, "policy.json")).on("a100")
	s.press("K")
	s.shows("It cannot go further.")
	s.press("J c")
	text := s.text()
	if strings.Count(text, `"gpu"`) != 2 || strings.Index(text, "eu-1c") > strings.Index(text, `"gpu"`) {
		t.Errorf("not moved and copied:\n%s", text)
	}
	s.on("Affinity").press("d")
	s.shows("An affinity is taken away with space")
}

func TestWhatIsTypedIsDiscardedOnlyOnAnAnswer(t *testing.T) {
	t.Parallel()
	s := open(t, file(t, "policy.json")).on("a100")
	s.press("e esc")
	if s.CapturesText() {
		t.Error("a row without a change is left with a question")
	}
	s.press("e")
	s.typed("x")
	s.press("esc")
	s.shows("Drop what was typed?")
	s.key(uitest.Paste("y"))
	if !s.GuardsPaste() || !s.Unsaved() {
		t.Error("a paste answered the question")
	}
	s.press("n")
	s.shows("gpux│")
	s.press("esc y")
	s.is(file(t, "policy.json"))
	s.shows("What was typed is dropped")
}

func TestAPasteIsText(t *testing.T) {
	t.Parallel()
	s := open(t, file(t, "policy.json")).on("a100")
	s.press("e tab")
	s.key(uitest.Paste(" "))
	s.key(uitest.Paste("n"))
	s.press("shift+tab")
	s.key(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("f"), Alt: true})
	s.key(tea.KeyMsg{Type: tea.KeyCtrlV})
	s.press("tab")
	s.press("tab ctrl+u")
	s.key(uitest.Paste("a100\nv100\r\nl40\n"))
	s.press("enter")
	s.holds(`"operator": "In", "values": ["a100", "v100", "l40"]`)
}

func TestWhatTheCursorIsOnIsCopied(t *testing.T) {
	t.Parallel()
	s := open(t, file(t, "policy.json"))
	for _, c := range []struct{ row, text, what string }{
		{"FeatureServer", "krh1vura4livmjy61ibe4", "deployment id"},
		{"Affinity", "Pods must run on nodes", "sentence"},
		{"term 1", "gpu In a100, h100 and topology.kubernetes.io/zone NotIn eu-1c", "term"},
		{"a100", "gpu In a100, h100", "line"},
		{"dedicated", "dedicated=gis:NoSchedule", "toleration"},
	} {
		got := uitest.Find[views.Copy](t, s.on(c.row).press("y"))
		if !strings.HasPrefix(got.Text, c.text) || got.What != c.what {
			t.Errorf("%s: %+v", c.row, got)
		}
	}
}
