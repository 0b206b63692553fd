package doctor

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"net"
	"net/http/httptrace"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
)

// handshake is what a TLS handshake showed.
type handshake struct {
	mu      sync.Mutex
	chain   []*x509.Certificate // as the site sent it
	version string
	trust   error // why the certificate is not trusted
	ended   bool
	err     error // of the handshake
	asked   bool  // for a certificate of the client
}

// checkTLS makes a TLS connection with the settings of the client, and looks at the
// certificates of the site. An untrusted one ends it before anything is sent.
func (e *examination) checkTLS(ctx context.Context) *Check {
	if e.TransportErr != nil {
		return saying(Failed, "The settings of TLS cannot be used.").with(messageOf(e.TransportErr)).
			advising("Correct --ca, --client-cert or --client-key.")
	}
	if e.base.Scheme != "https" {
		return saying(NotApplicable, "http is not encrypted.")
	}
	var h handshake
	err := e.shakeHands(ctx, &h)
	h.mu.Lock()
	defer h.mu.Unlock()
	seen := h.evidence(e)
	switch {
	case h.trust != nil:
		return e.untrusted(&h).with(seen...)
	case !h.ended || h.err != nil:
		return e.noHandshake(&h, err).with(seen...)
	case h.asked && isAlert(err) && len(e.clientCertificates()) == 0:
		return saying(Failed, "The site wants a certificate of yours.").with(seen...).advising("Give it with --client-cert and --client-key.")
	case h.asked && isAlert(err):
		return saying(Failed, "The site refuses your certificate.").with(append(seen, err.Error())...).
			advising("Check with the site's administrator which authority has to sign it.")
	}
	leaf := h.chain[0]
	if left := leaf.NotAfter.Sub(e.Clock.Now()); left < soon {
		return saying(Warning, "The site's certificate ends in %s.", adminapi.FormatDuration(max(left.Truncate(time.Hour), 0))).with(seen...).
			advising("Have it renewed before that.")
	}
	return saying(Passed, "The certificate is trusted, and ends %s.", day(leaf.NotAfter)).with(seen...)
}

// soon is how long before its end a certificate is worth a warning.
const soon = 14 * 24 * time.Hour

func day(t time.Time) string { return t.UTC().Format("2006-01-02") }

// shakeHands connects and requests the root without a token. Where the site asks for no
// certificate of the client, the end of the handshake is the end of it; otherwise it may
// refuse that only in its answer.
func (e *examination) shakeHands(ctx context.Context, h *handshake) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	transport := e.Transport.Clone()
	transport.DisableKeepAlives = true
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if transport.TLSClientConfig != nil {
		config = transport.TLSClientConfig.Clone()
	}
	own, strict := config.Certificates, !config.InsecureSkipVerify
	config.InsecureSkipVerify = true // VerifyConnection does the same, and sees the chain
	config.VerifyConnection = func(state tls.ConnectionState) error {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.chain, h.version = state.PeerCertificates, tls.VersionName(state.Version)
		if strict {
			h.trust = verify(state, e.base.Hostname(), config.RootCAs)
		}
		return h.trust
	}
	config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.asked = true
		if len(own) > 0 {
			return &own[0], nil
		}
		return &tls.Certificate{}, nil
	}
	transport.TLSClientConfig = config
	_, err := e.get(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		TLSHandshakeDone: func(state tls.ConnectionState, err error) {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.ended, h.err = true, err
			if !h.asked && err == nil {
				stop()
			}
		},
	}), transport)
	return err
}

// secured is the address with https where the port of an address with http speaks TLS; nil where it
// does not.
func (e *examination) secured(ctx context.Context) *url.URL {
	if e.base.Scheme != "http" {
		return nil
	}
	secure := *e.base
	secure.Scheme, secure.Host = "https", net.JoinHostPort(e.base.Hostname(), port(e.base))
	probe, h := examination{Options: e.Options, base: &secure}, handshake{}
	_ = probe.shakeHands(ctx, &h) // a certificate that is not trusted tells it, too
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.chain) == 0 {
		return nil
	}
	return &secure
}

// verify checks a chain of a host as the standard library does.
func verify(state tls.ConnectionState, host string, roots *x509.CertPool) error {
	options := x509.VerifyOptions{Roots: roots, DNSName: host, Intermediates: x509.NewCertPool()}
	for _, c := range state.PeerCertificates[1:] {
		options.Intermediates.AddCert(c)
	}
	_, err := state.PeerCertificates[0].Verify(options)
	if err != nil {
		return &tls.CertificateVerificationError{UnverifiedCertificates: state.PeerCertificates, Err: err}
	}
	return nil
}

