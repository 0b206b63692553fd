package cli

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"os"
	"strings"
	"sync"

	"github.com/charmbracelet/lipgloss"
	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/fleet"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/nodesource"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/signin"
	"geodeck/adminapi/simulator"
	"geodeck/adminapi/sites"
	"geodeck/theme"
	"geodeck/ui"
	"geodeck/ui/cli/command"
	"geodeck/ui/cli/exit"
	"geodeck/ui/cli/output"
	"geodeck/ui/cli/session"
)

// Show shows a dashboard until it ends.
type Show func(context.Context, ui.Options) error

// dashboard opens the dashboard. No other part of the command line knows the screen.
type dashboard struct {
	command.Env
	alarms *command.Alarms
	nodes  *command.Nodes
	paint  string // what --paint was given
	shows  Show   // on the terminal, or where the process wants it

	mu     sync.Mutex
	tokens map[session.Visited]adminapi.Token // of sites that were left: who comes back is still signed in
}

// Ways to draw.
const (
	envPaint   = "GEODECK_PAINT"
	paintCells = "cells"
	paintPlain = "plain"
)

// Register adds the flags of a command that opens the dashboard.
func (d *dashboard) Register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&d.paint, "paint", "", "how to draw: cells writes only what changed; plain writes whole lines, for terminals that show cells wrongly (or "+envPaint+"; default cells)")
	command.Complete(cmd, "paint", []string{paintCells, paintPlain})
}

// open opens it on the chosen site.
func (d *dashboard) open(ctx context.Context) error {
	chosen, err := d.Session.Settings()
	if err != nil {
		return err
	}
	if _, terminal := output.Terminal(d.Out.Out); chosen.URL.Value == "" && terminal {
		return d.show(ctx, chosen, ui.Options{Clock: d.Session.Clock(), Sites: siteOpener{d}})
	}
	if chosen.URL.Value == "" {
		return exit.BadInput("Try it without a site: {command:demo}\nAll commands: {command:--help}", session.ErrNoSite)
	}
	nodes, err := d.nodes.ForDashboard(nodesource.Source{})
	if err != nil {
		return err
	}
	o, err := d.options(ctx, d.Session)
	if err != nil {
		return err
	}
	o.Nodes, o.Sites, o.Fleet = nodes, siteOpener{d}, d.fleet()
	return d.show(ctx, chosen, o)
}

// OpenFile opens it on a saved report, together with the reports of a site if one is chosen.
func (d *dashboard) OpenFile(ctx context.Context, path string) error {
	o := ui.Options{Name: "saved report", Clock: d.Session.Clock()}
	chosen, err := d.Session.Settings()
	if err == nil && chosen.URL.Value != "" {
		o, err = d.options(ctx, d.Session)
	}
	if err != nil {
		return err
	}
	o.File, o.Sites, o.Fleet = path, siteOpener{d}, d.fleet()
	return d.show(ctx, chosen, o)
}

// options are those of the dashboard of one site.
func (d *dashboard) options(ctx context.Context, of *session.Session) (ui.Options, error) {
	warnings := make(chan string, 4)
	shown := of.Noting(func(text string) {
		select {
		case warnings <- text:
		default: // the screen is behind; it shows one at a time
		}
	})
	site, notice, err := shown.Open(ctx)
	if err != nil {
		return ui.Options{}, err
	}
	s, err := shown.Settings()
	if err != nil {
		return ui.Options{}, err
	}
	if s.Which != "" {
		notice = strings.TrimSpace(s.Which + ". " + notice)
	}
	sealed := ""
	if s.Unread != nil {
		sealed = s.Which
	}
	visit := s.Visited(site.Client)
	d.mu.Lock()
	defer d.mu.Unlock()
	if before := d.tokens[visit]; before.Known() && !site.Client.Session.Token().Known() {
		site.Client.Session.SetToken(before)
	}
	return ui.Options{
		Entry: siteEntry(s.Named), Site: site, Name: cmp.Or(s.Marked.Name, site.Client.Base().Hostname()),
		SiteFlags:  shown.SiteFlags(s),
		Production: s.Marked.Production, Sealed: sealed, User: s.User.Value, Clock: d.Session.Clock(), Notice: notice,
		Warnings: warnings,
		Remember: func() (operation.Memory, string, error) { return remember(shown.SignIn, shown.Journal) },
		Keep:     keepSignIn(shown, s, site.Client.Base()),
		Close: func() {
			shown.Close()
			site.Client.CloseIdleConnections()
			d.mu.Lock()
			defer d.mu.Unlock()
			d.tokens[visit] = site.Client.Session.Token()
		},
	}, nil
}

