package operation

import (
	"context"
	"path/filepath"
	"slices"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/parallel"
	"geodeck/adminapi/upgrade"
	"geodeck/adminapi/upgrade/progress"
)

// Offer is what a site has installed and offers to install. While an upgrade runs the site
// makes no offers.
type Offer struct {
	Status    adminapi.UpgradeStatus
	Installed upgrade.Installed
	Manifest  adminapi.Manifest
	Chain     upgrade.Chain
	File      string          // path of the manifest file that adds its updates; empty for none
	FailedBy  adminapi.Millis // when a watch saw that the last run had failed; zero where none did
}

// Running reports whether an upgrade ran when the offer was fetched.
func (o Offer) Running() bool { return progress.Runs(o.Status) }

// Failed returns the last run of the site, and reports whether it has failed.
func (o Offer) Failed() (progress.Run, bool) {
	return progress.LastRun(o.Status), progress.StateOf(o.Status) == progress.StateFailed
}

// Blocked reports whether the last run keeps an update that applies from being started, and what can follow
// that run.
func (o Offer) Blocked(e upgrade.Entry) (only string, blocked bool) {
	only, blocked = upgrade.OnlyAfter(o.Status, e.Update)
	return only, blocked && e.State == upgrade.Applicable
}

// Recommend returns the id of the update to install next, and why. After a failed run none is:
// it may fail for the same reason.
func (o Offer) Recommend() (id, why string) {
	if _, failed := o.Failed(); failed {
		return "", ""
	}
	return o.Chain.Recommend()
}

// Offers fetches what can be installed. It fetches the Upgrades resource first: while an
// upgrade runs, those below it are closed.
func (s Site) Offers(ctx context.Context) (Offer, error) {
	status, err := s.Client.Upgrades.Status(ctx)
	if err != nil {
		return Offer{}, err
	}
	offer := Offer{Status: status}
	if offer.Running() {
		return offer, nil
	}
	if run, failed := offer.Failed(); failed {
		offer.FailedBy = s.Memory.FailedBy(run.Began)
	}
	var reads parallel.Group
	reads.Go(func() { offer.Installed = s.version(ctx) })
	reads.Go(func() { offer.Manifest, err = s.Client.Upgrades.Available(ctx) })
	reads.Wait()
	if err != nil {
		return Offer{Status: status}, err
	}
	offer.Chain = upgrade.Plan(offer.Manifest, offer.Installed)
	return offer, nil
}

// OffersWith is Offers with the updates of a manifest file, whose path may be empty.
func (s Site) OffersWith(ctx context.Context, manifestPath string) (Offer, error) {
	var file adminapi.Manifest
	if manifestPath != "" {
		var err error
		if _, file, err = readManifest(s.files(), manifestPath); err != nil {
			return Offer{}, err
		}
	}
	offer, err := s.Offers(ctx)
	if err != nil || offer.Running() || manifestPath == "" {
		return offer, err
	}
	offer.File = manifestPath
	return offer.WithManifest(file), nil
}

// version reads what the site runs; what cannot be read stays unknown.
func (s Site) version(ctx context.Context) upgrade.Installed {
	var reads parallel.Group
	var root adminapi.Root
	var current *adminapi.Update
	reads.Go(func() { root, _ = s.Client.Root(ctx) })
	reads.Go(func() {
		if now, err := s.Client.Upgrades.Current(ctx); err == nil {
			current = &now
		}
	})
	reads.Wait()
	return upgrade.InstalledFrom(root.FullVersion, current)
}

// WithManifest adds the updates of a manifest file, for sites without internet. Of an update
// in both, that of the file counts, as it does at the site.
func (o Offer) WithManifest(file adminapi.Manifest) Offer {
	known := idsOf(file)
	o.Manifest = adminapi.Manifest{
		Patches:  joined(file.Patches, o.Manifest.Patches, known),
		Releases: joined(file.Releases, o.Manifest.Releases, known),
		Unknown:  o.Manifest.Unknown,
	}
	o.Chain = upgrade.Plan(o.Manifest, o.Installed)
	return o
}

