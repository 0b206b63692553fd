package operation_test

import (
	"context"
	"encoding/json"
	"net/http"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/upgrade"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

func TestALicenceOfAFailedStartIsDeleted(t *testing.T) {
	t.Parallel()
	p := builtIn(t, "upload-uncommitted")
	_, outcome, err := apart(p.StartUpgrade(t.Context(), p.request(t, releaseID), nil))
	if outcome != adminapi.OutcomeNotSent || err == nil {
		t.Fatalf("outcome %v, error %v", outcome, err)
	}
	if p.sent("POST upload") != 1 || p.sent("POST delete") != 1 || p.sent("POST upgrade") != 0 {
		t.Errorf("%d uploads, %d taken back, %d upgrades", p.sent("POST upload"), p.sent("POST delete"), p.sent("POST upgrade"))
	}
}

func TestALicenceIsDeletedAfterAnInterrupt(t *testing.T) {
	t.Parallel()
	for _, step := range []operation.UpgradeStep{operation.StepCheckRunning, operation.StepSend} {
		p := builtIn(t, "healthy")
		request := p.request(t, releaseID)
		ctx, interrupt := context.WithCancel(t.Context())
		defer interrupt()
		_, outcome, err := apart(p.StartUpgrade(ctx, request, func(u operation.UpgradeProgress) {
			if u.Step == step {
				interrupt()
			}
		}))
		if outcome != adminapi.OutcomeNotSent || err == nil || p.sent("POST upgrade") != 0 {
			t.Fatalf("%s: outcome %v, error %v, %d upgrades", step, outcome, err, p.sent("POST upgrade"))
		}
		if p.sent("POST upload") != 1 || p.sent("POST delete") != 1 {
			t.Errorf("%s: %d uploads, %d taken back", step, p.sent("POST upload"), p.sent("POST delete"))
		}
	}
}

// given answers the licence of the release with an upload of somebody else's.
func (p *platform) given(t *testing.T) operation.UpgradeRequest {
	t.Helper()
	request := p.request(t, releaseID)
	for id := range request.Answers {
		request.Answers[id] = upgrade.Answer{Upload: "no-such-upload"}
	}
	return request
}

func TestAnUploadThatTheSiteDoesNotHaveStopsTheUpgrade(t *testing.T) {
	t.Parallel()
	p := builtIn(t, "healthy")
	wantResult(t, adminapi.OutcomeNotSent, adminapi.KindNotFound)(p.StartUpgrade(t.Context(), p.given(t), nil))
	if p.sent("POST upgrade") != 0 || p.sent("POST delete") != 0 {
		t.Errorf("%d upgrades sent, %d uploads deleted", p.sent("POST upgrade"), p.sent("POST delete"))
	}
}

func TestUploadsThatMayNotBeReadAreLeftToTheSite(t *testing.T) {
	t.Parallel()
	p := builtIn(t, "healthy")
	request := p.given(t)
	p.intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		if strings.Contains(r.URL.Path, "/uploads/") {
			_, _ = w.Write([]byte(`{"error":{"code":403,"message":"You do not have permissions to access this resource or perform this operation.","details":[]}}`))
			return
		}
		pass()
	})
	_, outcome, err := apart(p.StartUpgrade(t.Context(), request, nil))
	if p.sent("POST upgrade") != 1 || outcome != adminapi.OutcomeRefused {
		t.Errorf("outcome %v, error %v, sent %d times", outcome, err, p.sent("POST upgrade"))
	}
}

func TestAPipeIsRefusedAndNotWaitedFor(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "licence.json")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := operation.ReadAnswerFile(pipe, upgrade.LicenceField()); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("error %v", err)
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
	request := operation.UpgradeRequest{Target: adminapi.Update{ID: releaseID}, LicencePath: "/l.json", LatestPatch: &yes, ManifestPath: "/m.dat",
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
	draft, from, err := site.Memory.LoadUpgradeDraft(releaseID)
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
		{Name: "f", Value: "json"},
	}}
	if diff := cmp.Diff(want, shown); diff != "" || err != nil {
		t.Error(err, diff)
	}
}
