package cli

import (
	"context"
	"errors"
	"fmt"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade/progress"
)

// sendUpgrade uploads, sends once, and finds out what became of it.
func (p *program) sendUpgrade(ctx context.Context, a *askedUpgrade) error {
	site, err := p.connectToSend(ctx, adminapi.TargetSite)
	if err != nil {
		return err
	}
	steps := upgradeSteps{progressLines: progressLines{program: p}}
	run, outcome, err := site.StartUpgrade(ctx, a.ask, steps.tell)
	status, err := p.settle(ctx, run, outcome, err)
	if errors.Is(err, operation.ErrSettingsChanged) {
		return &failure{code: exitRefused, kind: "settings changed", err: err,
			advice: "Nothing was sent. Read them again: geodeck upgrade settings " + a.ask.Target.ID}
	}
	if err != nil {
		return err
	}
	return p.printStarted(status, "accepted: the upgrade to "+a.ask.Target.FullVersion()+" "+begun(status)+" at the site")
}

// begun says how something stands that was accepted: after a lost answer it may
// have ended when it is found.
func begun(status adminapi.UpgradeStatus) string {
	if progress.Runs(status) {
		return "runs"
	}
	return "has begun, and does not run any more,"
}

// settle turns the outcome of the one post into the status of what runs, or into
// the reason why nothing does.
func (p *program) settle(ctx context.Context, run *operation.UpgradeRun, outcome adminapi.Outcome, err error) (adminapi.UpgradeStatus, error) {
	switch {
	case outcome == adminapi.OutcomeDone:
		return run.First, nil
	case outcome == adminapi.OutcomeRefused:
		return adminapi.UpgradeStatus{}, p.refused(err)
	case outcome == adminapi.OutcomeNotSent:
		return adminapi.UpgradeStatus{}, p.notSent(err)
	case ctx.Err() != nil:
		return adminapi.UpgradeStatus{}, p.unknownUpgrade(err)
	}
	p.note(lostAnswer(err) + "; looking whether the upgrade has begun, and not sending it again")
	lost := err
	status, err := run.Settle(ctx)
	switch {
	case err == nil && progress.StateOf(status) == progress.StateFailed:
		return status, &failure{code: exitFailed, kind: "failed", err: errors.New("it has begun" + despite(lost) + "; and it has failed"),
			advice: adviceStatus}
	case err == nil:
		p.note("it has begun" + despite(lost))
		return status, nil
	case errors.Is(err, operation.ErrUpgradeRuns):
		return status, upgradeRuns("the answer was lost, and the upgrade that runs now was started by somebody else")
	}
	if _, refused := errors.AsType[*operation.RefusedError](err); refused {
		return status, p.explain(err)
	}
	return status, p.unknownUpgrade(err)
}

// refused is an upgrade that the site did not take, whatever it says of the
// reason. Only a sign-in is asked for by a code of its own.
func (p *program) refused(err error) error {
	f := p.explain(err)
	if f.code != exitSignIn {
		f.code = exitRefused
	}
	if errors.Is(err, adminapi.KindBusy) {
		f.advice = adviceStatus
	}
	return f
}

// notSent is an upgrade that never left, so that it is safe to try again.
func (p *program) notSent(err error) error {
	if errors.Is(err, operation.ErrSettingsChanged) {
		return err
	}
	if f := p.notSettled(err); f != nil {
		return f
	}
	f := p.explain(err)
	api, answered := errors.AsType[*adminapi.Error](err)
	switch {
	case f.code == exitSignIn, f.code == exitRefused, f.code == exitInterrupted:
	case answered && api.Status != 0 && f.code == exitUsage:
		f.code = exitRefused // by the site, which took no upload
		f.advice = "The upgrade was not sent, and the same again is refused again: let the site take such a file first, or give another one."
	case answered && f.code == exitUsage:
	default:
		f.code = exitUnreachable
	}
	switch {
	case f.advice != "":
	case f.code == exitUnreachable, f.code == exitInterrupted:
		f.advice = "The upgrade was not sent; it is safe to try again."
	default:
		f.advice = "The upgrade was not sent."
	}
	return f
}

// unknownUpgrade says that an upgrade was perhaps begun.
func (p *program) unknownUpgrade(err error) error {
	return p.unknownOutcome(err, "the upgrade has begun", "geodeck upgrade status")
}

// statusBody is the status as the Upgrades resource has it.
type statusBody struct {
	Status adminapi.UpgradeStatus `json:"status"`
}

func (p *program) printStarted(status adminapi.UpgradeStatus, text string) error {
	if p.json() {
		return p.printValue(statusBody{status})
	}
	if err := p.say(plain.Line(text)); err != nil {
		return err
	}
	return p.say(adviceStatus)
}

// quarters of an upload are told, no more: a log has use for few lines.
const quarters = 4

// upgradeSteps tells what the start of an upgrade is doing.
type upgradeSteps struct{ progressLines }

func (s *upgradeSteps) tell(u operation.UpgradeProgress) {
	text := string(u.Step)
	if u.File != "" {
		text += " " + u.File
	}
	if u.Step == operation.StepUpload && u.Total > 0 {
		text += fmt.Sprintf(", %d %%", u.Sent*quarters/u.Total*100/quarters)
	}
	s.progressLines.tell(adminapi.Job{}, text)
}
