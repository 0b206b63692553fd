package cli

import (
	"context"

	"github.com/spf13/cobra"
)

func (p *program) placementGetCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "get [FOLDER/]NAME.TYPE",
		Short: "Print the placement policy of a service",
		Long: `Print the placement policy of a service.

Into a pipe or a file it comes byte for byte as the site sent it: such a file is a
good base for placement apply. On a terminal it is set out in lines, and what a
terminal would obey stands as escapes.`,
		Example: "  geodeck placement get Utilities/Geometry.GeometryServer > policy.json",
		Args:    cobra.ExactArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return p.placementGet(cmd.Context(), args[0]) },
	}
}

func (p *program) placementGet(ctx context.Context, name string) error {
	target, err := placementOf(name)
	if err != nil {
		return err
	}
	site, err := p.connect()
	if err != nil {
		return err
	}
	raw, err := site.Client.ServicePlacement(ctx, target.Service)
	if err != nil {
		return err
	}
	return p.printContent(raw)
}
