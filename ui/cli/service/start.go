package service

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/availability"
	"geodeck/adminapi/plain"
	"geodeck/ui/cli/command"
	"geodeck/ui/cli/edits"
	"geodeck/ui/cli/exit"
)

func (s commands) startCommand() *cobra.Command {
	return s.AddOverride(&cobra.Command{
		Use:   "start [FOLDER/]NAME.TYPE",
		Short: "Start a service and wait until it runs",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			service, err := command.ServiceNamed(args[0])
			if err != nil {
				return err
			}
			return s.switchTo(cmd.Context(), service, true)
		},
	}, "the service")
}

func (s commands) stopCommand() *cobra.Command {
	var confirm string
	cmd := &cobra.Command{
		Use:   "stop [FOLDER/]NAME.TYPE --confirm NAME",
		Short: "Stop a service; its users lose access",
		Long: `Stop a service; its users lose access.

--confirm takes the name of the service, with or without its folder and type. In System and
Utilities the folder has to be there: the platform itself uses these services.`,
		Example: "  geodeck service stop SampleWorldCities.MapServer --confirm SampleWorldCities",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			service, err := command.ServiceNamed(args[0])
			if word := (operation.Switch{Service: service}).Word(); err == nil && confirm != word && confirm != service.Path() {
				users := "users of the service"
				if word != service.Name {
					users = "the platform itself and users of the service"
				}
				err = exit.BadInput("Say --confirm "+word, errors.New(users+" lose access; nothing was sent"))
			}
			if err != nil {
				return err
			}
			return s.switchTo(cmd.Context(), service, false)
		},
	}
	cmd.Flags().StringVar(&confirm, "confirm", "", "the name of the service")
	return s.AddOverride(cmd, "the service")
}

func (s commands) switchTo(ctx context.Context, service adminapi.ServiceRef, start bool) error {
	site, err := s.Session.SiteToSend(ctx, adminapi.TargetService(service))
	if err != nil {
		return err
	}
	answer := command.Loss{Note: s.Out.Note}
	state, result := site.SwitchService(ctx, operation.Switch{Service: service, Start: start}, s.Wait.ReportJob,
		answer.Lost)
	switch {
	case errors.Is(result.Err, adminapi.KindNotFound) && result.Known() && !result.Touched():
		return s.NotThere(ctx, site, service, result.Err)
	case !result.Done():
		return s.Exit.Of(result)
	}
	answer.Found()
	return s.printSwitched(service, start, state)
}

// printSwitched prints the state, and fails if it is not the expected one.
func (s commands) printSwitched(service adminapi.ServiceRef, start bool, state availability.State) error {
	if state.Err != nil {
		return exit.NotPassed("", "accepted, but the state of "+service.Path()+" could not be read: "+state.Err.Error())
	}
	var err error
	if s.Out.JSON() {
		err = s.Out.PrintValue(state.ServiceStatus)
	} else {
		err = s.Out.PrintLine(plain.Line(service.Path() + ": " + edits.ServiceState(s.Out.Renderer(), state).Text))
	}
	if err == nil && (!state.Settled() || state.Running() != start) {
		err = exit.NotPassed("Follow it: "+operation.CommandText("service status --wait", service.Path()),
			"accepted, but the service is not there yet: "+state.Text())
	}
	return err
}
