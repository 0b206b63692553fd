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
	"geodeck/adminapi/upgrade"
	"geodeck/adminapi/upgrade/progress"
)

// UpgradeStep is what a start of an upgrade is doing.
type UpgradeStep string

// The steps, in order.
const (
	StepFetchSettings UpgradeStep = "reading the settings again"
	StepUpload        UpgradeStep = "uploading"
	StepVerify        UpgradeStep = "reading the upload back"
	StepCheckRunning  UpgradeStep = "looking whether an upgrade runs"
	StepSend          UpgradeStep = "sending the upgrade"
)

// UpgradeProgress reports a step; Sent and Total are bytes of an upload.
type UpgradeProgress struct {
	Step        UpgradeStep
	File        string // base name, of an upload
	Sent, Total int64
}

// ErrSettingsChanged says that the site asks for other settings than the ones
// that were reviewed. Nothing was sent.
var ErrSettingsChanged = errors.New("the site asks for other settings than before")

// PlanUpgradeParts returns the parts of the request without sending or uploading
// anything: what a review and a dry run show.
func (s Site) PlanUpgradeParts(request UpgradeRequest) ([]adminapi.Part, error) {
	return request.parts(s.files(), upgrade.PendingUploads(request.Answers))
}

// StartUpgrade uploads the files, looks once more whether anything runs, and
// sends the upgrade once, never a second time. Its claim ends with its return: where the
// outcome is unknown, the record keeps the next one from being sent. Outcome done and
// unknown return the run: to watch, or to look for with [UpgradeRun.Search].
//
// Not sent: [ErrUnresolved], [ErrBusyHere], [ErrSettingsChanged], [ErrUpgradeRuns] (with
// [RunningError]), a file that is not good any more, an upload that failed.
func (s Site) StartUpgrade(ctx context.Context, request UpgradeRequest, report func(UpgradeProgress)) (*UpgradeRun, adminapi.Outcome, error) {
	if report == nil {
		report = func(UpgradeProgress) {}
	}
	sent := SentUpgrade{Version: request.Target.FullVersion(), Subject: subjectOf(request.Target), Target: request.Target.Raw}
	claim, err := outcomes{s}.claim(ctx, adminapi.TargetSite, sent.Subject)
	if err != nil {
		return nil, adminapi.OutcomeNotSent, err
	}
	defer claim.release()
	uploads, err := upgrades{s}.prepareUpgrade(ctx, request, report)
	var parts []adminapi.Part
	if err == nil {
		parts, err = request.parts(s.files(), uploads)
	}
	if err != nil {
		upgrades{s}.deleteUploads(ctx, uploads)
		return nil, adminapi.OutcomeNotSent, upgrades{s}.orRunning(ctx, err)
	}
	sent.Parts = upgrade.Describe(parts)
	return upgrades{s}.launch(ctx, claim, report, sent, uploads, func(ctx context.Context) (adminapi.UpgradeStatus, adminapi.Outcome, error) {
		return s.Client.StartUpgrade(ctx, parts)
	})
}

// subjectOf is what a person types of an update: its version, its id where it has none.
func subjectOf(u adminapi.Update) string { return cmp.Or(u.FullVersion(), u.ID) }

// upgrades are the steps of the start of an upgrade.
type upgrades struct{ Site }

// orRunning looks behind a refusal before the post: the resources below Upgrades
// are closed while an upgrade runs, and that is what the user has to hear.
func (s upgrades) orRunning(ctx context.Context, err error) error {
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
	claim, err := outcomes{s}.claim(ctx, adminapi.TargetSite, sent.Subject)
	if err != nil {
		return nil, adminapi.OutcomeNotSent, err
	}
	defer claim.release()
	return upgrades{s}.launch(ctx, claim, func(UpgradeProgress) {}, sent, nil, func(ctx context.Context) (adminapi.UpgradeStatus, adminapi.Outcome, error) {
		return s.Client.Rollback(ctx, patch.ID)
	})
}

// prepareUpgrade does all that has to be done before the one post. It returns the
// ids of what was uploaded, also where it fails on the way.
func (s upgrades) prepareUpgrade(ctx context.Context, request UpgradeRequest, report func(UpgradeProgress)) (map[string]string, error) {
	if upgrade.StyleOf(request.Target) == upgrade.Old {
		return nil, nil
	}
	report(UpgradeProgress{Step: StepFetchSettings})
	now, err := s.Client.UpgradeSettings(ctx, request.Target.ID)
	if err != nil {
		return nil, err
	}
	if changed := upgrade.SettingsChanged(request.Settings, now); len(changed) > 0 {
		return nil, fmt.Errorf("%w: %s", ErrSettingsChanged, strings.Join(changed, ", "))
	}
	return s.uploadAnswers(ctx, request, report)
}

