package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"geodeck/adminapi"
)

func (p *program) serviceCommand() *cobra.Command {
	return group("service", "List services, look at a definition, edit it without losing anything",
		p.serviceListCommand(), p.serviceGetCommand(), p.serviceDiffCommand(), p.serviceEditCommand(), p.serviceApplyCommand(),
		p.serviceHistoryCommand(), p.serviceRestoreCommand(), p.serviceStartCommand(), p.serviceStopCommand())
}

// errNoConfirm says that something was not confirmed that cuts people off.
var errNoConfirm = errors.New("whoever uses the service is cut off; nothing was sent")

// serviceNamed reads the name of a service from the command line.
func serviceNamed(text string) (adminapi.ServiceRef, error) {
	service, err := adminapi.ParseServicePath(text)
	if err != nil {
		return service, badInput("What there is: geodeck service list", err)
	}
	return service, nil
}
