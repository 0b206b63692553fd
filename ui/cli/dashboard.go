package cli

import (
	"cmp"
	"context"
	"errors"
	"os"

	"github.com/charmbracelet/lipgloss"
	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/ui"
	"geodeck/ui/cli/output"
	"geodeck/ui/keyboard"
)

// dashboard opens the dashboard. No other part of the command line knows the screen.
type dashboard struct {
	shared
	alarms *alarms
	nodes  *nodes
	paint  string // what --paint was given
}

// Ways to draw.
const (
	envPaint   = "GEODECK_PAINT"
	paintCells = "cells"
	paintPlain = "plain"
)

// register adds the flags of a command that opens the dashboard.
func (d *dashboard) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&d.paint, "paint", "", "how to draw: cells writes only what changed; plain writes whole lines, for terminals that show cells wrongly (or "+envPaint+"; default cells)")
	complete(cmd, "paint", []string{paintCells, paintPlain})
}

// open opens it on the site that flags and environment name.
func (d *dashboard) open(ctx context.Context) error {
	if d.conn.address() == "" {
		return badInput("Try it without a site: geodeck demo. All commands: geodeck --help", errNoSite)
	}
	nodes, err := d.nodes.forDashboard(operation.NodeSource{})
	if err != nil {
		return err
	}
	site, notice, err := d.conn.open()
	if err != nil {
		return err
	}
	return d.show(ctx, ui.Options{
		Site: site, Name: site.Client.Base().Hostname(), Clock: d.conn.clock, Nodes: nodes, Notice: notice,
	})
}

// openFile opens it on a saved report, together with the reports of a site if one is given.
func (d *dashboard) openFile(ctx context.Context, path string) error {
	o := ui.Options{Name: "saved report", Clock: d.conn.clock, File: path}
	if d.conn.address() != "" {
		site, notice, err := d.conn.open()
		if err != nil {
			return err
		}
		o.Site, o.Notice, o.Name = site, notice, site.Client.Base().Hostname()
	}
	return d.show(ctx, o)
}

// openDemo opens it on a simulated site.
func (d *dashboard) openDemo(ctx context.Context, site operation.Site, user string, nodes operation.NodeSource) error {
	return d.show(ctx, ui.Options{
		Site: site, Name: "demo", Demo: true, User: user, Clock: site.Clock, Nodes: nodes,
		Notice: "a simulated platform; nothing real is read or changed",
	})
}

// show runs the dashboard on the terminal until the user quits. The dashboard handles
// signals itself, so it does not end with ctx, which would hide the signal.
func (d *dashboard) show(ctx context.Context, o ui.Options) error {
	if d.exit.timeout > 0 {
		return badInput("", errors.New("--timeout is for commands; the dashboard ends when you quit"))
	}
	if d.out.Dumb() {
		return badInput(adviceCommands, errors.New("the dashboard cannot draw on a terminal with TERM=dumb"))
	}
	way := cmp.Or(d.paint, d.conn.env(envPaint), paintCells)
	if err := oneOf("--paint", way, []string{paintCells, paintPlain}); err != nil {
		return err
	}
	o.PlainPaint = way == paintPlain
	calls, err := d.alarms.chosen()
	if err != nil {
		return err
	}
	o.Alarms = ui.AlarmOptions{Bell: calls.bell, Notify: calls.notify, Hook: calls.hook}
	screen, _ := output.Underlying(d.out.Out).(*os.File) // nil is no terminal either
	d.findBackground(screen)
	o.Theme = d.out.Theme()
	o.Pace = adminapi.SystemClock{}
	o.Debug = d.conn.debug.messages()
	lipgloss.SetDefaultRenderer(o.Theme.Options().Renderer) // widgets draw with it
	if o.Site.Client == nil {
		return ofDashboard(ui.Run(context.WithoutCancel(ctx), o, d.in, screen))
	}
	o.Remember = d.remember
	err = ui.Run(context.WithoutCancel(ctx), o, d.in, screen)
	if j, failed := d.conn.journal.open(); err == nil && failed == nil {
		err = j.Close()
	}
	return ofDashboard(err)
}

// findBackground asks the terminal for its background where nothing else says it.
func (d *dashboard) findBackground(screen *os.File) {
	in, ok := d.in.(*os.File)
	if _, terminal := output.Terminal(screen); !ok || !terminal || d.out.BackgroundKnown() {
		return
	}
	switch light, known := keyboard.Background(in, screen); {
	case light:
		d.out.Background = "light"
	case known:
		d.out.Background = "dark"
	}
}

// ofDashboard turns the error of the dashboard into that of a command.
func ofDashboard(err error) error {
	if failed, ok := errors.AsType[*ui.PanicError](err); ok {
		return &crash{where: failed.Where, value: failed.Value, stack: failed.Stack}
	}
	if by, ok := errors.AsType[*ui.SignalError](err); ok {
		return &signalled{signal: by.Signal, stacks: by.Stacks}
	}
	switch {
	case errors.Is(err, ui.ErrInterrupted):
		return &failure{code: exitInterrupted, kind: "interrupted", err: err}
	case errors.Is(err, ui.ErrNoTerminal):
		return badInput(adviceCommands, err)
	}
	return err
}

// adviceCommands names what does the work of the dashboard where it cannot be drawn.
const adviceCommands = "Commands do the same work: geodeck health, upgrade, service, placement, job. All of them: geodeck --help"

// remember opens the journal of the dashboard's site, and returns a warning about it.
func (d *dashboard) remember() (operation.Memory, string, error) {
	j, err := d.conn.journal.open()
	if err != nil {
		return operation.Memory{}, "", err
	}
	warning := ""
	if err := j.LockWarning(); err != nil {
		warning = err.Error()
	}
	return operation.Memory{Journal: j}, warning, nil
}
