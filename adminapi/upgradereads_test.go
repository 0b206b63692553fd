package adminapi_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi"
)

func TestEveryRecordedAnswerAboutUpgradesIsRead(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	c := answering(t, map[string]string{
		"/ctx/admin/system/upgrades":                    recorded(t, "upgrades_resource_success_PARTIAL"),
		"/ctx/admin/system/upgrades/available":          recorded(t, "upgrades_available_none_DERIVED"),
		"/ctx/admin/system/upgrades/getUpgradeSettings": recorded(t, "upgradeSettings_12.0_from_manifest_DERIVED"),
		"/ctx/admin/system/upgrades/checkRollback":      recorded(t, "upgrades_checkRollback_none"),
		"/ctx/admin/system/upgrades/config":             recorded(t, "upgrades_config"),
		"/ctx/admin/system/upgrades/manifestStatus":     recorded(t, "upgrades_manifestStatus_esri"),
		"/ctx/admin/uploads/3aec":                       recorded(t, "uploads_item"),
	}).client(t)

	status, err := c.Upgrades.Status(ctx)
	check(t, "status", []any{status.State, status.Code, status.Running()}, []any{adminapi.UpgradeSuccess, 3, false}, err)
	manifest, err := c.Upgrades.Available(ctx)
	check(t, "available", len(manifest.Patches)+len(manifest.Releases), 0, err)
	settings, err := c.Upgrades.Settings(ctx, "rel_11122025_7286")
	written := jsontext.Value(recorded(t, "upgradeSettings_12.0_from_manifest_DERIVED"))
	if err := written.Compact(); err != nil {
		t.Fatal(err)
	}
	check(t, "settings", string(settings.Raw), string(written), err)
	patch, licence := settings.Inputs[0], settings.Inputs[1]
	check(t, "latest patch", []any{patch.ID, patch.Hidden, string(patch.Value), string(patch.DefaultValue), string(patch.Unknown)},
		[]any{"updateToLatestPatch", true, "true", "false", `{"newfield":""}`}, nil)
	check(t, "licence", []any{licence.SeqNum, licence.Type, licence.Required, licence.ValidFileExtensions},
		[]any{1, "File", true, []string{"json"}}, nil)
	updates, err := c.Upgrades.CheckRollback(ctx)
	check(t, "rollback", len(updates), 0, err)
	config, err := c.Upgrades.Config(ctx)
	check(t, "placement", strings.Contains(string(config.PodPlacement), `"upgrader"`), true, err)
	source, err := c.Upgrades.ManifestStatus(ctx)
	check(t, "source", []any{source.Source, source.LastImported.IsZero()}, []any{"Esri provided", true}, err)
	item, err := c.Uploads.Item(ctx, "3aec")
	check(t, "item", []any{item.Name, item.Committed, item.Date}, []any{"FireWeatherWatch.kmz", true, adminapi.Millis(1597190283335)}, err)
}

func TestRealManifestsAreOffered(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][2]int{
		"version_manifest_file_11.4.0_TRIMMED": {0, 1},
		"version_manifest_file_11.5.0_TRIMMED": {5, 2},
		"version_manifest_file_12.0.0_TRIMMED": {0, 1},
	} {
		c := answering(t, map[string]string{"/ctx/admin/system/upgrades/available": recorded(t, name)}).client(t)
		m, err := c.Upgrades.Available(t.Context())
		check(t, name, [2]int{len(m.Patches), len(m.Releases)}, want, err)
		for _, u := range append(m.Patches, m.Releases...) {
			if u.ID == "" || !strings.HasSuffix(u.FullVersion(), "."+u.Build) || len(u.Containers) != 2 || u.Containers[0].Checksum != "N/A" || u.Released.IsZero() {
				t.Errorf("%s: %+v", name, u)
			}
		}
	}
}

// Real manifests write builds as texts, of releases too; the document has numbers there.
func TestWhatRealManifestsAdd(t *testing.T) {
	t.Parallel()
	c := answering(t, map[string]string{"/ctx/admin/system/upgrades/available": `{"patches":[
		{"id":"p","type":"patch","version":"11.5.0","build":6820,"previousBuild":"6815","releaseBuild":6745,"ismandatoryUpdate":true,"url":"https://example.org/6820"}],
		"releases":[{"id":"r","type":"release","version":"12.0.0","build":"7286","previousReleaseBuild":6745,"userForm":[{"groupId":"g","groupInputs":[]}]}]}`}).client(t)
	m, err := c.Upgrades.Available(t.Context())
	patch, release := m.Patches[0], m.Releases[0]
	check(t, "patch", []any{patch.Build, patch.PreviousBuild, patch.ReleaseBuild, patch.Mandatory, patch.URL},
		[]any{"6820", "6815", "6745", true, "https://example.org/6820"}, err)
	check(t, "release", []any{release.Build, release.PreviousReleaseBuild, release.Mandatory, string(release.UserForm)},
		[]any{"7286", "6745", false, `[{"groupId":"g","groupInputs":[]}]`}, err)
}

