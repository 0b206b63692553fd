package doctor_test

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/binary"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/doctor"
)

// short is how long a check may take that nobody answers.
const short = 500 * time.Millisecond

// serve answers over http.
func serve(t *testing.T, answer http.HandlerFunc) (address string) {
	t.Helper()
	s := httptest.NewServer(answer)
	t.Cleanup(s.Close)
	return s.URL
}

// listen takes connections, and does with each what is given.
func listen(t *testing.T, with func(net.Conn)) (host string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				with(conn)
			}()
		}
	}()
	t.Cleanup(func() { _ = l.Close(); <-ended })
	return l.Addr().String()
}

// silent reads until the other end gives up.
func silent(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) }

// resolver asks a DNS server of the test, which knows one name.
func resolver(t *testing.T, name string, addresses ...net.IP) *net.Resolver {
	t.Helper()
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for query := make([]byte, 512); ; {
			n, from, err := server.ReadFrom(query)
			if err != nil {
				return
			}
			if answer := dnsAnswer(query[:n], name, addresses); answer != nil {
				_, _ = server.WriteTo(answer, from)
			}
		}
	}()
	var questions sync.Map // a resolver goes on waiting for the silent server
	t.Cleanup(func() {
		_ = server.Close()
		questions.Range(func(conn, _ any) bool {
			_ = conn.(net.Conn).Close()
			return true
		})
		<-ended
	})
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, "udp", server.LocalAddr().String())
		if err == nil {
			questions.Store(conn, true)
		}
		return conn, err
	}}
}

// dnsAnswer answers a question: the addresses of the one name, otherwise that there is none;
// nothing to who asks for a name that begins with "silent".
func dnsAnswer(query []byte, name string, addresses []net.IP) []byte {
	end, asked := 12, ""
	for query[end] != 0 {
		asked += string(query[end+1:end+1+int(query[end])]) + "."
		end += 1 + int(query[end])
	}
	if strings.HasPrefix(asked, "silent") {
		return nil
	}
	kind := binary.BigEndian.Uint16(query[end+1:])
	answer := append([]byte{}, query[:end+5]...)
	answer[2], answer[3] = 0x81, 0x83 // there is no such name
	binary.BigEndian.PutUint16(answer[10:], 0)
	if asked != name+"." {
		return answer
	}
	answer[3] = 0x80
	if kind != 1 {
		return answer
	}
	binary.BigEndian.PutUint16(answer[6:], uint16(len(addresses)))
	for _, address := range addresses {
		answer = append(answer, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4)
		answer = append(answer, address.To4()...)
	}
	return answer
}

func TestANameThatIsUnknownOrFoundOrSilentIsTold(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write([]byte(`{"fullVersion":"11.5"}`)) })
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(s, "http://"))
	known := resolver(t, "gis.example.org", net.IPv4(127, 0, 0, 1))
	for host, c := range map[string]struct {
		verdict, tcp doctor.Verdict
		words        []string
	}{
		"gis.example.org":     {doctor.Passed, doctor.Passed, []string{"has 1 address", "127.0.0.1"}},
		"nowhere.example.org": {doctor.Failed, doctor.NotKnown, []string{"nowhere.example.org is unknown", "VPN"}},
		"silent.example.org":  {doctor.Failed, doctor.NotKnown, []string{"in time"}},
	} {
		o := options(t, "http://"+host+":"+port+"/admin", adminapi.TLS{})
		o.Insecure, o.Resolver = true, known
		o.Transport.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, "127.0.0.1:"+port)
		}
		if strings.HasPrefix(host, "silent") {
			o.Limit = short
		}
		r := doctor.Examine(t.Context(), o)
		want(t, r, "name", c.verdict, c.words...)
		want(t, r, "tcp", c.tcp)
		want(t, r, "tls", map[doctor.Verdict]doctor.Verdict{doctor.Passed: doctor.NotApplicable, doctor.NotKnown: doctor.NotKnown}[c.tcp])
	}
}

func TestASiteThatIsReachedAtSomeAddressesOnlyIsAWarning(t *testing.T) {
	t.Parallel()
	host := listen(t, silent)
	_, port, _ := net.SplitHostPort(host)
	o := options(t, "http://gis.example.org:"+port+"/admin", adminapi.TLS{})
	o.Insecure, o.Limit = true, short
	o.Resolver = resolver(t, "gis.example.org", net.IPv4(127, 0, 0, 1), net.IPv4(127, 83, 97, 201))
	r := doctor.Examine(t.Context(), o)
	want(t, r, "name", doctor.Passed, "has 2 addresses")
	want(t, r, "tcp", doctor.Warning, "1 of 2 addresses", "127.83.97.201:"+port+": the connection was refused")
}

