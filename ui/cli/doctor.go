package cli

import (
	"errors"
	"fmt"
	"math"
	"os"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"geodeck/adminapi"
	"geodeck/adminapi/doctor"
	"geodeck/adminapi/operation"
	"geodeck/ui/cli/output"
	"geodeck/ui/keyboard"
)

// doctorCommand is "geodeck doctor": why a connection fails, and what this machine lacks.
type doctorCommand struct {
	shared
	nodes *nodes
}

func newDoctorCommand(s shared, nodes *nodes) *cobra.Command {
	d := &doctorCommand{shared: s, nodes: nodes}
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
if a check failed.`,
		Example: `  geodeck doctor
  geodeck doctor --url https://gis.example.org/context/admin
  geodeck doctor --site staging -o json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return d.run(cmd) },
	}
	nodes.register(cmd)
	return cmd
}

func (d *doctorCommand) run(cmd *cobra.Command) error {
	ctx := cmd.Context()
	r := doctor.Examine(ctx, d.options())
	if err := ctx.Err(); err != nil && !d.exit.timedOut() {
		return err
	}
	err := d.print(r)
	if n := r.Count(doctor.Failed); err == nil && n > 0 {
		err = notPassed(fmt.Sprintf("%d of %d checks failed", n, len(r.Checks)))
	}
	return err
}

// options are the settings of the chosen site, as far as they can be had.
func (d *doctorCommand) options() doctor.Options {
	c := d.conn
	o := doctor.Options{
		Dial: c.dial, Env: c.env, Clock: c.clock, Rand: c.rand, UserAgent: userAgent(), Trace: c.debug.trace(), Terminal: d.terminal(),
	}
	o.State, o.StateErr = c.stateFolder()
	o.Config, _ = c.sitesPath()
	o.Nodes, o.NodesErr = d.nodes.source(operation.NodeSource{})
	s, err := c.chosen()
	if err != nil {
		o.AddressErr, o.NodesErr = err, nil
		if f, ok := errors.AsType[*failure](err); ok {
			o.AddressFix = f.advice
		}
		return o
	}
	o.Address, o.Insecure = s.url.value, s.insecure.on()
	o.AuthHeader, o.AuthHeaderErr = s.tokenHeader()
	o.Transport, o.TransportErr = s.transport()
	if s.proxy.value != "" {
		o.ProxyFrom = "proxy in " + s.proxy.from
	}
	if base, _, err := adminapi.ParseBase(o.Address, o.Insecure); err == nil {
		o.SignIn, o.SignInErr = c.source(s, base)
	}
	return o
}

// terminal is the terminal that the command prints to, if it can be asked.
func (d *doctorCommand) terminal() doctor.Terminal {
	look := d.out.Theme().Options()
	t := doctor.Terminal{UTF8: !look.ASCII, Plain: look.Monochrome}
	in, isFile := d.in.(*os.File)
	out, _ := output.Underlying(d.out.Out).(*os.File)
	fd, onScreen := output.Terminal(d.out.Out)
	if _, typed := output.Terminal(d.in); !isFile || !onScreen || !typed {
		return t
	}
	t.Columns, t.Lines, _ = term.GetSize(fd)
	t.Ask = func(question string) []byte { return keyboard.Ask(in, out, question) }
	return t
}

// statuses say how a verdict is drawn.
var statuses = map[doctor.Verdict]output.Status{
	doctor.Passed: output.Good, doctor.Failed: output.Bad, doctor.Warning: output.Warned, doctor.NotKnown: output.Unknown, doctor.NotApplicable: output.Skipped,
}

// print prints each check with its evidence below it.
func (d *doctorCommand) print(r doctor.Report) error {
	if d.out.JSON() {
		return d.out.PrintValue(r)
	}
	l := d.out.Renderer()
	widths := []int{0, 0, math.MaxInt32} // what was seen is never cut
	rows := make([][]output.Cell, len(r.Checks))
	for i, c := range r.Checks {
		rows[i] = []output.Cell{l.StatusCell(statuses[c.Verdict], string(c.Verdict)), {Text: c.Name, Style: l.Theme.Label}, {Text: c.Summary, Style: l.Theme.Plain}}
		for j := range widths[:2] {
			widths[j] = max(widths[j], ansi.StringWidth(rows[i][j].Text))
		}
	}
	for i, c := range r.Checks {
		if err := d.out.PrintLine(l.Line(rows[i], widths)); err != nil {
			return err
		}
		for _, line := range c.Evidence {
			if err := d.out.PrintLine(l.Line([]output.Cell{{}, {}, {Text: line, Style: l.Theme.Muted}}, widths)); err != nil {
				return err
			}
		}
		if c.Advice != "" {
			if err := d.out.PrintLine(l.Line([]output.Cell{{}, {}, {Text: l.Arrow() + " " + c.Advice, Style: l.Theme.Plain}}, widths)); err != nil {
				return err
			}
		}
	}
	return d.out.PrintLine(d.tally(r))
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
