package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"geodeck/adminapi/document"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/placement"
	"geodeck/adminapi/plain"
)

const placementLong = `Which nodes of the cluster the pods of a service may run on: its placement policy.

In this order nothing comes as a surprise:

  get       the policy that the site has, into a file to edit
  check     what is wrong with the file
  explain   what it says, in plain words
  simulate  which nodes would take the pods, and why not the others
  apply     send it; what was there before is kept
  pods      whether they have come back
  history   what was kept, and restore brings it back

The API does not tell the nodes of the cluster. They come from kubectl: --nodes FILE,
or --nodes-command "kubectl get nodes -o json". Only simulate needs them; with them
check finds misspelt labels, and apply refuses rules that no node can meet.`

const placementExample = `  geodeck placement get Roads.MapServer > policy.json       # edit it, then
  kubectl get nodes -o json > nodes.json
  geodeck placement check policy.json --nodes nodes.json
  geodeck placement simulate policy.json --nodes nodes.json
  geodeck placement apply Roads.MapServer -f policy.json --nodes nodes.json --dry-run`

// placementCommands are the commands of "geodeck placement".
type placementCommands struct {
	shared
	nodes *nodes
}

func (p placementCommands) command() *cobra.Command {
	cmd := group("placement", "Steer the pods of a service to the right nodes, and see beforehand which take them",
		p.getCommand(), p.checkCommand(), p.explainCommand(), p.simulateCommand(),
		p.applyCommand(), p.podsCommand(), p.historyCommand(), p.restoreCommand())
	cmd.Long, cmd.Example = placementLong, placementExample
	return cmd
}

// placementOf parses the name of a service.
func placementOf(name string) (operation.Target, error) {
	service, err := serviceNamed(name)
	return operation.PlacementOf(service), err
}

func (p placementCommands) getCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "get [FOLDER/]NAME.TYPE",
		Short: "Print the placement policy of a service",
		Long: `Print the placement policy of a service.

Into a pipe or a file it comes byte for byte as the site sent it: such a file is a
good base for placement apply. On a terminal it is set out in lines, and what a
terminal would obey stands as escapes.`,
		Example: "  geodeck placement get Utilities/Geometry.GeometryServer > policy.json",
		Args:    cobra.ExactArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return p.get(cmd.Context(), args[0]) },
	}
}

func (p placementCommands) get(ctx context.Context, name string) error {
	target, err := placementOf(name)
	if err != nil {
		return err
	}
	site, err := p.conn.site()
	if err != nil {
		return err
	}
	raw, err := site.Client.ServicePlacement(ctx, target.Service)
	if err != nil {
		return err
	}
	return p.out.PrintContent(raw)
}

// placementSendLong is the part of the help that apply and restore have in common.
const placementSendLong = `The steps are always the same: the rules are checked, the policy is read again (drift
stops the edit), the old one is kept on this machine, the new one is sent once, and
what the site has then is compared with what was sent. Rules that no node can meet are
refused, for the pods would wait for ever: --allow-none sends them all the same. That
is looked at only where the nodes are known (--nodes, --nodes-command).

The pods are replaced one after the other when the edit is done. --wait waits until all
are ready, for as long as --timeout allows; a site that does not tell you of pods is
told of and is no failure. -o json prints the plan also where it is refused, with
"sent".

Exit codes: 0 done, or nothing to do; 1 accepted but not kept, or the job failed; 2
bad input, with its line, rules that would be refused, with their path, or nodes that
cannot be read; 4 refused, no node, drift, or a conflict; 5 not sent, safe to try
again; 6 sent, and nobody knows what became of it; 7 the time was up before its job
ended, or with --wait before all pods were ready.`

// placeOptions are the flags of whatever sends a placement policy.
type placeOptions struct{ dryRun, allowNone, wait bool }

