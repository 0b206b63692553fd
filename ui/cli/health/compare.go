package health

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
	"geodeck/ui/cli/output"
)

func (h commands) compareCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "compare BEFORE AFTER",
		Short:   "Compare two reports, each an id or a file",
		Example: "  geodeck health compare abcdefghij klmnopqrst\n  geodeck health compare before.json after.json -o json",
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return h.compare(cmd.Context(), args[0], args[1])
		},
	}
}

func (h commands) compare(ctx context.Context, first, second string) error {
	before, err := h.loadReport(ctx, first)
	if err != nil {
		return err
	}
	after, err := h.loadReport(ctx, second)
	if err != nil {
		return err
	}
	if !after.StartTime.IsZero() && after.StartTime < before.StartTime {
		h.Out.Note("the second report is older than the first; they are compared in the order given")
	}
	c := health.Compare(before, after)
	if h.Out.JSON() {
		return h.Out.PrintValue(c.JSON())
	}
	return PrintComparison(h.Out, c)
}

// PrintComparison prints the differences of two reports.
func PrintComparison(out *output.Output, c health.Comparison) error {
	l := out.Renderer()
	head := [][]output.Cell{
		l.Row("Before", c.Before.Name, c.Before.ID, output.FormatTime(c.Before.StartTime.Time())),
		l.Row("After", c.After.Name, c.After.ID, output.FormatTime(c.After.StartTime.Time())),
	}
	var rows [][]output.Cell
	for _, d := range c.Differences {
		if d.Change != health.Same {
			rows = append(rows, difference(l, d))
		}
	}
	err := cmp.Or(out.PrintRows(head), out.PrintLine("\n"+c.Words()+"."))
	if len(rows) > 0 {
		columns := []string{"CHANGE", "BEFORE", "AFTER", "SEVERITY", "TEST", "TOOK", "SUITE"}
		err = cmp.Or(err, out.PrintTable(columns, rows))
	}
	same := fmt.Sprintf("%d of %d tests are the same", c.Counts[health.Same], len(c.Differences))
	return cmp.Or(err, out.PrintLine(same))
}

func difference(l *output.Renderer, d health.Difference) []output.Cell {
	took := spent(d.BeforeTook) + " " + l.Arrow() + " " + spent(d.AfterTook)
	row := l.Row(d.Words(), "-", "-", d.Severity, d.Name, took, d.SuiteName)
	for i, test := range []*adminapi.TestResult{d.Before, d.After} {
		if test != nil {
			row[i+1] = verdictCell(l, health.JudgeTest(*test))
		}
	}
	switch d.Change {
	case health.NewlyFailing, health.StillFailing:
		row[0].Style = l.Theme.Fail
	case health.Removed, health.StillWarned, health.Slower:
		row[0].Style = l.Theme.Warn
	case health.Fixed:
		row[0].Style = l.Theme.OK
	}
	return row
}

func spent(d time.Duration) string {
	if d == 0 {
		return "-"
	}
	return adminapi.FormatElapsed(d)
}
