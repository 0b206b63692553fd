package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

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
	p.addAgain(cmd, "its version")
	return cmd
}

func (p *program) upgradeRollback(ctx context.Context, id, confirm string) error {
	site, err := p.connect()
	if err != nil {
		return err
	}
	patch, along, err := removable(ctx, site, id)
	if err != nil {
		return err
	}
	// The plain version would not tell one patch from the next.
	if err := confirmed(confirm, patch, upgrade.Installed{}, adminapi.Manifest{}, "the rollback takes back"); err != nil {
		return err
	}
	if along != "" {
		p.note("warning: " + along)
	}
	if site, err = p.connectToSend(ctx, adminapi.TargetSite); err != nil {
		return err
	}
	run, outcome, err := site.StartRollback(ctx, patch)
	status, err := p.settle(ctx, run, outcome, err)
	if err != nil {
		return err
	}
	return p.printStarted(status, "accepted: the rollback of "+patch.ID+" "+begun(status)+" at the site"+behind("; ", along))
}

// removable finds a patch that the site can take back, and what goes with it.
func removable(ctx context.Context, site operation.Site, id string) (patch adminapi.Update, along string, err error) {
	if err := quiet(ctx, site, "nothing can be taken back meanwhile"); err != nil {
		return patch, "", err
	}
	updates, err := site.Client.CheckRollback(ctx)
	if err != nil {
		return patch, "", err
	}
	at := slices.IndexFunc(updates, func(u adminapi.Update) bool { return u.ID == id })
	if at < 0 {
		return patch, "", badInput("What is installed: geodeck upgrade history",
			fmt.Errorf("the site cannot take %q back; it offers that for %s", plain.Clip(id, 100), patchesCounted(len(updates))))
	}
	installed, err := site.Client.Installed(ctx)
	if err != nil {
		return patch, "", err
	}
	return updates[at], takenAlong(updates[at], installed), nil
}

// takenAlong names every installed patch that goes with an earlier one, empty
// where none does.
func takenAlong(patch adminapi.Update, installed []adminapi.Update) string {
	var later []string
	for _, u := range installed {
		order, comparable := upgrade.CompareBuilds(u.Build, patch.Build)
		if comparable && order > 0 && !upgrade.IsRelease(u) {
			later = append(later, cmp.Or(u.ID, "one without an id")+" ("+u.FullVersion()+")")
		}
	}
	if len(later) == 0 {
		return ""
	}
	return "also taken back: " + strings.Join(later, ", ")
}

func patchesCounted(n int) string {
	switch n {
	case 0:
		return "none"
	case 1:
		return "1 patch"
	}
	return strconv.Itoa(n) + " patches"
}

// behind joins a text to the sentence before it, where there is one.
func behind(joint, text string) string {
	if text == "" {
		return ""
	}
	return joint + text
}
