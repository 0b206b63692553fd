package operation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/secrets"
	"geodeck/adminapi/upgrade"
	"geodeck/adminapi/upgrade/progress"
)

// UpgradeStep is a step of starting an upgrade.
type UpgradeStep string

// The steps, in order.
const (
	StepCheckAgain     UpgradeStep = "checking again"
	StepFetchSettings  UpgradeStep = "reading the current settings"
	StepFetchRollbacks UpgradeStep = "reading what can be rolled back"
	StepUpload         UpgradeStep = "uploading"
	StepVerify         UpgradeStep = "checking the upload"
	StepCheckRunning   UpgradeStep = "checking whether an upgrade runs"
	StepSend           UpgradeStep = "sending the upgrade"
)

// UpgradeProgress is the step that a start is at; Sent and Total are bytes of an upload.
type UpgradeProgress struct {
	Step        UpgradeStep
	File        string // base name, of an upload
	Sent, Total int64
}

// ErrSettingsChanged says that the site needs other settings than those that were reviewed.
// Nothing was sent.
var ErrSettingsChanged = errors.New("the site's settings have changed")

// Prepare returns the upgrade or the rollback as it would be sent, with its secrets masked; its commands are those of a
// [ReviewedUpgrade].
func (a UpgradeRequest) Prepare(s Site) Prepared {
	p := Prepared{Kind: adminapi.WriteUpgrade, Target: adminapi.TargetSite, Subject: subjectOf(a.Target), What: "start the upgrade to " + subjectOf(a.Target), Accepted: a.Accepted}
	if a.Rollback != nil {
		p.Kind, p.Subject, p.What = adminapi.WriteRollback, a.Rollback.To, "roll back to "+cmp.Or(a.Rollback.To, a.Target.ID)
	}
	return p.of(CommandLine{}, func(ctx context.Context) (adminapi.Request, error) {
		if a.Rollback != nil {
			return s.Client.Preview(ctx, adminapi.RollbackTo(a.Target.ID))
		}
		parts, err := a.parts(s.files(), upgrade.PendingUploads(a.Answers))
		if err != nil {
			return adminapi.Request{}, err
		}
		shown, err := s.Client.Preview(ctx, adminapi.UpgradeWith(parts))
		for i, field := range shown.Fields {
			if field.Name == upgrade.PartSettings {
				masked, _ := secrets.Settings([]byte(field.Value))
				shown.Fields[i].Value = string(masked)
			}
		}
		return shown, err
	})
}

// StartUpgrade uploads the files, checks once more that nothing runs, and sends the upgrade, or the
// rollback, once, never a second time. A result that is done comes with a run to watch, an unknown one
// with a run to find out about with [UpgradeRun.Search]; its record stops the next upgrade until then.
//
// Not sent: [ErrUnresolved], [ErrBusyHere], [ErrSettingsChanged], [ErrUpgradeRuns] (with
// [RunningError]), a file that is not valid any more, an upload that failed; a rollback also
// [ErrRollbackUnsure] and [ErrRollbackChanged].
func (s Site) StartUpgrade(ctx context.Context, request UpgradeRequest, report func(UpgradeProgress)) (*UpgradeRun, Result) {
	if report == nil {
		report = func(UpgradeProgress) {}
	}
	p := request.Prepare(s)
	if request.Rollback != nil {
		return s.startRollback(ctx, p, *request.Rollback, report)
	}
	var parts []adminapi.Part
	run := &UpgradeRun{Sent: SentUpgrade{Version: request.Target.FullVersion(), Subject: subjectOf(request.Target), Target: request.Target.Raw}}
	return s.launch(ctx, p, run, report, func(ctx context.Context) (err error) {
		if run.uploads, err = s.prepareUpgrade(ctx, request, report); err == nil {
			parts, err = request.parts(s.files(), run.uploads)
		}
		run.Sent.Parts = upgrade.Describe(parts)
		return err
	}, func(ctx context.Context) (adminapi.UpgradeStatus, adminapi.Outcome, error) {
		return s.Client.Upgrades.Start(ctx, parts)
	})
}

