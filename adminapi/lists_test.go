package adminapi_test

import (
	"net/http"
	"strings"
	"testing"

	"geodeck/adminapi"
)

func TestPagesOfReports(t *testing.T) {
	t.Parallel()
	var queries []string
	body := ""
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		queries = append(queries, r.URL.RawQuery)
		says(200, body)(w, r)
	})
	c := s.client(t)
	cases := []struct {
		body string
		next int
		last bool
	}{
		{`{"total":3,"num":2,"start":1,"nextStart":3,"runs":[{"id":"a"},{"id":"b"}]}`, 3, false},
		{`{"total":3,"num":2,"start":3,"nextStart":-1,"runs":[{"id":"c"}]}`, -1, true},
		{`{"total":1,"num":2,"start":1,"runs":[{"id":"a"}]}`, -1, true},
		{`{"total":1,"num":2,"start":1,"nextStart":null,"runs":[{"id":"a"}]}`, -1, true},
		{`{"total":0,"num":2,"start":1,"nextStart":-1}`, -1, true},
		{`{"start":1}`, -1, true},
		{`{"nextStart":-1}`, -1, true},
		{`{"total":9,"num":2,"start":1,"nextStart":3,"runs":[]}`, 3, true},           // a list that leads on to nothing ends
		{`{"total":9,"num":2,"start":3,"nextStart":3,"runs":[{"id":"a"}]}`, 3, true}, // and one that leads to itself
		{`{"total":9,"num":2,"start":3,"nextStart":1,"runs":[{"id":"a"}]}`, 1, true}, // a list that leads back ends
	}
	for _, x := range cases {
		body = x.body
		page, err := c.Health.Reports(t.Context(), adminapi.ReportQuery{Results: []string{"failed", "unknown"}, Start: 3, Num: 2})
		check(t, x.body, []any{page.NextStart, page.Last()}, []any{x.next, x.last}, err)
	}
	check(t, "query", queries[0], "f=json&num=2&runResult=failed%2Cunknown&start=3", nil)
	if _, err := c.Health.Reports(t.Context(), adminapi.ReportQuery{}); err != nil {
		t.Error(err)
	}
	check(t, "query of all", queries[len(queries)-1], "f=json&num=1000&start=1", nil)
	body = `{"jobs":[]}`
	_, err := c.Health.Reports(t.Context(), adminapi.ReportQuery{})
	wantKind(t, err, adminapi.KindNotJSON)
}

func TestCriticalTestsAreFoundUnderAnyOfTheirNames(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"criticalTests", "criticalTest", "CriticalTestList"} {
		c := serve(t, says(200, `{"userSuites":[{"id":"A","criticalNote":"n","`+key+`":[{"name":"x"}],"generalTests":[{"name":"y"}]}],
			"systemSuites":[{"id":"B","systemOnly":true}]}`)).client(t)
		suites, err := c.Health.Suites(t.Context())
		if err != nil || len(suites) != 2 || len(suites[0].Critical) != 1 || suites[0].Critical[0].Name != "x" || !suites[1].SystemOnly {
			t.Errorf("%s: %+v, %v", key, suites, err)
		}
	}
	c := serve(t, says(200, `{"systemSuites":[{"id":"C","notes":[{"name":"x"}]}]}`)).client(t)
	suites, err := c.Health.Suites(t.Context())
	if err != nil || len(suites) != 1 || suites[0].ID != "C" || len(suites[0].Critical) != 0 {
		t.Errorf("a suite without critical tests: %+v, %v", suites, err)
	}
	c = serve(t, says(200, `{"userSuites":null,"jobs":[]}`)).client(t)
	_, err = c.Health.Suites(t.Context())
	wantKind(t, err, adminapi.KindNotJSON)
}

func TestMissingMembersAreErrors(t *testing.T) {
	t.Parallel()
	c := serveRoot(t, says(200, `{"message":"m"}`)).client(t)
	_, err := c.Mode(t.Context())
	wantKind(t, err, adminapi.KindNotJSON)
	_, err = c.Upgrades.Status(t.Context())
	wantKind(t, err, adminapi.KindNotJSON)
	_, err = c.Root(t.Context())
	wantKind(t, err, adminapi.KindNotJSON)
	_, err = c.Services.Folder(t.Context(), "")
	wantKind(t, err, adminapi.KindNotJSON)
	_, err = c.Services.Definition(t.Context(), adminapi.ServiceRef{Name: "a", Type: "MapServer"})
	wantKind(t, err, adminapi.KindNotJSON)
	_, err = c.Session.Self(t.Context())
	wantKind(t, err, adminapi.KindNotJSON)
	_, err = c.Session.SignIn(t.Context(), "u", "p", 0)
	wantKind(t, err, adminapi.KindNotJSON)
}

