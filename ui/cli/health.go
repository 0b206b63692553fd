package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/health"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/ui/cli/output"
)

// healthCommands are the commands of "geodeck health".
type healthCommands struct {
	shared
	dash fileOpener
}

// fileOpener opens the dashboard on a saved report.
type fileOpener interface {
	Register(cmd *cobra.Command)
	OpenFile(ctx context.Context, path string) error
}

// healthCommand makes "geodeck health". The dashboard opens saved reports.
func healthCommand(s shared, dash fileOpener) *cobra.Command {
	h := healthCommands{s, dash}
	return group("health", "Run health checks and read their reports",
		verb("suites", "List the test suites that the site offers", cobra.NoArgs, h.onSite(h.suites)),
		h.runCommand(), h.reportsCommand(),
		h.reportCommand(), h.explainCommand(), h.openCommand(), h.compareCommand(), h.exportCommand(), h.deleteCommand())
}

func (h healthCommands) suites(ctx context.Context, site operation.Site, _ string) error {
	suites, err := site.Client.Health.Suites(ctx)
	if err != nil {
		return err
	}
	return output.PrintAll(h.out, suites, []string{"ID", "NAME", "CRITICAL", "GENERAL", "RUN BY"},
		func(l *output.Renderer, suite adminapi.Suite) []output.Cell {
			return l.Row(suite.ID, suite.Name, len(suite.Critical), len(suite.General), whoRuns(suite))
		})
}

func whoRuns(suite adminapi.Suite) string {
	if suite.SystemOnly {
		return "the platform only"
	}
	return "anyone with the privilege"
}

// results are the words that reports are filtered by.
var results = []string{"passed", "failed", "warning", "unknown"}

// listOptions are the flags of the list of reports.
type listOptions struct {
	results []string
	limit   int
}

func (h healthCommands) reportsCommand() *cobra.Command {
	var o listOptions
	cmd := &cobra.Command{
		Use:        "reports",
		SuggestFor: []string{"list"},
		Short:      "List the reports that the site keeps, newest first",
		Args:       cobra.NoArgs,
		RunE:       func(cmd *cobra.Command, _ []string) error { return h.reports(cmd.Context(), o) },
	}
	cmd.Flags().StringSliceVar(&o.results, "result", nil, "only reports with this result: passed, failed, warning or unknown")
	cmd.Flags().IntVar(&o.limit, "limit", 0, "at most this many (0: all)")
	complete(cmd, "result", results)
	return cmd
}