// hasty is the machine's clock without pauses.
type hasty struct{ adminapi.SystemClock }

func (hasty) Sleep(ctx context.Context, _ time.Duration) error { return ctx.Err() }

func TestListenersThatRefuseHangOrSpeakGarbageAreTold(t *testing.T) {
	t.Parallel()
	const refuses = "127.0.0.1:1" // a port that other tests may get would be listened to
	hangs, garbage := listen(t, silent), listen(t, func(c net.Conn) {
		_, _ = c.Write([]byte("\x00\xff SSH-2.0-garbage\r\n\r\n"))
		silent(c)
	})
	cut := listen(t, func(c net.Conn) { _, _ = c.Read(make([]byte, 1)) })
	for name, c := range map[string]struct {
		address string
		failed  string
		words   []string
		rest    []string // not known
	}{
		"refuses":          {"https://" + refuses, "tcp", []string{"nothing listens"}, []string{"tls", "path", "clock", "signIn"}},
		"hangs in TLS":     {"https://" + hangs, "tls", []string{"no answer in time"}, []string{"path", "version", "clock", "signIn", "privileges"}},
		"hangs":            {"http://" + hangs, "path", []string{"no answer"}, []string{"version", "clock", "signIn", "privileges"}},
		"garbage for TLS":  {"https://" + garbage, "tls", []string{"check the port and the scheme"}, []string{"path", "signIn"}},
		"garbage for HTTP": {"http://" + garbage, "path", []string{"no answer of HTTP"}, []string{"version", "signIn"}},
		"hangs up in TLS":  {"https://" + cut, "tls", []string{"There is no TLS connection"}, []string{"path", "signIn"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := options(t, c.address+"/context/admin", adminapi.TLS{})
			if strings.HasPrefix(name, "hangs") {
				o.Limit = short
			}
			o.Clock = hasty{} // between the attempts of the client
			r := doctor.Examine(t.Context(), o)
			want(t, r, c.failed, doctor.Failed, c.words...)
			for _, id := range c.rest {
				want(t, r, id, doctor.NotKnown)
			}
			if r.Count(doctor.Failed) != 1 {
				t.Errorf("%d failed", r.Count(doctor.Failed))
			}
		})
	}
}

func TestWhatHasNoTimeLeftIsNotKnown(t *testing.T) {
	t.Parallel()
	o := options(t, "https://"+listen(t, silent), adminapi.TLS{})
	o.Overall = short
	r := doctor.Examine(t.Context(), o)
	want(t, r, "tls", doctor.NotKnown, "no time left")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	o = options(t, "https://127.0.0.1:1", adminapi.TLS{})
	if r := doctor.Examine(ctx, o); r.Count(doctor.Failed) != 0 {
		t.Errorf("what was cancelled has failed: %v", r.Checks)
	}
}

// authority signs certificates.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) authority {
	t.Helper()
	template := siteCertificate("an authority")
	template.IsCA, template.BasicConstraintsValid, template.KeyUsage = true, true, x509.KeyUsageCertSign
	issued := authority{cert: template}.issue(t, template)
	return authority{issued.Leaf, issued.PrivateKey.(*ecdsa.PrivateKey)}
}

// siteCertificate is valid for a month, for this machine.
func siteCertificate(name string) *x509.Certificate {
	return &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(30 * 24 * time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
}

// issue signs a certificate, by itself where the authority has no key.
func (a authority) issue(t *testing.T, template *x509.Certificate) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	parent, signer := a.cert, a.key
	if signer == nil {
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

func pemOf(c *x509.Certificate) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Raw})
}