func TestAnEmptyFolderIsOne(t *testing.T) {
	t.Parallel()
	for _, body := range []string{`{"folders":[]}`, `{"services":[]}`, `{"folderName":"/"}`} {
		folder, err := serve(t, says(200, body)).client(t).Services.Folder(t.Context(), "/")
		check(t, body, len(folder.Services)+len(folder.Folders), 0, err)
	}
}

func TestADefinitionIsReturnedAsWritten(t *testing.T) {
	t.Parallel()
	const definition = `{ "serviceName":"Roads", "type":"MapServer","n":1.0,"big":12345678901234567890,"n":1e2, "u":"\u0041\/" }`
	s := answering(t, map[string]string{"/ctx/admin/services/My Maps/Roads.MapServer": definition})
	got, err := s.client(t).Services.Definition(t.Context(), adminapi.ServiceRef{Folder: "My Maps", Name: "Roads", Type: "MapServer"})
	check(t, "definition", string(got), definition, err)
}

func TestTheRootOfAnOldSiteIsRead(t *testing.T) {
	t.Parallel()
	c := serveRoot(t, says(200, `{"currentVersion": 10.9.1, "resources":["services"]}`)).client(t)
	root, err := c.Root(t.Context())
	check(t, "version", root.Version, "10.9.1", err)
	v, known := c.Version()
	check(t, "parsed", []any{v.String(), known}, []any{"10.9.1", true}, nil)
}

// The addresses that an answer holds are never visited, and never more than
// the id is taken from them.
// The token stays with the host that the user named, whatever address an answer holds.
func TestForeignAddressesInAnAnswerAreNotRequested(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"/ctx/admin/healthCheck/reports/abc":                              "abc",
		"/ctx/admin/healthCheck/reports/abc/":                             "abc",
		"https://evil.example:1/x/admin/healthCheck/reports/abc?f=html#x": "abc",
		"https://user:pw@evil.example/x/admin/healthCheck/reports/a%20b/": "a b",
		"https://evil.example:1/x/reports/abc":                            "",
		"/ctx/admin/healthCheck/reports/abc/delete":                       "",
		"/ctx/admin/healthCheck/reports/abc/../../mode":                   "",
		"/ctx/admin/healthCheck/reports/":                                 "",
		"/ctx/admin/jobs/":                                                "",
		"file:///reports/abc":                                             "abc",
		"/reports/abc":                                                    "abc",
		"reports/abc":                                                     "abc",
		"reports/abc/?f=json":                                             "abc",
		"healthCheck/reports/abc":                                         "abc",
		"/healthCheck/reports/abc":                                        "abc",
		"https://host.example/reports/abc":                                "abc",
		"abc":                                                             "",
		"/services/reports/abc":                                           "",
		"/ctx/myhealthCheck/reports/abc":                                  "",
		"reports/reports/abc":                                             "",
		"//reports/abc":                                                   "",
		"/ctx/admin/healthCheck/reports/..":                               "",
		"/ctx/admin/healthCheck/reports/%2e%2e":                           "",
		"/ctx/admin/healthCheck/reports/a%00b":                            "",
		"https://evil.example":                                            "",
		"https://evil.example/a\\admin/healthCheck/reports/abc":           "abc",
		"//evil.example/ctx/admin/healthCheck/reports/abc":                "abc",
		"http://127.0.0.1:1/ctx/admin/healthCheck/reports/abc":            "abc",
		"http:///ctx/admin/healthCheck/reports/abc":                       "abc",
		"file:///ctx/admin/healthCheck/reports/abc":                       "abc",
		"javascript:alert(1)":                                             "",
		"https://evil.example:port/admin/healthCheck/reports/abc":         "",
		"":                                       "",
		"://":                                    "",
		"/reports/" + strings.Repeat("x", 1<<20): "",
	} {
		quoted := mustJSON(t, address)
		s := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/ctx/admin/healthCheck/run" && r.URL.Path != "/ctx/admin/healthCheck/reports/"+want {
				t.Errorf("%s was visited", r.URL)
			}
			says(200, `{"jobsUrl":`+quoted+`,"statusURL":`+quoted+`}`)(w, r)
		})
		direct := &http.Transport{}
		c := s.client(t, func(c *adminapi.Config) {
			c.Transport = roundTripper(func(r *http.Request) (*http.Response, error) {
				if "http://"+r.URL.Host != s.URL || r.URL.User != nil {
					t.Errorf("%s was to be visited", r.URL)
				}
				return direct.RoundTrip(r)
			})
		})
		accepted, outcome, err := c.Health.Start(t.Context(), aRun)
		if want != "" {
			_, _ = c.Health.Report(t.Context(), accepted.ReportID)
		}
		direct.CloseIdleConnections()
		check(t, address, accepted.ReportID, want, nil)
		if (outcome == adminapi.OutcomeDone) != (want != "") || (err == nil) != (want != "") {
			t.Errorf("%.80q: %v, %v", address, outcome, err)
		}
	}
}
