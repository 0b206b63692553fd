package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/parallel"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/sites"
	"geodeck/ui/cli/output"
)

// fleetRun is the command "geodeck fleet health run".
type fleetRun struct {
	*fleetCommands
	suites       []string // flags
	name, failOn string
	wait         bool
}

func (f *fleetCommands) healthRunCommand() *cobra.Command {
	r := fleetRun{fleetCommands: f}
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
		RunE: runs(r.run),
	}
	set := cmd.Flags()
	set.StringVar(&f.filter, "filter", "", "only sites with each of these words in name or address")
	set.StringSliceVar(&r.suites, "suite", nil, "id of a suite to run; repeat for more (default all)")
	set.StringVar(&r.name, "name", "", "name of the reports (default geodeck and the date)")
	set.StringVar(&r.failOn, "fail-on", string(health.FailOnAny), failOnHelp)
	set.BoolVar(&r.wait, "wait", false, "wait for the reports")
	complete(cmd, "fail-on", failOns)
	return cmd
}

// siteRun is what became of the health check of one site, also in JSON.
type siteRun struct {
	Site     string `json:"site"`
	Outcome  string `json:"outcome"`
	ExitCode int    `json:"exitCode"`
	JobID    string `json:"jobid,omitzero"`
	ReportID string `json:"reportId,omitzero"`
	Result   string `json:"result,omitzero"` // of the report
	Message  string `json:"message,omitzero"`
	Advice   string `json:"advice,omitzero"`
}

// The outcomes of a site.
const (
	runStarted = "started"
	runPassed  = "passed" // or counts as good
	runFailed  = "failed"
	runSkipped = "skipped"
	runNotSent = "not started"
	runUnknown = "outcome unknown"
	runGoesOn  = "going on"
)

// worstCodes are the codes of sites, worst first.
var worstCodes = []int{exitInterrupted, exitUnknown, exitFailed, exitUsage, exitGoingOn, exitUnreachable, exitSignIn, exitRefused}

