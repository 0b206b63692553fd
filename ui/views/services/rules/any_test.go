package rules_test

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"geodeck/adminapi/placement"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
	"geodeck/ui/views/services/rules"
)

func TestAnythingThatIsDoneCanBeUndoneByteForByte(t *testing.T) {
	t.Parallel()
	for seed := range uint64(12) {
		random := rand.New(rand.NewPCG(seed, 6))
		s := open(t, file(t, []string{"two.json", "policy.json", "broken.json"}[seed%3]))
		texts := []string{s.text()}
		for range 80 {
			s.Press([]string{"rules.panel", "right down left", "left", "rows.fold-all", "rows.toggle"}[random.IntN(5)] + " + g" + strings.Repeat(" down", random.IntN(20)))
			s.Press([]string{"rules.delete", "rules.move-up", "rules.move-down", "space", "rules.edit", "rules.add", "rules.add-term", "rules.duplicate", "W"}[random.IntN(9)])
			if s.CapturesText() {
				s.Type([]string{"7", "x", "d"}[random.IntN(3)])
				s.Press([]string{"tab", "down", "space", "right"}[random.IntN(4)])
				s.Press("enter")
				s.Draw()
				s.giveUp()
			}
			if now := s.text(); now != texts[len(texts)-1] {
				texts = append(texts, now)
			}
			s.Draw()
		}
		if len(texts) < 5 {
			t.Fatalf("only %d different policies", len(texts))
		}
		for i := len(texts) - 2; i >= 0; i-- {
			views.Invoke(s, "rules.undo", "")
			s.settle()
			s.is(texts[i])
		}
		for _, text := range texts[1:] {
			views.Invoke(s, "rules.redo", "")
			s.is(text)
		}
		s.Draw()
	}
}

// evil is what no terminal may obey and nobody can see.
const evil = "\u202e\u200b\u0085\u009b31m👩\u200d👩e\u0301\x1b[2J"

// hostile is a policy with evil wherever a text can be.
func hostile(t *testing.T) string {
	t.Helper()
	quoted, err := json.Marshal("a" + evil)
	if err != nil {
		t.Fatal(err)
	}
	text := `{"placementPolicy": [{"deploymentType": §, "deploymentId": §, "podPlacementPolicy": {§: 1,
		"tolerations": [{"key": §, "operator": §, "value": §, "effect": §, "tolerationSeconds": 5}],
		"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchExpressions": [
			{"key": §, "operator": §, "values": [§, "", ","]}, {"key": §, "operator": "In", "values": [§]}]}]}}}}]}`
	return strings.ReplaceAll(text, "§", string(quoted))
}

func TestHostileTextsAreHarmlessOnEveryScreen(t *testing.T) {
	t.Parallel()
	nodes := cluster()
	for i := range nodes {
		nodes[i].Name += evil
		nodes[i].Labels[evil] = evil
		nodes[i].Labels["gpu"] = evil
		nodes[i].Taints = append(nodes[i].Taints, placement.Taint{Key: evil, Value: evil, Effect: evil})
		nodes[i].Allocatable = append(nodes[i].Allocatable, placement.Resource{Name: evil, Amount: evil})
	}
	for _, size := range uitest.Sizes {
		s := openIn(t, uitest.Theme(), size.Width, size.Height, hostile(t))
		s.SetNodes(nodes, "nodes")
		s.settle()
		for range 10 {
			for _, keys := range []string{"rules.edit", "rules.add", "A", "space", "z", "c"} {
				s.Press(keys)
				uitest.Harmless(t, s.Draw())
				s.Press("down")
				s.Send(uitest.Paste("\x1b]52;c;aGk=\x07\r\n\tpaste" + evil))
				uitest.Harmless(t, s.Draw())
				s.Press("tab right enter")
				uitest.Harmless(t, s.Draw())
				s.giveUp()
				uitest.Harmless(t, s.Draw())
				if note := s.Note(); strings.ContainsAny(note, "\x1b\u202e\u0085") {
					t.Fatalf("the note is %q", note)
				}
			}
			s.Press("rules.undo rules.undo rules.undo rules.undo down")
		}
		for _, panel := range []string{"Nodes", "Checks", "JSON", "Advice"} {
			s.panel(panel)
			for range 30 {
				s.Press("enter rules.copy")
				s.panel(panel).Press("down")
				uitest.Harmless(t, s.Draw())
			}
		}
	}
}