func (e *examination) clientCertificates() []tls.Certificate {
	if e.Transport.TLSClientConfig == nil {
		return nil
	}
	return e.Transport.TLSClientConfig.Certificates
}

// evidence describes the connection and each certificate.
func (h *handshake) evidence(e *examination) (lines []string) {
	for i, c := range h.chain {
		lines = append(lines, fmt.Sprintf("certificate %d of %d: %s; issued by %s; valid %s to %s", i+1, len(h.chain), c.Subject, c.Issuer, day(c.NotBefore), day(c.NotAfter)))
		e.note(ofHost, c.DNSNames...)
		for _, address := range c.IPAddresses {
			e.note(ofHost, address.String())
		}
		for _, who := range []pkix.Name{c.Subject, c.Issuer} {
			e.note(ofOrg, who.CommonName)
			e.note(ofOrg, slices.Concat(who.Organization, who.OrganizationalUnit, who.Locality)...)
		}
	}
	if len(h.chain) > 0 {
		lines = append(lines, h.version+"; the certificate is for: "+namesOf(h.chain[0]))
	}
	switch {
	case !h.asked:
	case len(e.clientCertificates()) == 0:
		lines = append(lines, "The site asks for a certificate of yours; none is given.")
	default:
		lines = append(lines, "The site asks for a certificate of yours; it was sent.")
	}
	return lines
}

// namesOf lists the hosts that a certificate is for.
func namesOf(c *x509.Certificate) string {
	names := c.DNSNames
	for _, address := range c.IPAddresses {
		names = append(names, address.String())
	}
	if len(names) == 0 {
		return "no host"
	}
	return strings.Join(names, ", ")
}

// untrusted says which certificate is not trusted, and why.
func (e *examination) untrusted(h *handshake) *Check {
	c := saying(Failed, "%s.", cmp.Or(plain.Capital(adminapi.ConnectionText(h.trust)), "The certificate is not valid"))
	var unknown x509.UnknownAuthorityError
	var invalid x509.CertificateInvalidError
	var host x509.HostnameError
	switch {
	case errors.As(h.trust, &unknown) && unknown.Cert != nil:
		c = c.with("not trusted: " + unknown.Cert.Subject.String())
		c = c.advising("Ask the site's administrator for the certificate of its authority, and give it with --ca.")
		if leaf := h.chain[0]; len(h.chain) == 1 && leaf.Issuer.String() != leaf.Subject.String() {
			c = c.advising("Give the certificate of " + leaf.Issuer.String() + " with --ca. The site may also lack the certificates between.")
		}
	case errors.As(h.trust, &host):
		c = c.advising("Use the name that the certificate is for, or have one made for " + e.base.Hostname() + ".")
	case errors.As(h.trust, &invalid) && invalid.Cert != nil:
		c = c.with("not valid: " + invalid.Cert.Subject.String()).
			with("This machine's clock: " + e.Clock.Now().UTC().Format(time.RFC3339)).advising("Have the certificate renewed, or set this machine's clock.")
	}
	return c
}

// noHandshake says why no TLS connection was made.
func (e *examination) noHandshake(h *handshake, err error) *Check {
	if h.err != nil && (err == nil || !errors.Is(h.err, context.Canceled)) { // which is how the end of the time reaches a handshake
		err = h.err
	}
	if err == nil {
		err = errors.New("the connection ended")
	}
	c := saying(Failed, "There is no TLS connection.").with(connectionText(err))
	switch {
	case errors.As(err, new(tls.RecordHeaderError)):
		return c.advising("Something other than https listens there: check the port and the scheme.")
	case errors.Is(err, context.DeadlineExceeded):
		return c.advising("Something listens there, but does not answer: check the port, and what stands in between.")
	case isAlert(err) && h.asked:
		return c.advising("The site wants a certificate of yours: --client-cert and --client-key.")
	case isAlert(err):
		return c.with(err.Error()).advising("The site and geodeck share no version of TLS, or it wants another host name. TLS 1.2 is the least.")
	}
	return c.advising("Check the port, and what stands in between.")
}

// isAlert reports whether the other end has refused the handshake.
func isAlert(err error) bool {
	remote, ok := errors.AsType[*net.OpError](err)
	return ok && remote.Op == "remote error"
}
