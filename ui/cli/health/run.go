package health

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
	"geodeck/adminapi/lists"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/polling"
	"geodeck/adminapi/plain"
	"geodeck/ui/cli/command"
	"geodeck/ui/cli/exit"
)

// RunOptions are the flags of a health run, at one site or at many.
type RunOptions struct {
	Name   string
	DryRun bool
	suites []string // all where none is given
	standard
	by health.Standard // with the baseline, where there is one
}

// Register adds the flags. name is the help for --name.
func (o *RunOptions) Register(cmd *cobra.Command, name string) {
	set := cmd.Flags()
	set.StringSliceVar(&o.suites, "suite", nil, "id of a suite to run; repeat for more (default all)")
	set.StringVar(&o.Name, "name", "", name+" (default geodeck and the date)")
	set.StringVar(&o.failOn, "fail-on", failOns[0], failOnUsage)
	command.Complete(cmd, "fail-on", failOns)
	command.AddDryRun(cmd, &o.DryRun)
}

// Check refuses flags that are wrong for any site, and names the run.
func (o *RunOptions) Check(now time.Time) error {
	if err := o.check(); err != nil {
		return err
	}
	o.Name = cmp.Or(o.Name, operation.DefaultRunName(now))
	if err := operation.CheckRunName(o.Name); err != nil {
		return exit.BadInputf("--name: %w", err)
	}
	return nil
}

// At returns the run at a site, of the suites that were named, else of those that users can run, and what
// it does, in words.
func (o *RunOptions) At(ctx context.Context, site operation.Site) (run adminapi.HealthRun, plan string, err error) {
	run = adminapi.HealthRun{SuiteIDs: o.suites, Name: o.Name}
	suites, err := site.Reports().Suites(ctx)
	known := lists.Each(suites, func(suite adminapi.Suite) string { return suite.ID })
	for _, named := range o.suites {
		if err == nil && !slices.Contains(known, named) { // else the site says what it thinks of them
			return run, "", exit.BadInput(cmp.Or(command.Meant(named, known), "The suites: {command:health suites}"),
				fmt.Errorf("the site has no suite %q; nothing was sent", plain.Clip(named, 60)))
		}
	}
	if len(o.suites) > 0 {
		plan = sentence(run)
		if err != nil {
			plan += "; the ids are not known here: " + err.Error()
		}
		return run, plan, nil
	}
	for _, suite := range suites {
		if !suite.SystemOnly {
			run.SuiteIDs = append(run.SuiteIDs, suite.ID)
		}
	}
	if err == nil && len(run.SuiteIDs) == 0 {
		err = exit.NotPassed("", "the site offers no suite that can be run")
	}
	return run, sentence(run), err
}

// sentence says what a run does, for a dry run.
func sentence(run adminapi.HealthRun) string {
	return "runs " + strings.Join(run.SuiteIDs, ", ") + " as " + run.Name
}

func (h commands) runCommand() *cobra.Command {
	var (
		o    RunOptions
		sync bool
	)
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Run a health check and wait for its report; exit 1 if it counts as failed",
		Example: `  geodeck health run
  geodeck health run --suite BSHC-001 --name "before the patch" --timeout 15m
  geodeck health run --fail-on new -o json > report.json
  geodeck health run --name "after the patch" --baseline name:"before the patch"`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("suite") && len(o.suites) == 0 {
				return exit.BadInputf("--suite takes the id of a suite; leave it out to run all")
			}
			return h.run(cmd.Context(), o, sync)
		},
	}
	o.Register(cmd, "name of the report")
	o.registerBaseline(cmd)
	cmd.Flags().BoolVar(&sync, command.FlagSync, false, "have the site answer at the end of the run, without a job. --timeout limits the wait (default "+operation.SyncTime.String()+"); a run without an answer is searched for at least 30 s")
	return h.AddOverride(cmd, "its name")
}

