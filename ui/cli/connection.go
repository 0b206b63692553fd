package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/ui/cli/output"
)

// Names of the environment. A flag goes before the environment.
const (
	envURL   = "GEODECK_URL"
	envToken = "GEODECK_TOKEN"

	envAuthHeader = "GEODECK_AUTH_HEADER"
)

// connection makes the site of the command from flags and environment: its client, and
// its journal if something is sent or recorded.
type connection struct {
	out   *output.Output
	env   func(string) string
	clock adminapi.Clock
	rand  adminapi.Rand
	dial  func(ctx context.Context, network, address string) (net.Conn, error) // nil: the machine's
	disk  journal.Files
	debug *debugLog

	url, tokenFile, stateDir  string
	authHeader                string
	ca, clientCert, clientKey string
	insecure, readOnly        bool
	override                  string // the value of --again

	opened  operation.Site // once connected
	journal *lazyJournal   // of the site, for what is sent to it
	warned  bool           // about the file system of the journal
}

func (c *connection) register(set *pflag.FlagSet) {
	set.StringVar(&c.url, "url", "", "administrative root of the site, https://HOST/CONTEXT/admin (or "+envURL+")")
	set.StringVar(&c.tokenFile, "token-file", "", "file that holds the token (or the token itself in "+envToken+")")
	set.StringVar(&c.authHeader, "auth-header", "", "header of the token: Authorization, or X-Esri-Authorization behind web-tier sign-in (or "+envAuthHeader+")")
	set.String("token", "", "refused: others can see a token on the command line")
	set.StringVar(&c.ca, "ca", "", "file of certificate authorities to trust besides the system's (PEM)")
	set.StringVar(&c.clientCert, "client-cert", "", "file of the client certificate (PEM)")
	set.StringVar(&c.clientKey, "client-key", "", "file of the client certificate's key (PEM)")
	set.BoolVar(&c.insecure, "insecure", false, "accept http beyond this machine: token and password travel unprotected")
	set.BoolVar(&c.readOnly, "read-only", false, "send nothing that changes the site")
	set.StringVar(&c.stateDir, "state-dir", "", "folder for the records of sites (default geodeck in XDG_STATE_HOME or ~/.local/state)")
	set.StringVar(&c.debug.path, "debug", "", "log file for maintainers: a line for each request and message, without secrets")
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
	c.out.Note(notice)
	return site, nil
}

// address is the address of the site as the user typed it; empty if it was not given.
func (c *connection) address() string {
	if c.url != "" {
		return c.url
	}
	return c.env(envURL)
}

// tokenHeader is the header that carries the token.
func (c *connection) tokenHeader() (string, error) {
	name, err := adminapi.ParseAuthHeader(cmp.Or(c.authHeader, c.env(envAuthHeader)))
	if err != nil {
		err = badInput("Give one of the two with --auth-header or "+envAuthHeader+".", err)
	}
	return name, err
}

// open makes the site, and a notice on its address.
func (c *connection) open() (site operation.Site, notice string, err error) {
	if c.address() == "" {
		return site, "", badInput("Without a site: geodeck demo; a saved report: geodeck health report FILE", errNoSite)
	}
	base, notice, err := adminapi.ParseBase(c.address(), c.insecure)
	if err != nil {
		if _, _, insecure := adminapi.ParseBase(c.address(), true); insecure == nil {
			err = badInput("--insecure sends it anyway.", err)
		}
		return site, "", err
	}
	header, err := c.tokenHeader()
	if err != nil {
		return site, notice, err
	}
	c.journal = c.journalOf(base)
	transport, err := c.transport()
	if err != nil {
		return site, notice, err
	}
	cfg := adminapi.Config{
		Base: base.String(), Insecure: c.insecure, ReadOnly: c.readOnly, AuthHeader: header,
		Transport: transport, Clock: c.clock, Rand: c.rand, Dial: c.dial, UserAgent: userAgent(),
		Observer: c.journal, Trace: c.debug.trace(),
	}
	if err := c.addToken(&cfg); err != nil {
		return site, notice, badInput("", err)
	}
	client, err := adminapi.New(cfg)
	if err != nil {
		return site, notice, err
	}
	c.opened = operation.Site{Client: client, Clock: c.clock, Rand: c.rand}
	return c.opened, notice, nil
}

// addToken reads the token from the file, otherwise from the environment. Without one the
// site refuses the first request.
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
	c.out.Note(file.warning())
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
		content, err := readUpTo(part.path, maxPEM)
		if err != nil {
			return nil, badInput("", err)
		}
		*part.into = content
	}
	return adminapi.NewTransport(pem)
}

// What is read of files at most, in bytes.
const (
	maxPEM   = 4 << 20 // all authorities of a system have less than one MiB
	maxToken = 64 << 10
)

// tokenFile is the file given with --token-file.
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
	content, err := io.ReadAll(io.LimitReader(file, maxToken+1))
	if err == nil && len(content) > maxToken { // cut off it would be refused without a reason
		err = fmt.Errorf("the token file %s has more than %d KiB", t.path, maxToken>>10)
	}
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

// readToken removes the space around a token that files and shells add. Its error
// continues a sentence, and does not show the text.
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

// renew reads the file again after a refusal: it may hold a new token by now.
func (t *tokenFile) renew(context.Context, adminapi.Secret) (adminapi.Token, error) {
	refused := t.last
	token, err := t.read()
	if err == nil && token.Value == refused {
		err = errors.New("the token file still holds the token that was refused")
	}
	return token, err
}

// lazyJournal is the journal of a site, opened when there is something to record:
// commands that only read leave no trace. It observes the writes of the client; what it
// cannot record is not sent.
type lazyJournal struct {
	open   func() (*journal.Journal, error) // the same answer every time
	opened atomic.Pointer[journal.Journal]
}

