package operation

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"

	"geodeck/adminapi"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/health"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/parallel"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade"
	"geodeck/adminapi/upgrade/progress"
)

// UpgradeRequest is an upgrade that is to be sent: its target and all settings, or a
// rollback, which has none. Files are named, not held.
type UpgradeRequest struct {
	Target      adminapi.Update
	Rollback    *upgrade.Rollback        // that the target stands for in the list; nil for an upgrade
	Settings    adminapi.UpgradeSettings // new style: as fetched
	Unread      bool                     // the settings could not be read: none are sent
	Answers     upgrade.Answers          // new style
	LicencePath string                   // of a licence that no setting asks for, as in the old style
	NoUploads   bool                     // the site takes none: a licence that a setting asks for goes with the request, too
	LatestPatch *bool                    // old style: nil leaves it to the site
	ToAnswer    bool                     // the settings are not filled in yet: missing ones do not block the pre-flight
	// ManifestPath names a version manifest to send along, for sites without internet;
	// empty for none.
	ManifestPath string
	Accepted     []finding.Finding // of the last pre-flight: the record says what they were
}

// Effects says what the upgrade or the rollback does, with the licence that is given; files are those of
// [Site.CheckFiles].
func (a UpgradeRequest) Effects(offer Offer, files map[string]upgrade.GivenFile) []upgrade.Effect {
	if a.Rollback != nil {
		return upgrade.RollbackEffects(*a.Rollback)
	}
	latest, licence, inRequest := a.LatestPatch, a.licenceInRequest(), ""
	if upgrade.StyleOf(a.Target) == upgrade.New {
		settings, answers := a.sentSettings()
		if included := upgrade.LatestPatch(settings, answers); len(settings.Inputs) > 0 || licence == "" && !a.Unread {
			latest = &included
		}
		if licence != "" {
			inRequest = ". It goes with the request."
		}
	}
	effects := upgrade.Effects(a.Target, offer.Installed, offer.Chain, latest)
	if a.ManifestPath != "" {
		text := plain.Line(filepath.Base(a.ManifestPath)) + " goes with the request."
		if a.Settings.OfFile {
			text += " The site does not know the update: its settings are those of the file."
		}
		effects = append(effects, upgrade.Effect{Name: "Manifest", Text: text})
	}
	field := upgrade.LicenceField()
	if a.LicencePath == "" {
		field, _ = upgrade.LicenceSetting(upgrade.Form(a.Settings))
	}
	if file := a.FileOf(field, files); file != "" {
		effects[slices.IndexFunc(effects, func(e upgrade.Effect) bool { return e.Name == upgrade.EffectLicence })].Text = file + inRequest
	}
	return effects
}

// FileOf says which file answers a setting, empty where none does.
func (a UpgradeRequest) FileOf(field upgrade.Field, files map[string]upgrade.GivenFile) string {
	answer := a.Answers[field.ID]
	if field.ID == upgrade.LicenceField().ID {
		answer.Path = a.LicencePath
	}
	switch file := files[field.ID]; {
	case answer.Upload != "":
		return "upload " + plain.Line(answer.Upload)
	case answer.Path == "" || file.Path != answer.Path || file.Err != nil:
		return ""
	default:
		return file.Words()
	}
}

// TakesLicence reports whether a licence can go with the request that no setting asks for.
func (a UpgradeRequest) TakesLicence() bool {
	_, asked := upgrade.LicenceSetting(upgrade.Form(a.Settings))
	return a.Rollback == nil && !asked && (a.Unread || a.LicencePath != "" || a.Target.NeedsLicence() || upgrade.StyleOf(a.Target) == upgrade.Old)
}

// WithSettings returns the request with the settings that the site asks for now. A licence that was to go with the
// request is the answer to the setting which asks for one, where that has none.
func (a UpgradeRequest) WithSettings(now adminapi.UpgradeSettings) UpgradeRequest {
	a.Settings, a.Unread = now, false
	if field, asked := upgrade.LicenceSetting(upgrade.Form(now)); asked && a.LicencePath != "" {
		answers := upgrade.Answers{field.ID: {Path: a.LicencePath}}
		maps.Copy(answers, a.Answers)
		a.Answers, a.LicencePath = answers, ""
	}
	return a
}

// licenceInRequest is the path of the licence that goes as a part of the request, empty for none.
func (a UpgradeRequest) licenceInRequest() string {
	if field, asked := upgrade.LicenceSetting(upgrade.Form(a.Settings)); asked && a.NoUploads {
		return a.Answers[field.ID].Path
	}
	return a.LicencePath
}

