package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/polling"
	"geodeck/adminapi/operation/watching"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade"
	"geodeck/adminapi/upgrade/progress"
)

// startOptions are the flags of upgrade start; a rollback has only those below.
type startOptions struct {
	upgradeOptions
	dryRun  bool
	confirm string
	accept  []string
}

// registerStart registers the flags that a rollback has too.
func (o *startOptions) registerStart(cmd *cobra.Command, confirm string) {
	set := cmd.Flags()
	set.BoolVar(&o.dryRun, "dry-run", false, dryRunUsage)
	set.StringVar(&o.confirm, "confirm", "", confirm)
	set.StringSliceVar(&o.accept, "accept", nil, "warnings that you accept, by name, such as health,placement")
}

func (u upgradeCommands) startCommand() *cobra.Command {
	var o startOptions
	cmd := &cobra.Command{
		Use:   "start ID --confirm VERSION",
		Short: "Check, upload the files, and start the upgrade once",
		Long: `Check, upload the files, and start the upgrade once.

--confirm takes the target version. --accept takes the warnings of the checks by name, as
the refusal and "upgrade plan" print them; nothing overrides a check that blocks. --dry-run
prints the request (method, path and every part, with secrets masked), and sends and
uploads nothing. It needs neither, and checks a --confirm that is given.

Exit codes: 0 accepted, or found running after the answer was lost; 1 found after the
answer was lost, but failed by then, or accepted, but leading to another version than you
confirmed; 2 wrong --confirm or --accept, or a file that cannot be used; 4 refused, blocked,
a warning not accepted, or somebody else's upgrade is running; 5 not sent, safe to try
again; 6 sent, now or earlier, outcome unknown.`,
		Example: `  geodeck upgrade start rel_11122025_7286 --license licence.json --dry-run
  geodeck upgrade start rel_11122025_7286 --license licence.json --confirm 12.0.0.7286
  geodeck upgrade start rel_11122025_7286 --settings settings.json --accept placement --confirm 12.0.0.7286`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.latestGiven = cmd.Flags().Changed("latest-patch")
			return u.start(cmd.Context(), args[0], o)
		},
	}
	o.register(cmd)
	o.registerStart(cmd, "the target version of the upgrade, such as 12.0.0.7286")
	return u.addOverride(cmd, "its version")
}

