package rules_test

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui/uitest"
)

// paces are ways in which a text comes from a terminal.
var paces = map[string]func(s *screen, text string){
	"a key at a time": (*screen).Type,
	"without a rest": func(s *screen, text string) {
		for _, key := range uitest.Text(text) {
			s.Update(key)
		}
		s.settle()
	},
	"in one piece": func(s *screen, text string) {
		s.Send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(text)})
		s.settle()
	},
	"as a paste": func(s *screen, text string) { s.Send(uitest.Paste(text)); s.settle() },
}

// B3: letters of a value choose no operator.
func TestWhatIsTypedOnAFixedWordIsOfTheNextColumnAndChoosesNone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		row, keys string
		texts     []string // a tab between
		want      []string
	}{
		"a new line":       {"Required affinity", "rules.add", []string{"disk", "ssd"}, []string{`{"key": "disk", "operator": "In", "values": ["ssd"]}`}},
		"every operator":   {"Required affinity", "rules.add", []string{"disk", "DoesNotExist"}, []string{`{"key": "disk", "operator": "In", "values": ["DoesNotExist"]}`}},
		"a new term":       {"term 1", "rules.add-term", []string{"disk", "nvme"}, []string{`{"key": "disk", "operator": "In", "values": ["nvme"]}`}},
		"a line":           {"a100", "rules.edit", []string{"", "ebs"}, []string{`{"key": "gpu", "operator": "In", "values": ["a100", "h100", "ebs"]}`}},
		"a comma":          {"a100", "rules.edit", []string{"", ", ebs"}, []string{`{"key": "gpu", "operator": "In", "values": ["a100", "h100", "ebs"]}`}},
		"a new toleration": {"Tolerations", "rules.add", []string{"disk", "e"}, []string{`"key": "disk"`, `"operator": "Equal"`, `"value": "e"`}},
		"a toleration":     {"dedicated", "rules.edit", []string{"", "-eu"}, []string{`{"key": "dedicated", "operator": "Equal", "value": "gis-eu", "effect": "NoSchedule"}`}},
		"an effect":        {"Tolerations", "rules.add tab tab tab down down up up down down", []string{"60"}, []string{`"effect": "NoExecute"`, `"tolerationSeconds": 60`}},
	} {
		for pace, types := range paces {
			t.Run(name+", "+pace, func(t *testing.T) {
				t.Parallel()
				s := open(t, file(t, "policy.json")).on(c.row)
				s.Press(c.keys)
				if name == "an effect" {
					s.Press("shift+tab shift+tab shift+tab")
					types(s, "disk")
					s.Press("tab tab tab")
				}
				for i, text := range c.texts {
					if i > 0 {
						s.Press("tab")
					}
					if text != "" {
						types(s, text)
					}
				}
				s.Press("enter")
				s.holds(c.want...)
			})
		}
	}
}

// Where the next column takes nothing the word stays, the text is not lost in silence, and the
// enter behind it does not apply the row without it.
func TestWhatIsTypedWhereNoValueIsTakenIsToldBeforeTheRowIsApplied(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ row, keys, text, says, stays, want string }{
		"a line":       {"a100", "rules.edit tab down down", "ssd", "Exists takes no value.", "Exists stays.", `{"key": "gpu", "operator": "Exists", "values": []}`},
		"a toleration": {"dedicated", "rules.edit tab down", "ssd", "Exists takes no value.", "Exists stays.", `{"key": "dedicated", "operator": "Exists", "effect": "NoSchedule"}`},
		"an effect":    {"dedicated", "rules.edit tab tab tab down", "NoE", "Only NoExecute takes seconds.", "PreferNoSchedule stays.", `{"key": "dedicated", "operator": "Equal", "value": "gis", "effect": "PreferNoSchedule"}`},
	} {
		for pace, types := range paces {
			t.Run(name+", "+pace, func(t *testing.T) {
				t.Parallel()
				s := open(t, file(t, "policy.json")).on(c.row)
				s.Press(c.keys)
				types(s, c.text)
				s.Shows(c.says)
				s.Press("enter")
				s.Shows("What you typed is left out", c.stays)
				s.is(file(t, "policy.json"))
				s.Press("enter")
				s.holds(c.want)
			})
		}
	}
}

// Nor does tab lead round to the key, which would get what is typed next.
func TestTabStaysWhereTheNextColumnTakesNothing(t *testing.T) {
	t.Parallel()
	s := open(t, file(t, "policy.json")).on("a100")
	s.Press("rules.edit tab down down tab")
	s.Shows("Exists takes no value. enter applies the row.")
	s.Type("no-such")
	s.Shows("Exists takes no value.")
	s.Press("enter enter")
	s.holds(`{"key": "gpu", "operator": "Exists", "values": []}`)
}

// B3: e starts in the first column, whatever is wrong with the row.
func TestARowIsAlwaysTypedIntoFromItsFirstColumn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, old, text, row, says, key string }{
		{"a line", "", "", "a100", "", "gpu"},
		{"a misspelt value", `"a100", "h100"`, `"a10O"`, "a10O", "a10O", "gpu"},
		{"no value", `"a100", "h100"`, "", "gpu  ", "In needs at least one value.", "gpu"},
		{"an operator that there is not", `"operator": "In"`, `"operator": "Inn"`, "Inn", "Inn", "gpu"},
		{"a toleration", `"effect": "NoSchedule"`, `"effect": "NoRun"`, "NoRun", "NoRun", "dedicated"},
	} {
		s := open(t, strings.Replace(file(t, "policy.json"), c.old, c.text, 1)).on(c.row)
		s.Press("rules.edit")
		s.Shows(c.says)
		s.Type("x")
		if line := strings.Join(strings.Fields(s.cursorLine()), " "); !strings.Contains(line, " "+c.key+"x ") {
			t.Errorf("%s: the row is %q", c.name, line)
		}
	}
}
