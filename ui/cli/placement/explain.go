package placement

import (
	"context"

	"github.com/spf13/cobra"

	"geodeck/adminapi/placement"
	"geodeck/adminapi/plain"
	"geodeck/ui/cli/command"
	"geodeck/ui/cli/edits"
	"geodeck/ui/cli/output"
)

func (p commands) explainCommand() *cobra.Command {
	var hints bool
	cmd := &cobra.Command{
		Use:   "explain FILE|-",
		Short: "Say in plain words what rules mean, with a sentence for each deployment",
		Long: `Say in plain words what rules mean, with a sentence for each deployment, without
contacting the site.

` + policyLong + `

--hints adds what people often get wrong about such rules. With the nodes of the cluster
(--nodes, --nodes-command) it also says how many of them take the pods. -o json prints
items of {deploymentId,deploymentType,sentence,hints}, with hints of {id,text}, and with
nodes also {taking,total}.

Exit codes: 0 done; 2 not a placement policy, with line and column, or nodes that cannot
be read; 5 --timeout was over before a command had printed the nodes.`,
		Example: `  geodeck placement explain policy.json --hints
  geodeck placement get SampleWorldCities.MapServer | geodeck placement explain -`,
		Args: cobra.ExactArgs(1),
		RunE: command.RunsWith(&hints, p.explain),
	}
	cmd.Flags().BoolVar(&hints, "hints", false, "add what people often get wrong about such rules")
	p.nodes.Register(cmd)
	return cmd
}

// explainedJSON is a deployment in plain words.
type explainedJSON struct {
	DeploymentID   string           `json:"deploymentId"`
	DeploymentType string           `json:"deploymentType"`
	Sentence       string           `json:"sentence"`
	Hints          []placement.Hint `json:"hints"`
	Taking         *int             `json:"taking,omitempty"` // nodes that take the pods, of so many
	Total          int              `json:"total,omitzero"`
}

func (p commands) explain(ctx context.Context, file string, hints bool) error {
	policy, nodes, err := p.policyAndNodes(ctx, file)
	if err != nil {
		return err
	}
	items, err := deploymentsIn(policy, "")
	if err != nil {
		return err
	}
	if p.Out.JSON() {
		list := make([]explainedJSON, len(items))
		for i, item := range items {
			list[i] = explainedJSON{
				DeploymentID: item.DeploymentID, DeploymentType: item.DeploymentType,
				Sentence: placement.Sentence(item), Hints: placement.Hints(item),
			}
			if len(nodes.List) > 0 {
				summary := placement.Summarize(placement.Explain(item, nodes.List))
				list[i].Taking, list[i].Total = &summary.Taking, summary.Total
			}
		}
		return output.PrintList(p.Out, list)
	}
	for _, item := range items {
		if err := p.printExplained(item, nodes.List, len(items) > 1, hints); err != nil {
			return err
		}
	}
	return nil
}

func (p commands) printExplained(item placement.Item, nodes []placement.Node, named, hints bool) error {
	l := p.Out.Renderer()
	text := placement.Sentence(item)
	if named {
		text = l.Theme.Label.Render(plain.Line(edits.DeploymentName(item)+":")) + " " + text
	}
	err := p.Out.PrintLine(text)
	if err == nil && len(nodes) > 0 {
		err = p.Out.PrintLine("  " + placement.Summarize(placement.Explain(item, nodes)).String())
	}
	if err != nil || !hints {
		return err
	}
	for _, hint := range placement.Hints(item) {
		if err := p.Out.PrintLine("  " + plain.Line(hint.Text)); err != nil {
			return err
		}
	}
	return nil
}
