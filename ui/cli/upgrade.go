package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade"
	"geodeck/adminapi/upgrade/progress"
)

func (p *program) upgradeCommand() *cobra.Command {
	return group("upgrade", "See what can be installed, check it, start it, take a patch back",
		p.upgradeAvailableCommand(), p.upgradePlanCommand(), p.upgradeSettingsCommand(), p.upgradeStartCommand(),
		p.upgradeWatchCommand(), p.upgradeEvidenceCommand(), p.upgradeTranscriptsCommand(), p.upgradeStatusCommand(), p.upgradeHistoryCommand(), p.upgradeRollbackCommand(), p.upgradeImportCommand())
}

// kindUpgradeRuns is what an error is called that an upgrade is the reason of.
var kindUpgradeRuns = adminapi.KindBusy.String()

const adviceStatus = "See how it goes: geodeck upgrade status"

// upgradeRuns refuses what cannot be done or read while an upgrade runs.
func upgradeRuns(why string) error {
	return &failure{code: exitRefused, kind: kindUpgradeRuns, err: errors.New(why), advice: adviceStatus}
}

// quiet makes sure that no upgrade runs: the resources below the Upgrades
// resource are not asked while one does.
func quiet(ctx context.Context, site operation.Site, what string) error {
	status, err := site.Client.UpgradeStatus(ctx)
	if err == nil && progress.Runs(status) {
		err = upgradeRuns("an upgrade runs; " + what)
	}
	return err
}

// offered reads what can be installed, together with what a manifest file
// offers where one is given. An upgrade that runs is no error here.
func offered(ctx context.Context, site operation.Site, manifestPath string) (operation.Offer, error) {
	if manifestPath == "" {
		return site.Offers(ctx)
	}
	_, file, err := operation.ReadManifestFile(manifestPath)
	if err != nil {
		return operation.Offer{}, badInput("", fmt.Errorf("--manifest-file: %w", err))
	}
	offer, err := site.Offers(ctx)
	if err != nil || offer.Running() {
		return offer, err
	}
	return offer.WithManifest(file), nil
}

// offeredNow is offered for what cannot be read while an upgrade runs.
func offeredNow(ctx context.Context, site operation.Site, what string) (operation.Offer, error) {
	offer, err := site.Offers(ctx)
	if err == nil && offer.Running() {
		err = upgradeRuns("an upgrade runs; " + what + " can be read when it has ended")
	}
	return offer, err
}

// entryOf finds an offered update.
func entryOf(offer operation.Offer, id string) (upgrade.Entry, error) {
	entry, found := offer.Chain.Find(id)
	if !found {
		return entry, badInput("What there is: geodeck upgrade available",
			fmt.Errorf("no update with the id %q is offered", plain.Clip(id, 100)))
	}
	return entry, nil
}