// What is asked by POST is repeated like any read, since it changes nothing; it
// reaches no observer and a read-only client may ask it.
func TestReadsByPOSTAreReads(t *testing.T) {
	t.Parallel()
	var forms []string
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		forms = append(forms, r.Method+" "+r.URL.String()+" "+r.PostForm.Encode())
		if len(forms)%2 == 1 {
			says(503, "")(w, r)
			return
		}
		says(200, `{"patches":[],"userInputs":[],"updates":[]}`)(w, r)
	})
	n := &notebook{}
	c := s.client(t, func(c *adminapi.Config) { c.ReadOnly, c.Observer, c.Token.Value = true, n, "t" })
	_, err := c.Upgrades.Available(t.Context())
	check(t, "available", len(n.lines), 0, err)
	_, err = c.Upgrades.Settings(t.Context(), `rel "1"`)
	check(t, "settings", len(n.lines), 0, err)
	_, err = c.Upgrades.CheckRollback(t.Context())
	check(t, "rollback", len(n.lines), 0, err)
	const at = "POST /ctx/admin/system/upgrades/"
	settings := at + "getUpgradeSettings f=pjson&token=t&upgradeId=%7B%22id%22%3A%22rel+%5C%221%5C%22%22%7D"
	check(t, "requests", forms, []string{
		at + "available f=pjson&token=t", at + "available f=pjson&token=t", settings, settings,
		at + "checkRollback f=json&token=t", at + "checkRollback f=json&token=t",
	}, nil)
}

func TestInstalledUpdatesAreReadByPOSTIfGETIsRefused(t *testing.T) {
	t.Parallel()
	var methods []string
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		methods = append(methods, r.Method)
		if r.Method == http.MethodGet {
			says(405, "")(w, r)
			return
		}
		says(200, `{"updates":[{"id":"a","version":"11.5.0","build":6745},{"id":"b","version":"11.5.0","build":"6805"},7,null]}`)(w, r)
	})
	updates, err := s.client(t).Upgrades.Installed(t.Context())
	check(t, "methods", methods, []string{"GET", "POST"}, err)
	var got []string
	for _, u := range updates {
		got = append(got, u.ID+" "+u.Build+" "+string(u.Raw[:1]))
	}
	check(t, "updates; builds as numbers and as texts", got, []string{"a 6745 {", "b 6805 {", "  7", "  n"}, nil)
}

func TestTheInstalledVersionIsReadInEveryKnownShape(t *testing.T) {
	t.Parallel()
	const version = `"id":"rel_1","version":"11.5.0","build":6745,"releaseBuild":"6745"`
	const messages = `"messages":[{"code":2012,"message":"done","when":1700000000000}]`
	for _, body := range []string{
		`{` + version + `,` + messages + `}`,
		`{"messages":{"code":2012,"message":"done","when":"1700000000000"},"currentVersion":{` + version + `}}`,
		`{"version":{` + version + `},` + messages + `}`,
	} {
		c := answering(t, map[string]string{"/ctx/admin/system/upgrades/currentVersion": body}).client(t)
		u, err := c.Upgrades.Current(t.Context())
		check(t, body, []any{u.ID, u.FullVersion(), len(u.Raw) > 0}, []any{"rel_1", "11.5.0.6745", true}, err)
	}
	c := answering(t, map[string]string{"/ctx/admin/system/upgrades/currentVersion": `{"id":"rel_1","build":"6745"}`}).client(t)
	u, err := c.Upgrades.Current(t.Context())
	check(t, "a build alone", u.Build, "6745", err)
}

func TestAManifestWithOneKindOfUpdatesIsRead(t *testing.T) {
	t.Parallel()
	for body, want := range map[string][]int{`{"releases":[{"id":"rel_1"}]}`: {1, 0}, `{"patches":[{"id":"pat_1"}]}`: {0, 1}, `{"releases":[]}`: {0, 0}} {
		m, err := adminapi.DecodeManifest([]byte(body))
		check(t, body, []int{len(m.Releases), len(m.Patches)}, want, err)
	}
}

