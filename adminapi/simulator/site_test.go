package simulator_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"geodeck/adminapi/simulator"
	"geodeck/adminapi/simulator/simtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// noon is when worlds of tests begin.
var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// site is a running simulator and a user who talks to it as curl would.
type site struct {
	t      *testing.T
	server *simulator.Server
	clock  *simtest.ManualClock
	client *http.Client
	token  string
}

const referer = "geodeck-test"

// start starts a site of a scenario and signs a user in, or nobody where it is empty.
func start(t *testing.T, scenario simulator.Scenario, user string) *site {
	t.Helper()
	return startOn(t, simulator.Options{Scenario: scenario, Clock: simtest.NewManualClock(noon)}, user)
}

// open is start for a scenario that ships with the program.
func open(t *testing.T, scenario, user string) *site {
	t.Helper()
	return start(t, builtIn(t, scenario), user)
}

// healthy starts a healthy site with the administrator signed in.
func healthy(t *testing.T) *site {
	t.Helper()
	return open(t, "healthy", "admin")
}

func startOn(t *testing.T, o simulator.Options, user string) *site {
	t.Helper()
	server, err := simulator.New(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	s := &site{t: t, server: server, client: &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	s.clock, _ = o.Clock.(*simtest.ManualClock)
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	if user != "" {
		s.signIn(user)
	}
	return s
}

func builtIn(t *testing.T, name string) simulator.Scenario {
	t.Helper()
	s, ok := simulator.BuiltIn(name)
	if !ok {
		t.Fatalf("there is no scenario %s", name)
	}
	return s
}

func (s *site) signIn(name string) {
	s.t.Helper()
	s.token = ""
	got := s.post(s.server.TokenURL(), "username", name, "password", password(s.t, s.server, name), "client", "referer", "referer", referer)
	s.token = got.text("token")
}

func password(t *testing.T, server *simulator.Server, user string) string {
	t.Helper()
	for _, u := range server.Users() {
		if u.Username == user {
			return u.Password
		}
	}
	t.Fatalf("there is no user %s", user)
	return ""
}

// reply is an answer as it came.
type reply struct {
	t      *testing.T
	status int
	header http.Header
	body   string
}

func (s *site) send(method, target string, query, form url.Values) reply {
	s.t.Helper()
	if !strings.HasPrefix(target, "http") {
		target = s.server.URL() + target
	}
	if len(query) > 0 {
		target += "?" + query.Encode()
	}
	r, err := http.NewRequestWithContext(s.t.Context(), method, target, strings.NewReader(form.Encode()))
	if err != nil {
		s.t.Fatal(err)
	}
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	return s.do(r)
}

// formRequest is a POST of a form.
func (s *site) formRequest(path, form string) *http.Request {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.server.URL()+path, strings.NewReader(form))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return r
}

// authorize adds what a request needs to be accepted.
func (s *site) authorize(r *http.Request) {
	if r.Header.Get("Referer") == "" {
		r.Header.Set("Referer", referer)
	}
	if s.token != "" {
		r.Header.Set("Authorization", "Bearer "+s.token)
	}
}

func (s *site) do(r *http.Request) reply {
	s.t.Helper()
	s.authorize(r)
	answer, err := s.client.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return reply{s.t, answer.StatusCode, answer.Header, string(body)}
}

func values(pairs []string) url.Values {
	v := url.Values{"f": {"json"}}
	for i := 0; i+1 < len(pairs); i += 2 {
		v.Set(pairs[i], pairs[i+1])
	}
	return v
}

func (s *site) get(path string, params ...string) reply {
	s.t.Helper()
	return s.send(http.MethodGet, path, values(params), nil)
}

func (s *site) post(path string, params ...string) reply {
	s.t.Helper()
	return s.send(http.MethodPost, path, nil, values(params))
}

// checkHealth starts a run of the basic suite and returns the path of its job.
func (s *site) checkHealth(name string) (job string) {
	s.t.Helper()
	return "/jobs/" + s.post("/healthCheck/run", "suiteIds", "BSHC-001", "runName", name, "async", "true").text("jobid")
}

// reports fetches the newest reports.
func (s *site) reports(num string, params ...string) reply {
	s.t.Helper()
	return s.get("/healthCheck/reports/query", append(params, "num", num)...)
}

// isStatus checks the status of a job.
func (s *site) isStatus(job, want string) reply {
	s.t.Helper()
	got := s.get(job)
	if got.text("status") != want {
		s.t.Errorf("the job is not %s: %.400s", want, got.body)
	}
	return got
}

// waitFor sends a request that the site answers later, does what is given meanwhile, and
// moves the clock until the answer comes.
func (s *site) waitFor(d time.Duration, send func() reply, meanwhile ...func()) reply {
	s.t.Helper()
	answered := make(chan reply)
	go func() { answered <- send() }()
	if err := s.clock.AwaitWaiters(s.t.Context(), 1); err != nil {
		s.t.Fatal(err)
	}
	for _, do := range meanwhile {
		do()
	}
	s.clock.Advance(d)
	return <-answered
}

// advanceTo moves the clock to a moment.
func (s *site) advanceTo(moment time.Time) {
	s.t.Helper()
	if moment.Before(s.clock.Now()) {
		s.t.Fatalf("%s is over", moment)
	}
	s.clock.Advance(moment.Sub(s.clock.Now()))
}

// isVersion checks the version of the site.
func (s *site) isVersion(want string) {
	s.t.Helper()
	if got := s.get(""); got.text("fullVersion") != want {
		s.t.Errorf("the site is not %s: %s", want, got.body)
	}
}

func (s *site) isReadOnly(want bool) {
	s.t.Helper()
	if got := s.get("/mode"); got.at("isReadOnly") != want {
		s.t.Errorf("read-only is not %v: %s", want, got.body)
	}
}

// isUpgrade checks the state of the upgrade.
func (s *site) isUpgrade(want string) {
	s.t.Helper()
	if got := s.state(); got != want {
		s.t.Errorf("the upgrade is %s, not %s", got, want)
	}
}

// at reads a value by its path, such as "runs.0.name".
func (r reply) at(path string) any {
	r.t.Helper()
	var v any
	if err := json.Unmarshal([]byte(r.body), &v); err != nil {
		r.t.Fatalf("not JSON (%v): %.300s", err, r.body)
	}
	for key := range strings.SplitSeq(path, ".") {
		switch node := v.(type) {
		case map[string]any:
			v = node[key]
		case []any:
			i := int(key[0] - '0')
			if i >= len(node) {
				return nil
			}
			v = node[i]
		default:
			return nil
		}
	}
	return v
}

// has checks values by their paths: texts, truths, numbers, or how long a list is.
func (r reply) has(pairs ...any) {
	r.t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		got, want := r.at(pairs[i].(string)), pairs[i+1]
		switch v := got.(type) {
		case float64:
			got = int64(v)
		case []any:
			got = int64(len(v))
		}
		if n, ok := want.(int); ok {
			want = int64(n)
		}
		if got != want {
			r.t.Errorf("%s is %v, want %v: %.400s", pairs[i], got, want, r.body)
		}
	}
}

