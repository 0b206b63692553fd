package cli

import (
	"cmp"
	"context"
	"fmt"

	"github.com/charmbracelet/lipgloss"
	"github.com/spf13/cobra"

	"geodeck/adminapi/placement"
	"geodeck/adminapi/plain"
)

func (p *program) placementCheckCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "check FILE|-",
		Short: "Find what is wrong or surprising in rules, exit 1 where something is",
		Long: `Find what is wrong or surprising in rules, without asking the site.

` + policyLong + `

With the nodes of the cluster (--nodes, --nodes-command) also keys and values that no
node has; without them a misspelt label is not found. "blocking" is what the API or
Kubernetes refuses, or what cannot have been meant; "warning" can be sent, and may not
do what you think; "note" is worth knowing, and nothing is wrong. -o json prints an
array of {severity,path,text}.

Exit codes: 0 nothing found but notes; 1 something "blocking" or a "warning"; 2 no
placement policy, with its line and column, or nodes that cannot be read; 5 --timeout
was over before a command had told the nodes.`,
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
	compared := len(nodes.List) > 0
	if !compared {
		p.note("no nodes were given (--nodes, --nodes-command): labels were not compared with those of nodes")
	}
	findings := placement.Check(policy, nodes.List)
	if p.json() {
		list := make([]placementFindingJSON, len(findings))
		for i, f := range findings {
			list[i] = placementFindingJSON{f.Severity.String(), f.Path, f.Text}
		}
		err = printList(p, list)
	} else {
		err = p.printPlacementFindings(findings, compared)
	}
	if wrong := countWrong(findings); err == nil && wrong > 0 {
		return notPassed(plain.Plural(wrong, "finding"))
	}
	return err
}

// countWrong counts the findings that say that something is wrong: notes do not.
func countWrong(findings []placement.Finding) (n int) {
	for _, f := range findings {
		if f.Severity >= placement.Warning {
			n++
		}
	}
	return n
}

// printPlacementFindings prints each finding on one line, whole: a table would cut it.
// compared tells whether there were nodes to compare labels with.
func (p *program) printPlacementFindings(findings []placement.Finding, compared bool) error {
	l := p.appearance()
	for _, f := range findings {
		line := fmt.Sprintf("%-8s  %s  %s", f.Severity, cmp.Or(f.Path, "policy"), f.Text)
		if err := p.say(l.weight(f.Severity).Render(plain.Line(line))); err != nil {
			return err
		}
	}
	switch {
	case countWrong(findings) > 0:
		return nil
	case !compared:
		return p.say("nothing is wrong with these rules, as far as it shows without nodes: labels were not compared")
	}
	return p.say("nothing is wrong with these rules")
}

// weight is the style of a finding.
func (l *look) weight(s placement.Severity) lipgloss.Style {
	switch {
	case s >= placement.Blocking:
		return l.theme.Fail
	case s >= placement.Warning:
		return l.theme.Warn
	}
	return l.theme.Plain
}
