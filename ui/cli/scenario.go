package cli

import (
	"errors"
	"fmt"
	"math"
	"os"
	"syscall"

	"github.com/spf13/cobra"

	"geodeck/adminapi/simulator"
)

// world is what demo and serve simulate.
type world struct {
	scenario string
	speed    float64
	seed     int64
}

func (w *world) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&w.scenario, "scenario", "", "what is simulated: one of the scenarios above, or a YAML file (default healthy)")
	cmd.Flags().Float64Var(&w.speed, "speed", 1, "how fast simulated time passes: 60 is a minute a second")
	cmd.Flags().Int64Var(&w.seed, "seed", 0, "another world of the same scenario; the same seed gives the same world")
	help := cmd.HelpFunc()
	cmd.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		cmd.Long += "\n\nScenarios:\n" + scenarioList()
		help(cmd, args)
	})
	_ = cmd.RegisterFlagCompletionFunc("scenario", cobra.FixedCompletions(simulator.ScenarioNames(), cobra.ShellCompDirectiveDefault))
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
