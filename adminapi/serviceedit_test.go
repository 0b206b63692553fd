package adminapi_test

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi"
)

var roads = adminapi.ServiceRef{Folder: "My Maps", Name: "Roads+Rails", Type: "MapServer"}

// aDefinition is written as no library would write it.
const aDefinition = `{ "type":"MapServer",
	"serviceName" : "Roads+Rails","n":1.0,"big":12345678901234567890, "u":"\u0041\/&=%20+", "x":{"b":1e2,"a":-0} }`

func TestAnEditSendsTheDefinitionAsItIs(t *testing.T) {
	t.Parallel()
	var seen []string
	var forms []url.Values
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		seen, forms = append(seen, r.Method+" "+r.URL.EscapedPath()), append(forms, r.PostForm)
		says(200, `{"status":"success"}`)(w, r)
	})
	c := s.client(t)
	root := roads
	root.Folder = ""
	for i, ref := range []adminapi.ServiceRef{roads, root} {
		accepted, outcome, err := c.Change(t.Context(), adminapi.EditService(ref, jsontext.Value(aDefinition), i == 1))
		check(t, "edit", []any{accepted, outcome, accepted.Finished()}, []any{adminapi.Accepted{Status: "success"}, adminapi.OutcomeDone, true}, err)
	}
	_, _, _ = c.Change(t.Context(), adminapi.SwitchService(roads, true, true))
	_, _, _ = c.Change(t.Context(), adminapi.SwitchService(root, false, false))
	check(t, "requests", seen, []string{
		"POST /ctx/admin/services/My%20Maps/Roads+Rails.MapServer/edit", "POST /ctx/admin/services/Roads+Rails.MapServer/edit",
		"POST /ctx/admin/services/My%20Maps/Roads+Rails.MapServer/start", "POST /ctx/admin/services/Roads+Rails.MapServer/stop",
	}, nil)
	form := func(async string) url.Values {
		return url.Values{"service": {aDefinition}, "async": {async}, "f": {"pjson"}, "token": {canary}}
	}
	check(t, "forms of edits", forms[:2], []url.Values{form("false"), form("true")}, nil)
	check(t, "async", []string{forms[2].Get("async"), forms[3].Get("async")}, []string{"true", "false"}, nil)
}

