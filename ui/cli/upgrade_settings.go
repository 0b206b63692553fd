package cli

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"geodeck/adminapi/upgrade"
)

func (p *program) upgradeSettingsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "settings ID",
		Short: "Print what the site wants to know before an upgrade, as the JSON to fill in",
		Long: `Print what the site wants to know before an upgrade, as the JSON to fill in.

Change the "value" of settings and give the file to: geodeck upgrade start ID
--settings FILE. A file such as the licence need not be filled in here: give it
with --license.`,
		Example: "  geodeck upgrade settings rel_11122025_7286 > settings.json",
		Args:    cobra.ExactArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return p.upgradeSettings(cmd.Context(), args[0]) },
	}
}

func (p *program) upgradeSettings(ctx context.Context, id string) error {
	site, err := p.connect()
	if err != nil {
		return err
	}
	offer, err := offeredNow(ctx, site, "settings")
	if err != nil {
		return err
	}
	entry, err := entryOf(offer, id)
	if err != nil {
		return err
	}
	if upgrade.StyleOf(entry.Update) == upgrade.Old {
		p.note("an upgrade to " + entry.Version + " has no settings to fill in: it takes --license and --latest-patch")
		return p.printWhole(jsontext.Value("{}"))
	}
	settings, err := site.UpgradeSettings(ctx, entry.Update)
	if err != nil {
		return err
	}
	return p.printWhole(settings.Raw)
}

// printWhole prints JSON in lines that people can edit, unless asked for one line.
func (p *program) printWhole(raw jsontext.Value) error {
	if p.flags.output == outputTable {
		p.flags.output = outputJSON
	}
	return p.printRaw(raw)
}
