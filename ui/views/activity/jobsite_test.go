package activity_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// manyJobs answers for the jobs of a site in its place.
type manyJobs struct {
	below http.RoundTripper
	n     int
	at    time.Time
	name  string
	// running is whether the first job never ends; shuffled whether the list is in no order.
	running, shuffled bool
}

// RoundTrip answers requests for jobs, and passes the others on.
func (m *manyJobs) RoundTrip(r *http.Request) (*http.Response, error) {
	_, id, found := strings.Cut(r.URL.Path, "/admin/jobs")
	if !found {
		return m.below.RoundTrip(r)
	}
	var body any
	if id == "" {
		ids := make([]string, m.n)
		for i := range ids {
			ids[i] = fmt.Sprintf("j%05d", i)
		}
		body = map[string]any{"jobs": ids}
	} else {
		start := m.at.Add(-time.Hour).UnixMilli()
		if number, _ := strconv.Atoi(id[2:]); m.shuffled {
			start -= int64(number*7919%m.n) * 1000
		}
		name := m.name
		if name == "" {
			name = "Edit service " + id[2:]
		}
		body = map[string]any{"jobid": id[1:], "status": "COMPLETED", "name": name, "username": "admin", "messages": []string{name},
			"operationURI": "/geodeck/admin/services/A.MapServer/edit", "starttime": start, "endtime": start + 4000, "updatedtime": start + 4000}
	}
	if job, is := body.(map[string]any); is && m.running && id == "/j00000" {
		job["status"], job["endtime"] = "EXECUTING", 0
	}
	text, err := json.Marshal(body)
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader(text)), Request: r}, err
}

// change replaces a text in a file.
func change(t testing.TB, path, old, text string) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, bytes.Replace(content, []byte(old), []byte(text), 1), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}
