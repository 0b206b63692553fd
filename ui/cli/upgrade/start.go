package upgrade

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/lists"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/polling"
	"geodeck/adminapi/operation/watching"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/cli/command"
	"geodeck/ui/cli/exit"
)

// startOptions are the flags of upgrade start; a rollback has only those below.
type startOptions struct {
	options
	dryRun  bool
	confirm string
	accept  command.Accept
}

// registerStart registers the flags that a rollback has too.
func (o *startOptions) registerStart(cmd *cobra.Command, confirm string) {
	set := cmd.Flags()
	command.AddDryRun(cmd, &o.dryRun)
	set.StringVar(&o.confirm, "confirm", "", confirm)
	o.accept.Register(cmd, upgrade.AcceptWords(), "health,placement")
}

func (u commands) startCommand() *cobra.Command {
	var o startOptions
	cmd := &cobra.Command{
		Use:   "start ID --confirm VERSION",
		Short: "Check, upload the files, and start the upgrade once",
		Long: `Check, upload the files, and start the upgrade once.

--confirm takes the target version. --accept takes the cautions and dangers of the checks by
name, as the refusal and "upgrade plan" print them; nothing overrides a check that blocks. --dry-run
prints the request (method, path and every part, with secrets masked), and sends and
uploads nothing. It exits as the start itself would now, but needs no --confirm, and checks
one that is given.

Exit codes: 0 accepted, or found running after the answer was lost; 1 found after the
answer was lost, but failed by then, or accepted, but leading to another version than you
confirmed; 2 wrong --confirm or --accept, or a file that cannot be used; 4 refused, blocked,
a finding not accepted, or somebody else's upgrade is running; 5 not sent, safe to try
again; 6 sent, now or earlier, outcome unknown.`,
		Example: `  geodeck upgrade start rel_11122025_7286 --license licence.json --dry-run
  geodeck upgrade start rel_11122025_7286 --license licence.json --confirm 12.0.0.7286
  geodeck upgrade start rel_11122025_7286 --settings settings.json --accept placement --confirm 12.0.0.7286`,
		Args: cobra.ExactArgs(1),
		RunE: command.RunsWith(&o, u.start),
	}
	o.register(cmd)
	o.registerStart(cmd, "the target version of the upgrade, such as 12.0.0.7286")
	return u.AddOverride(cmd, "its version")
}

func (u commands) start(ctx context.Context, id string, o startOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	site, err := u.siteFor(ctx, o)
	if err != nil {
		return err
	}
	req, err := u.requestToSend(ctx, site, id, o)
	if err != nil {
		return err
	}
	return u.carryOut(ctx, req, o)
}

// carryOut makes the checks of an upgrade or a rollback, and sends it unless one of them, or a dry run,
// keeps it from being sent.
func (u commands) carryOut(ctx context.Context, req *request, o startOptions) error {
	what, advice := "upgrade", "All checks: "+operation.CommandText("upgrade plan", req.ask.Target.ID)
	back := req.ask.Rollback
	if back != nil {
		what, advice = "rollback", ""
	}
	checks := req.checks(ctx)
	if err := ctx.Err(); err != nil {
		return err
	}
	accepts := finding.By(o.accept)
	for _, check := range finding.Those(checks, finding.Finding.Open) {
		if accepts(check) || finding.Blocked(checks) {
			u.Out.Note(check.State() + ": " + sentenceOf(check))
		}
	}
	req.ask.Accepted = finding.AcceptedIn(checks, accepts)
	prepared := req.ask.Prepare(req.site)
	var open error
	left := finding.Left(checks, accepts)
	if len(left) > 0 {
		open = command.NotAccepted(prepared.What, left)
	}
	unread := req.unread
	if !slices.ContainsFunc(left, func(f finding.Finding) bool { return f.ID == upgrade.CheckSettings }) {
		unread = nil // as it was accepted
	}
	if o.dryRun && unread == nil && (back == nil || back.Unsure == "") {
		request, err := prepared.Request(ctx)
		if err != nil {
			if _, ofAPI := adminapi.KindOf(err); !ofAPI { // a file that cannot be used
				err = exit.BadInput("", err)
			}
			return err
		}
		if err := u.printDryRun(req, request, checks, left); err != nil {
			return err
		}
	}
	switch {
	case finding.Blocked(checks):
		f := exit.Refusal("blocked", advice, errors.New("the "+what+" is blocked; nothing was sent"))
		f.Operation, f.Findings = prepared.What, finding.Those(checks, finding.Finding.Blocks)
		f.Details = blockers(checks)
		return f
	case unread != nil && adminapi.IsTransient(unread):
		return unread
	case o.dryRun: // as siteFor, then the checks, then sendOnce would end it
		return cmp.Or(req.site.Client.Writable(), open, u.Session.CheckSend(ctx, adminapi.TargetSite))
	case open != nil:
		return open
	case back != nil:
		return u.sendOnce(ctx, req, o, nil, "rollback to "+back.To, "; removes "+strings.Join(back.Removed(), ", "))
	}
	return u.sendOnce(ctx, req, o, u.Wait.ReportStart, "upgrade to "+req.ask.Target.FullVersion(), "")
}