// joined returns the updates of the file, then those of the site that it does not know.
func joined(file, site []adminapi.Update, known map[string]bool) []adminapi.Update {
	site = slices.DeleteFunc(slices.Clone(site), func(u adminapi.Update) bool { return known[u.ID] })
	return slices.Concat(file, site)
}

// ManifestImport is the change that imports the version manifest of a file, named by its path.
type ManifestImport string

// Prepare returns it as it would be sent; a file that is no manifest is an error of its requests.
func (m ManifestImport) Prepare(s Site) Prepared {
	return Prepared{Kind: adminapi.WriteManifest, Target: adminapi.TargetSite, Subject: filepath.Base(string(m)), What: "import the manifest"}.
		of(CommandLine{Words: []string{"upgrade", "import-manifest"}, Args: []string{WholePath(string(m))}}, func(ctx context.Context) (adminapi.Request, error) {
			file, _, err := manifestPart(s.files(), string(m))
			if err != nil {
				return adminapi.Request{}, err
			}
			return s.Client.Preview(ctx, adminapi.ImportOf(file))
		})
}

// ImportManifest checks the version manifest of a file and sends it to a site that has no
// internet. It returns the manifest. Where the answer is lost, lost is told, and the outcome is
// searched for: it may stay unknown.
func (s Site) ImportManifest(ctx context.Context, m ManifestImport, lost func(error)) (adminapi.Manifest, Result) {
	p := m.Prepare(s)
	file, manifest, err := manifestPart(s.files(), string(m))
	if err != nil {
		return adminapi.Manifest{}, p.Result(adminapi.OutcomeNotSent, err)
	}
	one, result := s.send(ctx, p, nil, func(ctx context.Context) (adminapi.Outcome, error) {
		return s.Client.Upgrades.ImportManifest(ctx, file)
	})
	defer one.release()
	return manifest, s.find(ctx, one.record, s.lookForManifest(one.record, &manifest), result, lost).ended()
}

// manifestPart reads a manifest as it is sent.
func manifestPart(files Files, path string) (adminapi.Part, adminapi.Manifest, error) {
	content, manifest, err := readManifest(files, path)
	return adminapi.Part{FileName: filepath.Base(path), File: true, Content: content}, manifest, err
}

// lookForManifest looks for an import by the time of the last one, and by what the site offers since, where the file is
// known: nil where it is not. Somebody else may have imported another one.
func (s Site) lookForManifest(r journal.Record, file *adminapi.Manifest) look {
	if r.Server.IsZero() {
		return timeless
	}
	return func(ctx context.Context, _ bool) (Resolution, error) {
		status, err := s.Client.Upgrades.ManifestStatus(ctx)
		switch {
		case err != nil:
			return Resolution{}, err
		case status.LastImported > r.Server+maxApart:
			return Resolution{How: "the site reports a later import; it may not be this one"}, nil
		case status.LastImported < r.Server-ClockSlack:
			return Resolution{How: "the site reports no import since", Shows: ShowsUnchanged}, nil
		case file != nil:
			offered, err := s.Client.Upgrades.Available(ctx)
			if err != nil {
				return Resolution{}, err
			}
			if !hasAllOf(*file, offered) {
				return Resolution{How: "the site reports an import since, and offers what is not in this file", Shows: ShowsOther}, nil
			}
		}
		return Resolution{Outcome: adminapi.OutcomeDone, How: "the site reports an import since"}, nil
	}
}

// hasAllOf reports whether a manifest has every update of another one.
func hasAllOf(file, offered adminapi.Manifest) bool {
	known := idsOf(file)
	for id := range idsOf(offered) {
		if !known[id] {
			return false
		}
	}
	return true
}

func idsOf(m adminapi.Manifest) map[string]bool {
	ids := map[string]bool{}
	for _, u := range slices.Concat(m.Patches, m.Releases) {
		ids[u.ID] = true
	}
	return ids
}
