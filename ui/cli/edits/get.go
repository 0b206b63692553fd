package edits

import (
	"context"

	"github.com/spf13/cobra"

	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/editing"
	"geodeck/ui/cli/command"
)

// GetCommand makes the command that prints a part of a service.
func GetCommand(s command.Env, part editing.Part) *cobra.Command {
	var pretty bool
	what := "Print the " + part.String() + " of a service"
	example := "  geodeck " + part.Noun() + " get SampleWorldCities.MapServer "
	cmd := &cobra.Command{
		Use:   "get [FOLDER/]NAME.TYPE",
		Short: what,
		Long: what + `.

A pipe or a file gets it byte for byte as the site sent it: a good base for
` + part.Noun() + ` apply. --pretty sets it out in lines, to be edited. On a terminal the JSON is
indented, and control characters are printed as escapes.`,
		Example: example + "> base.json\n" + example + "--pretty > edited.json",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return printPart(cmd.Context(), s, part, args[0], pretty)
		},
	}
	cmd.Flags().BoolVar(&pretty, "pretty", false, "set the JSON out in lines")
	return cmd
}

// printPart prints a part of a service, byte for byte as the site sent it or set out in lines.
func printPart(ctx context.Context, s command.Env, part editing.Part, name string, pretty bool) error {
	site, service, err := s.SiteOf(ctx, name)
	if err != nil {
		return err
	}
	raw, err := editing.Target{Service: service, Part: part}.Raw(ctx, site.Client)
	if err != nil {
		return s.OrNotThere(ctx, site, service, err)
	}
	if pretty {
		raw = operation.InLines(string(raw))
	}
	return s.Out.PrintContent(raw)
}
