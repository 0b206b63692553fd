package service

import (
	"context"

	"github.com/spf13/cobra"

	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/plain"
	"geodeck/ui/cli/command"
	"geodeck/ui/cli/edits"
	"geodeck/ui/cli/exit"
)

func (s commands) diffCommand() *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "diff [FOLDER/]NAME.TYPE -f FILE",
		Short: "Compare a definition in a file with what the site has",
		Long: `Compare a definition in a file with what the site has.

The order of keys and white space do not count. Exit codes: 0 no difference; 1
differences; 2 or more: they could not be compared.`,
		Args: cobra.ExactArgs(1),
		RunE: command.RunsWith(&file, s.diff),
	}
	cmd.Flags().StringVarP(&file, "file", "f", "", "file with the definition; - is the standard input")
	return cmd
}

func (s commands) diff(ctx context.Context, name, file string) error {
	target, err := edits.TargetNamed(name, editing.Definition)
	if err != nil {
		return err
	}
	edited, err := edits.DocumentFrom(ctx, s.In, "file", file, editing.Definition)
	if err != nil {
		return err
	}
	site, err := s.Session.Site(ctx)
	if err != nil {
		return err
	}
	now, err := edits.ReadToEdit(ctx, site, target)
	if err != nil {
		return s.OrNotThere(ctx, site, target.Service, err)
	}
	edit := edits.Planned(site, editing.Edit{Target: target, Base: now.Document, Edited: edited})
	if s.Out.JSON() {
		err = s.Out.PrintValue(edits.ReviewOf(edit))
	} else if len(edit.Plan.Changes) > 0 {
		err = edits.PrintReview(s.Out, edit)
	}
	if err == nil && len(edit.Plan.Changes) > 0 {
		f := exit.NotPassed("", plain.Plural(len(edit.Plan.Changes), "difference"))
		f.Printed = s.Out.JSON()
		return f
	}
	return err
}
