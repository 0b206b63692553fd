package adminapi_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"geodeck/adminapi"
)

// pair is a certificate of its own authority with its key, in PEM.
func pair(t *testing.T, name string) (cert, key []byte) {
	t.Helper()
	template := siteCertificate(name)
	template.IsCA, template.BasicConstraintsValid, template.KeyUsage = true, true, x509.KeyUsageDigitalSignature|x509.KeyUsageCertSign
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	issued := authority{}.issue(t, template, true)
	private, err := x509.MarshalPKCS8PrivateKey(issued.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	return pemOf("CERTIFICATE", issued.Leaf.Raw), pemOf("PRIVATE KEY", private)
}

func pemOf(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}

// serveTLS serves jobs and runs over TLS and returns the authority's certificate.
func serveTLS(t *testing.T, change func(*httptest.Server)) (s *httptest.Server, ca []byte) {
	t.Helper()
	s = httptest.NewUnstartedServer(besideRoot(says(200, `{"jobs":["a"],"jobid":"j","status":"SUBMITTED"}`)))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	change(s)
	s.StartTLS()
	t.Cleanup(s.Close)
	return s, pemOf("CERTIFICATE", s.Certificate().Raw)
}

func withTLS(t *testing.T, x adminapi.TLS) func(*adminapi.Config) {
	t.Helper()
	transport, err := adminapi.NewTransport(x)
	if err != nil {
		t.Fatal(err)
	}
	return func(c *adminapi.Config) { c.Transport = transport }
}

func TestASiteWithItsOwnAuthority(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*httptest.Server){
		"HTTP/1.1": func(*httptest.Server) {},
		"HTTP/2":   func(s *httptest.Server) { s.EnableHTTP2 = true },
	} {
		t.Run(name, func(t *testing.T) {
			s, ca := serveTLS(t, change)
			c := newClient(t, s.URL, withTLS(t, adminapi.TLS{CA: ca}))
			ids, err := c.Jobs.IDs(t.Context())
			check(t, "jobs", ids, []string{"a"}, err)
			for range 2 {
				_, outcome, err := c.Health.Start(t.Context(), aRun)
				check(t, "outcome", outcome, adminapi.OutcomeDone, err)
			}
		})
	}
	s, _ := serveTLS(t, func(*httptest.Server) {})
	clock := &steppedClock{}
	_, err := newClient(t, s.URL, withTLS(t, adminapi.TLS{}), func(c *adminapi.Config) { c.Clock = clock }).Jobs.IDs(t.Context())
	if e := wantKind(t, err, adminapi.KindUnreachable); !strings.Contains(e.Error(), "not trusted") {
		t.Error(e)
	}
	check(t, "pauses: asking again does not help", len(clock.pauses), 0, nil)
}

func TestASiteThatWantsAClientCertificate(t *testing.T) {
	t.Parallel()
	cert, key := pair(t, "administrator")
	clients := x509.NewCertPool()
	clients.AppendCertsFromPEM(cert)
	s, ca := serveTLS(t, func(s *httptest.Server) {
		s.TLS = &tls.Config{ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: clients}
	})
	ids, err := newClient(t, s.URL, withTLS(t, adminapi.TLS{CA: ca, Cert: cert, Key: key})).Jobs.IDs(t.Context())
	check(t, "jobs", ids, []string{"a"}, err)
	_, err = newClient(t, s.URL, withTLS(t, adminapi.TLS{CA: ca})).Jobs.IDs(t.Context())
	wantKind(t, err, adminapi.KindUnreachable)
}

func TestOldTLSIsRefused(t *testing.T) {
	t.Parallel()
	s, ca := serveTLS(t, func(s *httptest.Server) {
		s.TLS = &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}
	})
	_, outcome, err := newClient(t, s.URL, withTLS(t, adminapi.TLS{CA: ca})).Health.Start(t.Context(), aRun)
	wantKind(t, err, adminapi.KindUnreachable)
	check(t, "outcome", outcome, adminapi.OutcomeNotSent, nil)
}

func TestHTTPWhereTLSIsExpected(t *testing.T) {
	t.Parallel()
	s := serve(t, says(200, "{}"))
	_, err := newClient(t, strings.Replace(s.URL, "http:", "https:", 1)).Jobs.IDs(t.Context())
	if e := wantKind(t, err, adminapi.KindUnreachable); !strings.Contains(e.Error(), "no TLS at that address") {
		t.Error(e)
	}
}

func TestCertificatesThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	cert, key := pair(t, "a")
	other, _ := pair(t, "b")
	for name, x := range map[string]adminapi.TLS{
		"CA that is none":        {CA: []byte("CANARY")},
		"CA that is empty PEM":   {CA: pemOf("CERTIFICATE", nil)},
		"certificate alone":      {Cert: cert},
		"key alone":              {Key: key},
		"key of another":         {Cert: other, Key: key},
		"certificate that isn't": {Cert: []byte("CANARY"), Key: []byte("CANARY")},
	} {
		_, err := adminapi.NewTransport(x)
		if wantKind(t, err, adminapi.KindInvalid); strings.Contains(err.Error(), "CANARY") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The environment is read once per process, so each case is a process.
func TestTheProxyOfTheEnvironmentWithAndWithoutAPassword(t *testing.T) {
	t.Parallel()
	if os.Getenv("ADMINAPI_TEST_SITE") != "" {
		askThroughProxy(t)
		return
	}
	proxy := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, password, _ := (&http.Request{Header: http.Header{"Authorization": r.Header["Proxy-Authorization"]}}).BasicAuth()
		switch {
		case password != "CANARY-pw":
			w.WriteHeader(http.StatusProxyAuthRequired)
		case r.URL.Host != "gis.example":
			w.WriteHeader(http.StatusBadRequest)
		default:
			says(200, `{"jobs":["by proxy"]}`)(w, r)
		}
	})
	with := strings.Replace(proxy.URL, "http://", "http://me:CANARY-pw@", 1)
	for _, c := range []struct{ site, proxy, none, want string }{
		{"http://gis.example/admin", with, "", "read [by proxy] <nil>"},
		{"https://gis.example/admin", with, "", "could not be read: the proxy refuses to connect to the site: 400 Bad Request"},
		{"http://gis.example/admin", closedURL, "", "could not be read: there is no connection to the proxy"},
		{"http://gis.example/admin", proxy.URL, "", "Proxy Authentication Required (HTTP 407)"},
		{"https://gis.example/admin", proxy.URL, "", "could not be read: the proxy refuses to connect to the site: 407 Proxy Authentication Required"},
		{"http://gis.example/admin", with, "gis.example", "dialled gis.example:80"},
		{"https://gis.example/admin", with, ".example,10.0.0.0/8", "dialled gis.example:443"},
		{"https://10.1.2.3:7443/admin", with, ".example,10.0.0.0/8", "dialled 10.1.2.3:7443"},
	} {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
		cmd.Env = append(os.Environ(), "ADMINAPI_TEST_SITE="+c.site, "HTTP_PROXY="+c.proxy, "http_proxy="+c.proxy, "HTTPS_PROXY="+c.proxy, "https_proxy="+c.proxy, "NO_PROXY="+c.none, "no_proxy="+c.none, "GORACE=atexit_sleep_ms=0")
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), c.want) || strings.Contains(string(out), "CANARY-pw") {
			t.Errorf("%s by %s, but %q: %v, want %q in:\n%s", c.site, c.proxy, c.none, err, c.want, out)
		}
		if strings.Contains(string(out), "dialled "+proxy.Listener.Addr().String()) == (c.none != "" || c.proxy != with && c.proxy != proxy.URL) {
			t.Errorf("%s, but %q: it was asked or not:\n%s", c.site, c.none, out)
		}
	}
}

// closedURL is the address of a proxy that has gone, with a password in it: no other test is ever given
// its port.
const closedURL = "http://me:CANARY-pw@127.0.0.1:1"

func askThroughProxy(t *testing.T) {
	c := newClient(t, os.Getenv("ADMINAPI_TEST_SITE"), func(c *adminapi.Config) {
		c.Insecure, c.Clock = true, &steppedClock{}
		c.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
			t.Log("dialled", address)
			if !strings.HasPrefix(address, "127.0.0.1:") {
				return nil, errors.New("there is no such site")
			}
			return (&net.Dialer{}).DialContext(ctx, network, address)
		}
	})
	ids, err := c.Jobs.IDs(t.Context())
	t.Logf("read %v %v", ids, err)
	_, outcome, err := c.Health.Start(t.Context(), aRun)
	t.Logf("%v: %v", outcome, err)
	if err != nil && strings.Contains(err.Error(), "could not be read") != (outcome == adminapi.OutcomeNotSent) {
		t.Errorf("%v: %v", outcome, err)
	}
}

// pipes is a listener whose connections are in memory.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	c, ok := <-p
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}

