package cli

import (
	"context"

	"github.com/spf13/cobra"

	"geodeck/adminapi/operation"
)

func (p *program) placementHistoryCommand() *cobra.Command {
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
			return p.history(target, first(args[1:]))
		},
	}
}

func (p *program) placementRestoreCommand() *cobra.Command {
	var o placeOptions
	cmd := &cobra.Command{
		Use:   "restore [FOLDER/]NAME.TYPE ID",
		Short: "Bring back a placement policy that was kept before an edit",
		Long: `Bring back a placement policy that was kept before an edit, whole.

On a terminal the last word is asked for, and where no node takes the pods the name of
the service.

` + placementWayOutLong,
		Example: "  geodeck placement restore Roads.MapServer 20261120T140503.000Z-9f2c1a7b --dry-run",
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.placementRestore(cmd.Context(), args[0], args[1], o)
		},
	}
	o.register(cmd)
	p.nodes.register(cmd)
	return p.addAgainOf(cmd)
}

func (p *program) placementRestore(ctx context.Context, name, id string, o placeOptions) error {
	target, err := placementOf(name)
	if err != nil {
		return err
	}
	source, err := p.nodesBeside()
	if err != nil {
		return err
	}
	nodes, err := p.readNodes(ctx, source)
	if err != nil {
		return err
	}
	edit := operation.Edit{Target: target, Nodes: nodes.List, AllowNone: o.allowNone}
	site, edit, err := p.restoring(ctx, edit, id)
	if err != nil {
		return err
	}
	return p.placementWayOut(ctx, site, edit, o, p.lastWord(ctx))
}
