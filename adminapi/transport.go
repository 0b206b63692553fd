package adminapi

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"time"
)

const (
	dialTimeout = 10 * time.Second
	headerLimit = 1 << 20
)

// TLS holds the certificates of a connection, in PEM.
type TLS struct {
	CA   []byte // trusted beside the system's own
	Cert []byte // the client's certificate, with its key
	Key  []byte
}

// NewTransport returns a transport with the given certificates, the proxy of the
// environment, and limits on time and headers. The error is of [KindInvalid].
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
		ResponseHeaderTimeout:  longTimeout,
		ExpectContinueTimeout:  time.Second,
		IdleConnTimeout:        90 * time.Second,
		MaxIdleConnsPerHost:    8,
		MaxResponseHeaderBytes: headerLimit,
		ForceAttemptHTTP2:      true,
	}, nil
}

func (t TLS) config() (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if len(t.CA) > 0 {
		pool, err := x509.SystemCertPool()
		if err != nil {
			pool = x509.NewCertPool()
		}
		if !pool.AppendCertsFromPEM(t.CA) {
			return nil, badTLS("the CA file holds no certificate in PEM form")
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
		return nil, badTLS("the client certificate and its key cannot be read, or do not belong together")
	}
	config.Certificates = []tls.Certificate{pair}
	return config, nil
}

func badTLS(sentence string) *Error {
	return &Error{Kind: KindInvalid, Operation: "set up TLS", Message: sentence}
}

// freshConnections returns a transport that opens a connection for every
// request where that can be had, and next itself elsewhere. Writes go this way:
// a kept connection that the server drops at that moment would leave them with
// an outcome that nobody knows.
func freshConnections(next http.RoundTripper) http.RoundTripper {
	kept, ok := next.(*http.Transport)
	if !ok {
		return next
	}
	fresh := kept.Clone()
	fresh.DisableKeepAlives = true
	return fresh
}

// CloseIdleConnections closes the connections that wait for the next request.
// The client stays usable.
func (c *Client) CloseIdleConnections() {
	for _, transport := range []http.RoundTripper{c.reads, c.writes} {
		if t, ok := transport.(interface{ CloseIdleConnections() }); ok {
			t.CloseIdleConnections()
		}
	}
}
