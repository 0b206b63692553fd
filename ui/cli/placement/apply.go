package placement

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"geodeck/adminapi/document"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/placement"
	"geodeck/adminapi/plain"
	"geodeck/ui/cli/edits"
	"geodeck/ui/cli/exit"
)

// sendRulesLong is the help of the commands that send rules.
const sendRulesLong = `The steps: check the rules, fetch the policy again (a change since then stops the edit),
save the old one on this machine, send the new one once, and compare what the site has
with what was sent. What was found is refused until --accept names it: rules that no node
can meet (no-node, also --allow-none), with --nodes or --nodes-command also those that
none or only one of these nodes meets. docs/gates.md lists the words.

After the edit the pods are replaced one after the other. --wait waits until all are
ready, for as long as --timeout allows. If the site does not report its pods, a warning
says so, and the command still succeeds. -o json prints the plan, with "sent", even if it
is refused.

` + edits.PlanLong + `

Exit codes: 0 done, or nothing to do; 1 accepted but not kept, or the job failed; 2
bad input, with its line, rules that would be refused, with their path, or nodes that
cannot be read; 4 refused, a finding not accepted, drift, or a plan that does not fit; 5 not
sent, safe to try again; 6 sent, outcome unknown; 7 the time was up before the job
ended, or with --wait before all pods were ready.`

// registerSend adds the flags of the commands that send rules.
func (p commands) registerSend(cmd *cobra.Command, o *edits.Options) *cobra.Command {
	o.Await = awaitRules
	cmd.Flags().BoolVar(&o.AllowNone, "allow-none", false, "the same as --accept no-node")
	cmd.Flags().BoolVar(&o.Wait, "wait", false, "wait until the pods whose rules have changed are ready again")
	p.nodes.Register(cmd)
	return o.Register(p.Env, cmd)
}

// applyOptions are the flags of placement apply.
type applyOptions struct {
	edits.Options
	file  string
	rules presetOptions
}

func (p commands) applyCommand() *cobra.Command {
	var o applyOptions
	cmd := &cobra.Command{
		Use:   "apply [FOLDER/]NAME.TYPE... -f FILE | --preset NAME | --from SERVICE | --plan FILE",
		Short: "Replace the rules that place the pods of a service with those in a file",
		Long: `Replace the rules that place the pods of a service with those in a file.

` + policyLong + `
Deployments that FILE does not name stay as they are. One deployment or the rules alone
are enough if the service has only one. Only the rules are taken from FILE; everything
else stays as the site has it.

` + presetLong + `

` + edits.BatchLong + `

--base names the policy that you edited, as placement get printed it: changes made at the
site since then are kept, and --accept drift overwrites those of the same places. Without
--base, FILE replaces whatever the site has.

` + sendRulesLong,
		Example: `  geodeck placement get SampleWorldCities.MapServer > policy.json
  geodeck placement apply SampleWorldCities.MapServer -f policy.json --nodes nodes.json --dry-run
  geodeck placement apply SampleWorldCities.MapServer -f policy.json --nodes nodes.json --wait --timeout 10m`,
		Args: func(cmd *cobra.Command, args []string) error {
			if o.Plan != "" { // it names its services
				return cobra.NoArgs(cmd, args)
			}
			return cobra.MinimumNArgs(1)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case o.Plan != "":
				return edits.ApplyPlan(cmd.Context(), p.Env, p.nodes, o.Options, editing.Placement)
			case len(args) > 1 || o.rules.given():
				return p.applyEach(cmd.Context(), args, o)
			}
			return p.apply(cmd.Context(), args[0], o)
		},
	}
	cmd.Flags().StringVarP(&o.file, "file", "f", "", "file with the new rules; - is the standard input")
	cmd.Flags().StringVar(&o.Base, "base", "", "file with the placement policy that the edit started from")
	p.registerSend(cmd, &o.Options)
	o.RegisterUnread(cmd)
	o.RegisterPlan(cmd)
	o.rules.register(cmd)
	return cmd
}

