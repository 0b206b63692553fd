package operation

import (
	"context"
	"strings"
	"sync"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/upgrade"
)

// UpgradeRequest is what somebody has chosen: the target and everything that goes
// with it. Files are named, not held.
type UpgradeRequest struct {
	Target      adminapi.Update
	Settings    adminapi.UpgradeSettings // new style: as the site gave them
	Answers     upgrade.Answers          // new style
	LicencePath string                   // old style
	LatestPatch *bool                    // old style: nil leaves it to the site
	// ToAnswer tells that the settings are still to be filled in: what is missing
	// does not block the pre-flight yet.
	ToAnswer bool
	// ManifestPath is a version manifest to send along, for sites without
	// internet; empty sends the part empty.
	ManifestPath string
}

// Sentence says what the upgrade will do, the latest patch included where it was
// asked for.
func (a UpgradeRequest) Sentence(offer Offer) string {
	sentence := upgrade.Sentence(a.Target, offer.Installed, offer.Chain)
	if !a.toLatestPatch() {
		return sentence
	}
	return strings.TrimSpace(sentence + " " + upgrade.LatestPatchSentence(a.Target, offer.Chain))
}

// toLatestPatch reports whether the upgrade goes on to the latest patch, as far as
// that is asked: what the site does by itself is not known in the old style.
func (a UpgradeRequest) toLatestPatch() bool {
	if upgrade.StyleOf(a.Target) == upgrade.Old {
		return a.LatestPatch != nil && *a.LatestPatch
	}
	return upgrade.LatestPatch(a.Settings, a.Answers)
}

// UpgradeSettings reads what the site wants to know before an upgrade. An
// upgrade of the old style is not asked about: it has no settings.
func (s Site) UpgradeSettings(ctx context.Context, target adminapi.Update) (adminapi.UpgradeSettings, error) {
	if upgrade.StyleOf(target) == upgrade.Old {
		return adminapi.UpgradeSettings{}, nil
	}
	return s.Client.UpgradeSettings(ctx, target.ID)
}

// checkFiles checks every file that the answers name.
func (a UpgradeRequest) checkFiles(files Files) map[string]error {
	checked := map[string]error{}
	for _, field := range upgrade.Form(a.Settings) {
		if answer := a.Answers[field.ID]; field.Kind == upgrade.File && answer.Path != "" {
			_, err := readAnswer(files, answer.Path, field)
			checked[field.ID] = err
		}
	}
	return checked
}

// UpgradeFacts reads all that the pre-flight weighs, at the same time. What
// cannot be read is not known, and no error here.
func (s Site) UpgradeFacts(ctx context.Context, offer Offer, request UpgradeRequest) upgrade.Facts {
	facts := upgrade.Facts{
		Target: request.Target, Installed: offer.Installed, Chain: upgrade.Known(offer.Chain),
		Answers: request.Answers, Settings: upgrade.Known(request.Settings), ToAnswer: request.ToAnswer,
	}
	var reads sync.WaitGroup
	reads.Go(func() { facts.Status = upgrade.FactOf(s.Client.UpgradeStatus(ctx)) })
	reads.Go(func() { facts.Mode = upgrade.FactOf(s.Client.Mode(ctx)) })
	reads.Go(func() { facts.Report = upgrade.FactOf(preflight{s}.lastReport(ctx)) })
	reads.Go(func() { facts.Backup = upgrade.FactOf(preflight{s}.lastBackup(ctx)) })
	reads.Go(func() { facts.Caller = upgrade.FactOf(preflight{s}.caller(ctx)) })
	reads.Go(func() {
		config, err := s.Client.UpgradeConfig(ctx)
		facts.Placement = upgrade.FactOf(config.PodPlacement, err)
	})
	reads.Go(func() { facts.Files = request.checkFiles(s.files()) })
	reads.Wait()
	preflight{s}.addLicence(&facts, request)
	preflight{s}.addClock(&facts)
	return facts
}

// preflight reads what is weighed before an upgrade.
type preflight struct{ Site }

