package rules_test

import (
	"slices"
	"strings"
	"testing"

	"geodeck/ui/uitest"
	"geodeck/ui/views"
)

// hints are the keys that the footer names, with what they do.
func (s *screen) hints() []string {
	var hints []string
	for _, c := range views.Usable(s.Commands()) {
		if c.Hint() != "" && len(c.Keys()) > 0 {
			hints = append(hints, c.Keys()[0]+" "+c.Hint())
		}
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
	s.Press("e")
	s.offers("enter apply", "esc cancel", "tab next field", "up choose")
	s.Press("tab")
	s.offers("enter apply", "up choose")
	s.offersNone("complete")
	s.Press("down esc")
	s.offers("y discard")
	s.giveUp()
	s.Press("/")
	s.offers("enter keep", "esc clear")
}

func TestTheFooterSaysWhatEnterDoesWithARow(t *testing.T) {
	t.Parallel()
	s := open(t, file(t, "two.json"))
	for row, hint := range map[string]string{
		"Affinity  ( ) required": "e next word", "Tolerations  none": "e add", "(●) both": "enter fold", "required:": "enter fold",
		"cores": "e edit", "or term 2  no line": "e add", "weight 60": "e weight", "dedicated": "e edit",
	} {
		s.on(row)
		s.offers(hint)
	}
	s.on("or term 2  no line").Press("e")
	if !s.CapturesText() {
		t.Error("enter adds no line to a term that has none")
	}
}

func TestAllOperatorsAreOfferedOnASmallScreen(t *testing.T) {
	t.Parallel()
	s := openIn(t, uitest.Theme(), 78, 17, file(t, "policy.json")).on("a100")
	s.Press("e tab")
	s.Shows("Operator 1 of 4", "In  ", "NotIn  ", "Exists  ", "DoesNotExist  ")
	s = openIn(t, uitest.Theme(), 58, 8, file(t, "policy.json")).on("a100")
	s.Press("e tab")
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
	s.Invoke("rules.weight", "")
	s.Shows("Only preferred terms have a weight; this deployment has none.")
	s = open(t, file(t, "two.json")).on("cores")
	s.Invoke("rules.weight", "")
	s.Shows("Only a preferred term has a weight")
}

func TestUndoSaysHowMuchIsLeft(t *testing.T) {
	t.Parallel()
	s := open(t, file(t, "policy.json")).on("a100")
	s.Press("c")
	s.Shows("Duplicated: gpu In a100, h100")
	s.Press("d u")
	s.Shows("Undone; 1 earlier change can be undone as well.")
	s.Press("u")
	s.Shows("Undone; nothing more to undo.")
	s.Press("ctrl+r")
	s.Shows("Redone; ctrl+r redoes the next change.")
	s.Press("ctrl+r")
	s.Shows("Redone; nothing more to redo.")
}
