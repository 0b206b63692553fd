package cli

import (
	"cmp"
	"context"
	"errors"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"geodeck/adminapi/operation"
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

// alarmWays are the calls that were chosen.
type alarmWays struct {
	bell, notify bool
	hook         *operation.Hook
}

func (p *program) alarmWays() (alarmWays, error) {
	var w alarmWays
	for _, way := range strings.Split(cmp.Or(p.alarms.ways, p.Env(envAlarms), alarmBell+","+alarmNotify), ",") {
		switch strings.TrimSpace(way) {
		case alarmBell:
			w.bell = true
		case alarmNotify:
			w.notify = true
		case alarmNone:
		default:
			return w, badInput("", errors.New("--alarms takes "+strings.Join([]string{alarmBell, alarmNotify, alarmNone}, ", ")+", not "+strings.TrimSpace(way)))
		}
	}
	if hook := cmp.Or(p.alarms.hook, p.Env(envHook)); hook != "" {
		w.hook = &operation.Hook{Program: hook}
	}
	return w, nil
}

// alarm calls the user. What cannot be done is said; the watch goes on.
func (p *program) alarm(ctx context.Context, a operation.Alarm) {
	p.note(a.Text)
	ways, err := p.alarmWays()
	if err != nil {
		return // said before the watch began
	}
	if file, ok := p.Err.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		terminal := paint.NewTerminal(file, p.Env)
		if ways.bell {
			_ = terminal.Bell()
		}
		if ways.notify {
			_ = terminal.Notify(a.Text)
		}
	}
	if ways.hook == nil {
		return
	}
	if err := ways.hook.Run(ctx, a); err != nil {
		p.note("warning: " + err.Error())
	}
}
