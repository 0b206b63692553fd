package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/polling"
)

var failOns = []string{string(health.FailOnAny), string(health.FailOnCritical), string(health.FailOnNew)}

const failOnHelp = "which failed tests count: any, critical, or new (passed within 30 days, or not seen to fail before)"

// runOptions are the flags of a health run.
type runOptions struct {
	suites       []string
	name, failOn string
	sync         bool
}

func (h healthCommands) runCommand() *cobra.Command {
	var o runOptions
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Run a health check and wait for its report; exit 1 if it counts as failed",
		Example: `  geodeck health run
  geodeck health run --suite BSHC-001 --name "before the patch" --timeout 15m
  geodeck health run --fail-on new -o json > report.json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("suite") && len(o.suites) == 0 {
				return badInputf("--suite takes the id of a suite; leave it out to run all")
			}
			return h.run(cmd.Context(), o)
		},
	}
	set := cmd.Flags()
	set.StringSliceVar(&o.suites, "suite", nil, "id of a suite to run; repeat for more (default all)")
	set.StringVar(&o.name, "name", "", "name of the report (default geodeck and the date)")
	set.StringVar(&o.failOn, "fail-on", failOns[0], failOnHelp)
	set.BoolVar(&o.sync, flagSync, false, "have the site answer at the end of the run, without a job. --timeout limits the wait (default "+syncTime.String()+"); a run without an answer is searched for at least 30 s")
	complete(cmd, "fail-on", failOns)
	return h.addOverride(cmd, "its name")
}

func (h healthCommands) run(ctx context.Context, o runOptions) error {
	if err := oneOf("--fail-on", o.failOn, failOns); err != nil {
		return err
	}
	if o.name == "" {
		o.name = operation.DefaultRunName(h.session.clock().Now())
	}
	if err := operation.CheckRunName(o.name); err != nil {
		return badInputf("--name: %w", err)
	}
	site, err := h.session.siteToSend(ctx, adminapi.TargetHealthRun(o.name))
	if err != nil {
		return err
	}
	if site.MayRefuseHealthRuns(ctx) {
		h.out.Note("warning: the site is in read-only mode; it may refuse the health check")
	}
	if len(o.suites) == 0 {
		if o.suites, err = suitesToRun(ctx, site); err != nil {
			return err
		}
	}
	wanted := adminapi.HealthRun{SuiteIDs: o.suites, Name: o.name}
	if o.sync {
		wanted.Sync = h.exit.timeout
	}
	report, err := h.runAndWait(ctx, site, wanted)
	if err != nil {
		return err
	}
	if err := h.printReport(report); err != nil {
		return err
	}
	h.wait.job = ""
	return judgeReport(ctx, site, report, health.FailOn(o.failOn), h.out.Note)
}

// suitesToRun returns the ids of all suites that users can run.
func suitesToRun(ctx context.Context, site operation.Site) ([]string, error) {
	suites, err := site.Client.Health.Suites(ctx)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, suite := range suites {
		if !suite.SystemOnly {
			ids = append(ids, suite.ID)
		}
	}
	if len(ids) == 0 {
		return nil, notPassed("", "the site offers no suite that can be run")
	}
	return ids, nil
}

func (h healthCommands) runAndWait(ctx context.Context, site operation.Site, wanted adminapi.HealthRun) (adminapi.Report, error) {
	answered := func() {}
	var until time.Time // zero for the time of the command
	if wanted.Sync > 0 {
		h.wait.report("the site answers when the health check " + wanted.Name + " has ended; waiting for up to " + adminapi.FormatDuration(wanted.Sync))
		answered = h.wait.eachMinute(ctx, adminapi.SystemClock{}, "the health check "+wanted.Name+" has not been answered yet")
		until = h.session.clock().Now().Add(wanted.Sync)
	}
	run, result := site.StartHealthRun(ctx, wanted)
	answered()
	unknown := !result.Known()
	switch {
	case run == nil:
		return adminapi.Report{}, result.Err
	case unknown && ctx.Err() != nil && !h.exit.timedOut():
		return adminapi.Report{}, h.unknownRun(result, wanted.Sync > 0)
	case unknown:
		h.out.Note(h.exit.lostAnswer(result.Err, wanted.Sync) + "; finding the run " + wanted.Name + " at the site")
		if h.exit.timedOut() {
			ctx, until = h.exit.search(), h.session.clock().Now()
		}
	}
	if h.wait.job = run.JobID(); h.wait.job != "" {
		h.wait.reportFor(adminapi.Job{ID: h.wait.job, Status: adminapi.JobSubmitted}, "the health check runs as job "+h.wait.job)
	}
	waited, end := context.WithCancel(ctx)
	defer end()
	ended, err := polling.Wait(waited, site.Clock, run, func(s polling.Step[operation.HealthSnapshot]) {
		h.wait.job, h.wait.check = run.JobID(), ""
		if report := s.Value.Report; report != nil && h.wait.job == "" {
			h.wait.check = report.ID
		}
		h.wait.reportHealth(s)
		if !s.Done && h.wait.active() && !until.IsZero() && !h.session.clock().Now().Before(until) {
			end()
		}
	})
	switch {
	case err == nil:
		h.wait.check = ""
		return *ended.Report, nil
	case waited.Err() != nil && ctx.Err() == nil:
		return adminapi.Report{}, h.exit.goingOn()
	case errors.Is(err, operation.ErrOutcomeUnknown) && wanted.Sync > 0:
		return adminapi.Report{}, &failure{code: exitUnknown, kind: kindUnknown, err: err, advice: "If the run continues, its report appears in: {command:health reports}"}
	case ctx.Err() != nil && h.wait.job == "" && unknown:
		return adminapi.Report{}, h.unknownRun(run.Result(err), wanted.Sync > 0)
	}
	return adminapi.Report{}, err
}

// unknownRun says that a run was perhaps started, and then goes on.
func (h healthCommands) unknownRun(r operation.Result, sync bool) error {
	f := h.exit.unknownOutcome(r, r.Err)
	if sync { // it has no job
		f.advice = strings.TrimSuffix(f.advice, ", {command:job list}")
	}
	f.err = fmt.Errorf("%w; if it was, it continues at the site", f.err)
	return f
}

// judgeReport fails if a report counts as failed. It notes which of its failures are known, and
// why one that did not pass counts as good.
func judgeReport(ctx context.Context, site operation.Site, report adminapi.Report, on health.FailOn, note func(string)) error {
	judged, err := site.Reports().Judge(ctx, report, on)
	if err != nil {
		return err
	}
	for _, known := range judged.Known {
		note("known failure, which --fail-on any counts, too: " + known)
	}
	if judged.Failed {
		return &failure{code: exitFailed, kind: "failed", err: errors.New(judged.Why), details: judged.New}
	}
	if verdict := health.Overall(report); verdict != health.Passed {
		note("the report is " + verdict.String() + ", but counts as good with --fail-on " + string(on) + ": " + whyGood[on])
	}
	return nil
}

// whyGood says why a report that did not pass counts as good.
var whyGood = map[health.FailOn]string{
	health.FailOnCritical: "every critical test passed or was skipped",
	health.FailOnNew:      "no failure is new",
}
