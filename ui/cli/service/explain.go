package service

import (
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/explain"
	"geodeck/adminapi/operation/incident"
	"geodeck/ui/cli/command"
)

func (s commands) explainCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "explain [FOLDER/]NAME.TYPE",
		Short: "Explain why a service is not up or its pods wait, and what to do now",
		Long: `Explain why a service is not up, or why its pods wait. --nodes or --nodes-command gives
the nodes of the cluster, to compare with the rules of its pods.` + command.ExplainLong + ".",
		Example: `  geodeck service explain SampleWorldCities.MapServer --nodes-command "kubectl get nodes -o json"`,
		Args:    cobra.ExactArgs(1),
		RunE:    command.RunsOn(s.explain),
	}
	s.nodes.Register(cmd)
	return cmd
}

func (s commands) explain(ctx context.Context, name string) error {
	service, err := command.ServiceNamed(name)
	if err != nil {
		return err
	}
	site, around, err := s.nodes.Around(ctx)
	if err != nil {
		return err
	}
	x := incident.ExplainService(ctx, s.Session.WithRecord(site), service, around)
	x.Service = service.Path()
	if err := ctx.Err(); err != nil {
		return err
	}
	if errors.Is(x.Err, adminapi.KindSignIn) || errors.Is(x.Err, adminapi.KindNotFound) {
		return s.OrNotThere(ctx, site, service, x.Err)
	}
	if !x.Fault && !s.Out.JSON() { // only what was not seen is worth more lines
		x.Site = nil
		x.Evidence = slices.DeleteFunc(x.Evidence, func(e explain.Evidence) bool { return e.At.Kind != explain.Access })
	}
	return s.PrintExplanation(x)
}
