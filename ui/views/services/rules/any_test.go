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
	for seed := range uint64(30) {
		random := rand.New(rand.NewPCG(seed, 6))
		s := open(t, file(t, []string{"two.json", "policy.json", "broken.json"}[seed%3]))
		texts := []string{s.text()}
		for range 80 {
			s.press([]string{"p", "f down f", "left", "-", "z"}[random.IntN(5)] + " + g" + strings.Repeat(" down", random.IntN(20)))
			s.press([]string{"d", "K", "J", "space", "e", "a", "A", "c", "W"}[random.IntN(9)])
			if s.CapturesText() {
				s.typed([]string{"7", "x", "d"}[random.IntN(3)])
				s.press([]string{"tab", "down", "space", "right"}[random.IntN(4)])
				s.press("enter")
				s.view()
				s.giveUp()
			}
			if now := s.text(); now != texts[len(texts)-1] {
				texts = append(texts, now)
			}
			s.view()
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
		s.view()
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
			for _, keys := range []string{"e", "a", "A", "space", "z", "c"} {
				s.press(keys)
				uitest.Harmless(t, s.view())
				s.press("down")
				s.key(uitest.Paste("\x1b]52;c;aGk=\x07\r\n\tpaste" + evil))
				uitest.Harmless(t, s.view())
				s.press("tab right enter")
				uitest.Harmless(t, s.view())
				s.giveUp()
				uitest.Harmless(t, s.view())
				if note := s.Note(); strings.ContainsAny(note, "\x1b\u202e\u0085") {
					t.Fatalf("the note is %q", note)
				}
			}
			s.press("u u u u down")
		}
		for _, panel := range []string{"Nodes", "Checks", "JSON", "Advice"} {
			s.panel(panel)
			for range 30 {
				s.press("enter y")
				s.panel(panel).press("down")
				uitest.Harmless(t, s.view())
			}
		}
	}
}

func TestValuesThatNoListCanHoldStayWhileTheKeyIsEdited(t *testing.T) {
	t.Parallel()
	text := strings.Replace(file(t, "policy.json"), `["a100", "h100"]`, `["a,b", "", " c"]`, 1)
	s := open(t, text).on("gpu")
	s.press("e")
	s.typed("2")
	s.press("enter")
	s.holds(`{"key": "gpu2", "operator": "In", "values": ["a,b", "", " c"]}`)
}

func TestAnySizeIsDrawnExactly(t *testing.T) {
	t.Parallel()
	for _, keys := range []string{"", "e", "a", "A", "p", "/", "e x esc"} {
		for _, size := range [][2]int{{1, 1}, {3, 2}, {9, 5}, {20, 7}, {30, 8}, {59, 12}, {60, 13}, {61, 26}, {97, 20}, {98, 20}, {250, 90}} {
			for _, name := range []string{"two.json", "broken.json"} {
				s := openIn(t, uitest.Theme(), size[0], size[1], file(t, name))
				for range 6 {
					s.press("down down " + keys)
					s.view()
					s.press("p f")
					s.view()
					s.press("esc y")
					s.Back()
					s.view()
				}
				s.width, s.height = 90, 30
				s.SetSize(90, 30)
				s.view()
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
		s.press("e")
		s.shows("part-gpu│")
		s.press("tab tab")
		s.shows("h100│")
		s.press("home")
		s.shows("│part-")
	}
}

func TestAPolicyOfManyTermsIsDrawnAScreenAtATime(t *testing.T) {
	t.Parallel()
	s := openIn(t, uitest.Theme(), 120, 35, manyTerms(50))
	s.press("G")
	s.shows("or term 50")
	s.press("g -")
	s.shows("▸ Affinity")
	s.press("+ /")
	s.typed("value-37")
	s.press("enter")
	s.shows("or term 18")
	s.hides("or term 17")
	if !s.Back() {
		t.Error("the filter is not left")
	}
	s.shows("or term 2 ")
}

func TestEveryCommandHasAHandlerAHelpAndKeysOfItsOwn(t *testing.T) {
	t.Parallel()
	theirs := strings.Fields("w v X E N R m C P ctrl+l tab shift+tab 1 2 3 4 q ? : t @ esc")
	listed, keys := map[string]bool{}, map[string]string{}
	for _, c := range rules.New(uitest.Theme()).Commands() {
		listed[c.ID] = true
		for _, key := range c.Keys() {
			if other := keys[key]; other != "" || slices.Contains(theirs, key) {
				t.Errorf("%s stands for %s and for %q", key, c.ID, other)
			}
			keys[key] = c.ID
		}
		if c.Run == nil || c.Help == "" || c.Group == "" {
			t.Errorf("%s has no handler, or no help", c.ID)
		}
		s := open(t, file(t, "policy.json"))
		views.Invoke(s, c.ID, "")
		s.view()
	}
	s := open(t, file(t, "two.json"))
	for _, row := range []string{"MapServer", "Affinity", "weight 60", "gpu ", "Tolerations", "gis", "kept as"} {
		for _, panel := range []string{"", "f", "p f"} {
			s.on(row).press("space u " + panel)
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
