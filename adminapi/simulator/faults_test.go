package simulator_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi/simulator"
	"geodeck/adminapi/simulator/simtest"
)

// broken sends a GET and returns what came, with the error of reading it.
func (s *site) broken(path string) (status int, body string, err error) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, s.server.URL()+path+"?f=json", nil)
	if err != nil {
		s.t.Fatal(err)
	}
	return s.roundTrip(r)
}

// roundTrip sends a request whose answer may be lost.
func (s *site) roundTrip(r *http.Request) (status int, body string, err error) {
	s.authorize(r)
	r.Close = true // the HTTP client would send it again on another connection
	answer, err := s.client.Do(r)
	if err != nil {
		return 0, "", err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	return answer.StatusCode, string(text), err
}

func TestEveryFaultLooksAsItShould(t *testing.T) {
	t.Parallel()
	s := startOn(t, simulator.Options{Clock: simtest.NewSteppedClock(noon), Scenario: readScenario(t, `
name: faulty
faults:
  - {path: admin/mode, times: 1, what: status, status: 502}
  - {path: admin/mode, after: 1, times: 1, what: html}
  - {path: admin/mode, after: 2, times: 1, what: empty}
  - {path: admin/mode, after: 3, times: 1, what: cut}
  - {path: admin/mode, after: 4, times: 1, what: close}
  - {path: admin/mode, after: 5, times: 1, what: reset}
  - {path: admin/mode, after: 6, times: 1, what: within}
  - {path: admin/mode, after: 7, times: 1, what: token}
  - {path: admin/mode, after: 8, times: 1, what: slow, delay: 1s}
`)}, "admin")
	for i, want := range []struct {
		status    int
		body, err string // the beginning of the one, a part of the other
	}{
		{502, `{"error":{"code":502`, ""}, {503, "<html>", ""}, {200, "", ""}, {200, `{"isReadO`, "unexpected EOF"},
		{0, "", "EOF"}, {0, "", "reset"}, {0, "", "unexpected EOF"}, {200, `{"error":{"code":498`, ""},
		{200, `{"isReadOnly":false}`, ""}, {200, `{"isReadOnly":false}`, ""},
	} {
		status, body, err := s.broken("/mode")
		if status != want.status || !strings.HasPrefix(body, want.body) || (body == "") != (want.body == "") ||
			(err != nil) != (want.err != "") || err != nil && !strings.Contains(err.Error(), want.err) {
			t.Errorf("request %d: %d %q %v", i, status, body, err)
		}
	}
}

func TestAFaultHitsOnlyItsPathAndMethod(t *testing.T) {
	t.Parallel()
	s := start(t, readScenario(t, `
name: faulty
faults:
  - {path: admin/services/**, method: GET, what: status}
  - {path: admin/mode/*, method: POST, what: status}
`), "admin")
	for _, path := range []string{"/services", "/services/Hosted", "/services/System/PublishingTools.GPServer"} {
		if got := s.get(path); got.status != 503 {
			t.Errorf("%s: HTTP %d", path, got.status)
		}
	}
	for _, path := range []string{"", "/mode", "/jobs"} {
		if got := s.get(path); got.status != 200 {
			t.Errorf("%s: HTTP %d", path, got.status)
		}
	}
	if got := s.post("/mode/update", "isReadOnly", "true"); got.status != 503 {
		t.Errorf("POST: HTTP %d", got.status)
	}
}

func TestALostRequestIsPerformedOnlyIfTheScenarioSaysSo(t *testing.T) {
	t.Parallel()
	for _, performed := range []bool{false, true} {
		text := fmt.Sprintf("name: lost\nfaults: [{path: admin/healthCheck/run, what: close, performed: %v}]", performed)
		s := start(t, readScenario(t, text), "admin")
		before := s.get("/jobs").length("jobs")
		if _, _, err := s.roundTrip(s.formRequest("/healthCheck/run", values([]string{"suiteIds", "BSHC-001", "runName", "x", "async", "true"}).Encode())); err == nil {
			t.Error("an answer came")
		}
		if started := s.get("/jobs").length("jobs") > before; started != performed {
			t.Errorf("performed %v: a job was started: %v", performed, started)
		}
	}
}

func TestLatencyAndDelaysAreOnTheWorldsClock(t *testing.T) {
	t.Parallel()
	s := start(t, readScenario(t, `
name: slow
faults: [{path: admin/mode, what: delay, delay: 2h}]
`), "admin")
	s.waitFor(2*time.Hour, func() reply { return s.get("/mode") }).has("isReadOnly", false)
	slow := start(t, readScenario(t, "name: slow\nlatency: 1h"), "")
	slow.waitFor(time.Hour, func() reply { return slow.get("") }).refused(499, "Token Required")
}

func TestAnEarlierAnswerIsGivenAgain(t *testing.T) {
	t.Parallel()
	s := start(t, readScenario(t, "{name: cached, faults: [{path: admin/mode, method: GET, after: 1, times: 1, what: again}]}"), "admin")
	for i, want := range []string{`{"isReadOnly":false}`, `{"isReadOnly":false}`, `"isReadOnly":true`} {
		if _, body, err := s.broken("/mode"); err != nil || !strings.Contains(body, want) {
			t.Errorf("answer %d: %s %v, want %s", i, body, err, want)
		}
		if i == 0 {
			s.post("/mode/update", "isReadOnly", "true", "readOnlyMessage", "soon")
		}
	}
}

func TestASignInPageIsOnAnotherHost(t *testing.T) {
	t.Parallel()
	s := start(t, readScenario(t, "{name: portal, faults: [{path: admin/mode, what: leads}]}"), "admin")
	s.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.server.URL()+"/mode", nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := s.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if place := answer.Header.Get("Location"); answer.StatusCode != http.StatusFound || !strings.HasPrefix(place, "https://sign-in.example.org/") {
		t.Errorf("HTTP %d to %q", answer.StatusCode, place)
	}
}

func TestWhoWatchesSeesTheTrueAnswerBehindAFault(t *testing.T) {
	t.Parallel()
	var seen []string
	server, err := simulator.New(simulator.Options{
		Scenario: readScenario(t, "{name: lost, faults: [{path: admin, what: html, performed: true}]}"),
		Watch: func(site http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				true := httptest.NewRecorder()
				site.ServeHTTP(true, r)
				seen = append(seen, r.Method+" "+r.URL.Path+" "+true.Body.String())
			})
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	told := httptest.NewRecorder()
	server.ServeHTTP(told, httptest.NewRequest(http.MethodGet, "/geodeck/admin?f=json", nil))
	if len(seen) != 1 || !strings.HasPrefix(seen[0], `GET /geodeck/admin {"error":{"code":499`) || told.Code != http.StatusServiceUnavailable {
		t.Errorf("the site answered %q, and the client got HTTP %d", seen, told.Code)
	}
}
