package operation_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/operationtest"
	"geodeck/adminapi/operation/watching"
	"geodeck/adminapi/simulator/simtest"
	"geodeck/adminapi/upgrade"
	"geodeck/adminapi/upgrade/progress"
)

func TestAnUpgradeIsStartedOnceAndWatchedToItsEnd(t *testing.T) {
	t.Parallel()
	p := operationtest.BuiltIn(t, "healthy")
	end := operationtest.Follow(t, p, watching.NewWatch(p.Site, p.Start(t, operationtest.PatchID)))
	if end.Meaning != progress.StateSucceeded || end.Log.Len() < 10 {
		t.Errorf("ended as %v with %d messages", end.Meaning, end.Log.Len())
	}
	p.WantSent(t, "POST upgrade", 1)
}

func TestALostAnswerOfAnUpgradeIsFollowedByReadsOnlyAndTheUpgradeAdopted(t *testing.T) {
	t.Parallel()
	lost := map[string]func(w http.ResponseWriter, r *http.Request, site http.Handler){"the gateway's time is over": timeOut}
	for _, how := range []string{"before-headers", "after-headers", "mid-body", "502"} {
		lost[how] = nil // a scenario
	}
	for how, lose := range lost {
		t.Run(how, func(t *testing.T) {
			p := operationtest.BuiltIn(t, "healthy")
			if lose == nil {
				p = operationtest.BuiltIn(t, "answer-lost-"+how)
			} else {
				p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
					if strings.HasSuffix(r.URL.Path, "/upgrades/upgrade") {
						lose(w, r, p.Direct)
						return
					}
					pass()
				})
			}
			run, outcome, err := operationtest.Apart(p.StartUpgrade(t.Context(), p.Request(t, operationtest.PatchID), nil))
			if outcome != adminapi.OutcomeUnknown || err == nil {
				t.Fatalf("outcome %v, error %v", outcome, err)
			}
			before := p.Counted("POST ")
			status, err := settleRun(t.Context(), p, run)
			if err != nil || status.State != adminapi.UpgradeInProgress {
				t.Errorf("state %q, error %v", status.State, err)
			}
			p.WantSent(t, "POST upgrade", 1)
			if now := p.Counted("POST "); now != before {
				t.Errorf("%d posts after the answer was lost", now-before)
			}
		})
	}
}

// timeOut is a gateway that does not wait for the site's answer.
func timeOut(w http.ResponseWriter, r *http.Request, site http.Handler) {
	site.ServeHTTP(httptest.NewRecorder(), r)
	http.Error(w, "<html>Gateway Timeout</html>", http.StatusGatewayTimeout)
}

// Nothing is looked for afterwards, and nothing is in the way of another attempt.
func TestAnUpgradeOverARefusedConnectionIsNotSentAndMayBeStartedAgain(t *testing.T) {
	t.Parallel()
	closed, release, err := simtest.ClosedPort()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(release)
	p := operationtest.WithJournal(t, "healthy")
	request := p.Request(t, operationtest.PatchID)
	before := 0
	_, outcome, err := operationtest.Apart(p.StartUpgrade(t.Context(), request, func(u operation.UpgradeProgress) {
		if u.Step == operation.StepSend {
			before = p.Requests()
			p.Dialed.Store(closed)
		}
	}))
	if outcome != adminapi.OutcomeNotSent || !errors.Is(err, adminapi.KindUnreachable) {
		t.Errorf("outcome %v, error %v", outcome, err)
	}
	if now := p.Requests(); before == 0 || now != before {
		t.Errorf("%d requests after the connection was refused", now-before)
	}
	p.Dialed.Store("")
	began := adminapi.MillisOf(p.Clock.Now().Add(time.Minute))
	elses := progress.Progress{Run: progress.Run{Began: began, To: request.Target.FullVersion()}}
	if sent, claims := p.Memory.SentFor(elses); claims {
		t.Errorf("what somebody else starts then is taken for %+v", sent)
	}
	operationtest.WantResult(t, adminapi.OutcomeDone, nil)(p.StartUpgrade(t.Context(), request, nil))
	p.WantSent(t, "POST upgrade", 1)
}

