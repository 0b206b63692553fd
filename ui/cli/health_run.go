package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
	"geodeck/adminapi/operation"
)

var failOns = []string{string(health.FailOnAny), string(health.FailOnCritical), string(health.FailOnNew)}

// runOptions are the flags of a health run.
type runOptions struct {
	suites       []string
	name, failOn string
}

func (p *program) healthRunCommand() *cobra.Command {
	var o runOptions
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Run a health check, wait for its report, exit 1 when it counts as failed",
		Example: `  geodeck health run
  geodeck health run --suite BSHC-001 --name "before the patch" --timeout 15m
  geodeck health run --fail-on new -o json > report.json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("suite") && len(o.suites) == 0 {
				return badInput("", errors.New("--suite takes the id of a suite; leave it out to run all"))
			}
			return p.healthRun(cmd.Context(), o)
		},
	}
	cmd.Flags().StringSliceVar(&o.suites, "suite", nil, "id of a suite to run, repeated for more (all by default)")
	cmd.Flags().StringVar(&o.name, "name", "", "name of the report (dated by default)")
	cmd.Flags().StringVar(&o.failOn, "fail-on", failOns[0], "what counts as failed: any, critical or new (did not fail before)")
	complete(cmd, "fail-on", failOns)
	p.addAgain(cmd, "its name")
	return cmd
}

func (p *program) healthRun(ctx context.Context, o runOptions) error {
	if err := oneOf("--fail-on", o.failOn, failOns); err != nil {
		return err
	}
	if o.name == "" {
		o.name = operation.DefaultRunName(p.Clock.Now())
	}
	if err := operation.CheckRunName(o.name); err != nil {
		return badInput("", fmt.Errorf("--name: %w", err))
	}
	site, err := p.connectToSend(ctx, adminapi.TargetHealthRun(o.name))
	if err != nil {
		return err
	}
	if len(o.suites) == 0 {
		if o.suites, err = suitesToRun(ctx, site); err != nil {
			return err
		}
	}
	report, err := p.runAndWait(ctx, site, adminapi.HealthRun{SuiteIDs: o.suites, Name: o.name})
	if err != nil {
		return err
	}
	if err := p.printReport(report); err != nil {
		return err
	}
	return p.judgeRun(ctx, site, report, health.FailOn(o.failOn))
}

// suitesToRun returns the ids of all suites that users can run.
func suitesToRun(ctx context.Context, site operation.Site) ([]string, error) {
	suites, err := site.Client.Suites(ctx)
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
		return nil, notPassed("the site offers no suite that can be run")
	}
	return ids, nil
}

func (p *program) runAndWait(ctx context.Context, site operation.Site, asked adminapi.HealthRun) (adminapi.Report, error) {
	run, outcome, err := site.StartHealthRun(ctx, asked)
	switch {
	case run == nil:
		return adminapi.Report{}, err
	case outcome == adminapi.OutcomeUnknown && ctx.Err() != nil:
		// The time was up in the middle of sending: nobody has looked yet.
		return adminapi.Report{}, p.unknownRun(err)
	case outcome == adminapi.OutcomeUnknown:
		p.note(lostAnswer(err) + "; looking for the run " + asked.Name + " at the site")
	}
	steps := progressLines{program: p}
	if p.waiting = run.JobID(); p.waiting != "" {
		steps.tell(adminapi.Job{ID: p.waiting, Status: adminapi.JobSubmitted}, "the health check runs as job "+p.waiting)
	}
	report, err := run.Wait(ctx, func(r operation.HealthReading) {
		p.waiting = run.JobID()
		steps.health(r)
	})
	if err != nil && ctx.Err() != nil && p.waiting == "" {
		return report, p.unknownRun(err)
	}
	return report, err
}

// unknownRun says that a run was perhaps started. An interruption by the user
// keeps its own code.
func (p *program) unknownRun(err error) error {
	f := p.ended(err)
	if f == nil {
		return err
	}
	f.err = errors.New(f.err.Error() + "; whether the health check was started is not known")
	f.advice = adviceUnknown
	if f.code != exitInterrupted {
		f.code, f.kind = exitUnknown, "outcome unknown"
	}
	return f
}

// judgeRun decides whether the report counts as failed.
func (p *program) judgeRun(ctx context.Context, site operation.Site, report adminapi.Report, on health.FailOn) error {
	p.waiting = ""
	var earlier *adminapi.Report
	if on == health.FailOnNew {
		var err error
		if earlier, err = site.EarlierReport(ctx, report); err != nil {
			return err
		}
	}
	if failed, why := health.Fails(report, earlier, on); failed {
		return notPassed(why)
	}
	if verdict := health.Overall(report); verdict != health.Passed {
		p.note("the report is " + verdict.String() + ", but counts as good with --fail-on " + string(on) + ": " + spared[on])
	}
	return nil
}

// spared says why a report that did not pass counts as good.
var spared = map[health.FailOn]string{
	health.FailOnCritical: "every critical test passed or was skipped",
	health.FailOnNew:      "no test got worse since the report before",
}
