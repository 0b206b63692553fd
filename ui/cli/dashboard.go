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
	var err error
	if o.Alarms, err = p.alarmWays(); err != nil {
		return err
	}
	screen, _ := p.Out.(*os.File) // nil is no terminal either
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
		return badInput("", err)
	}
	return err
}
