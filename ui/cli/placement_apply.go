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

// placementWayOutLong tells what apply and restore have in common.
const placementWayOutLong = `The way out is always the same: the rules are checked, the policy is read again (drift
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

func (p *program) placementApplyCommand() *cobra.Command {
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

` + placementWayOutLong,
		Example: `  geodeck placement get Roads.MapServer > policy.json
  geodeck placement apply Roads.MapServer -f policy.json --nodes nodes.json --dry-run
  geodeck placement apply Roads.MapServer -f policy.json --nodes nodes.json --wait --timeout 10m`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return p.placementApply(cmd.Context(), args[0], o) },
	}
	cmd.Flags().StringVarP(&o.file, "file", "f", "", "file with the new rules; - is the standard input")
	cmd.Flags().StringVar(&o.base, "base", "", "file with the policy that the edit was begun from")
	o.register(cmd)
	p.nodes.register(cmd)
	return p.addAgainOf(cmd)
}

// askedPlacement is everything that was typed.
type askedPlacement struct {
	edit operation.Edit // without what is edited
	text []byte         // the new rules
}

func (p *program) placementApply(ctx context.Context, name string, o placementApplyOptions) error {
	asked, err := p.askedPlacement(ctx, name, o)
	if err != nil {
		return err
	}
	site, err := p.connectFor(o.dryRun)
	if err != nil {
		return err
	}
	now, err := p.readToEdit(ctx, site, asked.edit.Target)
	if err != nil {
		return err
	}
	edit, err := asked.onto(now.Document)
	if err != nil {
		return err
	}
	return p.placementWayOut(ctx, site, edit, o.placeOptions, nil)
}

// askedPlacement reads everything that was typed, before the site is asked.
func (p *program) askedPlacement(ctx context.Context, name string, o placementApplyOptions) (asked askedPlacement, err error) {
	if asked.edit.Target, err = placementOf(name); err != nil {
		return asked, err
	}
	if o.file == "" {
		return asked, noFile("file", operation.Placement)
	}
	source, err := p.nodesBeside(o.file, o.base)
	if err != nil {
		return asked, err
	}
	if _, asked.text, err = p.policyFrom(o.file); err != nil {
		return asked, err
	}
	if o.base != "" {
		if asked.edit.Base, err = p.policyBefore(o.base); err != nil {
			return asked, err
		}
	}
	asked.edit.AllowNone = o.allowNone
	nodes, err := p.readNodes(ctx, source)
	asked.edit.Nodes = nodes.List
	return asked, err
}

// policyBefore reads the policy that an edit was begun from: a whole one.
func (p *program) policyBefore(path string) (*document.Document, error) {
	base, err := p.documentFrom("base", path, operation.Placement)
	if err != nil {
		return nil, err
	}
	policy, err := placement.Parse(base.Bytes())
	if err == nil && policy.Form() != placement.WholePolicy {
		err = errors.New("this is no whole placement policy")
	}
	if err != nil {
		return nil, badInput("It takes what geodeck placement get had printed.", fmt.Errorf("--base: %s: %w; nothing was sent", plain.Line(path), err))
	}
	return base, nil
}

// onto makes the edit of what the site has now, or of the base that was given, which is
// then brought onto what the site has.
func (a askedPlacement) onto(now *document.Document) (edit operation.Edit, err error) {
	edit = a.edit
	base := now
	if edit.Base != nil {
		base = edit.Base
	}
	if edit.Edited, err = operation.PolicyOnto(base, a.text); err != nil {
		return edit, badInput("What the site has: "+commandOn(edit.Target, "get"), fmt.Errorf("%w; nothing was sent", err))
	}
	return onto(edit, now)
}

// placementWayOut sends an edit, and waits for the pods where that was asked for.
func (p *program) placementWayOut(ctx context.Context, site operation.Site, edit operation.Edit, o placeOptions, agree func(*operation.Edit) error) error {
	planned := planned(edit)
	moves := planned.Plan.Moves
	if len(moves) > 0 && len(edit.Nodes) == 0 {
		p.note("no nodes were given (--nodes, --nodes-command): it was not looked whether any takes the pods")
	}
	p.noteShared(ctx, site, moves)
	if err := p.wayOut(ctx, site, planned, o.dryRun, agree); err != nil || o.dryRun || !o.wait {
		return err
	}
	return p.awaitApplied(ctx, site, edit.Target, moves)
}

// noteShared tells of deployments in which other services run too: their pods are the
// same. Where the caller may not see a deployment it is not known.
func (p *program) noteShared(ctx context.Context, site operation.Site, moves []operation.Move) {
	for _, m := range moves {
		if m.After.DeploymentID == "" {
			continue
		}
		d, err := site.Client.Deployment(ctx, m.After.DeploymentID)
		if err != nil {
			p.note("whether other services run in the same pods is not known: " + err.Error())
			return
		}
		if d.Shared() {
			p.note("warning: the deployment " + deploymentName(m.After) + " is shared: other services run in the same pods, and move with them")
		}
	}
}
