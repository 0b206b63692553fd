package edits

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/operation/editing"
	"geodeck/ui/cli/command"
	"geodeck/ui/cli/exit"
	"geodeck/ui/cli/files"
)

// Options are the flags of the commands that send edits.
type Options struct {
	dryRun    bool
	savePlan  string   // file to write in place of sending
	Plan      string   // file of a plan to send
	partial   bool     // of several services: send to those that can take it
	AllowLost []string // keys of a definition: removed-key of each
	AllowNone bool     // rules that no node meets: no-node
	accept    command.Accept
	Wait      bool
	Base      string // file with what the site had when the edit began
	unread    bool   // it is sent where the site does not show what it has
	Sync      *bool  // whether the site answers at its end; nil for what is usual for the part

	needsYes, yes bool // where nobody can be asked, --yes says that all is meant

	Asks  bool                                // of several services: a person on a terminal is asked before
	Await func(context.Context, Change) error // with wait: until what was sent is in effect
}

// Sending reports whether anything is to be sent.
func (o Options) Sending() bool { return !o.dryRun && o.savePlan == "" }

// Register adds the flags that all of these commands have in common.
func (o *Options) Register(s command.Env, cmd *cobra.Command) *cobra.Command {
	command.AddDryRun(cmd, &o.dryRun)
	cmd.Flags().StringVar(&o.savePlan, "save-plan", "", "new private file for the reviewed edit; nothing is sent")
	cmd.MarkFlagsMutuallyExclusive(command.FlagDryRun, "save-plan")
	o.accept.Register(cmd, editing.AcceptWords(), "removed-key,path or no-node")
	cmd.Flags().BoolFunc(command.FlagSync, "have the site answer at the end of the edit, without a job, after "+
		adminapi.FormatDuration(adminapi.SyncTime)+" at most; --sync=false has it run a job. Else definitions run in a job, and rules do not",
		func(text string) error {
			sync, err := strconv.ParseBool(text)
			o.Sync = &sync
			return err
		})
	return s.AddOverride(cmd, "the service")
}

// RegisterUnread adds the flag for sites that do not show what they have.
func (o *Options) RegisterUnread(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.unread, flagUnread, false, "send also where the site does not show what it has: the file of --base stands for that; without one it takes --accept unread")
}

// flagUnread is the flag of an edit at a site that does not show what is edited.
const flagUnread = "without-reading"

// RegisterSeveral adds the flag for several services.
func (o *Options) RegisterSeveral(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.partial, "partial", false, "of several services: send to those that can take it")
}

// RegisterYes adds the flag that confirms what is sent. Without it a person on a terminal is asked.
func (o *Options) RegisterYes(cmd *cobra.Command) {
	o.needsYes = true
	cmd.Flags().BoolVar(&o.yes, "yes", false, "send without asking")
}

// RegisterPlan adds the flags of several services, and of their plan.
func (o *Options) RegisterPlan(cmd *cobra.Command) {
	o.RegisterSeveral(cmd)
	cmd.Flags().StringVar(&o.Plan, "plan", "", "file of --save-plan: send exactly what it holds")
	command.Excludes(cmd, "plan", slices.DeleteFunc([]string{"file", "base", "directory", "save-plan", command.FlagSync}, func(flag string) bool { return cmd.Flags().Lookup(flag) == nil })...)
}

// TargetNamed reads the name of a service whose part is meant.
func TargetNamed(name string, part editing.Part) (editing.Target, error) {
	service, err := command.ServiceNamed(name)
	return editing.Target{Service: service, Part: part}, err
}

// New makes an edit, without what is edited, from the name of a service and the flags.
func New(name string, part editing.Part, o Options) (edit editing.Edit, err error) {
	if edit.Target, err = TargetNamed(name, part); err != nil {
		return edit, err
	}
	edit.Accepted, err = o.Accepts()
	edit.Sync = o.Sync
	return edit, err
}

// Accepts is what the flags accept.
func (o Options) Accepts() (a editing.Accepted, err error) {
	if err = o.accept.Check(editing.AcceptWords()); err != nil {
		return a, err
	}
	a.Words = o.accept
	if o.AllowNone {
		a.Words = append(slices.Clone(a.Words), editing.Gates.Of(editing.NoNode).Accept)
	}
	a.Removed, err = PathsOf("allow-lost", o.AllowLost)
	return a, err
}

// ServicesNamed reads the names of one or several services, each once.
func ServicesNamed(names []string) (services []adminapi.ServiceRef, err error) {
	for _, name := range names {
		service, err := command.ServiceNamed(name)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(services, func(s adminapi.ServiceRef) bool { return strings.EqualFold(s.Path(), service.Path()) }) {
			return nil, exit.BadInputf("%s is named twice; nothing was sent", service.Path())
		}
		services = append(services, service)
	}
	return services, nil
}

// DocumentFrom reads a JSON document from the file given with a flag. Errors are bad
// input, and name the line.
func DocumentFrom(ctx context.Context, in io.Reader, flag, path string, part editing.Part) (*document.Document, error) {
	if path == "" {
		return nil, NoFile(flag, part)
	}
	content, name, err := files.Content(ctx, in, path)
	if err == nil {
		var d *document.Document
		if d, err = document.Parse(content); err == nil && d.Root().Kind() != document.Object {
			err = fmt.Errorf("line 1: a %s must be an object; this is %s", part, d.Root().Kind())
		}
		if err == nil {
			return d, nil
		}
		err = fmt.Errorf("%s: %w", name, err)
	}
	if ctx.Err() != nil {
		return nil, err
	}
	return nil, exit.BadInputf("--%s: %w; nothing was sent", flag, err)
}

// NoFile says which flag takes the file that is missing.
func NoFile(flag string, part editing.Part) error {
	return exit.BadInputf("say --%s FILE, a file with the %s, or - for the standard input", flag, part)
}