// A service is edited, started or stopped once at the most, and done only where the site says so.
func TestAServiceIsChangedOnceAndTheOutcomeFollowsFromTheAnswer(t *testing.T) {
	t.Parallel()
	cases := []evidence{
		{"success", reply(200, recorded(t, "service_start_sync")), adminapi.OutcomeDone, 0, ""},
		{"success in another spelling", reply(200, `{"success":true}`), adminapi.OutcomeDone, 0, ""},
		{"job", reply(200, `{"jobsUrl":"https://x/jobs/j1","jobID":"j1","jobStatus":"SUBMITTED"}`), adminapi.OutcomeDone, 0, "j1"},
		{"job in the other spelling", reply(200, `{"jobsUrl":"x","jobid":"j1","status":"SUBMITTED"}`), adminapi.OutcomeDone, 0, "j1"},
		{"a job by its address alone", reply(200, `{"jobsUrl":"https://x/ctx/admin/jobs/j1/","jobStatus":"SUBMITTED"}`), adminapi.OutcomeDone, 0, "j1"},
		{"an address of a job that is a step", reply(200, `{"jobsUrl":"/ctx/admin/jobs/..","jobStatus":"SUBMITTED"}`), adminapi.OutcomeUnknown, adminapi.KindNotJSON, ""},
		{"an address of another job", reply(200, `{"jobsUrl":"/ctx/rest/services/Roads/GPServer/jobs/j1"}`), adminapi.OutcomeUnknown, adminapi.KindNotJSON, ""},
		{"a job that succeeds at once", reply(200, `{"jobid":"j1","status":"success"}`), adminapi.OutcomeDone, 0, "j1"},
		{"closed", breakOff(""), adminapi.OutcomeUnknown, adminapi.KindUnreachable, ""},
		{"never answered", keepSilent, adminapi.OutcomeUnknown, adminapi.KindUnreachable, ""},
		{"empty", reply(200, ""), adminapi.OutcomeUnknown, adminapi.KindNotJSON, ""},
		{"half", reply(200, `{"status":"succ`), adminapi.OutcomeUnknown, adminapi.KindNotJSON, ""},
		{"502", reply(502, "<html></html>"), adminapi.OutcomeUnknown, adminapi.KindNotJSON, ""},
		{"another word", reply(200, `{"status":"perhaps"}`), adminapi.OutcomeUnknown, adminapi.KindNotJSON, ""},
		{"success and an error", reply(200, `{"status":"success","error":7}`), adminapi.OutcomeUnknown, adminapi.KindNotJSON, ""},
		{"a report", reply(200, `{"statusURL":"/ctx/admin/healthCheck/reports/abc"}`), adminapi.OutcomeUnknown, adminapi.KindNotJSON, ""},
		{"an error of its own", reply(200, recorded(t, "error_500_SIBLING_server_admin_start")), adminapi.OutcomeUnknown, adminapi.KindServer, ""},
		{"a job that is a step", reply(200, `{"jobid":"..","status":"SUBMITTED"}`), adminapi.OutcomeUnknown, adminapi.KindServer, ""},
		{"a job that is a step, and success", reply(200, `{"jobid":".","status":"success"}`), adminapi.OutcomeUnknown, adminapi.KindServer, ""},
		{"a job that is a path", reply(200, `{"jobID":"a/b","jobStatus":"SUBMITTED"}`), adminapi.OutcomeUnknown, adminapi.KindServer, ""},
		{"a job that holds controls", reply(200, `{"jobid":"a\u001b[2J","status":"SUBMITTED"}`), adminapi.OutcomeUnknown, adminapi.KindServer, ""},
		{"invalid", reply(200, recorded(t, "error_400_portal")), adminapi.OutcomeRefused, adminapi.KindInvalid, ""},
		{"no privilege", reply(200, recorded(t, "error_403_portal")), adminapi.OutcomeRefused, adminapi.KindPrivilege, ""},
		{"too large", reply(413, ""), adminapi.OutcomeRefused, adminapi.KindTooLarge, ""},
	}
	for name, change := range map[string]func(context.Context, *adminapi.Client) (adminapi.Accepted, adminapi.Outcome, error){
		"edit": func(ctx context.Context, c *adminapi.Client) (adminapi.Accepted, adminapi.Outcome, error) {
			return c.Change(ctx, adminapi.EditService(roads, jsontext.Value(aDefinition), true))
		},
		"start": func(ctx context.Context, c *adminapi.Client) (adminapi.Accepted, adminapi.Outcome, error) {
			return c.Change(ctx, adminapi.SwitchService(roads, true, true))
		},
		"stop": func(ctx context.Context, c *adminapi.Client) (adminapi.Accepted, adminapi.Outcome, error) {
			return c.Change(ctx, adminapi.SwitchService(roads, false, true))
		},
	} {
		t.Run(name, func(t *testing.T) {
			wantOutcomes(t, cases, func(ctx context.Context, c *adminapi.Client) (string, adminapi.Outcome, error) {
				accepted, outcome, err := change(ctx, c)
				return accepted.JobID, outcome, err
			})
		})
	}
}

func TestAnInvalidDefinitionIsNotSent(t *testing.T) {
	t.Parallel()
	s := rawServe(t, func(exchange) bool { return false })
	c := newClient(t, s.base())
	for text, reason := range map[string]string{
		"":                                "not a JSON object",
		"null":                            "not a JSON object",
		`[{"serviceName":"Roads+Rails"}]`: "not a JSON object",
		`{"serviceName":"Roads+Rails"`:    "invalid JSON",
		`{} {}`:                           "invalid JSON",
		`{"a":1,"a":2}`:                   "repeats a key",
		"{\"a\":\"\xff\"}":                "invalid JSON",
		`{"a":"\ud800"}`:                  "invalid JSON",
		`{"serviceName":"Rivers","type":"MapServer"}`:       "its serviceName is Rivers, not Roads+Rails",
		`{"serviceName":"Roads+Rails","type":"TileServer"}`: "its type is TileServer, not MapServer",
		`{"serviceName":7}`: "must be strings",
	} {
		_, outcome, err := c.Change(t.Context(), adminapi.EditService(roads, jsontext.Value(text), false))
		if e := wantKind(t, err, adminapi.KindInvalid); !strings.Contains(e.Error(), reason) {
			t.Errorf("%q: %v", text, e)
		}
		check(t, text, outcome, adminapi.OutcomeNotSent, nil)
	}
	for _, ref := range []adminapi.ServiceRef{{}, {Name: "a"}, {Type: "a"}, {Folder: "..", Name: "a", Type: "b"}, {Name: "a\x1b", Type: "b"}} {
		_, outcome, err := c.Change(t.Context(), adminapi.EditService(ref, jsontext.Value("{}"), false))
		wantKind(t, err, adminapi.KindInvalid)
		check(t, "edit", outcome, adminapi.OutcomeNotSent, nil)
		_, outcome, err = c.Change(t.Context(), adminapi.SwitchService(ref, false, false))
		wantKind(t, err, adminapi.KindInvalid)
		check(t, "stop", outcome, adminapi.OutcomeNotSent, nil)
	}
	check(t, "requests", s.posts.Load(), 0, nil)
}