func (h commands) run(ctx context.Context, o RunOptions, sync bool) error {
	if err := o.Check(h.Session.Clock().Now()); err != nil {
		return err
	}
	site, err := h.Session.SiteToSend(ctx, adminapi.TargetHealthRun(o.Name), o.DryRun)
	if err != nil {
		return err
	}
	if site.MayRefuseHealthRuns(ctx) {
		h.Out.Note("warning: the site is in read-only mode; it may refuse the health check")
	}
	wanted, plan, err := o.At(ctx, site)
	if err != nil {
		return err
	}
	if o.by, err = h.resolve(ctx, o.standard, site, nil); err != nil { // before anything is sent
		return err
	}
	if sync {
		wanted.Sync = h.Exit.Timeout
	}
	if o.DryRun {
		return h.DryRun(ctx, site, operation.HealthCheck(wanted), plan)
	}
	if plan != sentence(wanted) {
		h.Out.Note(plan)
	}
	report, err := h.runAndWait(ctx, site, wanted)
	if err != nil {
		return err
	}
	if err := h.printReport(report); err != nil {
		return err
	}
	h.Wait.Job = ""
	return o.Judge(ctx, site, report, h.Out.Note)
}

func (h commands) runAndWait(ctx context.Context, site operation.Site, wanted adminapi.HealthRun) (adminapi.Report, error) {
	answered := func() {}
	var until time.Time // zero for the time of the command
	if wanted.Sync > 0 {
		h.Wait.Report("the site answers when the health check " + wanted.Name + " has ended; waiting for up to " + adminapi.FormatDuration(wanted.Sync))
		answered = h.Wait.EachMinute(ctx, adminapi.SystemClock{},
			"the health check "+wanted.Name+" has not been answered yet")
		until = h.Session.Clock().Now().Add(wanted.Sync)
	}
	run, result := site.StartHealthRun(ctx, wanted)
	answered()
	unknown := !result.Known()
	switch {
	case run == nil:
		return adminapi.Report{}, result.Err
	case unknown && ctx.Err() != nil && !h.Exit.TimedOut():
		return adminapi.Report{}, h.unknownRun(result, wanted.Sync > 0)
	case unknown:
		h.Out.Note(h.Exit.LostAnswer(result.Err, wanted.Sync) + "; finding the run " + wanted.Name + " at the site")
		if h.Exit.TimedOut() {
			ctx, until = h.Exit.Search(), h.Session.Clock().Now()
		}
	}
	if h.Wait.Job = run.JobID(); h.Wait.Job != "" {
		h.Wait.ReportFor(adminapi.Job{ID: h.Wait.Job, Status: adminapi.JobSubmitted},
			"the health check runs as job "+h.Wait.Job)
	}
	waited, end := context.WithCancel(ctx)
	defer end()
	ended, err := polling.Wait(waited, site.Clock, run, func(s polling.Step[operation.HealthSnapshot]) {
		h.Wait.Job, h.Wait.Check = run.JobID(), ""
		if report := s.Value.Report; report != nil && h.Wait.Job == "" {
			h.Wait.Check = report.ID
		}
		h.Wait.ReportHealth(s)
		if !s.Done && h.Wait.Active() && !until.IsZero() && !h.Session.Clock().Now().Before(until) {
			end()
		}
	})
	switch {
	case err == nil:
		h.Wait.Check = ""
		return *ended.Report, nil
	case waited.Err() != nil && ctx.Err() == nil:
		return adminapi.Report{}, h.Exit.GoingOn()
	case errors.Is(err, operation.ErrOutcomeUnknown) && wanted.Sync > 0:
		return adminapi.Report{}, exit.New(exit.Unknown,
			"If the run continues, its report appears in: {command:health reports}", err)
	case ctx.Err() != nil && run.Result(err).Lost():
		return adminapi.Report{}, h.unknownRun(run.Result(err), wanted.Sync > 0)
	}
	return adminapi.Report{}, err
}

// unknownRun says that a run was perhaps started, and then goes on.
func (h commands) unknownRun(r operation.Result, sync bool) error {
	f := h.Exit.UnknownOutcome(r, r.Err)
	if sync { // it has no job
		f.Advice = strings.TrimSuffix(f.Advice, ", {command:job list}")
	}
	f.Err = fmt.Errorf("%w; if it was, it continues at the site", f.Err)
	return f
}

// Judge fails if a report counts as failed; see [told].
func (o *RunOptions) Judge(ctx context.Context, site operation.Site, report adminapi.Report, note func(string)) error {
	by := o.by // many sites may judge at once
	by.On = health.FailOn(o.failOn)
	judged, err := site.Reports().Judge(ctx, report, by)
	if err != nil {
		return err
	}
	return told(judged, report, note)
}
