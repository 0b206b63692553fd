package operation

import (
	"context"
	"sync"

	"geodeck/adminapi"
	"geodeck/adminapi/upgrade"
	"geodeck/adminapi/upgrade/progress"
)

// Offer is what a site offers to install, and where it stands. While an upgrade
// runs the offers cannot be read, and are empty.
type Offer struct {
	Status    adminapi.UpgradeStatus
	Installed upgrade.Installed
	Current   *adminapi.Update // nil where the site does not tell
	Manifest  adminapi.Manifest
	Chain     upgrade.Chain
}

// Running tells whether an upgrade ran when the offer was read.
func (o Offer) Running() bool { return progress.Runs(o.Status) }

// Offers reads what can be installed. The Upgrades resource is read first: while
// an upgrade runs, none of the resources below it is asked.
func (s Site) Offers(ctx context.Context) (Offer, error) {
	status, err := s.Client.UpgradeStatus(ctx)
	if err != nil {
		return Offer{}, err
	}
	offer := Offer{Status: status}
	if offer.Running() {
		return offer, nil
	}
	var reads sync.WaitGroup
	var root adminapi.Root
	var current adminapi.Update
	var currentErr, manifestErr error
	reads.Go(func() { root, _ = s.Client.Root(ctx) })
	reads.Go(func() { current, _, currentErr = s.Client.CurrentVersion(ctx) })
	reads.Go(func() { offer.Manifest, manifestErr = s.Client.Available(ctx) })
	reads.Wait()
	if manifestErr != nil {
		return Offer{Status: status}, manifestErr
	}
	if currentErr == nil {
		offer.Current = &current
	}
	offer.Installed = upgrade.InstalledFrom(root.FullVersion, offer.Current)
	offer.Chain = upgrade.Plan(offer.Manifest, offer.Installed)
	return offer, nil
}