// subjectOf is the word that a person types for an update: its version, else its id.
func subjectOf(u adminapi.Update) string { return cmp.Or(u.FullVersion(), u.ID) }

// orRunning replaces a refusal by [RunningError] where that is its cause: the resources below
// Upgrades are closed while an upgrade runs.
func (s Site) orRunning(ctx context.Context, err error) error {
	if !errors.Is(err, adminapi.KindBusy) {
		return err
	}
	if status, look := s.Client.Upgrades.Status(ctx); look == nil && progress.Runs(status) {
		return &RunningError{Status: status}
	}
	return err
}

// prepareUpgrade checks the settings and uploads the files. It returns the ids of the
// uploads, also with an error.
func (s Site) prepareUpgrade(ctx context.Context, request UpgradeRequest, report func(UpgradeProgress)) (map[string]string, error) {
	if upgrade.StyleOf(request.Target) == upgrade.Old {
		return nil, nil
	}
	report(UpgradeProgress{Step: StepFetchSettings})
	now, err := s.UpgradeSettings(ctx, request)
	switch {
	case err == nil:
	case request.Unread && !errors.Is(err, adminapi.KindSignIn) && !adminapi.IsTransient(err) && ctx.Err() == nil:
		return s.uploadAnswers(ctx, request, report) // as it was accepted
	default:
		return nil, err
	}
	if changed := upgrade.SettingsChanged(request.Settings, now); len(changed) > 0 {
		return nil, fmt.Errorf("%w: %s", ErrSettingsChanged, strings.Join(changed, ", "))
	}
	return s.uploadAnswers(ctx, request, report)
}

// parts reads the files that go with the request and returns its parts.
func (a UpgradeRequest) parts(files Files, uploads map[string]string) ([]adminapi.Part, error) {
	request := upgrade.Request{Target: a.Target, LatestPatch: a.LatestPatch}
	var err error
	if a.ManifestPath != "" {
		request.ManifestName = filepath.Base(a.ManifestPath)
		if request.Manifest, _, err = readManifest(files, a.ManifestPath); err != nil {
			return nil, err
		}
	}
	if path := a.licenceInRequest(); path != "" {
		request.LicenceName = filepath.Base(path)
		if request.Licence, err = readAnswer(files, path, upgrade.LicenceField()); err != nil {
			return nil, err
		}
	}
	if upgrade.StyleOf(a.Target) == upgrade.New {
		settings, answers := a.sentSettings()
		if request.Settings, err = upgrade.Fill(settings, answers, uploads); err != nil {
			return nil, err
		}
	}
	return upgrade.Parts(request)
}

// RunningError has the status of the running upgrade; it matches [ErrUpgradeRuns].
type RunningError struct {
	Status adminapi.UpgradeStatus
	Sent   bool // the own upgrade was sent before it was seen
}

// Error says whether anything was sent.
func (e *RunningError) Error() string {
	if e.Sent {
		return "another upgrade is running, which began before; yours was sent, and has not begun. Watch that one instead"
	}
	return ErrUpgradeRuns.Error() + "; nothing was sent. Watch it instead"
}

// Is matches [ErrUpgradeRuns].
func (e *RunningError) Is(target error) bool { return target == ErrUpgradeRuns }

// UpgradeRun is an upgrade, or a rollback, that was sent once.
type UpgradeRun struct {
	First     adminapi.UpgradeStatus // in the answer to the request; empty where that was lost
	Submitted adminapi.Millis        // by the server's clock
	Sent      SentUpgrade
	Record    journal.Record // its ID is empty where nothing was recorded

	site     Site
	before   adminapi.UpgradeStatus
	accepted bool // by the site, at once
	uploads  map[string]string
	answer   error // to the request; nil where it was accepted at once
}

