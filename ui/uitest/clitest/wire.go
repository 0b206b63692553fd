package clitest

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/simulator"
)

// Forward hands a request on to the site at base.
func Forward(w http.ResponseWriter, r *http.Request, base string) {
	host := strings.SplitAfterN(base, "/", 4)
	out, err := http.NewRequestWithContext(r.Context(), r.Method, strings.Join(host[:3], "")+strings.TrimPrefix(r.URL.String(), "/"), r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	out.Header = r.Header.Clone()
	answer, err := http.DefaultTransport.RoundTrip(out)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer answer.Body.Close()
	for _, name := range []string{"Content-Type", "Date"} {
		w.Header().Set(name, answer.Header.Get(name))
	}
	w.WriteHeader(answer.StatusCode)
	_, _ = io.Copy(w, answer.Body)
}

// readsByPost are what a site reads though it is posted.
var readsByPost = []string{"/available ", "/getUpgradeSettings ", "/checkRollback ", "/generateToken "}

// Writes are the requests that change something at the site.
func (w *wireLog) Writes() (sent []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, request := range w.All {
		if strings.HasPrefix(request, "POST ") && !slices.ContainsFunc(readsByPost, func(read string) bool { return strings.Contains(request, read) }) {
			sent = append(sent, request)
		}
	}
	return sent
}

// wireLog is what arrived at a site.
type wireLog struct {
	mu    sync.Mutex
	posts []post
	All   []string // paths, queries and forms
}

type post struct{ Path, Form string }

// Take returns the writes since it was called last.
func (w *wireLog) Take() []post {
	w.mu.Lock()
	defer w.mu.Unlock()
	taken := w.posts
	w.posts = nil
	return taken
}

// SiteOnAWire is SiteToEdit, with a record of every request.
func SiteOnAWire(t *testing.T, scenario string) (simulator.Clock, map[string]string, *wireLog) {
	t.Helper()
	clock, env := SiteToEdit(t, scenario)
	base, seen := env["GEODECK_URL"], &wireLog{}
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		seen.mu.Lock()
		seen.All = append(seen.All, r.Method+" "+r.URL.RequestURI()+" "+string(body))
		if r.Method == http.MethodPost && !strings.HasPrefix(r.URL.Path, "/gis/admin/system/upgrades") {
			seen.posts = append(seen.posts, post{r.URL.EscapedPath(), string(body)})
		}
		seen.mu.Unlock()
		Forward(w, r, base)
	}))
	t.Cleanup(proxy.Close)
	env["GEODECK_URL"] = proxy.URL + base[strings.Index(base[len("http://"):], "/")+len("http://"):]
	return clock, env, seen
}

// ShownRequest is the request in the JSON of a dry run, as it would be on the wire.
func ShownRequest(t *testing.T, r Result, token string) (post, adminapi.Request) {
	t.Helper()
	type dryRun struct{ Request *adminapi.Request }
	var printed struct {
		dryRun
		Items []dryRun // of edits, one here
	}
	err := json.Unmarshal([]byte(r.Out), &printed)
	shown := printed.dryRun
	if len(printed.Items) == 1 {
		shown = printed.Items[0]
	}
	if err != nil || r.Code != 0 || shown.Request == nil {
		t.Fatalf("exit code %d, %v, it says\n%s%s", r.Code, err, r.Out, r.Err)
	}
	if shown.Request.Method != http.MethodPost {
		t.Errorf("the method is %s", shown.Request.Method)
	}
	var fields []string
	for _, field := range shown.Request.Fields {
		if field.Name == "token" {
			if field.Value != "[secret]" {
				t.Error("the token is shown")
			}
			field.Value = token
		}
		fields = append(fields, url.QueryEscape(field.Name)+"="+url.QueryEscape(field.Value))
	}
	return post{shown.Request.Path, strings.Join(fields, "&")}, *shown.Request
}
