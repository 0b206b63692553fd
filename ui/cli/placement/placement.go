// Package placement has the commands of "geodeck placement": the nodes that the pods of a service
// run on.
//
// Start at [Command]; package edits sends what apply.go makes.
package placement

import (
	"github.com/spf13/cobra"

	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/placement"
	"geodeck/ui/cli/command"
	"geodeck/ui/cli/edits"
	"geodeck/ui/cli/output"
)

const placementLong = `A placement policy says which nodes of the cluster the pods of a service may run on.

The usual order of work:

  get       save the policy that the site has, to edit it
  check     find mistakes in the file
  explain   say in plain words what it means
  simulate  show which nodes would take the pods, and why not the others
  apply     send it; the policy that it replaces is saved. Ready-made rules: presets
  pods      see whether the pods are ready again
  history   list the saved policies; restore sends one again

The API does not list the nodes of the cluster. kubectl does: --nodes FILE, or
--nodes-command "kubectl get nodes -o json". Only simulate needs them. With them, check
also finds misspelt labels, and apply refuses rules that no node can meet.`

const placementExample = `  geodeck placement get SampleWorldCities.MapServer > policy.json  # edit it, then
  kubectl get nodes -o json > nodes.json
  geodeck placement check policy.json --nodes nodes.json
  geodeck placement simulate policy.json --nodes nodes.json
  geodeck placement apply SampleWorldCities.MapServer -f policy.json --nodes nodes.json --dry-run`

// commands are the commands of "geodeck placement".
type commands struct {
	command.Env
	nodes *command.Nodes // of the cluster
}

// Command makes "geodeck placement".
func Command(s command.Env, nodes *command.Nodes) *cobra.Command {
	p := commands{s, nodes}
	cmd := command.Group("placement",
		"Choose the nodes that the pods of a service run on, and see beforehand which take them",
		edits.GetCommand(s, editing.Placement), p.checkCommand(), p.explainCommand(), p.simulateCommand(),
		p.presetsCommand(), edits.DiffCommand(s, editing.Placement), p.applyCommand(), p.podsCommand(), edits.HistoryCommand(s, editing.Placement), p.restoreCommand())
	cmd.Long, cmd.Example = placementLong, placementExample
	return cmd
}

// Shapes are what these commands print as objects of ours.
func Shapes() output.Shapes {
	return output.Shapes{
		"placement pods":     {[]edits.PodsJSON{}},
		"placement presets":  {[]placement.Preset{}, presetJSON{}},
		"placement check":    {[]placementFindingJSON{}},
		"placement explain":  {[]explainedJSON{}},
		"placement simulate": {simulationJSON{}},
	}
}
