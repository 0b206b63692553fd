package session

import (
	"context"
	"encoding/pem"
	"errors"
	"net/http"
	"net/url"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/signin"
	"geodeck/adminapi/sites"
	"geodeck/ui/cli/exit"
	"geodeck/ui/cli/files"
)

// AdviceAdd says how a first site comes into the file.
const AdviceAdd = "Add one: {command:site add NAME --url ADDRESS}"

// adviceChoose is for a command that needs a site and got none.
const adviceChoose = AdviceAdd + "\nChoose one: {command:site use NAME}\n"

// ErrNoSite says that no site was named.
var ErrNoSite = errors.New("no site: name one with --site, or give an address with --url")

// opened is a site whose client is made.
type opened struct {
	operation.Site
	notice  string // on its address
	journal *Journal
	tokens  signin.Source
}

// Site makes the site, and gets its token. Nothing is sent.
func (s *Session) Site(ctx context.Context) (operation.Site, error) {
	before := s.Client()
	site, notice, err := s.Open(ctx)
	if err != nil || before != nil {
		return site, err
	}
	s.Say(notice)
	return site, s.SignIn(ctx)
}

// Open makes the site without a token that has to be waited for, and returns a notice on its
// address.
func (s *Session) Open(ctx context.Context) (site operation.Site, notice string, err error) {
	opened, err := s.opened.get(func() (opened, error) { return s.connect(ctx) })
	return opened.Site, opened.notice, err
}

// Glimpse opens the site for a look that may fail, as a completion takes it: with the token that is there,
// and without a word.
func (s *Session) Glimpse(ctx context.Context) (operation.Site, error) {
	site, _, err := s.Again(Variant{Note: func(string) {}, quiet: true}).Open(ctx)
	if err == nil && !site.Client.Session.Token().Known() {
		err = signin.ErrSignIn
	}
	return site, err
}

func (s *Session) connect(ctx context.Context) (opened opened, err error) {
	of, err := s.Settings()
	if err != nil {
		return opened, err
	}
	if of.URL.Value == "" {
		return opened, exit.BadInput(adviceChoose+"Without a site: {command:demo}\nA saved report: {command:health report FILE}", ErrNoSite)
	}
	base, notice, err := adminapi.ParseBase(of.URL.Value, of.Insecure.On())
	if err != nil {
		if _, _, insecure := adminapi.ParseBase(of.URL.Value, true); insecure == nil {
			err = exit.BadInput("--insecure sends it anyway.", err)
		}
		return opened, err
	}
	header, err := TokenHeader(of.AuthHeader.Value)
	if err != nil {
		return opened, err
	}
	opened.notice, opened.journal = notice, s.journalOf(base)
	transport, err := of.Transport()
	if err != nil {
		return opened, err
	}
	cfg := adminapi.Config{
		Base: base.String(), Insecure: of.Insecure.On(), ReadOnly: s.from.Flags.ReadOnly || s.as.quiet, Locked: of.Locked(),
		AuthHeader: header,
		Transport:  transport, Clock: s.from.Clock, Rand: s.from.Rand, Dial: s.from.Dial, UserAgent: s.from.UserAgent,
		Observer: opened.journal, Trace: s.from.Debug.Trace(),
	}
	if opened.tokens, err = s.addToken(ctx, &cfg, of, base); err != nil {
		if ended := ctx.Err(); ended != nil {
			return opened, ended
		}
		return opened, exit.BadInput("", err)
	}
	client, err := adminapi.New(cfg)
	if err != nil {
		return opened, err
	}
	if s.Unlocks(of.Marked.Name) {
		client.Unlock()
	}
	opened.Site = operation.Site{Client: client, Clock: s.from.Clock, Rand: s.from.Rand, Line: of.line()}
	return opened, nil
}

// Client is that of the site, nil where it was not opened yet.
func (s *Session) Client() *adminapi.Client { return s.opened.soFar().Client }

// Close ends the use of the journal, where there is one.
func (s *Session) Close() {
	if opened := s.opened.soFar(); opened.journal != nil {
		opened.journal.Close()
	}
}

// TokenHeader is the header that carries the token, Authorization where none is given.
func TokenHeader(given string) (string, error) {
	name, err := adminapi.ParseAuthHeader(given)
	if err != nil {
		err = exit.BadInput("Give one of the two with --auth-header or "+EnvAuthHeader+".", err)
	}
	return name, err
}

// maxPEM is what is read of a file of certificates at most, in bytes.
const maxPEM = 4 << 20 // all authorities of a system have less than one MiB

// Transport has the certificates of the site and its proxy.
func (s Settings) Transport() (*http.Transport, error) {
	var parts adminapi.TLS
	for _, part := range []struct {
		Setting
		into *[]byte
	}{{s.ca, &parts.CA}, {s.clientCert, &parts.Cert}, {s.clientKey, &parts.Key}} {
		if part.Value == "" {
			continue
		}
		content, err := files.Read(part.Value, maxPEM)
		if err != nil {
			return nil, exit.BadInputf("%s: %w", part.From, err)
		}
		if block, _ := pem.Decode(content); block == nil && len(content) > 0 {
			return nil, exit.BadInputf("%s: %s has no PEM certificate or key", part.From, plain.Line(part.Value))
		}
		*part.into = content
	}
	transport, err := adminapi.NewTransport(parts)
	if err != nil || s.Proxy.Value == "" {
		return transport, err
	}
	transport.Proxy = nil
	if s.Proxy.Value == sites.NoProxy {
		return transport, nil
	}
	proxy, err := url.Parse(s.Proxy.Value)
	if err == nil {
		transport.Proxy = http.ProxyURL(proxy)
	}
	return transport, err
}