// A program may be killed between what it keeps of a request and its record, or between the record of an outcome and the
// end of what it kept.
func TestARequestThatIsRecordedAsUnsentOrRefusedClaimsNoUpgrade(t *testing.T) {
	t.Parallel()
	closed, release, err := simtest.ClosedPort()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(release)
	for want, prevent := range map[adminapi.Outcome]func(*operationtest.Platform){
		adminapi.OutcomeNotSent: func(p *operationtest.Platform) { p.Dialed.Store(closed) },
		adminapi.OutcomeRefused: func(p *operationtest.Platform) {
			answering(p, "/upgrades/upgrade", 200, `{"error":{"code":400,"message":"The settings do not fit.","details":[]}}`, false)
		},
	} {
		p := operationtest.WithJournal(t, "healthy")
		request := p.Request(t, operationtest.PatchID)
		version := request.Target.FullVersion()
		kept := operation.SentUpgrade{Submitted: adminapi.MillisOf(p.Clock.Now()), Version: version, Subject: version}
		keep := func() {
			if _, err := p.Memory.Journal.SaveDraft("sent upgrade", "kept", kept); err != nil {
				t.Fatal(err)
			}
		}
		elses := progress.Progress{Run: progress.Run{Began: kept.Submitted + adminapi.Millis(time.Minute/time.Millisecond), To: version}}
		if keep(); p.Memory.RequestOf(elses).ID != "" {
			t.Error("there is a record before anything was sent")
		}
		if _, claims := p.Memory.SentFor(elses); claims { // a program was killed before it recorded it
			t.Error("an upgrade of somebody else is taken for what was kept, and never recorded")
		}
		operationtest.WantResult(t, want, nil)(p.StartUpgrade(t.Context(), request, func(u operation.UpgradeProgress) {
			if u.Step == operation.StepSend {
				prevent(p)
			}
		}))
		keep()
		if _, claims := p.Memory.SentFor(elses); claims {
			t.Errorf("an upgrade of somebody else is taken for what was %s", want)
		}
		claim, err := p.Memory.Journal.Claim(adminapi.TargetSite, "12.0.0.7286")
		if err != nil {
			t.Fatal(err)
		}
		other := adminapi.Write{ID: 99, Kind: adminapi.WriteUpgrade, Target: adminapi.TargetSite, Operation: "start the upgrade", Path: "/x/admin/system/upgrades/upgrade"}
		if err := p.Memory.Journal.BeforeWrite(other); err != nil {
			t.Fatal(err)
		}
		p.Memory.Journal.AfterWrite(other, adminapi.OutcomeDone, nil)
		claim.Release()
		if _, claims := p.Memory.SentFor(elses); claims {
			t.Errorf("since another was accepted, an upgrade of somebody else is taken for what was %s", want)
		}
	}
}

func TestAnUpgradeThatNeverArrivedIsNotClaimed(t *testing.T) {
	t.Parallel()
	p := operationtest.BuiltIn(t, "answer-lost-not-performed")
	run, outcome, _ := operationtest.Apart(p.StartUpgrade(t.Context(), p.Request(t, operationtest.PatchID), nil))
	if outcome != adminapi.OutcomeUnknown {
		t.Fatalf("outcome %v", outcome)
	}
	if _, err := settleRun(t.Context(), p, run); !errors.Is(err, operation.ErrOutcomeUnknown) {
		t.Errorf("error %v", err)
	}
	p.WantSent(t, "POST upgrade", 1)
}

func TestNothingIsSentWhileSomebodyElsesUpgradeRuns(t *testing.T) {
	t.Parallel()
	p := operationtest.BuiltIn(t, "elses-upgrade-soon")
	request := p.Request(t, operationtest.ReleaseID)
	operationtest.WantResult(t, adminapi.OutcomeNotSent, operation.ErrUpgradeRuns)(
		p.StartUpgrade(t.Context(), request, nil))
	p.WantSent(t, "POST upgrade", 0)
}