// siteFor returns the site; where --read-only keeps the request from being sent, it fails before
// anything is read.
func (u commands) siteFor(ctx context.Context, o startOptions) (operation.Site, error) {
	site, err := u.Session.Site(ctx)
	if err == nil && !o.dryRun {
		err = site.Client.Writable()
	}
	return site, err
}

// check refuses flags that are wrong for any site.
func (o startOptions) check() error {
	if o.confirm == "" && !o.dryRun {
		return exit.BadInput("The version of an update: {command:upgrade available}",
			errors.New("give --confirm VERSION, the target version, such as 12.0.0.7286; nothing was sent"))
	}
	for _, file := range []struct{ flag, path string }{
		{"settings", o.settings}, {"license", o.licence}, {"manifest-file", o.manifest},
	} {
		if file.path == "" {
			continue
		}
		if _, err := os.Stat(file.path); errors.Is(err, fs.ErrNotExist) {
			return exit.BadInputf("--%s: %w; nothing was sent", file.flag, operation.PlainPathError(plain.Line(file.path), err))
		}
	}
	return o.accept.Check(upgrade.AcceptWords())
}

// requestToSend finds the update, checks that it was confirmed, and fills in its settings.
func (u commands) requestToSend(ctx context.Context, site operation.Site, id string, o startOptions) (*request, error) {
	offer, err := readOffer(ctx, site, o.manifest)
	if err != nil {
		return nil, err
	}
	if offer.Running() {
		return nil, upgradeRuns("start the upgrade", "an upgrade is already running; nothing was sent")
	}
	req, err := targetOf(site, offer, id, o.options)
	if err != nil {
		return nil, err
	}
	if !o.dryRun || o.confirm != "" {
		if err := confirmed(o.confirm, req, "the upgrade leads to"); err != nil {
			return nil, err
		}
	}
	return req, req.fill(ctx, o.options)
}

// confirmed fails unless the right version was typed, and says which versions are right.
func confirmed(typed string, r *request, what string) error {
	right := r.ask.ConfirmWords(r.offer)
	if upgrade.Confirms(typed, right) {
		return nil
	}
	words := strings.Join(right, " or ")
	if typed == "" {
		return exit.BadInputf("say --confirm %s, the version that %s; nothing was sent", words, what)
	}
	return exit.BadInputf("--confirm %q is not the version that %s, which is %s; nothing was sent", typed, what, words)
}

// dryRunJSON is an upgrade or a rollback that was not sent.
type dryRunJSON struct {
	command.DryRunJSON
	Checks []exit.Found `json:"checks"` // as upgrade plan makes them
	// The words of what is accepted, and of what is left: exit code 4 while any is, or something blocks.
	Accepted    []string `json:"accepted"`
	NotAccepted []string `json:"notAccepted"`
	Blocked     bool     `json:"blocked"`
}

// printDryRun prints what would be done and sent.
func (u commands) printDryRun(r *request, request adminapi.Request, checks, left []finding.Finding) error {
	effects := r.ask.Effects(r.offer, r.files)
	if u.Out.JSON() {
		planned := command.DryRunJSON{Outcome: "planned", Sentence: upgrade.Sentence(effects), Request: request}
		return u.Out.PrintValue(dryRunJSON{planned, lists.Each(checks, exit.FoundOf),
			finding.Words(r.ask.Accepted), finding.Words(left), finding.Blocked(checks)})
	}
	for _, e := range effects {
		if err := u.Out.PrintLine(fmt.Sprintf("%-13s %s", e.Name, e.Text)); err != nil {
			return err
		}
	}
	return command.PrintRequest(u.Out, request)
}

// sendOnce uploads, sends once, and finds the outcome.
func (u commands) sendOnce(ctx context.Context, r *request, o startOptions, report func(operation.UpgradeProgress), what, more string) error {
	site, err := u.Session.SiteToSend(ctx, adminapi.TargetSite, false)
	if err != nil {
		return err
	}
	run, result := site.StartUpgrade(ctx, r.ask, report)
	if ask, ok := r.ask.WithoutUpload(result.Err); ok {
		r.ask = ask
		u.Out.Note(result.Err.Error())
		return u.carryOut(ctx, r, o)
	}
	status, result, err := u.settle(ctx, site, run, result)
	if u.Out.JSON() {
		of := startedJSON{result.ForScripts(), result.Verdict.ForScripts(), statusOf(status)}
		if err := u.Out.PrintValue(of); err != nil {
			return err
		}
	}
	if errors.Is(err, operation.ErrSettingsChanged) {
		f := exit.Refusal("settings changed",
			"Nothing was sent. Fetch them again: "+r.settingsCommand(), err)
		f.Operation = r.ask.Prepare(site).What
		return f
	}
	if err != nil {
		return err
	}
	return u.printStarted(run, "accepted: the "+what+" "+begun(status)+" at the site"+more)
}

