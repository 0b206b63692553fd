package cli

import (
	"context"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
)

func (p *program) serviceListCommand() *cobra.Command {
	var states bool
	cmd := &cobra.Command{
		Use:   "list [FOLDER]",
		Short: "List the services of all folders, or of one; / is the root",
		Long: `List the services of all folders, or of one; / is the root.

--state also tells whether they run, with a request for each.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.serviceList(cmd.Context(), first(args), states)
		},
	}
	cmd.Flags().BoolVar(&states, "state", false, "also read the state of each service, a request each")
	return cmd
}

func (p *program) serviceList(ctx context.Context, folder string, withStates bool) error {
	site, err := p.connect()
	if err != nil {
		return err
	}
	services, unread := p.servicesIn(ctx, site, folder)
	if len(services) == 0 && unread != nil {
		return unread
	}
	var states []operation.ServiceState
	if withStates {
		states = site.ServiceStates(ctx, services)
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	if p.json() {
		err = p.printServicesJSON(services, states)
	} else {
		err = p.printServices(services, states)
	}
	if err != nil {
		return err
	}
	return unread
}

// servicesIn reads the services of a folder, without one those of all folders. An
// error comes with what was read before it: a list that is not whole is a failure.
func (p *program) servicesIn(ctx context.Context, site operation.Site, folder string) ([]adminapi.ServiceRef, error) {
	root, err := site.Client.Folder(ctx, folder)
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
		below, err := site.Client.Folder(ctx, name)
		if err != nil {
			return services, err
		}
		services = append(services, inFolder(below.Services, name)...)
	}
	return services, nil
}

// inFolder says where services are that do not say it themselves.
func inFolder(services []adminapi.ServiceRef, folder string) []adminapi.ServiceRef {
	for i := range services {
		if services[i].Folder == "" && folder != "/" {
			services[i].Folder = folder
		}
	}
	return services
}

func (p *program) printServices(services []adminapi.ServiceRef, states []operation.ServiceState) error {
	l := p.appearance()
	headings := []string{"SERVICE", "TYPE", "DESCRIPTION"}
	if states != nil {
		headings = []string{"SERVICE", "TYPE", "STATE", "DESCRIPTION"}
	}
	rows := make([][]cell, len(services))
	for i, s := range services {
		rows[i] = l.words(s.Path(), s.Type, s.Description)
		if states != nil {
			rows[i] = l.words(s.Path(), s.Type, "", s.Description)
			rows[i][2] = l.serviceState(states[i])
		}
	}
	return p.printTable(headings, rows)
}

// serviceState is the state of a service; where it is not as it should be, both.
func (l *look) serviceState(s operation.ServiceState) cell {
	switch {
	case s.Err != nil:
		return cell{text: l.marked(l.theme.Glyphs.Unknown, "not known: "+s.Err.Error()), style: l.theme.Unknown}
	case !s.Settled():
		return cell{text: l.marked(l.theme.Glyphs.Warn, s.RealTime+", should be "+s.Configured), style: l.theme.Warn}
	case s.Running():
		return cell{text: l.marked(l.theme.Glyphs.Pass, s.RealTime), style: l.theme.OK}
	case s.RealTime == adminapi.ServiceStopped:
		return cell{text: l.marked(l.theme.Glyphs.Skipped, s.RealTime), style: l.theme.Muted}
	}
	return cell{text: l.marked(l.theme.Glyphs.Unknown, s.RealTime), style: l.theme.Unknown}
}

// stateJSON is what --state adds to a service.
type stateJSON struct {
	Configured string `json:"configuredState,omitempty"`
	RealTime   string `json:"realTimeState,omitempty"`
	Problem    string `json:"stateError,omitempty"`
}

func (p *program) printServicesJSON(services []adminapi.ServiceRef, states []operation.ServiceState) error {
	list := make([]jsontext.Value, len(services))
	for i, s := range services {
		raw, err := json.Marshal(s, asReceived)
		if err != nil {
			return err
		}
		if states != nil {
			if raw, err = withState(raw, states[i]); err != nil {
				return err
			}
		}
		list[i] = raw
	}
	return printList(p, list)
}

// withState appends the state to the object of a service.
func withState(service jsontext.Value, state operation.ServiceState) (jsontext.Value, error) {
	s := stateJSON{Configured: state.Configured, RealTime: state.RealTime}
	if state.Err != nil {
		s.Problem = state.Err.Error()
	}
	raw, err := json.Marshal(s, asReceived)
	if err != nil {
		return nil, err
	}
	return append(append(service[:len(service)-1:len(service)-1], ','), raw[1:]...), nil
}
