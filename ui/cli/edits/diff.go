package edits

import (
	"context"

	"github.com/spf13/cobra"

	"geodeck/adminapi/document"
	"geodeck/adminapi/lists"
	"geodeck/adminapi/operation/batching"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/plain"
	"geodeck/ui/cli/command"
	"geodeck/ui/cli/exit"
	"geodeck/ui/cli/output"
)

// DiffCommand makes the command that compares a part of services with a file.
func DiffCommand(s command.Env, part editing.Part) *cobra.Command {
	var file string
	var exact bool
	more := ""
	if part == editing.Placement {
		more = " As in\nplacement apply, only the rules count, of the deployments that FILE names."
	}
	cmd := &cobra.Command{
		Use:   "diff [FOLDER/]NAME.TYPE... -f FILE",
		Short: "Compare a " + part.String() + " in a file with what the site has; exit 1 if different",
		Long: `Compare a ` + part.String() + ` in a file with what one or several services have.

The order of keys and white space do not count, nor how a value is written: 1000 and
1000.0 are the same, unless --exact.` + more + ` To compare a whole folder of files:
geodeck diff. Exit codes: 0 no difference; 1 differences; 2 or more: they could not be
compared.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return diff(cmd.Context(), s, part, args, file, exact) },
	}
	cmd.Flags().StringVarP(&file, "file", "f", "", "file with the "+part.String()+"; - is the standard input")
	cmd.Flags().BoolVar(&exact, "exact", false, "values that are written in another way are different")
	return cmd
}

func diff(ctx context.Context, s command.Env, part editing.Part, names []string, file string, exact bool) error {
	services, err := ServicesNamed(names)
	if err != nil {
		return err
	}
	given, err := DocumentFrom(ctx, s.In, "file", file, part)
	if err != nil {
		return err
	}
	site, err := s.Session.Site(ctx)
	if err != nil {
		return err
	}
	var compared []batching.PlannedEdit
	for _, service := range services {
		target := editing.Target{Service: service, Part: part}
		now, err := ReadToEdit(ctx, site, target)
		if err != nil {
			return s.OrNotThere(ctx, site, service, err)
		}
		edit := editing.Edit{Target: target, Base: now.Document, Edited: given}
		if part == editing.Placement {
			if edit.Edited, err = editing.PolicyOnto(now.Document, given.Bytes()); err != nil {
				return exit.BadInput("What the site has: "+commandOn(target, "get"), err)
			}
		}
		if !exact {
			changes := document.ByMeaning(document.Diff(edit.Base, edit.Edited))
			if edit.Edited, err = edit.Base.Apply(changes); err != nil {
				return err
			}
		}
		compared = append(compared, Planned(site, edit))
	}
	return printDiff(s, compared)
}

// printDiff prints what differs in each, and fails where something does.
func printDiff(s command.Env, compared []batching.PlannedEdit) error {
	var err error
	if s.Out.JSON() {
		err = output.PrintList(s.Out, lists.Each(compared, ReviewOf))
	}
	n := 0
	for _, e := range compared {
		n += len(e.Plan.Changes)
		if err == nil && !s.Out.JSON() && len(e.Plan.Changes) > 0 {
			err = PrintReview(s.Out, e)
		}
	}
	if err != nil || n == 0 {
		return err
	}
	f := exit.NotPassed("", plain.Plural(n, "difference"))
	f.Printed = s.Out.JSON()
	return f
}
