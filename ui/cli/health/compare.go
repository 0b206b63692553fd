package health

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/incident"
	"geodeck/adminapi/plain"
	"geodeck/ui/cli/command"
	"geodeck/ui/cli/exit"
	"geodeck/ui/cli/output"
)

// compareOptions are the flags of a comparison.
type compareOptions struct {
	lastGood bool
	format   string // a page instead of a table
}

var pages = []string{string(health.Markdown), string(health.HTML)}

func (h commands) compareCommand() *cobra.Command {
	var o compareOptions
	cmd := &cobra.Command{
		Use:   "compare BEFORE AFTER",
		Short: "Compare two reports, each an id or a file",
		Long: `Compare two reports, each an id or a file.

With --last-good, compare one with the last good report before it at the site, the newest
one without an id. Good is the newest of the same suites in which no test failed; if the
later one did not fail, no test may have a warning either.`,
		Example: `  geodeck health compare abcdefghij klmnopqrst
  geodeck health compare --last-good --format md
  geodeck health compare before.json after.json -o json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if o.lastGood {
				return cobra.MaximumNArgs(1)(cmd, args)
			}
			return cobra.ExactArgs(2)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error { return h.compare(cmd.Context(), args, o) },
	}
	set := cmd.Flags()
	set.BoolVar(&o.lastGood, "last-good", false, "compare with the last good report before it")
	set.StringVar(&o.format, "format", "", "print a page instead: md for a ticket, or html for a mail")
	command.Complete(cmd, "format", pages)
	return cmd
}

func (h commands) compare(ctx context.Context, args []string, o compareOptions) error {
	if err := exit.OneOf("--format", cmp.Or(o.format, pages[0]), pages); err != nil {
		return err
	}
	site, of, err := h.handed(ctx, slices.Concat([]string{""}, args)[len(args)])
	if err != nil {
		return err
	}
	if o.lastGood {
		of.Good = true
		of.Before, err = lastGood(ctx, site, of)
	} else {
		var before adminapi.Report
		before, err = h.loadReport(ctx, args[0])
		of.Before = &before
	}
	if err != nil {
		return err
	}
	before, after := *of.Before, of.Report
	if !after.StartTime.IsZero() && after.StartTime < before.StartTime {
		h.Out.Note("the second report is older than the first; they are compared in the order given")
	}
	c := health.Compare(before, after)
	switch {
	case o.format != "":
		return h.write(ctx, site, of, exportOptions{format: o.format})
	case h.Out.JSON():
		return h.Out.PrintValue(c.JSON())
	}
	return PrintComparison(h.Out, c)
}

// lastGood fetches the last good report before one of the site.
func lastGood(ctx context.Context, site operation.Site, of incident.Handed) (*adminapi.Report, error) {
	if of.File != "" {
		return nil, exit.BadInputf("--last-good takes a report of the site by its id, not a file")
	}
	all, err := site.Reports().All(ctx)
	if err != nil {
		return nil, err
	}
	good, err := site.Reports().LastGood(ctx, all, of.Report)
	if good == nil && err == nil {
		err = exit.BadInput("Compare it with another one: {command:health reports}",
			errors.New("no good report of the same suites is before "+plain.Line(of.Report.ID)))
	}
	return good, err
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
