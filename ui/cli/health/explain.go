package health

import (
	"cmp"
	"context"
	"strings"

	"github.com/spf13/cobra"

	"geodeck/adminapi/explain"
	"geodeck/adminapi/health"
	"geodeck/adminapi/operation/incident"
	"geodeck/ui/cli/command"
)

func (h commands) explainCommand() *cobra.Command {
	var by standard
	cmd := &cobra.Command{
		Use:   "explain [ID|FILE [TEST]]",
		Short: "Explain why a test of a report did not pass, and what to do now",
		Long: `Explain why a test of a report did not pass: TEST by its id or name, otherwise the first
that failed. Without an ID, the newest report is explained. Of a FILE, as "health report"
takes it, only what it says is evidence: its site is not known.` + command.ExplainLong + `.

--fail-on and --baseline choose the first test that counts, and exit with 1 only for one.`,
		Example: `  geodeck health explain
  geodeck health explain --fail-on new
  geodeck health explain vegcl1xm6u healthcheck_objectStore`,
		Args: cobra.MaximumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error { return h.explain(cmd.Context(), args, by) },
	}
	by.register(cmd)
	return cmd
}

func (h commands) explain(ctx context.Context, args []string, by standard) error {
	if err := by.check(); err != nil {
		return err
	}
	site, of, err := h.handed(ctx, command.First(args))
	if err != nil {
		return err
	}
	report := of.Report
	if of.File != "" {
		report.ID = args[0] // in the commands that come next
	} else {
		site = h.Session.WithRecord(site)
	}
	test, about, counts := "", "", false
	if len(args) > 1 {
		test = args[1]
	}
	which := test
	var judged health.Judgement
	if by.asked() {
		if _, judged, err = h.judge(ctx, by, site, &of); err != nil {
			return err
		}
		for _, e := range health.WorstFirst(report) {
			is := judged.Counts(e.Test)
			if test == "" && is || test != "" && (strings.EqualFold(e.Test.ID, test) || strings.EqualFold(e.Test.Name, test)) {
				which, about, counts = cmp.Or(e.Test.ID, e.Test.Name), judged.Of(e.Test), is
				break
			}
		}
	}
	x, err := incident.ExplainTest(ctx, site, report, which, incident.Surroundings{})
	if err != nil {
		return err
	}
	if about != "" {
		x.Evidence = append(x.Evidence, explain.Evidence{Text: about})
	}
	if by.asked() {
		x.Fault = counts
	}
	if err := h.PrintExplanation(x); err != nil || test != "" || !by.asked() {
		return err
	}
	return told(judged, report, h.Out.Note)
}
