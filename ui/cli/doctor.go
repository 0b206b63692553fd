package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"time"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"geodeck/adminapi"
	"geodeck/adminapi/archive"
	"geodeck/adminapi/doctor"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/lists"
	"geodeck/adminapi/operation/nodesource"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/signin"
	"geodeck/adminapi/sites"
	"geodeck/theme"
	"geodeck/ui/cli/command"
	"geodeck/ui/cli/exit"
	"geodeck/ui/cli/files"
	"geodeck/ui/cli/output"
	"geodeck/ui/cli/session"
	"geodeck/ui/keyboard"
)

// doctorCommand is "geodeck doctor": why a connection fails, and what this machine lacks.
type doctorCommand struct {
	command.Env
	nodes *command.Nodes

	bundle    string
	withNames bool
}

func newDoctorCommand(s command.Env, nodes *command.Nodes) *cobra.Command {
	d := &doctorCommand{Env: s, nodes: nodes}
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Find out why a connection fails, and what this machine lacks",
		Long: `Check each step of the way to the site: its name, the network, a proxy, certificates, the
path, the version, the clocks, the sign-in and its privileges. Check what this machine
brings along: files, folders and the terminal. Each check says what it saw and what to do.

Nothing is changed, at the site or here. A check has 10 s, all of them 30 s. Without a
site only this machine is checked. If the platform is not at the given path, the usual
ones are tried, without a token.

A check that needs an earlier one is not known if that failed. The exit code is 1 only
if a check failed.

--bundle writes a zip for a report of a bug: the checks, the versions, the terminal, the
settings, counts of the records, and with --debug the end of that file. Secrets are
masked, and names of hosts, people and sites replaced. Look at it before you send it.`,
		Example: `  geodeck doctor
  geodeck doctor --url https://gis.example.org/context/admin
  geodeck doctor --site staging -o json
  geodeck doctor --bundle report.zip --debug debug.jsonl`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return d.run(cmd) },
	}
	nodes.Register(cmd)
	cmd.Flags().StringVar(&d.bundle, "bundle", "", "write a new zip for a report of a bug, without secrets")
	cmd.Flags().BoolVar(&d.withNames, "with-names", false, "with --bundle: leave the names of hosts, people and sites as they are")
	return cmd
}

func (d *doctorCommand) run(cmd *cobra.Command) error {
	ctx := cmd.Context()
	if d.withNames && d.bundle == "" {
		return exit.BadInputf("--with-names is for --bundle")
	}
	if err := files.CheckNew(d.bundle, false, "Name a new file."); err != nil {
		return err
	}
	o := d.options()
	r := doctor.Examine(ctx, o)
	if err := ctx.Err(); err != nil && !d.Exit.TimedOut() {
		return err
	}
	for i := range r.Checks {
		r.Checks[i].Advice = d.Session.Commands(r.Checks[i].Advice)
	}
	err := d.print(r)
	if err == nil && d.bundle != "" {
		err = d.writeBundle(r, o)
	}
	if n := r.Count(doctor.Failed); err == nil && n > 0 {
		err = exit.NotPassed("", fmt.Sprintf("%d of %d checks failed", n, len(r.Checks)))
	}
	return err
}

// options are the settings of the chosen site, as far as they can be had.
func (d *doctorCommand) options() doctor.Options {
	c, from := d.Session, d.Session.Options()
	o := doctor.Options{
		Dial: from.Dial, Env: from.Env, Clock: from.Clock, Rand: from.Rand, UserAgent: from.UserAgent,
		Trace: from.Debug.Trace(), Terminal: d.terminal(),
	}
	o.State, o.StateErr = c.StateFolder()
	o.Config, _ = c.SitesPath()
	o.Nodes, o.NodesErr = d.nodes.Source(nodesource.Source{})
	s, err := c.Settings()
	o.Extra = []doctor.Extra{{ID: "keyring", Name: "Keyring",
		Run: func(ctx context.Context) *doctor.Check { return d.checkKeyring(ctx, s) }}}
	if err != nil {
		o.AddressErr, o.NodesErr = err, nil
		if f, ok := errors.AsType[*exit.Failure](err); ok {
			o.AddressFix = f.Advice
		}
		return o
	}
	o.Address, o.AddressOf, o.Insecure = s.URL.Value, s.Which, s.Insecure.On()
	o.AuthHeader, o.AuthHeaderErr = session.TokenHeader(s.AuthHeader.Value)
	o.Transport, o.TransportErr = s.Transport()
	if s.Proxy.Value != "" {
		o.ProxyFrom = s.Proxy.From
	}
	if base, _, err := adminapi.ParseBase(o.Address, o.Insecure); err == nil {
		d.Out.About = func() *output.About { return &output.About{Site: s.Named.Name, Address: journal.SiteOf(base)} }
		o.SignIn, o.SignInErr = c.Source(s, base)
	}
	return o
}

