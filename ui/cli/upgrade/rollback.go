package upgrade

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade"
	"geodeck/ui/cli/command"
	"geodeck/ui/cli/exit"
)

func (u commands) rollbackCommand() *cobra.Command {
	var o startOptions
	cmd := &cobra.Command{
		Use:   "rollback ID --confirm VERSION",
		Short: "Roll the site back to an earlier version of its release, without the later patches",
		Long: `Roll the site back to an earlier version of its release, without the later patches.

ID is one that the site lists for it: the version to go back to, or the newest patch, where
that is removed. --dry-run says which; --confirm takes the version that the site will have.
Where that is not clear, nothing is sent (exit 4). An upgrade to a new release cannot be
rolled back.

--accept takes the cautions and dangers of the checks by name, as the refusal prints them; nothing
overrides a check that blocks. --dry-run makes the same checks, prints the request (method,
path and every field), and sends nothing. It exits as the rollback itself would now, but
needs no --confirm, and checks one that is given. The exit codes are those of upgrade start.`,
		Example: `  geodeck upgrade rollback pat_23102025_6825 --dry-run
  geodeck upgrade rollback pat_23102025_6825 --confirm 11.5.0.6825`,
		Args: cobra.ExactArgs(1),
		RunE: command.RunsWith(&o, u.rollback),
	}
	o.registerStart(cmd, "the version that the site will have, such as 11.5.0.6825")
	return u.AddOverride(cmd, "its version")
}

func (u commands) rollback(ctx context.Context, id string, o startOptions) error {
	if err := o.accept.Check(upgrade.AcceptWords()); err != nil {
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
	req := &request{site: site, ask: operation.RollbackRequest(back)}
	if back.Unsure == "" && (!o.dryRun || o.confirm != "") {
		if err := confirmed(o.confirm, req, "the rollback leads to"); err != nil {
			return err
		}
	}
	return u.carryOut(ctx, req, o)
}

// rollbackOf reads what an id does that the site lists to be rolled back.
func rollbackOf(ctx context.Context, site operation.Site, id string) (upgrade.Rollback, error) {
	if err := requireNoUpgrade(ctx, site, "roll back", "nothing can be rolled back meanwhile"); err != nil {
		return upgrade.Rollback{}, err
	}
	all, err := site.Rollbacks(ctx)
	if err != nil {
		return upgrade.Rollback{}, err
	}
	back, found := upgrade.RollbackOf(all, id)
	if !found {
		f := exit.New(exit.Usage, "What was installed: {command:upgrade history}", fmt.Errorf("the site offers no rollback with the id %q", plain.Clip(id, 100)))
		for _, r := range all {
			f.Details = append(f.Details, r.Listed.ID+": "+r.Sentence())
		}
		return back, f
	}
	return back, nil
}
