package adminapi

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sync/semaphore"
)

const (
	dialTimeout = 10 * time.Second
	headerLimit = 1 << 20
)

// TLS holds the certificates of a connection, in PEM.
type TLS struct {
	CA   []byte // trusted in addition to those of the system
	Cert []byte // the client's certificate; it requires Key
	Key  []byte
}

// NewTransport returns a transport with these certificates, the proxy of the environment,
// and limits on the handshake and on headers; a client limits the time of each request. The
// error is of [KindInvalid].
func NewTransport(t TLS) (*http.Transport, error) {
	config, err := t.config()
	if err != nil {
		return nil, err
	}
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            (&net.Dialer{Timeout: dialTimeout, KeepAlive: 30 * time.Second}).DialContext,
		TLSClientConfig:        config,
		TLSHandshakeTimeout:    dialTimeout,
		ExpectContinueTimeout:  time.Second,
		IdleConnTimeout:        90 * time.Second,
		MaxIdleConnsPerHost:    8,
		MaxResponseHeaderBytes: headerLimit,
		ForceAttemptHTTP2:      true,
		OnProxyConnectResponse: func(_ context.Context, _ *url.URL, _ *http.Request, answer *http.Response) error {
			if answer.StatusCode == http.StatusOK {
				return nil
			}
			return &proxyError{answer.StatusCode}
		},
	}, nil
}

// proxyError is the answer of a proxy that does not connect to the site.
type proxyError struct{ status int }

// Error names the status of the answer.
func (e *proxyError) Error() string {
	return strings.TrimSpace(fmt.Sprintf("the proxy refuses to connect to the site: %d %s", e.status, http.StatusText(e.status)))
}

func (t TLS) config() (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if len(t.CA) > 0 {
		pool, err := x509.SystemCertPool()
		if err != nil {
			pool = x509.NewCertPool()
		}
		if !pool.AppendCertsFromPEM(t.CA) {
			return nil, badTLS("the CA file contains no PEM certificate")
		}
		config.RootCAs = pool
	}
	switch {
	case len(t.Cert) == 0 && len(t.Key) == 0:
		return config, nil
	case len(t.Cert) == 0 || len(t.Key) == 0:
		return nil, badTLS("a client certificate needs both its certificate and its key")
	}
	pair, err := tls.X509KeyPair(t.Cert, t.Key)
	if err != nil {
		return nil, badTLS("the client certificate or key is unreadable, or they do not match")
	}
	config.Certificates = []tls.Certificate{pair}
	return config, nil
}

func badTLS(sentence string) *Error {
	return &Error{Kind: KindInvalid, Operation: "set up TLS", Message: sentence}
}

// withoutKeepAlive returns a transport that opens a connection for every request if next
// is an [*http.Transport], else next itself. Writes use it: if the server closed a pooled
// connection at that moment, their outcome would be unknown.
func withoutKeepAlive(next http.RoundTripper) http.RoundTripper {
	pooled, ok := next.(*http.Transport)
	if !ok {
		return next
	}
	fresh := pooled.Clone()
	fresh.DisableKeepAlives = true
	return fresh
}

// CloseIdleConnections closes the connections that wait for a request. The client remains
// usable.
func (c *Client) CloseIdleConnections() {
	for _, transport := range []http.RoundTripper{c.reads, c.writes} {
		if t, ok := transport.(interface{ CloseIdleConnections() }); ok {
			t.CloseIdleConnections()
		}
	}
}

const (
	slowestLine = 20 << 10 // bytes per second of the slowest line that is waited for
	maxBuffered = 4 << 20  // bytes that may be in buffers of the network
)

// deadline cancels a request that makes no progress. Its time restarts with every piece of
// the body that is sent.
type deadline struct {
	cancel  context.CancelCauseFunc
	timeout time.Duration // without the time for what is in buffers

	// progress is told what is sent of the body, which has total bytes. It may be nil.
	progress func(sent, total int64)
	total    int64

	mu    sync.Mutex
	sent  int64 // bytes of the body
	timer Timer
	ended bool
}

// startDeadline returns a context that ends with errNoAnswer as its cause.
func startDeadline(ctx context.Context, after func(time.Duration, func()) Timer, timeout time.Duration) (context.Context, *deadline) {
	limited, cancel := context.WithCancelCause(ctx)
	d := &deadline{cancel: cancel, timeout: timeout}
	d.timer = after(timeout, func() { cancel(errNoAnswer) })
	return limited, d
}

// end stops the timer. No progress is reported from then on: a transport may continue to
// read a body that was already answered.
func (d *deadline) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ended = true
	d.timer.Stop()
	d.cancel(nil)
}

// pause stops the timer until resume, while the request waits for memory.
func (d *deadline) pause() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.timer.Stop()
}

// resume restarts the timer.
func (d *deadline) resume() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.ended {
		d.timer.Reset(d.allowance())
	}
}

// allowed is the time without progress after which the request is cancelled: its timeout,
// and the time that a slow line needs for the bytes in buffers.
func (d *deadline) allowed() time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.allowance()
}

func (d *deadline) allowance() time.Duration {
	return d.timeout + slowLineTime(int(min(d.sent, maxBuffered))).Round(time.Second)
}

// trackedBody reports its progress when it is read.
type trackedBody struct {
	io.ReadCloser
	deadline *deadline
}

// Read reads from the body and restarts the timer.
func (b trackedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if n > 0 {
		b.deadline.progressed(n)
	}
	return n, err
}

func (d *deadline) progressed(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ended {
		return
	}
	d.sent += int64(n)
	d.timer.Reset(d.allowance())
	if d.progress != nil {
		d.progress(d.sent, d.total)
	}
}

