package sweep

import (
	"math/rand/v2"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui/uitest"
	"geodeck/ui/uitest/sweep/oracle"
)

// slip is what somebody gives in place of a word that confirms.
type slip struct {
	name string
	keys func(word string) []tea.KeyMsg
}

// slips confirm nothing.
var slips = []slip{
	{"pasted", func(word string) []tea.KeyMsg { return []tea.KeyMsg{uitest.Paste(word)} }},
	{"pasted but for its last character", func(word string) []tea.KeyMsg {
		return append([]tea.KeyMsg{uitest.Paste(word[:len(word)-1])}, uitest.Text(word[len(word)-1:])...)
	}},
	{"pasted but for its first character", func(word string) []tea.KeyMsg {
		return append(uitest.Text(word[:1]), uitest.Paste(word[1:]))
	}},
	{"pasted, and its last character typed anew", func(word string) []tea.KeyMsg {
		return append([]tea.KeyMsg{uitest.Paste(word), uitest.Key("backspace")}, uitest.Text(word[len(word)-1:])...)
	}},
	{"too short", func(word string) []tea.KeyMsg { return uitest.Text(word[:len(word)-1]) }},
	{"with a surplus letter", func(word string) []tea.KeyMsg { return uitest.Text(word + "s") }},
	{"with another begin", func(word string) []tea.KeyMsg { return uitest.Text("q" + word) }},
	{"with another last letter", func(word string) []tea.KeyMsg { return uitest.Text(word[:len(word)-1] + "_") }},
	{"as nothing", func(string) []tea.KeyMsg { return nil }},
}

// answers types the word that a question wants, on half of the times after something that confirms nothing: the question has
// to stay open. means is called right before the word itself is typed, from when on it counts.
func (s *screen) answers(asked string, open func(shown string) bool, means func()) {
	if r := s.slips(); r.IntN(2) == 0 {
		one := pick(r, slips)
		for s.keys.bare && strings.Contains(one.name, "pasted") { // where nobody can tell a few letters from it
			one = pick(r, slips)
		}
		s.run.machine.day.meet("a word is given " + one.name)
		s.send(one.keys(asked)...)
		s.press("enter")
		s.wait(time.Second)
		if s.dead() {
			return
		}
		if !open(s.read()) {
			s.wrong("a word that is given " + one.name + " confirms")
			return
		}
		switch {
		case one.name == "too short": // what is its begin is gone on with
			asked = asked[len(asked)-1:]
		case r.IntN(2) == 0: // else the next character begins anew
			s.press("ctrl+u")
		}
	}
	means()
	s.types(asked)
	s.ends()
}

// slips are the draws of what goes wrong at the keys.
func (s *screen) slips() *rand.Rand {
	if s.slipping == nil {
		s.slipping = s.run.machine.day.random(s.run.name + " slips")
	}
	return s.slipping
}

// ends ends a word with enter, at times pressed twice in a row.
func (s *screen) ends() {
	if s.slips().IntN(4) == 0 {
		s.run.machine.day.meet("enter is pressed twice")
		s.send(uitest.Key("enter"), uitest.Key("enter"))
		return
	}
	s.press("enter")
}

// nos are keys that do not answer a question that wants a y.
var nos = []struct {
	name string
	keys []tea.KeyMsg
}{
	{"enter", uitest.Keys("enter enter")},
	{"a pasted y", []tea.KeyMsg{uitest.Paste("y")}},
	{"keys that came together", []tea.KeyMsg{{Type: tea.KeyRunes, Runes: []rune("yy")}}},
	{"y and enter that came together", []tea.KeyMsg{{Type: tea.KeyRunes, Runes: []rune("y\r")}}},
	{"a space", uitest.Keys("space")},
}

// yes answers the question before something is sent, at times after keys that do not, or with a key that is held. On one time
// in six it says no first, and reports that: nothing may be sent then.
func (s *screen) yes(question string) (answered bool) {
	r, day := s.slips(), s.run.machine.day
	if r.IntN(3) == 0 {
		one := pick(r, nos)
		for s.keys.bare && strings.Contains(one.name, "pasted") {
			one = pick(r, nos)
		}
		day.meet("a question gets " + one.name)
		s.send(one.keys...)
		s.wait(time.Second)
		if !s.dead() && !strings.Contains(s.read(), question) {
			s.wrong("the question before something is sent is answered by " + one.name)
			return true
		}
	}
	if !s.saysNo && r.IntN(6) == 0 {
		s.saysNo = true
		day.meet("a question is answered with no first")
		s.press(pick(r, []string{"n", "esc"}))
		s.wait(2 * time.Second)
		return false
	}
	s.run.keys.Yes++
	if r.IntN(4) == 0 {
		day.meet("a y is held")
		s.holds(uitest.Key("y"))
		return true
	}
	s.press("y")
	return true
}

// accepts accepts what a review names, one after the other: by a key, or by its word. It reports whether there was something.
func (s *screen) accepts() (was bool) {
	for range 8 {
		if s.dead() || !strings.Contains(s.read(), warningsText) || !strings.Contains(s.shown, reviewText) {
			return was
		}
		was = true
		s.press("diff.next-open")
		s.wait(2 * time.Second)
		s.press("diff.accept")
		s.wait(time.Second)
		asked := word.FindStringSubmatch(s.read())
		if asked == nil || !strings.Contains(s.shown, acceptText) {
			continue
		}
		s.run.machine.day.meet("what a review names is accepted by its word")
		s.wait(time.Second)
		question := s.shown
		s.answers(asked[1], func(shown string) bool { return strings.Contains(shown, acceptText) },
			func() { s.run.keys.Accepted = append(s.run.keys.Accepted, question) })
		s.wait(time.Second)
	}
	return was
}

// keys are those of a new program. What was accepted in the one before is in the draft that it goes on with.
func (m *machine) keys() *oracle.Keys {
	all := &oracle.Keys{}
	for _, r := range m.runs {
		if r.keys != nil {
			all.Accepted = append(all.Accepted, r.keys.Accepted...)
		}
	}
	return all
}

// keysOf is what was done at the keys of a program until now; nil where it has none.
func (r *run) keysOf() *oracle.Keys {
	if r.keys == nil {
		return nil
	}
	now := *r.keys
	return &now
}