func TestAnUpgradeThatTheSiteRefusesLeavesNoLicenceBehind(t *testing.T) {
	t.Parallel()
	for _, interrupted := range []bool{false, true} {
		p := operationtest.BuiltIn(t, "wrong-licence")
		ctx, interrupt := context.WithCancel(t.Context())
		defer interrupt()
		request := p.Request(t, operationtest.ReleaseID)
		p.Intercept(func(_ http.ResponseWriter, r *http.Request, pass func()) {
			if interrupted && p.Sent("POST upgrade") > 0 && r.Method == http.MethodGet { // the look whether it is idle
				interrupt()
			}
			pass()
		})
		_, outcome, err := operationtest.Apart(p.StartUpgrade(ctx, request, nil))
		if outcome != adminapi.OutcomeRefused || err == nil {
			t.Fatalf("outcome %v, error %v", outcome, err)
		}
		if p.Sent("POST upload") != 1 || p.Sent("POST delete") != 1 {
			t.Errorf("interrupted right after it: %v: %d uploads, %d taken back", interrupted, p.Sent("POST upload"), p.Sent("POST delete"))
		}
	}
}

func TestSettingsThatChangedSinceTheReviewStopTheUpgrade(t *testing.T) {
	t.Parallel()
	p := operationtest.BuiltIn(t, "refused-settings")
	operationtest.WantResult(t, adminapi.OutcomeNotSent, operation.ErrSettingsChanged)(
		p.StartUpgrade(t.Context(), p.Request(t, operationtest.ReleaseID), nil))
	if p.Sent("POST upload") != 0 || p.Sent("POST upgrade") != 0 {
		t.Error("something was sent")
	}
}

func TestALicenceOfAFailedStartIsDeleted(t *testing.T) {
	t.Parallel()
	p := operationtest.BuiltIn(t, "upload-uncommitted")
	_, outcome, err := operationtest.Apart(p.StartUpgrade(t.Context(), p.Request(t, operationtest.ReleaseID), nil))
	if outcome != adminapi.OutcomeNotSent || err == nil {
		t.Fatalf("outcome %v, error %v", outcome, err)
	}
	if p.Sent("POST upload") != 1 || p.Sent("POST delete") != 1 || p.Sent("POST upgrade") != 0 {
		t.Errorf("%d uploads, %d taken back, %d upgrades", p.Sent("POST upload"), p.Sent("POST delete"), p.Sent("POST upgrade"))
	}
}

func TestALicenceIsDeletedAfterAnInterrupt(t *testing.T) {
	t.Parallel()
	for _, step := range []operation.UpgradeStep{operation.StepCheckRunning, operation.StepSend} {
		p := operationtest.BuiltIn(t, "healthy")
		request := p.Request(t, operationtest.ReleaseID)
		ctx, interrupt := context.WithCancel(t.Context())
		defer interrupt()
		_, outcome, err := operationtest.Apart(p.StartUpgrade(ctx, request, func(u operation.UpgradeProgress) {
			if u.Step == step {
				interrupt()
			}
		}))
		if outcome != adminapi.OutcomeNotSent || err == nil || p.Sent("POST upgrade") != 0 {
			t.Fatalf("%s: outcome %v, error %v, %d upgrades", step, outcome, err, p.Sent("POST upgrade"))
		}
		if p.Sent("POST upload") != 1 || p.Sent("POST delete") != 1 {
			t.Errorf("%s: %d uploads, %d taken back", step, p.Sent("POST upload"), p.Sent("POST delete"))
		}
	}
}

// given answers the licence of the release with an upload of somebody else's.
func given(t *testing.T, p *operationtest.Platform) operation.UpgradeRequest {
	t.Helper()
	request := p.Request(t, operationtest.ReleaseID)
	for id := range request.Answers {
		request.Answers[id] = upgrade.Answer{Upload: "no-such-upload"}
	}
	return request
}

