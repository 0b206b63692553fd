package placement

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"geodeck/adminapi/lists"
	"geodeck/adminapi/operation/nodesource"
	"geodeck/adminapi/placement"
	"geodeck/adminapi/plain"
	"geodeck/ui/cli/command"
	"geodeck/ui/cli/edits"
	"geodeck/ui/cli/exit"
	"geodeck/ui/cli/output"
)

func (p commands) simulateCommand() *cobra.Command {
	var deployment string
	cmd := &cobra.Command{
		Use:   "simulate FILE|- --nodes FILE|- | --nodes-command COMMAND",
		Short: "Show which nodes would take the pods, and why not the others; exit 1 if none does",
		Long: `Show which nodes would take the pods with these rules, and why not the others, without
contacting the site. Only labels and taints count, as Kubernetes' own scheduler library
reads them; free room on a node does not.

` + policyLong + `

If a policy has several deployments, the table shows each in turn; --deployment picks
one. -o json is about one deployment:
{"taking":N,"makeable":false,"nodes":[{"name","takes","reasons"}]}; makeable is true where no
node takes the pods now, but a pool of the cluster may make one.

Exit codes: 0 each deployment has a node that takes its pods, or a pool that may make one;
1 one has neither, and its pods would wait; 2 not a placement policy, with line and column, or nodes that cannot be
read; 5 --timeout was over before a command had printed the nodes.`,
		Example: `  kubectl get nodes -o json | geodeck placement simulate policy.json --nodes -
  geodeck placement simulate policy.json --nodes-command "kubectl --context gis get nodes -o json" -o json`,
		Args: cobra.ExactArgs(1),
		RunE: command.RunsWith(&deployment, p.simulate),
	}
	cmd.Flags().StringVar(&deployment, "deployment", "", "id of the deployment, if the policy has several")
	command.Complete(cmd, "deployment", nil)
	p.nodes.Register(cmd)
	return cmd
}

// simulationJSON is what the nodes of a cluster make of the rules of a deployment.
type simulationJSON struct {
	Taking   int               `json:"taking"`
	Makeable bool              `json:"makeable"` // none takes them now, but a pool may make one that does
	Nodes    []nodeVerdictJSON `json:"nodes"`
}

type nodeVerdictJSON struct {
	Name    string   `json:"name"`
	Takes   bool     `json:"takes"`
	Reasons []string `json:"reasons"`
}

func (p commands) simulate(ctx context.Context, file, deployment string) error {
	policy, nodes, err := p.policyAndNodes(ctx, file)
	if err != nil {
		return err
	}
	if len(nodes.List) == 0 {
		return exit.BadInput(command.AdviceNodes, errors.New("no nodes were given"))
	}
	items, err := deploymentsIn(policy, deployment)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(placement.Check(policy, nil), placement.Finding.Blocks) {
		p.Out.Note("warning: the rules would be refused as they are; see {command:placement check FILE}")
	}
	if !p.Out.JSON() {
		return p.printSimulations(items, nodes)
	}
	if len(items) > 1 {
		return whichDeployment(items, fmt.Errorf("the policy has %d deployments, and JSON covers one: choose it", len(items)))
	}
	verdicts := placement.Explain(items[0], nodes.List)
	summary := placement.Summarize(verdicts)
	simulation := simulationJSON{summary.Taking, summary.Makeable, lists.Each(verdicts, func(v placement.Verdict) nodeVerdictJSON {
		return nodeVerdictJSON{v.Node.Name, v.Takes, v.Reasons()}
	})}
	if err := p.Out.PrintValue(simulation); err != nil || !summary.Stuck() {
		return err
	}
	return noNode(summary.String())
}

// noNode is the failure that no node takes pods.
func noNode(text string) error {
	return &exit.Failure{Code: exit.Failed, Kind: "no node", Err: errors.New(text),
		Advice: "Check for misspellings, with the same nodes: {command:placement check FILE}"}
}

// printSimulations prints a table for each deployment. It fails where no node takes the
// pods of any one of them.
func (p commands) printSimulations(items []placement.Item, nodes nodesource.Nodes) error {
	var names []string
	for i, item := range items {
		if i > 0 {
			if err := p.Out.PrintLine(""); err != nil {
				return err
			}
		}
		none, err := p.printSimulation(item, nodes, len(items) > 1)
		if err != nil {
			return err
		}
		if none {
			names = append(names, edits.DeploymentName(item))
		}
	}
	switch {
	case len(names) == 0:
		return nil
	case len(items) == 1:
		return noNode("no node takes these pods")
	}
	return noNode("no node takes the pods of " + strings.Join(names, ", "))
}

func (p commands) printSimulation(item placement.Item, nodes nodesource.Nodes, named bool) (none bool, err error) {
	l := p.Out.Renderer()
	verdicts := placement.Explain(item, nodes.List)
	summary := placement.Summarize(verdicts)
	text := summary.String() + "; nodes of " + output.FormatTime(nodes.Taken()) + " from " + nodes.Source.String()
	if named {
		text = edits.DeploymentName(item) + ": " + text
	}
	if err := p.Out.PrintLine(plain.Line(text)); err != nil {
		return false, err
	}
	var rows [][]output.Cell
	for _, g := range placement.Groups(verdicts) {
		for _, v := range g.Verdicts {
			rows = append(rows, verdictRows(l, v)...)
		}
	}
	return summary.Stuck(), p.Out.PrintTable([]string{"NODE", "TAKES", "WHY"}, rows)
}

// verdictRows is a node in rows: on a terminal, which cuts, each reason has its own.
func verdictRows(l *output.Renderer, v placement.Verdict) [][]output.Cell {
	reasons := []string{v.Reason()}
	if l.Width > 0 {
		reasons = strings.Split(reasons[0], "; ")
	}
	rows := lists.Each(reasons, func(reason string) []output.Cell { return l.Row("", "", reason) })
	rows[0] = l.Row(v.Node.Name, takesCell(l, v), reasons[0])
	return rows
}

// takes says whether a node takes the pods.
func takesCell(l *output.Renderer, v placement.Verdict) output.Cell {
	switch {
	case !v.Takes:
		return l.StatusCell(output.Bad, "no")
	case v.Score > 0:
		return l.StatusCell(output.Good, "preferred")
	}
	return l.StatusCell(output.Good, "yes")
}
