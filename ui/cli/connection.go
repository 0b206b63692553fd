package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/signin"
	"geodeck/adminapi/sites"
	"geodeck/ui/cli/output"
)

// connection makes a site from its settings: its client, and its journal if something is
// sent or recorded.
type connection struct {
	out   *output.Output
	env   func(string) string
	clock adminapi.Clock
	rand  adminapi.Rand
	ctx   func() context.Context                                               // of the command
	dial  func(ctx context.Context, network, address string) (net.Conn, error) // nil: the machine's
	disk  journal.Files
	debug *debugLog

	keyring signin.Store      // nil: the system's
	hide    func(name string) // keeps a variable from the programs that are run

	flags    connectionFlags
	stateDir string
	override string       // the value of --again
	own      string       // the name of a site other than the chosen one: flags and environment are not for it
	many     bool         // the command is about several sites, which --unlock names
	among    bool         // it is read among others: signIn gets its token, whatever that comes from
	notes    func(string) // takes notes in place of out; may be nil

	file    *sites.File // once read
	picked  *choice     // which site is meant, once known
	settled *settings   // once known
	opened  operation.Site
	tokens  signin.Source // of opened
	journal *lazyJournal  // of the site, for what is sent to it
	warned  bool          // about what has to be known before something is sent
}

// of returns the connection to another site of config.yaml than the chosen one.
func (c *connection) of(name string) *connection {
	return &connection{
		out: c.out, env: c.env, clock: c.clock, rand: c.rand, ctx: c.ctx, dial: c.dial, disk: c.disk, debug: c.debug, keyring: c.keyring, hide: c.hide,
		flags: c.flags, stateDir: c.stateDir, own: name, file: c.file,
	}
}

// again returns another connection to the chosen site, with its flags and environment. It is
// that site also where another one is the current one by now.
func (c *connection) again() *connection {
	other := c.of("")
	other.many, other.picked = c.many, c.picked
	return other
}

// to returns the connection to a site of config.yaml; own is the chosen one.
func (c *connection) to(name string, own settings) *connection {
	if name == own.named.Name {
		return c.again()
	}
	return c.of(name)
}

// note says something beside the output.
func (c *connection) note(text string) {
	if c.notes == nil {
		c.out.Note(text)
	} else if text != "" {
		c.notes(text)
	}
}

func (c *connection) register(set *pflag.FlagSet) {
	c.flags.register(set)
	set.StringVar(&c.stateDir, "state-dir", "", "folder for the records of sites (default geodeck in XDG_STATE_HOME or ~/.local/state)")
	set.StringVar(&c.debug.path, "debug", "", "file for maintainers: each request with its answer, and the kinds of messages, without secrets")
}

// adviceAdd says how a first site comes into the file.
const adviceAdd = "Add one: {command:site add NAME --url ADDRESS}"

// errNoSite says that no site was named.
var errNoSite = errors.New("no site: name one with --site, or give an address with --url")

// site makes the site that flags and environment name, once. Nothing is sent.
func (c *connection) site() (operation.Site, error) {
	if c.opened.Client != nil {
		return c.opened, nil
	}
	site, notice, err := c.open()
	if err != nil {
		return site, err
	}
	c.note(notice)
	return site, c.signIn(c.ctx())
}

// tokenHeader is the header that carries the token.
func (s settings) tokenHeader() (string, error) {
	name, err := adminapi.ParseAuthHeader(s.authHeader.value)
	if err != nil {
		err = badInput("Give one of the two with --auth-header or "+envAuthHeader+".", err)
	}
	return name, err
}

// open makes the site, and a notice on its address.
func (c *connection) open() (site operation.Site, notice string, err error) {
	s, err := c.chosen()
	if err != nil {
		return site, "", err
	}
	if s.url.value == "" {
		return site, "", badInput(adviceAdd+"\nChoose one: {command:site use NAME}\nWithout a site: {command:demo}\nA saved report: {command:health report FILE}", errNoSite)
	}
	base, notice, err := adminapi.ParseBase(s.url.value, s.insecure.on())
	if err != nil {
		if _, _, insecure := adminapi.ParseBase(s.url.value, true); insecure == nil {
			err = badInput("--insecure sends it anyway.", err)
		}
		return site, "", err
	}
	header, err := s.tokenHeader()
	if err != nil {
		return site, notice, err
	}
	c.journal = c.journalOf(base)
	transport, err := s.transport()
	if err != nil {
		return site, notice, err
	}
	cfg := adminapi.Config{
		Base: base.String(), Insecure: s.insecure.on(), ReadOnly: c.flags.readOnly, Locked: s.locked(), AuthHeader: header,
		Transport: transport, Clock: c.clock, Rand: c.rand, Dial: c.dial, UserAgent: userAgent(),
		Observer: c.journal, Trace: c.debug.trace(),
	}
	if err := c.addToken(&cfg, s, base); err != nil {
		if ended := c.ctx().Err(); ended != nil {
			return site, notice, ended
		}
		return site, notice, badInput("", err)
	}
	client, err := adminapi.New(cfg)
	if err != nil {
		return site, notice, err
	}
	if c.unlocks(s.marked.Name) {
		client.Unlock()
	}
	c.opened = operation.Site{Client: client, Clock: c.clock, Rand: c.rand, Line: s.line()}
	return c.opened, notice, nil
}

