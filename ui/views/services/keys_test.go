package services_test

import (
	"slices"
	"strings"
	"testing"

	"geodeck/adminapi/operation"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
	"geodeck/ui/views/services"
)

// routes lead to every screen of the view, each from the list.
var routes = map[string]func(*screen){
	"list":    func(*screen) {},
	"marked":  func(s *screen) { s.Press("space") },
	"editor":  func(s *screen) { s.cities() },
	"changed": func(s *screen) { s.cities().set("maxUsageTime", "700") },
	"history": func(s *screen) { sentOnce(s).Press("tab tab") },
	"old":     func(s *screen) { sentOnce(s).Press("tab tab o") },
	"to now":  func(s *screen) { sentOnce(s).Press("tab tab enter") },
	"status":  func(s *screen) { s.cities().Press("tab tab tab") },
	"draft":   func(s *screen) { s.cities().set("maxUsageTime", "700"); s.Press("esc"); *s = *s.restart(); s.cities() },
	"review":  func(s *screen) { s.cities().set("maxUsageTime", "700"); s.Press("services.write") },
	"lost": func(s *screen) {
		s.cities()
		s.Invoke("jsonedit.go", "provider")
		s.Press("jsonedit.delete services.write")
	},
	"result": func(s *screen) { s.cities().set("maxUsageTime", "700"); s.send() },

	"draft elsewhere": func(s *screen) {
		s.startAs(alice).cities().set("maxUsageTime", "700")
		s.cities()
	},
	"draft looked": func(s *screen) {
		s.startAs(alice).cities().set("maxUsageTime", "700")
		s.cities().Press("enter")
	},
	"draft on another host": func(s *screen) {
		c := s.startAs(carol).cities()
		c.set("maxUsageTime", "700")
		c.crash()
		s.cities()
	},
	"draft taken over": func(s *screen) {
		s.cities().set("maxUsageTime", "700")
		s.startAs(bob).cities().takesOver()
		s.set("provider", "Other")
	},
	"rules elsewhere": func(s *screen) {
		s.startAs(alice).rules().preset(5)
		s.rules()
	},
	"rules taken over": func(s *screen) {
		s.rules().preset(5)
		s.startAs(bob).rules().takesOver()
		s.drain(s.Update(views.Shown))
	},

	"rules":         func(s *screen) { s.rules() },
	"rules changed": func(s *screen) { s.rules().preset(5) },
	"rules draft": func(s *screen) {
		s.rules().preset(5)
		s.Press("esc")
		s.rules()
	},
	"rules broken": func(s *screen) {
		s.editor(`echo '{"placementPolicy": 3}' > "$1"`)
		s.rules().Press("services.editor")
	},
	"rules history": func(s *screen) {
		s.rules().preset(5)
		s.sendRules(yes...)
		s.Press("esc tab")
	},
	"rules review": func(s *screen) { s.rules().preset(5); s.Press("services.write") },
	"rules result": func(s *screen) { s.rules().preset(5); s.sendRules(yes...) },
}

// sentOnce leaves one definition in the history.
func sentOnce(s *screen) *screen {
	s.cities().set("maxUsageTime", "700")
	s.send()
	s.Press("esc")
	return s
}

// table are the rows of a view without a site, which help and documents are made of.
func table(t testing.TB) []views.Command {
	return uitest.Rows(t, services.Maker, uitest.Env(t, operation.Site{}, uitest.Theme()))
}

func TestEveryCommandIsExplained(t *testing.T) {
	t.Parallel()
	uitest.Explained(t, slices.DeleteFunc(table(t), func(c views.Command) bool { return c.Help == "" })) // the keys of a line are in Typing
}

// On whatever screen every key means one thing, drawing changes nothing, every size is
// filled exactly, and whatever is done the view keeps its size.
func TestEveryScreenHasDistinctKeysAndFillsItsSize(t *testing.T) {
	t.Parallel()
	rows := table(t)
	for name, route := range routes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t, "healthy")
			route(s)
			uitest.DistinctKeys(t, name, s, rows)
			uitest.Pure(t, s.Model)
			for _, width := range []int{60, 61, 79, 109, 110, 111, 250} {
				for _, height := range []int{9, 10, 19, 40} {
					s.Resize(width, height)
					s.Draw()
				}
			}
			for _, tiny := range []int{0, 1, 2, 3, 5, 8} {
				s.SetSize(tiny, tiny)
				_ = s.View()
			}
			s.Resize(s.size.Width, s.size.Height)
			for _, c := range views.Usable(s.Commands()) {
				s.Invoke(c.ID, "")
				s.Focused(s.CapturesText())
			}
		})
	}
}

// The footer of a narrow terminal has the keys that matter, in the list, the editor and the
// review.
// B18: the filter of the list is named at 80 columns.
func TestTheFootersOfAnEditNameTheKeysThatMatter(t *testing.T) {
	t.Parallel()
	s := openAt(t, uitest.Scenario(t, "healthy"), uitest.Sizes[0])
	first := func(n int) string {
		var keys []string
		for _, hint := range s.hints() {
			if !hint.Moves() {
				keys = append(keys, hint.Key)
			}
		}
		return strings.Join(keys[:n], " ")
	}
	if got := first(4); got != "enter   S /" {
		t.Errorf("the list names %s first", got)
	}
	s.cities().set("maxUsageTime", "700")
	if got := first(8); got != "w e u E / tab a d" {
		t.Errorf("the definition names %s first", got)
	}
	s.Invoke("jsonedit.go", "description")
	s.Press("jsonedit.delete services.write diff.next-open")
	if got := first(2); got != "  n" {
		t.Errorf("the review of a removed key names %s first", got)
	}
	s.Press("esc jsonedit.undo services.write")
	if got := first(4); got != "w v x esc" {
		t.Errorf("the review names %s first", got)
	}
}

// Where all is in sight the arrows do nothing; where not, the bar has to say that they do.
func TestTheStatusSaysThatItScrollsWhereItDoes(t *testing.T) {
	t.Parallel()
	for _, size := range uitest.Sizes {
		s := openAt(t, uitest.Scenario(t, "healthy"), size).cities()
		s.Press("tab tab tab")
		scrolls := size.Height < 40
		first := s.hints()[0].Text
		if (first == views.ScrollHint) != scrolls || strings.Contains(s.View(), "lines 1-") != scrolls {
			t.Errorf("%s: %s\n%s", size.Name, first, s.View())
		}
	}
}