// sentSettings are the settings that are sent, with their answers.
func (a UpgradeRequest) sentSettings() (adminapi.UpgradeSettings, upgrade.Answers) {
	if a.licenceInRequest() != "" {
		return upgrade.BesideLicence(a.Settings, a.Answers)
	}
	return a.Settings, a.Answers
}

// UpgradeSettings fetches the settings that an upgrade needs. An upgrade of the old style has none. Where the
// site does not know the update, those count that the manifest file asks for which goes along.
func (s Site) UpgradeSettings(ctx context.Context, a UpgradeRequest) (adminapi.UpgradeSettings, error) {
	if upgrade.StyleOf(a.Target) == upgrade.Old {
		return adminapi.UpgradeSettings{}, nil
	}
	settings, err := s.Client.Upgrades.Settings(ctx, a.Target.ID)
	if a.ManifestPath != "" && (errors.Is(err, adminapi.KindNotFound) || errors.Is(err, adminapi.KindInvalid) || errors.Is(err, adminapi.KindServer) && adminapi.IsAnswer(err)) {
		return a.Target.Settings()
	}
	return settings, err
}

// WithoutUpload returns the request with its licence as a part, where the error of a start is that the site
// does not take it as an upload. Nothing was sent then. An upload that is there already, by its id, has no file to send
// instead.
func (a UpgradeRequest) WithoutUpload(err error) (UpgradeRequest, bool) {
	failed, isUpload := errors.AsType[*UploadError](err)
	field, _ := upgrade.LicenceSetting(upgrade.Form(a.Settings))
	refused := isUpload && failed.Licence && (failed.Refused() || refusesUploads(failed.Err))
	if !refused || a.NoUploads || a.Answers[field.ID].Path == "" {
		return a, false
	}
	a.NoUploads = true
	return a, true
}

// refusesUploads reports whether an error means that the site has no uploads, or not for this user.
func refusesUploads(err error) bool {
	return errors.Is(err, adminapi.KindNotFound) || errors.Is(err, adminapi.KindPrivilege) || errors.Is(err, adminapi.KindInvalid)
}

// CheckFiles checks every file that a request names, by the id of its setting.
func (s Site) CheckFiles(a UpgradeRequest) map[string]upgrade.GivenFile {
	checked := map[string]upgrade.GivenFile{}
	for _, field := range upgrade.Form(a.Settings) {
		if answer := a.Answers[field.ID]; field.Kind == upgrade.File && answer.Path != "" {
			checked[field.ID] = s.CheckAnswer(answer.Path, field)
		}
	}
	if licence := upgrade.LicenceField(); a.LicencePath != "" {
		checked[licence.ID] = s.CheckAnswer(a.LicencePath, licence)
	}
	return checked
}

// UpgradeFacts fetches all that the pre-flight checks, a few things at a time: more would wait for each other in
// the client, and nobody could tell which first. What cannot be fetched is not known, and no error here.
func (s Site) UpgradeFacts(ctx context.Context, offer Offer, request UpgradeRequest) upgrade.Facts {
	now := s.Clock.Now()
	facts := upgrade.Facts{
		Target: request.Target, Installed: offer.Installed, Chain: adminapi.FactOf(now, offer.Chain, nil),
		Answers: request.Answers, Settings: adminapi.FactOf(now, request.Settings, nil), ToAnswer: request.ToAnswer,
		Rollback: request.Rollback, Locked: s.Client.Locked(), NoUploads: request.NoUploads,
	}
	reads := parallel.Group{Limit: parallel.MaxRequests}
	reads.Go(func() { facts.Status.Refresh(ctx, s.Clock, s.Client.Upgrades.Status) })
	reads.Go(func() { facts.Mode.Refresh(ctx, s.Clock, s.Client.Mode) })
	reads.Go(func() { facts.Report.Refresh(ctx, s.Clock, s.lastReport) })
	var backups adminapi.Fact[[]upgrade.LastBackup]
	reads.Go(func() { backups.Refresh(ctx, s.Clock, s.completedBackups) })
	reads.Go(func() { facts.Caller.Refresh(ctx, s.Clock, s.Client.Session.Self) })
	reads.Go(func() {
		config, err := s.Client.Upgrades.Config(ctx)
		facts.Placement = adminapi.FactOf(now, config.PodPlacement, err)
	})
	reads.Go(func() { facts.Files = s.CheckFiles(request) })
	if request.Unread {
		facts.Settings = adminapi.Fact[adminapi.UpgradeSettings]{Err: errors.New("they were not when they were asked for")}
	}
	if _, asked := upgrade.LicenceSetting(upgrade.Form(request.Settings)); asked && !request.NoUploads {
		reads.Go(func() { facts.NoUploads = refusesUploads(s.Client.Uploads.Check(ctx)) })
	}
	if request.Rollback != nil {
		reads.Go(func() { facts.Rollbacks.Refresh(ctx, s.Clock, s.Rollbacks) })
	}
	reads.Wait()
	if status := facts.Status.Value; progress.StateOf(status) == progress.StateFailed { // that of an offer may be older
		facts.FailedBy = s.Memory.FailedBy(progress.LastRun(status).Began)
	}
	facts.Backup = adminapi.FactOf(now, upgrade.BackupOf(backups.Value, facts.Status.Value), backups.Err)
	facts.Now = s.ServerMillis()
	if ahead, known := s.Client.ServerTime(); known {
		facts.ClockAhead = adminapi.FactOf(now, ahead, nil)
	}
	return facts
}

