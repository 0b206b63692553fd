package operation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"geodeck/adminapi"
	"geodeck/adminapi/upgrade"
	"geodeck/adminapi/upgrade/progress"
)

// ErrSettingsChanged says that the site asks for other settings than the ones
// that were reviewed. Nothing was sent.
var ErrSettingsChanged = errors.New("the site asks for other settings than before")

// PlanUpgradeParts returns the parts of the request without sending or uploading
// anything: what a review and a dry run show.
func (s Site) PlanUpgradeParts(ask UpgradeAsk) ([]adminapi.Part, error) {
	return ask.parts(upgrade.PendingUploads(ask.Answers))
}

// StartUpgrade uploads the files, looks once more whether anything runs, and
// sends the upgrade once. The right to do so ends with its return: where the outcome is
// unknown, the record keeps the next one from being sent. Outcome done and unknown return the run: to watch, or
// to find out with [UpgradeRun.Find]. It never sends a second time.
//
// Not sent: [ErrUnsettled] and [ErrBusyHere], ErrSettingsChanged, ErrUpgradeRuns (with [RunningError]), a file
// that is not good any more, an upload that failed.
func (s Site) StartUpgrade(ctx context.Context, ask UpgradeAsk, report func(UpgradeProgress)) (*UpgradeRun, adminapi.Outcome, error) {
	if report == nil {
		report = func(UpgradeProgress) {}
	}
	sent := SentUpgrade{Version: ask.Target.FullVersion(), Subject: subjectOf(ask.Target), Target: ask.Target.Raw}
	claim, err := s.claim(ctx, adminapi.TargetSite, sent.Subject)
	if err != nil {
		return nil, adminapi.OutcomeNotSent, err
	}
	defer claim.release()
	uploads, err := s.prepareUpgrade(ctx, ask, report)
	var parts []adminapi.Part
	if err == nil {
		parts, err = ask.parts(uploads)
	}
	if err != nil {
		s.dropUploads(ctx, uploads)
		return nil, adminapi.OutcomeNotSent, s.orRunning(ctx, err)
	}
	sent.Parts = upgrade.Describe(parts)
	return s.launch(ctx, claim, report, sent, uploads, func(ctx context.Context) (adminapi.UpgradeStatus, adminapi.Outcome, error) {
		return s.Client.StartUpgrade(ctx, parts)
	})
}

// subjectOf is what a person types of an update: its version, its id where it has none.
func subjectOf(u adminapi.Update) string { return cmp.Or(u.FullVersion(), u.ID) }

// orRunning looks behind a refusal before the post: the resources below Upgrades
// are closed while an upgrade runs, and that is what the user has to hear.
func (s Site) orRunning(ctx context.Context, err error) error {
	if !errors.Is(err, adminapi.KindBusy) {
		return err
	}
	if status, look := s.Client.UpgradeStatus(ctx); look == nil && progress.Runs(status) {
		return &RunningError{Status: status}
	}
	return err
}

// StartRollback takes back the newest patch. Releases cannot be taken back.
// Outcomes and errors are those of StartUpgrade.
func (s Site) StartRollback(ctx context.Context, patch adminapi.Update) (*UpgradeRun, adminapi.Outcome, error) {
	sent := SentUpgrade{Subject: subjectOf(patch), Parts: []upgrade.Shown{{Name: "versionManifest", Text: patch.ID}}}
	claim, err := s.claim(ctx, adminapi.TargetSite, sent.Subject)
	if err != nil {
		return nil, adminapi.OutcomeNotSent, err
	}
	defer claim.release()
	return s.launch(ctx, claim, func(UpgradeProgress) {}, sent, nil, func(ctx context.Context) (adminapi.UpgradeStatus, adminapi.Outcome, error) {
		return s.Client.Rollback(ctx, patch.ID)
	})
}

// prepareUpgrade does all that has to be done before the one post. It returns the
// ids of what was uploaded, also where it fails on the way.
func (s Site) prepareUpgrade(ctx context.Context, ask UpgradeAsk, report func(UpgradeProgress)) (map[string]string, error) {
	if upgrade.StyleOf(ask.Target) == upgrade.Old {
		return nil, nil
	}
	report(UpgradeProgress{Step: StepReread})
	now, err := s.Client.UpgradeSettings(ctx, ask.Target.ID)
	if err != nil {
		return nil, err
	}
	if changed := upgrade.SettingsChanged(ask.Settings, now); len(changed) > 0 {
		return nil, fmt.Errorf("%w: %s", ErrSettingsChanged, strings.Join(changed, ", "))
	}
	return s.uploadAnswers(ctx, ask, report)
}

// parts reads the files of the old style and puts the request together.
func (a UpgradeAsk) parts(uploads map[string]string) ([]adminapi.Part, error) {
	request := upgrade.Request{Target: a.Target, LatestPatch: a.LatestPatch}
	var err error
	if a.ManifestPath != "" {
		request.ManifestName = filepath.Base(a.ManifestPath)
		if request.Manifest, _, err = ReadManifestFile(a.ManifestPath); err != nil {
			return nil, err
		}
	}
	if upgrade.StyleOf(a.Target) == upgrade.New {
		if request.Settings, err = upgrade.Fill(a.Settings, a.Answers, uploads); err != nil {
			return nil, err
		}
		return upgrade.Parts(request)
	}
	if a.LicencePath != "" {
		request.LicenceName = filepath.Base(a.LicencePath)
		if request.Licence, err = ReadAnswerFile(a.LicencePath, upgrade.LicenceField()); err != nil {
			return nil, err
		}
	}
	return upgrade.Parts(request)
}
