package operation

import (
	"context"
	"path/filepath"
	"slices"

	"geodeck/adminapi"
)

// ImportManifest checks a version manifest here and gives it to a site that has
// no internet. It returns what the file offers.
func (s Site) ImportManifest(ctx context.Context, path string) (adminapi.Manifest, adminapi.Outcome, error) {
	content, manifest, err := ReadManifestFile(path)
	if err != nil {
		return adminapi.Manifest{}, adminapi.OutcomeNotSent, err
	}
	claim, err := s.claim(ctx, adminapi.TargetSite, filepath.Base(path))
	if err == nil {
		defer claim.release()
		err = claim.use()
	}
	if err != nil {
		return adminapi.Manifest{}, adminapi.OutcomeNotSent, err
	}
	outcome, err := s.Client.ImportManifest(ctx, adminapi.Part{FileName: filepath.Base(path), File: true, Content: content})
	return manifest, outcome, err
}

// FindImport looks for half a minute what became of an import of which that is not
// known. It only reads. Unknown comes with what is seen instead.
func (s Site) FindImport(ctx context.Context) Settled {
	var found Settled
	if s.Journal == nil {
		return found
	}
	open, err := s.Journal.OpenOn(adminapi.TargetSite)
	at := slices.IndexFunc(open, endsIn("/importManifest"))
	if err != nil || at < 0 {
		return found
	}
	until := s.Clock.Now().Add(searchTime + searchPause)
	found, _ = Wait(ctx, s.Clock, pollFunc[Settled](func(ctx context.Context) (Step[Settled], error) {
		found, err := s.Settle(ctx, open[at])
		return Step[Settled]{Value: found, Wait: searchPause, Done: found.Outcome != adminapi.OutcomeUnknown || !s.Clock.Now().Before(until)}, err
	}), nil)
	return found
}
