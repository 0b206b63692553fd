package upgrade

import (
	"context"
	"errors"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/upgrade"
	"geodeck/ui/views"
)

// run is the step in which the upgrade is sent, once.
type run struct {
	sending  bool // from the key that confirmed on, until the outcome is there
	began    time.Time
	steps    []operation.UpgradeProgress // those begun, each as it was last reported
	progress views.Reports[operation.UpgradeProgress]
	outcome  adminapi.Outcome
	err      error
	search   *search // after a lost answer
}

// start sends the upgrade once. That it is under way is noted before anything
// is sent: a second enter finds it so.
func (m *Model) start() tea.Cmd {
	f := m.flow
	if f.run != nil && f.run.sending {
		return nil
	}
	f.step = starting
	f.run = &run{sending: true, began: m.env.Clock.Now(), progress: views.NewReports[operation.UpgradeProgress]()}
	return tea.Batch(m.send(), m.listen())
}

// send returns the command that starts the upgrade or the rollback.
func (m *Model) send() tea.Cmd {
	f, site := m.flow, m.env.Site
	ask, rollback, progress := f.ask, f.rollback, f.run.progress
	return m.scope.Do("send", func(ctx context.Context) tea.Msg {
		defer close(progress)
		var r sent
		if rollback {
			r.run, r.outcome, r.err = site.StartRollback(ctx, ask.Target)
			return r
		}
		r.run, r.outcome, r.err = site.StartUpgrade(ctx, ask, reporter(progress))
		if errors.Is(r.err, operation.ErrSettingsChanged) {
			r.settings, r.settingsErr = site.UpgradeSettings(ctx, ask.Target)
		}
		return r
	})
}

// reporter passes progress on: an upload reports each piece, and the screen needs
// some of them only.
func reporter(progress views.Reports[operation.UpgradeProgress]) func(operation.UpgradeProgress) {
	var told int64
	return func(p operation.UpgradeProgress) {
		if p.Step == operation.StepUpload && p.Sent > told && p.Sent < p.Total && p.Sent-told < p.Total/50 {
			return
		}
		told = p.Sent
		progress.Tell(p)
	}
}

// progressed is one report of the start.
type progressed struct{ operation.UpgradeProgress }

// listen waits for the next report.
func (m *Model) listen() tea.Cmd {
	progress := m.flow.run.progress
	return m.scope.Do("progress", func(ctx context.Context) tea.Msg {
		if p, ok := progress.Next(ctx); ok {
			return progressed{p}
		}
		return nil
	})
}

func (p progressed) apply(m *Model) tea.Cmd {
	if m.flow == nil || m.flow.run == nil {
		return nil
	}
	m.flow.run.note(p.UpgradeProgress)
	return m.listen()
}

func (r *run) note(p operation.UpgradeProgress) {
	if last := len(r.steps) - 1; last >= 0 && r.steps[last].Step == p.Step && r.steps[last].File == p.File {
		r.steps[last] = p
		return
	}
	r.steps = append(r.steps, p)
}

// sent is what became of sending.
type sent struct {
	run         *operation.UpgradeRun
	outcome     adminapi.Outcome
	err         error
	settings    adminapi.UpgradeSettings // where others are asked for than before
	settingsErr error
}

func (r sent) apply(m *Model) tea.Cmd {
	f := m.flow
	if f == nil || f.run == nil {
		return nil
	}
	f.run.sending, f.run.outcome, f.run.err = false, r.outcome, r.err
	switch {
	case r.outcome == adminapi.OutcomeDone && r.run != nil:
		return m.underWay(r.run, r.run.First)
	case r.outcome == adminapi.OutcomeUnknown && r.run != nil:
		f.run.search = &search{run: r.run, since: m.env.Clock.Now()}
		return m.find(0)
	case r.outcome == adminapi.OutcomeRefused && errors.Is(r.err, adminapi.KindSignIn):
		return tea.Batch(m.refused(r.err), m.askSignIn(r.err, nil)) // it is sent again only when it is confirmed again
	case r.outcome == adminapi.OutcomeRefused:
		return m.refused(r.err)
	case errors.Is(r.err, operation.ErrUnsettled):
		m.backToReview("Nothing was sent: what became of an earlier request is not known.")
		return views.NotSent("", r.err)
	case errors.Is(r.err, operation.ErrSettingsChanged):
		return m.settingsChanged(r)
	case errors.Is(r.err, adminapi.KindSignIn):
		return m.askSignIn(r.err, nil) // it is sent again only when it is confirmed again
	}
	return nil
}

// underWay leaves the flow for the watch: the upgrade has begun.
func (m *Model) underWay(begun *operation.UpgradeRun, status adminapi.UpgradeStatus) tea.Cmd {
	drop := m.dropDraft()
	m.flow, m.left = nil, nil
	m.picker.offer = operation.Offer{Status: status}
	m.picker.installed, m.picker.history = past[adminapi.Update]{}, past[adminapi.HistoryEntry]{}
	m.picker.undoable = nil
	m.showShelf()
	m.place()
	return tea.Batch(drop, tea.Sequence(views.Send(views.WatchUpgrade{Run: begun}), views.Send(views.Navigate{View: "progress"})))
}

// refused shows the site's words where something can be done about them.
func (m *Model) refused(err error) tea.Cmd {
	f := m.flow
	m.backToReview("The site refused it: " + err.Error())
	if f.form != nil && len(f.form.inputs) > 1 {
		f.step = answering
		return m.openForm()
	}
	return nil
}

// backToReview shows the review again, with why nothing goes on.
func (m *Model) backToReview(problem string) {
	f := m.flow
	f.problem, f.run, f.step = problem, nil, reviewing
	m.layReview()
}

// settingsChanged goes back to the form, which asks for what the site asks for
// now; the answers that still fit are kept.
func (m *Model) settingsChanged(r sent) tea.Cmd {
	f := m.flow
	f.problem, f.run, f.step = views.Sentence(r.err.Error())+" Nothing was sent. Look at them and go on.", nil, answering
	if r.settingsErr != nil {
		f.problem = views.Sentence(r.err.Error()) + " They could not be read: " + r.settingsErr.Error()
	} else {
		m.takeSettings(r.settings)
		f.facts.Settings = upgrade.Read(r.settings)
	}
	return m.openForm()
}
