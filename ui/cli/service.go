package cli

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/availability"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/plain"
	"geodeck/ui/cli/output"
)

// serviceCommands are the commands of "geodeck service".
type serviceCommands struct {
	partCommands
	cluster *nodes // for explanations
}

func (s serviceCommands) command() *cobra.Command {
	return group("service", "List services, read a definition, edit it without losing anything",
		s.listCommand(), s.getCommand(), s.diffCommand(), s.editCommand(), s.applyCommand(),
		s.historyCommand(), s.restoreCommand(), s.statusCommand(), s.startCommand(), s.stopCommand(), s.explainCommand())
}

// errNoConfirm says that a stop was not confirmed.
var errNoConfirm = errors.New("users of the service lose access; nothing was sent")

// serviceNamed reads the name of a service from the command line.
func serviceNamed(text string) (adminapi.ServiceRef, error) {
	service, err := adminapi.ParseServicePath(text)
	if err != nil {
		return service, badInput("List the services: {command:service list}", err)
	}
	return service, nil
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

// servicesIn reads the services of a folder, or without one those of all folders. With an
// error it returns what was read before.
func servicesIn(ctx context.Context, site operation.Site, folder string) ([]adminapi.ServiceRef, error) {
	root, err := site.Client.Services.Folder(ctx, folder)
	if err != nil {
		return nil, err
	}
	services := inFolder(root.Services, folder)
	if folder != "" {
		return services, nil
	}
	for _, name := range root.Folders {
		if name == "" || name == "/" {
			continue
		}
		below, err := site.Client.Services.Folder(ctx, name)
		if err != nil {
			return services, err
		}
		services = append(services, inFolder(below.Services, name)...)
	}
	return services, nil
}

// inFolder adds the folder to services that lack it.
func inFolder(services []adminapi.ServiceRef, folder string) []adminapi.ServiceRef {
	for i := range services {
		if services[i].Folder == "" && folder != "/" {
			services[i].Folder = folder
		}
	}
	return services
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

// serviceState is the state of a service, and the configured one if that differs.
func serviceState(l *output.Renderer, s availability.State) output.Cell {
	switch {
	case s.Err != nil:
		return l.StatusCell(output.Unknown, "not known: "+s.Err.Error())
	case !s.Settled():
		return l.StatusCell(output.Warned, s.Text())
	case s.Running():
		return l.StatusCell(output.Good, s.Text())
	case s.RealTime == adminapi.ServiceStopped:
		return l.StatusCell(output.Skipped, s.Text())
	}
	return l.StatusCell(output.Unknown, s.Text())
}

// stateJSON is what --state adds to a service.
type stateJSON struct {
	Configured string `json:"configuredState,omitempty"`
	RealTime   string `json:"realTimeState,omitempty"`
	Problem    string `json:"stateError,omitempty"`
}

// serviceJSON is a service of a list.
type serviceJSON struct {
	adminapi.ServiceRef
	stateJSON
}

func stateOf(s availability.State) stateJSON {
	state := stateJSON{Configured: s.Configured, RealTime: s.RealTime}
	if s.Err != nil {
		state.Problem = s.Err.Error()
	}
	return state
}

func (s serviceCommands) diffCommand() *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "diff [FOLDER/]NAME.TYPE -f FILE",
		Short: "Compare a definition in a file with what the site has",
		Long: `Compare a definition in a file with what the site has.

The order of keys and white space do not count. Exit codes: 0 no difference; 1
differences; 2 or more: they could not be compared.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return s.diff(cmd.Context(), args[0], file) },
	}
	cmd.Flags().StringVarP(&file, "file", "f", "", "file with the definition; - is the standard input")
	return cmd
}

func (s serviceCommands) diff(ctx context.Context, name, file string) error {
	target, err := s.targetNamed(name)
	if err != nil {
		return err
	}
	edited, err := documentFrom(ctx, s.in, "file", file, editing.Definition)
	if err != nil {
		return err
	}
	site, err := s.session.site(ctx)
	if err != nil {
		return err
	}
	now, err := readToEdit(ctx, site, target)
	if err != nil {
		return s.orNotThere(ctx, site, target.Service, err)
	}
	edit := planned(editing.Edit{Target: target, Base: now.Document, Edited: edited})
	if s.out.JSON() {
		err = s.out.PrintValue(reviewOf(edit))
	} else if len(edit.Plan.Changes) > 0 {
		err = printReview(s.out, edit)
	}
	if err == nil && len(edit.Plan.Changes) > 0 {
		return &failure{code: exitFailed, kind: "failed", err: errors.New(plain.Plural(len(edit.Plan.Changes), "difference")), printed: s.out.JSON()}
	}
	return err
}

func (s serviceCommands) startCommand() *cobra.Command {
	return s.addOverride(&cobra.Command{
		Use:   "start [FOLDER/]NAME.TYPE",
		Short: "Start a service and wait until it runs",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			service, err := serviceNamed(args[0])
			if err != nil {
				return err
			}
			return s.switchTo(cmd.Context(), service, true)
		},
	}, "the service")
}

func (s serviceCommands) stopCommand() *cobra.Command {
	var confirm string
	cmd := &cobra.Command{
		Use:   "stop [FOLDER/]NAME.TYPE --confirm NAME",
		Short: "Stop a service; its users lose access",
		Long: `Stop a service; its users lose access.

--confirm takes the name of the service, with or without its folder and type.`,
		Example: "  geodeck service stop SampleWorldCities.MapServer --confirm SampleWorldCities",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			service, err := serviceNamed(args[0])
			if err == nil && confirm != service.Name && confirm != service.Path() {
				err = badInput("Say --confirm "+service.Name, errNoConfirm)
			}
			if err != nil {
				return err
			}
			return s.switchTo(cmd.Context(), service, false)
		},
	}
	cmd.Flags().StringVar(&confirm, "confirm", "", "the name of the service")
	return s.addOverride(cmd, "the service")
}

func (s serviceCommands) switchTo(ctx context.Context, service adminapi.ServiceRef, start bool) error {
	site, err := s.session.siteToSend(ctx, adminapi.TargetService(service))
	if err != nil {
		return err
	}
	answer := loss{note: s.out.Note}
	state, result := site.SwitchService(ctx, operation.Switch{Service: service, Start: start}, s.wait.reportJob, answer.lost)
	switch {
	case errors.Is(result.Err, adminapi.KindNotFound) && result.Known() && !result.Touched():
		return s.notThere(ctx, site, service, result.Err)
	case !result.Done():
		return s.exit.of(result)
	}
	answer.found()
	return s.printSwitched(service, start, state)
}

// printSwitched prints the state, and fails if it is not the expected one.
func (s serviceCommands) printSwitched(service adminapi.ServiceRef, start bool, state availability.State) error {
	if state.Err != nil {
		return notPassed("", "accepted, but the state of "+service.Path()+" could not be read: "+state.Err.Error())
	}
	var err error
	if s.out.JSON() {
		err = s.out.PrintValue(state.ServiceStatus)
	} else {
		err = s.out.PrintLine(plain.Line(service.Path() + ": " + serviceState(s.out.Renderer(), state).Text))
	}
	if err == nil && (!state.Settled() || state.Running() != start) {
		err = notPassed("Follow it: "+operation.CommandText("service status --wait", service.Path()),
			"accepted, but the service is not there yet: "+state.Text())
	}
	return err
}