func (pipes) Close() error   { return nil }
func (pipes) Addr() net.Addr { return &net.TCPAddr{} }

func TestConnectionsAndTimersCanBeReplaced(t *testing.T) {
	t.Parallel()
	line := make(pipes)
	site := http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/mode") {
			<-r.Context().Done() // never answers
			return
		}
		_, _ = io.WriteString(w, `{"fullVersion":"11.5.0.1","resources":[]}`)
	})}
	served := make(chan error)
	go func() { served <- site.Serve(line) }()
	var timers atomic.Int64
	transport, err := adminapi.NewTransport(adminapi.TLS{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := adminapi.New(adminapi.Config{
		Base: "http://site.invalid/admin", Insecure: true, Transport: transport,
		Dial: func(ctx context.Context, _, address string) (net.Conn, error) {
			if address != "site.invalid:80" {
				t.Errorf("dialled %s", address)
			}
			here, there := net.Pipe()
			select {
			case line <- there:
				return here, nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		},
		AfterFunc: func(d time.Duration, f func()) adminapi.Timer {
			if timers.Add(1) > 1 {
				go f()
			}
			return time.NewTimer(d)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if root, err := c.Root(t.Context()); err != nil || root.FullVersion != "11.5.0.1" {
		t.Errorf("%+v, %v", root, err)
	}
	if _, err := c.Mode(t.Context()); !errors.Is(err, adminapi.KindUnreachable) {
		t.Errorf("a request whose time is over: %v", err)
	}
	c.CloseIdleConnections()
	close(line)
	<-served
	_ = site.Close()
}

// A proxy connects to a site over TLS on request, and may refuse: then nothing has left.
func TestAProxyThatConnectsOrRefuses(t *testing.T) {
	t.Parallel()
	site, ca := serveTLS(t, func(*httptest.Server) {})
	for _, status := range []int{http.StatusOK, http.StatusProxyAuthRequired, http.StatusForbidden} {
		proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if status != http.StatusOK {
				w.WriteHeader(status)
				return
			}
			there, err := (&net.Dialer{}).DialContext(r.Context(), "tcp", r.Host)
			if err != nil {
				t.Error(err)
				return
			}
			here, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			_, _ = io.WriteString(here, "HTTP/1.1 200 OK\r\n\r\n")
			go func() {
				_, _ = io.Copy(there, here)
				there.Close()
			}()
			_, _ = io.Copy(here, there)
			here.Close()
		}))
		t.Cleanup(proxy.Close)
		address, err := url.Parse(proxy.URL)
		if err != nil {
			t.Fatal(err)
		}
		transport, err := adminapi.NewTransport(adminapi.TLS{CA: ca})
		if err != nil {
			t.Fatal(err)
		}
		transport.Proxy = http.ProxyURL(address)
		c := newClient(t, site.URL, func(c *adminapi.Config) { c.Transport, c.Clock = transport, &steppedClock{} })
		_, read := c.Jobs.IDs(t.Context())
		_, outcome, err := c.Health.Start(t.Context(), aRun)
		if status == http.StatusOK {
			check(t, "through the proxy", outcome, adminapi.OutcomeDone, errors.Join(read, err))
			continue
		}
		check(t, "outcome", outcome, adminapi.OutcomeNotSent, nil)
		if wantKind(t, read, adminapi.KindUnreachable); !adminapi.IsProxy(read) || !strings.Contains(read.Error(), "the proxy refuses to connect to the site: "+strconv.Itoa(status)) {
			t.Errorf("%d: %v", status, read)
		}
	}
}

// That a name server does not answer does not make a name unknown.
func TestANameServerThatDoesNotAnswerIsAskedAgain(t *testing.T) {
	t.Parallel()
	for _, notFound := range []bool{true, false} {
		var dials atomic.Int32
		c := newClient(t, "https://gis.example", func(c *adminapi.Config) {
			c.Clock = &steppedClock{}
			c.Dial = func(context.Context, string, string) (net.Conn, error) {
				dials.Add(1)
				return nil, &net.DNSError{Err: "the server misbehaves", Name: "gis.example", IsNotFound: notFound}
			}
		})
		_, err := c.Jobs.IDs(t.Context())
		wantKind(t, err, adminapi.KindUnreachable)
		check(t, err.Error(), []any{strings.Contains(err.Error(), "is unknown"), dials.Load() == 1}, []any{notFound, notFound}, nil)
	}
}
