package health

import (
	"context"
	"errors"
	"fmt"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
	"geodeck/adminapi/operation"
	"geodeck/ui/views"
)

// startRun sends a run once, and shows it at the top of the list at once.
func (m *Model) startRun(run adminapi.HealthRun, tests expected) tea.Cmd {
	if m.run != nil {
		return views.Tell(views.Warning, "A health check is running already: "+m.run.name)
	}
	m.run = &running{name: run.Name, started: m.env.Clock.Now(), expected: tests}
	delete(m.chosen.folds, m.run.key())
	m.compare, m.raw = nil, nil
	m.showEntries()
	m.catalog.list.SetFilter("")
	m.catalog.list.Select(m.run.key())
	site := m.env.Site
	send := m.scope.Do("run", func(ctx context.Context) tea.Msg {
		started, outcome, err := site.StartHealthRun(ctx, run)
		return runStarted{run, started, outcome, err}
	})
	return tea.Batch(send, m.followNow(), m.tick())
}

// ticked redraws how long a run has been going on.
type ticked struct{}

func (m *Model) tick() tea.Cmd {
	return m.scope.After(m.env.Clock, time.Second, "tick", func(context.Context) tea.Msg { return ticked{} })
}

func (ticked) apply(m *Model) tea.Cmd {
	if m.run == nil {
		return nil
	}
	return m.tick()
}

// runStarted is what became of sending a run.
type runStarted struct {
	asked   adminapi.HealthRun
	run     *operation.HealthRun
	outcome adminapi.Outcome
	err     error
}

func (r runStarted) apply(m *Model) tea.Cmd {
	if m.run == nil {
		return nil
	}
	if r.run == nil {
		return tea.Batch(r.notStarted(m), m.runOver())
	}
	m.run.run = r.run
	m.run.unknown = r.outcome == adminapi.OutcomeUnknown
	return m.readRun(0)
}

// notStarted says why no run goes on. After a sign-in its form comes back.
func (r runStarted) notStarted(m *Model) tea.Cmd {
	text := "Nothing was sent: " + r.err.Error()
	switch {
	case errors.Is(r.err, adminapi.KindSignIn):
		reason := fmt.Errorf("the health check was not started: %w", r.err)
		return m.scope.RetryAfterSignIn(reason, "start", func() tea.Cmd { return m.askRunAs(&r.asked) })
	case r.outcome == adminapi.OutcomeRefused:
		text = "The site refused the health check: " + r.err.Error()
	}
	return views.NotSent(text, r.err)
}

// readRun reads the run once the wait is over: one request at a time.
func (m *Model) readRun(wait time.Duration) tea.Cmd {
	run, order := m.run.run, m.order
	return m.scope.After(m.env.Clock, wait, "run", func(ctx context.Context) tea.Msg {
		reading, wait, err := run.Next(ctx)
		read := runRead{reading: reading, wait: wait, err: err}
		if reading.Report != nil {
			read.study = newStudy(reading.Report, order)
		}
		return read
	})
}

// resumeRun goes on reading a run that waited for a sign-in. Only then: a run
// is read by one command at a time.
func (m *Model) resumeRun() tea.Cmd {
	if m.run == nil || !m.run.stalled {
		return nil
	}
	m.run.stalled = false
	return m.readRun(0)
}

// runRead is one look at the run.
type runRead struct {
	reading operation.HealthReading
	study   *study // of the report, where there is one
	wait    time.Duration
	err     error
}

func (r runRead) apply(m *Model) tea.Cmd {
	if m.run == nil {
		return nil
	}
	switch {
	case errors.Is(r.err, adminapi.KindSignIn):
		m.run.stalled, m.run.away = true, nil
		return m.scope.RetryAfterSignIn(r.err, "run", m.resumeRun)
	case errors.Is(r.err, operation.ErrOutcomeUnknown):
		return m.runFailed("It is not known whether the site ran the health check: ", r.err)
	case errors.Is(r.err, operation.ErrJobBroken):
		return m.runFailed("The health check did not complete: ", r.err)
	case r.err != nil:
		return m.runFailed("The health check cannot be followed to its end: ", r.err)
	case r.reading.Ended:
		return m.runEnded(r.study)
	}
	return tea.Batch(m.runGoesOn(r), m.readRun(r.wait))
}

// runGoesOn keeps the last good reading while the site is away.
func (m *Model) runGoesOn(r runRead) tea.Cmd {
	now := m.env.Clock.Now()
	if r.reading.Away != nil {
		m.run.away = views.StillAway(m.run.away, now, r.wait, r.reading.Away)
		return nil
	}
	m.run.away, m.run.last, m.run.read = nil, r.reading, now
	if r.reading.Report != nil && m.chosen.key == m.run.key() {
		return m.showReport(r.study)
	}
	return nil
}

// runEnded shows the report that the run left.
func (m *Model) runEnded(s *study) tea.Cmd {
	r := s.report
	key := entryKey{fromSite, r.ID}
	m.chosen.moveFolds(m.run.key(), key)
	m.run = nil
	m.scope.Forget("tick")
	m.store.put(key, s)
	m.catalog.addSite(summaryOf(*r))
	m.showEntries()
	m.catalog.list.SetFilter("")
	m.catalog.list.Select(key)
	text := "Health check " + s.verdict.String() + ": " + passedOf(s.count) + "."
	level := views.Failure
	switch s.verdict {
	case health.Passed:
		level = views.Success
	case health.Warning, health.Skipped:
		level = views.Warning
	}
	return tea.Batch(m.followNow(), views.Tell(level, text), m.readReports())
}

func (m *Model) runFailed(what string, err error) tea.Cmd {
	return tea.Batch(m.runOver(), views.Send(views.Notice{Level: views.Failure, Text: what + err.Error(), Err: err}))
}

// runOver ends a run that left nothing to show, and reads the list again: what
// it says is the truth.
func (m *Model) runOver() tea.Cmd {
	m.run = nil
	m.scope.Forget("tick")
	m.showEntries()
	m.chosen.key = entryKey{}
	return tea.Batch(m.followNow(), m.readReports())
}

// failed tells about a request of a kind that the user asked for; ask comes
// after a sign-in.
func (m *Model) failed(err error, kind string, ask func() tea.Cmd) tea.Cmd {
	switch {
	case errors.Is(err, adminapi.KindCancelled):
		return nil
	case errors.Is(err, adminapi.KindSignIn):
		return m.scope.RetryAfterSignIn(err, kind, ask)
	}
	return views.TellError(err)
}
