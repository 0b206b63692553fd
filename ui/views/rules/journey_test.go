package rules_test

import (
	"testing"
)

func TestATermIsAddedWithAKeyFromTheLabels(t *testing.T) {
	s := open(t, file(t, "two.json"))
	s.shows("6 of 14 nodes take these pods")
	s.press("a")
	s.typed("gp")
	s.press("down enter")
	s.shows("In needs at least one value")
	s.press("down right")
	s.typed(",")
	s.press("down enter")
	s.holds(`"key": "gpu"`, `"a100"`, `"h100"`)
	s.shows("none of 14 nodes takes these pods")
	s.press("u")
	s.is(file(t, "two.json"))
	s.shows("6 of 14 nodes take these pods", "0 steps before it")
}
