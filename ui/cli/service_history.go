package cli

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
)

func (p *program) serviceHistoryCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "history [FOLDER/]NAME.TYPE [ID]",
		Short: "List the definitions that were kept before edits, or print one",
		Long: `List the definitions that were kept before edits, or print one.

They are kept on this machine, by every edit from here; the site is not asked.`,
		Example: `  geodeck service history Roads.MapServer
  geodeck service history Roads.MapServer 20261120T140503.000Z-9f2c1a7b > before.json`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(_ *cobra.Command, args []string) error { return p.serviceHistory(args[0], first(args[1:])) },
	}
}

func (p *program) serviceHistory(name, id string) error {
	service, err := serviceNamed(name)
	if err != nil {
		return err
	}
	site, err := p.connectToRemember()
	if err != nil {
		return err
	}
	if id != "" {
		old, err := site.OldContent(operation.DefinitionOf(service), id)
		if err != nil {
			return p.noSuchDefinition(service, err)
		}
		return p.printDefinition(old.Bytes())
	}
	history, err := site.History(operation.DefinitionOf(service))
	if err != nil {
		return err
	}
	if p.json() {
		return printList(p, append([]journal.Backup{}, history...))
	}
	if len(history) == 0 {
		return p.say("No definition of " + service.Path() + " was kept here yet.")
	}
	l := p.appearance()
	rows := make([][]cell, len(history))
	for i, b := range history {
		rows[i] = l.words(b.ID, l.times.Moment(b.Saved), b.Who, strconv.Itoa(b.Bytes), b.Why)
	}
	return p.printTable([]string{"ID", "KEPT", "USER", "BYTES", "WHY"}, rows)
}

// connectToRemember is connect for commands that are about nothing but what this
// machine remembers.
func (p *program) connectToRemember() (operation.Site, error) {
	site, err := p.connect()
	if err != nil {
		return site, err
	}
	if site.Journal, err = p.book.open(); err != nil {
		return site, &failure{code: exitFailed, err: err, kind: "failed", advice: "--state-dir names another folder."}
	}
	return site, nil
}

func (p *program) noSuchDefinition(service adminapi.ServiceRef, err error) error {
	return badInput("What was kept: geodeck service history "+service.Path(), err)
}

func (p *program) serviceRestoreCommand() *cobra.Command {
	var o sendOptions
	cmd := &cobra.Command{
		Use:   "restore [FOLDER/]NAME.TYPE ID",
		Short: "Bring back a definition that was kept before an edit",
		Long: `Bring back a definition that was kept before an edit, whole.

On a terminal lost keys and the last word are asked for.

` + wayOutLong,
		Example: "  geodeck service restore Roads.MapServer 20261120T140503.000Z-9f2c1a7b --dry-run",
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.serviceRestore(cmd.Context(), args[0], args[1], o)
		},
	}
	o.register(cmd)
	return cmd
}

func (p *program) serviceRestore(ctx context.Context, name, id string, o sendOptions) error {
	service, err := serviceNamed(name)
	if err != nil {
		return err
	}
	edit := operation.Edit{Target: operation.DefinitionOf(service), Why: "restoring " + id}
	if edit.AllowLost, err = pathsOf("allow-lost", o.allowLost); err != nil {
		return err
	}
	site, err := p.connectToWrite()
	if err != nil {
		return err
	}
	if edit.Edited, err = site.OldContent(edit.Target, id); err != nil {
		return p.noSuchDefinition(edit.Service, err)
	}
	now, err := p.readDefinition(ctx, site, edit.Service)
	if err != nil {
		return err
	}
	edit.Base = now.Document
	var agree func(*operation.Edit) error
	if person := p.person(); person != nil {
		agree = func(edit *operation.Edit) error { return person.agree(ctx, edit) }
	}
	return p.wayOut(ctx, site, edit, o.dryRun, agree)
}
