package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
)

func (p *program) serviceStartCommand() *cobra.Command {
	return p.addAgainOf(&cobra.Command{
		Use:   "start [FOLDER/]NAME.TYPE",
		Short: "Start a service and wait until it runs",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			service, err := serviceNamed(args[0])
			if err != nil {
				return err
			}
			return p.serviceSwitch(cmd.Context(), service, true)
		},
	})
}

func (p *program) serviceStopCommand() *cobra.Command {
	var confirm string
	cmd := &cobra.Command{
		Use:   "stop [FOLDER/]NAME.TYPE --confirm NAME",
		Short: "Stop a service: whoever uses it is cut off",
		Long: `Stop a service: whoever uses it is cut off.

--confirm takes the name of the service again, as it is given or without folder and
type.`,
		Example: "  geodeck service stop Roads.MapServer --confirm Roads",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			service, err := serviceNamed(args[0])
			if err == nil && confirm != service.Name && confirm != service.Path() {
				err = badInput("Say --confirm "+service.Name, errNoConfirm)
			}
			if err != nil {
				return err
			}
			return p.serviceSwitch(cmd.Context(), service, false)
		},
	}
	cmd.Flags().StringVar(&confirm, "confirm", "", "the name of the service")
	return p.addAgainOf(cmd)
}

func (p *program) serviceSwitch(ctx context.Context, service adminapi.ServiceRef, start bool) error {
	site, err := p.connectToSend(ctx, adminapi.TargetService(service))
	if err != nil {
		return err
	}
	steps := editSteps{progressLines{program: p}}
	state, outcome, err := site.SwitchService(ctx, service, start, func(job adminapi.Job, away error) {
		steps.tell(operation.EditProgress{Step: operation.StepEditJob, Job: job, Away: away})
	})
	switch {
	case errors.Is(err, adminapi.KindNotFound) && outcome != adminapi.OutcomeDone:
		return badInput("What there is: geodeck service list", err)
	case outcome == adminapi.OutcomeRefused:
		return p.refusedEdit(err)
	case outcome == adminapi.OutcomeNotSent:
		return p.unsent(operation.DefinitionOf(service), err)
	case outcome == adminapi.OutcomeUnknown && ctx.Err() != nil:
		return p.unknownEdit(operation.DefinitionOf(service), err)
	case outcome == adminapi.OutcomeUnknown:
		if state, err = p.findSwitch(ctx, site, service, start, err); err != nil {
			return err
		}
	case isUnknown(err) && ctx.Err() == nil:
		return p.unknownEdit(operation.DefinitionOf(service), endNotSeen(err))
	case err != nil:
		return err
	}
	return p.printSwitched(service, start, state)
}

// findSwitch looks what became of a start or stop whose answer was lost.
func (p *program) findSwitch(ctx context.Context, site operation.Site, service adminapi.ServiceRef, start bool, lost error) (operation.ServiceState, error) {
	p.note(lostAnswer(lost) + "; looking how the service is, and not sending it again")
	state, outcome := site.FindSwitch(ctx, service, start, lost)
	switch outcome {
	case adminapi.OutcomeDone:
		p.note("it has arrived" + despite(lost))
		return state, nil
	case adminapi.OutcomeRefused:
		return state, &operation.RefusedError{Answer: lost}
	}
	return state, &failure{code: exitUnknown, kind: "outcome unknown", err: fmt.Errorf("%w: %s", operation.ErrOutcomeUnknown, p.appearance().serviceState(state).text),
		advice: "Look before you send it again: geodeck service list --state"}
}

// printSwitched prints the state, and fails where it is not the one asked for.
func (p *program) printSwitched(service adminapi.ServiceRef, start bool, state operation.ServiceState) error {
	if state.Err != nil {
		return notPassed("it was accepted, but the state of " + service.Path() + " could not be read: " + state.Err.Error())
	}
	var err error
	if p.json() {
		err = p.printValue(state.ServiceStatus)
	} else {
		err = p.say(plain.Line(service.Path() + ": " + p.appearance().serviceState(state).text))
	}
	if err == nil && (!state.Settled() || state.Running() != start) {
		err = &failure{code: exitFailed, kind: "failed", err: errors.New("it was accepted, but the service is not so yet"),
			advice: "Look again: geodeck service list --state"}
	}
	return err
}