func TestAnUploadThatTheSiteDoesNotHaveStopsTheUpgrade(t *testing.T) {
	t.Parallel()
	p := operationtest.BuiltIn(t, "healthy")
	operationtest.WantResult(t, adminapi.OutcomeNotSent, adminapi.KindNotFound)(
		p.StartUpgrade(t.Context(), given(t, p), nil))
	if p.Sent("POST upgrade") != 0 || p.Sent("POST delete") != 0 {
		t.Errorf("%d upgrades sent, %d uploads deleted", p.Sent("POST upgrade"), p.Sent("POST delete"))
	}
}

// Settings that a site does not show are left out as it was accepted. Those that cannot be read for a moment are not:
// nothing is sent then.
func TestAnOutageIsNoReasonToLeaveSettingsOut(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status, posts int
		accepted      bool
	}{{http.StatusServiceUnavailable, 0, true}, {498, 0, true}, {http.StatusMethodNotAllowed, 1, true}, {http.StatusMethodNotAllowed, 0, false}} {
		status, posts := c.status, c.posts
		p := operationtest.BuiltIn(t, "healthy")
		request := given(t, p)
		request.Settings, request.Answers, request.Unread = adminapi.UpgradeSettings{}, nil, c.accepted
		p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
			switch {
			case !strings.HasSuffix(r.URL.Path, "/getUpgradeSettings"):
				pass()
			case status == 498: // who has to sign in is not told what the site asks for
				_, _ = io.WriteString(w, `{"error":{"code":498,"message":"Invalid token.","details":[]}}`)
			default:
				http.Error(w, "no", status)
			}
		})
		_, result := p.StartUpgrade(t.Context(), request, nil)
		if p.Sent("POST upgrade") != posts {
			t.Errorf("%d: %d posts, %s", status, p.Sent("POST upgrade"), result.Text())
		}
	}
}

// A site that takes no uploads gets the licence with the request, as it was accepted, and nothing before it.
func TestALicenceThatIsNoUploadGoesWithTheRequest(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	request := p.Request(t, operationtest.ReleaseID)
	request.NoUploads = true
	run, result := p.StartUpgrade(t.Context(), request, nil)
	if !result.Sent() || result.Refused() {
		t.Fatal(result.Sentence())
	}
	p.WantSent(t, "POST upload", 0)
	if !slices.ContainsFunc(run.Sent.Parts, func(part upgrade.DescribedPart) bool { return part.Name == upgrade.PartLicence && part.Size > 0 }) {
		t.Errorf("sent were %+v", run.Sent.Parts)
	}
}