// parts reads the files of the old style and puts the request together.
func (a UpgradeRequest) parts(files Files, uploads map[string]string) ([]adminapi.Part, error) {
	request := upgrade.Request{Target: a.Target, LatestPatch: a.LatestPatch}
	var err error
	if a.ManifestPath != "" {
		request.ManifestName = filepath.Base(a.ManifestPath)
		if request.Manifest, _, err = readManifest(files, a.ManifestPath); err != nil {
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
		if request.Licence, err = readAnswer(files, a.LicencePath, upgrade.LicenceField()); err != nil {
			return nil, err
		}
	}
	return upgrade.Parts(request)
}

// RunningError says which upgrade is in the way; it matches ErrUpgradeRuns.
type RunningError struct{ Status adminapi.UpgradeStatus }

// Error says what was and was not done.
func (e *RunningError) Error() string {
	return ErrUpgradeRuns.Error() + ", started by somebody else; nothing was sent. Watch it instead"
}

// Is matches ErrUpgradeRuns.
func (e *RunningError) Is(target error) bool { return target == ErrUpgradeRuns }

// UpgradeRun is an upgrade, or a rollback, that was sent once.
type UpgradeRun struct {
	site      Site
	before    adminapi.UpgradeStatus
	submitted adminapi.Millis // by the server's clock
	version   string          // that it leads to; empty where it is not known
	until     time.Time       // by ours
	uploads   map[string]string
	answer    error // of the site itself, to the post; nil where none came

	// First is the status that the answer to the post held; empty where the
	// answer was lost.
	First adminapi.UpgradeStatus
}

// launch looks whether anything runs, and if nothing does sends once, with the right that
// the caller holds. What was uploaded for it is taken back where the site is seen
// not to have begun.
func (s upgrades) launch(ctx context.Context, claim claimed, report func(UpgradeProgress), sent SentUpgrade, uploads map[string]string,
	send func(context.Context) (adminapi.UpgradeStatus, adminapi.Outcome, error),
) (*UpgradeRun, adminapi.Outcome, error) {
	report(UpgradeProgress{Step: StepCheckRunning})
	before, err := s.Client.UpgradeStatus(ctx)
	if err == nil && progress.Runs(before) {
		err = &RunningError{Status: before}
	}
	if err != nil {
		s.deleteUploads(ctx, uploads)
		return nil, adminapi.OutcomeNotSent, err
	}
	run := &UpgradeRun{
		site: s.Site, before: before, submitted: adminapi.MillisOf(s.serverNow()), version: sent.Version, uploads: uploads,
	}
	sent.Submitted = run.submitted
	err = s.checkJustSent(ctx, before)
	forget := func() {}
	if err == nil {
		forget, err = s.saveSent(sent)
	}
	if err == nil {
		err = claim.use()
	}
	if err != nil {
		s.deleteUploads(ctx, uploads)
		return nil, adminapi.OutcomeNotSent, err
	}
	report(UpgradeProgress{Step: StepSend})
	status, outcome, err := send(ctx)
	run.First, run.until = status, s.Clock.Now().Add(searchTime)
	switch outcome {
	case adminapi.OutcomeUnknown:
		if Answered(err) {
			run.answer = err
		}
		return run, outcome, err
	case adminapi.OutcomeRefused:
		err = run.readBack(ctx, err)
	case adminapi.OutcomeNotSent:
		s.deleteUploads(ctx, uploads)
	default:
		return run, outcome, nil
	}
	forget()
	return nil, outcome, err
}

// showTime is how long a site may take to show an upgrade that it has accepted.
const showTime = time.Minute

// checkJustSent returns an error where an upgrade was accepted moments ago that the site
// does not show yet: a second one would be posted beside it.
func (s upgrades) checkJustSent(ctx context.Context, status adminapi.UpgradeStatus) error {
	if s.Journal == nil {
		return nil
	}
	records, err := s.Journal.Actions(0)
	if err != nil {
		return fmt.Errorf("whether one was sent just now cannot be read, so nothing was sent: %w", err)
	}
	at := slices.IndexFunc(records, StartsUpgrade)
	if at < 0 || records[at].Outcome != adminapi.OutcomeDone {
		return nil
	}
	r := records[at]
	submitted, _ := outcomes(s).submitted(r)
	if age := s.Clock.Now().Sub(r.Finished); age < 0 || age >= showTime || r.Note != "" ||
		progress.StartedSince(adminapi.UpgradeStatus{State: adminapi.UpgradeNone}, status, submitted) {
		return nil
	}
	return &UnresolvedError{Record: r, Found: "the site took it moments ago, and does not show it yet", Wait: showTime - s.Clock.Now().Sub(r.Finished)}
}

// Answered reports whether an error is one that the site itself answered with: not that of
// a gateway, and not silence.
func Answered(err error) bool {
	api, ok := errors.AsType[*adminapi.Error](err)
	return ok && api.Explicit
}

// readBack looks once after a refusal, before anything is taken back: whatever runs there
// by now may need it. It returns the refusal, with what else is to be known of it.
func (r *UpgradeRun) readBack(ctx context.Context, refusal error) error {
	if len(r.uploads) == 0 {
		return refusal
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleaningTime)
	defer cancel()
	if status, err := r.site.Client.UpgradeStatus(ctx); err == nil && r.asBefore(status) {
		upgrades{r.site}.deleteUploads(ctx, r.uploads)
		return refusal
	}
	return fmt.Errorf("%w; what was uploaded for it stays at the site, since that is not seen to be idle", refusal)
}

// asBefore reports whether a status is that of a site on which nothing has happened since
// the post.
func (r *UpgradeRun) asBefore(status adminapi.UpgradeStatus) bool {
	state := progress.StateOf(status)
	return state == progress.StateOf(r.before) && state != progress.StateRunning && state != progress.StateUnknown &&
		len(status.Messages) == len(r.before.Messages)
}

// uploadAnswers uploads the files of the answers and looks at those that were
// uploaded before. What was uploaded is returned with an error as well.
func (s upgrades) uploadAnswers(ctx context.Context, request UpgradeRequest, report func(UpgradeProgress)) (map[string]string, error) {
	uploads := map[string]string{}
	for _, field := range upgrade.Form(request.Settings) {
		answer := request.Answers[field.ID]
		if field.Kind != upgrade.File {
			continue
		}
		if err := s.uploadAnswer(ctx, field, answer, uploads, report); err != nil {
			return uploads, err
		}
	}
	return uploads, nil
}

func (s upgrades) uploadAnswer(ctx context.Context, field upgrade.Field, answer upgrade.Answer, uploads map[string]string,
	report func(UpgradeProgress),
) error {
	if answer.Path == "" {
		return s.checkEarlierUpload(ctx, field, answer.Upload, report)
	}
	content, err := readAnswer(s.files(), answer.Path, field)
	if err != nil {
		return err
	}
	id, err := s.uploadFile(ctx, filepath.Base(answer.Path), content, report)
	if id != "" {
		uploads[field.ID] = id
	}
	return err
}

// uploadFile uploads a file and reads back that the site has kept it.
func (s upgrades) uploadFile(ctx context.Context, name string, content []byte, report func(UpgradeProgress)) (string, error) {
	part := adminapi.Part{FileName: name, File: true, Content: content, Secret: true}
	id, _, err := s.Client.Upload(ctx, part, "", func(sent, total int64) {
		report(UpgradeProgress{Step: StepUpload, File: name, Sent: sent, Total: total})
	})
	if err != nil {
		return "", err
	}
	report(UpgradeProgress{Step: StepVerify, File: name})
	return id, s.checkUpload(ctx, id, name)
}

// checkEarlierUpload looks at what somebody else has uploaded. Who may upgrade may not
// always look at uploads: then the site itself decides.
func (s upgrades) checkEarlierUpload(ctx context.Context, field upgrade.Field, id string, report func(UpgradeProgress)) error {
	if id == "" {
		return nil
	}
	report(UpgradeProgress{Step: StepVerify, File: field.Label})
	if err := s.checkUpload(ctx, id, field.Label); err != nil && !errors.Is(err, adminapi.KindPrivilege) {
		return err
	}
	return nil
}

func (s upgrades) checkUpload(ctx context.Context, id, name string) error {
	item, err := s.Client.UploadItem(ctx, id)
	if err == nil && !item.Committed {
		err = fmt.Errorf("the site has not kept the upload of %s; nothing else was sent", name)
	}
	return err
}

// cleaningTime bounds the removal of uploads after the user has given up.
const cleaningTime = 5 * time.Second

// deleteUploads takes back what was uploaded for an upgrade that was not begun,
// interrupted or not: a licence must not lie about. Where that fails the site
// keeps it, as it keeps every upload.
func (s upgrades) deleteUploads(ctx context.Context, uploads map[string]string) {
	if len(uploads) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleaningTime)
	defer cancel()
	for _, id := range uploads {
		_, _ = s.Client.DeleteUpload(ctx, id)
	}
}
