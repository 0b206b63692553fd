package cli

import (
	"github.com/spf13/cobra"

	"geodeck/adminapi/operation"
)

const placementLong = `Which nodes of the cluster the pods of a service may run on: its placement policy.

In this order nothing comes as a surprise:

  get       the policy that the site has, into a file to edit
  check     what is wrong with the file
  explain   what it says, in plain words
  simulate  which nodes would take the pods, and why not the others
  apply     send it; what was there before is kept
  pods      whether they have come back
  history   what was kept, and restore brings it back

The API does not tell the nodes of the cluster. They come from kubectl: --nodes FILE,
or --nodes-command "kubectl get nodes -o json". Only simulate needs them; with them
check finds misspelt labels, and apply refuses rules that no node can meet.`

const placementExample = `  geodeck placement get Roads.MapServer > policy.json       # edit it, then
  kubectl get nodes -o json > nodes.json
  geodeck placement check policy.json --nodes nodes.json
  geodeck placement simulate policy.json --nodes nodes.json
  geodeck placement apply Roads.MapServer -f policy.json --nodes nodes.json --dry-run`

func (p *program) placementCommand() *cobra.Command {
	cmd := group("placement", "Steer the pods of a service to the right nodes, and see beforehand which take them",
		p.placementGetCommand(), p.placementCheckCommand(), p.placementExplainCommand(), p.placementSimulateCommand(),
		p.placementApplyCommand(), p.placementPodsCommand(), p.placementHistoryCommand(), p.placementRestoreCommand())
	cmd.Long, cmd.Example = placementLong, placementExample
	return cmd
}

// placementOf reads the name of a service whose placement policy is meant.
func placementOf(name string) (operation.Target, error) {
	service, err := serviceNamed(name)
	return operation.PlacementOf(service), err
}
