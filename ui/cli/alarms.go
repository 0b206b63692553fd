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

// alarms call a user who looks elsewhere: at the end of an upgrade, at its failure, and
// when it stalls.
type alarms struct {
	out  *output
	env  func(string) string
	ways string // what --alarms was given
	hook string // what --hook was given
}

func (a *alarms) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&a.ways, "alarms", "", "calls at the end of an upgrade, its failure or a stall: bell, notify (OSC 9), both or none (or "+envAlarms+"; default both)")
	cmd.Flags().StringVar(&a.hook, "hook", "", "program to run at such a call, with the alarm as JSON on its standard input (or "+envHook+")")
}

// alarmCalls are the calls that were chosen.
type alarmCalls struct {
	bell, notify bool
	hook         *operation.Hook // nil for none
}

// chosen returns the calls that flags and environment name.
func (a *alarms) chosen() (c alarmCalls, err error) {
	for _, way := range strings.Split(cmp.Or(a.ways, a.env(envAlarms), alarmBell+","+alarmNotify), ",") {
		switch strings.TrimSpace(way) {
		case alarmBell:
			c.bell = true
		case alarmNotify:
			c.notify = true
		case alarmNone:
		default:
			return c, badInput("", errors.New("--alarms takes "+strings.Join([]string{alarmBell, alarmNotify, alarmNone}, ", ")+", not "+strings.TrimSpace(way)))
		}
	}
	if hook := cmp.Or(a.hook, a.env(envHook)); hook != "" {
		c.hook = &operation.Hook{Program: hook}
		if err := c.hook.Check(); err != nil {
			return c, badInput("", err)
		}
	}
	return c, nil
}

// call calls the user. What cannot be done is said; the watch goes on.
func (a *alarms) call(ctx context.Context, alarm operation.Alarm) {
	a.out.note(alarm.Text)
	calls, err := a.chosen()
	if err != nil {
		return // said before the watch began
	}
	if _, ok := terminal(a.out.err); ok && !a.out.plain {
		a.ring(calls, alarm.Text)
	}
	if calls.hook == nil {
		return
	}
	if err := calls.hook.Run(ctx, alarm); err != nil {
		a.out.note("warning: " + err.Error())
	}
}

// ring calls the user by the terminal. One that takes nothing at present holds up nobody.
func (a *alarms) ring(calls alarmCalls, text string) {
	screen := paint.NewTerminal(below(a.out.err).(*os.File), a.env)
	rung := make(chan struct{})
	go func() {
		defer close(rung)
		if calls.bell {
			_ = screen.Bell()
		}
		if calls.notify && !a.out.dumb() {
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
