package adminapi_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi"
)

// fixed answers every request with one body, without a network.
func fixed(status int, body []byte) roundTripper {
	return func(r *http.Request) (*http.Response, error) {
		return &http.Response{
			StatusCode: status, ProtoMajor: 1, ProtoMinor: 1, Request: r, Header: http.Header{},
			Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)),
		}, nil
	}
}

func seeds(f *testing.F) [][]byte {
	f.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", "cases", "*.json"))
	if err != nil || len(paths) == 0 {
		f.Fatal(paths, err)
	}
	var all [][]byte
	for _, path := range paths {
		body, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		all = append(all, body)
	}
	return all
}

// Whatever a site answers, a call ends with a value or with an error of a kind
// whose text is one clean line without the token.
func FuzzAnswers(f *testing.F) {
	for _, body := range seeds(f) {
		f.Add(200, body)
		f.Add(403, body)
	}
	for _, handler := range []string{
		`<html><title>` + canary, `{"error":"` + canary + `"}`, `{"status":"failed","statusMessage":"{\"message\":\"\u001b[2J\"}"}`,
		`{"jobid":"j","status":"FAILED","error":{"message":{"message":{}}}}`, `{"statusURL":"%zz/.."}`, "\ufeff[", `{"success":"FALSE"}`,
	} {
		f.Add(500, []byte(handler))
		f.Add(302, []byte(handler))
	}
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		c, err := adminapi.New(adminapi.Config{
			Base: "https://gis.example/admin", Transport: fixed(status, body), Clock: &steppedClock{}, Token: adminapi.Token{Value: canary},
		})
		if err != nil {
			t.Fatal(err)
		}
		job, err := c.Job(t.Context(), "j")
		wantPlain(t, err)
		if err == nil {
			job.Reasons()
			job.Report()
			job.Service()
		}
		_, outcome, err := c.StartHealthRun(t.Context(), aRun)
		wantPlain(t, err)
		if (outcome == adminapi.OutcomeDone) != (err == nil) || outcome == adminapi.OutcomeDone && (status < 200 || status > 299) {
			t.Errorf("outcome %v, status %d, %v", outcome, status, err)
		}
		_, err = c.Suites(t.Context())
		wantPlain(t, err)
		_, err = c.Reports(t.Context(), adminapi.ReportQuery{})
		wantPlain(t, err)
		_, err = c.Root(t.Context())
		wantPlain(t, err)
		fuzzUpgrades(t, c)
	})
}

func fuzzUpgrades(t *testing.T, c *adminapi.Client) {
	for _, r := range readers(t, c) {
		wantPlain(t, r.read())
	}
	for _, write := range writers(t, c) {
		outcome, err := write(t)
		wantPlain(t, err)
		if (outcome == adminapi.OutcomeDone) != (err == nil) {
			t.Errorf("outcome %v, %v", outcome, err)
		}
	}
	entries, _, err := c.UpgradeHistory(t.Context())
	wantPlain(t, err)
	for _, e := range entries {
		if len(e.Unknown) > 0 && !e.Unknown.IsValid(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)) {
			t.Errorf("%s", e.Unknown)
		}
	}
}

func wantPlain(t *testing.T, err error) {
	t.Helper()
	var e *adminapi.Error
	switch {
	case err == nil:
		return
	case !errors.As(err, &e) || e.Operation == "":
		t.Fatalf("%T: %v", err, err)
	}
	text := err.Error()
	if strings.IndexFunc(text, unicode.IsControl) >= 0 || strings.Contains(text, canary) || len(text) > 1<<20 {
		t.Errorf("%.300q", text)
	}
}

// A report decodes to what it says or not at all.
func FuzzDecodeReport(f *testing.F) {
	for _, body := range seeds(f) {
		f.Add(body)
	}
	for _, text := range []string{
		bareReport, `{"result":` + bareReport + `}`, `{"diagnosticHealthReport":` + bareReport + `}`,
		`{"suiteStatus":{"criticalTestStatus":[null,{}]}}`, `{"suiteStatus":[{"startTime":1e400,"endTime":"-9223372036854775809"}]}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		before := bytes.Clone(body)
		r, err := adminapi.DecodeReport(body)
		if !bytes.Equal(before, body) {
			t.Error("the text was changed")
		}
		if err != nil {
			wantPlain(t, err)
			return
		}
		again, err := adminapi.DecodeReport(r.Raw)
		if err != nil || again.ID != r.ID || again.Result != r.Result || len(again.Suites) != len(r.Suites) {
			t.Errorf("read again: %v\n%+v\n%+v", err, r, again)
		}
		for _, suite := range r.Suites {
			for _, test := range append(suite.Critical, suite.General...) {
				if took, _ := adminapi.Span(test.StartTime, test.EndTime); took < 0 {
					t.Errorf("a test took %v", took)
				}
				if len(test.Raw) == 0 {
					t.Error("a test without its text")
				}
			}
		}
	})
}
