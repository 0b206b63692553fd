package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
)

func (p *program) healthCompareCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "compare BEFORE AFTER",
		Short:   "Compare two reports, each an id or a file",
		Example: "  geodeck health compare abcdefghij klmnopqrst\n  geodeck health compare before.json after.json -o json",
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.healthCompare(cmd.Context(), args[0], args[1])
		},
	}
}

func (p *program) healthCompare(ctx context.Context, first, second string) error {
	before, err := p.loadReport(ctx, first)
	if err != nil {
		return err
	}
	after, err := p.loadReport(ctx, second)
	if err != nil {
		return err
	}
	if !after.StartTime.IsZero() && after.StartTime < before.StartTime {
		p.note("the second report is older than the first; they are compared in the order given")
	}
	c := health.Compare(before, after)
	if p.json() {
		return p.printValue(c.JSON())
	}
	return p.printComparison(c)
}

func (p *program) printComparison(c health.Comparison) error {
	l := p.appearance()
	head := [][]cell{
		l.words("Before", c.Before.Name, c.Before.ID, moment(c.Before.StartTime.Time())),
		l.words("After", c.After.Name, c.After.ID, moment(c.After.StartTime.Time())),
	}
	if err := p.printRows(head); err != nil {
		return err
	}
	var rows [][]cell
	for _, d := range c.Differences {
		if d.Change != health.Same {
			rows = append(rows, l.difference(d))
		}
	}
	if err := p.say(""); err != nil {
		return err
	}
	if len(rows) > 0 {
		if err := p.printTable([]string{"CHANGE", "BEFORE", "AFTER", "SEVERITY", "TEST", "TOOK", "SUITE"}, rows); err != nil {
			return err
		}
	}
	return p.say(fmt.Sprintf("%d of %d tests are the same", c.Counts[health.Same], len(c.Differences)))
}

func (l *look) difference(d health.Difference) []cell {
	row := l.words(d.Change.String(), "-", "-", d.Severity, d.Name, l.bothTook(d.BeforeTook, d.AfterTook), d.SuiteName)
	for i, test := range []*adminapi.TestResult{d.Before, d.After} {
		if test != nil {
			row[i+1] = l.verdict(health.JudgeTest(*test))
		}
	}
	switch d.Change {
	case health.NewlyFailing, health.StillFailing:
		row[0].style = l.theme.Fail
	case health.Gone, health.Slower:
		row[0].style = l.theme.Warn
	case health.Fixed:
		row[0].style = l.theme.OK
	}
	return row
}

// bothTook writes two durations with an arrow between them.
func (l *look) bothTook(before, after time.Duration) string {
	arrow := "->"
	if l.glyphs {
		arrow = l.theme.Glyphs.Arrow
	}
	return spent(before) + " " + arrow + " " + spent(after)
}

func spent(d time.Duration) string {
	if d == 0 {
		return "-"
	}
	return adminapi.Took(d)
}
