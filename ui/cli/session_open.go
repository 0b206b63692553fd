package cli

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/signin"
	"geodeck/adminapi/sites"
)

// adviceAdd says how a first site comes into the file.
const adviceAdd = "Add one: {command:site add NAME --url ADDRESS}"

// errNoSite says that no site was named.
var errNoSite = errors.New("no site: name one with --site, or give an address with --url")

// openSite is a site whose client is made.
type openSite struct {
	operation.Site
	notice  string // on its address
	journal *lazyJournal
	tokens  signin.Source
}

// site makes the site, and gets its token. Nothing is sent.
func (s *session) site(ctx context.Context) (operation.Site, error) {
	before := s.client()
	site, notice, err := s.open(ctx)
	if err != nil || before != nil {
		return site, err
	}
	s.say(notice)
	return site, s.signIn(ctx)
}

// open makes the site without a token that has to be waited for, and returns a notice on its
// address.
func (s *session) open(ctx context.Context) (site operation.Site, notice string, err error) {
	opened, err := s.opened.get(func() (openSite, error) { return s.connect(ctx) })
	return opened.Site, opened.notice, err
}

func (s *session) connect(ctx context.Context) (opened openSite, err error) {
	of, err := s.settings()
	if err != nil {
		return opened, err
	}
	if of.url.value == "" {
		return opened, badInput(adviceAdd+"\nChoose one: {command:site use NAME}\nWithout a site: {command:demo}\nA saved report: {command:health report FILE}", errNoSite)
	}
	base, notice, err := adminapi.ParseBase(of.url.value, of.insecure.on())
	if err != nil {
		if _, _, insecure := adminapi.ParseBase(of.url.value, true); insecure == nil {
			err = badInput("--insecure sends it anyway.", err)
		}
		return opened, err
	}
	header, err := of.tokenHeader()
	if err != nil {
		return opened, err
	}
	opened.notice, opened.journal = notice, s.journalOf(base)
	transport, err := of.transport()
	if err != nil {
		return opened, err
	}
	cfg := adminapi.Config{
		Base: base.String(), Insecure: of.insecure.on(), ReadOnly: s.from.flags.readOnly, Locked: of.locked(), AuthHeader: header,
		Transport: transport, Clock: s.from.clock, Rand: s.from.rand, Dial: s.from.dial, UserAgent: s.from.userAgent,
		Observer: opened.journal, Trace: s.from.debug.trace(),
	}
	if opened.tokens, err = s.addToken(ctx, &cfg, of, base); err != nil {
		if ended := ctx.Err(); ended != nil {
			return opened, ended
		}
		return opened, badInput("", err)
	}
	client, err := adminapi.New(cfg)
	if err != nil {
		return opened, err
	}
	if s.unlocks(of.marked.Name) {
		client.Unlock()
	}
	opened.Site = operation.Site{Client: client, Clock: s.from.clock, Rand: s.from.rand, Line: of.line()}
	return opened, nil
}

// client is that of the site, nil where it was not opened yet.
func (s *session) client() *adminapi.Client { return s.opened.soFar().Client }

// close ends the use of the journal, where there is one.
func (s *session) close() {
	if opened := s.opened.soFar(); opened.journal != nil {
		opened.journal.close()
	}
}

// tokenHeader is the header that carries the token.
func (s settings) tokenHeader() (string, error) { return tokenHeader(s.authHeader.value) }

func tokenHeader(given string) (string, error) {
	name, err := adminapi.ParseAuthHeader(given)
	if err != nil {
		err = badInput("Give one of the two with --auth-header or "+envAuthHeader+".", err)
	}
	return name, err
}

// maxPEM is what is read of a file of certificates at most, in bytes.
const maxPEM = 4 << 20 // all authorities of a system have less than one MiB

// transport has the certificates of the site and its proxy.
func (s settings) transport() (*http.Transport, error) {
	var pem adminapi.TLS
	for _, part := range []struct {
		path string
		into *[]byte
	}{{s.ca.value, &pem.CA}, {s.clientCert.value, &pem.Cert}, {s.clientKey.value, &pem.Key}} {
		if part.path == "" {
			continue
		}
		content, err := readUpTo(part.path, maxPEM)
		if err != nil {
			return nil, badInput("", err)
		}
		*part.into = content
	}
	transport, err := adminapi.NewTransport(pem)
	if err != nil || s.proxy.value == "" {
		return transport, err
	}
	transport.Proxy = nil
	if s.proxy.value == sites.NoProxy {
		return transport, nil
	}
	proxy, err := url.Parse(s.proxy.value)
	if err == nil {
		transport.Proxy = http.ProxyURL(proxy)
	}
	return transport, err
}