// A file that is gone, or is another one, since the review is neither uploaded nor sent.
func TestAFileThatIsGoneSinceTheReviewStopsTheUpgrade(t *testing.T) {
	t.Parallel()
	for name, names := range map[string]func(*operation.UpgradeRequest, string){
		"an answer": func(request *operation.UpgradeRequest, path string) {
			for id := range request.Answers {
				request.Answers[id] = upgrade.Answer{Path: path}
			}
		},
		"a licence in the request": func(request *operation.UpgradeRequest, path string) {
			request.Settings, request.Answers, request.Unread, request.LicencePath = adminapi.UpgradeSettings{}, nil, true, path
		},
		"a manifest": func(request *operation.UpgradeRequest, path string) { request.ManifestPath = path },
	} {
		for _, content := range []string{"", "<html>"} { // empty: it is gone
			p := operationtest.BuiltIn(t, "healthy")
			request, path := p.Request(t, operationtest.ReleaseID), filepath.Join(t.TempDir(), "file.json")
			names(&request, path)
			if content != "" {
				if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if request.Unread {
				answering(p, "/getUpgradeSettings", http.StatusMethodNotAllowed, "no", false)
			}
			_, result := p.StartUpgrade(t.Context(), request, nil)
			if result.Outcome != adminapi.OutcomeNotSent || errors.Is(result.Err, fs.ErrNotExist) != (content == "") {
				t.Errorf("%s with %q: %s", name, content, result.Sentence())
			}
			if shown, err := request.Prepare(p.Site).Request(t.Context()); err == nil && name != "an answer" { // which is no part of the request
				t.Errorf("%s with %q is shown as %+v", name, content, shown)
			}
			p.WantSent(t, "POST upgrade", 0)
			if sent := p.Sent("POST upload"); sent > 0 && name == "an answer" {
				t.Errorf("%s with %q was uploaded", name, content)
			}
		}
	}
}

// An upgrade that has shown and is over is not waited for: after one that failed at once the next may be sent.
func TestAnUpgradeThatFailedAtOnceMayBeSentAgain(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	request, began := p.Request(t, operationtest.PatchID), p.FirstMessage(time.Second)
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/upgrades/upgrade"):
			_, _ = io.Copy(io.Discard, r.Body)
			_, _ = io.WriteString(w, `{"status":{"state":"in_progress","code":1,"messages":[]}}`)
		case strings.HasSuffix(r.URL.Path, "/system/upgrades") && p.Sent("POST upgrade") > 0:
			w.Header().Set("Date", p.Clock.Now().UTC().Format(http.TimeFormat))
			_, _ = io.WriteString(w, `{"status":{"state":"failed","code":2,"messages":[`+began+`]}}`)
		default:
			pass()
		}
	})
	operationtest.WantResult(t, adminapi.OutcomeDone, nil)(p.StartUpgrade(t.Context(), request, nil))
	p.Clock.Advance(10 * time.Second)
	operationtest.WantResult(t, adminapi.OutcomeDone, nil)(p.StartUpgrade(t.Context(), request, nil))
	p.WantSent(t, "POST upgrade", 2)
}

// A site may be busy with something else than an upgrade: nobody is said to run one.
func TestABusySiteIsNotSaidToUpgrade(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	request := p.Request(t, operationtest.ReleaseID)
	answering(p, "/getUpgradeSettings", 200, `{"error":{"code":409,"message":"Another operation is in progress.","details":[]}}`, false)
	_, result := p.StartUpgrade(t.Context(), request, nil)
	if result.Outcome != adminapi.OutcomeNotSent || !errors.Is(result.Err, adminapi.KindBusy) || errors.Is(result.Err, operation.ErrUpgradeRuns) {
		t.Errorf("%s, %v", result.Outcome, result.Err)
	}
}

// Behind a refusal the uploads stay where the site is in a state that nobody knows: an upgrade that runs may need them.
func TestUploadsStayAtASiteInAnUnknownState(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	request := p.Request(t, operationtest.ReleaseID)
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/upgrades/upgrade"):
			_, _ = io.Copy(io.Discard, r.Body)
			_, _ = io.WriteString(w, `{"error":{"code":400,"message":"The licence does not fit.","details":[]}}`)
		case strings.HasSuffix(r.URL.Path, "/system/upgrades"):
			_, _ = io.WriteString(w, `{"status":{"state":"waiting_for_resources","code":7,"messages":[]}}`)
		default:
			pass()
		}
	})
	_, result := p.StartUpgrade(t.Context(), request, nil)
	if !result.Refused() || !strings.Contains(result.Err.Error(), "its uploads stay at the site") {
		t.Errorf("%s, %v", result.Outcome, result.Err)
	}
	p.WantSent(t, "POST delete", 0)
}

func TestAFileThatIsNotAtTheSiteIsNamed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		failed  operation.UploadError
		names   string
		refused bool
	}{
		{operation.UploadError{Name: "licence.json", Licence: true, Err: &adminapi.Error{Kind: adminapi.KindInvalid, Status: 400}}, "its licence", true},
		{operation.UploadError{Name: "ca.pem", Err: &adminapi.Error{Kind: adminapi.KindServer, Status: 500}}, "ca.pem", false},
		{operation.UploadError{Name: "ca.pem", Err: &adminapi.Error{Kind: adminapi.KindInvalid}}, "ca.pem", false},
		{operation.UploadError{Name: "ca.pem", Err: errors.New("the file was changed")}, "ca.pem", false},
		{operation.UploadError{Name: "ca.pem"}, "ca.pem", true},
	} {
		if got := c.failed.NotStarted(); !strings.Contains(got, c.names+" could not be uploaded") || c.failed.Refused() != c.refused {
			t.Errorf("%v: %q, refused %v", c.failed.Err, got, c.failed.Refused())
		}
	}
}

