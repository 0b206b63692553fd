package checkout

import (
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/batching"
	"geodeck/adminapi/operation/checkout"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/plain"
	"geodeck/ui/cli/command"
	"geodeck/ui/cli/edits"
	"geodeck/ui/cli/exit"
)

// ApplyCommand makes "geodeck apply".
func ApplyCommand(s command.Env, nodes *command.Nodes) *cobra.Command {
	var o edits.Options
	var folder, before string
	cmd := &cobra.Command{
		Use:   "apply [-d DIR] [PATTERN...] | --plan FILE",
		Short: "Bring the site to what the files of a folder have: plan all, ask, send one by one",
		Long: `Bring the site to what the files of a folder have. All edits are planned and printed first;
then they are sent one after the other, definitions before rules, each as geodeck service
apply sends one. The first that is not done stops the rest; the same command goes on
where it stopped. What a file does not change, and what the site generates, stays as the
site has it. What the site has without a file stays: nothing is removed there.

On a terminal, you type the word of each finding and confirm the sending. Elsewhere
--yes confirms, and --accept names the findings: drift where the site was changed since
the pull and the file overwrites that. What the folder of --base has, such as a checkout of
the commit that was applied last, nobody else has changed.

` + patternLong + `

` + edits.PlanLong + `

Exit codes: 0 done, or nothing to do; 1 accepted but not kept, or a service does not
answer; 2 bad input; 4 refused, or a finding that nobody accepted; 5 not sent, safe to
try again; 6 sent, outcome unknown; 7 the time was up.`,
		Example: `  geodeck apply -d gis-site --dry-run
  geodeck apply -d gis-site 'Hosted/*' --yes
  geodeck apply -d gis-site --yes --accept drift`,
		Args: func(_ *cobra.Command, args []string) error {
			if o.Plan == "" || len(args) == 0 {
				return nil
			}
			return exit.BadInputf("leave out %s: --plan sends all that the file holds; nothing was sent", plain.Clip(args[0], 60))
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.Plan != "" {
				return edits.ApplyPlan(cmd.Context(), s, nodes, o, editing.Parts...)
			}
			return apply(cmd.Context(), s, nodes, folder, before, o, args)
		},
	}
	folderFlag(cmd, &folder)
	cmd.Flags().StringVar(&before, "base", "", "folder as it was applied last, in place of what "+checkout.IndexFile+" says")
	o.Asks = true
	o.Register(s, cmd)
	o.RegisterPlan(cmd)
	o.RegisterYes(cmd)
	return cmd
}

func apply(ctx context.Context, s command.Env, given *command.Nodes, name, before string, o edits.Options, chosen patterns) error {
	accepted, err := o.Accepts()
	if err != nil {
		return err
	}
	folder, here, err := chosen.filesOf(name)
	if err != nil {
		return err
	}
	defer func() { _ = folder.Close() }()
	if before != "" {
		if folder.Before, err = open(before, false); err != nil {
			return err
		}
		defer func() { _ = folder.Before.Close() }()
	}
	nodes, err := given.Given(ctx)
	if err != nil {
		return err
	}
	site, err := s.Session.SiteFor(ctx, !o.Sending())
	if err != nil {
		return err
	}
	planned := folder.Plan(ctx, site, here, nodes.List, accepted, progress(s, len(here)))
	for i, e := range planned {
		planned[i].Sync = o.Sync
		if bad, is := errors.AsType[*checkout.FileError](e.Refused); is {
			planned[i].Refused = exit.BadInput("", bad)
		}
	}
	if o.Sending() {
		noteSame(folder, site, planned)
	}
	planned = slices.DeleteFunc(planned, func(e batching.PlannedEdit) bool { return e.Refused == nil && len(e.Plan.Changes) == 0 })
	if err := ctx.Err(); err != nil {
		return err
	}
	if same := len(here) - len(planned); same > 0 {
		s.Out.Note("nothing to send for " + plain.Plural(same, "file"))
	}
	return edits.SendAll(ctx, s, site, planned, o, func(e batching.PlannedEdit) error {
		if err := folder.Applied(site, e, planned); err != nil {
			return err
		}
		return folder.Save()
	})
}

// noteSame keeps that the site has what some files have: also where a program was stopped right after it had sent
// that. What cannot be kept now is kept by the next apply. A folder without notes gets none by that.
func noteSame(folder *checkout.Folder, site operation.Site, planned []batching.PlannedEdit) {
	if len(folder.Index.Files) == 0 {
		return
	}
	for _, e := range planned {
		if e.Refused == nil && len(e.Plan.Changes) == 0 {
			_ = folder.Applied(site, e, []batching.PlannedEdit{e})
		}
	}
	_ = folder.Save()
}