func TestValuesThatNoListCanHoldStayWhileTheKeyIsEdited(t *testing.T) {
	t.Parallel()
	text := strings.Replace(file(t, "policy.json"), `["a100", "h100"]`, `["a,b", "", " c"]`, 1)
	s := open(t, text).on("gpu")
	s.Press("rules.edit")
	s.Type("2")
	s.Press("enter")
	s.holds(`{"key": "gpu2", "operator": "In", "values": ["a,b", "", " c"]}`)
}

func TestAnySizeIsDrawnExactly(t *testing.T) {
	t.Parallel()
	for _, keys := range []string{"", "rules.edit", "rules.add", "rules.add-term", "rules.panel", "rows.filter", "rules.edit x esc"} {
		for _, size := range [][2]int{{1, 1}, {3, 2}, {9, 5}, {20, 7}, {30, 8}, {59, 12}, {60, 13}, {61, 26}, {97, 20}, {98, 20}, {250, 90}} {
			for _, name := range []string{"two.json", "broken.json"} {
				s := openIn(t, uitest.Theme(), size[0], size[1], file(t, name))
				for range 6 {
					s.Press("down down " + keys)
					s.Draw()
					s.Press("rules.panel right")
					s.Draw()
					s.Press("esc rules.copy")
					s.Back()
					s.Draw()
				}
				s.Resize(90, 30)
				s.Draw()
			}
		}
	}
}

func TestLongTextsAreCutAndScrolled(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("part-", 600)
	text := strings.NewReplacer(`"gpu"`, `"`+long+`gpu"`, `"a100"`, `"`+long+`a100"`).Replace(file(t, "policy.json"))
	for _, size := range uitest.Sizes {
		s := openIn(t, uitest.Theme(), size.Width, size.Height, text).on("-gpu ")
		s.Press("rules.edit")
		s.Typed("part-gpu")
		s.Press("tab tab")
		s.Typed("h100")
		s.Press("home")
		if _, behind := s.Focus(); !strings.HasPrefix(behind, "part-") {
			t.Errorf("the cursor stands before %q", behind)
		}
	}
}

func TestAPolicyOfManyTermsIsDrawnAScreenAtATime(t *testing.T) {
	t.Parallel()
	s := openIn(t, uitest.Theme(), 120, 35, manyTerms(50))
	s.Press("rows.bottom")
	s.Shows("or term 50")
	s.Press("rows.top rows.fold-all")
	s.Shows("▸ Required affinity")
	s.Press("rows.open-all rows.filter")
	s.Type("value-37")
	s.Press("enter")
	s.Shows("or term 18")
	s.Hides("or term 17")
	if !s.Back() {
		t.Error("the filter is not left")
	}
	s.Shows("or term 17", "or term 18")
}

func TestEveryCommandHasAHandlerAHelpAndKeysOfItsOwn(t *testing.T) {
	t.Parallel()
	theirs := strings.Fields("w v X E L R m C P f5 tab shift+tab 1 2 3 4 q ? : t @ esc")
	listed, keys := map[string]bool{}, map[string]string{}
	for _, c := range rules.New(uitest.Theme()).Commands() {
		if c.Help == "" {
			continue // of a row that is typed into: see TypingCommands
		}
		listed[c.ID] = true
		for _, key := range c.Keys() {
			shown := c.Shown == nil || c.Shown()
			if other := keys[key]; shown && other != "" && other != c.ID || slices.Contains(theirs, key) {
				t.Errorf("%s stands for %s and for %q", key, c.ID, other)
			}
			if shown {
				keys[key] = c.ID
			}
		}
		if c.Run == nil && c.With == nil || c.Help == "" || c.Group == "" {
			t.Errorf("%s has no handler, or no help", c.ID)
		}
		s := open(t, file(t, "policy.json"))
		views.Invoke(s, c.ID, "")
		s.Draw()
	}
	s := open(t, file(t, "two.json"))
	for _, row := range []string{"MapServer", "Required affinity", "Preferred affinity", "weight 60", "gpu ", "Tolerations", "gis", "unknown keys"} {
		for _, panel := range []string{"", "right", "rules.panel right"} {
			s.on(row).Press("space u " + panel)
			used := map[string]string{}
			for _, c := range views.Usable(s.Commands()) {
				if !listed[c.ID] {
					t.Errorf("a fresh builder does not list %s", c.ID)
				}
				for _, key := range c.Keys() {
					if other := used[key]; other != "" || slices.Contains(theirs, key) {
						t.Errorf("%s: %s stands for %s and for %q", row, key, c.ID, other)
					}
					used[key] = c.ID
				}
			}
			s.Back()
		}
	}
}