func (r *fleetRun) run(ctx context.Context) error {
	if err := oneOf("--fail-on", r.failOn, failOns); err != nil {
		return err
	}
	from, all, err := r.sites()
	if err != nil {
		return err
	}
	for _, name := range r.session.flags().unlock {
		if !slices.ContainsFunc(all, func(s sites.Site) bool { return s.Name == name }) {
			return badInput("The sites: {command:site list}", fmt.Errorf("--unlock %s names no site; nothing was sent", plain.Clip(plain.Line(name), 60)))
		}
	}
	if r.name == "" {
		r.name = operation.DefaultRunName(r.session.clock().Now())
	}
	if err := operation.CheckRunName(r.name); err != nil {
		return badInputf("--name: %w", err)
	}
	if _, err := from.settings(); err != nil {
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
		return badInputf("no site matches --filter; nothing was sent")
	}
	var (
		side    parallel.Group
		mu      sync.Mutex
		printed error
		runs    = make([]siteRun, len(meant))
		note    = r.notes()
	)
	for i, site := range meant {
		of := from.of(site.Name, variant{note: func(text string) { note(site.Name, text) }})
		side.Go(func() {
			one := r.at(ctx, r.exitsOf(of), site)
			mu.Lock()
			defer mu.Unlock()
			if runs[i] = one; printed == nil {
				printed = r.printRun(one, width)
			}
		})
	}
	side.Wait()
	if printed == nil && r.out.JSON() && !r.out.Lines() {
		printed = output.PrintList(r.out, runs)
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
func (r fleetRun) printRun(one siteRun, width int) error {
	if r.out.JSON() {
		if r.out.Lines() {
			return r.out.PrintEvent(one)
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
	return r.out.PrintLine(plain.Line(fmt.Sprintf("%-*s  %-15s  %s", width, one.Site, one.Outcome, what)))
}

// at runs the check at one site. Nothing of it concerns another one.
func (r fleetRun) at(ctx context.Context, of *exits, site sites.Site) siteRun {
	defer of.session.close()
	one := siteRun{Site: site.Name, Outcome: runNotSent}
	if site.Locked() && !of.session.unlocks(site.Name) {
		one.Outcome, one.ExitCode = runSkipped, exitRefused
		one.Message, one.Advice = "it is read-only until it is unlocked", "To include it: --unlock "+plain.ShellWord(site.Name)
		return one
	}
	err := r.send(ctx, of, &one)
	if err == nil {
		return one
	}
	f := of.named(of.explain(err))
	one.ExitCode, one.Message, one.Advice = f.code, plain.Line(f.Error()), plain.Line(f.advice)
	switch {
	case f.code == exitUnknown:
		one.Outcome = runUnknown
	case f.code == exitGoingOn:
		one.Outcome = runGoesOn
	case one.ReportID != "" && f.code == exitFailed:
		one.Outcome = runFailed
		for _, detail := range f.details {
			of.session.say(detail)
		}
	case one.JobID != "":
		one.Outcome = runGoesOn
	}
	return one
}

// send sends the run, finds out what became of it where its answer was lost, and with --wait
// judges its report.
func (r fleetRun) send(ctx context.Context, of *exits, one *siteRun) error {
	site, err := of.session.siteToSend(ctx, adminapi.TargetHealthRun(r.name))
	if err != nil {
		return err
	}
	defer site.Client.CloseIdleConnections()
	suites := r.suites
	if len(suites) == 0 {
		if suites, err = suitesToRun(ctx, site); err != nil {
			return err
		}
	}
	run, result := site.StartHealthRun(ctx, adminapi.HealthRun{SuiteIDs: suites, Name: r.name})
	if run == nil {
		return result.Err
	}
	unknown := !result.Known()
	for {
		if one.JobID = run.JobID(); one.JobID != "" {
			unknown, of.wait.job = false, one.JobID
			if !r.wait {
				one.Outcome = runStarted
				return nil
			}
		}
		step, err := run.Next(ctx)
		if err != nil && unknown && ctx.Err() != nil {
			return of.unknownOutcome(run.Result(err), err)
		}
		if err != nil {
			return err
		}
		of.wait.lastErr = step.Unreachable
		if step.Done {
			return r.judge(ctx, of.session, site, *step.Value.Report, one)
		}
		if err := site.Clock.Sleep(ctx, step.Wait); err != nil && ctx.Err() != nil {
			if unknown && run.JobID() == "" {
				return of.unknownOutcome(result, err)
			}
			return err
		}
	}
}

// judge fails if the report counts as failed.
func (r fleetRun) judge(ctx context.Context, of *session, site operation.Site, report adminapi.Report, one *siteRun) error {
	one.ReportID, one.Result, one.Outcome = report.ID, health.Overall(report).String(), runPassed
	return judgeReport(ctx, site, report, health.FailOn(r.failOn), of.say)
}

// judgeRuns fails with the worst code.
func judgeRuns(runs []siteRun) error {
	var names []string
	for _, one := range runs {
		if one.ExitCode != exitDone {
			names = append(names, one.Site+" ("+one.Outcome+")")
		}
	}
	for _, code := range worstCodes {
		if slices.ContainsFunc(runs, func(one siteRun) bool { return one.ExitCode == code }) {
			return failedSites(code, names, len(runs))
		}
	}
	return nil
}

// kindOfCode is the kind of an error about several sites, "failed" for any other code.
var kindOfCode = map[int]string{
	exitInterrupted: "interrupted", exitUnknown: kindUnknown, exitGoingOn: "going on",
	exitUnreachable: adminapi.KindUnreachable.String(), exitSignIn: adminapi.KindSignIn.String(),
	exitRefused: adminapi.KindLocked.String(),
}

// failedSites is the failure of some of all sites.
func failedSites(code int, names []string, all int) error {
	return &failure{code: code, kind: cmp.Or(kindOfCode[code], "failed"),
		err: fmt.Errorf("%d of %s: %s", len(names), plain.Plural(all, "site"), strings.Join(names, ", "))}
}

func (f *fleetCommands) compareCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "compare SITE OTHER",
		Short: "Compare the newest health reports of two sites",
		Long: `Compare the newest health reports of two sites of config.yaml. What is new is what
fails at the second site and does not at the first one.`,
		Example: "  geodeck fleet compare staging production",
		Args:    cobra.ExactArgs(2),
		RunE:    func(cmd *cobra.Command, args []string) error { return f.compare(cmd.Context(), args) },
	}
}

func (f *fleetCommands) compare(ctx context.Context, names []string) error {
	all, _, err := f.sites()
	if err != nil {
		return err
	}
	var reports [2]adminapi.Report
	for i, name := range names {
		report, err := f.newest(ctx, all, name)
		if err != nil {
			return err
		}
		reports[i] = report
	}
	c := health.Compare(reports[0], reports[1])
	if f.out.JSON() {
		return f.out.PrintValue(fleetComparison{names[0], names[1], c.JSON()})
	}
	c.Before.Name, c.After.Name = names[0]+": "+c.Before.Name, names[1]+": "+c.After.Name
	return printComparison(f.out, c)
}

// fleetComparison is a comparison in JSON.
type fleetComparison struct {
	Site       string                `json:"site"`
	Other      string                `json:"other"`
	Comparison health.ComparisonJSON `json:"comparison"`
}

// newest fetches the newest report of a site.
func (f *fleetCommands) newest(ctx context.Context, all *session, name string) (adminapi.Report, error) {
	if _, err := all.settings(); err != nil {
		return adminapi.Report{}, err
	}
	file, err := all.sitesFile()
	if err != nil {
		return adminapi.Report{}, err
	}
	named, err := file.Site(name)
	if err != nil {
		return adminapi.Report{}, badSites(err)
	}
	of := f.exitsOf(all.of(named.Name, variant{}))
	failed := func(err error) error {
		known := of.explain(err)
		known.err = fmt.Errorf("%s: %w", named.Name, known.err)
		return known
	}
	site, err := of.session.site(ctx)
	if err != nil {
		return adminapi.Report{}, failed(err)
	}
	defer site.Client.CloseIdleConnections()
	report, err := site.Reports().Newest(ctx)
	switch {
	case err != nil:
		return adminapi.Report{}, failed(err)
	case report == nil:
		return adminapi.Report{}, failed(badInput("Run one: {command:health run --site "+plain.ShellWord(named.Name)+"}", errors.New("no report yet")))
	}
	return *report, nil
}
