package simulator_test

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/secrets"
	"geodeck/adminapi/simulator"
)

// startSecure starts a scenario over https, and signs its administrator in with a client
// that trusts the certificate.
func startSecure(t *testing.T, scenario string) (*adminapi.Client, *http.Transport) {
	t.Helper()
	s, _ := simulator.BuiltIn(scenario)
	server, err := simulator.New(simulator.Options{Scenario: s, TLS: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	transport, err := adminapi.NewTransport(adminapi.TLS{CA: server.Certificate()})
	if err != nil {
		t.Fatal(err)
	}
	client, err := adminapi.New(adminapi.Config{Base: server.URL(), Transport: transport})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.CloseIdleConnections)
	user := server.Users()[0]
	if _, err := client.Session.SignIn(t.Context(), user.Username, secrets.Secret(user.Password), time.Hour); err != nil {
		t.Fatal(err)
	}
	return client, transport
}

func TestASiteOverHTTPSIsTrustedByItsCertificateAlone(t *testing.T) {
	t.Parallel()
	client, transport := startSecure(t, "healthy")
	form := url.Values{"f": {"json"}, "suiteIds": {"BSHC-001"}, "runName": {"over https"}, "async": {"true"}, "token": {client.Session.Token().Value.Reveal()}}
	run, err := http.NewRequestWithContext(t.Context(), http.MethodPost, client.Base().String()+"/healthCheck/run", strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	run.Header = http.Header{"Content-Type": {"application/x-www-form-urlencoded"}, "Referer": {"geodeck"}}
	answer, err := transport.RoundTrip(run)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || !strings.Contains(string(text), `"jobsUrl":"`+client.Base().String()+"/jobs/") || client.Base().Scheme != "https" {
		t.Errorf("%s, %v", text, err)
	}
	stranger, err := adminapi.New(adminapi.Config{Base: client.Base().String(), Token: client.Session.Token()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stranger.CloseIdleConnections)
	if _, err := stranger.Mode(t.Context()); !errors.Is(err, adminapi.KindUnreachable) {
		t.Errorf("without the certificate it reads, or says %v", err)
	}
}

func TestOnlyASiteOverHTTPSHasACertificate(t *testing.T) {
	t.Parallel()
	if s := healthy(t); s.server.Certificate() != nil {
		t.Error("it has one over http")
	}
}
