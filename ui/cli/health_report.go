package cli

import (
	"context"
	"errors"
	"os"

	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
	"geodeck/ui"
)

func (p *program) healthReportCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "report ID|FILE",
		Short: "Print a report of the site, or one saved in a file",
		Long: `Print a report of the site, or one saved in a file.

A FILE is an argument that names an existing file, holds a path separator, or
ends in .json. It needs no site and no network.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return p.healthReport(cmd.Context(), args[0]) },
	}
}

func (p *program) healthReport(ctx context.Context, source string) error {
	report, err := p.loadReport(ctx, source)
	if err != nil {
		return err
	}
	return p.printReport(report)
}

func (p *program) healthOpenCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "open FILE",
		Short: "Open the dashboard on a saved report; needs no site",
		Args:  cobra.ExactArgs(1),
		RunE:  func(cmd *cobra.Command, args []string) error { return p.healthOpen(cmd.Context(), args[0]) },
	}
}

// healthOpen shows a file, beside the reports of the site where one is named.
func (p *program) healthOpen(ctx context.Context, path string) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return badInput("", errors.New(path+" is not a regular file")) // it is read again later
	}
	if _, err := readReportUntil(ctx, path); err != nil {
		return err
	}
	o := ui.Options{Name: "saved report", Clock: p.Clock, File: path}
	if p.address() != "" {
		site, notice, err := p.newSite()
		if err != nil {
			return err
		}
		o.Site, o.Notice, o.Name = site, notice, site.Client.Base().Hostname()
	}
	return p.show(ctx, o)
}

// printReport prints a whole report.
func (p *program) printReport(r adminapi.Report) error {
	if p.json() {
		return p.printRaw(r.Raw)
	}
	if err := p.printRows(p.reportHead(r)); err != nil {
		return err
	}
	for _, suite := range r.Suites {
		if err := p.printSuite(suite); err != nil {
			return err
		}
	}
	return p.printFindings(health.Check(r))
}

func (p *program) reportHead(r adminapi.Report) [][]cell {
	l := p.appearance()
	rows := [][]cell{
		l.words("Report", r.Name),
		l.words("Id", r.ID),
		l.words("Result", ""),
		l.words("Tests", counted(health.CountReport(r))),
		l.words("Started", moment(r.StartTime.Time())),
		l.words("Took", took(r.StartTime, r.EndTime)),
		l.words("Made by", r.CreatedBy),
	}
	rows[2][1] = l.verdict(health.Overall(r))
	for _, row := range rows {
		row[0].style = l.theme.Label
	}
	return rows
}

func (p *program) printSuite(suite adminapi.SuiteResult) error {
	l := p.appearance()
	if err := p.say(""); err != nil {
		return err
	}
	title := l.words(suite.Name, suite.ID, "")
	title[0].style = l.theme.Heading
	title[2] = l.verdict(health.JudgeState(suite.Result, suite.State))
	if err := p.printRows([][]cell{title}); err != nil {
		return err
	}
	var rows [][]cell
	for _, list := range []struct {
		severity string
		tests    []adminapi.TestResult
	}{{"critical", suite.Critical}, {"general", suite.General}} {
		for _, test := range list.tests {
			verdict := health.JudgeTest(test)
			row := l.words("", list.severity, test.Name, took(test.StartTime, test.EndTime), told(test, verdict))
			row[0] = l.verdict(verdict)
			rows = append(rows, row)
		}
	}
	return p.printTable([]string{"RESULT", "SEVERITY", "TEST", "TOOK", "DESCRIPTION OR REASON"}, rows)
}

// told is why a test did not pass, as far as the server says so, and else what
// the test looks at.
func told(test adminapi.TestResult, verdict health.Verdict) string {
	if reason := health.ReasonLine(test); reason != "" && !verdict.Good() {
		return reason
	}
	return test.Description
}

func (p *program) printFindings(findings []health.Finding) error {
	if len(findings) == 0 {
		return nil
	}
	l := p.appearance()
	rows := make([][]cell, len(findings))
	for i, f := range findings {
		where := f.Path
		if where == "" {
			where = "report"
		}
		rows[i] = l.words(where, f.Text)
	}
	if err := p.say(""); err != nil {
		return err
	}
	return p.printTable([]string{"DOES NOT FIT", "WHY"}, rows)
}

// took writes how long something took, a dash where that is not known.
func took(start, end adminapi.Millis) string {
	span, ok := adminapi.Span(start, end)
	if !ok {
		return "-"
	}
	return adminapi.Took(span)
}
