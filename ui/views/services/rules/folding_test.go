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
		{"or term 2", "rules.move-down", "open folded open", "open open folded"},
		{"or term 2", "rules.move-up", "open folded open", "folded open open"},
		{"or term 2", "down rules.move-up", "open folded open", "open open folded"},
		{"or term 2", "rules.duplicate", "open folded open", "open folded open open"},
		{"or term 2", "rules.delete", "open folded open", "open open"},
		{"or term 3", "up up up rules.delete", "open open folded", "open folded"},
	} {
		s := open(t, manyTerms(3))
		s.on(c.fold).Press("rows.toggle")
		if got := s.folds(); got != c.before {
			t.Fatalf("%s instead of %s\n%s", got, c.before, s.View())
		}
		s.Press(c.keys)
		if got := s.folds(); got != c.after {
			t.Errorf("%s: %s instead of %s\n%s", c.keys, got, c.after, s.View())
		}
		before := c.before
		if c.keys == "rules.delete" { // what is brought back is open
			before = "open open open"
		}
		s.Press("rules.undo")
		if got := s.folds(); got != before {
			t.Errorf("%s u: %s instead of %s", c.keys, got, before)
		}
		s.Press("rules.redo")
		if got := s.folds(); got != c.after {
			t.Errorf("%s u ctrl+r: %s instead of %s", c.keys, got, c.after)
		}
	}
}

func TestATermThatIsAddedFoldsNoOther(t *testing.T) {
	t.Parallel()
	s := open(t, manyTerms(3))
	s.on("or term 2").Press("rows.toggle up rules.add-term")
	s.Type("pool")
	s.Press("tab space space enter")
	if got := s.folds(); got != "open open folded open" {
		t.Errorf("the terms are %s\n%s", got, s.View())
	}
}