// lastReport fetches the newest report that has ended. Its summary is not enough: a report
// can contradict itself.
func (s Site) lastReport(ctx context.Context) (upgrade.LastReport, error) {
	reports, err := s.Reports().All(ctx)
	if err != nil {
		return upgrade.LastReport{}, err
	}
	report, err := s.Reports().First(ctx, reports, func(r adminapi.ReportSummary) bool { return !r.EndTime.IsZero() }, nil)
	if err != nil || report == nil {
		return upgrade.LastReport{}, err
	}
	verdict := health.Overall(*report)
	last := upgrade.LastReport{
		Found: true, ID: report.ID, Name: report.Name,
		Verdict: verdict.String(), Good: verdict.Good(), Bad: verdict.Bad(), Ended: report.EndTime,
		Tests: health.CountReport(*report).Total(),
	}
	for e := range health.All(*report) {
		if e.Verdict == health.Failed {
			last.Failed = append(last.Failed, e.Test.Name)
		}
	}
	return last, nil
}

// completedBackups fetches the completed backups of all stores.
func (s Site) completedBackups(ctx context.Context) ([]upgrade.LastBackup, error) {
	stores, err := s.Client.Backups.Stores(ctx)
	if err != nil {
		return nil, err
	}
	var completed []upgrade.LastBackup
	for _, store := range stores {
		backups, err := s.Client.Backups.List(ctx, store.Name)
		if err != nil {
			return nil, err
		}
		for _, b := range backups {
			if b.Status == adminapi.BackupCompleted {
				completed = append(completed, upgrade.LastBackup{Found: true, Name: b.Name, Store: store.Name, Ended: max(b.Start, b.End)})
			}
		}
	}
	return completed, nil
}

// draftUpgrade is the kind of drafts that hold the settings of an upgrade; the key is the id
// of the update.
const draftUpgrade = "upgrade settings"

// UpgradeDraft is an upgrade that is being filled in, with paths of files, never their content.
type UpgradeDraft struct {
	Answers      upgrade.Answers `json:"answers,omitempty"`
	LicencePath  string          `json:"licencePath,omitempty"`
	LatestPatch  *bool           `json:"latestPatch,omitempty"`
	ManifestPath string          `json:"manifestPath,omitempty"`
}

// SaveUpgradeDraft saves the answers of a request, except those with secrets, as the draft of
// this program. holder is the draft of another program for the same update, which stays as
// it is; nil for none.
func (s Memory) SaveUpgradeDraft(request UpgradeRequest) (holder *journal.Draft, err error) {
	return s.Journal.SaveDraft(draftUpgrade, request.Target.ID, UpgradeDraft{
		Answers: upgrade.WithoutSecrets(request.Settings, request.Answers), LicencePath: request.LicencePath,
		LatestPatch: request.LatestPatch, ManifestPath: request.ManifestPath,
	})
}

// LoadUpgradeDraft returns the draft to begin with, and its owner: this program's, else that
// of a program that runs, else the newest of one that has ended, which this program takes
// over. from is nil where there is no draft.
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
		_, _ = s.Journal.TakeDraft(first) // where that fails it is offered again
	}
	return draft, &first, nil
}

// DeleteUpgradeDraft deletes this program's draft of an update.
func (s Memory) DeleteUpgradeDraft(updateID string) error {
	return s.Journal.DeleteDraft(draftUpgrade, updateID)
}
