package cli

import (
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
)

// results are the words that reports are filtered by.
var results = []string{"passed", "failed", "warning", "unknown"}

// listOptions are the flags of the list of reports.
type listOptions struct {
	results []string
	limit   int
}

func (p *program) healthReportsCommand() *cobra.Command {
	var o listOptions
	cmd := &cobra.Command{
		Use:   "reports",
		Short: "List the reports that the site keeps, newest first",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return p.healthReports(cmd.Context(), o) },
	}
	cmd.Flags().StringSliceVar(&o.results, "result", nil, "only reports with this result: passed, failed, warning or unknown")
	cmd.Flags().IntVar(&o.limit, "limit", 0, "at most so many (0: all)")
	complete(cmd, "result", results)
	return cmd
}

func (p *program) healthReports(ctx context.Context, o listOptions) error {
	for _, word := range o.results {
		if err := oneOf("--result", word, results); err != nil {
			return err
		}
	}
	if o.limit < 0 {
		return badInput("", errors.New("--limit takes 0 or more"))
	}
	site, err := p.connect()
	if err != nil {
		return err
	}
	reports, err := site.AllReports(ctx)
	if err != nil {
		return err
	}
	reports = chosenReports(reports, o)
	if p.json() {
		return printList(p, reports)
	}
	return p.printReports(reports)
}

func chosenReports(reports []adminapi.ReportSummary, o listOptions) []adminapi.ReportSummary {
	if len(o.results) > 0 {
		reports = slices.DeleteFunc(reports, func(r adminapi.ReportSummary) bool {
			return !slices.Contains(o.results, health.JudgeState(r.Result, r.State).String())
		})
	}
	if o.limit > 0 && len(reports) > o.limit {
		reports = reports[:o.limit]
	}
	return reports
}

func (p *program) printReports(reports []adminapi.ReportSummary) error {
	l := p.appearance()
	rows := make([][]cell, len(reports))
	for i, r := range reports {
		made := r.CreatedBy
		if health.SystemMade(r) {
			made += " (the platform)"
		}
		row := l.words(r.ID, "", moment(r.StartTime.Time()), took(r.StartTime, r.EndTime), made, r.Name)
		row[1] = l.verdict(health.JudgeState(r.Result, r.State))
		rows[i] = row
	}
	return p.printTable([]string{"ID", "RESULT", "STARTED", "TOOK", "MADE BY", "NAME"}, rows)
}
