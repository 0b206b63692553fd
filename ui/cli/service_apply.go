package cli

import (
	"context"

	"github.com/spf13/cobra"

	"geodeck/adminapi/operation/editing"
)

// sendLong is the help of the commands that send a definition.
const sendLong = `The steps: check the rules of the fields, confirm keys that would be lost, fetch the
definition again (a change since then stops the edit), save the old one on this machine,
send the new one once, wait for its job, and compare what the site has with what was
sent. A service that does not answer then is a warning; --wait waits until it does.
-o json prints the plan, with "sent", even if it is refused.

` + planLong + `

Exit codes: 0 done, or nothing to do; 1 accepted but not kept, or the job failed; 2
bad input, with its line; 4 refused, keys that nobody agreed to lose, drift, a conflict,
or a plan that does not fit; 5 not sent, safe to try again; 6 sent, outcome unknown; 7
the time was up before the job ended, or with --wait before the service answered.`

// registerSend adds the flags of the commands that send a definition.
func (s serviceCommands) registerSend(cmd *cobra.Command, o *sendOptions) *cobra.Command {
	o.await = awaitDefinition
	cmd.Flags().BoolVar(&o.wait, "wait", false, "wait until the service answers")
	cmd.Flags().StringArrayVar(&o.allowLost, "allow-lost", nil, "path of a key that may be lost, such as extensions[WFSServer]; repeat for more")
	return o.register(s.shared, cmd)
}

func awaitDefinition(ctx context.Context, c change) error {
	c.wait.pods.done = "the edit is done, and the service: "
	_, err := awaitAnswer(ctx, c.shared, c.site, c.edit.Service, editing.DeploymentsOf(editing.Definition, c.edit.Edited))
	return err
}

func (s serviceCommands) applyCommand() *cobra.Command {
	var (
		o          sendOptions
		file, base string
	)
	cmd := &cobra.Command{
		Use:   "apply [FOLDER/]NAME.TYPE -f FILE | --plan FILE",
		Short: "Replace the definition of a service with that in a file, without losing anything",
		Long: `Replace the definition of a service with that in a file, without losing anything.

--base names the file that you edited, as service get printed it: changes made at the
site since then are kept, and what both sides changed differently is a conflict. Without
--base, FILE replaces whatever the site has.

` + sendLong,
		Example: `  geodeck service get SampleWorldCities.MapServer > base.json
  geodeck service apply SampleWorldCities.MapServer -f edited.json --base base.json --dry-run
  geodeck service apply SampleWorldCities.MapServer -f edited.json --allow-lost 'extensions[WFSServer]'`,
		Args: func(cmd *cobra.Command, args []string) error {
			if o.plan != "" { // it names its services
				return cobra.NoArgs(cmd, args)
			}
			return cobra.ExactArgs(1)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.plan != "" {
				return applyPlan(cmd.Context(), s.shared, editing.Definition, nil, o)
			}
			return s.apply(cmd.Context(), args[0], file, base, o)
		},
	}
	cmd.Flags().StringVarP(&file, "file", "f", "", "file with the new definition; - is the standard input")
	cmd.Flags().StringVar(&base, "base", "", "file with the definition that the edit started from")
	s.registerSend(cmd, &o)
	o.registerPlan(cmd)
	return cmd
}

// apply reads arguments and files before anything is fetched.
func (s serviceCommands) apply(ctx context.Context, name, file, base string, o sendOptions) error {
	edit, err := newEdit(name, editing.Definition, o)
	if err != nil {
		return err
	}
	if file == fromInput && base == fromInput {
		return badInput("", errTwoInputs)
	}
	if edit.Edited, err = documentFrom(ctx, s.in, "file", file, editing.Definition); err == nil && base != "" {
		edit.Base, err = documentFrom(ctx, s.in, "base", base, editing.Definition)
	}
	if err != nil {
		return err
	}
	return applyEdit(ctx, s.shared, edit, o, nil)
}

func (s serviceCommands) restoreCommand() *cobra.Command {
	var o sendOptions
	cmd := &cobra.Command{
		Use:   "restore [FOLDER/]NAME.TYPE ID",
		Short: "Restore a definition saved before an edit",
		Long: `Restore a whole definition saved before an edit.

On a terminal, you confirm removed keys and the sending.

` + sendLong,
		Example: "  geodeck service restore SampleWorldCities.MapServer 20261120T140503.000Z-9f2c1a7b4e60 --dry-run",
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			edit, err := newEdit(args[0], editing.Definition, o)
			if err != nil {
				return err
			}
			return restoreBackup(cmd.Context(), s.shared, edit, args[1], o)
		},
	}
	return s.registerSend(cmd, &o)
}