func (o *placeOptions) register(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "print what would be done, and send nothing")
	cmd.Flags().BoolVar(&o.allowNone, "allow-none", false, "send rules that no node can meet: the pods wait until one does")
	cmd.Flags().BoolVar(&o.wait, "wait", false, "wait until the pods whose rules have changed are ready again")
}

// placementApplyOptions are the flags of placement apply.
type placementApplyOptions struct {
	placeOptions
	file, base string
}

func (p placementCommands) applyCommand() *cobra.Command {
	var o placementApplyOptions
	cmd := &cobra.Command{
		Use:   "apply [FOLDER/]NAME.TYPE -f FILE",
		Short: "Replace the rules that place the pods of a service by those of a file",
		Long: `Replace the rules that place the pods of a service by those of a file.

` + policyLong + `
Deployments that FILE does not name stay as they are; one deployment or bare rules will
do where the service has only one. Nothing but the rules is taken from FILE: whatever
stands beside them stays as the site has it.

--base names the policy that the edit was begun from, as placement get had printed it:
what was changed since then at the site stays, and what both changed in different
ways is a conflict. Without it the file counts as it is, whatever the site has.

` + placementSendLong,
		Example: `  geodeck placement get Roads.MapServer > policy.json
  geodeck placement apply Roads.MapServer -f policy.json --nodes nodes.json --dry-run
  geodeck placement apply Roads.MapServer -f policy.json --nodes nodes.json --wait --timeout 10m`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return p.apply(cmd.Context(), args[0], o) },
	}
	cmd.Flags().StringVarP(&o.file, "file", "f", "", "file with the new rules; - is the standard input")
	cmd.Flags().StringVar(&o.base, "base", "", "file with the policy that the edit was begun from")
	o.register(cmd)
	p.nodes.register(cmd)
	return p.conn.addAgain(cmd, "the service")
}

// policyEdit is what arguments and files say.
type policyEdit struct {
	edit operation.Edit // without what is edited
	text []byte         // the new rules
}

func (p placementCommands) apply(ctx context.Context, name string, o placementApplyOptions) error {
	wanted, err := p.editOf(ctx, name, o)
	if err != nil {
		return err
	}
	site, err := p.conn.siteFor(o.dryRun)
	if err != nil {
		return err
	}
	now, err := readToEdit(ctx, site, wanted.edit.Target)
	if err != nil {
		return err
	}
	edit, err := wanted.rebase(now.Document)
	if err != nil {
		return err
	}
	return p.send(ctx, change{p.shared, site, planned(edit), o.dryRun, nil}, o.wait)
}

// editOf reads arguments and files, before anything is fetched.
func (p placementCommands) editOf(ctx context.Context, name string, o placementApplyOptions) (wanted policyEdit, err error) {
	if wanted.edit.Target, err = placementOf(name); err != nil {
		return wanted, err
	}
	if o.file == "" {
		return wanted, noFile("file", operation.Placement)
	}
	source, err := p.nodes.beside(o.file, o.base)
	if err != nil {
		return wanted, err
	}
	if _, wanted.text, err = policyFrom(ctx, p.in, o.file); err != nil {
		return wanted, err
	}
	if o.base != "" {
		if wanted.edit.Base, err = p.policyBefore(ctx, o.base); err != nil {
			return wanted, err
		}
	}
	wanted.edit.AllowNone = o.allowNone
	nodes, err := p.nodes.read(ctx, source)
	wanted.edit.Nodes = nodes.List
	return wanted, err
}

// policyBefore reads the policy that an edit was begun from: a whole one.
func (p placementCommands) policyBefore(ctx context.Context, path string) (*document.Document, error) {
	base, err := documentFrom(ctx, p.in, "base", path, operation.Placement)
	if err != nil {
		return nil, err
	}
	policy, err := placement.FromDocument(base)
	if err == nil && policy.Form() != placement.WholePolicy {
		err = errors.New("this is no whole placement policy")
	}
	if err != nil {
		return nil, badInput("It takes what geodeck placement get had printed.", fmt.Errorf("--base: %s: %w; nothing was sent", plain.Line(path), err))
	}
	return base, nil
}