// fleet returns what reads the sites of config.yaml, as it is then; nil where there are fewer
// than two.
func (d *dashboard) fleet() func() ([]fleet.Entry, error) {
	read := func() ([]fleet.Entry, error) {
		token := func(of session.Visited) adminapi.Token {
			d.mu.Lock()
			defer d.mu.Unlock()
			return d.tokens[of]
		}
		return d.Session.Again(session.Variant{Reread: true}).Fleet(token, func(string, string) {})
	}
	if entries, err := read(); err != nil || len(entries) < 2 {
		return nil
	}
	return read
}

// keepSignIn returns what keeps a sign-in of the dashboard, nil for a site whose sign-in no keyring
// keeps.
func keepSignIn(s *session.Session, of session.Settings, base *url.URL) func(context.Context, ui.SignedIn) (string, error) {
	keep := s.KeepSignIn(of, base)
	if keep == nil {
		return nil
	}
	return func(ctx context.Context, by ui.SignedIn) (string, error) {
		return keep(ctx, signin.Entry{User: by.User, Password: by.Password, Token: by.Token.Value, Expires: by.Token.Expires})
	}
}

// siteOpener opens the dashboards of the sites of config.yaml.
type siteOpener struct{ dash *dashboard }

// All reads the sites anew: another program may have added one.
func (o siteOpener) All() ([]ui.SiteEntry, error) {
	path, err := o.dash.Session.SitesPath()
	if err != nil {
		return nil, err
	}
	file, err := sites.Read(path, o.dash.Session.Options().Config)
	if err != nil {
		return nil, err
	}
	var all []ui.SiteEntry
	for _, site := range file.Sites() {
		entry := siteEntry(site)
		entry.Current = site.Name == file.Current()
		all = append(all, entry)
	}
	return all, nil
}

// siteEntry is a site of config.yaml as the dashboard lists it.
func siteEntry(s sites.Site) ui.SiteEntry {
	return ui.SiteEntry{Name: s.Name, Address: plain.Line(s.URL), Production: s.Production, ReadOnly: s.ReadOnly}
}

// Open makes the dashboard of a site, which gets no token but its own. Who comes back to one
// that was unlocked has to unlock it again, also where a flag did so first.
func (o siteOpener) Open(ctx context.Context, name string) (ui.Options, error) {
	of := o.dash.Session.Of(name, session.Variant{Reread: true, Locked: true})
	options, err := o.dash.options(ctx, of)
	if err != nil {
		return options, err
	}
	s, err := of.Settings()
	if err != nil {
		return options, err
	}
	if options.Nodes, err = o.dash.nodes.On(of).ForDashboard(nodesource.Source{}); err != nil {
		return options, err
	}
	options.Fleet = o.dash.fleet()
	calls, err := o.dash.alarms.Of(s)
	options.Alarms = calls
	return options, err
}

// Demo makes the dashboard of a simulated site.
func (o siteOpener) Demo(context.Context) (ui.Options, error) {
	site, err := (&simulation{speed: 1}).begin()
	if err != nil {
		return ui.Options{}, err
	}
	options, records, err := demoOptions(o.dash.Session.Again(session.Variant{Offline: true}), site)
	if err != nil {
		_ = site.close()
		return options, err
	}
	options.Nodes = nodesource.Source{Demo: site.nodes}
	calls, err := o.dash.alarms.Of(session.Settings{})
	options.Alarms = calls
	options.Close = func() {
		records.Close()
		_ = site.close()
	}
	return options, err
}

// Look tries an address, without a token.
func (o siteOpener) Look(ctx context.Context, address string) operation.Contact {
	base, notice, err := adminapi.ParseBase(address, false)
	if err != nil {
		return operation.Contact{Sentence: plain.Capital(err.Error()) + "."}
	}
	from := o.dash.Session.Options()
	client, err := adminapi.New(adminapi.Config{
		Base: base.String(), Clock: from.Clock, Rand: from.Rand, Dial: from.Dial, UserAgent: from.UserAgent,
	})
	if err != nil {
		return operation.Contact{Sentence: plain.Capital(err.Error()) + "."}
	}
	defer client.CloseIdleConnections()
	contact := operation.TryContact(ctx, client)
	contact.Sentence = plain.Line(strings.TrimSpace(contact.Sentence + " " + notice))
	return contact
}

// Add adds a site to config.yaml.
func (o siteOpener) Add(entry ui.SiteEntry) error {
	path, err := o.dash.Session.SitesPath()
	if err != nil {
		return err
	}
	base, _, err := adminapi.ParseBase(entry.Address, false)
	if err != nil {
		return err
	}
	return sites.Add(path, sites.Site{Name: entry.Name, URL: base.String(), Production: entry.Production})
}

