package operation

import (
	"context"
	"path/filepath"

	"geodeck/adminapi"
)

// ImportManifest checks a version manifest here and gives it to a site that has
// no internet. It returns what the file offers.
func (s Site) ImportManifest(ctx context.Context, path string) (adminapi.Manifest, adminapi.Outcome, error) {
	content, manifest, err := ReadManifestFile(path)
	if err != nil {
		return adminapi.Manifest{}, adminapi.OutcomeNotSent, err
	}
	release, err := s.claim(ctx, adminapi.TargetSite, filepath.Base(path))
	if err != nil {
		return adminapi.Manifest{}, adminapi.OutcomeNotSent, err
	}
	defer release()
	outcome, err := s.Client.ImportManifest(ctx, adminapi.Part{FileName: filepath.Base(path), File: true, Content: content})
	return manifest, outcome, err
}