// startedJSON is what became of an upgrade or a rollback that was tried.
type startedJSON struct {
	Outcome string      `json:"outcome"` // done (it has begun), failed, refused, unknown or not sent
	Verdict *string     `json:"verdict"` // succeeded, failed or rolled back; null where its end was not seen
	Status  *statusJSON `json:"status"`  // of the site after it; null where that was not read
}

// begun says whether an accepted upgrade still runs: after a lost answer it may have ended
// before it is found.
func begun(status adminapi.UpgradeStatus) string {
	if progress.Runs(status) {
		return "runs"
	}
	return "has begun, but no longer runs,"
}

// settle turns the outcome of the request into the status of the running upgrade, or into
// the reason why none runs. The result is that after a search.
func (u commands) settle(
	ctx context.Context, site operation.Site, run *operation.UpgradeRun, r operation.Result,
) (status adminapi.UpgradeStatus, _ operation.Result, _ error) {
	lost := r.Err
	switch {
	case r.Done():
		return run.First, r, nil
	case r.Refused():
		return status, r, refused(u.Exit, lost)
	case !r.Sent():
		return status, r, notSent(u.Exit, r)
	case ctx.Err() != nil && !u.Exit.TimedOut():
		return status, r, u.Exit.Of(r)
	}
	u.Out.Note(u.Exit.LostAnswer(lost, 0) + "; checking whether the upgrade has begun, and not sending it again")
	found, err := polling.Wait(u.Exit.Search(), u.Session.Clock(), run.Search(), nil)
	status, r = found.Status, r.Found(found, err)
	if r.Err == nil {
		r.Verdict = watching.UpgradeNow(site, status).Verdict()
	}
	switch {
	case r.Err == nil && progress.StateOf(status) == progress.StateFailed:
		return status, r, exit.NotPassed(command.AdviceStatus, "it has begun"+command.DespiteLoss(lost)+", and has failed")
	case r.Err == nil:
		u.Out.Note("it has begun" + command.DespiteLoss(lost))
		return status, r, nil
	case errors.Is(r.Err, operation.ErrUpgradeRuns):
		return status, r, upgradeRuns("start the upgrade", "the answer was lost, and the upgrade that runs began before the request")
	}
	return status, r, u.Exit.Of(r)
}

// refused is an upgrade that the site refused.
func refused(x *command.Exits, err error) error {
	f := x.RefusedBySite(err)
	if errors.Is(err, adminapi.KindBusy) {
		f.Advice = command.AdviceStatus
	}
	return f
}

// notSent is an upgrade that was not sent; most errors make it safe to retry.
func notSent(x *command.Exits, r operation.Result) error {
	err := r.Err
	if errors.Is(err, operation.ErrSettingsChanged) {
		return err
	}
	if errors.Is(err, operation.ErrRollbackUnsure) || errors.Is(err, operation.ErrRollbackChanged) {
		return exit.Refusal("changed", "See what it does now: {command:upgrade rollback ID --dry-run}", err)
	}
	if f := x.NotSettled(err); f != nil {
		return f
	}
	f := x.Explain(err)
	upload, isUpload := errors.AsType[*operation.UploadError](err)
	if isUpload {
		f.Operation = r.What
	}
	_, answered := adminapi.KindOf(err)
	switch {
	case f.Code == exit.SignIn, f.Code == exit.Refused, f.Code == exit.Interrupted:
	case isUpload && upload.Refused():
		f.Code = exit.Refused
	case answered && f.Code == exit.Usage:
	default:
		f.Code = exit.Unreachable
	}
	switch {
	case f.Advice != "":
	case f.Code == exit.Unreachable, f.Code == exit.Interrupted:
		f.Advice = "The upgrade was not sent; it is safe to try again."
	default:
		f.Advice = "The upgrade was not sent."
	}
	return f
}

// printStarted prints for people that a run has begun. One that leads elsewhere than what was confirmed fails
// the command, and goes on.
func (u commands) printStarted(sent *operation.UpgradeRun, text string) error {
	var elsewhere error
	if run, version := sent.Confirmed(); version != "" {
		elsewhere = &exit.Failure{Code: exit.Failed, Kind: string(watching.AlarmElsewhere),
			Err:    errors.New(run.Elsewhere(version)),
			Advice: "The " + run.Kind().Noun() + " goes on. Let it end, then compare what is installed: {command:upgrade watch}, {command:upgrade history}"}
	}
	if u.Out.JSON() {
		return elsewhere
	}
	return cmp.Or(u.Out.PrintLines(plain.Line(text), u.Session.Commands(command.AdviceStatus)), elsewhere)
}