func TestCaseDoesNotDistinguishServices(t *testing.T) {
	t.Parallel()
	c := serve(t, says(200, `{"status":"success"}`)).client(t)
	for _, text := range []string{"{}", `{"serviceName":"ROADS+rails","Type":"of something else"}`} {
		_, outcome, err := c.Change(t.Context(), adminapi.EditService(roads, jsontext.Value(text), false))
		check(t, text, outcome, adminapi.OutcomeDone, err)
	}
}

// The parameter async came with 10.9.1. The version is fetched once, before the first write.
func TestOnlySitesThatKnowAsyncGetIt(t *testing.T) {
	t.Parallel()
	const older = `{"error":{"code":403,"message":"no"}}`
	for root, want := range map[string]string{
		`{"fullVersion":"10.9.0.505","resources":[]}`:  "edit start stop",
		`{"fullVersion":"10.9.1.604","resources":[]}`:  "edit async start async stop async",
		`{"fullVersion":"11.10.0.1","resources":[]}`:   "edit async start async stop async edit async run async",
		`{"currentVersion":10.9.0,"resources":[]}`:     "edit start stop",
		`{"resources":["services"]}`:                   "edit start stop edit async run async",
		older:                                          "edit start stop edit async run async",
		`{"fullVersion":"10.9","currentVersion":11.5}`: "edit start stop",
	} {
		var sent []string
		roots := 0
		c := serveRoot(t, func(w http.ResponseWriter, r *http.Request) {
			if isRoot(r) {
				roots++
				says(200, root)(w, r)
				return
			}
			_ = r.ParseForm()
			sent = append(sent, r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:])
			if r.Form.Has("async") {
				sent = append(sent, "async")
			}
			says(200, `{"status":"success"}`)(w, r)
		}).client(t)
		_, outcome, err := c.Change(t.Context(), adminapi.EditService(roads, jsontext.Value(aDefinition), true))
		check(t, root, outcome, adminapi.OutcomeDone, err)
		_, _, _ = c.Change(t.Context(), adminapi.SwitchService(roads, true, true))
		_, _, _ = c.Change(t.Context(), adminapi.SwitchService(roads, false, false))
		_, _, _ = c.Change(t.Context(), adminapi.EditServicePlacement(roads, jsontext.Value(aPolicy)))
		_, _, _ = c.Health.Start(t.Context(), aRun)
		check(t, root, strings.Join(sent, " "), want, nil)
		if _, known := c.Version(); known && roots != 1 {
			t.Errorf("%s: the version was fetched %d times", root, roots)
		}
	}
}

// Without its version nothing is sent to a site, unless it does not tell this user.
func TestNothingIsSentToASiteWhoseVersionCannotBeRead(t *testing.T) {
	t.Parallel()
	for body, kind := range map[string]adminapi.Kind{
		`{"error":{"code":498,"message":"Invalid token."}}`: adminapi.KindSignIn,
		`{"error":{"code":500,"message":"no"}}`:             adminapi.KindServer,
		"<html><title>Sign in</title></html>":               adminapi.KindNotJSON,
		`{"message":"m"}`:                                   adminapi.KindNotJSON,
	} {
		posts := 0
		c := serveRoot(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost {
				posts++
			}
			says(200, body)(w, r)
		}).client(t)
		_, outcome, err := c.Change(t.Context(), adminapi.EditService(roads, jsontext.Value(aDefinition), true))
		if e := wantKind(t, err, kind); !strings.HasPrefix(e.Error(), "cannot edit the service: nothing was sent: the site's version could not be read: ") ||
			strings.Count(e.Error(), "(code ")+strings.Count(e.Error(), "(HTTP ") > 1 {
			t.Error(e)
		}
		check(t, body, []any{outcome, posts}, []any{adminapi.OutcomeNotSent, 0}, nil)
	}
}

// A proxy that finds nothing while the site is down does not say that the site shows no version.
func TestNothingIsSentWhereOnlyAProxyFindsNothing(t *testing.T) {
	t.Parallel()
	edits := 0
	c := serveRoot(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/edit") {
			edits++
		}
		says(http.StatusNotFound, "<html><title>Not Found</title></html>")(w, r)
	}).client(t)
	_, outcome, err := c.Change(t.Context(), adminapi.EditService(roads, jsontext.Value(aDefinition), true))
	check(t, "edit", []any{outcome, edits, err != nil}, []any{adminapi.OutcomeNotSent, 0, true}, nil)
}

