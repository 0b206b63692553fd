package cli

import (
	"errors"
	"fmt"
	"net/http"
	"os"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
)

// errNoSite says that no site was named.
var errNoSite = errors.New("no site: give its address with --url or " + envURL)

// connect makes the site that flags and environment name, once. Nothing is sent.
func (p *program) connect() (operation.Site, error) {
	if p.site.Client != nil {
		return p.site, nil
	}
	site, notice, err := p.newSite()
	if err != nil {
		return site, err
	}
	p.note(notice)
	p.site = site
	return site, nil
}

// address is where the site is, as the user typed it; empty where nobody said.
func (p *program) address() string {
	if p.flags.url != "" {
		return p.flags.url
	}
	return p.Env(envURL)
}

func (p *program) newSite() (site operation.Site, notice string, err error) {
	if p.address() == "" {
		return site, "", badInput("Without a site: geodeck demo; a saved report: geodeck health report FILE", errNoSite)
	}
	base, notice, err := adminapi.ParseBase(p.address(), p.flags.insecure)
	if err != nil {
		return site, "", p.badAddress(err)
	}
	p.book = p.bookOf(base)
	client, err := p.client(base.String())
	return operation.Site{Client: client, Clock: p.Clock}, notice, err
}

// badAddress adds the way to use http all the same where that was the trouble.
func (p *program) badAddress(err error) error {
	if _, _, insecure := adminapi.ParseBase(p.address(), true); insecure == nil {
		return badInput("--insecure sends it all the same.", err)
	}
	return err
}

func (p *program) client(base string) (*adminapi.Client, error) {
	transport, err := p.transport()
	if err != nil {
		return nil, err
	}
	cfg := adminapi.Config{
		Base: base, Insecure: p.flags.insecure, ReadOnly: p.flags.readOnly,
		Transport: transport, Clock: p.Clock, UserAgent: userAgent(),
		Observer: p.book,
	}
	if err := p.addToken(&cfg); err != nil {
		return nil, badInput("", err)
	}
	return adminapi.New(cfg)
}

// addToken takes the token from the file, else from the environment. Without
// one the site will say that it wants one.
func (p *program) addToken(cfg *adminapi.Config) (err error) {
	if p.flags.tokenFile == "" {
		if cfg.Token, err = readToken(p.Env(envToken)); err != nil {
			return fmt.Errorf("%s %w", envToken, err)
		}
		return nil
	}
	file := &tokenFile{path: p.flags.tokenFile}
	if cfg.Token, err = file.read(); err != nil {
		return err
	}
	p.note(file.warning())
	cfg.Renew = file.renew
	return nil
}

func userAgent() string { return "geodeck/" + thisBuild().Version }

func (p *program) transport() (*http.Transport, error) {
	var pem adminapi.TLS
	for _, part := range []struct {
		path string
		into *[]byte
	}{{p.flags.ca, &pem.CA}, {p.flags.clientCert, &pem.Cert}, {p.flags.clientKey, &pem.Key}} {
		if part.path == "" {
			continue
		}
		content, err := os.ReadFile(part.path)
		if err != nil {
			return nil, badInput("", err)
		}
		*part.into = content
	}
	return adminapi.NewTransport(pem)
}
