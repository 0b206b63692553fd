package cli

import (
	"cmp"
	"context"
	"slices"

	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/operation/availability"
	"geodeck/ui/cli/output"
)

// serviceCommands are the commands of "geodeck service".
type serviceCommands struct {
	shared
	nodes *nodes // for explanations
}

// serviceCommand makes "geodeck service".
func serviceCommand(of shared, nodes *nodes) *cobra.Command {
	s := serviceCommands{of, nodes}
	return group("service", "List services, read a definition, edit it without losing anything",
		s.listCommand(), s.getCommand(), s.diffCommand(), s.editCommand(), s.applyCommand(),
		s.historyCommand(), s.restoreCommand(), s.statusCommand(), s.startCommand(), s.stopCommand(), s.explainCommand())
}

func (s serviceCommands) listCommand() *cobra.Command {
	var states bool
	cmd := &cobra.Command{
		Use:   "list [FOLDER]",
		Short: "List the services of all folders, or of one; / is the root",
		Long: `List the services of all folders, or of one; / is the root.

--state also shows whether each service runs, with one request for each.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.list(cmd.Context(), first(args), states)
		},
	}
	cmd.Flags().BoolVar(&states, "state", false, "also read the state of each service, with a request for each")
	return cmd
}

func (s serviceCommands) list(ctx context.Context, folder string, withStates bool) error {
	site, err := s.session.site(ctx)
	if err != nil {
		return err
	}
	services, unread := servicesIn(ctx, site, folder)
	if len(services) == 0 && unread != nil {
		return unread
	}
	var states []availability.State
	if withStates {
		states = site.Availability().States(ctx, services)
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return cmp.Or(s.printServices(services, states), unread)
}

// printServices prints services with their states, where those were read.
func (s serviceCommands) printServices(services []adminapi.ServiceRef, states []availability.State) error {
	list, rows, l := make([]serviceJSON, len(services)), make([][]output.Cell, len(services)), s.out.Renderer()
	for i, service := range services {
		list[i].ServiceRef, rows[i] = service, l.Row(service.Path(), service.Description)
		if states != nil {
			list[i].stateJSON = stateOf(states[i])
			rows[i] = slices.Insert(rows[i], 1, serviceState(l, states[i]))
		}
	}
	headings := []string{"SERVICE", "DESCRIPTION"} // a path ends in the type
	switch {
	case s.out.JSON():
		return output.PrintList(s.out, list)
	case states != nil:
		headings = slices.Insert(headings, 1, "STATE")
	default:
		s.out.Note("states are not read; --state reads them, with a request for each service")
	}
	return s.out.PrintTable(headings, rows)
}

// serviceJSON is a service of a list.
type serviceJSON struct {
	adminapi.ServiceRef
	stateJSON
}
