package service

import (
	"context"

	"github.com/spf13/cobra"

	"geodeck/adminapi/operation/editing"
	"geodeck/ui/cli/edits"
	"geodeck/ui/cli/exit"
	"geodeck/ui/cli/files"
)

// sendLong is the help of the commands that send a definition.
const sendLong = `The steps: check the rules of the fields, accept what was found (docs/gates.md), fetch the
definition again (a change since then stops the edit), save the old one on this machine,
send the new one once, wait for its job, and compare what the site has with what was
sent. A service that does not answer then is a warning; --wait waits until it does.
-o json prints the plan, with "sent", even if it is refused.

` + edits.PlanLong + `

Exit codes: 0 done, or nothing to do; 1 accepted but not kept, or the job failed; 2
bad input, with its line; 4 refused, a finding that nobody accepted, drift, or a plan
that does not fit; 5 not sent, safe to try again; 6 sent, outcome unknown; 7
the time was up before the job ended, or with --wait before the service answered.`

// registerSend adds the flags of the commands that send a definition.
func (s commands) registerSend(cmd *cobra.Command, o *edits.Options) *cobra.Command {
	o.Await = awaitDefinition
	cmd.Flags().BoolVar(&o.Wait, "wait", false, "wait until the service answers")
	cmd.Flags().StringArrayVar(&o.AllowLost, "allow-lost", nil, "accepts removed-key of one path, such as extensions[WFSServer]; repeat for more")
	return o.Register(s.Env, cmd)
}

func awaitDefinition(ctx context.Context, c edits.Change) error {
	c.Wait.Pods.Done = "the edit is done, and the service: "
	_, err := edits.AwaitAnswer(ctx, c.Env, c.Site, c.Edit.Service,
		editing.DeploymentsOf(editing.Definition, c.Edit.Edited))
	return err
}

func (s commands) applyCommand() *cobra.Command {
	var (
		o    edits.Options
		file string
	)
	cmd := &cobra.Command{
		Use:   "apply [FOLDER/]NAME.TYPE -f FILE | --plan FILE",
		Short: "Replace the definition of a service with that in a file, without losing anything",
		Long: `Replace the definition of a service with that in a file, without losing anything.

--base names the file that you edited, as service get printed it: changes made at the
site since then are kept, and --accept drift overwrites those of the same places. Without
--base, FILE replaces whatever the site has.

` + sendLong,
		Example: `  geodeck service get SampleWorldCities.MapServer > base.json
  geodeck service apply SampleWorldCities.MapServer -f edited.json --base base.json --dry-run
  geodeck service apply SampleWorldCities.MapServer -f edited.json --allow-lost 'extensions[WFSServer]'`,
		Args: func(cmd *cobra.Command, args []string) error {
			if o.Plan != "" { // it names its services
				return cobra.NoArgs(cmd, args)
			}
			return cobra.ExactArgs(1)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.Plan != "" {
				return edits.ApplyPlan(cmd.Context(), s.Env, nil, o, editing.Definition)
			}
			return s.apply(cmd.Context(), args[0], file, o)
		},
	}
	cmd.Flags().StringVarP(&file, "file", "f", "", "file with the new definition; - is the standard input")
	cmd.Flags().StringVar(&o.Base, "base", "", "file with the definition that the edit started from")
	s.registerSend(cmd, &o)
	o.RegisterUnread(cmd)
	o.RegisterPlan(cmd)
	return cmd
}

// apply reads arguments and files before anything is fetched.
func (s commands) apply(ctx context.Context, name, file string, o edits.Options) error {
	edit, err := edits.New(name, editing.Definition, o)
	if err != nil {
		return err
	}
	if file == files.Standard && o.Base == files.Standard {
		return exit.BadInput("", files.ErrTwoInputs)
	}
	if edit.Edited, err = edits.DocumentFrom(ctx, s.In, "file", file, editing.Definition); err == nil && o.Base != "" {
		edit.Base, err = edits.DocumentFrom(ctx, s.In, "base", o.Base, editing.Definition)
	}
	if err != nil {
		return err
	}
	return edits.Apply(ctx, s.Env, edit, o, nil)
}

func (s commands) restoreCommand() *cobra.Command {
	var o edits.Options
	cmd := &cobra.Command{
		Use:   "restore [FOLDER/]NAME.TYPE ID",
		Short: "Restore a definition saved before an edit",
		Long: `Restore a whole definition saved before an edit.

On a terminal, you type the word of each finding and confirm the sending.

` + sendLong,
		Example: "  geodeck service restore SampleWorldCities.MapServer 20261120T140503.000Z-9f2c1a7b4e60 --dry-run",
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			edit, err := edits.New(args[0], editing.Definition, o)
			if err != nil {
				return err
			}
			return edits.Restore(cmd.Context(), s.Env, edit, args[1], o)
		},
	}
	o.RegisterUnread(cmd)
	return s.registerSend(cmd, &o)
}