func TestUploadsThatMayNotBeReadAreLeftToTheSite(t *testing.T) {
	t.Parallel()
	p := operationtest.BuiltIn(t, "healthy")
	request := given(t, p)
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		if strings.Contains(r.URL.Path, "/uploads/") {
			_, _ = w.Write([]byte(`{"error":{"code":403,"message":"You do not have permissions to access this resource or perform this operation.","details":[]}}`))
			return
		}
		pass()
	})
	_, outcome, err := operationtest.Apart(p.StartUpgrade(t.Context(), request, nil))
	if p.Sent("POST upgrade") != 1 || outcome != adminapi.OutcomeRefused {
		t.Errorf("outcome %v, error %v, sent %d times", outcome, err, p.Sent("POST upgrade"))
	}
}

func TestADraftHoldsEverythingExceptSecrets(t *testing.T) {
	t.Parallel()
	memory, err := journal.OpenThrowaway()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = memory.Close() })
	site := operation.Site{Memory: operation.Memory{Journal: memory}}
	yes := true
	request := operation.UpgradeRequest{Target: adminapi.Update{ID: operationtest.ReleaseID}, LicencePath: "/l.json", LatestPatch: &yes, ManifestPath: "/m.dat",
		Answers: upgrade.Answers{
			"volumesConfig": {JSON: `{"size":"10Gi"}`},
			"unfinished":    {JSON: `{"size":`},
			"nested":        {JSON: `{"store":{"password":"canary-1"}}`},
			"half":          {JSON: `{"store":{"password":"canary-2`},
			"licenseUpload": {Path: "/licence.json"},
		}}
	if _, err := site.Memory.SaveUpgradeDraft(request); err != nil {
		t.Fatal(err)
	}
	draft, from, err := site.Memory.LoadUpgradeDraft(operationtest.ReleaseID)
	if err != nil || from == nil {
		t.Fatal(from, err)
	}
	if draft.LicencePath != "/l.json" || draft.ManifestPath != "/m.dat" || draft.LatestPatch == nil || len(draft.Answers) != 3 ||
		draft.Answers["unfinished"].JSON == "" || draft.Answers["licenseUpload"].Path == "" {
		t.Errorf("lost: %+v", draft)
	}
	if text, _ := json.Marshal(draft); strings.Contains(string(text), "canary") {
		t.Errorf("a secret is kept: %s", text)
	}
}

func TestAPreviewOfAnUpgradeMasksSecretSettings(t *testing.T) {
	t.Parallel()
	client, err := adminapi.New(adminapi.Config{Base: "https://gis.example.org/admin", ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	request := operation.UpgradeRequest{Target: adminapi.Update{ID: "rel_1", Version: "12.0"}}
	request.Settings.Raw = jsontext.Value(`{"userInputs":[{"id":"dbPassword","value":"hush1"},{"id":"size","value":"16Gi","accessKey":"hush2"}]}`)
	shown, err := request.Prepare(operation.Site{Client: client}).Request(t.Context())
	want := adminapi.Request{Method: "POST", Path: "/admin/system/upgrades/upgrade", Fields: []adminapi.Field{
		{Name: "versionManifest", Value: `{"id":"rel_1"}`},
		{Name: "versionManifestFile", Value: "file, 0 bytes", File: &adminapi.FileSize{}},
		{Name: "upgradeSettings", Value: `{"userInputs":[{"id":"dbPassword","value":"[secret]"},{"id":"size","value":"16Gi","accessKey":"[secret]"}]}`},
		{Name: "f", Value: "pjson"},
	}}
	if diff := cmp.Diff(want, shown); diff != "" || err != nil {
		t.Error(err, diff)
	}
}