func keyOf(t *testing.T, c tls.Certificate) []byte {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(c.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
}

// serveTLS answers over TLS as a platform without a token, and counts requests.
func serveTLS(t *testing.T, config *tls.Config) (address string, asked *atomic.Int32) {
	t.Helper()
	asked = new(atomic.Int32)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		_, _ = w.Write([]byte(`{"fullVersion":"11.5.0.1","currentVersion":"11.5"}`))
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.TLS = config
	s.StartTLS()
	t.Cleanup(s.Close)
	return s.URL, asked
}

func TestHTTPToAPortOfHTTPSIsTold(t *testing.T) {
	t.Parallel()
	ours := newAuthority(t)
	address, asked := serveTLS(t, &tls.Config{Certificates: []tls.Certificate{ours.issue(t, siteCertificate("a site"))}})
	garbled := listen(t, func(c net.Conn) {
		_ = tls.Server(c, &tls.Config{Certificates: []tls.Certificate{ours.issue(t, siteCertificate("a site"))}}).Handshake()
	})
	for _, host := range []string{strings.TrimPrefix(address, "https://"), garbled} {
		r := doctor.Examine(t.Context(), options(t, "http://"+host+"/geodeck/admin", adminapi.TLS{}))
		want(t, r, "path", doctor.Failed, "That port speaks https, not http.", "Use --url https://"+host+"/geodeck/admin.")
	}
	if n := asked.Load(); n != 0 {
		t.Errorf("%d requests were sent to a site that nobody trusts", n)
	}
}

func TestACertificateThatIsNotTrustedIsNamedAndNothingIsSent(t *testing.T) {
	t.Parallel()
	ours, theirs := newAuthority(t), newAuthority(t)
	changed := func(change func(*x509.Certificate)) *x509.Certificate {
		template := siteCertificate("a site")
		change(template)
		return template
	}
	for name, c := range map[string]struct {
		site    tls.Certificate
		verdict doctor.Verdict
		words   []string
	}{
		"good":    {ours.issue(t, siteCertificate("a site")), doctor.Passed, []string{"certificate 1 of 1: CN=a site; issued by CN=an authority"}},
		"expired": {ours.issue(t, changed(func(c *x509.Certificate) { c.NotAfter = time.Now().Add(-time.Minute) })), doctor.Failed, []string{"has expired", "not valid: CN=a site", "This machine's clock"}},
		"ends soon": {ours.issue(t, changed(func(c *x509.Certificate) { c.NotAfter = time.Now().Add(72*time.Hour + time.Minute) })), doctor.Warning,
			[]string{"ends in 72 h", "renewed"}},
		"of another host": {ours.issue(t, changed(func(c *x509.Certificate) { c.IPAddresses, c.DNSNames = nil, []string{"gis.example.org"} })), doctor.Failed,
			[]string{"is for another host name", "is for: gis.example.org", "127.0.0.1"}},
		"signed by itself":     {authority{}.issue(t, siteCertificate("a site")), doctor.Failed, []string{"self-signed", "not trusted: CN=a site", "--ca"}},
		"of another authority": {theirs.issue(t, siteCertificate("a site")), doctor.Failed, []string{"authority is not trusted", "--ca", "Give the certificate of CN=an authority"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address, asked := serveTLS(t, &tls.Config{Certificates: []tls.Certificate{c.site}})
			r := doctor.Examine(t.Context(), options(t, address, adminapi.TLS{CA: pemOf(ours.cert)}))
			want(t, r, "tls", c.verdict, c.words...)
			if c.verdict == doctor.Failed {
				want(t, r, "path", doctor.NotKnown)
				if n := asked.Load(); n > 0 {
					t.Errorf("%d requests over a connection that is not trusted", n)
				}
			} else {
				want(t, r, "path", doctor.Passed)
			}
		})
	}
}

func TestAClientCertificateThatIsAskedForIsTold(t *testing.T) {
	t.Parallel()
	ours, theirs := newAuthority(t), newAuthority(t)
	pool := x509.NewCertPool()
	pool.AddCert(ours.cert)
	mine, others := ours.issue(t, siteCertificate("me")), theirs.issue(t, siteCertificate("somebody"))
	for name, c := range map[string]struct {
		auth    tls.ClientAuthType
		with    *tls.Certificate
		version uint16
		verdict doctor.Verdict
		words   []string
	}{
		"required, none":          {tls.RequireAndVerifyClientCert, nil, tls.VersionTLS13, doctor.Failed, []string{"wants a certificate of yours", "--client-cert"}},
		"required, none, TLS 1.2": {tls.RequireAndVerifyClientCert, nil, tls.VersionTLS12, doctor.Failed, []string{"wants a certificate of yours", "--client-cert"}},
		"required, given":         {tls.RequireAndVerifyClientCert, &mine, tls.VersionTLS13, doctor.Passed, []string{"it was sent"}},
		"required, of others":     {tls.RequireAndVerifyClientCert, &others, tls.VersionTLS13, doctor.Failed, []string{"refuses your certificate"}},
		"optional, none":          {tls.RequestClientCert, nil, tls.VersionTLS13, doctor.Passed, []string{"none is given"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address, _ := serveTLS(t, &tls.Config{Certificates: []tls.Certificate{ours.issue(t, siteCertificate("a site"))}, ClientAuth: c.auth, ClientCAs: pool, MaxVersion: c.version})
			security := adminapi.TLS{CA: pemOf(ours.cert)}
			if c.with != nil {
				security.Cert, security.Key = pemOf(c.with.Leaf), keyOf(t, *c.with)
			}
			r := doctor.Examine(t.Context(), options(t, address, security))
			want(t, r, "tls", c.verdict, c.words...)
		})
	}
}

func TestSettingsOfTLSThatCannotBeReadAreTold(t *testing.T) {
	t.Parallel()
	address, _ := serveTLS(t, nil)
	o := options(t, address, adminapi.TLS{})
	_, err := adminapi.NewTransport(adminapi.TLS{CA: []byte("no PEM")})
	o.Transport, o.TransportErr = nil, err
	r := doctor.Examine(t.Context(), o)
	want(t, r, "tcp", doctor.Passed)
	want(t, r, "tls", doctor.Failed, "contains no PEM certificate")
}

// proxy answers CONNECT with a status, and joins the connections if that is 200.
func proxy(t *testing.T, status int, headers ...string) (host string) {
	return listen(t, func(c net.Conn) {
		in := bufio.NewReader(c)
		r, err := http.ReadRequest(in)
		if err != nil || r.Method != http.MethodConnect {
			return
		}
		fmt.Fprintf(c, "HTTP/1.1 %d Because\r\n%s\r\n", status, strings.Join(append(headers, ""), "\r\n"))
		if status != http.StatusOK {
			return
		}
		site, err := net.Dial("tcp", r.Host)
		if err != nil {
			return
		}
		defer site.Close()
		go func() { _, _ = io.Copy(site, in); _ = site.Close() }()
		_, _ = io.Copy(c, site)
	})
}

func TestAProxyThatRefusesOrAsksOrIsAwayIsTold(t *testing.T) {
	t.Parallel()
	ours := newAuthority(t)
	address, _ := serveTLS(t, &tls.Config{Certificates: []tls.Certificate{ours.issue(t, siteCertificate("a site"))}})
	for name, c := range map[string]struct {
		proxy   string
		verdict doctor.Verdict
		words   []string
	}{
		"connects":       {"http://" + proxy(t, 200), doctor.Passed, []string{"HTTPS_PROXY decides: http://127.0.0.1", "200 OK"}},
		"refuses":        {"http://" + proxy(t, 403), doctor.Failed, []string{"does not connect to the site", "403 Forbidden", "NO_PROXY"}},
		"asks":           {"http://" + proxy(t, 407, `Proxy-Authenticate: Basic realm="office"`), doctor.Failed, []string{"asks for a user and a password", `It asks for: Basic realm="office"`, "HTTPS_PROXY"}},
		"wrong password": {"http://me:CANARY-pass@" + proxy(t, 407), doctor.Failed, []string{"refuses the user or the password", "http://me:"}},
		"away":           {"http://127.0.0.1:1", doctor.Failed, []string{"no connection to the proxy", "refused"}},
		"garbage":        {"http://" + listen(t, func(c net.Conn) { _, _ = c.Write([]byte("garbage\r\n\r\n")); silent(c) }), doctor.Failed, []string{"no usable answer"}},
		"hangs":          {"http://" + listen(t, silent), doctor.Failed, []string{"no usable answer", "no answer in time"}},
		"unknown":        {"http://nowhere.example.org:3128", doctor.Failed, []string{"nowhere.example.org is unknown", "HTTPS_PROXY"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := options(t, address, adminapi.TLS{CA: pemOf(ours.cert)})
			o.Env = environment("HTTPS_PROXY", c.proxy)
			o.Resolver = resolver(t, "gis.example.org")
			through, err := url.Parse(c.proxy)
			if err != nil {
				t.Fatal(err)
			}
			o.Transport.Proxy = http.ProxyURL(through)
			if name == "hangs" {
				o.Limit = short
			}
			r := doctor.Examine(t.Context(), o)
			want(t, r, "proxy", c.verdict, c.words...)
			want(t, r, "name", doctor.NotApplicable, "The proxy")
			want(t, r, "tcp", doctor.NotApplicable, "The proxy")
			if c.verdict == doctor.Passed {
				want(t, r, "tls", doctor.Passed)
				want(t, r, "path", doctor.Passed)
			} else {
				want(t, r, "tls", doctor.NotKnown, "Proxy comes first")
			}
			for _, check := range r.Checks {
				if strings.Contains(fmt.Sprint(check), "CANARY") {
					t.Errorf("a secret: %v", check)
				}
			}
		})
	}
}

func TestAProxyThatIsNotUsedIsExplained(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {})
	o := options(t, s, adminapi.TLS{})
	o.Env = environment("HTTP_PROXY", "http://proxy.example.org", "NO_PROXY", "127.0.0.1")
	want(t, doctor.Examine(t.Context(), o), "proxy", doctor.NotApplicable, "HTTP_PROXY is set, and so is NO_PROXY: 127.0.0.1")
}
