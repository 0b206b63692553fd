package cli

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/explain"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/incident"
	"geodeck/adminapi/operation/watching"
)

const explainLong = `

Prints the cause if it is known, the evidence, the state of the site, what not to do,
and the next step. A cause without evidence is "not known". Nothing is sent.
-o json prints {"title","fault","cause":{"id","known","sentence"},"evidence":[{"text","at"}],
"readOnly","site","avoid","then","look","next":{"text","command"}}; an id never changes its meaning.

Exit codes: 0 nothing is wrong; 1 there is a fault`

func (u upgradeCommands) explainCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "explain",
		Short: "Explain why the upgrade failed or stalls, and what to do now",
		Long:  "Explain why the running upgrade, or the last one, failed or stalls." + explainLong + ".",
		Args:  cobra.NoArgs,
		RunE:  runs(u.explain),
	}
	u.nodes.register(cmd)
	return cmd
}

func (u upgradeCommands) explain(ctx context.Context) error {
	around, err := u.nodes.around(ctx)
	if err != nil {
		return err
	}
	site, err := u.session.site(ctx)
	if err != nil {
		return err
	}
	step, err := watching.NewWatch(site, nil).Next(ctx)
	if err != nil {
		return err
	}
	if step.Value.At.IsZero() && step.Unreachable != nil {
		return step.Unreachable
	}
	recorded := site // which writes no transcript
	if recorded.Memory.Journal, err = u.session.journal(); err == nil {
		step.Value.Confirmed = recorded.Memory.Confirmed(step.Value.Log, nil)
		watching.SettleRun(recorded.Memory, step.Value.Progress, step.Value.Log)
	}
	return u.printExplanation(incident.ExplainUpgrade(ctx, site, step.Value, around))
}

// errNoReport says that a site has no report yet.
var errNoReport = errors.New("the site has no health report yet")

func (h healthCommands) explainCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "explain [REPORT [TEST]]",
		Short: "Explain why a test of a report did not pass, and what to do now",
		Long: `Explain why a test of a report did not pass: TEST by its id or name, otherwise the first
that failed. Without REPORT, the newest report is explained.` + explainLong + ".",
		Example: `  geodeck health explain
  geodeck health explain vegcl1xm6u healthcheck_objectStore`,
		Args: cobra.MaximumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error { return h.explain(cmd.Context(), args) },
	}
}

func (h healthCommands) explain(ctx context.Context, args []string) error {
	site, err := h.session.site(ctx)
	if err != nil {
		return err
	}
	id := first(args)
	if id == "" {
		if id, err = newestReport(ctx, site); err != nil {
			return err
		}
	}
	report, err := site.Client.Health.Report(ctx, id)
	if err != nil {
		return err
	}
	test := ""
	if len(args) > 1 {
		test = args[1]
	}
	x, err := incident.ExplainTest(ctx, site, report, test, incident.Surroundings{})
	if err != nil {
		return err
	}
	return h.printExplanation(x)
}

func (s serviceCommands) explainCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "explain [FOLDER/]NAME.TYPE",
		Short: "Explain why a service is not up or its pods wait, and what to do now",
		Long: `Explain why a service is not up, or why its pods wait. --nodes or --nodes-command gives
the nodes of the cluster, to compare with the rules of its pods.` + explainLong + ".",
		Example: `  geodeck service explain SampleWorldCities.MapServer --nodes-command "kubectl get nodes -o json"`,
		Args:    cobra.ExactArgs(1),
		RunE:    runsOn(s.explain),
	}
	s.nodes.register(cmd)
	return cmd
}

func (s serviceCommands) explain(ctx context.Context, name string) error {
	service, err := serviceNamed(name)
	if err != nil {
		return err
	}
	around, err := s.nodes.around(ctx)
	if err != nil {
		return err
	}
	site, err := s.session.site(ctx)
	if err != nil {
		return err
	}
	x := incident.ExplainService(ctx, site, service, around)
	if err := ctx.Err(); err != nil {
		return err
	}
	if errors.Is(x.Err, adminapi.KindSignIn) {
		return x.Err
	}
	if errors.Is(x.Err, adminapi.KindNotFound) {
		return s.notThere(ctx, site, service, x.Err)
	}
	if !x.Fault && !s.out.JSON() { // only what was not seen is worth more lines
		x.Site = nil
		x.Evidence = slices.DeleteFunc(x.Evidence, func(e explain.Evidence) bool { return e.At.Kind != explain.Access })
	}
	return s.printExplanation(x)
}

// around reads the nodes of the cluster where a source of them is given.
func (n *nodes) around(ctx context.Context) (incident.Surroundings, error) {
	nodes, err := n.given(ctx)
	return incident.Surroundings{Nodes: nodes.List}, err
}

// nextJSON is a next step for scripts. Command is its words, without the program's name.
type nextJSON struct {
	explain.Step
	Command string `json:"command,omitempty"`
}

// printExplanation prints an explanation; a fault is an error.
func (s shared) printExplanation(x explain.Explanation) error {
	command := ""
	if line, ok := operation.CommandOfAction(x.Next.Action); ok {
		command = line.InText()
	}
	var err error
	if s.out.JSON() {
		err = s.out.PrintValue(struct {
			explain.Explanation
			Next nextJSON `json:"next"`
		}{x, nextJSON{x.Next, strings.TrimPrefix(operation.NameCommands(command, nil), "geodeck ")}})
	} else {
		err = s.out.PrintLines(explanationLines(x, s.session.commands(command))...)
	}
	if err == nil && x.Err != nil {
		return x.Err
	}
	if err == nil && x.Fault {
		return notPassed("", strings.TrimSuffix(x.Title, "."))
	}
	return err
}

// explanationLines writes an explanation for people, a fact a line, with the command of its next step.
func explanationLines(x explain.Explanation, command string) []string {
	lines := []string{x.Title, "", field("Why", x.Why())}
	add := func(name string, texts ...string) {
		for _, text := range texts {
			lines = append(lines, field(name, text))
			name = ""
		}
	}
	var evidence []string
	for _, e := range x.Evidence {
		evidence = append(evidence, e.Text+placeText(e.At))
	}
	add("Next", x.Next.Text)
	if command != "" {
		add("", command)
	}
	for _, s := range x.Forbidden() { // each line has the name: without it, it reads as an order
		add("Do not", s)
	}
	add("Then", x.Then...)
	add("Evidence", evidence...)
	add("Site now", x.Site...)
	add("Check", x.Look...)
	return lines
}

func field(name, text string) string { return name + strings.Repeat(" ", 10-len(name)) + text }

// placeText names where a fact stands, where the fact does not say so itself.
func placeText(at explain.Place) string {
	switch at.Kind {
	case explain.Test, explain.Job, explain.Deployment:
		if at.ID != "" {
			return "  [" + string(at.Kind) + " " + at.ID + "]"
		}
	}
	return ""
}
