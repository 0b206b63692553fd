package cli

import (
	"context"

	"github.com/spf13/cobra"

	"geodeck/adminapi/operation"
)

func (p *program) serviceHistoryCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "history [FOLDER/]NAME.TYPE [ID]",
		Short: "List the definitions that were kept before edits, or print one",
		Long: `List the definitions that were kept before edits, or print one.

They are kept on this machine, by every edit from here; the site is not asked.`,
		Example: `  geodeck service history Roads.MapServer
  geodeck service history Roads.MapServer 20261120T140503.000Z-9f2c1a7b > before.json`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(_ *cobra.Command, args []string) error { return p.serviceHistory(args[0], first(args[1:])) },
	}
}

func (p *program) serviceHistory(name, id string) error {
	service, err := serviceNamed(name)
	if err != nil {
		return err
	}
	return p.history(operation.DefinitionOf(service), id)
}

func (p *program) serviceRestoreCommand() *cobra.Command {
	var o sendOptions
	cmd := &cobra.Command{
		Use:   "restore [FOLDER/]NAME.TYPE ID",
		Short: "Bring back a definition that was kept before an edit",
		Long: `Bring back a definition that was kept before an edit, whole.

On a terminal lost keys and the last word are asked for.

` + wayOutLong,
		Example: "  geodeck service restore Roads.MapServer 20261120T140503.000Z-9f2c1a7b --dry-run",
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.serviceRestore(cmd.Context(), args[0], args[1], o)
		},
	}
	o.register(cmd)
	return p.addAgainOf(cmd)
}

func (p *program) serviceRestore(ctx context.Context, name, id string, o sendOptions) error {
	service, err := serviceNamed(name)
	if err != nil {
		return err
	}
	edit := operation.Edit{Target: operation.DefinitionOf(service)}
	if edit.AllowLost, err = pathsOf("allow-lost", o.allowLost); err != nil {
		return err
	}
	site, edit, err := p.restoring(ctx, edit, id)
	if err != nil {
		return err
	}
	return p.wayOut(ctx, site, planned(edit), o.dryRun, p.lastWord(ctx))
}
