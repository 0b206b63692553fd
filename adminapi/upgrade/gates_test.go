package upgrade_test

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"geodeck/adminapi/upgrade"
)

// The page lists what the checks may find: each gate is used, and none that it lacks.
func TestEveryGateIsFoundByACheck(t *testing.T) {
	t.Parallel()
	var used, listed []string
	for _, name := range []string{"checks.go", "sitechecks.go", "licence.go"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?:finds|unread|notes|missing|checkAge)\("([^"]+)"|(?:gate|none) [:=]*= "([^"]+)"|, none = "[^"]*", "([^"]+)"|gate = "([^"]+)"`).FindAllStringSubmatch(string(text), -1) {
			used = append(used, m[1]+m[2]+m[3]+m[4])
		}
	}
	for _, g := range upgrade.Gates {
		listed = append(listed, g.ID)
		if g.Means == "" {
			t.Errorf("%s: nothing says what accepting it means", g.ID)
		}
	}
	slices.Sort(used)
	slices.Sort(listed)
	if used = slices.Compact(used); !slices.Equal(used, listed) {
		t.Errorf("used are\n%q\nlisted are\n%q", used, listed)
	}
}
