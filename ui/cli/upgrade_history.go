package cli

import (
	"cmp"
	"context"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"geodeck/adminapi"
)

func (p *program) upgradeHistoryCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "history",
		Short: "List what is installed, and the upgrades and rollbacks of the past",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return p.upgradeHistory(cmd.Context()) },
	}
}

// pastUpgrades is what upgrade history prints as JSON: objects of the server.
type pastUpgrades struct {
	Installed []jsontext.Value `json:"installed"`
	History   []jsontext.Value `json:"history"`
}

func (p *program) upgradeHistory(ctx context.Context) error {
	site, err := p.connect()
	if err != nil {
		return err
	}
	if err := quiet(ctx, site, "the history can be read when it has ended"); err != nil {
		return err
	}
	installed, err := site.Client.Installed(ctx)
	if err != nil {
		return err
	}
	history, _, err := site.Client.UpgradeHistory(ctx)
	if err != nil {
		return err
	}
	if !p.json() {
		return p.printHistory(installed, history)
	}
	past := pastUpgrades{Installed: rawUpdates(installed), History: make([]jsontext.Value, len(history))}
	for i, entry := range history {
		past.History[i] = entry.Raw
	}
	return p.printValue(past)
}

func (p *program) printHistory(installed []adminapi.Update, history []adminapi.HistoryEntry) error {
	l := p.appearance()
	rows := make([][]cell, len(installed))
	for i, u := range installed {
		rows[i] = l.words(u.ID, u.FullVersion(), updateType(u), u.Name)
	}
	if err := p.printTable([]string{"INSTALLED", "VERSION", "TYPE", "NAME"}, rows); err != nil {
		return err
	}
	if err := p.say(""); err != nil {
		return err
	}
	if len(history) == 0 {
		return p.say("The site knows of no earlier upgrade.")
	}
	past := make([][]cell, len(history))
	for i, e := range history {
		past[i] = l.words(moment(e.Start.Time()), took(e.Start, e.End), e.Type, e.PreviousVersion, e.Version,
			cmp.Or(e.Result, e.State), e.User, cmp.Or(e.ID, e.Name))
	}
	return p.printTable([]string{"STARTED", "TOOK", "WHAT", "FROM", "TO", "RESULT", "USER", "ID"}, past)
}
