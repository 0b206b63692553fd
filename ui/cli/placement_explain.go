package cli

import (
	"github.com/spf13/cobra"

	"geodeck/adminapi/placement"
	"geodeck/adminapi/plain"
)

func (p *program) placementExplainCommand() *cobra.Command {
	var hints bool
	cmd := &cobra.Command{
		Use:   "explain FILE|-",
		Short: "Say in plain words what rules mean, a sentence for each deployment",
		Long: `Say in plain words what rules mean, a sentence for each deployment, without asking
the site.

` + policyLong + `

--hints adds what people get wrong about such rules. -o json prints an array of
{deploymentId,deploymentType,sentence,hints}, with hints of {id,text}.

Exit codes: 0 done; 2 no placement policy, with its line and column.`,
		Example: `  geodeck placement explain policy.json --hints
  geodeck placement get Roads.MapServer | geodeck placement explain -`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return p.placementExplain(args[0], hints) },
	}
	cmd.Flags().BoolVar(&hints, "hints", false, "add what people get wrong about such rules")
	return cmd
}

// explainedJSON is a deployment in plain words.
type explainedJSON struct {
	DeploymentID   string     `json:"deploymentId"`
	DeploymentType string     `json:"deploymentType"`
	Sentence       string     `json:"sentence"`
	Hints          []hintJSON `json:"hints"`
}

type hintJSON struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

func (p *program) placementExplain(file string, hints bool) error {
	policy, _, err := p.policyFrom(file)
	if err != nil {
		return err
	}
	items, err := deploymentsIn(policy, "")
	if err != nil {
		return err
	}
	if p.json() {
		list := make([]explainedJSON, len(items))
		for i, item := range items {
			list[i] = explained(item)
		}
		return printList(p, list)
	}
	for _, item := range items {
		if err := p.printExplained(item, len(items) > 1, hints); err != nil {
			return err
		}
	}
	return nil
}

func explained(item placement.Item) explainedJSON {
	e := explainedJSON{DeploymentID: item.DeploymentID, DeploymentType: item.DeploymentType, Sentence: placement.Sentence(item), Hints: []hintJSON{}}
	for _, hint := range placement.Hints(item) {
		e.Hints = append(e.Hints, hintJSON{hint.ID, hint.Text})
	}
	return e
}

func (p *program) printExplained(item placement.Item, named, hints bool) error {
	l := p.appearance()
	text := placement.Sentence(item)
	if named {
		text = l.theme.Label.Render(plain.Line(deploymentName(item)+":")) + " " + text
	}
	if err := p.say(text); err != nil || !hints {
		return err
	}
	for _, hint := range placement.Hints(item) {
		if err := p.say("  " + plain.Line(hint.Text)); err != nil {
			return err
		}
	}
	return nil
}
