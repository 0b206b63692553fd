package adminapi_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"geodeck/adminapi"
)

// answering serves recorded answers by path; f and the method are checked.
func answering(t *testing.T, byPath map[string]string) *site {
	t.Helper()
	return serveRoot(t, func(w http.ResponseWriter, r *http.Request) {
		body, ok := byPath[r.URL.Path]
		if !ok && isRoot(r) {
			body, ok = aRoot, true
		}
		if !ok {
			http.NotFound(w, r)
			return
		}
		if f := r.FormValue("f"); f != "json" && f != "pjson" {
			t.Errorf("%s %s asks for f=%q", r.Method, r.URL.Path, r.FormValue("f"))
		}
		says(http.StatusOK, body)(w, r)
	})
}

func TestEveryRecordedAnswerIsRead(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	c := answering(t, map[string]string{
		"/ctx/admin":                            `{"currentVersion":11.5,"fullVersion":"11.5.0.6745","resources":["jobs"],"status":{"stages":[]}}`,
		"/ctx/admin/mode":                       recorded(t, "mode_off"),
		"/ctx/admin/jobs":                       recorded(t, "jobs_list"),
		"/ctx/admin/jobs/j2":                    recorded(t, "job_edit_service_executing"),
		"/ctx/admin/services":                   recorded(t, "services_root_PARTIAL"),
		"/ctx/admin/system/upgrades":            recorded(t, "upgrades_resource_no_upgrade"),
		"/ctx/admin/healthCheck/suites":         recorded(t, "healthCheck_suites_list_PARTIAL"),
		"/ctx/admin/healthCheck/reports/query":  recorded(t, "healthCheck_reports_query"),
		"/ctx/admin/healthCheck/reports/delete": recorded(t, "healthCheck_reports_delete_REPAIRED"),
		"/ctx/sharing/rest/generateToken":       recorded(t, "token_portal_CONSTRUCTED"),
	}).client(t)

	root, err := c.Root(ctx)
	check(t, "root", root.FullVersion, "11.5.0.6745", err)
	check(t, "root version", root.Version, "11.5", err)
	mode, err := c.Mode(ctx)
	check(t, "mode", mode.ReadOnly, false, err)
	ids, err := c.Jobs.IDs(ctx)
	check(t, "jobs", len(ids), 3, err)
	job, err := c.Jobs.Get(ctx, "j2")
	check(t, "job", []string{job.ID, job.Status, job.Username}, []string{"j2bcbcd49-83a4-4cc1-a034-40e4a266e96d", "EXECUTING", "serviceAdmin"}, err)
	check(t, "endtime of a running job", job.EndTime.Time(), time.Time{}, nil)
	folder, err := c.Services.Folder(ctx, "/")
	check(t, "folder", folder.Services[0].Path(), "SampleWorldCities.MapServer", err)
	upgrades, err := c.Upgrades.Status(ctx)
	check(t, "upgrades", upgrades.State, adminapi.UpgradeNone, err)
	suites, err := c.Health.Suites(ctx)
	check(t, "suites", []any{len(suites), suites[0].ID, len(suites[0].General)}, []any{1, "BSHC-001", 3}, err)
	page, err := c.Health.Reports(ctx, adminapi.ReportQuery{})
	check(t, "reports", []any{page.Runs[0].ID, page.Last()}, []any{"prslejr7yt", true}, err)
	outcome, err := c.Health.Delete(ctx, "a", "b")
	check(t, "delete", outcome, adminapi.OutcomeDone, err)
	token, err := c.Session.SignIn(ctx, "admin", "secret-password", time.Hour)
	check(t, "token", token.Expires, adminapi.Millis(1763700000000), err)
	check(t, "token in use", c.Session.Token().Value.Reveal(), "<token>", nil)
}

func check[T any](t *testing.T, what string, got, want T, err error) {
	t.Helper()
	if err != nil {
		t.Errorf("%s: %v", what, err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func TestTheTokenIsNeverInAnAddress(t *testing.T) {
	t.Parallel()
	var seen []string
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.String(), "CANARY") || r.Header.Get("Referer") == "" {
			t.Errorf("%s %s, referer %q", r.Method, r.URL, r.Header.Get("Referer"))
		}
		how := r.Header.Get("Authorization")
		if r.Method == http.MethodPost {
			how += r.PostFormValue("token")
		}
		seen = append(seen, how)
		says(http.StatusOK, `{"jobs":[],"jobid":"j1","status":"SUBMITTED"}`)(w, r)
	})
	c := s.client(t)
	_, err := c.Jobs.IDs(t.Context())
	check(t, "read", len(seen), 1, err)
	_, _, err = c.Health.Start(t.Context(), adminapi.HealthRun{SuiteIDs: []string{"BSHC-001"}, Name: "n"})
	check(t, "where the token was", seen, []string{"Bearer " + canary, canary}, err)
}

func TestTheTokenCanBeInTheHeaderForSitesBehindAProxy(t *testing.T) {
	t.Parallel()
	var seen []string
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" || strings.Contains(r.URL.String(), canary) {
			t.Errorf("%s %s, Authorization %q", r.Method, r.URL, r.Header.Get("Authorization"))
		}
		where := r.Method + " " + r.Header.Get("X-Esri-Authorization")
		if r.Method == http.MethodPost {
			where += " and " + r.FormValue("token") // of either kind of form
		}
		seen = append(seen, where)
		if strings.HasSuffix(r.URL.Path, "/generateToken") {
			says(http.StatusOK, `{"token":"another","expires":"1763700000000","ssl":true}`)(w, r)
			return
		}
		says(http.StatusOK, `{"jobs":[],"jobid":"j1","status":"SUBMITTED","item":"i1"}`)(w, r)
	})
	c := s.client(t, func(c *adminapi.Config) { c.AuthHeader = "x-esri-AUTHORIZATION" })
	_, err := c.Jobs.IDs(t.Context())
	check(t, "read", len(seen), 1, err)
	_, _, err = c.Health.Start(t.Context(), adminapi.HealthRun{SuiteIDs: []string{"BSHC-001"}, Name: "n"})
	check(t, "run", len(seen), 2, err)
	_, _, err = c.Uploads.Send(t.Context(), adminapi.Part{FileName: "licence.json", Content: []byte("{}")}, "", nil)
	check(t, "upload", len(seen), 3, err)
	token, err := c.Session.SignIn(t.Context(), "admin", "password", 0)
	check(t, "expiry as a text", token.Expires.Time().UnixMilli(), int64(1763700000000), err)
	bearer := " Bearer " + canary
	check(t, "where the token was", seen, []string{"GET" + bearer, "POST" + bearer + " and " + canary, "POST" + bearer + " and " + canary, "POST  and "}, nil)
}

func TestNoOtherHeaderCarriesTheToken(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"": "Authorization", " authorization ": "Authorization", "X-ESRI-authorization": "X-Esri-Authorization"} {
		got, err := adminapi.ParseAuthHeader(name)
		check(t, name, got, want, err)
	}
	for _, name := range []string{"Cookie", "X-Esri-Authorization: Bearer", "Authorization,X-Esri-Authorization"} {
		_, err := adminapi.New(adminapi.Config{Base: "https://gis.example.org/context/admin", AuthHeader: name})
		e := wantKind(t, err, adminapi.KindInvalid)
		if !strings.Contains(e.Error(), "Authorization or X-Esri-Authorization") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
