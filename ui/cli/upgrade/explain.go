package upgrade

import (
	"context"

	"github.com/spf13/cobra"

	"geodeck/adminapi/operation/incident"
	"geodeck/adminapi/operation/watching"
	"geodeck/ui/cli/command"
)

func (u commands) explainCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "explain",
		Short: "Explain why the upgrade failed or stalls, and what to do now",
		Long:  "Explain why the running upgrade, or the last one, failed or stalls." + command.ExplainLong + ".",
		Args:  cobra.NoArgs,
		RunE:  command.Runs(u.explain),
	}
	u.nodes.Register(cmd)
	return cmd
}

func (u commands) explain(ctx context.Context) error {
	site, around, err := u.nodes.Around(ctx)
	if err != nil {
		return err
	}
	step, err := watching.NewWatch(site, nil).Next(ctx)
	if err != nil {
		return err
	}
	if step.Value.At.IsZero() && step.Unreachable != nil {
		return step.Unreachable
	}
	site = u.Session.WithRecord(site) // only now: the watch writes no transcript
	if site.Memory.Journal != nil {
		step.Value.Confirmed = site.Memory.Confirmed(step.Value.Log, nil)
		watching.SettleRun(site.Memory, step.Value.Progress, step.Value.Log)
	}
	return u.PrintExplanation(incident.ExplainUpgrade(ctx, site, step.Value, around))
}