// What a preview shows is what is sent, but for the token.
func TestAPreviewIsTheRequest(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"10.9.0.505", "12.0.0.1"} {
		var method, path, body string
		c := serveRoot(t, func(w http.ResponseWriter, r *http.Request) {
			if isRoot(r) {
				says(200, `{"fullVersion":"`+version+`"}`)(w, r)
				return
			}
			raw, _ := io.ReadAll(r.Body)
			method, path, body = r.Method, r.URL.EscapedPath(), string(raw)
			says(200, `{"status":"success"}`)(w, r)
		}).client(t)
		definition, policy := jsontext.Value(aDefinition), jsontext.Value(aPolicy)
		for name, change := range map[string]struct {
			preview func() (adminapi.Request, error)
			send    func() (adminapi.Accepted, adminapi.Outcome, error)
		}{
			"edit in a job": {
				func() (adminapi.Request, error) {
					return c.Preview(t.Context(), adminapi.EditService(roads, definition, true))
				},
				func() (adminapi.Accepted, adminapi.Outcome, error) {
					return c.Change(t.Context(), adminapi.EditService(roads, definition, true))
				},
			},
			"edit": {
				func() (adminapi.Request, error) {
					return c.Preview(t.Context(), adminapi.EditService(roads, definition, false))
				},
				func() (adminapi.Accepted, adminapi.Outcome, error) {
					return c.Change(t.Context(), adminapi.EditService(roads, definition, false))
				},
			},
			"placement": {
				func() (adminapi.Request, error) {
					return c.Preview(t.Context(), adminapi.EditServicePlacement(roads, policy))
				},
				func() (adminapi.Accepted, adminapi.Outcome, error) {
					return c.Change(t.Context(), adminapi.EditServicePlacement(roads, policy))
				},
			},
		} {
			method = ""
			shown, err := change.preview()
			if name == "placement" && version == "10.9.0.505" {
				wantKind(t, err, adminapi.KindVersionTooOld)
				continue
			}
			check(t, name, method, "", err) // nothing was sent
			if _, outcome, err := change.send(); outcome != adminapi.OutcomeDone {
				t.Fatal(outcome, err)
			}
			encoded := make([]string, len(shown.Fields))
			for i, field := range shown.Fields {
				if field.Name == "token" {
					check(t, "token", field.Value, "[secret]", nil)
					field.Value = canary
				}
				encoded[i] = url.QueryEscape(field.Name) + "=" + url.QueryEscape(field.Value)
			}
			check(t, name, []string{shown.Method, shown.Path, strings.Join(encoded, "&")}, []string{method, path, body}, nil)
		}
	}
}

func TestAPreviewOfAReadOnlyClientMasksSecrets(t *testing.T) {
	t.Parallel()
	c := serve(t, says(500, "")).client(t, func(cfg *adminapi.Config) { cfg.ReadOnly = true })
	shown, err := c.Preview(t.Context(), adminapi.EditService(roads, jsontext.Value(`{"description":"`+canary+`","n":1.0}`), true))
	check(t, "fields", shown.Fields, []adminapi.Field{
		{Name: "async", Value: "true"}, {Name: "f", Value: "pjson"},
		{Name: "service", Value: `{"description":"[secret]","n":1.0}`}, {Name: "token", Value: "[secret]"},
	}, err)
	_, err = c.Preview(t.Context(), adminapi.EditService(roads, jsontext.Value("[]"), true))
	wantKind(t, err, adminapi.KindInvalid)
}

func TestARefusedEditNamesThePrivilege(t *testing.T) {
	t.Parallel()
	c := serve(t, says(200, recorded(t, "error_403_portal"))).client(t)
	_, _, err := c.Change(t.Context(), adminapi.EditService(roads, jsontext.Value(aDefinition), false))
	if e := wantKind(t, err, adminapi.KindPrivilege); e.Privilege != "Update, Delete, or Security and infrastructure, or the Publisher role" {
		t.Error(e.Privilege)
	}
}

