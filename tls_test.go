package main

import (
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"geodeck/adminapi/simulator"
)

// behindTLS serves a site with the certificate of httptest, changed and signed by itself.
// asked counts the requests that got through.
func behindTLS(t *testing.T, site string, change func(*x509.Certificate)) (address string, ca []byte, asked *atomic.Int32) {
	t.Helper()
	asked = new(atomic.Int32)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		forward(w, r, site)
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	usual := httptest.NewTLSServer(http.NotFoundHandler())
	defer usual.Close()
	template, key := usual.Certificate(), usual.TLS.Certificates[0].PrivateKey
	change(template)
	der, err := x509.CreateCertificate(rand.Reader, template, template, template.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	s.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
	s.StartTLS()
	t.Cleanup(s.Close)
	return s.URL, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), asked
}

func TestACommandThatCannotTrustTheCertificateSaysWhichAndSendsNothing(t *testing.T) {
	t.Parallel()
	site := newSite(t, simulator.Options{Clock: simulator.NewScaledClock(3600)})
	token := tokenOf(t, site, 0)
	for name, c := range map[string]struct {
		change  func(*x509.Certificate)
		trusted bool   // named with --ca
		want    string // in the sentence; empty: it is good
	}{
		"good with its own CA file": {func(*x509.Certificate) {}, true, ""},
		"signed by itself":          {func(*x509.Certificate) {}, false, "signed by itself"},
		"expired":                   {func(c *x509.Certificate) { c.NotAfter = time.Now().Add(-time.Hour) }, true, "has expired"},
		"of another host":           {func(c *x509.Certificate) { c.IPAddresses, c.DNSNames = nil, []string{"gis.example.org"} }, true, "another host name"},
	} {
		t.Run(name, func(t *testing.T) {
			address, ca, asked := behindTLS(t, site.URL(), c.change)
			env := map[string]string{"GEODECK_URL": address + "/geodeck/admin", "GEODECK_TOKEN": token}
			for _, command := range [][]string{{"health", "reports"}, {"health", "run", "--name", "over TLS"}, {"service", "stop", cities, "--confirm", "SampleWorldCities"}} {
				if c.trusted {
					command = append(command, "--ca", fileOf(t, "ca.pem", string(ca)))
				}
				r := runInProcess(t, nil, env, command...)
				if c.want == "" {
					if r.code != 0 || asked.Load() == 0 {
						t.Errorf("%q: exit code %d, it says\n%s", command, r.code, r.err)
					}
					continue
				}
				if r.code != 5 || asked.Load() != 0 || !strings.Contains(r.err, c.want) || strings.Contains(r.err, token) {
					t.Errorf("%q: exit code %d after %d requests, it says\n%s", command, r.code, asked.Load(), r.err)
				}
			}
		})
	}
}
