package cli

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"geodeck/adminapi/simulator"
)

// scenarioList describes every scenario on a line of its own.
func scenarioList() string {
	names := simulator.ScenarioNames()
	longest := len(slices.MaxFunc(names, func(a, b string) int { return cmp.Compare(len(a), len(b)) }))
	lines := make([]string, len(names))
	for i, name := range names {
		scenario, _ := simulator.BuiltIn(name)
		lines[i] = fmt.Sprintf("  %-*s  %s", longest, name, scenario.Description)
	}
	return strings.Join(lines, "\n")
}

// noScenario is the error of a name that is neither a scenario nor a file, with
// the scenarios that may have been meant.
func noScenario(name string) error {
	var near []string
	for _, known := range simulator.ScenarioNames() {
		if strings.HasPrefix(known, name) || edits(known, name) <= 1+len(name)/4 {
			near = append(near, known)
		}
	}
	hint := "geodeck serve --help lists the scenarios"
	if len(near) > 0 {
		hint = "did you mean " + strings.Join(near, " or ") + "? " + hint
	}
	what := "scenario"
	if name != filepath.Base(name) || filepath.Ext(name) != "" {
		what = "file"
	}
	return fmt.Errorf("there is no %s %q; %s", what, name, hint)
}

// edits counts the letters that are to be put in, left out or replaced to make
// one word of the other.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
