package rules_test

import (
	"slices"
	"strings"
	"testing"

	"geodeck/ui/uitest"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
)

// hints are the keys that the footer names, with what they do.
func (s *screen) hints() []string {
	shown := views.Footer(s.Commands(), s.Footer()...)
	if s.Filtering() {
		shown = rows.TypingHints()
	}
	var hints []string
	for _, h := range shown {
		hints = append(hints, h.Key+" "+h.Text)
	}
	return hints
}

func (s *screen) offers(want ...string) {
	s.t.Helper()
	for _, hint := range want {
		if !slices.Contains(s.hints(), hint) {
			s.t.Errorf("%q is not in the footer: %q", hint, s.hints())
		}
	}
}

func (s *screen) offersNone(hint string) {
	s.t.Helper()
	for _, have := range s.hints() {
		if strings.HasSuffix(have, hint) {
			s.t.Errorf("%q is in the footer", have)
		}
	}
}

func TestTheFooterNamesTheKeysOfARowThatIsTypedInto(t *testing.T) {
	t.Parallel()
	s := open(t, file(t, "policy.json")).on("a100")
	s.Press("rules.edit")
	s.offers("enter apply", "esc cancel", "tab next field", "up choose")
	s.Press("tab")
	s.offers("enter apply", "up choose")
	s.offersNone("complete")
	s.Press("down esc")
	s.offers("y discard")
	s.giveUp()
	s.Press("rows.filter")
	s.offers("enter keep", "esc clear")
}

func TestTheFooterSaysWhatEnterDoesWithARow(t *testing.T) {
	t.Parallel()
	s := open(t, file(t, "two.json"))
	for row, hint := range map[string]string{
		"Required affinity  none": "e add", "Preferred affinity  none": "e add", "Tolerations  none": "e add", "Required affinity  any": "enter fold", "Preferred affinity  tried": "enter fold",
		"cores": "e edit", "or term 2  no line": "e add", "weight 60": "e weight", "dedicated": "e edit",
	} {
		s.on(row)
		s.offers(hint)
	}
	s.on("or term 2  no line").Press("rules.edit")
	if !s.CapturesText() {
		t.Error("enter adds no line to a term that has none")
	}
}

func TestAllOperatorsAreOfferedOnASmallScreen(t *testing.T) {
	t.Parallel()
	s := openIn(t, uitest.Theme(), 78, 17, file(t, "policy.json")).on("a100")
	s.Press("rules.edit tab")
	s.Shows("Operator 1 of 4", "In  ", "NotIn  ", "Exists  ", "DoesNotExist  ")
	s = openIn(t, uitest.Theme(), 58, 8, file(t, "policy.json")).on("a100")
	s.Press("rules.edit tab")
	s.Shows("Operator 1 of 4")
}

func TestWhereThereAreNoNodesNoneIsOpened(t *testing.T) {
	t.Parallel()
	s := open(t, file(t, "policy.json")).panel("Nodes")
	s.offers("enter fold")
	s.SetNodes(nil, "No nodes: start geodeck with --nodes FILE.")
	s.settle()
	s.offersNone("open")
}

func TestWhyThereIsNoWeightIsSaid(t *testing.T) {
	t.Parallel()
	s := open(t, file(t, "policy.json")).on("a100")
	s.Tells(s.Invoke("rules.weight", ""), "Only preferred terms have a weight; this deployment has none.")
	s = open(t, file(t, "two.json")).on("cores")
	s.Tells(s.Invoke("rules.weight", ""), "Only a preferred term has a weight")
}

func TestUndoSaysHowMuchIsLeft(t *testing.T) {
	t.Parallel()
	s := open(t, file(t, "policy.json")).on("a100")
	s.Press("rules.duplicate")
	s.Shows("Duplicated: gpu In a100, h100")
	s.Press("rules.delete rules.undo")
	s.Shows("Undone; 1 earlier change can be undone as well.")
	s.Press("rules.undo")
	s.Shows("Undone; nothing more to undo.")
	s.Press("rules.redo")
	s.Shows("Redone; ctrl+r redoes the next change.")
	s.Press("rules.redo")
	s.Shows("Redone; nothing more to redo.")
}

func TestAKeyThatCannotBeUsedSaysWhy(t *testing.T) {
	t.Parallel()
	const none = "This policy has no deployment, so no rules can be made."
	const element = "Only a term, a line or a toleration can be "
	for _, c := range []struct{ policy, row, before, key, says string }{
		{"policy.json", "a100", "", "rules.undo", "Nothing to undo."},
		{"policy.json", "a100", "", "rules.redo", "Nothing to redo."},
		{"policy.json", "FeatureServer", "", "space", "Nothing to switch in this row."},
		{"policy.json", "FeatureServer", "", "rules.delete", "A deployment cannot be deleted from its policy."},
		{"policy.json", "Required affinity", "", "space", "Nothing to switch in this row."},
		{"policy.json", "Preferred affinity", "", "rules.delete", "There is no preferred affinity to delete."},
		{"policy.json", "Tolerations", "", "rules.delete", "Delete an affinity, a term, a line or a toleration."},
		{"policy.json", "Tolerations", "", "rules.duplicate", element + "duplicated."},
		{"policy.json", "Tolerations", "", "rules.move-up", element + "moved."},
		{"policy.json", "Tolerations", "", "rules.move-down", element + "moved."},
		{"two.json", "unknown keys", "", "rules.edit", "This part can be edited only as JSON."},
		{"two.json", "unknown keys", "", "rules.add", "This part can be edited only as JSON."},
		{"policy.json", "a100", "rows.filter x y z enter", "rules.edit", "No rule matches the filter; hidden rules are not changed."},
		{"policy.json", "a100", "rows.filter x y z enter", "rules.add-term", "No rule matches the filter; hidden rules are not changed."},
		{"policy.json", "a100", "rows.filter x y z enter", "rules.copy", "No rule matches the filter; hidden rules are not changed."},
		{"policy.json", "a100", "right", "rules.add", "Go to a tainted node or to a label."},
		{"policy.json", "a100", "rules.panel rules.panel rules.panel right", "enter", "Nothing to open here."},
		{"policy.json", "FeatureServer", "", "enter", "The rules of this deployment are in the rows below."},
		{"", "", "", "rules.edit", none},
		{"", "", "", "space", none},
		{"", "", "", "rules.add", none},
		{"", "", "", "rules.copy", none},
	} {
		t.Run(c.policy+c.row+c.before+c.key, func(t *testing.T) {
			t.Parallel()
			text := `{"placementPolicy": []}`
			if c.policy != "" {
				text = file(t, c.policy)
			}
			s := open(t, text)
			if c.row != "" {
				s.on(c.row)
			}
			s.Press(c.before)
			s.Tells(s.Press(c.key), c.says)
		})
	}
}
