package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"geodeck/adminapi/document"
	"geodeck/adminapi/operation"
)

// wayOutLong tells what edit, apply and restore have in common.
const wayOutLong = `The way out is always the same: the rules of the fields are checked, keys that would
be lost are to be confirmed, the definition is read again (drift stops the edit), the
old one is kept on this machine, the new one is sent once, its job is waited for, and
what the site has then is compared with what was sent. -o json prints the plan also
where it is refused, with "sent".

Exit codes: 0 done, or nothing to do; 1 accepted but not kept, or the job failed; 2
bad input, with its line; 4 refused, keys that nobody agreed to lose, drift, or a
conflict; 5 not sent, safe to try again; 6 sent, and nobody knows what became of it.`

// sendOptions are the flags of whatever sends a definition.
type sendOptions struct {
	allowLost []string
	dryRun    bool
}

func (o *sendOptions) register(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&o.allowLost, "allow-lost", nil, "path of a key that may be lost, such as extensions[WFSServer]; can be given again")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "print what would be done, and send nothing")
}

// addAgainOf gives the flag to a command that changes one service.
func (p *program) addAgainOf(cmd *cobra.Command) *cobra.Command {
	p.addAgain(cmd, "the service")
	return cmd
}

// applyOptions are the flags of service apply.
type applyOptions struct {
	sendOptions
	file, base string
}

func (p *program) serviceApplyCommand() *cobra.Command {
	var o applyOptions
	cmd := &cobra.Command{
		Use:   "apply [FOLDER/]NAME.TYPE -f FILE",
		Short: "Replace the definition of a service by that of a file, without losing anything",
		Long: `Replace the definition of a service by that of a file, without losing anything.

--base names the file that the edit was begun from, as service get had printed it:
what was changed since then at the site stays, and what both changed in different
ways is a conflict. Without it the file counts as it is, whatever the site has.

` + wayOutLong,
		Example: `  geodeck service get Roads.MapServer > base.json
  geodeck service apply Roads.MapServer -f edited.json --base base.json --dry-run
  geodeck service apply Roads.MapServer -f edited.json --allow-lost 'extensions[WFSServer]'`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return p.serviceApply(cmd.Context(), args[0], o) },
	}
	cmd.Flags().StringVarP(&o.file, "file", "f", "", "file with the new definition; - is the standard input")
	cmd.Flags().StringVar(&o.base, "base", "", "file with the definition that the edit was begun from")
	o.register(cmd)
	return p.addAgainOf(cmd)
}

func (p *program) serviceApply(ctx context.Context, name string, o applyOptions) error {
	edit, err := p.askedEdit(name, o)
	if err != nil {
		return err
	}
	site, err := p.connectFor(o.dryRun)
	if err != nil {
		return err
	}
	now, err := p.readToEdit(ctx, site, edit.Target)
	if err != nil {
		return err
	}
	if edit, err = onto(edit, now.Document); err != nil {
		return err
	}
	return p.wayOut(ctx, site, planned(edit), o.dryRun, nil)
}

// askedEdit reads everything that was typed, before the site is asked.
func (p *program) askedEdit(name string, o applyOptions) (edit operation.Edit, err error) {
	if edit.Service, err = serviceNamed(name); err != nil {
		return edit, err
	}
	if edit.AllowLost, err = pathsOf("allow-lost", o.allowLost); err != nil {
		return edit, err
	}
	if edit.Edited, err = p.documentFrom("file", o.file, edit.Part); err != nil || o.base == "" {
		return edit, err
	}
	if o.base == fromInput && o.file == fromInput {
		return edit, badInput("", errTwoInputs)
	}
	edit.Base, err = p.documentFrom("base", o.base, edit.Part)
	return edit, err
}

// connectFor connects with a journal where something may be sent.
func (p *program) connectFor(dryRun bool) (operation.Site, error) {
	if dryRun {
		return p.connect()
	}
	return p.connectToWrite()
}

// onto brings an edit onto what the site has now; one without a base counts as it is.
func onto(edit operation.Edit, now *document.Document) (operation.Edit, error) {
	if edit.Base == nil {
		edit.Base = now
		return edit, nil
	}
	rebased, conflicts := edit.Rebase(now)
	if len(conflicts) > 0 {
		return edit, conflicting(edit.Target, conflicts)
	}
	return rebased, nil
}

// conflicting names the places that two people changed in different ways.
func conflicting(target operation.Target, conflicts []document.Conflict) error {
	f := &failure{code: exitRefused, kind: "conflict", advice: "Begin again from what the site has: " + commandOn(target, "get"),
		err: fmt.Errorf("the %s was changed at the site in the same places, in other ways; nothing was sent", target.Part)}
	for _, c := range conflicts {
		f.details = append(f.details, c.Path.String()+": it was "+valueOrNone(c.Base)+", yours is "+valueOrNone(c.Mine)+", the site has "+valueOrNone(c.Theirs))
	}
	return f
}

func valueOrNone(raw string) string {
	if raw == "" {
		return "not there"
	}
	return briefly(raw)
}
