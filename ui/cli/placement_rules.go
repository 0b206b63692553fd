package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/spf13/cobra"

	"geodeck/adminapi/finding"
	"geodeck/adminapi/operation/nodesource"
	"geodeck/adminapi/placement"
	"geodeck/adminapi/plain"
	"geodeck/ui/cli/output"
)

// policyLong says what a file of rules may hold.
const policyLong = `FILE holds a whole placement policy as placement get prints it, one deployment of it
(an object with podPlacementPolicy), or the rules alone (a podPlacementPolicy, an
object with nodeAffinity and tolerations); - is the standard input.`

// policyFrom reads rules in any form from a file or the standard input. Errors are bad
// input, and name the line.
func policyFrom(ctx context.Context, in io.Reader, path string) (placement.Policy, []byte, error) {
	text, name, err := contentOf(ctx, in, path)
	var policy placement.Policy
	if err == nil {
		if policy, err = placement.Parse(text); err != nil {
			err = fmt.Errorf("%s: %w", name, err)
		}
	}
	if err != nil && ctx.Err() == nil {
		err = badInput("", err)
	}
	return policy, text, err
}

// policyAndNodes reads rules, and the nodes if a source of them is given.
func (p placementCommands) policyAndNodes(ctx context.Context, file string) (placement.Policy, nodesource.Nodes, error) {
	source, err := p.nodes.sourceWith(file)
	if err != nil {
		return placement.Policy{}, nodesource.Nodes{}, err
	}
	policy, _, err := policyFrom(ctx, p.in, file)
	if err != nil {
		return policy, nodesource.Nodes{}, err
	}
	nodes, err := p.nodes.read(ctx, source)
	return policy, nodes, err
}

// deploymentName names a deployment of a policy for a person. Bare rules have no name.
func deploymentName(i placement.Item) string {
	switch {
	case i.DeploymentID == "":
		return i.DeploymentType
	case i.DeploymentType == "":
		return i.DeploymentID
	}
	return i.DeploymentID + " (" + i.DeploymentType + ")"
}

