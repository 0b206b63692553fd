package operation_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/operationtest"
	"geodeck/adminapi/upgrade"
)

func TestTheFactsBeforeAnUpgrade(t *testing.T) {
	t.Parallel()
	p := operationtest.BuiltIn(t, "healthy")
	p.Ahead.Store(int64(3 * time.Hour))
	offer, err := p.Offers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	facts := p.UpgradeFacts(t.Context(), offer, p.Request(t, operationtest.ReleaseID))
	if behind := p.Clock.Now().Add(3 * time.Hour).Sub(facts.Now.Time()).Abs(); behind > time.Second { // the ages are by the clock of the site
		t.Errorf("the time is %v off", behind)
	}
	if !facts.Status.Known() || !facts.Mode.Known() || !facts.Report.Known() || !facts.Backup.Known() || !facts.Caller.Known() {
		t.Errorf("not all was read: %+v", facts)
	}
	if checks := upgrade.Preflight(facts); finding.Blocked(checks) {
		t.Errorf("blocked: %+v", checks)
	}
	p.Intercept(func(w http.ResponseWriter, _ *http.Request, _ func()) { operationtest.HangUp(w) })
	facts = p.UpgradeFacts(context.Background(), offer, operation.UpgradeRequest{Target: offer.Chain.Entries[0].Update})
	for _, check := range upgrade.Preflight(facts) {
		if check.ID == upgrade.CheckRunning || check.ID == upgrade.CheckMode || check.ID == upgrade.CheckHealth || check.ID == upgrade.CheckBackup {
			if !check.Unread || check.ID != upgrade.CheckBackup && check.Strength != finding.Danger { // it is a patch
				t.Errorf("%s is %v although nothing could be read", check.ID, check.Strength)
			}
		}
	}
}

// The health of a site before an upgrade is that of the newest check that has ended, not of one that still runs.
func TestTheHealthBeforeAnUpgradeIsThatOfTheLastCheckThatHasEnded(t *testing.T) {
	t.Parallel()
	p := operationtest.BuiltIn(t, "healthy")
	reports, err := p.Reports().All(t.Context())
	if err != nil || len(reports) == 0 {
		t.Fatalf("%d reports, %v", len(reports), err)
	}
	ended := reports[0]
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		if !strings.HasSuffix(r.URL.Path, "/reports/query") {
			pass()
			return
		}
		_, _ = fmt.Fprintf(w, `{"total":2,"num":2,"start":1,"nextStart":-1,"runs":[{"id":"rabcdefghi","name":"now","state":"in_progress","startTime":%d},{"id":%q,"name":%q,"state":"completed","startTime":%d,"endTime":%d}]}`,
			p.Clock.Now().UnixMilli(), ended.ID, ended.Name, ended.StartTime, ended.EndTime)
	})
	facts := p.UpgradeFacts(t.Context(), operation.Offer{}, operation.UpgradeRequest{})
	if last := facts.Report.Value; !facts.Report.Known() || last.ID != ended.ID || last.Ended != ended.EndTime {
		t.Errorf("%+v", facts.Report)
	}
}

