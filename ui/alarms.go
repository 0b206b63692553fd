package ui

import (
	"context"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

// alarms alert a user who is not looking at the screen.
type alarms struct {
	part
	bell bool
	osc  bool // notifies through the terminal
	hook bool
}

// alarmWords are the arguments of the command for alarms.
var alarmWords = []string{"on", "off", "bell on", "bell off", "notify on", "notify off"}

// set switches alarms on or off by words, and reports whether they are known.
func (a *alarms) set(words string) bool {
	switch words {
	case "":
	case "on", "off":
		on := words == "on"
		a.bell, a.osc, a.hook = on, on, on
	case "bell on", "bell off":
		a.bell = words == "bell on"
	case "notify on", "notify off":
		a.osc = words == "notify on"
	default:
		return false
	}
	return true
}

// silent reports whether no alarm would reach a user who is not looking at the screen.
func (a *alarms) silent() bool { return !a.bell && !a.osc && !a.runsHook() }

func (a *alarms) runsHook() bool { return a.hook && a.options.Alarms.Hook != nil }

// switchTo switches the alarms and shows which are on.
func (a *alarms) switchTo(words string) tea.Cmd {
	if !a.set(strings.Join(strings.Fields(words), " ")) {
		return views.Tell(views.Warning, "alarms take "+strings.Join(alarmWords, ", ")+"; nothing was changed")
	}
	return views.Tell(views.Info, a.String())
}

// String says what is on.
func (a *alarms) String() string {
	if a.silent() {
		return "alarms are off: upgrades that end or stall show only here"
	}
	var calls []string
	if a.bell {
		calls = append(calls, "the bell")
	}
	if a.osc {
		calls = append(calls, "a notification of the terminal")
	}
	if a.runsHook() {
		calls = append(calls, "the hook "+plain.Line(a.options.Alarms.Hook.Program))
	}
	return "alarms are on: " + strings.Join(calls, ", ")
}

// raise alerts the user where a new snapshot calls for it. The end of an upgrade has its
// own notice.
func (a *alarms) raise(before, snapshot operation.UpgradeSnapshot) tea.Cmd {
	alarm, loud := a.env.Site.AlarmOf(before, snapshot)
	if !loud {
		return nil
	}
	var calls []tea.Cmd
	if !alarm.Known {
		calls = append(calls, a.call(alarm))
	}
	switch alarm.Kind {
	case operation.AlarmElsewhere:
		calls = append(calls, a.shell.notify(views.Notice{Level: views.Failure, Text: alarm.Text + views.Keys("; {key:progress.explain} says what to do")}))
	case operation.AlarmStalled, operation.AlarmUnknown:
		calls = append(calls, a.shell.notify(views.Notice{Level: views.Warning, Text: alarm.Text}))
	}
	return views.Batch(calls...)
}

// call alerts the user by every alarm that is on.
func (a *alarms) call(alarm operation.Alarm) tea.Cmd {
	return views.Batch(a.ring(alarm.Text), a.startHook(alarm))
}

// ring alerts through the terminal. Errors are ignored: a closed terminal has no user.
func (a *alarms) ring(text string) tea.Cmd {
	terminal, bell, osc := a.options.Terminal, a.bell, a.osc
	if terminal == nil || !bell && !osc {
		return nil
	}
	return func() tea.Msg {
		if osc {
			_ = terminal.Notify(text)
		}
		if bell {
			_ = terminal.Bell()
		}
		return nil
	}
}

func (a *alarms) startHook(alarm operation.Alarm) tea.Cmd {
	if !a.runsHook() {
		return nil
	}
	hook := *a.options.Alarms.Hook
	return a.scope.Write(func(ctx context.Context) tea.Msg {
		if err := hook.Run(ctx, alarm); err != nil {
			return views.Failed(err.Error(), err)
		}
		return nil
	})
}
