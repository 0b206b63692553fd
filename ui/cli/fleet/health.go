package fleet

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/parallel"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/sites"
	"geodeck/ui/cli/command"
	"geodeck/ui/cli/exit"
	healthcmd "geodeck/ui/cli/health"
	"geodeck/ui/cli/output"
	"geodeck/ui/cli/session"
)

// healthRun is the command "geodeck fleet health run".
type healthRun struct {
	*commands
	healthcmd.RunOptions
	wait bool
}

func (f *commands) healthRunCommand() *cobra.Command {
	r := healthRun{commands: f}
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Run a health check at every site, except for those that are locked",
		Long: `Run a health check at every site of config.yaml, at all of them at the same time.

A site that is read-only until it is unlocked is skipped, unless --unlock names it; give
--unlock once for each. A line says of each site what became of it. With --wait, that is
the result of its report.

The exit code is the worst of the sites, in this order: 6 outcome unknown, 1 failed, 7 not
finished within --timeout, 5 unreachable, 3 sign-in needed, 4 skipped or refused, 0.`,
		Example: `  geodeck fleet health run --wait --timeout 15m
  geodeck fleet health run --unlock production --unlock production-eu
  geodeck fleet health run --filter staging --suite BSHC-001 -o json`,
		Args: cobra.NoArgs,
		RunE: command.Runs(r.run),
	}
	set := cmd.Flags()
	set.StringVar(&f.filter, "filter", "", "only sites with each of these words in name or address")
	set.BoolVar(&r.wait, "wait", false, "wait for the reports")
	r.Register(cmd, "name of the reports")
	return cmd
}

// siteRun is what became of the health check of one site, also in JSON.
type siteRun struct {
	Site     string  `json:"site"`
	Outcome  string  `json:"outcome"` // of the request: done, failed, refused, unknown, not sent or planned
	Verdict  *string `json:"verdict"` // of the check: succeeded where there is a report, failed; null where that was not seen
	ExitCode int     `json:"exitCode"`
	JobID    string  `json:"jobid,omitzero"`
	ReportID string  `json:"reportId,omitzero"`
	Result   string  `json:"result,omitzero"` // of the report: passed, failed, warning or unknown
	Message  string  `json:"message,omitzero"`
	Advice   string  `json:"advice,omitzero"`

	became string // for people

	Request *adminapi.Request `json:"request,omitzero"` // of a dry run
}

// What became of the check of a site.
const (
	runStarted = "started"
	runPassed  = "passed" // or counts as good
	runFailed  = "failed"
	runSkipped = "skipped"
	runNotSent = "not started"
	runPlanned = "planned" // by a dry run
	runUnknown = "outcome unknown"
	runGoesOn  = "going on"
)

// worstCodes are the codes of sites, worst first.
var worstCodes = []int{exit.Interrupted, exit.Unknown, exit.Failed, exit.Usage, exit.GoingOn, exit.Unreachable,
	exit.SignIn, exit.Refused}

func (r *healthRun) run(ctx context.Context) error {
	if err := r.Check(r.Session.Clock().Now()); err != nil {
		return err
	}
	from, all, err := r.sites()
	if err != nil {
		return err
	}
	for _, name := range r.Session.Flags().Unlock {
		if !slices.ContainsFunc(all, func(s sites.Site) bool { return s.Name == name }) {
			return exit.BadInput("The sites: {command:site list}",
				fmt.Errorf("--unlock %s names no site; nothing was sent", plain.Clip(plain.Line(name), 60)))
		}
	}
	if _, err := from.Settings(); err != nil {
		return err
	}
	var (
		meant []sites.Site
		width int
	)
	for _, site := range all {
		if matchesSite(site, r.filter) {
			meant, width = append(meant, site), max(width, len(site.Name))
		}
	}
	if len(meant) == 0 {
		return r.noMatch()
	}
	var (
		side    parallel.Group
		mu      sync.Mutex
		printed error
		runs    = make([]siteRun, len(meant))
		note    = r.notes()
	)
	for i, site := range meant {
		of := from.Of(site.Name, session.Variant{Note: func(text string) { note(site.Name, text) }})
		side.Go(func() {
			one := r.at(ctx, r.Exit.Alone(of, r.Out), site)
			mu.Lock()
			defer mu.Unlock()
			if runs[i] = one; printed == nil {
				printed = r.printRun(one, width)
			}
		})
	}
	side.Wait()
	if printed == nil && r.Out.JSON() && !r.Out.Lines() {
		printed = output.PrintList(r.Out, runs)
	}
	if printed != nil {
		return printed
	}
	return judgeRuns(runs)
}

func matchesSite(s sites.Site, filter string) bool {
	for word := range strings.FieldsSeq(strings.ToLower(filter)) {
		if !strings.Contains(strings.ToLower(s.Name+" "+s.URL), word) && !(s.Production && strings.Contains("production", word)) {
			return false
		}
	}
	return true
}