// launch sends once, if nothing runs. ready reads and uploads what the request needs. The uploads are
// deleted where the site is seen not to have begun.
func (s Site) launch(ctx context.Context, p Prepared, run *UpgradeRun, report func(UpgradeProgress), ready func(context.Context) error,
	post func(context.Context) (adminapi.UpgradeStatus, adminapi.Outcome, error),
) (*UpgradeRun, Result) {
	discard := func() {}
	one, result := s.send(ctx, p, func(ctx context.Context, _ claimed) (err error) {
		if err = ready(ctx); err != nil {
			return s.orRunning(ctx, err)
		}
		report(UpgradeProgress{Step: StepCheckRunning})
		if run.before, err = s.Client.Upgrades.Status(ctx); err != nil {
			return err
		}
		if progress.Runs(run.before) {
			return &RunningError{Status: run.before}
		}
		run.site, run.Submitted = s, s.ServerMillis()
		run.Sent.Submitted, run.Sent.Accepted = run.Submitted, p.accepted()
		if s.Memory.Journal != nil {
			run.Sent.Reason = s.Memory.Journal.Reason()
		}
		if err = s.checkJustSent(run.before); err == nil {
			discard, err = s.Memory.saveSent(run.Sent)
		}
		return err
	}, func(ctx context.Context) (outcome adminapi.Outcome, err error) {
		report(UpgradeProgress{Step: StepSend})
		run.First, outcome, err = post(ctx)
		return outcome, err
	})
	defer one.release()
	run.Record, run.answer, run.accepted = one.record, result.Err, result.Done()
	switch {
	case result.Refused():
		result.Err = run.readBack(ctx, result.Err)
	case !result.Sent():
		s.deleteUploads(ctx, run.uploads)
	default:
		return run, result
	}
	discard()
	return nil, result
}

// ShowTime is how long an accepted upgrade may take to show at the site.
const ShowTime = time.Minute

// checkJustSent returns an error where the site accepted an upgrade moments ago that it does
// not show yet: another one would be sent a second time.
func (s Site) checkJustSent(status adminapi.UpgradeStatus) error {
	if s.Memory.Journal == nil {
		return nil
	}
	records, err := s.Memory.Journal.Actions(0)
	if err != nil {
		return fmt.Errorf("earlier requests cannot be read, so nothing was sent: %w", err)
	}
	at := slices.IndexFunc(records, StartsUpgrade)
	if at < 0 || records[at].Outcome != adminapi.OutcomeDone {
		return nil
	}
	r := records[at]
	submitted := s.Memory.sentBy(r).Submitted
	age := s.sinceAnswer(r)
	if age < -adminapi.SyncTime || age >= ShowTime || r.Note != "" || progress.StartedSince(noUpgrade, status, submitted) {
		return nil
	}
	return &UnresolvedError{Record: r, Found: "the site accepted it moments ago and does not show it yet", Wait: ShowTime - age}
}

// sinceAnswer is how long ago the answer to a write came: by the clock of the site, where that is known, since that of
// this machine may have been set in between. Where it was set while the answer was awaited, that may have taken as long as
// answers are awaited for: the time may be negative then.
func (s Site) sinceAnswer(r journal.Record) time.Duration {
	if _, known := s.Client.ServerTime(); !known || r.Server.IsZero() {
		return s.Clock.Now().Sub(r.Finished)
	}
	sent := s.ServerNow().Sub(r.Server.Time())
	took := r.Finished.Sub(r.Time)
	if took < 0 || took > adminapi.SyncTime {
		return sent - adminapi.SyncTime
	}
	return sent - took
}

// readBack deletes the uploads after a refusal if the site is seen to be idle: an upgrade
// that runs may need them. It returns the refusal, and says where they stay.
func (r *UpgradeRun) readBack(ctx context.Context, refusal error) error {
	if len(r.uploads) == 0 {
		return refusal
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleaningTime)
	defer cancel()
	if status, err := r.site.Client.Upgrades.Status(ctx); err == nil && r.asBefore(status) {
		r.site.deleteUploads(ctx, r.uploads)
		return refusal
	}
	return fmt.Errorf("%w; its uploads stay at the site, which may be busy", refusal)
}

// asBefore reports whether a status shows that nothing has happened since the request.
func (r *UpgradeRun) asBefore(status adminapi.UpgradeStatus) bool {
	state := progress.StateOf(status)
	return state == progress.StateOf(r.before) && !state.MayRun() &&
		len(status.Messages) == len(r.before.Messages)
}