func TestTheHistoryIsReadInEveryKnownShape(t *testing.T) {
	t.Parallel()
	const entry = `{"operation":"rollback","id":"pat_1","fromVersion":"11.5.0.6805","toVersion":"11.5.0.6745","status":"failure","startTime":1700000000000,"endTime":"1700000060000","note":[1],"type":"patch"}`
	want := adminapi.HistoryEntry{
		Type: "rollback", ID: "pat_1", Version: "11.5.0.6745", PreviousVersion: "11.5.0.6805", Result: "failure",
		Start: 1700000000000, End: 1700000060000, Unknown: adminapi.Unknown(`{"note":[1],"type":"patch"}`), Raw: []byte(entry),
	}
	for _, body := range []string{`[` + entry + `,7]`, `{"history":[` + entry + `,7],"a":[1,2,3,4,5]}`, `{"total":2,"pages":[],"upgrades":[` + entry + `,7]}`} {
		c := answering(t, map[string]string{"/ctx/admin/system/upgrades/history": body}).client(t)
		entries, err := c.Upgrades.History(t.Context())
		check(t, body, entries, []adminapi.HistoryEntry{want, {Raw: []byte("7")}}, err)
	}
	for start, want := range map[string]adminapi.Millis{
		`"2023-11-14 22:13:20.123"`: 1700000000123, `" 2023-11-14 22:13:20 "`: 1700000000000, `1700000000123`: 1700000000123,
		`"2023-11-14"`: 0, `"14.11.2023 22:13:20"`: 0, `"2023-13-14 22:13:20.123"`: 0, `""`: 0, `null`: 0, `true`: 0,
	} {
		c := answering(t, map[string]string{"/ctx/admin/system/upgrades/history": `[{"startTime":` + start + `}]`}).client(t)
		entries, err := c.Upgrades.History(t.Context())
		check(t, start, entries[0].Start, want, err)
	}
	c := answering(t, map[string]string{"/ctx/admin/system/upgrades/history": `[{"type":"upgrade","version":{"id":"x"},"previousVersion":null,"state":"success","start":"yesterday"}]`}).client(t)
	entries, err := c.Upgrades.History(t.Context())
	e := entries[0]
	check(t, "odd members", []any{e.Type, e.Version, e.PreviousVersion, e.State, e.Start.IsZero()}, []any{"upgrade", "", "", "success", true}, err)
	if !json.Valid(e.Unknown) || !strings.Contains(string(e.Unknown), `"version":{"id":"x"}`) {
		t.Errorf("unknown: %s", e.Unknown)
	}
}

func TestBackups(t *testing.T) {
	t.Parallel()
	c := answering(t, map[string]string{
		"/ctx/admin/system/disasterrecovery/stores":                  `{"backupStores":[{"name":"night ly","default":true,"x":1}]}`,
		"/ctx/admin/system/disasterrecovery/stores/night ly/backups": `{"backups":[{"backupName":"b","startTime":1700000000000,"status":"completed"}]}`,
		"/ctx/admin/system/disasterrecovery/stores/none/backups":     `{"backups":null}`,
		"/ctx/admin/system/disasterrecovery/stores/odd/backups":      `{"BACK_ups":[{"backup_name":"b"}]}`,
	}).client(t)
	stores, err := c.Backups.Stores(t.Context())
	check(t, "stores", []any{stores[0].Name, stores[0].Default, string(stores[0].Unknown)}, []any{"night ly", true, `{"x":1}`}, err)
	backups, err := c.Backups.List(t.Context(), stores[0].Name)
	check(t, "backups", backups, []adminapi.Backup{{Name: "b", Status: adminapi.BackupCompleted, Start: 1700000000000}}, err)
	backups, err = c.Backups.List(t.Context(), "none")
	check(t, "none", len(backups), 0, err)
	backups, err = c.Backups.List(t.Context(), "odd")
	check(t, "names in another spelling", backups, []adminapi.Backup{{Name: "b"}}, err)
}

