package ui

import (
	"context"
	"io"
	"os"
	"time"

	"geodeck/adminapi/fleet"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui/keyboard"
	"geodeck/ui/paint"
	"geodeck/ui/views"
)

// NewWith returns a dashboard with other views.
func NewWith(o Options, makers []views.Maker) *Model { return newModel(o, makers) }

// Makers are the views of the dashboard.
func Makers() []views.Maker { return makers(true) }

// Active is the view that is shown.
func (m *Model) Active() views.View { return m.screen.router.active() }

// Dialog is the id of the dialog on top, empty for none.
func (m *Model) Dialog() string {
	if top := m.screen.dialogs.top(); top != nil {
		return top.ID()
	}
	return ""
}

// RunModel runs any model the way the dashboard is run.
func RunModel(ctx context.Context, root tea.Model, in io.Reader, out *os.File) error {
	return run(ctx, root, in, paint.NewTerminal(out, os.Getenv), Options{})
}

// AsksAfter has the program handle a message, and returns whether it says that a question
// is open.
func AsksAfter(root tea.Model, msg tea.Msg) (asks bool) {
	g := &guard{model: root, jobs: &jobControl{}, asks: func(now bool) { asks = now }}
	_, _ = g.Update(msg)
	return asks
}

// SetAnswerGrace changes how long the terminal may take for an answer before it is another
// program's.
func SetAnswerGrace(d time.Duration) { answerGrace = d }

// NewJobControl returns what sees the messages of a program that reads keys, which is told
// later, and what reports whether a message stops it. An answer of the terminal has an hour.
func NewJobControl(keys *keyboard.Reader) (filter func(tea.Model, tea.Msg) tea.Msg, of func(*tea.Program), stops func(tea.Msg) bool) {
	jobs := &jobControl{keys: keys, grace: time.Hour}
	return func(_ tea.Model, msg tea.Msg) tea.Msg { return jobs.filter(msg) },
		func(p *tea.Program) { jobs.program = p },
		func(msg tea.Msg) bool { _, ok := msg.(stopped); return ok }
}

// SetEndGrace changes how long a program that a signal ends may take.
func SetEndGrace(d time.Duration) { endGrace = d }

// FleetOf returns the sites of the tab Fleet.
func FleetOf(o Options) ([]fleet.Entry, error) { return o.fleet()() }
