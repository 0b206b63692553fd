package simulator_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi/simulator"
)

// fullLog is the whole log of the upgrade of a scenario, from a world of the same
// seed without outages and with every message shown.
func fullLog(t *testing.T, name string) []message {
	t.Helper()
	sc := builtIn(t, name)
	sc.Faults, sc.Events, sc.Upgrades.Deliveries, sc.Upgrades.States = nil, nil, nil, nil
	return start(t, sc, "admin").finish()
}

// first is when a message of a code was recorded.
func first(t *testing.T, messages []message, code int) time.Time {
	t.Helper()
	i := slices.IndexFunc(messages, func(m message) bool { return m.Code == code })
	if i < 0 {
		t.Fatalf("no message of code %d", code)
	}
	return at(messages[i])
}

func at(m message) time.Time { return time.UnixMilli(m.When) }

// advanceTo moves the clock to a moment.
func (s *site) advanceTo(moment time.Time) {
	s.t.Helper()
	if moment.Before(s.clock.Now()) {
		s.t.Fatalf("%s is over", moment)
	}
	s.clock.Advance(moment.Sub(s.clock.Now()))
}

// outage reads the Upgrades resource and names what is wrong with the answer; fine
// where nothing is.
func (s *site) outage() string {
	s.t.Helper()
	status, body, err := s.broken("/system/upgrades")
	switch {
	case status == 0 && strings.Contains(err.Error(), "reset"):
		return "reset"
	case status == 0:
		return "closed"
	case err != nil && body == "":
		return "headers"
	case err != nil:
		return "cut"
	case strings.HasPrefix(body, "<html>"):
		return "page " + http.StatusText(status)
	case body == "":
		return "empty"
	case strings.Contains(body, `"code":498`):
		return "signed out"
	case !strings.HasSuffix(body, "}\n"):
		return "half"
	}
	return "fine"
}

// span is how long the same kind of answer came.
type span struct {
	kind        string
	from, until time.Time
}

// watch reads every step until a moment and returns the spans of equal answers.
func (s *site) watch(until time.Time, step time.Duration) []span {
	s.t.Helper()
	var list []span
	for !s.clock.Now().After(until) {
		now, kind := s.clock.Now(), s.outage()
		if len(list) == 0 || list[len(list)-1].kind != kind {
			list = append(list, span{kind, now, now})
		}
		list[len(list)-1].until = now.Add(step)
		s.clock.Advance(step)
	}
	return list
}

func kinds(list []span) []string {
	var names []string
	for _, s := range list {
		names = append(names, s.kind)
	}
	return names
}

// assertBad checks the only outage of a list.
func assertBad(t *testing.T, list []span, kind string, from time.Time, length time.Duration) {
	t.Helper()
	if !slices.Equal(kinds(list), []string{"fine", kind, "fine"}) {
		t.Fatalf("seen: %v", kinds(list))
	}
	near := func(a, b time.Time) bool { return a.Sub(b).Abs() <= 2*time.Second }
	if bad := list[1]; !near(bad.from, from) || !near(bad.until, from.Add(length)) {
		t.Errorf("%s from %s until %s, want %s for %s", kind, bad.from, bad.until, from, length)
	}
}

// newReader serves in memory and returns a function that fetches the log once and
// returns its length.
func newReader(b *testing.B, server *simulator.Server) func() int64 {
	b.Helper()
	send := func(method, path, token string, form url.Values) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, path, strings.NewReader(form.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Referer", referer)
		r.Header.Set("Authorization", "Bearer "+token)
		w := httptest.NewRecorder()
		server.ServeHTTP(w, r)
		return w
	}
	admin := server.Users()[0]
	signIn := url.Values{"f": {"json"}, "username": {admin.Username}, "password": {admin.Password}, "referer": {referer}}
	var issued struct{ Token string }
	if err := json.Unmarshal(send(http.MethodPost, "/geodeck/sharing/rest/generateToken", "", signIn).Body.Bytes(), &issued); err != nil {
		b.Fatal(err)
	}
	return func() int64 {
		got := send(http.MethodGet, "/geodeck/admin/system/upgrades?f=json", issued.Token, nil)
		if got.Code != http.StatusOK || got.Body.Len() < 10_000_000 {
			b.Fatalf("HTTP %d, %d bytes", got.Code, got.Body.Len())
		}
		return int64(got.Body.Len())
	}
}
