package operation_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/simulator/simtest"
)

// An address is one of a platform only where the answer is one that platforms alone give.
func TestAnAnswerOfAnythingElseIsNoPlatform(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status   int
		body     string
		platform bool
		says     string
	}{
		"the root":                {200, `{"currentVersion": "11.5", "fullVersion": "11.5.0.6745", "resources": []}`, true, "version 11.5.0.6745 answers"},
		"the root, no version":    {200, `{"currentVersion": "11.5", "resources": []}`, true, "A platform answers there."},
		"a token has run out":     {200, `{"error": {"code": 498, "message": "Invalid token."}}`, true, "A platform answers there."},
		"no code of an error":     {200, `{"status": "error", "messages": ["Down for the night."]}`, false, "Down for the night"},
		"a token is required":     {200, `{"error": {"code": 499, "message": "Token Required."}}`, true, "A platform answers there."},
		"a sign-in of a proxy":    {401, `{"error": {"code": 401, "message": "Log in."}}`, false, "asks for a sign-in"},
		"an error of another API": {400, `{"error": {"code": 400, "message": "API key missing"}}`, false, "with an error: API key missing"},
		"a web page":              {200, `<html><title>Welcome</title></html>`, false, "no platform"},
		"nothing there":           {404, `<html>not found</html>`, false, "no platform"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(c.status)
				_, _ = w.Write([]byte(c.body))
			}))
			defer server.Close()
			client, err := adminapi.New(adminapi.Config{Base: server.URL + "/arcgis/admin", Clock: simtest.NewSteppedClock(time.Date(2026, 11, 20, 14, 5, 0, 0, time.UTC))})
			if err != nil {
				t.Fatal(err)
			}
			defer client.CloseIdleConnections()
			if got := operation.TryContact(t.Context(), client); got.Platform != c.platform || !strings.Contains(got.Sentence, c.says) {
				t.Errorf("%+v", got)
			}
		})
	}
}

// due is a context whose time is over once a test says so.
type due struct {
	context.Context
	over chan struct{}
}

// Done is closed once the time is over.
func (d due) Done() <-chan struct{} { return d.over }

// Err says that it is.
func (d due) Err() error {
	select {
	case <-d.over:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

// That nothing answered is said only where nothing did: an address that answers, if only that it is busy, needs no change.
func TestAnAddressThatWasBusyIsNotOneWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	for busy, want := range map[int]string{0: "Nothing answered within 8s.", 1: "no answer in the time allowed"} {
		over, asked := make(chan struct{}), 0
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if asked++; asked <= busy {
				http.Error(w, "", http.StatusServiceUnavailable)
				return
			}
			close(over)
			<-r.Context().Done()
		}))
		client, err := adminapi.New(adminapi.Config{Base: server.URL + "/arcgis/admin", Clock: simtest.NewSteppedClock(time.Date(2026, 11, 20, 14, 5, 0, 0, time.UTC))})
		if err != nil {
			t.Fatal(err)
		}
		got := operation.TryContact(due{t.Context(), over}, client)
		if nothing := strings.HasPrefix(got.Sentence, "Nothing answered"); got.Platform || nothing != (busy == 0) || !strings.Contains(got.Sentence, want) {
			t.Errorf("busy %d times: %+v", busy, got)
		}
		client.CloseIdleConnections()
		server.Close()
	}
}

func TestAnAddressWhereNothingListensIsToldAtOnce(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	client, err := adminapi.New(adminapi.Config{Base: server.URL + "/arcgis/admin", Clock: simtest.NewSteppedClock(time.Date(2026, 11, 20, 14, 5, 0, 0, time.UTC))})
	if err != nil {
		t.Fatal(err)
	}
	defer client.CloseIdleConnections()
	got := operation.TryContact(t.Context(), client)
	if got.Platform || !strings.HasPrefix(got.Sentence, "Cannot read the administrative root: ") || !strings.HasSuffix(got.Sentence, ". Check the address, the network and HTTPS_PROXY.") {
		t.Errorf("%+v", got)
	}
}
