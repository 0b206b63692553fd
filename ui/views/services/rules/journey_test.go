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
	s.Shows("6 of 14 nodes take these pods")
	s.Press("rules.add")
	s.Type("gp")
	s.Press("down enter")
	s.Shows("In needs at least one value", "a100  3 nodes", "h100  2 nodes")
	s.Press("down tab")
	s.Hides("a100  3 nodes")
	s.Press("down enter")
	s.holds(`"key": "gpu"`, `"a100"`, `"h100"`)
	s.Shows("none of 14 nodes takes these pods")
	s.Press("rules.undo")
	s.is(file(t, "two.json"))
	s.Shows("6 of 14 nodes take these pods", "Undone; nothing more to undo.")
	if line := s.cursorLine(); !strings.Contains(line, "FeatureServer") {
		t.Errorf("the cursor is on %q", line)
	}
}

func TestAMarkedRowSaysWhatIsWrongAndOffersTheNearest(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ old, text, keys, offered, right string }{
		{`"a100", "h100"`, `"a10O"`, "rules.edit tab tab", "a100  did you mean this? 3 nodes", `"key": "gpu", "operator": "In", "values": ["a100"]`},
		{`"topology.kubernetes.io/zone"`, `"topology.kubernetes.io/zome"`, "rules.edit", "topology.kubernetes.io/zone  did you mean this? 14 nodes", `"topology.kubernetes.io/zone"`},
		{`"key": "dedicated"`, `"key": "dedicatde"`, "rules.edit", "dedicated  did you mean this? 5 nodes", `"key": "dedicated"`},
	} {
		s := open(t, strings.Replace(file(t, "policy.json"), c.old, c.text, 1))
		wrong := strings.Trim(c.text[strings.LastIndexAny(c.text, " /")+1:], `"`)
		s.on(wrong).Press(c.keys)
		s.Typed(wrong)
		s.Shows(wrong, "; did you mean", c.offered)
		s.offers("up choose")
		s.Press("tab shift+tab") // what is typed may be meant
		s.Typed(wrong)
		s.Press("down enter")
		s.holds(c.right)
	}
}

func TestATolerationIsAddedFromTheTaints(t *testing.T) {
	t.Parallel()
	s := open(t, strings.Replace(file(t, "policy.json"), `{"key": "dedicated", "operator": "Equal", "value": "gis", "effect": "NoSchedule"}`, "", 1))
	s.Shows("none of 14 nodes takes these pods", "4 but for a taint")
	s.on("Tolerations").Press("rules.add")
	s.Type("d")
	s.Press("down tab tab")
	s.Typed("gis")
	s.Shows("gis  5 nodes")
	s.Press("down enter")
	s.holds(`"key": "dedicated"`, `"operator": "Equal"`, `"value": "gis"`, `"effect": "NoSchedule"`)
	s.Shows("4 of 14 nodes take these pods")
	s.Press("rules.add")
	s.Type("cri")
	s.Press("right enter")
	s.holds(`"key": "CriticalAddonsOnly"`, `"value": "true"`, `"effect": "NoExecute"`)
}

func TestMembersThatAreNotKnownSurviveEveryEdit(t *testing.T) {
	t.Parallel()
	s := open(t, file(t, "two.json"))
	s.on("weight 60").Press("rules.edit ctrl+u")
	s.Type("75")
	s.Press("enter rules.duplicate rules.move-up")
	s.on("cores").Press("rules.edit tab tab ctrl+u")
	s.Type("16")
	s.Press("enter")
	s.on("gis").Press("rules.edit tab tab ctrl+u")
	s.Type("maps")
	s.Press("enter")
	s.on("any key").Press("space")
	s.on("gpu-1").Press("rules.delete")
	s.holds(`"schedulerName": "binpack"`, `"note": "ops"`, `"weight": 75`, `"weight": 1,`, `"values": ["16"]`, `"value": "maps"`, `"tolerationSeconds": 300`)
	if strings.Count(s.text(), `"note": "ops"`) != 2 {
		t.Errorf("the copy of a term lost a member:\n%s", s.text())
	}
}

