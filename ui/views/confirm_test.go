package views_test

import (
	"slices"
	"strings"
	"testing"

	"geodeck/ui/views"
	"geodeck/ui/views/uitest"
)

func TestAQuestionAndItsAnswersStayOnALowScreen(t *testing.T) {
	consequence := "It begins here. " + strings.Repeat("Something more becomes of the pods of this service. ", 12) + "And here is the end."
	for _, word := range []string{"", "none"} {
		for height := 5; height < 30; height++ {
			c := views.NewConfirm(uitest.Theme(), views.Question{ID: "q", Text: "Send it?", Consequence: consequence, Yes: "send", Word: word})
			c.SetSize(56, height)
			answer := "y send"
			if word != "" {
				answer = "Type none and enter to send: no"
				give(t, c, uitest.Text("no")...)
			}
			for _, key := range append([]string{"x", "pgdown", "up"}, slices.Repeat([]string{"down"}, 20)...) {
				fits(t, c, 56, height)
				if view := c.View(); !strings.Contains(view, "Send it?") || !strings.Contains(view, answer) {
					t.Fatalf("%d lines do not show the question and %q:\n%s", height, answer, view)
				}
				if key != "x" {
					if up := give(t, c, uitest.Key(key)); len(up) > 0 {
						t.Fatalf("%s answered", key)
					}
				}
			}
			if height > 6 && !strings.Contains(c.View(), "the end.") {
				t.Errorf("%d lines never show the end:\n%s", height, c.View())
			}
		}
	}
}

func TestALongWrongWordKeepsItsEndInSight(t *testing.T) {
	c := views.NewConfirm(uitest.Theme(), views.Question{ID: "q", Text: "Send it?", Yes: "send", Word: "none"})
	c.SetSize(56, 9)
	give(t, c, uitest.Text(strings.Repeat("x", 60)+"none")...)
	fits(t, c, 56, 9)
	if !strings.Contains(c.View(), "xnone") {
		t.Errorf("the end of what is typed is not shown:\n%s", c.View())
	}
}
