package simulator_test

import (
	"crypto/x509"
	"encoding/pem"
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

// Clients take the certificate as their one authority: OpenSSL, with its strict checks as Python
// has them from 3.13 on, wants more of one than Go does.
func TestTheCertificateIsAnAuthorityOfItsOwn(t *testing.T) {
	t.Parallel()
	server, err := simulator.New(simulator.Options{TLS: true})
	if err != nil {
		t.Fatal(err)
	}
	block, rest := pem.Decode(server.Certificate())
	if block == nil || block.Type != "CERTIFICATE" || len(rest) > 0 {
		t.Fatalf("it is no bundle of one certificate: %s", server.Certificate())
	}
	c, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	if !c.BasicConstraintsValid || !c.IsCA || c.KeyUsage&x509.KeyUsageCertSign == 0 || len(c.SubjectKeyId) == 0 || c.SerialNumber.Sign() <= 0 {
		t.Errorf("it may not sign itself: CA %v, key usage %b, key id %x, serial %v", c.IsCA, c.KeyUsage, c.SubjectKeyId, c.SerialNumber)
	}
	critical := map[string]bool{}
	for _, e := range c.Extensions {
		critical[e.Id.String()] = e.Critical
	}
	if keyUsage, constraints := "2.5.29.15", "2.5.29.19"; !critical[keyUsage] || !critical[constraints] {
		t.Errorf("key usage and constraints are not critical: %v", critical)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(server.Certificate())
	for _, host := range []string{"localhost", "127.0.0.1", "::1"} {
		if _, err := c.Verify(x509.VerifyOptions{Roots: roots, DNSName: host}); err != nil {
			t.Errorf("as %s: %v", host, err)
		}
	}
}

func TestOnlyASiteOverHTTPSHasACertificate(t *testing.T) {
	t.Parallel()
	if s := healthy(t); s.server.Certificate() != nil {
		t.Error("it has one over http")
	}
}