func newLazyJournal(open func() (*journal.Journal, error)) *lazyJournal {
	l := &lazyJournal{}
	l.open = sync.OnceValues(func() (*journal.Journal, error) {
		j, err := open()
		l.opened.Store(j)
		return j, err
	})
	return l
}

// close ends the use of the journal if it was opened: its drafts are then open in no
// program.
func (l *lazyJournal) close() {
	if j := l.opened.Load(); j != nil {
		_ = j.Close() // too late to report
	}
}

// journalOf returns the journal of the site with that administrative root. Nothing
// is opened yet.
func (c *connection) journalOf(base *url.URL) *lazyJournal {
	return newLazyJournal(func() (*journal.Journal, error) {
		folder, err := c.stateFolder()
		if err != nil {
			return nil, err
		}
		return journal.Open(folder, journal.SiteOf(base), journal.WithClock(c.clock), journal.WithRand(c.rand), journal.WithFiles(c.disk))
	})
}

// stateFolder is where the journals of all sites are.
func (c *connection) stateFolder() (string, error) {
	if c.stateDir != "" {
		return c.stateDir, nil
	}
	return journal.DefaultFolder(c.env)
}

// close ends the use of the journal, where there is one.
func (c *connection) close() {
	if c.journal != nil {
		c.journal.close()
	}
}

// BeforeWrite records a write that is about to be sent.
func (l *lazyJournal) BeforeWrite(w adminapi.Write) error {
	j, err := l.open()
	if err == nil {
		err = j.BeforeWrite(w)
	}
	return err
}

// AfterWrite records the outcome of a write. Without a journal it was not sent.
func (l *lazyJournal) AfterWrite(w adminapi.Write, outcome adminapi.Outcome, err error) {
	if j, closed := l.open(); closed == nil {
		j.AfterWrite(w, outcome, err)
	}
}

// siteToWrite is site for commands that record more in the journal than their writes. It
// fails without a journal.
func (c *connection) siteToWrite() (operation.Site, error) {
	site, err := c.site()
	if err != nil {
		return site, err
	}
	if site.Journal, err = c.journal.open(); err != nil {
		return site, &operation.UnrecordedError{Err: err}
	}
	if err := site.Journal.LockWarning(); err != nil && !c.warned {
		c.warned = true
		c.out.Note("warning: " + err.Error())
	}
	return site, nil
}

// siteFor is siteToWrite, but for a dry run, which records nothing.
func (c *connection) siteFor(dryRun bool) (operation.Site, error) {
	if dryRun {
		return c.site()
	}
	return c.siteToWrite()
}

// siteToSend is siteToWrite, and checks that a write on a target may be sent.
func (c *connection) siteToSend(ctx context.Context, target string) (operation.Site, error) {
	site, err := c.siteToWrite()
	if err == nil {
		err = c.maySend(ctx, site, target)
	}
	return site, err
}

// checkSend returns why a write on a target would not be sent now, nil where it would, for
// a dry run: that makes no state folder, and where there is none, nothing is in the way.
func (c *connection) checkSend(ctx context.Context, target string) error {
	site, err := c.site()
	if folder, unknown := c.stateFolder(); err == nil && (unknown != nil || !c.isMissing(folder)) {
		site, err = c.siteToSend(ctx, target)
	}
	if err == nil {
		err = site.Client.Writable()
	}
	return err
}

// isMissing reports whether nothing is at a path, not even a broken link.
func (c *connection) isMissing(path string) bool {
	_, err := c.disk.Lstat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// siteWithJournal is site for commands that read what this machine has recorded.
func (c *connection) siteWithJournal() (operation.Site, error) {
	site, err := c.site()
	if err != nil {
		return site, err
	}
	if site.Journal, err = c.journal.open(); err != nil {
		return site, unreadRecord(err)
	}
	return site, nil
}

// unreadRecord says that what this machine has recorded about a site cannot be read.
func unreadRecord(err error) error {
	return &failure{
		code: exitRefused, kind: "not readable", err: fmt.Errorf("the records of the site cannot be read: %w", err),
		advice: operation.Advice(&operation.UnrecordedError{Err: err}),
	}
}

// overrideLong is the help for --again.
const overrideLong = `While an earlier request that changes the same thing has an unknown outcome, nothing is
sent (exit 6) until a read settles it. --again sends anyway, and takes what the error
names: from 10 minutes after an upgrade was sent, from 15 after a health check with
--sync, otherwise from 2 minutes.`

// addOverride adds the flag that allows a write while an earlier one is not settled.
func (c *connection) addOverride(cmd *cobra.Command, what string) *cobra.Command {
	cmd.Flags().StringVar(&c.override, "again", "", "send although the outcome of an earlier request is unknown: "+what+", as named in the error")
	cmd.Long = strings.TrimSpace(cmp.Or(cmd.Long, cmd.Short+".")) + "\n\n" + overrideLong
	return cmd
}

// maySend fails if an earlier write on a target is not settled, before the next one is
// prepared.
func (c *connection) maySend(ctx context.Context, site operation.Site, target string) error {
	open, _ := site.Journal.OpenRecords(target)
	if err := site.CheckSend(ctx, target); err != nil || len(open) == 0 {
		return err
	}
	now, _ := site.Journal.Actions(0)
	for _, r := range now {
		settled := slices.ContainsFunc(open, func(o journal.Record) bool { return o.ID == r.ID }) && !r.Open()
		if settled && r.Outcome != adminapi.OutcomeUnknown {
			c.out.Note("the earlier request to " + r.Operation + " (" + r.Subject + ") is " + r.Outcome.String() + ": " + r.Note)
		}
	}
	return nil
}