// printRun prints the line of a site as soon as it is known.
func (r *healthRun) printRun(one siteRun, width int) error {
	if r.Out.JSON() {
		if r.Out.Lines() {
			return r.Out.PrintEvent(one)
		}
		return nil
	}
	what := one.Message
	if what == "" && one.JobID != "" {
		what = "job " + one.JobID
	}
	if what == "" && one.ReportID != "" {
		what = "report " + one.ReportID
	}
	if one.Advice != "" {
		what += ". " + one.Advice
	}
	err := r.Out.PrintLine(plain.Line(fmt.Sprintf("%-*s  %-15s  %s", width, one.Site, one.became, what)))
	if err == nil && one.Request != nil {
		err = command.PrintRequest(r.Out, *one.Request)
	}
	return err
}

// at runs the check at one site. Nothing of it concerns another one.
func (r *healthRun) at(ctx context.Context, of *command.Exits, site sites.Site) siteRun {
	defer of.Session.Close()
	one := siteRun{Site: site.Name, Outcome: "not sent", became: runNotSent}
	if site.Locked() && !of.Session.Unlocks(site.Name) {
		one.became, one.ExitCode = runSkipped, exit.Refused
		one.Message, one.Advice = "it is read-only until it is unlocked", "To include it: --unlock "+plain.ShellWord(site.Name)
		return one
	}
	err := r.send(ctx, of, &one)
	if err == nil {
		return one
	}
	f := of.Named(of.Explain(err))
	one.ExitCode, one.Message, one.Advice = f.Code, plain.Line(f.Error()), plain.Line(f.Advice)
	switch {
	case f.Code == exit.Unknown:
		one.became = runUnknown
	case f.Code == exit.GoingOn:
		one.became = runGoesOn
	case one.ReportID != "" && f.Code == exit.Failed:
		one.became = runFailed
		for _, detail := range f.Details {
			of.Session.Say(detail)
		}
	case one.JobID != "":
		one.became = runGoesOn
	}
	return one
}

// send sends the run, finds out what became of it where its answer was lost, and with --wait
// judges its report.
func (r *healthRun) send(ctx context.Context, of *command.Exits, one *siteRun) error {
	site, err := of.Session.SiteToSend(ctx, adminapi.TargetHealthRun(r.Name), r.DryRun)
	if err != nil {
		return err
	}
	defer site.Client.CloseIdleConnections()
	wanted, plan, err := r.At(ctx, site)
	if err != nil {
		return err
	}
	if r.DryRun {
		change := operation.HealthCheck(wanted).Prepare(site)
		request, err := change.Request(ctx)
		if err != nil {
			return err
		}
		one.Message, one.Request = plan, &request
		if err := of.Session.CheckSend(ctx, change.Target); err != nil {
			return err
		}
		one.Outcome, one.became = runPlanned, runPlanned
		return nil
	}
	run, result := site.StartHealthRun(ctx, wanted)
	one.Outcome = result.ForScripts()
	if run == nil {
		return result.Err
	}
	for {
		if one.JobID = run.JobID(); one.JobID != "" {
			of.Wait.Job = one.JobID
		}
		if one.JobID != "" && !run.Result(nil).Lost() { // after a lost answer it may be the job of another run
			one.Outcome = "done"
			if !r.wait {
				one.became = runStarted
				return nil
			}
		}
		step, err := run.Next(ctx)
		if err != nil && ctx.Err() == nil {
			one.Outcome = run.Result(err).ForScripts()
		}
		if errors.Is(err, operation.ErrJobBroken) {
			one.Verdict = journal.VerdictFailed.ForScripts()
		}
		if err != nil && ctx.Err() != nil && run.Result(err).Lost() {
			return of.UnknownOutcome(run.Result(err), err)
		}
		if err != nil {
			return err
		}
		of.Wait.LastErr = step.Unreachable
		if step.Done {
			report := *step.Value.Report
			one.ReportID, one.Result, one.became = report.ID, health.Overall(report).String(), runPassed
			one.Outcome = run.Result(nil).ForScripts() // also where its report was found, and no job
			one.Verdict = journal.VerdictSucceeded.ForScripts()
			return r.Judge(ctx, site, report, of.Session.Say)
		}
		if err := site.Clock.Sleep(ctx, step.Wait); err != nil && ctx.Err() != nil {
			if run.Result(err).Lost() {
				return of.UnknownOutcome(result, err)
			}
			return err
		}
	}
}

// judgeRuns fails with the worst code.
func judgeRuns(runs []siteRun) error {
	var names []string
	for _, one := range runs {
		if one.ExitCode != exit.Done {
			names = append(names, one.Site+" ("+one.became+")")
		}
	}
	for _, code := range worstCodes {
		if slices.ContainsFunc(runs, func(one siteRun) bool { return one.ExitCode == code }) {
			return failedSites(code, names, len(runs))
		}
	}
	return nil
}

// failedSites is the failure of some of all sites.
func failedSites(code int, names []string, all int) error {
	f := exit.New(code, "", fmt.Errorf("%d of %s: %s", len(names), plain.Plural(all, "site"), strings.Join(names, ", ")))
	if code == exit.Usage { // of a site, not of this command line
		f.Kind = "failed"
	}
	return f
}
