package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"runtime"
	"strings"

	"github.com/spf13/pflag"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
)

// Names of the environment. A flag goes before the environment.
const (
	envURL   = "GEODECK_URL"
	envToken = "GEODECK_TOKEN"
)

// connection makes the site of the command from flags and environment: its client, and
// its journal where something is sent or recalled (journal.go).
type connection struct {
	out   *output
	env   func(string) string
	clock adminapi.Clock
	debug *debugLog

	url, tokenFile, stateDir  string
	ca, clientCert, clientKey string
	insecure, readOnly        bool
	again                     string // what --again was given

	opened  operation.Site // once connected
	journal *lazyJournal   // of the site, for what is sent to it
	warned  bool           // about the file system of the journal
}

func (c *connection) register(set *pflag.FlagSet) {
	set.StringVar(&c.url, "url", "", "administrative root of the site, https://HOST/CONTEXT/admin (or "+envURL+")")
	set.StringVar(&c.tokenFile, "token-file", "", "file that holds the token (or the token itself in "+envToken+")")
	set.String("token", "", "refused: a token on the command line can be seen by others")
	set.StringVar(&c.ca, "ca", "", "file of certificate authorities to trust beside the system's (PEM)")
	set.StringVar(&c.clientCert, "client-cert", "", "file of the client certificate (PEM)")
	set.StringVar(&c.clientKey, "client-key", "", "file of the client certificate's key (PEM)")
	set.BoolVar(&c.insecure, "insecure", false, "accept http beyond this machine: token and password travel unprotected")
	set.BoolVar(&c.readOnly, "read-only", false, "send nothing that changes the site")
	set.StringVar(&c.stateDir, "state-dir", "", "folder for what is remembered of sites (default geodeck in XDG_STATE_HOME or ~/.local/state)")
	set.StringVar(&c.debug.path, "debug", "", "file for maintainers: a line for each request and message, without secrets")
	_ = set.MarkHidden("token")
}

// errNoSite says that no site was named.
var errNoSite = errors.New("no site: give its address with --url or " + envURL)

// site makes the site that flags and environment name, once. Nothing is sent.
func (c *connection) site() (operation.Site, error) {
	if c.opened.Client != nil {
		return c.opened, nil
	}
	site, notice, err := c.open()
	if err != nil {
		return site, err
	}
	c.out.note(notice)
	return site, nil
}

// address is where the site is, as the user typed it; empty where nobody said.
func (c *connection) address() string {
	if c.url != "" {
		return c.url
	}
	return c.env(envURL)
}

// open makes the site, and a notice on its address.
func (c *connection) open() (site operation.Site, notice string, err error) {
	if c.address() == "" {
		return site, "", badInput("Without a site: geodeck demo; a saved report: geodeck health report FILE", errNoSite)
	}
	base, notice, err := adminapi.ParseBase(c.address(), c.insecure)
	if err != nil {
		if _, _, insecure := adminapi.ParseBase(c.address(), true); insecure == nil {
			err = badInput("--insecure sends it all the same.", err)
		}
		return site, "", err
	}
	c.journal = c.journalOf(base)
	transport, err := c.transport()
	if err != nil {
		return site, notice, err
	}
	cfg := adminapi.Config{
		Base: base.String(), Insecure: c.insecure, ReadOnly: c.readOnly,
		Transport: transport, Clock: c.clock, UserAgent: userAgent(),
		Observer: c.journal, Trace: c.debug.trace(),
	}
	if err := c.addToken(&cfg); err != nil {
		return site, notice, badInput("", err)
	}
	client, err := adminapi.New(cfg)
	if err != nil {
		return site, notice, err
	}
	c.opened = operation.Site{Client: client, Clock: c.clock}
	return c.opened, notice, nil
}

// addToken takes the token from the file, else from the environment. Without
// one the site will say that it wants one.
func (c *connection) addToken(cfg *adminapi.Config) (err error) {
	if c.tokenFile == "" {
		if cfg.Token, err = readToken(c.env(envToken)); err != nil {
			return fmt.Errorf("%s %w", envToken, err)
		}
		return nil
	}
	file := &tokenFile{path: c.tokenFile}
	if cfg.Token, err = file.read(); err != nil {
		return err
	}
	c.out.note(file.warning())
	cfg.Renew = file.renew
	return nil
}

func userAgent() string { return "geodeck/" + thisBuild().Version }

func (c *connection) transport() (*http.Transport, error) {
	var pem adminapi.TLS
	for _, part := range []struct {
		path string
		into *[]byte
	}{{c.ca, &pem.CA}, {c.clientCert, &pem.Cert}, {c.clientKey, &pem.Key}} {
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

// maxToken bounds what is read from a token file.
const maxToken = 64 << 10

// tokenFile is a file that somebody keeps a token in.
type tokenFile struct {
	path string
	mode fs.FileMode
	last adminapi.Secret
}

// read takes the token from the file. Errors show its name, never its content.
func (t *tokenFile) read() (adminapi.Token, error) {
	file, err := os.Open(t.path)
	if err != nil {
		return adminapi.Token{}, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return adminapi.Token{}, err
	}
	t.mode = info.Mode()
	content, err := io.ReadAll(io.LimitReader(file, maxToken))
	if err != nil {
		return adminapi.Token{}, err
	}
	token, err := readToken(string(content))
	if err != nil {
		return token, fmt.Errorf("the token file %s %w", t.path, err)
	}
	if !token.Known() {
		return token, fmt.Errorf("the token file %s is empty", t.path)
	}
	t.last = token.Value
	return token, nil
}

// readToken takes a token with the space around it that files and shells add.
// Its error continues a sentence, and does not show the text.
func readToken(text string) (adminapi.Token, error) {
	text = strings.TrimSpace(text)
	if strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return adminapi.Token{}, errors.New("holds more than a token")
	}
	return adminapi.Token{Value: adminapi.Secret(text)}, nil
}

// warning says what is wrong with who can read the file, empty where nothing is.
func (t *tokenFile) warning() string {
	if runtime.GOOS == "windows" || t.mode.Perm()&0o077 == 0 || !t.mode.IsRegular() {
		return ""
	}
	return fmt.Sprintf("others on this machine may read the token file %s; make it private: chmod 600", t.path)
}

// renew reads the file again after a refusal: somebody may have written a new
// token into it.
func (t *tokenFile) renew(context.Context) (adminapi.Token, error) {
	refused := t.last
	token, err := t.read()
	if err == nil && token.Value == refused {
		err = errors.New("the token file still holds the token that was refused")
	}
	return token, err
}
