package cli

import (
	"context"

	"github.com/spf13/cobra"

	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
)

func (p *program) serviceDiffCommand() *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "diff [FOLDER/]NAME.TYPE -f FILE",
		Short: "Compare a definition in a file with what the site has, by meaning",
		Long: `Compare a definition in a file with what the site has, by meaning.

The order of keys and white space do not count. Exit codes: 0 no difference, 1
differences, more than 1 they could not be compared.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return p.serviceDiff(cmd.Context(), args[0], file) },
	}
	cmd.Flags().StringVarP(&file, "file", "f", "", "file with the definition; - is the standard input")
	return cmd
}

func (p *program) serviceDiff(ctx context.Context, name, file string) error {
	service, err := serviceNamed(name)
	if err != nil {
		return err
	}
	edited, err := p.documentFrom("file", file, operation.Definition)
	if err != nil {
		return err
	}
	site, err := p.connect()
	if err != nil {
		return err
	}
	target := operation.DefinitionOf(service)
	now, err := p.readToEdit(ctx, site, target)
	if err != nil {
		return err
	}
	edit := planned(operation.Edit{Target: target, Base: now.Document, Edited: edited})
	if p.json() {
		err = p.printValue(reviewOf(edit))
	} else if len(edit.Plan.Changes) > 0 {
		err = p.printReview(edit)
	}
	if err == nil && len(edit.Plan.Changes) > 0 {
		return notPassed(plain.Plural(len(edit.Plan.Changes), "difference"))
	}
	return err
}