func (u upgradeCommands) start(ctx context.Context, id string, o startOptions) error {
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
func (u upgradeCommands) carryOut(ctx context.Context, req *upgradeRequest, o startOptions) error {
	what, advice := "upgrade", "All checks: "+operation.CommandText("upgrade plan", req.ask.Target.ID)
	back := req.ask.Rollback
	if back != nil {
		what, advice = "rollback", ""
	}
	checks, open, err := u.check(ctx, req, o)
	if err != nil {
		return err
	}
	if o.dryRun && req.unread == nil && (back == nil || back.Unsure == "") {
		request, err := req.ask.Prepare(req.site).Request(ctx)
		if err != nil {
			if _, ofAPI := adminapi.KindOf(err); !ofAPI { // a file that cannot be used
				err = badInput("", err)
			}
			return err
		}
		if err := u.printDryRun(req.ask.Effects(req.offer), request); err != nil {
			return err
		}
	}
	switch {
	case finding.Blocked(checks):
		return blocked(checks, what, advice)
	case req.unread != nil:
		return req.unread
	case o.dryRun:
		return u.session.checkSend(ctx, adminapi.TargetSite)
	case open != nil:
		return open
	case back != nil:
		return u.sendOnce(ctx, req, nil, "rollback to "+back.To, "; removes "+strings.Join(back.Removed(), ", "))
	}
	return u.sendOnce(ctx, req, u.wait.reportStart, "upgrade to "+req.ask.Target.FullVersion(), "")
}

// siteFor returns the site; where --read-only keeps the request from being sent, it fails before
// anything is read.
func (u upgradeCommands) siteFor(ctx context.Context, o startOptions) (operation.Site, error) {
	site, err := u.session.site(ctx)
	if err == nil && !o.dryRun {
		err = site.Client.Writable()
	}
	return site, err
}

// check makes the checks of the pre-flight and prints the warnings. open is the refusal that
// names those that --accept does not, nil for none.
func (u upgradeCommands) check(ctx context.Context, req *upgradeRequest, o startOptions) (checks []finding.Finding, open, err error) {
	checks = req.checks(ctx)
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	var left []finding.Finding
	for _, check := range finding.Those(checks, finding.Finding.Open) {
		if !slices.Contains(o.accept, check.Accept) {
			left = append(left, check)
		}
	}
	refuses := len(left) > 0 && !o.dryRun && !finding.Blocked(checks)
	refusal := refusal("not accepted", "",
		errors.New(plain.Plural(len(left), "warning")+" not accepted; nothing was sent"))
	for _, check := range finding.Those(checks, finding.Finding.Open) {
		text := upgrade.CheckWord(check.Strength) + ": " + sentenceOf(check)
		if refuses && slices.Contains(left, check) {
			refusal.details = append(refusal.details, text)
			continue
		}
		u.out.Note(text)
	}
	if refuses {
		refusal.advice = "To start all the same, " + acceptAdvice(left)
		return checks, refusal, nil
	}
	if len(left) > 0 && !finding.Blocked(checks) {
		u.out.Note("to start, " + acceptAdvice(left))
	}
	return checks, nil, nil
}

// acceptAdvice is the flag that accepts warnings.
func acceptAdvice(warnings []finding.Finding) string {
	words := each(warnings, func(check finding.Finding) string { return check.Accept })
	return "add: --accept " + strings.Join(words, ",")
}

func blocked(checks []finding.Finding, what, advice string) error {
	f := refusal("blocked", advice, errors.New("the "+what+" is blocked; nothing was sent"))
	f.details = blockers(checks)
	return f
}

// checkAccept refuses names that no warning has.
func (o startOptions) checkAccept() error {
	for _, word := range o.accept {
		if !slices.Contains(upgrade.AcceptWords(), word) {
			return badInputf("--accept %s: no warning has that name; nothing was sent", strconv.Quote(plain.Clip(word, 60)))
		}
	}
	return nil
}

// check refuses flags that are wrong for any site.
func (o startOptions) check() error {
	if o.confirm == "" && !o.dryRun {
		return badInput("The version of an update: {command:upgrade available}",
			errors.New("give --confirm VERSION, the target version, such as 12.0.0.7286; nothing was sent"))
	}
	for _, file := range []struct{ flag, path string }{
		{"settings", o.settings}, {"license", o.licence}, {"manifest-file", o.manifest},
	} {
		if file.path == "" {
			continue
		}
		if _, err := os.Stat(file.path); errors.Is(err, fs.ErrNotExist) {
			return badInputf("--%s: there is no file %s; nothing was sent", file.flag, plain.Line(file.path))
		}
	}
	return o.checkAccept()
}

// requestToSend finds the update, checks that it was confirmed, and fills in its settings.
func (u upgradeCommands) requestToSend(ctx context.Context, site operation.Site, id string, o startOptions) (*upgradeRequest, error) {
	offer, err := readOffer(ctx, site, o.manifest)
	if err != nil {
		return nil, err
	}
	if offer.Running() {
		return nil, upgradeRuns("an upgrade is already running; nothing was sent")
	}
	req, err := targetOf(site, offer, id, o.upgradeOptions)
	if err != nil {
		return nil, err
	}
	if !o.dryRun || o.confirm != "" {
		if err := confirmed(o.confirm, req, "the upgrade leads to"); err != nil {
			return nil, err
		}
	}
	return req, req.fill(ctx, o.upgradeOptions)
}

// confirmed fails unless the right version was typed, and says which versions are right.
func confirmed(typed string, r *upgradeRequest, what string) error {
	right := r.ask.ConfirmWords(r.offer)
	if upgrade.Confirms(typed, right) {
		return nil
	}
	words := strings.Join(right, " or ")
	if typed == "" {
		return badInputf("say --confirm %s, the version that %s; nothing was sent", words, what)
	}
	return badInputf("--confirm %q is not the version that %s, which is %s; nothing was sent", typed, what, words)
}

// dryRunJSON is an upgrade or a rollback that was not sent, as JSON.
type dryRunJSON struct {
	Sentence string           `json:"sentence"`
	Request  adminapi.Request `json:"request"` // with secrets masked
}

// printDryRun prints what would be done and sent.
func (u upgradeCommands) printDryRun(effects []upgrade.Effect, request adminapi.Request) error {
	if u.out.JSON() {
		return u.out.PrintValue(dryRunJSON{upgrade.Sentence(effects), request})
	}
	for _, e := range effects {
		if err := u.out.PrintLine(fmt.Sprintf("%-13s %s", e.Name, e.Text)); err != nil {
			return err
		}
	}
	return printRequest(u.out, request)
}

// sendOnce uploads, sends once, and finds the outcome.
func (u upgradeCommands) sendOnce(ctx context.Context, r *upgradeRequest, report func(operation.UpgradeProgress), what, more string) error {
	site, err := u.session.siteToSend(ctx, adminapi.TargetSite)
	if err != nil {
		return err
	}
	run, result := site.StartUpgrade(ctx, r.ask, report)
	status, err := u.settle(ctx, run, result)
	if errors.Is(err, operation.ErrSettingsChanged) {
		return refusal("settings changed",
			"Nothing was sent. Fetch them again: "+operation.CommandText("upgrade settings", r.ask.Target.ID), err)
	}
	if err != nil {
		return err
	}
	return u.printStarted(run, status, "accepted: the "+what+" "+begun(status)+" at the site"+more)
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
// the reason why none runs.
func (u upgradeCommands) settle(ctx context.Context, run *operation.UpgradeRun, r operation.Result) (adminapi.UpgradeStatus, error) {
	lost := r.Err
	switch {
	case r.Done():
		return run.First, nil
	case r.Refused():
		return adminapi.UpgradeStatus{}, refusedUpgrade(u.exit, lost)
	case !r.Sent():
		return adminapi.UpgradeStatus{}, notSentUpgrade(u.exit, lost)
	case ctx.Err() != nil && !u.exit.timedOut():
		return adminapi.UpgradeStatus{}, u.exit.of(r)
	}
	u.out.Note(u.exit.lostAnswer(lost, 0) + "; checking whether the upgrade has begun, and not sending it again")
	found, err := polling.Wait(u.exit.search(), u.session.clock(), run.Search(), nil)
	status, r := found.Status, r.Found(found, err)
	switch {
	case r.Err == nil && progress.StateOf(status) == progress.StateFailed:
		return status, notPassed(adviceStatus, "it has begun"+despiteLoss(lost)+", and has failed")
	case r.Err == nil:
		u.out.Note("it has begun" + despiteLoss(lost))
		return status, nil
	case errors.Is(r.Err, operation.ErrUpgradeRuns):
		return status, upgradeRuns("the answer was lost, and someone else started the running upgrade")
	}
	return status, u.exit.of(r)
}

// refusedUpgrade is an upgrade that the site refused.
func refusedUpgrade(x *exits, err error) error {
	f := x.refusedBySite(err)
	if errors.Is(err, adminapi.KindBusy) {
		f.advice = adviceStatus
	}
	return f
}

// notSentUpgrade is an upgrade that was not sent; most errors make it safe to retry.
func notSentUpgrade(x *exits, err error) error {
	if errors.Is(err, operation.ErrSettingsChanged) {
		return err
	}
	if errors.Is(err, operation.ErrRollbackUnsure) || errors.Is(err, operation.ErrRollbackChanged) {
		return refusal("changed", "See what it does now: {command:upgrade rollback ID --dry-run}", err)
	}
	if f := x.notSettled(err); f != nil {
		return f
	}
	f := x.explain(err)
	upload, isUpload := errors.AsType[*operation.UploadError](err)
	_, answered := adminapi.KindOf(err)
	switch {
	case f.code == exitSignIn, f.code == exitRefused, f.code == exitInterrupted:
	case isUpload && upload.Refused():
		f.code = exitRefused
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

// statusBody is the status as the Upgrades resource has it.
type statusBody struct {
	Status adminapi.UpgradeStatus `json:"status"`
}

// printStarted prints that a run has begun. One that leads elsewhere than what was confirmed fails
// the command, and goes on.
func (u upgradeCommands) printStarted(sent *operation.UpgradeRun, status adminapi.UpgradeStatus, text string) error {
	var elsewhere error
	if run, version := sent.Confirmed(); version != "" {
		elsewhere = &failure{code: exitFailed, kind: string(watching.AlarmElsewhere), err: errors.New(run.Elsewhere(version)),
			advice: "The " + run.Kind().Noun() + " goes on. Let it end, then compare what is installed: {command:upgrade watch}, {command:upgrade history}"}
	}
	if u.out.JSON() {
		return cmp.Or(u.out.PrintValue(statusBody{status}), elsewhere)
	}
	return cmp.Or(u.out.PrintLines(plain.Line(text), u.session.commands(adviceStatus)), elsewhere)
}

func (u upgradeCommands) rollbackCommand() *cobra.Command {
	var o startOptions
	cmd := &cobra.Command{
		Use:   "rollback ID --confirm VERSION",
		Short: "Roll the site back to an earlier version of its release, without the later patches",
		Long: `Roll the site back to an earlier version of its release, without the later patches.

ID is one that the site lists for it: the version to go back to, or the newest patch, where
that is removed. --dry-run says which; --confirm takes the version that the site will have.
Where that is not clear, nothing is sent (exit 4). An upgrade to a new release cannot be
rolled back.

--accept takes the warnings of the checks by name, as the refusal prints them; nothing
overrides a check that blocks. --dry-run makes the same checks, prints the request (method,
path and every field), and sends nothing. It needs neither, and checks a --confirm that is
given. The exit codes are those of upgrade start.`,
		Example: `  geodeck upgrade rollback pat_23102025_6825 --dry-run
  geodeck upgrade rollback pat_23102025_6825 --confirm 11.5.0.6825`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return u.rollback(cmd.Context(), args[0], o) },
	}
	o.registerStart(cmd, "the version that the site will have, such as 11.5.0.6825")
	return u.addOverride(cmd, "its version")
}

func (u upgradeCommands) rollback(ctx context.Context, id string, o startOptions) error {
	if err := o.checkAccept(); err != nil {
		return err
	}
	site, err := u.siteFor(ctx, o)
	if err != nil {
		return err
	}
	back, err := rollbackOf(ctx, site, id)
	if err != nil {
		return err
	}
	req := &upgradeRequest{site: site, ask: operation.RollbackRequest(back)}
	if back.Unsure == "" && (!o.dryRun || o.confirm != "") {
		if err := confirmed(o.confirm, req, "the rollback leads to"); err != nil {
			return err
		}
	}
	return u.carryOut(ctx, req, o)
}

// rollbackOf reads what an id does that the site lists to be rolled back.
func rollbackOf(ctx context.Context, site operation.Site, id string) (upgrade.Rollback, error) {
	if err := requireNoUpgrade(ctx, site, "nothing can be rolled back meanwhile"); err != nil {
		return upgrade.Rollback{}, err
	}
	all, err := site.Rollbacks(ctx)
	if err != nil {
		return upgrade.Rollback{}, err
	}
	back, found := upgrade.RollbackOf(all, id)
	if !found {
		f := &failure{code: exitUsage, kind: "usage", err: fmt.Errorf("the site offers no rollback with the id %q", plain.Clip(id, 100))}
		for _, r := range all {
			f.details = append(f.details, r.Listed.ID+": "+r.Sentence())
		}
		return back, f
	}
	return back, nil
}

// joined continues a sentence with a text, where there is one.
func joined(joint, text string) string {
	if text == "" {
		return ""
	}
	return joint + text
}