// apply reads arguments and files before anything is fetched. Rules are put into the policy of the
// site once that is known.
func (p commands) apply(ctx context.Context, name string, o applyOptions) error {
	edit, err := edits.New(name, editing.Placement, o.Options)
	if err != nil {
		return err
	}
	if o.file == "" {
		return edits.NoFile("file", editing.Placement)
	}
	source, err := p.nodes.SourceWith(o.file, o.Base)
	if err != nil {
		return err
	}
	_, rules, err := policyFrom(ctx, p.In, o.file)
	if err != nil {
		return err
	}
	if o.Base != "" {
		if edit.Base, err = p.wholePolicy(ctx, o.Base); err != nil {
			return err
		}
	}
	nodes, err := p.nodes.Read(ctx, source)
	if err != nil {
		return err
	}
	edit.Nodes = nodes.List
	return edits.Apply(ctx, p.Env, edit, o.Options,
		func(now *document.Document) (*document.Document, error) { return editing.PolicyOnto(now, rules) })
}

// applyEach replaces the rules of several services.
func (p commands) applyEach(ctx context.Context, names []string, o applyOptions) error {
	services, err := edits.ServicesNamed(names)
	switch {
	case err != nil:
		return err
	case o.Base != "":
		return exit.BadInput("Leave out --base, or apply it to one service at a time.",
			errors.New("--base is of one service; nothing was sent"))
	case o.file == "" && !o.rules.given():
		return edits.NoFile("file", editing.Placement)
	}
	source, err := p.nodes.SourceWith(o.file)
	if err != nil {
		return err
	}
	var text []byte
	if o.file != "" {
		if _, text, err = policyFrom(ctx, p.In, o.file); err != nil {
			return err
		}
	}
	nodes, err := p.nodes.Read(ctx, source)
	if err != nil {
		return err
	}
	edit := func(now *document.Document) (*document.Document, error) { return editing.PolicyOnto(now, text) }
	if o.rules.given() {
		made, err := p.presetRules(ctx, o.rules, nodes.List)
		if err != nil {
			return err
		}
		edit = func(now *document.Document) (*document.Document, error) { return made.in(now, o.rules.deployment) }
	}
	return edits.Each(ctx, p.Env, editing.Placement, services, o.Options, nodes, nil, edit)
}

// wholePolicy reads the placement policy that an edit started from.
func (p commands) wholePolicy(ctx context.Context, path string) (*document.Document, error) {
	base, err := edits.DocumentFrom(ctx, p.In, "base", path, editing.Placement)
	if err != nil {
		return nil, err
	}
	policy, err := placement.FromDocument(base)
	if err == nil && policy.Form() != placement.WholePolicy {
		err = errors.New("this is not a whole placement policy")
	}
	if err != nil {
		return nil, exit.BadInput("Use what this prints: {command:placement get NAME.TYPE}",
			fmt.Errorf("--base: %s: %w; nothing was sent", plain.Line(path), err))
	}
	return base, nil
}

func (p commands) restoreCommand() *cobra.Command {
	var o edits.Options
	cmd := &cobra.Command{
		Use:   "restore [FOLDER/]NAME.TYPE ID",
		Short: "Restore a placement policy saved before an edit",
		Long: `Restore a whole placement policy saved before an edit.

On a terminal, you confirm the sending, and rules that no node meets with the
name of the service.

` + sendRulesLong,
		Example: "  geodeck placement restore SampleWorldCities.MapServer 20261120T140503.000Z-9f2c1a7b4e60 --dry-run",
		Args:    cobra.ExactArgs(2),
		RunE:    func(cmd *cobra.Command, args []string) error { return p.restore(cmd.Context(), args[0], args[1], o) },
	}
	o.RegisterUnread(cmd)
	return p.registerSend(cmd, &o)
}

func (p commands) restore(ctx context.Context, name, id string, o edits.Options) error {
	edit, err := edits.New(name, editing.Placement, o)
	if err != nil {
		return err
	}
	nodes, err := p.nodes.Given(ctx)
	if err != nil {
		return err
	}
	edit.Nodes = nodes.List
	return edits.Restore(ctx, p.Env, edit, id, o)
}