// What the request does without is a fact that its checks warn of.
func TestWhatARequestDoesWithoutIsAFact(t *testing.T) {
	t.Parallel()
	p := operationtest.BuiltIn(t, "healthy")
	request := p.Request(t, operationtest.ReleaseID)
	if facts := p.UpgradeFacts(t.Context(), operation.Offer{}, request); !facts.Settings.Known() || facts.NoUploads {
		t.Errorf("settings %+v, no uploads %v", facts.Settings, facts.NoUploads)
	}
	request.NoUploads, request.ToAnswer = true, true
	if facts := p.UpgradeFacts(t.Context(), operation.Offer{}, request); !facts.NoUploads || !facts.ToAnswer {
		t.Errorf("a licence in the request is an upload: %v, a later step asks for it: %v", !facts.NoUploads, facts.ToAnswer)
	}
	request.Unread = true
	if facts := p.UpgradeFacts(t.Context(), operation.Offer{}, request); facts.Settings.Known() {
		t.Errorf("settings that were not read are known: %+v", facts.Settings)
	}
	client, err := adminapi.New(adminapi.Config{Base: p.Client.Base().String(), Clock: p.Clock, Locked: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.CloseIdleConnections)
	locked := operation.Site{Client: client, Clock: p.Clock}
	if facts := locked.UpgradeFacts(t.Context(), operation.Offer{}, request); !facts.Locked {
		t.Error("the site takes nothing before its name, and nobody says so")
	}
}

// What cannot be read is not missing, and what is missing is no error.
func TestAReportOrABackupThatCannotBeReadIsNotMissing(t *testing.T) {
	t.Parallel()
	const closed, none = `{"error":{"code":403,"message":"no","details":[]}}`, `{"total":0,"num":1000,"start":1,"nextStart":-1,"runs":[]}`
	for name, c := range map[string]struct {
		path, answer   string
		report, backup bool // whether it is known
	}{
		"the list of reports":    {"/reports/query", closed, false, true},
		"a report":               {"/healthCheck/reports/", closed, false, true},
		"no report":              {"/reports/query", none, true, true},
		"the stores":             {"/disasterrecovery", closed, true, false},
		"the backups of a store": {"/backups", closed, true, false},
		"no completed backup":    {"/backups", `{"backups":[{"backupName":"b","status":"failed","startTime":1795212000000,"completeTime":1795212000001}]}`, true, true},
		"a report that failed":   {"/healthCheck/reports/", `{"id":"rabcdefghi","name":"nightly","result":"failed","state":"completed","suiteStatus":[]}`, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := operationtest.BuiltIn(t, "healthy")
			offer, err := p.Offers(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			request := p.Request(t, operationtest.PatchID)
			p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
				if strings.Contains(r.URL.Path, c.path) && (c.path != "/healthCheck/reports/" || !strings.HasSuffix(r.URL.Path, "/query")) {
					_, _ = io.WriteString(w, c.answer)
					return
				}
				pass()
			})
			facts := p.UpgradeFacts(t.Context(), offer, request)
			if facts.Report.Known() != c.report || facts.Backup.Known() != c.backup {
				t.Errorf("report %+v\nbackup %+v", facts.Report, facts.Backup)
			}
			if found := facts.Report.Value.Found; found != (c.report && name != "no report") {
				t.Errorf("a report is found: %v", found)
			}
			if facts.Backup.Value.Found != (c.backup && c.path != "/backups") {
				t.Errorf("a backup is found: %+v", facts.Backup.Value)
			}
			if last := facts.Report.Value; last.Bad != (name == "a report that failed") || last.Bad && last.Good {
				t.Errorf("the last report is %+v", last)
			}
		})
	}
}

// A draft that cannot be read is told, and is not taken for one that holds nothing.
func TestADamagedDraftOfAnUpgradeIsAnError(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	if _, err := p.Memory.Journal.SaveDraft("upgrade settings", operationtest.PatchID, map[string]any{"licencePath": "/l.json", "answers": 7}); err != nil {
		t.Fatal(err)
	}
	if draft, from, err := p.Memory.LoadUpgradeDraft(operationtest.PatchID); err == nil || from != nil || draft.LicencePath != "" {
		t.Errorf("%+v, %+v, %v", draft, from, err)
	}
}

// settingsOf reads settings as the client hands them over.
func settingsOf(t *testing.T, raw string) adminapi.UpgradeSettings {
	t.Helper()
	s := adminapi.UpgradeSettings{}
	if err := json.Unmarshal([]byte(raw), &s); err != nil {
		t.Fatal(err)
	}
	s.Raw = jsontext.Value(raw)
	return s
}

const asksForLicence = `{"userInputs":[{"id":"licenseUpload","type":"File"}]}`