func TestBothShapesOfPreferredStayAsTheyWereRead(t *testing.T) {
	t.Parallel()
	inTerms := strings.Replace(file(t, "policy.json"), "requiredDuring", "preferredDuring", 1)
	s := open(t, inTerms)
	s.on("gpu").Press("rules.add")
	s.Type("pool")
	s.Press("tab space space enter")
	s.holds(`"preferredDuringSchedulingIgnoredDuringExecution": {`, `"nodeSelectorTerms": [`, `"pool"`)
	s.Tells(s.Invoke("rules.weight", ""), "Preferred terms have no weights in this policy")
	s.panel("Advice").Shows("Preferred terms have equal weight here")
	s.Back()
	s.Press("rules.undo")
	s.is(inTerms)

	s = open(t, file(t, "two.json"))
	s.on("Preferred affinity").Press("rules.add-term")
	s.Type("pool")
	s.Press("tab space space enter")
	s.holds(`"preferredDuringSchedulingIgnoredDuringExecution": [`, `"weight": 1, "preference"`)
}

// B16: required and preferred terms stand beside each other. A term goes to the affinity of the cursor,
// no key turns one affinity into the other, and o moves one term with all its lines.
func TestRequiredAndPreferredTermsStandBesideEachOther(t *testing.T) {
	t.Parallel()
	for _, size := range uitest.Sizes {
		s := openIn(t, uitest.Theme(), size.Width, size.Height, file(t, "policy.json"))
		s.on("Preferred affinity").Press("space")
		s.is(file(t, "policy.json"))
		s.on("Required affinity").Press("space")
		s.is(file(t, "policy.json"))
		s.on("Preferred affinity").Press("rules.add")
		s.Type("pool")
		s.Press("tab tab")
		s.Type("gpu")
		s.Press("enter")
		both := s.text()
		s.holds(`"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [`, `"preferredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchExpressions": [{"key": "pool", "operator": "In", "values": ["gpu"]}]}]}`)
		s.Shows("Pods must run on", "prefer", "4 of 14 nodes take these pods", "2 notes")
		s.on("Required affinity")
		s.Shows("Required affinity  any of these")
		s.on("a100").Press("rules.other-affinity")
		s.Shows("Now preferred: gpu In a100, h100 and topology.kubernetes.io/zone NotIn eu-1c.")
		s.holds(`{"key": "gpu", "operator": "In", "values": ["a100", "h100"]}, {"key": "topology.kubernetes.io/zone", "operator": "NotIn", "values": ["eu-1c"]}`)
		if strings.Contains(s.text(), "required") {
			t.Errorf("an empty affinity is left:\n%s", s.text())
		}
		if line := s.cursorLine(); !strings.Contains(line, "or term 2") {
			t.Errorf("the cursor is on %q", line)
		}
		s.Press("rules.undo")
		s.is(both)
		s.on("Preferred affinity").Press("rules.delete")
		s.Shows("Deleted the preferred affinity with 1 term. u undoes.")
		if strings.Contains(s.text(), "preferred") {
			t.Errorf("the preferred affinity stays:\n%s", s.text())
		}
		s.Press("rules.undo rules.undo")
		s.is(file(t, "policy.json"))
	}
	s := open(t, file(t, "two.json")).on("cores")
	s.Press("rules.other-affinity") // into a list with weights
	s.holds(`{"weight": 1, "preference": {"matchExpressions": [{"key": "cores", "operator": "Gt", "values": ["8"]}]`)
	s.Press("rules.undo")
	s.is(file(t, "two.json"))
	s.on("weight 60").Press("rules.other-affinity")
	s.holds(`{"matchExpressions": [{"key": "gpu", "operator": "Exists"}], "note": "ops"}`)
	s.Press("rules.undo")
	s.is(file(t, "two.json"))
}

