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
	"strings"
	"syscall"
	"time"
)

// errNoAnswer is the cause of a request that this client gave up itself.
var errNoAnswer = errors.New("no answer in time")

// transportError says why no answer, or no whole one, came.
func transportError(caller, limited context.Context, timeout time.Duration, err error) *Error {
	switch {
	case caller.Err() != nil:
		return cancelled(caller)
	case context.Cause(limited) == errNoAnswer:
		return &Error{Kind: KindUnreachable, Message: "no answer within " + Spell(timeout), Err: fmt.Errorf("%w: %w", errNoAnswer, context.DeadlineExceeded)}
	case errors.Is(err, errTooLarge), strings.Contains(err.Error(), "response headers exceeded"):
		return &Error{Kind: KindTooLarge, Message: errTooLarge.Error(), Err: err}
	}
	return &Error{Kind: KindUnreachable, Message: sentence(err), Err: err}
}

// cancelled tells the caller giving up from the caller's time running out.
func cancelled(ctx context.Context) *Error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return &Error{Kind: KindUnreachable, Message: "no answer in the time that was given", Err: ctx.Err()}
	}
	return &Error{Kind: KindCancelled, Message: "cancelled", Err: ctx.Err()}
}

// sentence says in plain words what keeps the site away.
func sentence(err error) string {
	if text := certificateSentence(err); text != "" {
		return text
	}
	var dns *net.DNSError
	var record tls.RecordHeaderError
	switch {
	case errors.As(err, &dns) && dns.IsNotFound:
		return "the host name " + dns.Name + " is not known"
	case errors.As(err, &record):
		return "the site does not speak TLS there; the port or https:// may be wrong"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "the connection was refused; nothing listens at that address"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET),
		errors.Is(err, syscall.EPIPE), errors.Is(err, net.ErrClosed):
		return "the connection broke before the whole answer was there"
	}
	return ""
}

// certificateSentence is empty where certificates are not what is wrong.
func certificateSentence(err error) string {
	var unknown x509.UnknownAuthorityError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	var remote *net.OpError
	switch {
	case errors.As(err, &remote) && remote.Op == "remote error": // a TLS alert
		return "the site ends the TLS handshake: it may want a client certificate, or another one"
	case errors.As(err, &unknown) && selfSigned(unknown.Cert):
		return "the certificate of the site is signed by itself, and not trusted here; name it as its CA file"
	case errors.As(err, &unknown):
		return "the certificate of the site is signed by an authority that is not trusted here; name its CA file"
	case errors.As(err, &host):
		return "the certificate of the site is for another host name"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired && strings.Contains(invalid.Detail, " is before "):
		return "the certificate of the site is not valid yet, or this machine's clock is wrong"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "the certificate of the site has expired, or this machine's clock is wrong"
	case errors.As(err, &invalid):
		return "the certificate of the site is not valid"
	}
	return ""
}

func selfSigned(c *x509.Certificate) bool {
	return c != nil && bytes.Equal(c.RawSubject, c.RawIssuer) && c.CheckSignature(c.SignatureAlgorithm, c.RawTBSCertificate, c.Signature) == nil
}

// isLasting tells whether a failure will be the same a second later.
func isLasting(err error) bool {
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
