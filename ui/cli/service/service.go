// Package service has the commands of "geodeck service": list, read, edit, start and stop services.
//
// Start at [Command]; package edits sends what apply.go and edit.go make.
package service

import (
	"cmp"
	"context"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/operation/availability"
	"geodeck/adminapi/operation/editing"
	"geodeck/ui/cli/command"
	"geodeck/ui/cli/edits"
	"geodeck/ui/cli/output"
)

// commands are the commands of "geodeck service".
type commands struct {
	command.Env
	nodes *command.Nodes // for explanations
}

// Command makes "geodeck service".
func Command(of command.Env, nodes *command.Nodes) *cobra.Command {
	s := commands{of, nodes}
	return command.Group("service", "List services, read a definition, edit it without losing anything",
		s.listCommand(), edits.GetCommand(of, editing.Definition), edits.DiffCommand(of, editing.Definition), s.editCommand(), s.applyCommand(),
		edits.HistoryCommand(of, editing.Definition), s.restoreCommand(), s.statusCommand(), s.startCommand(), s.stopCommand(), s.explainCommand())
}

func (s commands) listCommand() *cobra.Command {
	var states bool
	cmd := &cobra.Command{
		Use:   "list [FOLDER]",
		Short: "List the services of all folders, or of one; / is the root",
		Long: `List the services of all folders, or of one; / is the root.

--state also shows whether each service runs, with one request for each.`,
		Args: cobra.MaximumNArgs(1),
		RunE: command.RunsWith(&states, s.list),
	}
	cmd.Flags().BoolVar(&states, "state", false, "also read the state of each service, with a request for each")
	return cmd
}

func (s commands) list(ctx context.Context, folder string, withStates bool) error {
	site, err := s.Session.Site(ctx)
	if err != nil {
		return err
	}
	services, unread := command.ServicesIn(ctx, site, folder)
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
func (s commands) printServices(services []adminapi.ServiceRef, states []availability.State) error {
	list, rows, l := make([]serviceJSON, len(services)), make([][]output.Cell, len(services)), s.Out.Renderer()
	for i, service := range services {
		list[i].Service = service.Path()
		list[i].Raw = output.Raw(service)
		list[i].ServiceRef, rows[i] = service, l.Row(service.Path(), service.Description)
		list[i].Unknown = nil
		if states != nil {
			list[i].StateJSON = edits.StateOf(states[i])
			rows[i] = slices.Insert(rows[i], 1, edits.ServiceState(l, states[i]))
		}
	}
	headings := []string{"SERVICE", "DESCRIPTION"} // a path ends in the type
	switch {
	case s.Out.JSON():
		return output.PrintList(s.Out, list)
	case states != nil:
		headings = slices.Insert(headings, 1, "STATE")
	default:
		s.Out.Note("states are not read; --state reads them, with a request for each service")
	}
	return s.Out.PrintTable(headings, rows)
}

// serviceJSON is a service of a list.
type serviceJSON struct {
	Service string `json:"service"` // Folder/Name.Type
	adminapi.ServiceRef
	edits.StateJSON
	Raw jsontext.Value `json:"raw"` // as the site wrote it
}

// Shapes are what these commands print as objects of ours.
func Shapes() output.Shapes {
	return output.Shapes{
		"service explain": {command.ExplanationJSON{}},
		"service list":    {[]serviceJSON{}},
		"service start":   {[]switchJSON{}},
		"service status":  {statusJSON{}},
		"service stop":    {[]switchJSON{}},
	}
}
