package ui

import (
	"context"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

// alarms is which calls are switched on.
type alarms struct{ bell, notify, hook bool }

// hookRan is the end of a hook.
type hookRan struct{ err error }

// alarmWords are what the command for alarms takes.
var alarmWords = []string{"on", "off", "bell on", "bell off", "notify on", "notify off"}

// set switches as the words say and tells whether it knows them.
func (a *alarms) set(words string) bool {
	switch words {
	case "":
	case "on":
		*a = alarms{bell: true, notify: true, hook: true}
	case "off":
		*a = alarms{}
	case "bell on", "bell off":
		a.bell = words == "bell on"
	case "notify on", "notify off":
		a.notify = words == "notify on"
	default:
		return false
	}
	return true
}

// silent tells whether nobody who looks elsewhere would hear of an alarm.
func (m *Model) silent() bool {
	return !m.alarms.bell && !m.alarms.notify && !m.runsHook()
}

func (m *Model) runsHook() bool { return m.alarms.hook && m.options.Alarms.Hook != nil }

// setAlarms switches the alarms, and says how they stand then.
func (m *Model) setAlarms(words string) tea.Cmd {
	if !m.alarms.set(strings.Join(strings.Fields(words), " ")) {
		return views.Tell(views.Warning, "alarms take "+strings.Join(alarmWords, ", ")+"; nothing was changed")
	}
	return m.notify(views.Notice{Text: m.alarmState()})
}

func (m *Model) alarmState() string {
	if m.silent() {
		return "alarms are off: the end and a stall of an upgrade are only seen here"
	}
	var calls []string
	if m.alarms.bell {
		calls = append(calls, "the bell")
	}
	if m.alarms.notify {
		calls = append(calls, "a notification of the terminal")
	}
	if m.runsHook() {
		calls = append(calls, "the hook "+plain.Line(m.options.Alarms.Hook.Program))
	}
	return "alarms are on: " + strings.Join(calls, ", ")
}

// judge calls the user where a reading is worth it. The end of an upgrade has a
// notice of its own.
func (m *Model) judge(before, reading operation.UpgradeReading) tea.Cmd {
	a, loud := m.env.Site.AlarmOf(before, reading, m.env.Clock.Now())
	if !loud {
		return nil
	}
	calls := []tea.Cmd{m.call(a)}
	if a.Kind == operation.AlarmStalled || a.Kind == operation.AlarmUnknown {
		calls = append(calls, m.notify(views.Notice{Level: views.Warning, Text: a.Text}))
	}
	return tea.Batch(calls...)
}

// call reaches the user in every way that is switched on.
func (m *Model) call(a operation.Alarm) tea.Cmd { return tea.Batch(m.ring(a.Text), m.runHook(a)) }

// ring calls through the terminal. One that does not take it is gone, and its user
// with it.
func (m *Model) ring(text string) tea.Cmd {
	terminal, calls := m.options.Terminal, m.alarms
	if terminal == nil || !calls.bell && !calls.notify {
		return nil
	}
	return func() tea.Msg {
		if calls.notify {
			_ = terminal.Notify(text)
		}
		if calls.bell {
			_ = terminal.Bell()
		}
		return nil
	}
}

func (m *Model) runHook(a operation.Alarm) tea.Cmd {
	if !m.runsHook() {
		return nil
	}
	hook := *m.options.Alarms.Hook
	return m.scope.Do("hook "+string(a.Kind), func(ctx context.Context) tea.Msg { return hookRan{hook.Run(ctx, a)} })
}

// hookRan says what a hook has failed of; one that went well is not worth a word.
func (m *Model) hookRan(h hookRan) tea.Cmd {
	if h.err == nil {
		return nil
	}
	return m.notify(views.Notice{Level: views.Failure, Text: h.err.Error(), Err: h.err})
}