// rebase makes the edit of what the site has now, or of the base that was given, which is
// then brought onto what the site has.
func (a policyEdit) rebase(now *document.Document) (edit operation.Edit, err error) {
	edit = a.edit
	base := now
	if edit.Base != nil {
		base = edit.Base
	}
	if edit.Edited, err = operation.PolicyOnto(base, a.text); err != nil {
		return edit, badInput("What the site has: "+commandOn(edit.Target, "get"), fmt.Errorf("%w; nothing was sent", err))
	}
	return rebase(edit, now)
}

// send sends a change of rules, and waits for the pods where that was asked for.
func (p placementCommands) send(ctx context.Context, c change, wait bool) error {
	moves := c.edit.Plan.Moves
	if len(moves) > 0 && len(c.edit.Nodes) == 0 {
		p.out.Note("no nodes were given (--nodes, --nodes-command): it was not looked whether any takes the pods")
	}
	p.noteShared(ctx, c.site, moves)
	if err := c.run(ctx); err != nil || c.dryRun || !wait {
		return err
	}
	return p.awaitApplied(ctx, c.site, c.edit.Target, moves)
}

// noteShared names deployments in which other services run too: their pods are the
// same. Where the caller may not see a deployment it is not known.
func (p placementCommands) noteShared(ctx context.Context, site operation.Site, moves []operation.Move) {
	for _, m := range moves {
		if m.After.DeploymentID == "" {
			continue
		}
		d, err := site.Client.Deployment(ctx, m.After.DeploymentID)
		if err != nil {
			p.out.Note("whether other services run in the same pods is not known: " + err.Error())
			return
		}
		if d.Shared() {
			p.out.Note("warning: the deployment " + deploymentName(m.After) + " is shared: other services run in the same pods, and move with them")
		}
	}
}

func (p placementCommands) historyCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "history [FOLDER/]NAME.TYPE [ID]",
		Short: "List the placement policies that were kept before edits, or print one",
		Long: `List the placement policies that were kept before edits, or print one.

They are kept on this machine, by every edit from here; the site is not asked.`,
		Example: `  geodeck placement history Roads.MapServer
  geodeck placement history Roads.MapServer 20261120T140503.000Z-9f2c1a7b > before.json`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(_ *cobra.Command, args []string) error {
			target, err := placementOf(args[0])
			if err != nil {
				return err
			}
			return printBackups(p.shared, target, first(args[1:]))
		},
	}
}

func (p placementCommands) restoreCommand() *cobra.Command {
	var o placeOptions
	cmd := &cobra.Command{
		Use:   "restore [FOLDER/]NAME.TYPE ID",
		Short: "Bring back a placement policy that was kept before an edit",
		Long: `Bring back a placement policy that was kept before an edit, whole.

On a terminal the last word is asked for, and where no node takes the pods the name of
the service.

` + placementSendLong,
		Example: "  geodeck placement restore Roads.MapServer 20261120T140503.000Z-9f2c1a7b --dry-run",
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.restore(cmd.Context(), args[0], args[1], o)
		},
	}
	o.register(cmd)
	p.nodes.register(cmd)
	return p.conn.addAgain(cmd, "the service")
}

func (p placementCommands) restore(ctx context.Context, name, id string, o placeOptions) error {
	target, err := placementOf(name)
	if err != nil {
		return err
	}
	source, err := p.nodes.beside()
	if err != nil {
		return err
	}
	nodes, err := p.nodes.read(ctx, source)
	if err != nil {
		return err
	}
	edit := operation.Edit{Target: target, Nodes: nodes.List, AllowNone: o.allowNone}
	site, edit, err := restoring(ctx, p.conn, edit, id)
	if err != nil {
		return err
	}
	return p.send(ctx, change{p.shared, site, planned(edit), o.dryRun, newPrompter(p.shared).confirmation()}, o.wait)
}
