package cli

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"geodeck/adminapi/simulator"
)

// world is what demo and serve simulate.
type world struct {
	scenario string
	list     bool // the scenarios are listed, and nothing is simulated
	speed    float64
	seed     int64
}

func (w *world) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&w.scenario, "scenario", "", "what is simulated: the name of a scenario, or a YAML file (default healthy)")
	cmd.Flags().BoolVar(&w.list, "scenarios", false, "list every scenario, and what it shows")
	cmd.Flags().Float64Var(&w.speed, "speed", 1, "how fast simulated time passes: 60 is a minute a second")
	cmd.Flags().Int64Var(&w.seed, "seed", 0, "another world of the same scenario; the same seed gives the same world")
	help := cmd.HelpFunc()
	cmd.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		cmd.Long += "\n\nScenarios to begin with (--scenarios lists them all):\n" + scenarioLines(simulator.FeaturedScenarios(), "  ")
		help(cmd, args)
	})
	_ = cmd.RegisterFlagCompletionFunc("scenario", cobra.FixedCompletions(simulator.ScenarioNames(), cobra.ShellCompDirectiveDefault))
}

// printScenarios prints every scenario that ships, one a line.
func printScenarios(out *output) error {
	names := simulator.ScenarioNames()
	if !out.json() {
		return out.say(scenarioLines(names, ""))
	}
	type row struct {
		Name        string `json:"name"`
		Description string `json:"description"`
	}
	rows := make([]row, len(names))
	for i, name := range names {
		scenario, _ := simulator.BuiltIn(name)
		rows[i] = row{name, scenario.Description}
	}
	return printList(out, rows)
}

// scenarioLines describes scenarios, each on a line of its own.
func scenarioLines(names []string, indent string) string {
	longest := 0
	for _, name := range names {
		longest = max(longest, len(name))
	}
	lines := make([]string, len(names))
	for i, name := range names {
		scenario, _ := simulator.BuiltIn(name)
		lines[i] = fmt.Sprintf("%s%-*s  %s", indent, longest, name, scenario.Description)
	}
	return strings.Join(lines, "\n")
}

// start makes the world and serves it.
func (w *world) start(address string) (*simulator.Server, error) {
	if !(w.speed > 0) || math.IsInf(w.speed, 0) {
		return nil, badInput("", errors.New("--speed takes a number above 0"))
	}
	scenario, err := w.find()
	if err != nil {
		return nil, badInput("", err)
	}
	server, err := simulator.New(simulator.Options{Scenario: scenario, Seed: w.seed, Clock: simulator.NewScaledClock(w.speed)})
	if err != nil {
		return nil, badInput("", err)
	}
	if err := server.Start(address); err != nil {
		err = fmt.Errorf("cannot serve on %s: %w", address, err)
		if errors.Is(err, syscall.EADDRINUSE) {
			return nil, err
		}
		return nil, badInput("An address of this machine will do, such as 127.0.0.1:0, where 0 takes a free port.", err)
	}
	return server, nil
}

func (w *world) find() (simulator.Scenario, error) {
	if w.scenario == "" {
		return simulator.Scenario{}, nil
	}
	if scenario, ok := simulator.BuiltIn(w.scenario); ok {
		return scenario, nil
	}
	content, err := os.ReadFile(w.scenario)
	if errors.Is(err, os.ErrNotExist) {
		return simulator.Scenario{}, noScenario(w.scenario)
	}
	if err != nil {
		return simulator.Scenario{}, err
	}
	scenario, err := simulator.ReadScenario(content)
	if err != nil {
		return scenario, fmt.Errorf("%s: %w", w.scenario, err)
	}
	return scenario, nil
}

// noScenario is the error of a name that is neither a scenario nor a file, with
// the scenarios whose names are near it.
func noScenario(name string) error {
	var near []string
	for _, known := range simulator.ScenarioNames() {
		if strings.HasPrefix(known, name) || editDistance(known, name) <= 1+len(name)/4 {
			near = append(near, known)
		}
	}
	hint := "geodeck serve --scenarios lists the scenarios"
	if len(near) > 0 {
		hint = "did you mean " + strings.Join(near, " or ") + "? " + hint
	}
	what := "scenario"
	if name != filepath.Base(name) || filepath.Ext(name) != "" {
		what = "file"
	}
	return fmt.Errorf("there is no %s %q; %s", what, name, hint)
}

// editDistance counts the letters to insert, remove or replace to make one word
// of the other.
func editDistance(a, b string) int {
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