// addLicence says whether a licence of the old style is given and good.
func (s preflight) addLicence(facts *upgrade.Facts, request UpgradeRequest) {
	if request.LicencePath == "" {
		return
	}
	facts.Licence = true
	_, facts.LicenceErr = readAnswer(s.files(), request.LicencePath, upgrade.LicenceField())
}

func (s preflight) addClock(facts *upgrade.Facts) {
	facts.Now = adminapi.MillisOf(s.serverNow())
	if ahead, known := s.Client.ServerTime(); known {
		facts.ClockAhead = upgrade.Known[time.Duration](ahead)
	}
}

// lastReport finds the newest report that has ended and reads it: its own word
// is not enough, for a report can contradict itself.
func (s preflight) lastReport(ctx context.Context) (upgrade.LastReport, error) {
	reports, err := s.AllReports(ctx)
	if err != nil {
		return upgrade.LastReport{}, err
	}
	for _, summary := range reports {
		if summary.EndTime.IsZero() {
			continue
		}
		report, err := s.Client.Report(ctx, summary.ID)
		if err != nil {
			return upgrade.LastReport{}, err
		}
		verdict := health.Overall(report)
		return upgrade.LastReport{
			Found: true, ID: report.ID, Name: report.Name,
			Verdict: verdict.String(), Good: verdict.Good(), Ended: report.EndTime,
		}, nil
	}
	return upgrade.LastReport{}, nil
}

// lastBackup finds the newest completed backup over all stores.
func (s preflight) lastBackup(ctx context.Context) (upgrade.LastBackup, error) {
	stores, err := s.Client.BackupStores(ctx)
	if err != nil {
		return upgrade.LastBackup{}, err
	}
	var last upgrade.LastBackup
	for _, store := range stores {
		backups, err := s.Client.Backups(ctx, store.Name)
		if err != nil {
			return upgrade.LastBackup{}, err
		}
		for _, b := range backups {
			if ended := max(b.Start, b.End); b.Status == adminapi.BackupCompleted && ended >= last.Ended {
				last = upgrade.LastBackup{Found: true, Name: b.Name, Store: store.Name, Ended: ended}
			}
		}
	}
	return last, nil
}

func (s preflight) caller(ctx context.Context) (upgrade.Caller, error) {
	self, err := s.Client.Self(ctx)
	return upgrade.Caller{Username: self.Username, Role: self.Role, Privileges: self.Privileges}, err
}

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

// SaveUpgradeDraft keeps the answers of a request on disk, without those that hold a
// secret: they have to be typed again. holder is the draft of another program that
// fills in the same update; this one is kept beside it then.
func (s Memory) SaveUpgradeDraft(request UpgradeRequest) (holder *journal.Draft, err error) {
	return s.Journal.SaveDraft(draftUpgrade, request.Target.ID, UpgradeDraft{
		Answers: upgrade.WithoutSecrets(request.Settings, request.Answers), LicencePath: request.LicencePath,
		LatestPatch: request.LatestPatch, ManifestPath: request.ManifestPath,
	})
}

// LoadUpgradeDraft returns the draft for an update to begin with, and whose it was:
// this program's, else that of one which fills in the same at present, else the
// newest that was left, which this program goes on with. from is nil where there is
// none.
func (s Memory) LoadUpgradeDraft(updateID string) (draft UpgradeDraft, from *journal.Draft, err error) {
	drafts, err := s.Journal.Drafts(draftUpgrade, updateID)
	if err != nil || len(drafts) == 0 {
		return draft, nil, err
	}
	first := drafts[0]
	if err := first.Read(&draft); err != nil {
		return UpgradeDraft{}, nil, err
	}
	if first.Liveness == journal.Ended {
		// Where that fails the draft stays, and is offered again.
		_, _ = s.Journal.TakeDraft(first)
	}
	return draft, &first, nil
}

// DeleteUpgradeDraft removes this program's draft of an update that was started.
func (s Memory) DeleteUpgradeDraft(updateID string) error {
	return s.Journal.DeleteDraft(draftUpgrade, updateID)
}