const (
	// bodyBudget is how many bytes of answers a client reads at a time: two of the
	// largest answers. Others wait.
	bodyBudget = 128 << 20
	// freeBytes is how many bytes of each answer do not count, so that small answers do
	// not wait for large ones.
	freeBytes = 1 << 20
)

// bodies limits the memory for answers that are read at the same time.
type bodies struct{ budget *semaphore.Weighted }

func newBodies() bodies { return bodies{semaphore.NewWeighted(bodyBudget)} }

// read reads a body to its end. length is its length, negative if not known, and maxLength
// the longest possible one. It acquires memory for all of it at once, so that no reader
// holds some while it waits for more. The timer stops while it waits.
func (b bodies) read(ctx context.Context, clock *deadline, in io.Reader, length, maxLength int64) ([]byte, error) {
	body := new(bytes.Buffer)
	if length >= 0 {
		maxLength = min(maxLength, length)
		body.Grow(int(min(length, freeBytes)) + bytes.MinRead)
	}
	_, err := io.CopyN(body, in, freeBytes)
	if err == io.EOF {
		return body.Bytes(), nil
	}
	if err != nil || maxLength <= freeBytes {
		return body.Bytes(), err
	}
	clock.pause()
	err = b.budget.Acquire(ctx, maxLength-freeBytes)
	clock.resume()
	if err != nil {
		return nil, err
	}
	defer b.budget.Release(maxLength - freeBytes)
	if length >= 0 {
		body.Grow(int(maxLength) - body.Len() + bytes.MinRead) // or it would be copied each time it grows
	}
	_, err = body.ReadFrom(in)
	return body.Bytes(), err
}

// errNoAnswer is the cause when this client cancelled a request for lack of progress.
var errNoAnswer = errors.New("no answer in time")

// transportError returns the error of a request without a complete answer.
func transportError(caller, limited context.Context, timeout time.Duration, err error) *Error {
	switch {
	case caller.Err() != nil:
		return cancelled(caller)
	case context.Cause(limited) == errNoAnswer:
		cause := fmt.Errorf("%w: %w", errNoAnswer, context.DeadlineExceeded)
		return &Error{Kind: KindUnreachable, Message: "no answer within " + FormatDuration(timeout), Err: cause}
	case errors.Is(err, errTooLarge), strings.Contains(err.Error(), "response headers exceeded"):
		return &Error{Kind: KindTooLarge, Message: errTooLarge.Error(), Err: err}
	}
	return &Error{Kind: KindUnreachable, Message: ConnectionText(err), Err: err}
}

// cancelled distinguishes the caller's cancellation from the caller's deadline.
func cancelled(ctx context.Context) *Error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return &Error{Kind: KindUnreachable, Message: "no answer in the time allowed", Err: ctx.Err()}
	}
	return &Error{Kind: KindCancelled, Message: "cancelled", Err: ctx.Err()}
}

// ConnectionText explains why a connection failed, "" if the error has no better words.
func ConnectionText(err error) string {
	if text := certificateSentence(err); text != "" {
		return text
	}
	var dns *net.DNSError
	var record tls.RecordHeaderError
	var proxy *proxyError
	switch {
	case errors.As(err, &proxy):
		return proxy.Error()
	case IsProxy(err):
		return "there is no connection to the proxy"
	case errors.As(err, &dns) && dns.IsNotFound:
		return "the host name " + dns.Name + " is unknown"
	case errors.As(err, &record):
		return "no TLS at that address; check the port and https://"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "the connection was refused; nothing listens at that address"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET),
		errors.Is(err, syscall.EPIPE), errors.Is(err, net.ErrClosed):
		return "the connection broke before the answer was complete"
	}
	return ""
}

// IsProxy reports whether a proxy is why a site cannot be reached.
func IsProxy(err error) bool {
	var dial *net.OpError
	return errors.As(err, new(*proxyError)) || errors.As(err, &dial) && dial.Op == "proxyconnect"
}

// IsCertificate reports whether a certificate is why a site cannot be reached.
func IsCertificate(err error) bool { return certificateSentence(err) != "" }

// certificateSentence explains a problem with a certificate, "" if there is none.
func certificateSentence(err error) string {
	var unknown x509.UnknownAuthorityError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	var remote *net.OpError
	switch {
	case errors.As(err, &remote) && remote.Op == "remote error": // a TLS alert
		return "the site ended the TLS handshake; check your client certificate"
	case errors.As(err, &unknown) && selfSigned(unknown.Cert):
		return "the site's certificate is self-signed and not trusted; trust it with --ca FILE"
	case errors.As(err, &unknown):
		return "the site's certificate authority is not trusted; trust it with --ca FILE"
	case errors.As(err, &host):
		return "the site's certificate is for another host name"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired && strings.Contains(invalid.Detail, " is before "):
		return "the site's certificate is not valid yet; check this machine's clock"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "the site's certificate has expired; check this machine's clock"
	case errors.As(err, &invalid):
		return "the site's certificate is not valid"
	}
	return ""
}

func selfSigned(c *x509.Certificate) bool {
	return c != nil && bytes.Equal(c.RawSubject, c.RawIssuer) && c.CheckSignature(c.SignatureAlgorithm, c.RawTBSCertificate, c.Signature) == nil
}

// isPermanent reports whether another attempt would fail in the same way.
func isPermanent(err error) bool {
	var dns *net.DNSError
	var record tls.RecordHeaderError
	switch {
	case certificateSentence(err) != "", errors.As(err, &record):
		return true
	case errors.As(err, &dns):
		return dns.IsNotFound
	}
	return false
}
