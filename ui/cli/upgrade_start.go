package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade"
)

// startOptions are the flags of upgrade start.
type startOptions struct {
	upgradeOptions
	dryRun  bool
	confirm string
}

func (p *program) upgradeStartCommand() *cobra.Command {
	var o startOptions
	cmd := &cobra.Command{
		Use:   "start ID --confirm VERSION",
		Short: "Check, upload the files, and start the upgrade once",
		Long: `Check, upload the files, and start the upgrade once.

--confirm takes the version that the upgrade leads to; it accepts the warnings of
the checks, which are printed. What blocks is never overridden. --dry-run prints
the request, secrets masked, and sends and uploads nothing.

Exit codes: 0 accepted, or found running after the answer was lost; 1 found so, and
failed by then; 2 wrong --confirm or a file that is no good; 4 refused, blocked, or
somebody else's upgrade runs; 5 not sent, safe to try again; 6 sent, now or earlier, and
nobody knows what became of it.`,
		Example: `  geodeck upgrade start rel_11122025_7286 --license licence.json --dry-run
  geodeck upgrade start rel_11122025_7286 --license licence.json --confirm 12.0.0.7286
  geodeck upgrade start rel_11122025_7286 --settings settings.json --confirm 12.0.0.7286`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.latestGiven = cmd.Flags().Changed("latest-patch")
			return p.upgradeStart(cmd.Context(), args[0], o)
		},
	}
	o.register(cmd)
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "print what would be sent, and send nothing")
	cmd.Flags().StringVar(&o.confirm, "confirm", "", "the version that the upgrade leads to, such as 12.0.0.7286")
	p.addAgain(cmd, "its version")
	return cmd
}

func (p *program) upgradeStart(ctx context.Context, id string, o startOptions) error {
	if err := o.usable(); err != nil {
		return err
	}
	site, err := p.connect()
	if err != nil {
		return err
	}
	asked, err := p.askUpgrade(ctx, site, id, o)
	if err != nil {
		return err
	}
	checks := asked.checks(ctx)
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, check := range upgrade.Warnings(checks) {
		p.note(check.State.String() + ": " + said(check))
	}
	if o.dryRun && asked.unread == nil {
		if err := p.printRequest(asked); err != nil {
			return err
		}
	}
	switch {
	case upgrade.Blocked(checks):
		return &failure{code: exitRefused, kind: "blocked", err: errors.New("the upgrade is blocked; nothing was sent"),
			details: findings(checks, upgrade.CheckBlocking), advice: "All checks: geodeck upgrade plan " + asked.ask.Target.ID}
	case asked.unread != nil:
		return asked.unread
	case o.dryRun:
		return nil
	}
	return p.sendUpgrade(ctx, asked)
}

// usable refuses what is wrong whatever the site says, before it is asked.
func (o startOptions) usable() error {
	if o.confirm == "" && !o.dryRun {
		return badInput("The version of an update: geodeck upgrade available",
			errors.New("say --confirm VERSION, the version that the upgrade leads to, such as 12.0.0.7286; nothing was sent"))
	}
	for _, file := range []struct{ flag, path string }{
		{"settings", o.settings}, {"license", o.licence}, {"manifest-file", o.manifest},
	} {
		if file.path == "" {
			continue
		}
		if _, err := os.Stat(file.path); errors.Is(err, fs.ErrNotExist) {
			return badInput("", fmt.Errorf("--%s: there is no file %s; nothing was sent", file.flag, plain.Line(file.path)))
		}
	}
	return nil
}

// askUpgrade finds the update, looks whether it was confirmed, and fills in what
// the site wants to know.
func (p *program) askUpgrade(ctx context.Context, site operation.Site, id string, o startOptions) (*askedUpgrade, error) {
	offer, err := offered(ctx, site, o.manifest)
	if err != nil {
		return nil, err
	}
	if offer.Running() {
		return nil, upgradeRuns("an upgrade runs already; nothing was sent")
	}
	asked, err := targetOf(site, offer, id, o.upgradeOptions)
	if err != nil {
		return nil, err
	}
	if !o.dryRun {
		if err := confirmed(o.confirm, asked.ask.Target, offer.Installed, offer.Manifest, "the upgrade leads to"); err != nil {
			return nil, err
		}
	}
	return asked, asked.fill(ctx, o.upgradeOptions)
}

// confirmed refuses what was not confirmed with the right version, and says what
// may be typed.
func confirmed(typed string, target adminapi.Update, installed upgrade.Installed, all adminapi.Manifest, what string) error {
	if upgrade.Confirms(typed, target, installed, all) {
		return nil
	}
	words := strings.Join(upgrade.ConfirmWords(target, installed, all), " or ")
	if typed == "" {
		return badInput("", fmt.Errorf("say --confirm %s, the version that %s; nothing was sent", words, what))
	}
	return badInput("", fmt.Errorf("--confirm %q is not the version that %s, which is %s; nothing was sent", typed, what, words))
}
