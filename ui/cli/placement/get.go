package placement

import (
	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/operation/editing"
	"geodeck/ui/cli/edits"
)

func (p commands) getCommand() *cobra.Command {
	var pretty bool
	cmd := &cobra.Command{
		Use:   "get [FOLDER/]NAME.TYPE",
		Short: "Print the placement policy of a service",
		Long: `Print the placement policy of a service.

A pipe or a file gets it byte for byte as the site sent it: a good base for
placement apply. --pretty sets it out in lines, to be edited. On a terminal the JSON is
indented, and control characters are printed as escapes.`,
		Example: "  geodeck placement get SampleWorldCities.MapServer > base.json\n  geodeck placement get SampleWorldCities.MapServer --pretty > edited.json",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return edits.Print(cmd.Context(), p.Env, args[0], pretty, adminapi.Services.Placement)
		},
	}
	cmd.Flags().BoolVar(&pretty, "pretty", false, "set the JSON out in lines")
	return cmd
}

func (p commands) historyCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "history [FOLDER/]NAME.TYPE [ID]",
		Short: "List the placement policies saved before edits, or print one",
		Long: `List the placement policies saved before edits, or print one.

Every edit from this machine saves the old version here. The site is not contacted.`,
		Example: `  geodeck placement history SampleWorldCities.MapServer
  geodeck placement history SampleWorldCities.MapServer 20261120T140503.000Z-9f2c1a7b4e60 > before.json`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return edits.History(cmd.Context(), p.Env, editing.Placement, args)
		},
	}
}
