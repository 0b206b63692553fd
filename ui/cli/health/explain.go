package health

import (
	"context"

	"github.com/spf13/cobra"

	"geodeck/adminapi/operation/incident"
	"geodeck/ui/cli/command"
)

func (h commands) explainCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "explain [REPORT [TEST]]",
		Short: "Explain why a test of a report did not pass, and what to do now",
		Long: `Explain why a test of a report did not pass: TEST by its id or name, otherwise the first
that failed. Without REPORT, the newest report is explained.` + command.ExplainLong + ".",
		Example: `  geodeck health explain
  geodeck health explain vegcl1xm6u healthcheck_objectStore`,
		Args: cobra.MaximumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error { return h.explain(cmd.Context(), args) },
	}
}

func (h commands) explain(ctx context.Context, args []string) error {
	site, report, err := h.siteReport(ctx, command.First(args))
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
	return h.PrintExplanation(x)
}
