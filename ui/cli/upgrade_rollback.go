package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade"
)

func (p *program) upgradeRollbackCommand() *cobra.Command {
	var confirm string
	cmd := &cobra.Command{
		Use:   "rollback ID --confirm VERSION",
		Short: "Take a patch back, and the later ones with it; a release cannot be taken back",
		Long: `Take a patch back, and the later ones with it; a release cannot be taken back.

--confirm takes the version of the patch. Exit codes are those of upgrade start.`,
		Example: "  geodeck upgrade rollback pat_04122025_6835 --confirm 11.5.0.6835",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.upgradeRollback(cmd.Context(), args[0], confirm)
		},
	}
	cmd.Flags().StringVar(&confirm, "confirm", "", "the version of the patch, such as 11.5.0.6835")
	return cmd
}

func (p *program) upgradeRollback(ctx context.Context, id, confirm string) error {
	site, err := p.connect()
	if err != nil {
		return err
	}
	patch, err := removable(ctx, site, id)
	if err != nil {
		return err
	}
	// The plain version would not tell one patch from the next.
	if err := confirmed(confirm, patch, upgrade.Installed{}, adminapi.Manifest{}, "the rollback takes back"); err != nil {
		return err
	}
	if site, err = p.connectToWrite(); err != nil {
		return err
	}
	run, outcome, err := site.StartRollback(ctx, patch.ID)
	status, err := p.settle(ctx, run, outcome, err)
	if err != nil {
		return err
	}
	return p.printStarted(status, "accepted: the rollback of "+patch.ID+" "+begun(status)+" at the site")
}

// removable finds a patch that the site can take back.
func removable(ctx context.Context, site operation.Site, id string) (adminapi.Update, error) {
	if err := quiet(ctx, site, "nothing can be taken back meanwhile"); err != nil {
		return adminapi.Update{}, err
	}
	updates, err := site.Client.CheckRollback(ctx)
	if err != nil {
		return adminapi.Update{}, err
	}
	at := slices.IndexFunc(updates, func(u adminapi.Update) bool { return u.ID == id })
	if at < 0 {
		return adminapi.Update{}, badInput("What is installed: geodeck upgrade history",
			fmt.Errorf("the site cannot take %q back; it offers that for %d patches", plain.Clip(id, 100), len(updates)))
	}
	return updates[at], nil
}
