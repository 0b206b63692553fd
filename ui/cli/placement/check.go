package placement

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/charmbracelet/lipgloss"
	"github.com/spf13/cobra"

	"geodeck/adminapi/finding"
	"geodeck/adminapi/lists"
	"geodeck/adminapi/operation/nodesource"
	"geodeck/adminapi/placement"
	"geodeck/adminapi/plain"
	"geodeck/ui/cli/command"
	"geodeck/ui/cli/exit"
	"geodeck/ui/cli/files"
	"geodeck/ui/cli/output"
)

// policyLong says what a file of rules may hold.
const policyLong = `FILE holds a whole placement policy as placement get prints it, one deployment of it
(an object with podPlacementPolicy), or the rules alone (a podPlacementPolicy, an
object with nodeAffinity and tolerations); - is the standard input. check, simulate and
explain read also the file that places stores when a site is configured (the list
placementPolicies with components), which no service takes.`

// policyFrom reads rules in any form from a file or the standard input. Errors are bad
// input, and name the line.
func policyFrom(ctx context.Context, in io.Reader, path string) (placement.Policy, []byte, error) {
	text, name, err := files.Content(ctx, in, path)
	var policy placement.Policy
	if err == nil {
		if policy, err = placement.Parse(text); err != nil {
			err = fmt.Errorf("%s: %w", name, err)
		}
	}
	if err != nil && ctx.Err() == nil {
		err = exit.BadInput("", err)
	}
	return policy, text, err
}

// policyAndNodes reads rules, and the nodes if a source of them is given.
func (p commands) policyAndNodes(ctx context.Context, file string) (placement.Policy, nodesource.Nodes, error) {
	source, err := p.nodes.SourceWith(file)
	if err != nil {
		return placement.Policy{}, nodesource.Nodes{}, err
	}
	policy, _, err := policyFrom(ctx, p.In, file)
	if err != nil {
		return policy, nodesource.Nodes{}, err
	}
	nodes, err := p.nodes.Read(ctx, source)
	return policy, nodes, err
}

// deploymentsIn picks the deployment of a policy with that id, or without an id all.
func deploymentsIn(policy placement.Policy, id string) ([]placement.Item, error) {
	all := policy.Items()
	if len(all) == 0 {
		return nil, exit.BadInputf("the policy has no deployment")
	}
	if id == "" {
		return all, nil
	}
	for _, item := range all {
		if item.DeploymentID == id {
			return []placement.Item{item}, nil
		}
	}
	return nil, whichDeployment(all, fmt.Errorf("the policy has no deployment %q", id))
}

// whichDeployment is bad input that lists what can be chosen.
func whichDeployment(all []placement.Item, err error) error {
	f := exit.New(exit.Usage, "", err)
	for _, item := range all {
		if item.DeploymentID != "" {
			f.Details = append(f.Details, "--deployment "+plain.ShellWord(item.DeploymentID)+"  "+item.DeploymentType)
		}
	}
	return f
}

func (p commands) checkCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "check FILE|-",
		Short: "Find mistakes and surprises in rules; exit 1 if there are any",
		Long: `Find mistakes and surprises in rules, without contacting the site.

` + policyLong + `

With --nodes or --nodes-command, keys and values that no node has are found as well;
without nodes a misspelt label is not. "blocking": the API or Kubernetes refuses it;
"danger": no node takes the pods, and apply needs --accept no-node; "caution": it may not do
what you expect, or only a pool may make the node; "note": nothing is wrong. -o json prints items of
{severity,path,text}.

Exit codes: 0 nothing but notes; 1 anything else; 2 not a placement policy, with line and
column, or nodes that cannot be read; 5 --timeout was over before a command had printed
the nodes.`,
		Example: `  geodeck placement check policy.json
  geodeck placement check policy.json --nodes-command "kubectl get nodes -o json"`,
		Args: cobra.ExactArgs(1),
		RunE: command.RunsOn(p.check),
	}
	p.nodes.Register(cmd)
	return cmd
}

// placementFindingJSON is a finding; the path is that of the JSON.
type placementFindingJSON struct {
	Severity string `json:"severity"`
	Path     string `json:"path"`
	Text     string `json:"text"`
}

func (p commands) check(ctx context.Context, file string) error {
	policy, nodes, err := p.policyAndNodes(ctx, file)
	if err != nil {
		return err
	}
	compared := len(nodes.List) > 0
	if !compared {
		p.Out.Note("no nodes were given (--nodes, --nodes-command): labels were not compared with those of nodes")
	}
	findings := placement.Check(policy, nodes.List)
	if p.Out.JSON() {
		err = output.PrintList(p.Out, lists.Each(findings, func(f placement.Finding) placementFindingJSON {
			return placementFindingJSON{f.Strength.String(), f.At.Path, f.Text}
		}))
	} else {
		err = p.printPlacementFindings(findings, compared)
	}
	if wrong := countWrong(findings); err == nil && wrong > 0 {
		return exit.NotPassed("", plain.Plural(wrong, "finding"))
	}
	return err
}

// countWrong counts the findings that are more than notes.
func countWrong(findings []placement.Finding) (n int) {
	for _, f := range findings {
		if f.Strength >= finding.Caution {
			n++
		}
	}
	return n
}

// printPlacementFindings prints each finding on one line, whole: a table would cut it.
// compared says whether there were nodes to compare labels with.
func (p commands) printPlacementFindings(findings []placement.Finding, compared bool) error {
	l := p.Out.Renderer()
	for _, f := range findings {
		line := fmt.Sprintf("%-8s  %s  %s", f.Strength, cmp.Or(f.At.Path, "policy"), f.Text)
		if err := p.Out.PrintLine(severityStyle(l, f.Strength).Render(plain.Line(line))); err != nil {
			return err
		}
	}
	switch {
	case countWrong(findings) > 0:
		return nil
	case !compared:
		return p.Out.PrintLine("nothing is wrong with these rules; without nodes, labels were not compared")
	}
	return p.Out.PrintLine("nothing is wrong with these rules")
}

// severityStyle is the style of a finding.
func severityStyle(l *output.Renderer, s finding.Strength) lipgloss.Style {
	switch {
	case s >= finding.Danger:
		return l.Theme.Fail
	case s >= finding.Caution:
		return l.Theme.Warn
	}
	return l.Theme.Plain
}