// uploadAnswers uploads the files of the answers and checks those that were uploaded before.
// It returns the ids of the uploads, also with an error.
func (s Site) uploadAnswers(ctx context.Context, request UpgradeRequest, report func(UpgradeProgress)) (map[string]string, error) {
	uploads := map[string]string{}
	for _, field := range upgrade.Form(request.Settings) {
		answer := request.Answers[field.ID]
		switch {
		case field.Kind != upgrade.File, upgrade.IsLicence(field) && request.NoUploads && answer.Path != "":
			continue
		case answer.Path == "" && answer.Upload == "":
			continue
		case answer.Path == "": // of somebody else: without the privilege to see it, it is left to the site
			report(UpgradeProgress{Step: StepVerify, File: field.Label})
			if err := s.checkUpload(ctx, answer.Upload, field.Label, field); err != nil && !errors.Is(err, adminapi.KindPrivilege) {
				return uploads, err
			}
			continue
		}
		content, err := readAnswer(s.files(), answer.Path, field)
		if err != nil {
			return uploads, err
		}
		id, err := s.uploadFile(ctx, filepath.Base(answer.Path), field, content, report)
		if id != "" {
			uploads[field.ID] = id
		}
		if err != nil {
			return uploads, err
		}
	}
	return uploads, nil
}

// uploadFile uploads a file and checks that the site has stored it.
func (s Site) uploadFile(ctx context.Context, name string, field upgrade.Field, content []byte, report func(UpgradeProgress)) (string, error) {
	part := adminapi.Part{FileName: name, File: true, Content: content, Secret: true}
	id, _, err := s.Client.Uploads.Send(ctx, part, "", func(sent, total int64) {
		report(UpgradeProgress{Step: StepUpload, File: name, Sent: sent, Total: total})
	})
	if err != nil {
		return "", &UploadError{name, upgrade.IsLicence(field), err}
	}
	report(UpgradeProgress{Step: StepVerify, File: name})
	return id, s.checkUpload(ctx, id, name, field)
}

func (s Site) checkUpload(ctx context.Context, id, name string, field upgrade.Field) error {
	item, err := s.Client.Uploads.Item(ctx, id)
	if err == nil && item.Committed {
		return nil
	}
	return &UploadError{name, upgrade.IsLicence(field), err}
}

// UploadError says that a file for an upgrade is not at the site, so that the upgrade was not sent.
type UploadError struct {
	Name    string // of the file, or of the field that it is for
	Licence bool   // it is the licence
	Err     error  // nil where the site took the file, but did not complete the upload
}

// Error says what was not done, and why.
func (e *UploadError) Error() string { return e.NotStarted() + ": " + e.Why() }

// Why says why it is not there.
func (e *UploadError) Why() string {
	if e.Err != nil {
		return e.Err.Error()
	}
	return "the site took " + e.Name + ", but did not complete the upload"
}

// NotStarted says what was not done, without why.
func (e *UploadError) NotStarted() string {
	what := e.Name
	if e.Licence {
		what = "its licence"
	}
	return "the upgrade was not started: " + what + " could not be uploaded"
}

// Unwrap returns the error of the client.
func (e *UploadError) Unwrap() error { return e.Err }

// Refused reports whether the site will hardly take the same file next time.
func (e *UploadError) Refused() bool {
	api, answered := errors.AsType[*adminapi.Error](e.Err)
	return e.Err == nil || answered && api.Status != 0 && api.Kind == adminapi.KindInvalid
}

// cleaningTime bounds the deletion of uploads after an interrupt.
const cleaningTime = 5 * time.Second

// deleteUploads deletes the uploads for an upgrade that has not begun, also after an
// interrupt: a licence must not stay behind. Errors are ignored.
func (s Site) deleteUploads(ctx context.Context, uploads map[string]string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleaningTime)
	defer cancel()
	for _, id := range uploads {
		_, _ = s.Client.Uploads.Delete(ctx, id)
	}
}
