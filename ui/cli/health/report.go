package health

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/health"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/incident"
	"geodeck/ui/cli/command"
	"geodeck/ui/cli/exit"
	"geodeck/ui/cli/files"
	"geodeck/ui/cli/output"
	"geodeck/ui/cli/session"
)

// errNoReport says that a site has no report yet.
var errNoReport = errors.New("the site has no health report yet")

// inputName is what the standard input is called where a file is named.
const inputName = "the standard input"

// maxReport bounds a report in a file, as the client bounds one in an answer.
const maxReport = 64 << 20

// loadReport reads a report from a file, or from the site by its id: the newest one without.
func (h commands) loadReport(ctx context.Context, source string) (adminapi.Report, error) {
	_, of, err := h.handed(ctx, source)
	return of.Report, err
}

// handed does so with what is known around it.
func (h commands) handed(ctx context.Context, source string) (site operation.Site, of incident.Handed, err error) {
	if namesFile(source) {
		of.File, site.Clock = source, h.Session.Clock()
		if source == files.Standard {
			of.File = inputName
		}
		of.Report, err = h.readReport(ctx, source)
		return site, of, err
	}
	if site, of.Report, err = h.siteReport(ctx, source); err == nil {
		var settings session.Settings
		settings, err = h.Session.Settings()
		of.SiteName = cmp.Or(settings.Named.Name, settings.Marked.Name)
	}
	return site, of, err
}

// siteReport reads a report of the site by its id: the newest one without.
func (h commands) siteReport(ctx context.Context, id string) (site operation.Site, report adminapi.Report, err error) {
	if site, err = h.Session.Site(ctx); err == nil && id == "" {
		var reports []adminapi.ReportSummary
		switch reports, err = site.Reports().All(ctx); {
		case err != nil:
		case len(reports) == 0:
			err = exit.BadInput("Make one: {command:health run}", errNoReport)
		default:
			id = reports[0].ID
		}
	}
	if err == nil {
		report, err = site.Client.Health.Report(ctx, id)
	}
	return site, report, err
}

// namesFile reports whether an argument is a file, or - for the standard input. Ids hold only letters
// and digits, but an existing file may have such a name.
func namesFile(source string) bool {
	if source == files.Standard || strings.ContainsAny(source, `/\`) || strings.HasSuffix(strings.ToLower(source), ".json") {
		return true
	}
	info, err := os.Stat(source)
	return err == nil && !info.IsDir()
}

// readReport reads a file or the standard input until ctx ends.
func (h commands) readReport(ctx context.Context, path string) (adminapi.Report, error) {
	content, name, err := files.ContentUpTo(ctx, h.In, path, maxReport)
	var report adminapi.Report
	if err == nil {
		if report, err = adminapi.DecodeReport(content); err != nil {
			err = fmt.Errorf("%s: %w", name, err)
		}
	}
	if err != nil && ctx.Err() == nil {
		err = exit.BadInput("", err)
	}
	return report, err
}

func (h commands) reportCommand() *cobra.Command {
	var o exportOptions
	cmd := &cobra.Command{
		Use:   "report [ID|FILE]",
		Short: "Print a report of the site, or one saved in a file",
		Long: `Print a report of the site, the newest one without an ID, or one saved in a file.

A FILE is an argument that names an existing file, holds a path separator, or
ends in .json; - is the standard input. Reading one needs no site and no network.

--format prints the report as "health export" does: html is one page for a mail.`,
		Example: "  geodeck health report\n  geodeck health report abcdefghij --format html > report.html",
		Args:    cobra.MaximumNArgs(1),
		RunE:    command.RunsWith(&o, h.report),
	}
	cmd.Flags().StringVar(&o.format, "format", "", "print a file instead: json, csv, md, html or junit")
	command.Complete(cmd, "format", formats)
	return cmd
}

func (h commands) report(ctx context.Context, source string, o exportOptions) error {
	if o.format != "" {
		return h.export(ctx, source, o)
	}
	site, of, err := h.handed(ctx, source)
	switch {
	case err != nil:
		return err
	case h.Out.JSON() || of.File != "":
		return h.printReport(of.Report)
	}
	with := incident.HandOver(ctx, site, of)
	line, _ := with.Changes(of.Report)
	todo, kubectl := with.Steps(of.Report)
	var facts [][]output.Cell
	for _, fact := range with.Facts {
		facts = append(facts, h.Out.Renderer().Row(fact[0], fact[1]))
	}
	return cmp.Or(h.printReport(of.Report, facts...),
		h.Out.PrintLines(slices.Concat([]string{"", "Since " + with.Since + ": " + line}, todo, kubectl)...))
}

// printReport prints a whole report, with more about it.
func (h commands) printReport(r adminapi.Report, more ...[]output.Cell) error {
	if h.Out.JSON() {
		return h.Out.PrintRaw(r.Raw)
	}
	err := h.Out.PrintRows(append(h.reportHead(r), more...))
	for _, suite := range r.Suites {
		err = cmp.Or(err, h.printSuite(suite))
	}
	return cmp.Or(err, h.printFindings(health.Check(r)))
}

func (h commands) reportHead(r adminapi.Report) [][]output.Cell {
	l := h.Out.Renderer()
	return l.Fields("Report", r.Name, "Id", r.ID, "Result", verdictCell(l, health.Overall(r)),
		"State", health.StateWords(r.State), "Tests", command.Counted(health.CountReport(r)), "Started", output.FormatTime(r.StartTime.Time()),
		"Took", output.FormatDuration(r.StartTime, r.EndTime), "Owner", r.Owner, "Made by", r.CreatedBy)
}

func (h commands) printSuite(suite adminapi.SuiteResult) error {
	l := h.Out.Renderer()
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
	return cmp.Or(h.Out.PrintLine(""), h.Out.PrintRows([][]output.Cell{title}),
		h.Out.PrintTable([]string{"RESULT", "SEVERITY", "TEST", "TOOK", "DESCRIPTION OR REASON"}, rows))
}

// reasonOf is why a test did not pass if the site says so, otherwise what it checks.
func reasonOf(test adminapi.TestResult, verdict health.Verdict) string {
	if reason := health.ReasonLine(test); reason != "" && !verdict.Good() {
		return reason
	}
	return test.Description
}

func (h commands) printFindings(findings []finding.Finding) error {
	if len(findings) == 0 {
		return nil
	}
	return cmp.Or(h.Out.PrintLine(""), output.PrintEach(h.Out, findings, []string{"DOES NOT FIT", "WHY"},
		func(l *output.Renderer, f finding.Finding) []output.Cell {
			return l.Row(cmp.Or(f.At.Name, "report"), f.Text)
		}))
}

var statusOfVerdict = map[health.Verdict]output.Status{
	health.Passed: output.Good, health.Failed: output.Bad, health.Warning: output.Warned, health.Running: output.Running,
	health.Skipped: output.Skipped,
}

// verdictCell is a cell with a verdict: glyph and word, or the word alone.
func verdictCell(l *output.Renderer, v health.Verdict) output.Cell {
	return l.StatusCell(statusOfVerdict[v], v.String())
}
