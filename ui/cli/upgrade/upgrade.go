// Package upgrade has the commands of "geodeck upgrade": what can be installed, its checks, the
// start, the watch, and what is known of earlier ones.
//
// Start at [Command]; start.go and rollback.go send, each with the request of request.go.
package upgrade

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"geodeck/adminapi/lists"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/cli/command"
	"geodeck/ui/cli/exit"
	"geodeck/ui/cli/output"
)

// commands are the commands of "geodeck upgrade".
type commands struct {
	command.Env
	alarms *command.Alarms
	nodes  *command.Nodes // for explanations
}

// Command makes "geodeck upgrade".
func Command(s command.Env, alarms *command.Alarms, nodes *command.Nodes) *cobra.Command {
	u := commands{s, alarms, nodes}
	return command.Group("upgrade", "See what can be installed, check it, start it, roll a patch back",
		u.availableCommand(), u.planCommand(), u.settingsCommand(), u.startCommand(),
		u.watchCommand(), u.evidenceCommand(), u.transcriptsCommand(), u.statusCommand(), u.explainCommand(),
		command.Verb("history", "List what is installed, and past upgrades and rollbacks", cobra.NoArgs, u.OnSite(u.history)),
		u.rollbackCommand(), u.importCommand())
}

// upgradeRuns refuses an operation that cannot be done while an upgrade is running.
func upgradeRuns(operation, why string) error {
	f := exit.Refusal(command.KindUpgradeRuns, command.AdviceStatus, errors.New(why))
	f.Operation = operation
	return f
}

// requireNoUpgrade fails while an upgrade is running: the resources below the Upgrades
// resource are not read then.
func requireNoUpgrade(ctx context.Context, site operation.Site, operation, what string) error {
	status, err := site.Client.Upgrades.Status(ctx)
	if err == nil && progress.Runs(status) {
		err = upgradeRuns(operation, "an upgrade is running; "+what)
	}
	return err
}

// readOffer reads what can be installed, including what a manifest file offers if one is
// given. A running upgrade is no error here.
func readOffer(ctx context.Context, site operation.Site, manifestPath string) (operation.Offer, error) {
	if manifestPath != "" {
		if _, _, err := operation.ReadManifestFile(manifestPath); err != nil {
			return operation.Offer{}, exit.BadInputf("--manifest-file: %w", err)
		}
	}
	return site.OffersWith(ctx, manifestPath)
}

// readOfferNow is readOffer for what cannot be read while an upgrade is running.
func readOfferNow(ctx context.Context, site operation.Site, manifestPath, what string) (operation.Offer, error) {
	offer, err := readOffer(ctx, site, manifestPath)
	if err == nil && offer.Running() {
		err = upgradeRuns("read "+what, "an upgrade is running; "+what+" can be read when it has ended")
	}
	return offer, err
}

// entryOf finds an offered update.
func entryOf(offer operation.Offer, id string) (upgrade.Entry, error) {
	entry, found := offer.Chain.Find(id)
	if !found {
		known := lists.Each(offer.Chain.Entries, func(e upgrade.Entry) string { return e.ID })
		return entry, exit.BadInput(cmp.Or(command.Meant(id, known), "Available updates: {command:upgrade available}"),
			fmt.Errorf("no update with the id %q is offered", plain.Clip(id, 100)))
	}
	entry.Place = placeOf(offer, entry)
	return entry, nil
}

func (u commands) settingsCommand() *cobra.Command {
	var manifest string
	cmd := &cobra.Command{
		Use:   "settings ID",
		Short: "Print the settings that the site asks for before an upgrade, as JSON to fill in",
		Long: `Print the settings that the site asks for before an upgrade, as JSON to fill in.

Change the "value" of settings, then: geodeck upgrade start ID --settings FILE. You need
not fill in the licence: give its file with --license. With --manifest-file, an update
that the site does not know has the settings of that file.`,
		Example: "  geodeck upgrade settings rel_11122025_7286 > settings.json",
		Args:    cobra.ExactArgs(1),
		RunE: u.OnSite(func(ctx context.Context, site operation.Site, id string) error {
			return u.settings(ctx, site, id, manifest)
		}),
	}
	cmd.Flags().StringVar(&manifest, "manifest-file", "", "version manifest that goes along with the upgrade")
	return cmd
}

func (u commands) settings(ctx context.Context, site operation.Site, id, manifest string) error {
	offer, err := readOfferNow(ctx, site, manifest, "settings")
	if err != nil {
		return err
	}
	entry, err := entryOf(offer, id)
	if err != nil {
		return err
	}
	if upgrade.StyleOf(entry.Update) == upgrade.Old {
		u.Out.Note("an upgrade to " + entry.Version + " has no settings to fill in: it takes --license and --latest-patch")
		return u.Out.PrintEditable(jsontext.Value("{}"))
	}
	settings, err := site.UpgradeSettings(ctx, operation.UpgradeRequest{Target: entry.Update, ManifestPath: manifest})
	if err != nil {
		return err
	}
	if settings.OfFile {
		u.Out.Note("the site does not know the update: its settings are those of the file")
	}
	return u.Out.PrintEditable(settings.Raw)
}

// Shapes are what these commands print as objects of ours.
func Shapes() output.Shapes {
	return output.Shapes{
		"upgrade available":       {[]offeredJSON{}},
		"upgrade evidence":        {evidenceJSON{}},
		"upgrade explain":         {command.ExplanationJSON{}},
		"upgrade history":         {historyJSON{}},
		"upgrade import-manifest": {importedJSON{}, command.DryRunJSON{}},
		"upgrade plan":            {planJSON{}},
		"upgrade rollback":        {startedJSON{}, dryRunJSON{}},
		"upgrade start":           {startedJSON{}, dryRunJSON{}},
		"upgrade status":          {statusNow{}},
		"upgrade transcripts":     {[]transcriptJSON{}, savedJSON{}, messageLine{}, stateLine{}},
		"upgrade watch":           {messageLine{}, stateLine{}, estimateLine{}},
	}
}