func (h healthCommands) reports(ctx context.Context, o listOptions) error {
	for _, word := range o.results {
		if err := oneOf("--result", word, results); err != nil {
			return err
		}
	}
	if o.limit < 0 {
		return badInputf("--limit takes 0 or more")
	}
	site, err := h.session.site(ctx)
	if err != nil {
		return err
	}
	reports, err := site.Reports().All(ctx)
	if err != nil {
		return err
	}
	reports = chosenReports(reports, o)
	return output.PrintAll(h.out, reports, reportColumns, reportRow)
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

var reportColumns = []string{"ID", "RESULT", "STARTED", "TOOK", "MADE BY", "NAME"}

func reportRow(l *output.Renderer, r adminapi.ReportSummary) []output.Cell {
	made := r.CreatedBy
	if health.SystemMade(r) {
		made += " (the platform)"
	}
	return l.Row(r.ID, verdictCell(l, health.JudgeState(r.Result, r.State)),
		output.FormatTime(r.StartTime.Time()), output.FormatDuration(r.StartTime, r.EndTime), made, r.Name)
}

// maxReport bounds a report in a file, as the client bounds one in an answer.
const maxReport = 64 << 20

// loadReport reads a report from a file, or from the site by its id: the newest one without.
func (h healthCommands) loadReport(ctx context.Context, source string) (adminapi.Report, error) {
	if namesFile(source) {
		return readReportUntil(ctx, source)
	}
	site, err := h.session.site(ctx)
	if err != nil {
		return adminapi.Report{}, err
	}
	if source == "" {
		if source, err = newestReport(ctx, site); err != nil {
			return adminapi.Report{}, err
		}
	}
	return site.Client.Health.Report(ctx, source)
}

// newestReport returns the id of the newest report of a site.
func newestReport(ctx context.Context, site operation.Site) (string, error) {
	reports, err := site.Reports().All(ctx)
	switch {
	case err != nil:
		return "", err
	case len(reports) == 0:
		return "", badInput("Make one: {command:health run}", errNoReport)
	}
	return reports[0].ID, nil
}

// namesFile reports whether an argument is a file. Ids hold only letters and digits, but
// an existing file may have such a name.
func namesFile(source string) bool {
	if strings.ContainsAny(source, `/\`) || strings.HasSuffix(strings.ToLower(source), ".json") {
		return true
	}
	info, err := os.Stat(source)
	return err == nil && !info.IsDir()
}

// readReportUntil reads a file until ctx ends.
func readReportUntil(ctx context.Context, path string) (adminapi.Report, error) {
	report, err := until(ctx, func() (adminapi.Report, error) { return readReport(path) })
	if err != nil && ctx.Err() == nil {
		err = badInput("", err)
	}
	return report, err
}

func readReport(path string) (adminapi.Report, error) {
	content, err := readUpTo(path, maxReport)
	if err != nil {
		return adminapi.Report{}, err
	}
	report, err := adminapi.DecodeReport(content)
	if err != nil {
		return report, fmt.Errorf("%s: %w", plain.Line(path), err)
	}
	return report, nil
}

func (h healthCommands) reportCommand() *cobra.Command {
	var o exportOptions
	cmd := &cobra.Command{
		Use:   "report [ID|FILE]",
		Short: "Print a report of the site, or one saved in a file",
		Long: `Print a report of the site, the newest one without an ID, or one saved in a file.

A FILE is an argument that names an existing file, holds a path separator, or
ends in .json. Reading one needs no site and no network.

--format prints the report as "health export" does: html is one page for a mail.`,
		Example: "  geodeck health report\n  geodeck health report abcdefghij --format html > report.html",
		Args:    cobra.MaximumNArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return h.report(cmd.Context(), first(args), o) },
	}
	cmd.Flags().StringVar(&o.format, "format", "", "print a file instead: json, csv, md, html or junit")
	complete(cmd, "format", formats)
	return cmd
}

func (h healthCommands) report(ctx context.Context, source string, o exportOptions) error {
	if o.format != "" {
		return h.export(ctx, source, o)
	}
	report, err := h.loadReport(ctx, source)
	if err != nil {
		return err
	}
	return h.printReport(report)
}

func (h healthCommands) openCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "open FILE",
		Short: "Open the dashboard on a saved report, without a site",
		Args:  cobra.ExactArgs(1),
		RunE:  runsOn(h.open),
	}
	h.dash.Register(cmd)
	return cmd
}

// open opens the dashboard on a file, together with the reports of a site if one is given.
func (h healthCommands) open(ctx context.Context, path string) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return badInputf("%s is not a regular file", path) // the dashboard reads it again
	}
	if _, err := readReportUntil(ctx, path); err != nil {
		return err
	}
	return h.dash.OpenFile(ctx, path)
}

// printReport prints a whole report.
func (h healthCommands) printReport(r adminapi.Report) error {
	if h.out.JSON() {
		return h.out.PrintRaw(r.Raw)
	}
	err := h.out.PrintRows(h.reportHead(r))
	for _, suite := range r.Suites {
		err = cmp.Or(err, h.printSuite(suite))
	}
	return cmp.Or(err, h.printFindings(health.Check(r)))
}

func (h healthCommands) reportHead(r adminapi.Report) [][]output.Cell {
	l := h.out.Renderer()
	return l.Fields("Report", r.Name, "Id", r.ID, "Result", verdictCell(l, health.Overall(r)),
		"Tests", counted(health.CountReport(r)), "Started", output.FormatTime(r.StartTime.Time()),
		"Took", output.FormatDuration(r.StartTime, r.EndTime), "Made by", r.CreatedBy)
}

func (h healthCommands) printSuite(suite adminapi.SuiteResult) error {
	l := h.out.Renderer()
	title := l.Row(output.Cell{Text: suite.Name, Style: l.Theme.Heading}, suite.ID,
		verdictCell(l, health.JudgeState(suite.Result, suite.State)))
	var rows [][]output.Cell
	for _, list := range []struct {
		severity string
		tests    []adminapi.TestResult
	}{{"critical", suite.Critical}, {"general", suite.General}} {
		for _, test := range list.tests {
			verdict := health.JudgeTest(test)
			rows = append(rows, l.Row(verdictCell(l, verdict), list.severity, test.Name,
				output.FormatDuration(test.StartTime, test.EndTime), reasonOf(test, verdict)))
		}
	}
	return cmp.Or(h.out.PrintLine(""), h.out.PrintRows([][]output.Cell{title}),
		h.out.PrintTable([]string{"RESULT", "SEVERITY", "TEST", "TOOK", "DESCRIPTION OR REASON"}, rows))
}

// reasonOf is why a test did not pass if the site says so, otherwise what it checks.
func reasonOf(test adminapi.TestResult, verdict health.Verdict) string {
	if reason := health.ReasonLine(test); reason != "" && !verdict.Good() {
		return reason
	}
	return test.Description
}

func (h healthCommands) printFindings(findings []finding.Finding) error {
	if len(findings) == 0 {
		return nil
	}
	return cmp.Or(h.out.PrintLine(""), output.PrintEach(h.out, findings, []string{"DOES NOT FIT", "WHY"},
		func(l *output.Renderer, f finding.Finding) []output.Cell {
			return l.Row(cmp.Or(f.At.Name, "report"), f.Text)
		}))
}

var statusOfVerdict = map[health.Verdict]output.Status{
	health.Passed: output.Good, health.Failed: output.Bad, health.Warning: output.Warned, health.Running: output.Running, health.Skipped: output.Skipped,
}

// verdictCell is a cell with a verdict: glyph and word, or the word alone.
func verdictCell(l *output.Renderer, v health.Verdict) output.Cell {
	return l.StatusCell(statusOfVerdict[v], v.String())
}
