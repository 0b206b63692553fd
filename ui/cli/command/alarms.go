package command

import (
	"cmp"
	"context"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"geodeck/adminapi/operation/watching"
	"geodeck/ui/cli/exit"
	"geodeck/ui/cli/output"
	"geodeck/ui/cli/session"
	"geodeck/ui/paint"
)

// Alarms call the user when an upgrade ends, fails or stalls.
type Alarms struct {
	Env
	kinds, hook string // what --alarms and --hook were given
}

// Register adds the flags of alarms.
func (a *Alarms) Register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&a.kinds, "alarms", "", "what to do when an upgrade ends, fails or stalls: bell, notify (OSC 9), both or none (or "+session.EnvAlarms+"; default both)")
	cmd.Flags().StringVar(&a.hook, "hook", "", "program to run when an upgrade ends, fails or stalls; its standard input is the alarm as JSON (or "+session.EnvHook+")")
}

// Chosen returns the calls that flags, else the environment, else config.yaml name.
func (a *Alarms) Chosen() (c watching.Calls, err error) {
	s, err := a.Session.Settings()
	if err != nil {
		return c, err
	}
	return a.Of(s)
}

// Of returns the calls for a site with these settings.
func (a *Alarms) Of(s session.Settings) (c watching.Calls, err error) {
	c, err = AlarmKinds(cmp.Or(a.kinds, a.Session.Env(session.EnvAlarms), s.Alarms.Value,
		session.AlarmBell+","+session.AlarmNotify))
	if err != nil {
		return c, err
	}
	if hook := cmp.Or(a.hook, a.Session.Env(session.EnvHook), s.Hook.Value); hook != "" {
		c.Hook = &watching.Hook{Program: hook}
		if err := c.Hook.Check(); err != nil {
			return c, exit.BadInput("", err)
		}
	}
	return c, nil
}

// AlarmKinds reads the kinds that --alarms takes.
func AlarmKinds(kinds string) (c watching.Calls, err error) {
	for _, kind := range strings.Split(kinds, ",") {
		switch strings.TrimSpace(kind) {
		case session.AlarmBell:
			c.Bell = true
		case session.AlarmNotify:
			c.Notify = true
		case session.AlarmNone:
		default:
			return c, exit.BadInputf("--alarms takes %s, %s, %s, not %s", session.AlarmBell, session.AlarmNotify,
				session.AlarmNone, strings.TrimSpace(kind))
		}
	}
	return c, nil
}

// Call calls the user. A call that fails is a warning; the watch goes on.
func (a *Alarms) Call(ctx context.Context, alarm watching.Alarm) {
	a.Out.Note(alarm.Text)
	calls, err := a.Chosen()
	if err != nil || alarm.Known { // the watch has refused such flags
		return
	}
	if _, ok := output.Terminal(a.Out.Err); ok && !a.Out.Plain {
		a.ring(calls, alarm.Text)
	}
	if calls.Hook == nil {
		return
	}
	if err := calls.Hook.Run(ctx, alarm); err != nil {
		a.Out.Note("warning: " + err.Error())
	}
}

// ring calls the user by the terminal, without waiting long for one that is busy.
func (a *Alarms) ring(calls watching.Calls, text string) {
	screen := paint.NewTerminal(output.Underlying(a.Out.Err).(*os.File), a.Session.Env)
	rung := make(chan struct{})
	go func() {
		defer close(rung)
		if calls.Bell {
			_ = screen.Bell()
		}
		if calls.Notify && !a.Out.Dumb() {
			_ = screen.Notify(text)
		}
	}()
	patience := time.NewTimer(output.FlushLimit)
	defer patience.Stop()
	select {
	case <-rung:
	case <-patience.C:
	}
}