func TestCyclingThroughTheWordsRestoresWhatTheyHeld(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ row, words string }{
		{"gpu  ", "DoesNotExist In NotIn Exists"}, {"cores", "Lt In NotIn Exists DoesNotExist Gt"},
		{"NoExecute", "any NoSchedule PreferNoSchedule NoExecute"},
	} {
		s := open(t, file(t, "two.json")).on(c.row)
		for word := range strings.FieldsSeq(c.words) {
			s.Press("space")
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
	s.Press("rules.edit tab")
	s.Shows("Gt                a number greater than the value")
	s.Press("esc")
	s.on("eu-1a").Press("rules.edit tab")
	s.Shows("DoesNotExist      the label is missing")
	s.Hides("a number greater")
	s.Press("enter")
	s.is(file(t, "two.json"))
}

func TestWrongInputIsShownAtItsPlaceAndStays(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ row, keys, text, want string }{
		{"a100", "ctrl+u", "", "✗ The key is empty."},
		{"a100", "ctrl+u", "bad key", "✗ The key bad key is not a label name"},
		{"a100", "tab tab ctrl+u", " , ,", "✗ In needs at least one value."},
		{"a100", "tab tab ctrl+u", "a b", "✗ The value a b is not a valid label value"},
		{"dedicated", "tab tab tab down down tab", "soon", "✗ Expected a number"},
		{"dedicated", "ctrl+u", "", "✗ Equal needs a key"},
	} {
		s := open(t, file(t, "policy.json")).on(c.row)
		s.Press("rules.edit " + c.keys)
		s.Type(c.text)
		s.Press("enter")
		s.Shows(c.want)
		if c.text != "" {
			s.Typed(strings.TrimSpace(c.text))
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
	s.Press("rules.edit tab down down")
	s.Shows("(takes no value)")
	s.Press("space space")
	s.Shows("a100, h100")
	s.Press("up enter")
	s.holds(`{"key": "gpu", "operator": "DoesNotExist", "values": []}`)
	s.Press("rules.undo")
	s.is(file(t, "policy.json"))
}

func TestATermGoesWithItsLastLine(t *testing.T) {
	t.Parallel()
	s := open(t, file(t, "policy.json")).on("a100")
	s.Press("rules.delete rules.delete")
	s.Shows("Deleted topology.kubernetes.io/zone NotIn eu-1c, and with it the required affinity. u undoes.", "Required affinity  none · a add", "Pods may run on any node", "1 note")
	s.Hides("term 1")
	s.Press("rules.undo rules.undo")
	s.is(file(t, "policy.json"))
	if line := s.cursorLine(); !strings.Contains(line, "a100") {
		t.Errorf("the cursor is on %q", line)
	}
}

func TestRowsMoveAndAreCopiedAmongTheirOwn(t *testing.T) {
	t.Parallel()
	s := open(t, file(t, "policy.json")).on("a100")
	s.Press("rules.move-up")
	s.Shows("It cannot move further.")
	s.Press("rules.move-down rules.duplicate")
	text := s.text()
	if strings.Count(text, `"gpu"`) != 2 || strings.Index(text, "eu-1c") > strings.Index(text, `"gpu"`) {
		t.Errorf("not moved and copied:\n%s", text)
	}
	s.Tells(s.on("Preferred affinity").Press("rules.delete"), "There is no preferred affinity")
}

func TestWhatIsTypedIsDiscardedOnlyOnAnAnswer(t *testing.T) {
	t.Parallel()
	s := open(t, file(t, "policy.json")).on("a100")
	s.Press("rules.edit esc")
	if s.CapturesText() {
		t.Error("a row without a change is left with a question")
	}
	s.Press("rules.edit")
	s.Type("x")
	s.Press("esc")
	s.Shows("Discard this edit?")
	s.Send(uitest.Paste("y"))
	if !s.GuardsPaste() || !s.Unsaved() {
		t.Error("a paste answered the question")
	}
	s.Press("x enter tab")
	s.Shows("Answer first: discard this edit?  y discard · n keep typing")
	s.offers("y discard", "n keep typing")
	for _, no := range []string{"n", "esc"} {
		s.Press(no)
		s.Typed("gpux")
		s.Press("esc")
	}
	s.Press("value.discard")
	s.is(file(t, "policy.json"))
	s.Shows("Edit discarded")
}

func TestAPasteIsText(t *testing.T) {
	t.Parallel()
	s := open(t, file(t, "policy.json")).on("a100")
	s.Press("rules.edit tab")
	s.Send(uitest.Paste(" "))
	s.Typed("a100, h100,  ")
	s.Press("shift+tab shift+tab")
	s.Send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("f"), Alt: true})
	s.Send(tea.KeyMsg{Type: tea.KeyCtrlV})
	s.Press("tab")
	s.Press("tab ctrl+u")
	s.Send(uitest.Paste("a100\nv100\r\nl40\n"))
	s.Press("enter")
	s.holds(`"operator": "In", "values": ["a100", "v100", "l40"]`)
}

func TestWhatTheCursorIsOnIsCopied(t *testing.T) {
	t.Parallel()
	s := open(t, file(t, "policy.json"))
	for _, c := range []struct{ row, text, what string }{
		{"FeatureServer", "krh1vura4livmjy61ibe4", "deployment id"},
		{"Required affinity", "Pods must run on nodes", "sentence"},
		{"term 1", "gpu In a100, h100 and topology.kubernetes.io/zone NotIn eu-1c", "term"},
		{"a100", "gpu In a100, h100", "line"},
		{"dedicated", "dedicated=gis:NoSchedule", "toleration"},
	} {
		got := uitest.Find[views.Copy](t, s.on(c.row).Press("rules.copy"))
		if !strings.HasPrefix(got.Text, c.text) || got.What != c.what {
			t.Errorf("%s: %+v", c.row, got)
		}
	}
}
