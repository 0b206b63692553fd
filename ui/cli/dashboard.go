package cli

import (
	"context"
	"errors"
	"os"

	"github.com/charmbracelet/lipgloss"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/ui"
)

// dashboard opens the dashboard on the site that flags and environment name.
func (p *program) dashboard(ctx context.Context) error {
	if p.address() == "" {
		return badInput("Try it without a site: geodeck demo. All commands: geodeck --help", errNoSite)
	}
	nodes, err := p.shownNodes(operation.NodeSource{})
	if err != nil {
		return err
	}
	site, notice, err := p.newSite()
	if err != nil {
		return err
	}
	p.site = site
	return p.show(ctx, ui.Options{
		Site: site, Name: site.Client.Base().Hostname(), Clock: p.Clock, Nodes: nodes, Notice: notice,
	})
}

// show runs the dashboard on the terminal until the user quits. It answers
// signals by itself: the end of ctx, which comes with them, would hide which.
func (p *program) show(ctx context.Context, o ui.Options) error {
	if p.flags.timeout > 0 {
		return badInput("", errors.New("--timeout is for commands; the dashboard ends when you quit"))
	}
	if p.dumb() {
		return badInput(adviceCommands, errors.New("the dashboard cannot draw on a terminal with TERM=dumb"))
	}
	var err error
	if o.Alarms, err = p.alarmWays(); err != nil {
		return err
	}
	screen, _ := below(p.Out).(*os.File) // nil is no terminal either
	o.Theme = p.theme()
	o.Pace = adminapi.SystemClock{}
	lipgloss.SetDefaultRenderer(o.Theme.Options().Renderer) // widgets draw with it
	end := p.remember(&o)
	err = ui.Run(context.WithoutCancel(ctx), o, p.In, screen)
	if failed := end(); err == nil {
		err = failed
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

// dumb reports whether the terminal obeys no escape sequences.
func (p *program) dumb() bool { return p.Env("TERM") == "dumb" }