// deploymentsIn picks the deployment of a policy with that id, or without an id all.
func deploymentsIn(policy placement.Policy, id string) ([]placement.Item, error) {
	all := policy.Items()
	if len(all) == 0 {
		return nil, badInputf("the policy has no deployment")
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
	f := &failure{code: exitUsage, kind: "usage", err: err}
	for _, item := range all {
		if item.DeploymentID != "" {
			f.details = append(f.details, "--deployment "+plain.ShellWord(item.DeploymentID)+"  "+item.DeploymentType)
		}
	}
	return f
}

func (p placementCommands) checkCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "check FILE|-",
		Short: "Find mistakes and surprises in rules; exit 1 if there are any",
		Long: `Find mistakes and surprises in rules, without contacting the site.

` + policyLong + `

With --nodes or --nodes-command, keys and values that no node has are found as well;
without nodes a misspelt label is not. "blocking": the API or Kubernetes refuses it;
"danger": no node takes the pods, and apply needs --allow-none; "caution": it may not do
what you expect; "note": nothing is wrong. -o json prints an array of
{severity,path,text}.

Exit codes: 0 nothing but notes; 1 anything else; 2 not a placement policy, with line and
column, or nodes that cannot be read; 5 --timeout was over before a command had printed
the nodes.`,
		Example: `  geodeck placement check policy.json
  geodeck placement check policy.json --nodes-command "kubectl get nodes -o json"`,
		Args: cobra.ExactArgs(1),
		RunE: runsOn(p.check),
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

func (p placementCommands) check(ctx context.Context, file string) error {
	policy, nodes, err := p.policyAndNodes(ctx, file)
	if err != nil {
		return err
	}
	compared := len(nodes.List) > 0
	if !compared {
		p.out.Note("no nodes were given (--nodes, --nodes-command): labels were not compared with those of nodes")
	}
	findings := placement.Check(policy, nodes.List)
	if p.out.JSON() {
		err = output.PrintList(p.out, each(findings, func(f placement.Finding) placementFindingJSON {
			return placementFindingJSON{f.Strength.String(), f.At.Path, f.Text}
		}))
	} else {
		err = p.printPlacementFindings(findings, compared)
	}
	if wrong := countWrong(findings); err == nil && wrong > 0 {
		return notPassed("", plain.Plural(wrong, "finding"))
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
func (p placementCommands) printPlacementFindings(findings []placement.Finding, compared bool) error {
	l := p.out.Renderer()
	for _, f := range findings {
		line := fmt.Sprintf("%-8s  %s  %s", f.Strength, cmp.Or(f.At.Path, "policy"), f.Text)
		if err := p.out.PrintLine(severityStyle(l, f.Strength).Render(plain.Line(line))); err != nil {
			return err
		}
	}
	switch {
	case countWrong(findings) > 0:
		return nil
	case !compared:
		return p.out.PrintLine("nothing is wrong with these rules; without nodes, labels were not compared")
	}
	return p.out.PrintLine("nothing is wrong with these rules")
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

func (p placementCommands) explainCommand() *cobra.Command {
	var hints bool
	cmd := &cobra.Command{
		Use:   "explain FILE|-",
		Short: "Say in plain words what rules mean, with a sentence for each deployment",
		Long: `Say in plain words what rules mean, with a sentence for each deployment, without
contacting the site.

` + policyLong + `

--hints adds what people often get wrong about such rules. With the nodes of the cluster
(--nodes, --nodes-command) it also says how many of them take the pods. -o json prints an
array of {deploymentId,deploymentType,sentence,hints}, with hints of {id,text}, and with
nodes also {taking,total}.

Exit codes: 0 done; 2 not a placement policy, with line and column, or nodes that cannot
be read; 5 --timeout was over before a command had printed the nodes.`,
		Example: `  geodeck placement explain policy.json --hints
  geodeck placement get SampleWorldCities.MapServer | geodeck placement explain -`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return p.explain(cmd.Context(), args[0], hints) },
	}
	cmd.Flags().BoolVar(&hints, "hints", false, "add what people often get wrong about such rules")
	p.nodes.register(cmd)
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

func (p placementCommands) explain(ctx context.Context, file string, hints bool) error {
	policy, nodes, err := p.policyAndNodes(ctx, file)
	if err != nil {
		return err
	}
	items, err := deploymentsIn(policy, "")
	if err != nil {
		return err
	}
	if p.out.JSON() {
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
		return output.PrintList(p.out, list)
	}
	for _, item := range items {
		if err := p.printExplained(item, nodes.List, len(items) > 1, hints); err != nil {
			return err
		}
	}
	return nil
}

func (p placementCommands) printExplained(item placement.Item, nodes []placement.Node, named, hints bool) error {
	l := p.out.Renderer()
	text := placement.Sentence(item)
	if named {
		text = l.Theme.Label.Render(plain.Line(deploymentName(item)+":")) + " " + text
	}
	err := p.out.PrintLine(text)
	if err == nil && len(nodes) > 0 {
		err = p.out.PrintLine("  " + placement.Summarize(placement.Explain(item, nodes)).String())
	}
	if err != nil || !hints {
		return err
	}
	for _, hint := range placement.Hints(item) {
		if err := p.out.PrintLine("  " + plain.Line(hint.Text)); err != nil {
			return err
		}
	}
	return nil
}

func (p placementCommands) simulateCommand() *cobra.Command {
	var deployment string
	cmd := &cobra.Command{
		Use:   "simulate FILE|- --nodes FILE|- | --nodes-command COMMAND",
		Short: "Show which nodes would take the pods, and why not the others; exit 1 if none does",
		Long: `Show which nodes would take the pods with these rules, and why not the others, without
contacting the site. Only labels and taints count, as Kubernetes' own scheduler library
reads them; free room on a node does not.

` + policyLong + `

If a policy has several deployments, the table shows each in turn; --deployment picks
one. -o json is about one deployment: {"taking":N,"nodes":[{"name","takes","reasons"}]}.

Exit codes: 0 each deployment has a node that takes its pods; 1 one has none, and its
pods would wait; 2 not a placement policy, with line and column, or nodes that cannot be
read; 5 --timeout was over before a command had printed the nodes.`,
		Example: `  kubectl get nodes -o json | geodeck placement simulate policy.json --nodes -
  geodeck placement simulate policy.json --nodes-command "kubectl --context gis get nodes -o json" -o json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.simulate(cmd.Context(), args[0], deployment)
		},
	}
	cmd.Flags().StringVar(&deployment, "deployment", "", "id of the deployment, if the policy has several")
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

func (p placementCommands) simulate(ctx context.Context, file, deployment string) error {
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
	if slices.ContainsFunc(placement.Check(policy, nil), placement.Finding.Blocks) {
		p.out.Note("warning: the rules would be refused as they are; see {command:placement check FILE}")
	}
	if !p.out.JSON() {
		return p.printSimulations(items, nodes)
	}
	if len(items) > 1 {
		return whichDeployment(items, fmt.Errorf("the policy has %d deployments, and JSON covers one: choose it", len(items)))
	}
	verdicts := placement.Explain(items[0], nodes.List)
	summary := placement.Summarize(verdicts)
	simulation := simulationJSON{summary.Taking, each(verdicts, func(v placement.Verdict) nodeVerdictJSON {
		return nodeVerdictJSON{v.Node.Name, v.Takes, v.Reasons()}
	})}
	if err := p.out.PrintValue(simulation); err != nil || !summary.None() {
		return err
	}
	return noNode(summary.String())
}

// noNode is the failure that no node takes pods.
func noNode(text string) error {
	return &failure{code: exitFailed, kind: "no node", err: errors.New(text), advice: "Check for misspellings, with the same nodes: {command:placement check FILE}"}
}

// printSimulations prints a table for each deployment. It fails where no node takes the
// pods of any one of them.
func (p placementCommands) printSimulations(items []placement.Item, nodes nodesource.Nodes) error {
	var names []string
	for i, item := range items {
		if i > 0 {
			if err := p.out.PrintLine(""); err != nil {
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
		return noNode("no node takes these pods")
	}
	return noNode("no node takes the pods of " + strings.Join(names, ", "))
}

func (p placementCommands) printSimulation(item placement.Item, nodes nodesource.Nodes, named bool) (none bool, err error) {
	l := p.out.Renderer()
	verdicts := placement.Explain(item, nodes.List)
	summary := placement.Summarize(verdicts)
	text := summary.String() + "; nodes of " + output.FormatTime(nodes.Taken()) + " from " + nodes.Source.String()
	if named {
		text = deploymentName(item) + ": " + text
	}
	if err := p.out.PrintLine(plain.Line(text)); err != nil {
		return false, err
	}
	var rows [][]output.Cell
	for _, g := range placement.Groups(verdicts) {
		for _, v := range g.Verdicts {
			rows = append(rows, verdictRows(l, v)...)
		}
	}
	return summary.None(), p.out.PrintTable([]string{"NODE", "TAKES", "WHY"}, rows)
}

// verdictRows is a node in rows: on a terminal, which cuts, each reason has its own.
func verdictRows(l *output.Renderer, v placement.Verdict) [][]output.Cell {
	reasons := []string{v.Reason()}
	if l.Width > 0 {
		reasons = strings.Split(reasons[0], "; ")
	}
	rows := make([][]output.Cell, len(reasons))
	for i, reason := range reasons {
		rows[i] = l.Row("", "", reason)
	}
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
