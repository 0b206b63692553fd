package rules_test

import (
	"strings"
	"testing"
)

// folds are the terms that are shown, with whether they are folded.
func (s *screen) folds() string {
	s.t.Helper()
	var all []string
	for line := range strings.SplitSeq(s.Draw(), "\n") {
		line, _, _ = strings.Cut(line, " │ ")
		line = strings.ReplaceAll(line, "or term", "term")
		switch {
		case strings.Contains(line, "▸ term"):
			all = append(all, "folded")
		case strings.Contains(line, "▾ term"):
			all = append(all, "open")
		}
	}
	return strings.Join(all, " ")
}

func TestWhatIsFoldedGoesAlongWithItsTerm(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ fold, keys, before, after string }{
		{"or term 2", "J", "open folded open", "open open folded"},
		{"or term 2", "K", "open folded open", "folded open open"},
		{"or term 2", "down K", "open folded open", "open open folded"},
		{"or term 2", "c", "open folded open", "open folded open open"},
		{"or term 2", "d", "open folded open", "open open"},
		{"or term 3", "up up up d", "open open folded", "open folded"},
	} {
		s := open(t, manyTerms(3))
		s.on(c.fold).Press("z")
		if got := s.folds(); got != c.before {
			t.Fatalf("%s instead of %s\n%s", got, c.before, s.View())
		}
		s.Press(c.keys)
		if got := s.folds(); got != c.after {
			t.Errorf("%s: %s instead of %s\n%s", c.keys, got, c.after, s.View())
		}
		before := c.before
		if c.keys == "d" { // what is brought back is open
			before = "open open open"
		}
		s.Press("u")
		if got := s.folds(); got != before {
			t.Errorf("%s u: %s instead of %s", c.keys, got, before)
		}
		s.Press("ctrl+r")
		if got := s.folds(); got != c.after {
			t.Errorf("%s u ctrl+r: %s instead of %s", c.keys, got, c.after)
		}
	}
}

func TestATermThatIsAddedFoldsNoOther(t *testing.T) {
	t.Parallel()
	s := open(t, manyTerms(3))
	s.on("or term 2").Press("z up A")
	s.Type("pool")
	s.Press("tab space space enter")
	if got := s.folds(); got != "open open folded open" {
		t.Errorf("the terms are %s\n%s", got, s.View())
	}
}
