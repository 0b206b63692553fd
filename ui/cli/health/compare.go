package health

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
	"geodeck/adminapi/operation"
	"geodeck/ui/cli/command"
	"geodeck/ui/cli/exit"
	"geodeck/ui/cli/files"
	"geodeck/ui/cli/output"
)

func (h commands) compareCommand() *cobra.Command {
	var by standard
	cmd := &cobra.Command{
		Use:   "compare BEFORE AFTER",
		Short: "Compare two reports, each an id or a file",
		Long: `Compare two reports, each an id or a file. --baseline takes the place of BEFORE, passed being
the last good report; AFTER is the newest report then, if none is named.

With --fail-on or --baseline, exit 1 if AFTER counts as failed by what is new in it.`,
		Example: `  geodeck health compare abcdefghij klmnopqrst
  geodeck health compare before.json after.json -o json
  geodeck health compare --baseline name:"before the patch" --fail-on critical`,
		Args: func(cmd *cobra.Command, args []string) error {
			if by.baseline != "" {
				return cobra.MaximumNArgs(1)(cmd, args)
			}
			return cobra.ExactArgs(2)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error { return h.compare(cmd.Context(), args, by) },
	}
	by.register(cmd)
	return cmd
}

func (h commands) compare(ctx context.Context, args []string, by standard) error {
	if err := by.check(); err != nil {
		return err
	}
	if by.baseline == "" {
		return h.compareTwo(ctx, args[0], args[1], by)
	}
	site, of, err := h.handed(ctx, command.First(args))
	if err != nil {
		return err
	}
	standard, judged, err := h.judge(ctx, by, site, &of)
	if err == nil && by.baseline == lastPassed {
		if of.File != "" {
			site, err = h.siteOf(ctx, by, of)
		}
		if err == nil {
			standard.Against, err = h.lastGood(ctx, site, of.Report)
		}
	}
	if err != nil {
		return err
	}
	if standard.Against == nil {
		return exit.BadInput("List the reports: {command:health reports}", errors.New(standard.Missing))
	}
	if err := h.printCompared(*standard.Against, of.Report); err != nil {
		return err
	}
	return told(judged, of.Report, h.Out.Note)
}

// lastGood is the report that passed is in a comparison.
func (h commands) lastGood(ctx context.Context, site operation.Site, r adminapi.Report) (*adminapi.Report, error) {
	all, err := site.Reports().All(ctx)
	if err != nil {
		return nil, err
	}
	good, err := site.Reports().LastGood(ctx, all, r)
	if err == nil && good == nil {
		err = exit.BadInput("List the reports: {command:health reports}", errors.New("no good report of the same suites is before it"))
	}
	return good, err
}

func (h commands) compareTwo(ctx context.Context, first, second string, by standard) error {
	if first == files.Standard && second == first {
		return exit.BadInput("", files.ErrTwoInputs)
	}
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
	if err := h.printCompared(before, after); err != nil || !by.asked() {
		return err
	}
	judged := health.JudgeReport(after, health.BaselineIn(after, before), health.FailOn(by.failOn))
	return told(judged, after, h.Out.Note)
}

func (h commands) printCompared(before, after adminapi.Report) error {
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
