package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// badJobs stands before a site and names every job of an accepted write by id. Where it
// swallows, the site never hears of the write.
func badJobs(t *testing.T, site, id string, swallows bool) string {
	t.Helper()
	to, err := url.Parse(site)
	if err != nil {
		t.Fatal(err)
	}
	jobID := regexp.MustCompile(`"job(id|ID)" *: *"[^"]*"`)
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(&url.URL{Scheme: to.Scheme, Host: to.Host}) },
		ModifyResponse: func(r *http.Response) error {
			if r.Request.Method != http.MethodPost {
				return nil
			}
			body, err := io.ReadAll(r.Body)
			if err != nil {
				return err
			}
			body = jobID.ReplaceAll(body, fmt.Appendf(nil, `"job$1":%q`, id))
			r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
			r.Header.Del("Content-Length")
			return nil
		},
	}
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !swallows || r.Method != http.MethodPost || !strings.HasPrefix(r.URL.Path, to.Path) {
			proxy.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jobid":%q,"status":"SUBMITTED"}`, id)
	}))
	t.Cleanup(front.Close)
	return front.URL + to.Path
}

func TestAJobWithAnIDThatIsNoneIsNoMistakeOfTheUser(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "edited.json")
	now := newUpgrading(t, "healthy").run(t.Context(), "service", "get", "SampleWorldCities.MapServer")
	edited := regexp.MustCompile(`"maxIdleTime": *[0-9]+`).ReplaceAllString(now.out, `"maxIdleTime":901`)
	if now.code != 0 || edited == now.out {
		t.Fatalf("exit code %d, %s", now.code, now.out)
	}
	if err := os.WriteFile(file, []byte(edited), 0o600); err != nil {
		t.Fatal(err)
	}
	commands := map[string][]string{
		"a health check": {"health", "run", "--name", "nightly"},
		"an edit":        {"service", "apply", "SampleWorldCities.MapServer", "-f", file},
		"a stop":         {"service", "stop", "SampleWorldCities.MapServer", "--confirm", "SampleWorldCities"},
	}
	for name, args := range commands {
		for _, id := range []string{"..", "a/b"} {
			t.Run(name+"/"+id, func(t *testing.T) {
				u := newUpgrading(t, "healthy")
				u.env["GEODECK_URL"] = badJobs(t, u.wire.url, id, false)
				r := u.run(t.Context(), args...)
				if r.code != 0 || !strings.Contains(r.err, "its job cannot be followed") {
					t.Errorf("exit code %d, it says\n%s", r.code, r.err)
				}
			})
			t.Run(name+"/"+id+", in vain", func(t *testing.T) {
				u := newUpgrading(t, "healthy")
				u.env["GEODECK_URL"] = badJobs(t, u.wire.url, id, true)
				r := u.run(t.Context(), args...)
				if r.code != 6 || !strings.Contains(r.err, "its job cannot be followed") || !strings.Contains(r.err, "the outcome is not known") {
					t.Errorf("exit code %d, it says\n%s", r.code, r.err)
				}
			})
		}
	}
}

func TestAJobIDThatIsTypedWrongIsUsage(t *testing.T) {
	t.Parallel()
	u := newUpgrading(t, "healthy")
	for _, command := range []string{"get", "wait"} {
		if r := u.run(t.Context(), "job", command, ".."); r.code != 2 {
			t.Errorf("job %s: exit code %d, it says\n%s", command, r.code, r.err)
		}
	}
	if u.wire.count("/jobs") != 0 {
		t.Error("something was asked for")
	}
}

func TestAListOfJobsShowsAJobThatCannotBeRead(t *testing.T) {
	t.Parallel()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := `{"jobs":["j1","..","a\u001b/b"]}`
		if strings.HasSuffix(r.URL.Path, "/jobs/j1") {
			answer = `{"jobid":"..","status":"COMPLETED","name":"first"}`
		}
		_, _ = io.WriteString(w, answer)
	}))
	t.Cleanup(site.Close)
	u := newUpgrading(t, "healthy")
	u.env["GEODECK_URL"] = site.URL + "/x/admin"
	r := u.run(t.Context(), "job", "list")
	if r.code != 0 || !strings.Contains(r.out, "j1") || !strings.Contains(r.out, "first") || !strings.Contains(r.out, "\n..") || strings.Contains(r.out, "\x1b") {
		t.Errorf("exit code %d, it says\n%s%s", r.code, r.out, r.err)
	}
}
