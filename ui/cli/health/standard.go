package health

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
	"geodeck/adminapi/lists"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/incident"
	"geodeck/adminapi/operation/reporting"
	"geodeck/adminapi/plain"
	"geodeck/ui/cli/command"
	"geodeck/ui/cli/exit"
	"geodeck/ui/cli/files"
)

var failOns = lists.Each([]health.FailOn{health.FailOnAny, health.FailOnCritical, health.FailOnNew, health.FailOnFailed},
	func(on health.FailOn) string { return string(on) })

// standard is what decides whether a report counts as failed, as the flags say it.
type standard struct {
	failOn   string // empty for the default of files
	baseline string // empty, passed, name:PREFIX, an id or a file
}

// The baselines that are neither an id nor a file.
const (
	lastPassed = "passed"
	newestOf   = "name:"
)

// register adds the flags of a command that judges only where it is asked to.
func (s *standard) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&s.failOn, "fail-on", "",
		failOnUsage+"; exit 1 if the report counts as failed (default failed, without the exit code)")
	command.Complete(cmd, "fail-on", failOns)
	s.registerBaseline(cmd)
}

const failOnUsage = "which tests count: any that did not pass, failed (no warnings), critical, or " +
	"new (any that is new by the baseline)"

func (s *standard) registerBaseline(cmd *cobra.Command) {
	cmd.Flags().StringVar(&s.baseline, "baseline", "",
		"count only what is new since: passed (each test's last better report of 30 days), "+
			"name:PREFIX (the newest report so named), the id of a report, or a FILE")
	command.Complete(cmd, "baseline", []string{lastPassed, newestOf})
}

// asked reports whether the exit code shall say how the report counts.
func (s standard) asked() bool { return s.failOn != "" || s.baseline != "" }

func (s standard) check() error {
	if s.failOn != "" {
		if err := exit.OneOf("--fail-on", s.failOn, failOns); err != nil {
			return err
		}
	}
	if s.baseline == newestOf {
		return exit.BadInputf("--baseline name:PREFIX needs the beginning of a name")
	}
	return nil
}

// unresolved is the standard before its baseline is read.
func (s standard) unresolved() health.Standard {
	return health.Standard{On: health.FailOn(s.failOn), OnlyNew: s.baseline != ""}
}

// resolve reads the baseline. of is the report that is judged; nil for one that is still to be made.
func (h commands) resolve(
	ctx context.Context, s standard, site operation.Site, of *adminapi.Report,
) (health.Standard, error) {
	by := s.unresolved()
	prefix, called := strings.CutPrefix(s.baseline, newestOf)
	var err error
	switch {
	case s.baseline == "", s.baseline == lastPassed:
	case called:
		by.Against, err = site.Reports().Called(ctx, prefix, of)
		if err == nil && by.Against == nil {
			by.Missing = "no earlier report is named " + plain.Clip(plain.Line(prefix), 60)
			h.Out.Note(by.Missing + "; every failure counts as new")
		}
	default:
		var report adminapi.Report
		if namesFile(s.baseline) {
			report, err = h.readReport(ctx, s.baseline)
		} else {
			report, err = site.Client.Health.Report(ctx, s.baseline)
		}
		by.Against = &report
	}
	return by, ofBaseline(s.baseline, err)
}

// ofBaseline names the flag in an error.
func ofBaseline(value string, err error) error {
	if err == nil {
		return nil
	}
	named := func(err error) error {
		return fmt.Errorf("--baseline %s: %w", plain.Clip(plain.Line(value), 60), err)
	}
	if f, is := errors.AsType[*exit.Failure](err); is {
		f.Err = named(f.Err)
		return f
	}
	return named(err)
}

// judge judges a report of the site or a file, and names the baseline as what it is compared with.
func (h commands) judge(
	ctx context.Context, s standard, site operation.Site, of *incident.Handed,
) (by health.Standard, j health.Judgement, err error) {
	if err = s.check(); err != nil {
		return by, j, err
	}
	if of.File == inputName && s.baseline == files.Standard {
		return by, j, exit.BadInput("", files.ErrTwoInputs)
	}
	if of.File != "" && s.unresolved().Compares() && !namesFile(s.baseline) {
		if site, err = h.siteOf(ctx, s, *of); err != nil {
			return by, j, err
		}
	}
	if by, err = h.resolve(ctx, s, site, &of.Report); err != nil {
		return by, j, err
	}
	if by.Against != nil {
		of.Before, of.Since = by.Against, incident.Baseline
	}
	j, err = site.Reports().Judge(ctx, of.Report, by)
	return by, j, err
}

// siteOf returns the site that a saved report is compared at. What was before it, only the site knows
// that lists it.
func (h commands) siteOf(ctx context.Context, s standard, of incident.Handed) (operation.Site, error) {
	site, err := h.Session.Site(ctx)
	if err != nil || s.baseline != "" && s.baseline != lastPassed && !strings.HasPrefix(s.baseline, newestOf) {
		return site, err
	}
	_, err = site.Reports().Named(ctx, []string{of.Report.ID})
	if _, unknown := errors.AsType[*reporting.UnknownError](err); unknown {
		err = exit.BadInput("Name the site of the report, or another baseline: --baseline FILE",
			fmt.Errorf("the site does not list the report of %s, so what was before it is not known", plain.Line(of.File)))
	}
	return site, err
}

// told notes which failures are known, and why a report that did not pass counts as good. It fails
// where the report counts as failed.
func told(j health.Judgement, r adminapi.Report, note func(string)) error {
	for _, known := range j.Known {
		note("known failure, which does not count: " + known)
	}
	if j.Failed {
		f := exit.NotPassed("", j.Why)
		f.Details = j.New
		return f
	}
	if j.Good != "" {
		note("the report is " + health.Overall(r).String() + ", but counts as good with " + j.By + ": " + j.Good)
	}
	return nil
}
