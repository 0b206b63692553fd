package cli

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"geodeck/adminapi/placement"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

func (p *program) placementCheckCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "check FILE|-",
		Short: "Find what is wrong or surprising in rules, exit 1 where something is",
		Long: `Find what is wrong or surprising in rules, without asking the site.

` + policyLong + `

With the nodes of the cluster (--nodes, --nodes-command) also keys and values that no
node has. "blocking" is what the API or Kubernetes refuses, or what cannot have been
meant; "warning" can be sent, and may not do what you think. -o json prints an array
of {severity,path,text}.

Exit codes: 0 nothing found; 1 findings, whatever their severity; 2 no placement
policy, with its line and column, or nodes that cannot be read; 5 --timeout was over
before a command had told the nodes.`,
		Example: `  geodeck placement check policy.json
  geodeck placement check policy.json --nodes-command "kubectl get nodes -o json"`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return p.placementCheck(cmd.Context(), args[0]) },
	}
	p.nodes.register(cmd)
	return cmd
}

// placementFindingJSON is a finding; the path is that of the JSON.
type placementFindingJSON struct {
	Severity string `json:"severity"`
	Path     string `json:"path"`
	Text     string `json:"text"`
}

func (p *program) placementCheck(ctx context.Context, file string) error {
	policy, nodes, err := p.policyAndNodes(ctx, file)
	if err != nil {
		return err
	}
	findings := placement.Check(policy, nodes.List)
	if p.json() {
		list := make([]placementFindingJSON, len(findings))
		for i, f := range findings {
			list[i] = placementFindingJSON{f.Severity.String(), f.Path, f.Text}
		}
		err = printList(p, list)
	} else {
		err = p.printPlacementFindings(findings)
	}
	if err == nil && len(findings) > 0 {
		return notPassed(views.Plural(len(findings), "finding"))
	}
	return err
}

// printPlacementFindings prints each finding on one line, whole: a table would cut it.
func (p *program) printPlacementFindings(findings []placement.Finding) error {
	if len(findings) == 0 {
		return p.say("nothing is wrong with these rules")
	}
	l := p.appearance()
	for _, f := range findings {
		style := l.theme.Warn
		if f.Severity == placement.Blocking {
			style = l.theme.Fail
		}
		line := fmt.Sprintf("%-8s  %s  %s", f.Severity, cmp.Or(f.Path, "policy"), f.Text)
		if err := p.say(style.Render(plain.Line(line))); err != nil {
			return err
		}
	}
	return nil
}
