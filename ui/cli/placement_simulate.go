package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"geodeck/adminapi/operation"
	"geodeck/adminapi/placement"
	"geodeck/adminapi/plain"
)

func (p *program) placementSimulateCommand() *cobra.Command {
	var deployment string
	cmd := &cobra.Command{
		Use:   "simulate FILE|- --nodes FILE|- | --nodes-command COMMAND",
		Short: "Say which nodes would take the pods and why not the others, exit 1 where none does",
		Long: `Say which nodes would take the pods with these rules and why not the others, without
asking the site. Labels and taints alone decide, as the scheduler's own library reads
them: whether there is room on a node is not looked at.

` + policyLong + `

Of a policy with several deployments the table shows each in turn; --deployment picks
one. -o json is about one deployment: {"taking":N,"nodes":[{"name","takes","reasons"}]}.

Exit codes: 0 some node takes the pods of each; 1 none does, they would wait; 2 no
placement policy, with its line and column, or nodes that cannot be read; 5 --timeout
was over before a command had told the nodes.`,
		Example: `  kubectl get nodes -o json | geodeck placement simulate policy.json --nodes -
  geodeck placement simulate policy.json --nodes-command "kubectl --context gis get nodes -o json" -o json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.placementSimulate(cmd.Context(), args[0], deployment)
		},
	}
	cmd.Flags().StringVar(&deployment, "deployment", "", "id of the deployment, where the policy has several")
	complete(cmd, "deployment", nil)
	p.nodes.register(cmd)
	return cmd
}

// simulationJSON is what the nodes of a cluster make of the rules of a deployment.
type simulationJSON struct {
	Taking int               `json:"taking"`
	Nodes  []nodeVerdictJSON `json:"nodes"`
}

type nodeVerdictJSON struct {
	Name    string   `json:"name"`
	Takes   bool     `json:"takes"`
	Reasons []string `json:"reasons"`
}

func (p *program) placementSimulate(ctx context.Context, file, deployment string) error {
	policy, nodes, err := p.policyAndNodes(ctx, file)
	if err != nil {
		return err
	}
	if len(nodes.List) == 0 {
		return badInput(adviceNodes, errors.New("no nodes were given"))
	}
	items, err := deploymentsIn(policy, deployment)
	if err != nil {
		return err
	}
	if placement.Blocked(placement.Check(policy, nil)) {
		p.note("warning: the rules would be refused as they are; see geodeck placement check")
	}
	if !p.json() {
		return p.printSimulations(items, nodes)
	}
	if len(items) > 1 {
		return whichDeployment(items, fmt.Errorf("the policy has %d deployments, and JSON is about one: say which", len(items)))
	}
	verdicts := placement.Explain(items[0], nodes.List)
	if err := p.printValue(simulationOf(verdicts)); err != nil {
		return err
	}
	return noneTakes(placement.Summarize(verdicts))
}

func simulationOf(verdicts []placement.Verdict) simulationJSON {
	s := simulationJSON{Taking: placement.Summarize(verdicts).Taking, Nodes: make([]nodeVerdictJSON, len(verdicts))}
	for i, v := range verdicts {
		s.Nodes[i] = nodeVerdictJSON{v.Node.Name, v.Takes, v.Reasons()}
	}
	return s
}

// noneTakes is a failure where no node takes the pods.
func noneTakes(s placement.Summary) error {
	if s.None() {
		return homeless(s.String())
	}
	return nil
}

// homeless is the failure that no node takes pods.
func homeless(text string) error {
	return &failure{code: exitFailed, kind: "no node", err: errors.New(text), advice: "Whether something is misspelt: geodeck placement check, with the same nodes"}
}

// printSimulations prints a table for each deployment. It fails where no node takes the
// pods of any one of them.
func (p *program) printSimulations(items []placement.Item, nodes operation.Nodes) error {
	var names []string
	for i, item := range items {
		if i > 0 {
			if err := p.say(""); err != nil {
				return err
			}
		}
		none, err := p.printSimulation(item, nodes, len(items) > 1)
		if err != nil {
			return err
		}
		if none {
			names = append(names, deploymentName(item))
		}
	}
	switch {
	case len(names) == 0:
		return nil
	case len(items) == 1:
		return homeless("no node takes these pods")
	}
	return homeless("no node takes the pods of " + strings.Join(names, ", "))
}

func (p *program) printSimulation(item placement.Item, nodes operation.Nodes, named bool) (none bool, err error) {
	l := p.appearance()
	verdicts := placement.Explain(item, nodes.List)
	summary := placement.Summarize(verdicts)
	text := summary.String() + "; nodes of " + moment(nodes.Taken()) + " from " + nodes.Source.String()
	if named {
		text = deploymentName(item) + ": " + text
	}
	if err := p.say(plain.Line(text)); err != nil {
		return false, err
	}
	var rows [][]cell
	for _, v := range verdicts {
		rows = append(rows, l.verdictRows(v)...)
	}
	return summary.None(), p.printTable([]string{"NODE", "TAKES", "WHY"}, rows)
}

// verdictRows is a node in rows: on a terminal, which cuts, each reason has its own.
func (l *look) verdictRows(v placement.Verdict) [][]cell {
	reasons := []string{v.Reason()}
	if l.width > 0 {
		reasons = strings.Split(reasons[0], "; ")
	}
	rows := make([][]cell, len(reasons))
	for i, reason := range reasons {
		rows[i] = l.words("", "", reason)
	}
	rows[0][0].text, rows[0][1] = v.Node.Name, l.takes(v)
	return rows
}

// takes says whether a node takes the pods.
func (l *look) takes(v placement.Verdict) cell {
	switch {
	case !v.Takes:
		return cell{text: l.marked(l.theme.Glyphs.Fail, "no"), style: l.theme.Fail}
	case v.Score > 0:
		return cell{text: l.marked(l.theme.Glyphs.Pass, "preferred"), style: l.theme.OK}
	}
	return cell{text: l.marked(l.theme.Glyphs.Pass, "yes"), style: l.theme.OK}
}