// openDemo opens it on a simulated site, whose records go at the end.
func (d *dashboard) openDemo(ctx context.Context, of *session.Session, site *startingSite, nodes nodesource.Source) error {
	o, records, err := demoOptions(of, site)
	if err != nil {
		return err
	}
	o.Nodes, o.Close = nodes, records.Close
	return d.show(ctx, session.Settings{}, o)
}

// demoOptions are those of the dashboard of a simulated site.
func demoOptions(s *session.Session, starting *startingSite) (ui.Options, *session.Journal, error) {
	sender, err := s.Sender()
	records := session.NewJournal(func() (*journal.Journal, error) {
		return journal.OpenThrowaway(journal.WithClock(starting.clock), journal.WithVersion(s.Options().UserAgent), sender)
	})
	if err != nil {
		return ui.Options{}, records, err
	}
	site, err := starting.open(s, records)
	if err != nil {
		return ui.Options{}, records, err
	}
	return ui.Options{
		Site: site, Name: "demo", Demo: true, User: simulator.Administrator, Clock: starting.clock,
		Remember: func() (operation.Memory, string, error) {
			return remember(func(context.Context) error { return nil }, records.Open)
		},
		Notice: "a simulated platform; nothing real is read or changed",
	}, records, nil
}

// show shows the dashboard until the user quits.
func (d *dashboard) show(ctx context.Context, of session.Settings, o ui.Options) error {
	if o.Close != nil {
		defer o.Close() // also after a panic
	}
	if d.Exit.Timeout > 0 {
		return exit.BadInputf("--timeout is for commands; the dashboard ends when you quit")
	}
	if d.Out.Dumb() {
		return exit.BadInput(adviceCommands, errors.New("the dashboard cannot draw on a terminal with TERM=dumb"))
	}
	way := cmp.Or(d.paint, d.Session.Env(envPaint), paintCells)
	if err := exit.OneOf("--paint", way, []string{paintCells, paintPlain}); err != nil {
		return err
	}
	o.PlainPaint = way == paintPlain
	calls, err := d.alarms.Of(of)
	if err != nil {
		return err
	}
	o.Alarms = calls
	return d.shows(ctx, o)
}

// onTerminal shows the dashboard on the terminal. It handles signals itself, so it does not end with ctx, which would
// hide the signal.
func (d *dashboard) onTerminal(ctx context.Context, o ui.Options) error {
	screen, _ := output.Underlying(d.Out.Out).(*os.File) // nil is no terminal either
	o.Theme = d.Out.ThemeFor(theme.Dark)
	if !o.Theme.Options().Monochrome {
		o.Background = d.Out.Shade()
	}
	if o.Background == theme.Unknown {
		kept := backgroundsOf(d.Session)
		o.Background, _ = kept.read()
		o.Learned = kept.keep
	}
	o.Pace = adminapi.SystemClock{}
	o.Debug = d.Session.Options().Debug.Messages()
	lipgloss.SetDefaultRenderer(o.Theme.Options().Renderer) // widgets draw with it
	return ofDashboard(o.Site.Client, ui.Run(context.WithoutCancel(ctx), o, d.In, screen))
}

// ofDashboard turns the error of the dashboard into that of a command. The client knows what is
// secret of the site that was shown first; it may be nil.
func ofDashboard(client *adminapi.Client, err error) error {
	if failed, ok := errors.AsType[*ui.PanicError](err); ok {
		return &command.Crash{Where: failed.Where, Value: failed.Value, Stack: failed.Stack, Of: client}
	}
	if by, ok := errors.AsType[*ui.SignalError](err); ok {
		return &command.Signalled{Signal: by.Signal, Stacks: by.Stacks}
	}
	switch {
	case errors.Is(err, ui.ErrInterrupted):
		return exit.New(exit.Interrupted, "", err)
	case errors.Is(err, ui.ErrNoTerminal):
		return exit.BadInput(adviceCommands, err)
	}
	return err
}

// adviceCommands names what does the work of the dashboard where it cannot be drawn.
const adviceCommands = "Commands do the same work: health, upgrade, service, placement, job. All of them: {command:--help}"

// remember opens the journal of a dashboard's site, and gets the token that is kept for it. It
// returns a warning about either.
func remember(signIn func(context.Context) error, records func() (*journal.Journal, error)) (operation.Memory, string, error) {
	var warnings []string
	if err := signIn(context.Background()); err != nil {
		warnings = append(warnings, plain.Capital(err.Error())+".")
	}
	j, err := records()
	if err != nil {
		return operation.Memory{}, strings.Join(warnings, " "), err
	}
	if err := j.LockWarning(); err != nil {
		warnings = append(warnings, err.Error())
	}
	return operation.Memory{Journal: j}, strings.Join(warnings, " "), nil
}
