package operation

import (
	"geodeck/adminapi/journal"
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
// secret: they have to be typed again. holder is the draft of another program that
// fills in the same update; this one is kept beside it then.
func (s Site) SaveUpgradeDraft(ask UpgradeAsk) (holder *journal.Draft, err error) {
	return s.Journal.SaveDraft(draftUpgrade, ask.Target.ID, UpgradeDraft{
		Answers: upgrade.WithoutSecrets(ask.Settings, ask.Answers), LicencePath: ask.LicencePath,
		LatestPatch: ask.LatestPatch, ManifestPath: ask.ManifestPath,
	})
}

// LoadUpgradeDraft returns the draft for an update to begin with, and whose it was:
// this program's, else that of one which fills in the same at present, else the
// newest that was left, which this program goes on with. from is nil where there is
// none.
func (s Site) LoadUpgradeDraft(updateID string) (draft UpgradeDraft, from *journal.Draft, err error) {
	drafts, err := s.Journal.Drafts(draftUpgrade, updateID)
	if err != nil || len(drafts) == 0 {
		return draft, nil, err
	}
	first := drafts[0]
	if err := first.Read(&draft); err != nil {
		return UpgradeDraft{}, nil, err
	}
	if first.Life == journal.Ended {
		// Where that fails the draft stays, and is offered again.
		_, _ = s.Journal.TakeDraft(first)
	}
	return draft, &first, nil
}

// DropUpgradeDraft removes this program's draft of an update that was started.
func (s Site) DropUpgradeDraft(updateID string) error {
	return s.Journal.DeleteDraft(draftUpgrade, updateID)
}
