package operation

import (
	"geodeck/adminapi"
	"geodeck/adminapi/upgrade"
)

// WithManifest adds what a manifest file offers, for sites without internet.
// Where both know an update, the file counts, as it does at the site.
func (o Offer) WithManifest(file adminapi.Manifest) Offer {
	known := map[string]bool{}
	for _, list := range [][]adminapi.Update{file.Patches, file.Releases} {
		for _, u := range list {
			known[u.ID] = true
		}
	}
	o.Manifest = adminapi.Manifest{
		Patches:  joined(file.Patches, o.Manifest.Patches, known),
		Releases: joined(file.Releases, o.Manifest.Releases, known),
		Unknown:  o.Manifest.Unknown,
	}
	o.Chain = upgrade.Plan(o.Manifest, o.Installed)
	return o
}

// joined returns the updates of the file and those of the site that it does not
// know, in a list of its own.
func joined(file, site []adminapi.Update, known map[string]bool) []adminapi.Update {
	all := append([]adminapi.Update(nil), file...)
	for _, u := range site {
		if !known[u.ID] {
			all = append(all, u)
		}
	}
	return all
}
