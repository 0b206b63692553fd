package operation

import (
	"time"

	"geodeck/adminapi/upgrade"
)

// draftUpgrade is the kind of drafts that hold the answers to an upgrade's
// settings; the key is the id of the update.
const draftUpgrade = "upgrade settings"

// UpgradeDraft is what has been filled in for an upgrade so far: paths of files,
// never their content.
type UpgradeDraft struct {
	Answers      upgrade.Answers `json:"answers,omitempty"`
	LicencePath  string          `json:"licencePath,omitempty"`
	LatestPatch  *bool           `json:"latestPatch,omitempty"`
	ManifestPath string          `json:"manifestPath,omitempty"`
}

// SaveUpgradeDraft keeps the answers of ask on disk, without those that hold a
// secret: they have to be typed again.
func (s Site) SaveUpgradeDraft(ask UpgradeAsk) error {
	return s.Journal.SaveDraft(draftUpgrade, ask.Target.ID, UpgradeDraft{
		Answers: upgrade.WithoutSecrets(ask.Settings, ask.Answers), LicencePath: ask.LicencePath,
		LatestPatch: ask.LatestPatch, ManifestPath: ask.ManifestPath,
	})
}

// LoadUpgradeDraft returns the draft for an update and when it was saved.
func (s Site) LoadUpgradeDraft(updateID string) (draft UpgradeDraft, saved time.Time, found bool, err error) {
	saved, found, err = s.Journal.LoadDraft(draftUpgrade, updateID, &draft)
	return draft, saved, found, err
}

// DropUpgradeDraft removes the draft of an update that was started.
func (s Site) DropUpgradeDraft(updateID string) error {
	return s.Journal.DeleteDraft(draftUpgrade, updateID)
}
