package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/operation/editing"
)

// sendOptions are the flags of the commands that send edits.
type sendOptions struct {
	dryRun    bool
	savePlan  string   // file to write in place of sending
	plan      string   // file of a plan to send
	partial   bool     // of several services: send to those that can take it
	allowLost []string // keys of a definition
	allowNone bool     // rules that no node meets
	wait      bool

	asks  bool                                // of several services: a person on a terminal is asked before
	await func(context.Context, change) error // with wait: until what was sent is in effect
}

// sending reports whether anything is to be sent.
func (o sendOptions) sending() bool { return !o.dryRun && o.savePlan == "" }

// register adds the flags that all of these commands have in common.
func (o *sendOptions) register(s shared, cmd *cobra.Command) *cobra.Command {
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, dryRunUsage)
	cmd.Flags().StringVar(&o.savePlan, "save-plan", "", "new private file for the reviewed edit; nothing is sent")
	cmd.MarkFlagsMutuallyExclusive("dry-run", "save-plan")
	return s.addOverride(cmd, "the service")
}

// registerSeveral adds the flag for several services.
func (o *sendOptions) registerSeveral(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.partial, "partial", false, "of several services: send to those that can take it")
}

// registerPlan adds the flags of several services, and of their plan.
func (o *sendOptions) registerPlan(cmd *cobra.Command) {
	o.registerSeveral(cmd)
	cmd.Flags().StringVar(&o.plan, "plan", "", "file of --save-plan: send exactly what it holds")
	excludes(cmd, "plan", "file", "base", "save-plan")
}

// targetNamed reads the name of a service whose part is meant.
func targetNamed(name string, part editing.Part) (editing.Target, error) {
	service, err := serviceNamed(name)
	return editing.Target{Service: service, Part: part}, err
}

// newEdit makes an edit, without what is edited, from the name of a service and the flags.
func newEdit(name string, part editing.Part, o sendOptions) (edit editing.Edit, err error) {
	if edit.Target, err = targetNamed(name, part); err != nil {
		return edit, err
	}
	edit.AllowNone = o.allowNone
	edit.AllowRemoved, err = pathsOf("allow-lost", o.allowLost)
	return edit, err
}

// servicesNamed reads the names of one or several services, each once.
func servicesNamed(names []string) (services []adminapi.ServiceRef, err error) {
	for _, name := range names {
		service, err := serviceNamed(name)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(services, func(s adminapi.ServiceRef) bool { return strings.EqualFold(s.Path(), service.Path()) }) {
			return nil, badInputf("%s is named twice; nothing was sent", service.Path())
		}
		services = append(services, service)
	}
	return services, nil
}