// source returns where the token of the site comes from.
func (c *connection) source(s settings, base *url.URL) (signin.Source, error) {
	o := c.signInOptions(s, base)
	if how := s.token; how.Kind != "" {
		o.Kind, o.File, o.Variable, o.Command = how.Kind, how.File, how.Variable, how.Command
	}
	return signin.New(o)
}

// signInOptions are those of a site that the user is asked for, with what the keyring needs.
func (c *connection) signInOptions(s settings, base *url.URL) signin.Options {
	site := journal.SiteOf(base)
	return signin.Options{
		Kind: sites.Ask, Env: c.env, Note: c.note, Clock: c.clock,
		Keyring: signin.NewKeyring(c.env, nil, c.keyring), Site: site, User: s.user.value, ClientID: s.clientID.value,
		Portal: func() *adminapi.Session { return c.opened.Client.Session },
		Lock: func(ctx context.Context) (func(), error) {
			folder, err := c.stateFolder()
			if err != nil {
				return nil, err
			}
			return journal.LockSite(ctx, folder, site, "signin", journal.WithFiles(c.disk))
		},
	}
}

// addToken lets the client renew its token, and gives it the one that a file or the
// environment holds. Without one the site refuses the first request.
func (c *connection) addToken(cfg *adminapi.Config, s settings, base *url.URL) (err error) {
	if c.tokens, err = c.source(s, base); err != nil {
		return err
	}
	cfg.Renew = c.tokens.Renew
	cfg.RenewEarly = s.ofProgram()
	cfg.RenewFailed = func(err error) { c.note("the sign-in ends soon and could not be renewed: " + err.Error()) }
	if !c.slowSignIn(s) {
		cfg.Token, err = c.tokens.Token(c.ctx())
	}
	return err
}

// slowSignIn reports whether the token comes from a program that may take long to answer.
func (c *connection) slowSignIn(s settings) bool {
	return c.among || s.ofProgram()
}

// ofProgram reports whether another program has the token.
func (s settings) ofProgram() bool {
	return s.token.Kind == sites.Keyring || s.token.Kind == sites.Command
}

// signIn gets the token of a keyring or a command.
func (c *connection) signIn(ctx context.Context) error {
	s, err := c.chosen()
	if err != nil || !c.slowSignIn(s) || c.opened.Client.Session.Token().Known() {
		return err
	}
	token, err := c.tokens.Token(ctx)
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		advice := s.signInAdvice()
		if errors.Is(err, signin.ErrNoKeyring) {
			advice = "" // it says what to do
		}
		return &failure{code: exitSignIn, kind: adminapi.KindSignIn.String(), err: err, advice: advice}
	}
	if token.Known() {
		c.opened.Client.Session.SetToken(token)
	}
	return nil
}

// renews reports whether another token may come for one that the site refuses.
func (c *connection) renews() bool {
	s, err := c.chosen()
	return err == nil && (s.token.Kind == sites.FromFile || c.slowSignIn(s))
}

func userAgent() string { return "geodeck/" + thisBuild().Version }

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

// maxPEM is what is read of a file of certificates at most, in bytes.
const maxPEM = 4 << 20 // all authorities of a system have less than one MiB

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
		return journal.Open(folder, journal.SiteOf(base), journal.WithClock(c.clock), journal.WithRand(c.rand),
			journal.WithFiles(c.disk), journal.WithVersion(userAgent()))
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
	if site.Memory.Journal, err = c.journal.open(); err != nil {
		return site, &operation.UnrecordedError{Err: err}
	}
	if c.warned {
		return site, nil
	}
	c.warned = true
	if err := site.Memory.Journal.LockWarning(); err != nil {
		c.note("warning: " + err.Error())
	}
	if s, err := c.chosen(); err == nil && s.site.from == fromUse {
		c.out.Note("site: " + s.site.value + ", chosen with " + fromUse)
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
	if site.Memory.Journal, err = c.journal.open(); err != nil {
		return site, unreadRecord(err)
	}
	return site, nil
}

// unreadRecord says that what this machine has recorded about a site cannot be read.
func unreadRecord(err error) error {
	return refusal("not readable", operation.Advice(&operation.UnrecordedError{Err: err}),
		fmt.Errorf("the records of the site cannot be read: %w", err))
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
	open, _ := site.Memory.Journal.OpenRecords(target)
	if err := site.CheckSend(ctx, target); err != nil || len(open) == 0 {
		return err
	}
	now, _ := site.Memory.Journal.Actions(0)
	for _, r := range now {
		settled := slices.ContainsFunc(open, func(o journal.Record) bool { return o.ID == r.ID }) && !r.Open()
		if settled && !r.Overridden {
			c.note("the earlier request to " + r.Operation + " (" + r.Subject + ") is " + r.Outcome.String() + ": " + r.Note)
		}
	}
	return nil
}