// A licence that no setting asks for goes along where the site may need it, and never with a rollback.
func TestALicenceGoesWithTheRequestOnlyWhereNoSettingAsksForIt(t *testing.T) {
	t.Parallel()
	yes := true
	release, old := adminapi.Update{ID: "rel_1", Version: "12.0.0"}, adminapi.Update{ID: "rel_1", Version: "10.9.1"}
	needs := release
	needs.NewLicensesRequired = &yes
	asks := settingsOf(t, asksForLicence)
	for name, c := range map[string]struct {
		request operation.UpgradeRequest
		want    bool
	}{
		"nothing says so":       {operation.UpgradeRequest{Target: release}, false},
		"the update needs one":  {operation.UpgradeRequest{Target: needs}, true},
		"a setting asks for it": {operation.UpgradeRequest{Target: needs, Settings: asks}, false},
		"unread settings":       {operation.UpgradeRequest{Target: release, Unread: true}, true},
		"one is given":          {operation.UpgradeRequest{Target: release, LicencePath: "/l.json"}, true},
		"the old style":         {operation.UpgradeRequest{Target: old}, true},
		"a rollback":            {operation.UpgradeRequest{Target: needs, Rollback: &upgrade.Rollback{}}, false},
	} {
		if got := c.request.TakesLicence(); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// What the site does not know has the settings of the file. A site that does not say what an update asks for does not
// say that it asks for nothing.
func TestSettingsComeFromTheFileOnlyWhereTheSiteDoesNotKnowTheUpdate(t *testing.T) {
	t.Parallel()
	target := adminapi.Update{ID: "rel_new", Version: "12.0.0", UserForm: []byte(`[{"groupInputs":[{"id":"ofTheFile"}]}]`)}
	own := func(code string) string { return `{"error":{"code":` + code + `,"message":"no","details":[]}}` }
	for name, c := range map[string]struct {
		status int
		body   string
		ofFile bool
	}{
		"not found":      {200, own("404"), true},
		"invalid":        {200, own("400"), true},
		"its own error":  {200, own("500"), true},
		"no answer":      {0, "", false},
		"a proxy's page": {502, "<html>Bad Gateway</html>", false},
		"no privilege":   {200, own("403"), false},
		"a proxy's word": {503, `{"message":"no backend"}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := operationtest.BuiltIn(t, "healthy")
			p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
				switch {
				case !strings.HasSuffix(r.URL.Path, "ettings"):
					pass()
				case c.status == 0:
					operationtest.HangUp(w)
				default:
					w.WriteHeader(c.status)
					_, _ = io.WriteString(w, c.body)
				}
			})
			settings, err := p.UpgradeSettings(t.Context(), operation.UpgradeRequest{Target: target, ManifestPath: "/m.dat"})
			if (err == nil) != c.ofFile || settings.OfFile != c.ofFile || c.ofFile && (len(settings.Inputs) != 1 || settings.Inputs[0].ID != "ofTheFile") {
				t.Errorf("%+v, %v", settings, err)
			}
			if settings, err := p.UpgradeSettings(t.Context(), operation.UpgradeRequest{Target: target}); err == nil {
				t.Errorf("without a file: %+v", settings)
			}
		})
	}
}

// Only a site that does not take the licence as an upload gets it with the request: any other error may have passed
// by the next attempt.
func TestALicenceGoesWithoutAnUploadOnlyWhereTheSiteTakesNone(t *testing.T) {
	t.Parallel()
	kind := func(kind adminapi.Kind) error { return &adminapi.Error{Kind: kind} }
	for name, c := range map[string]struct {
		err  error
		want bool
	}{
		"no uploads":               {&operation.UploadError{Licence: true, Err: kind(adminapi.KindNotFound)}, true},
		"not for this user":        {&operation.UploadError{Licence: true, Err: kind(adminapi.KindPrivilege)}, true},
		"refused":                  {&operation.UploadError{Licence: true, Err: &adminapi.Error{Kind: adminapi.KindInvalid, Status: 200}}, true},
		"invalid before an answer": {&operation.UploadError{Licence: true, Err: kind(adminapi.KindInvalid)}, true},
		"not completed":            {&operation.UploadError{Licence: true}, true},
		"no answer":                {&operation.UploadError{Licence: true, Err: kind(adminapi.KindUnreachable)}, false},
		"a sign-in":                {&operation.UploadError{Licence: true, Err: kind(adminapi.KindSignIn)}, false},
		"another file":             {&operation.UploadError{Err: kind(adminapi.KindNotFound)}, false},
		"another error":            {kind(adminapi.KindNotFound), false},
	} {
		asks := settingsOf(t, asksForLicence)
		given := operation.UpgradeRequest{Settings: asks, Answers: upgrade.Answers{"licenseUpload": {Path: "licence.json"}}}
		request, again := given.WithoutUpload(c.err)
		if again != c.want || request.NoUploads != c.want {
			t.Errorf("%s: %v, %v", name, again, request.NoUploads)
		}
		if _, again = request.WithoutUpload(c.err); again && c.want {
			t.Errorf("%s: it goes with the request a second time", name)
		}
		uploaded := operation.UpgradeRequest{Settings: asks, Answers: upgrade.Answers{"licenseUpload": {Upload: "u1"}}}
		if _, again = uploaded.WithoutUpload(c.err); again { // there is no file: it would be tried for ever
			t.Errorf("%s: an upload that is not there goes with the request", name)
		}
	}
}

// What the review says of the latest patch and of the licence is what is sent.
func TestTheEffectsOfARequestAreThoseOfWhatIsSent(t *testing.T) {
	t.Parallel()
	release := adminapi.Update{ID: "rel_1", Name: "12.0", Version: "12.0.0", Type: "release"}
	asks := settingsOf(t, asksForLicence)
	for name, c := range map[string]struct {
		request        operation.UpgradeRequest
		patch, licence string
	}{
		"no settings":     {operation.UpgradeRequest{Target: release}, "Not installed.", "Not said."},
		"unread settings": {operation.UpgradeRequest{Target: release, Unread: true}, "The site decides.", "Not said."},
		"an upload": {operation.UpgradeRequest{Target: release, Settings: asks, Answers: upgrade.Answers{"licenseUpload": {Upload: "u1"}}},
			"Not installed.", "upload u1"},
	} {
		said := map[string]string{}
		for _, e := range c.request.Effects(operation.Offer{}, nil) {
			said[e.Name] = e.Text
		}
		if said["Latest patch"] != c.patch || said[upgrade.EffectLicence] != c.licence {
			t.Errorf("%s: %q", name, said)
		}
	}
}