// readers are the reads of this area, each with an answer that holds nothing
// where the site may have nothing to say, else "".
func readers(t *testing.T, c *adminapi.Client) map[string]struct {
	read  func() error
	empty string
} {
	ctx := t.Context()
	type reader = struct {
		read  func() error
		empty string
	}
	return map[string]reader{
		"available":      {func() error { _, err := c.Upgrades.Available(ctx); return err }, `{"patches":[],"releases":[]}`},
		"settings":       {func() error { _, err := c.Upgrades.Settings(ctx, "a"); return err }, `{}`},
		"currentVersion": {func() error { _, err := c.Upgrades.Current(ctx); return err }, ""},
		"installed":      {func() error { _, err := c.Upgrades.Installed(ctx); return err }, `{"updates":[]}`},
		"history":        {func() error { _, err := c.Upgrades.History(ctx); return err }, `[]`},
		"checkRollback":  {func() error { _, err := c.Upgrades.CheckRollback(ctx); return err }, `{"updates":null}`},
		"manifestStatus": {func() error { _, err := c.Upgrades.ManifestStatus(ctx); return err }, ""},
		"config":         {func() error { _, err := c.Upgrades.Config(ctx); return err }, `{}`},
		"upload":         {func() error { _, err := c.Uploads.Item(ctx, "a"); return err }, ""},
		"stores":         {func() error { _, err := c.Backups.Stores(ctx); return err }, `{"backupStores":[]}`},
		"backups":        {func() error { _, err := c.Backups.List(ctx, "a"); return err }, `{"backups":[]}`},
	}
}

func TestAnEmptyResultDiffersFromNoAnswer(t *testing.T) {
	t.Parallel()
	body := ""
	c := serve(t, func(w http.ResponseWriter, r *http.Request) { says(200, body)(w, r) }).client(t)
	for name, r := range readers(t, c) {
		for _, body = range []string{"", "null", `"a"`, `{"jobs":7}`, `{"status":"success"}`, "{", "[[", "<html>"} {
			if err := r.read(); err == nil {
				t.Errorf("%s takes %q", name, body)
			} else {
				wantKind(t, err, adminapi.KindNotJSON)
			}
		}
		if body = r.empty; body != "" {
			if err := r.read(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// How a site refuses what is closed during an upgrade is not known, so every
// refusal has to be understood.
func TestResourcesRefusedDuringAnUpgradeAreBusy(t *testing.T) {
	t.Parallel()
	for name, refusal := range map[string]http.HandlerFunc{
		"says so":         says(409, `{"error":{"code":409,"message":"Another operation is in progress"}}`),
		"not found":       says(404, ""),
		"forbidden":       says(200, `{"error":{"code":403,"message":"no"}}`),
		"server error":    says(500, `{"error":{"code":500,"message":"no"}}`),
		"a page with 404": says(404, "<html>"),
		"invalid":         says(200, `{"error":{"code":400,"message":"no"}}`),
	} {
		t.Run(name, func(t *testing.T) {
			s := serveRoot(t, func(w http.ResponseWriter, r *http.Request) {
				switch r.URL.Path {
				case "/ctx/admin":
					says(200, `{"fullVersion":"11.5.0.1"}`)(w, r)
				case "/ctx/admin/system/upgrades":
					says(200, begun)(w, r)
				default:
					refusal(w, r)
				}
			})
			for what, r := range readers(t, s.client(t)) {
				if what == "upload" || what == "stores" || what == "backups" {
					continue
				}
				err := r.read()
				if e := wantKind(t, err, adminapi.KindBusy); !strings.Contains(e.Error(), "in progress") || e.Privilege != "" {
					t.Errorf("%s: %v", what, e)
				}
			}
		})
	}
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/ctx/admin/system/upgrades" {
			says(200, recorded(t, "upgrades_resource_no_upgrade"))(w, r)
			return
		}
		says(200, recorded(t, "error_403_portal"))(w, r)
	}).client(t)
	_, err := c.Upgrades.Available(t.Context())
	if e := wantKind(t, err, adminapi.KindPrivilege); !strings.Contains(e.Error(), "Servers") {
		t.Error(e)
	}
}

func TestAMissingResourceOfAnOldSiteIsTooOld(t *testing.T) {
	t.Parallel()
	for version, tooOld := range map[string][]string{
		"10.9.1.1": {"config", "manifestStatus"}, "11.2": {"manifestStatus"}, "11.4": nil,
	} {
		s := serveRoot(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/ctx/admin" {
				says(200, `{"fullVersion":"`+version+`"}`)(w, r)
				return
			}
			says(404, "")(w, r)
		})
		for name, r := range readers(t, s.client(t)) {
			want := adminapi.KindNotFound
			if strings.Contains(strings.Join(tooOld, " "), name) {
				want = adminapi.KindVersionTooOld
			}
			t.Run(version+"/"+name, func(t *testing.T) { wantKind(t, r.read(), want) })
		}
	}
}