func TestTheStateOfAService(t *testing.T) {
	t.Parallel()
	for body, want := range map[string][]bool{ // running, settled, down
		recorded(t, "service_status"):                                     {true, true, false},
		`{"configuredState":"STARTED","realTimeState":"STOPPED"}`:         {false, false, true},
		`{"configuredState":"STOPPED","realTimeState":"STOPPED"}`:         {false, true, false},
		`{"configuredState":"STOPPED","realTimeState":"STARTED"}`:         {true, false, false},
		`{"configuredState":"STARTED","realTimeState":"RECYCLING"}`:       {false, false, false},
		`{"configuredState":"STARTED"}`:                                   {false, false, false},
		`{"ConfiguredState":"STARTED","realTimeState":"STARTED","n":1.0}`: {true, true, false},
	} {
		c := answering(t, map[string]string{"/ctx/admin/services/My Maps/Roads+Rails.MapServer/status": body}).client(t)
		status, err := c.Services.Status(t.Context(), roads)
		check(t, body, []bool{status.Running(), status.Settled(), status.Down()}, want, err)
	}
	check(t, "not read", adminapi.ServiceStatus{}.Settled(), false, nil)
	c := serve(t, says(200, `{"state":"STARTED"}`)).client(t)
	_, err := c.Services.Status(t.Context(), roads)
	wantKind(t, err, adminapi.KindNotJSON)
}

// Two writes to one service must not be sent at the same time, however its folder is written.
func TestTheRootFolderIsOneInBothItsForms(t *testing.T) {
	t.Parallel()
	var paths []string
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		paths = append(paths, r.URL.Path)
		says(200, aDefinition)(w, r)
	}).client(t)
	for _, folder := range []string{"", "/"} {
		service := adminapi.ServiceRef{Folder: folder, Name: "roads", Type: "MapServer"}
		check(t, "path and target", []string{service.Path(), adminapi.TargetService(service)}, []string{"roads.MapServer", "service roads.mapserver"}, nil)
		_, err := c.Services.Definition(t.Context(), service)
		check(t, "requested", paths[len(paths)-1], "/ctx/admin/services/roads.MapServer", err)
	}
}

// A site that does not tell its version gets what a person has chosen, and has the time for it.
func TestAPersonChoosesWhetherAnEditRunsInAJob(t *testing.T) {
	t.Parallel()
	for _, hidden := range []string{`{"error":{"code":403,"message":"no"}}`, `{"error":{"code":405,"message":"no"}}`} {
		var forms []string
		var limit time.Duration
		c := serveRoot(t, func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/admin") {
				says(200, hidden)(w, r)
				return
			}
			_ = r.ParseForm()
			forms = append(forms, "async "+r.Form.Get("async"))
			says(200, `{"status":"success"}`)(w, r)
		}).client(t, func(c *adminapi.Config) {
			c.AfterFunc = func(d time.Duration, end func()) adminapi.Timer {
				limit = d
				return time.AfterFunc(time.Hour, end)
			}
		})
		definition := jsontext.Value(aDefinition)
		for _, x := range []struct {
			edit  adminapi.Call
			async string
			limit time.Duration
		}{
			{adminapi.EditService(roads, definition, true), "", adminapi.SyncTime},
			{adminapi.EditService(roads, definition, false), "", adminapi.SyncTime},
			{adminapi.EditService(roads, definition, false).WithAsync(true), "true", 30 * time.Second},
			{adminapi.EditService(roads, definition, true).WithAsync(false), "false", adminapi.SyncTime},
		} {
			_, outcome, err := c.Change(t.Context(), x.edit)
			check(t, "outcome", outcome, adminapi.OutcomeDone, err)
			check(t, "form", forms[len(forms)-1], "async "+x.async, nil)
			check(t, "time limit", limit.Truncate(30*time.Second), x.limit, nil)
		}
	}
}

func TestAServiceIsNamedByItsPath(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]adminapi.ServiceRef{
		"Roads.MapServer":            {Name: "Roads", Type: "MapServer"},
		" /Roads.MapServer ":         {Name: "Roads", Type: "MapServer"},
		"Hosted/Roads.FeatureServer": {Folder: "Hosted", Name: "Roads", Type: "FeatureServer"},
		"/Hosted/v1.2.FeatureServer": {Folder: "Hosted", Name: "v1.2", Type: "FeatureServer"},
		"My Maps/Straße 1.MapServer": {Folder: "My Maps", Name: "Straße 1", Type: "MapServer"},
	} {
		got, err := adminapi.ParseServicePath(text)
		check(t, text, []any{got.Folder, got.Name, got.Type}, []any{want.Folder, want.Name, want.Type}, err)
		again, err := adminapi.ParseServicePath(got.Path())
		check(t, text, again.Path(), got.Path(), err)
	}
	for _, text := range []string{"", "/", ".", "Roads", "Roads.", ".MapServer", "//Roads.MapServer", "A/B/Roads.MapServer", "../Roads.MapServer",
		"A/Roads", "a\x1b[2J.MapServer", "\xff.MapServer", strings.Repeat("x", 1000) + ".MapServer"} {
		_, err := adminapi.ParseServicePath(text)
		wantKind(t, err, adminapi.KindInvalid)
	}
}
