package cli

import (
	"cmp"
	"context"
	"errors"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"geodeck/adminapi/operation"
	"geodeck/ui"
	"geodeck/ui/paint"
)

// Names of the environment for alarms.
const (
	envAlarms = "GEODECK_ALARMS"
	envHook   = "GEODECK_HOOK"
)

// The ways of a terminal to call somebody.
const (
	alarmBell   = "bell"
	alarmNotify = "notify"
	alarmNone   = "none"
)

// alarmFlags say how a user who looks elsewhere is called at the end of an upgrade,
// at its failure, and when it stalls.
type alarmFlags struct{ ways, hook string }

func (f *alarmFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.ways, "alarms", "", "calls at the end of an upgrade, its failure or a stall: bell, notify (OSC 9), both or none (or "+envAlarms+"; default both)")
	cmd.Flags().StringVar(&f.hook, "hook", "", "program to run at such a call, with the alarm as JSON on its standard input (or "+envHook+")")
}

// alarmWays returns the calls that were chosen.
func (p *program) alarmWays() (ui.AlarmOptions, error) {
	var o ui.AlarmOptions
	for _, way := range strings.Split(cmp.Or(p.alarms.ways, p.Env(envAlarms), alarmBell+","+alarmNotify), ",") {
		switch strings.TrimSpace(way) {
		case alarmBell:
			o.Bell = true
		case alarmNotify:
			o.Notify = true
		case alarmNone:
		default:
			return o, badInput("", errors.New("--alarms takes "+strings.Join([]string{alarmBell, alarmNotify, alarmNone}, ", ")+", not "+strings.TrimSpace(way)))
		}
	}
	if hook := cmp.Or(p.alarms.hook, p.Env(envHook)); hook != "" {
		o.Hook = &operation.Hook{Program: hook}
		if err := o.Hook.Check(); err != nil {
			return o, badInput("", err)
		}
	}
	return o, nil
}

// ring calls the user by the terminal. One that takes nothing at present holds up nobody.
func (p *program) ring(ways ui.AlarmOptions, text string) {
	screen := paint.NewTerminal(below(p.Err).(*os.File), p.Env)
	rung := make(chan struct{})
	go func() {
		defer close(rung)
		if ways.Bell {
			_ = screen.Bell()
		}
		if ways.Notify && !p.dumb() {
			_ = screen.Notify(text)
		}
	}()
	patience := time.NewTimer(lastWords)
	defer patience.Stop()
	select {
	case <-rung:
	case <-patience.C:
	}
}

// alarm calls the user. What cannot be done is said; the watch goes on.
func (p *program) alarm(ctx context.Context, a operation.Alarm) {
	p.note(a.Text)
	ways, err := p.alarmWays()
	if err != nil {
		return // said before the watch began
	}
	if _, ok := terminal(p.Err); ok && !p.flags.plain {
		p.ring(ways, a.Text)
	}
	if ways.Hook == nil {
		return
	}
	if err := ways.Hook.Run(ctx, a); err != nil {
		p.note("warning: " + err.Error())
	}
}
