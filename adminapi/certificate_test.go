package adminapi_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"geodeck/adminapi"
)

// authority signs certificates of sites.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// siteCertificate is valid now, for this machine.
func siteCertificate(name string) *x509.Certificate {
	return &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
}

func newAuthority(t *testing.T) authority {
	t.Helper()
	template := siteCertificate("an authority")
	template.IsCA, template.BasicConstraintsValid, template.KeyUsage = true, true, x509.KeyUsageCertSign
	issued := authority{cert: template}.issue(t, template, true)
	return authority{issued.Leaf, issued.PrivateKey.(*ecdsa.PrivateKey)}
}

// issue signs a certificate, with its own key where it signs itself.
func (a authority) issue(t *testing.T, template *x509.Certificate, byItself bool) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	parent, signer := a.cert, a.key
	if byItself {
		parent, signer = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}
}

func TestABadCertificateIsExplainedAndNothingIsSent(t *testing.T) {
	t.Parallel()
	ours, theirs := newAuthority(t), newAuthority(t)
	changed := func(change func(*x509.Certificate)) *x509.Certificate {
		template := siteCertificate("a site")
		change(template)
		return template
	}
	good := siteCertificate("a site")
	for name, c := range map[string]struct {
		site tls.Certificate
		want string // in the sentence; empty: it is good
	}{
		"good":          {ours.issue(t, good, false), ""},
		"expired":       {ours.issue(t, changed(func(c *x509.Certificate) { c.NotAfter = time.Now().Add(-time.Minute) }), false), "has expired"},
		"not valid yet": {ours.issue(t, changed(func(c *x509.Certificate) { c.NotBefore = time.Now().Add(30 * time.Minute) }), false), "is not valid yet"},
		"another host": {ours.issue(t, changed(func(c *x509.Certificate) {
			c.IPAddresses, c.DNSNames = nil, []string{"gis.example.org"}
		}), false), "is for another host name"},
		"signed by itself":  {ours.issue(t, good, true), "is self-signed and not trusted; trust it with --ca FILE"},
		"another authority": {theirs.issue(t, good, false), "authority is not trusted"},
		"no site's": {ours.issue(t, changed(func(c *x509.Certificate) {
			c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
		}), false), "is not valid"},
	} {
		t.Run(name, func(t *testing.T) {
			var requests atomic.Int32
			s, _ := serveTLS(t, func(s *httptest.Server) {
				answer := s.Config.Handler
				s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					requests.Add(1)
					answer.ServeHTTP(w, r)
				})
				s.TLS = &tls.Config{Certificates: []tls.Certificate{c.site}}
			})
			clock := &steppedClock{}
			client := newClient(t, s.URL, withTLS(t, adminapi.TLS{CA: pemOf("CERTIFICATE", ours.cert.Raw)}), func(x *adminapi.Config) { x.Clock = clock })

			_, readErr := client.Jobs.IDs(t.Context())
			_, outcome, writeErr := client.Health.Start(t.Context(), aRun)
			if c.want == "" {
				check(t, "a good certificate: reading", readErr, nil, nil)
				check(t, "a good certificate: outcome", outcome, adminapi.OutcomeDone, writeErr)
				return
			}
			_, signInErr := client.Session.SignIn(t.Context(), "me", "CANARY", time.Hour)
			for _, err := range []error{readErr, writeErr, signInErr} {
				if e := wantKind(t, err, adminapi.KindUnreachable); !strings.Contains(e.Error(), c.want) || strings.Contains(e.Error(), "CANARY") {
					t.Errorf("%v, want %q", e, c.want)
				}
			}
			check(t, "outcome", outcome, adminapi.OutcomeNotSent, nil)
			check(t, "requests", requests.Load(), int32(0), nil)
			check(t, "pauses: trying again does not help", len(clock.pauses), 0, nil)
		})
	}
}

func TestASelfSignedCertificateIsTrustedAsItsOwnCA(t *testing.T) {
	t.Parallel()
	site := authority{}.issue(t, siteCertificate("a site"), true)
	s, _ := serveTLS(t, func(s *httptest.Server) { s.TLS = &tls.Config{Certificates: []tls.Certificate{site}} })
	ids, err := newClient(t, s.URL, withTLS(t, adminapi.TLS{CA: pemOf("CERTIFICATE", site.Leaf.Raw)})).Jobs.IDs(t.Context())
	check(t, "jobs", ids, []string{"a"}, err)
}