// checkKeyring looks for a keyring. It is asked only where the site's sign-in is there: it may
// ask the user to unlock it.
func (d *doctorCommand) checkKeyring(ctx context.Context, s session.Settings) *doctor.Check {
	k, err := signin.NewKeyring(d.Session.Env, nil, d.Session.Options().Keyring), d.Session.NoKeyring()
	needed := s.Named.SignIn.Kind == sites.Keyring && d.Session.Env(session.EnvToken) == "" && d.Session.Flags().TokenFile == ""
	base, _, bad := adminapi.ParseBase(s.URL.Value, true)
	switch {
	case err != nil && needed:
		file, _, _ := strings.Cut(d.Session.WithoutKeyring(), "\n") // advice is one line; the command says what is next
		return &doctor.Check{Verdict: doctor.Failed, Summary: "The site's sign-in is in a keyring, and there is none.",
			Evidence: []string{err.Error()}, Advice: file}
	case err != nil:
		return &doctor.Check{Verdict: doctor.NotApplicable, Summary: "There is no keyring.", Evidence: []string{err.Error()}}
	case !needed || bad != nil:
		return &doctor.Check{Verdict: doctor.Passed, Summary: "There may be a keyring; it was not asked."}
	}
	switch _, err = k.Get(ctx, journal.SiteOf(base)); {
	case errors.Is(err, signin.ErrNoEntry):
		return &doctor.Check{Verdict: doctor.Warning, Summary: "The keyring holds nothing for this site.",
			Advice: "Sign in: {command:login}"}
	case err != nil:
		return &doctor.Check{Verdict: doctor.Failed, Summary: "The keyring gives no sign-in.",
			Evidence: []string{err.Error()}}
	}
	return &doctor.Check{Verdict: doctor.Passed, Summary: "The keyring holds a sign-in for this site."}
}

// terminal is the terminal that the command prints to, if it can be asked.
func (d *doctorCommand) terminal() doctor.Terminal {
	look := d.Out.Theme().Options()
	t := doctor.Terminal{UTF8: !theme.WantsASCII(d.Session.Env), ASCII: look.ASCII, Plain: look.Monochrome}
	in, isFile := d.In.(*os.File)
	out, _ := output.Underlying(d.Out.Out).(*os.File)
	fd, onScreen := output.Terminal(d.Out.Out)
	if _, typed := output.Terminal(d.In); !isFile || !onScreen || !typed {
		return t
	}
	t.Columns, t.Lines, _ = term.GetSize(fd)
	t.Ask = func(question string) []byte { return keyboard.Ask(in, out, question) }
	return t
}

// statuses say how a verdict is drawn.
var statuses = map[doctor.Verdict]output.Status{
	doctor.Passed: output.Good, doctor.Failed: output.Bad, doctor.Warning: output.Warned, doctor.NotKnown: output.Unknown,
	doctor.NotApplicable: output.Skipped,
}

// roomyTerminal is the width from which the evidence of a check stands below its summary. On a
// narrower terminal it begins below the name, to have room.
const roomyTerminal = 120

// print prints each check with its evidence below it.
func (d *doctorCommand) print(r doctor.Report) error {
	if d.Out.JSON() {
		return d.Out.PrintValue(r)
	}
	l := d.Out.Renderer()
	widths := []int{0, 0, math.MaxInt32} // what was seen is never cut
	rows := make([][]output.Cell, len(r.Checks))
	for i, c := range r.Checks {
		rows[i] = []output.Cell{l.StatusCell(statuses[c.Verdict], string(c.Verdict)), {Text: c.Name, Style: l.Theme.Label},
			{Text: c.Summary, Style: l.Theme.Plain}}
		for j := range widths[:2] {
			widths[j] = max(widths[j], ansi.StringWidth(rows[i][j].Text))
		}
	}
	name := widths[0] + output.Gap
	summary := name + widths[1] + output.Gap
	left := summary // of the evidence
	if l.Width > 0 && l.Width < roomyTerminal {
		left = name
	}
	var lines []string
	for i, c := range r.Checks {
		for j, text := range l.Wrapped(c.Summary, summary) {
			if j > 0 {
				rows[i][0].Text, rows[i][1].Text = "", ""
			}
			rows[i][2].Text = text
			lines = append(lines, l.Line(rows[i], widths))
		}
		below := func(text string, style lipgloss.Style) {
			for _, part := range l.Wrapped(text, left) {
				lines = append(lines, l.Line([]output.Cell{{}, {Text: part, Style: style}},
					[]int{left - output.Gap, math.MaxInt32}))
			}
		}
		for _, line := range c.Evidence {
			below(line, l.Theme.Muted)
		}
		if c.Advice != "" {
			below(l.Arrow()+" "+c.Advice, l.Theme.Plain)
		}
	}
	if err := d.Out.PrintLines(lines...); err != nil {
		return err
	}
	return d.Out.PrintLine(d.tally(r))
}

// tally counts the verdicts.
func (d *doctorCommand) tally(r doctor.Report) string {
	var parts []string
	for _, v := range []doctor.Verdict{doctor.Failed, doctor.Warning, doctor.NotKnown, doctor.Passed, doctor.NotApplicable} {
		if n := r.Count(v); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, v))
		}
	}
	return strings.Join(parts, ", ")
}

// writeBundle writes the zip, and says what is in it.
func (d *doctorCommand) writeBundle(r doctor.Report, o doctor.Options) error {
	made := d.Session.Clock().Now().UTC().Truncate(time.Second)
	content, err := doctor.Bundle(r, doctor.BundleOptions{
		Made: made, Version: command.ThisBuild(), Env: d.Session.Env, Config: o.Config, State: o.State,
		Debug:   d.Session.Options().Debug.Path,
		Columns: o.Terminal.Columns, Lines: o.Terminal.Lines, WithNames: d.withNames,
	})
	var zip bytes.Buffer
	if err == nil {
		err = archive.Write(&zip, made, content)
	}
	if err == nil {
		err = files.Write(d.bundle, zip.Bytes())
	}
	if err != nil {
		return err
	}
	names := lists.Each(content, func(f archive.File) string { return f.Name })
	d.Out.Note(d.bundle + " holds " + strings.Join(names, ", ") + " and checksums.")
	d.Out.Note("Look at it before you send it: unzip -p " + plain.ShellWord(d.bundle) + " | less")
	return nil
}