// is checks the whole body.
func (r reply) is(want string) {
	r.t.Helper()
	if r.body != want {
		r.t.Errorf("the answer is %.400q, want %q", r.body, want)
	}
}

// contains checks for parts of the body.
func (r reply) contains(parts ...string) {
	r.t.Helper()
	for _, part := range parts {
		if !strings.Contains(r.body, part) {
			r.t.Errorf("no %q in %.400s", part, r.body)
		}
	}
}

func value[T any](r reply, path string) T {
	r.t.Helper()
	v, ok := r.at(path).(T)
	if !ok {
		r.t.Fatalf("%s is %v in %.400s", path, r.at(path), r.body)
	}
	return v
}

func (r reply) text(path string) string  { r.t.Helper(); return value[string](r, path) }
func (r reply) number(path string) int64 { r.t.Helper(); return int64(value[float64](r, path)) }
func (r reply) length(path string) int   { r.t.Helper(); return len(value[[]any](r, path)) }

// refused checks for an error in the platform's shape that names what is wrong.
func (r reply) refused(code int64, words string) {
	r.t.Helper()
	if got := r.number("error.code"); got != code || !strings.Contains(r.body, words) {
		r.t.Errorf("refused with %d, want %d and the words %q: %.300s", got, code, words, r.body)
	}
}
