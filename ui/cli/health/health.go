// Package health has the commands of "geodeck health": run checks, and read, compare, export and
// delete their reports.
//
// Start at [Command].
package health

import (
	"context"
	"os"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
	"geodeck/adminapi/lists"
	"geodeck/adminapi/operation"
	"geodeck/ui/cli/command"
	"geodeck/ui/cli/exit"
	"geodeck/ui/cli/output"
)

// commands are the commands of "geodeck health".
type commands struct {
	command.Env
	dash fileOpener
}

// fileOpener opens the dashboard on a saved report.
type fileOpener interface {
	Register(cmd *cobra.Command)
	OpenFile(ctx context.Context, path string) error
}

// Command makes "geodeck health". The dashboard opens saved reports.
func Command(s command.Env, dash fileOpener) *cobra.Command {
	h := commands{s, dash}
	return command.Group("health", "Run health checks and read their reports",
		command.Verb("suites", "List the test suites that the site offers", cobra.NoArgs, h.OnSite(h.suites)),
		h.runCommand(), h.reportsCommand(),
		h.reportCommand(), h.explainCommand(), h.openCommand(), h.compareCommand(), h.exportCommand(), h.deleteCommand())
}

func (h commands) suites(ctx context.Context, site operation.Site, _ string) error {
	suites, err := site.Reports().Suites(ctx)
	if err != nil {
		return err
	}
	if h.Out.JSON() {
		return output.PrintList(h.Out, lists.Each(suites, suiteOf))
	}
	return output.PrintEach(h.Out, suites, []string{"ID", "NAME", "CRITICAL", "GENERAL", "RUN BY"},
		func(l *output.Renderer, suite adminapi.Suite) []output.Cell {
			return l.Row(suite.ID, suite.Name, len(suite.Critical), len(suite.General), whoRuns(suite))
		})
}

// suiteJSON is a suite of tests.
type suiteJSON struct {
	ID         string         `json:"id"`
	Name       string         `json:"name"`
	SystemOnly bool           `json:"systemOnly"` // only the platform can run it
	Critical   []testJSON     `json:"criticalTests"`
	General    []testJSON     `json:"generalTests"`
	Raw        jsontext.Value `json:"raw"` // as the site wrote it
}

type testJSON struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

func suiteOf(s adminapi.Suite) suiteJSON {
	raw, _ := json.Marshal(s, output.AsReceived) // it was read from JSON
	test := func(t adminapi.SuiteTest) testJSON { return testJSON{t.Name, t.Description} }
	return suiteJSON{s.ID, s.Name, s.SystemOnly, lists.Each(s.Critical, test), lists.Each(s.General, test), raw}
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
	limit   uint
}

func (h commands) reportsCommand() *cobra.Command {
	var o listOptions
	cmd := &cobra.Command{
		Use:   "reports",
		Short: "List the reports that the site keeps, newest first",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return h.reports(cmd.Context(), o) },
	}
	cmd.Flags().StringSliceVar(&o.results, "result", nil, "only reports with this result: passed, failed, warning or unknown")
	cmd.Flags().UintVar(&o.limit, "limit", 0, "at most this many (0: all)")
	command.Complete(cmd, "result", results)
	return cmd
}

func (h commands) reports(ctx context.Context, o listOptions) error {
	for _, word := range o.results {
		if err := exit.OneOf("--result", word, results); err != nil {
			return err
		}
	}
	site, err := h.Session.Site(ctx)
	if err != nil {
		return err
	}
	reports, err := site.Reports().All(ctx)
	if err != nil {
		return err
	}
	reports = chosenReports(reports, o)
	if h.Out.JSON() {
		return output.PrintList(h.Out, lists.Each(reports, reportOf))
	}
	return output.PrintEach(h.Out, reports, reportColumns, reportRow)
}

func chosenReports(reports []adminapi.ReportSummary, o listOptions) []adminapi.ReportSummary {
	if len(o.results) > 0 {
		reports = slices.DeleteFunc(reports, func(r adminapi.ReportSummary) bool {
			return !slices.Contains(o.results, health.JudgeWhole(r.Result, r.State).String())
		})
	}
	if o.limit > 0 && uint(len(reports)) > o.limit {
		reports = reports[:o.limit]
	}
	return reports
}

// reportJSON is a report of a list.
type reportJSON struct {
	ID        string         `json:"id"`
	Name      string         `json:"name"`
	Owner     string         `json:"owner"`
	CreatedBy string         `json:"createdBy"`
	Result    string         `json:"result"` // passed, failed, warning or unknown, as --result takes it; running while it runs
	State     string         `json:"state"`  // as the site says it
	Started   *time.Time     `json:"startTime"`
	Ended     *time.Time     `json:"endTime"` // null while it runs
	Raw       jsontext.Value `json:"raw"`     // as the site wrote it
}

func reportOf(r adminapi.ReportSummary) reportJSON {
	raw, _ := json.Marshal(r, output.AsReceived) // it was read from JSON
	result := health.JudgeWhole(r.Result, r.State).String()
	return reportJSON{r.ID, r.Name, r.Owner, r.CreatedBy, result, r.State, r.StartTime.Moment(), r.EndTime.Moment(), raw}
}

var reportColumns = []string{"ID", "RESULT", "STATE", "STARTED", "TOOK", "OWNER", "MADE BY", "NAME"}

func reportRow(l *output.Renderer, r adminapi.ReportSummary) []output.Cell {
	made := r.CreatedBy
	if health.SystemMade(r) {
		made += " (the platform)"
	}
	return l.Row(r.ID, verdictCell(l, health.JudgeWhole(r.Result, r.State)), r.State,
		output.FormatTime(r.StartTime.Time()), output.FormatDuration(r.StartTime, r.EndTime), r.Owner, made, r.Name)
}

func (h commands) openCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "open FILE",
		Short: "Open the dashboard on a saved report, without a site",
		Args:  cobra.ExactArgs(1),
		RunE:  command.RunsOn(h.open),
	}
	h.dash.Register(cmd)
	return cmd
}

// open opens the dashboard on a file, together with the reports of a site if one is given.
func (h commands) open(ctx context.Context, path string) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return exit.BadInputf("%s is not a regular file", path) // the dashboard reads it again
	}
	if _, err := h.readReport(ctx, path); err != nil {
		return err
	}
	return h.dash.OpenFile(ctx, path)
}

// Shapes are what these commands print as objects of ours.
func Shapes() output.Shapes {
	return output.Shapes{
		"health explain": {command.ExplanationJSON{}},
		"health compare": {health.ComparisonJSON{}},
		"health delete":  {deletedJSON{}},
		"health reports": {[]reportJSON{}},
		"health run":     {command.DryRunJSON{}},
		"health suites":  {[]suiteJSON{}},
	}
}
