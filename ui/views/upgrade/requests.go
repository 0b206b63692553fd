package upgrade

import (
	"context"
	"errors"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/views"
)

// reply is a message of this view's own requests; it knows what it changes.
type reply interface{ apply(*Model) tea.Cmd }

// offersRead is what the site offers.
type offersRead struct {
	offer operation.Offer
	err   error
}

// upgradeRuns tells whether an upgrade runs as far as is known here: then nothing
// below the Upgrades resource is asked.
func (m *Model) upgradeRuns() bool {
	if w := m.env.Upgrade; w.On && !w.Reading.At.IsZero() {
		return w.Reading.Meaning == progress.StateRunning
	}
	return m.picker.offer.Running()
}

// readOffers reads what can be installed; while an upgrade runs, only whether
// it still does.
func (m *Model) readOffers() tea.Cmd {
	m.picker.Loading = true
	return m.scope.Do("offers", m.askOffers())
}

func (m *Model) askOffers() func(context.Context) tea.Msg {
	site := m.env.Site
	return func(ctx context.Context) tea.Msg {
		offer, err := site.Offers(ctx)
		return offersRead{offer, err}
	}
}

func (r offersRead) apply(m *Model) tea.Cmd {
	p := &m.picker
	if r.err != nil {
		return m.offersFailed(r.err)
	}
	p.Succeeded(m.env.Clock.Now())
	p.offer, p.version = r.offer, ""
	m.showShelf()
	return m.readShelf()
}

func (m *Model) offersFailed(err error) tea.Cmd {
	p := &m.picker
	if errors.Is(err, adminapi.KindCancelled) {
		p.Loading = false
		return nil
	}
	if wait := p.Failed(m.env.Clock.Now(), err); wait > 0 {
		return m.scope.After(m.env.Clock, wait, "offers", m.askOffers())
	}
	switch {
	case errors.Is(err, adminapi.KindSignIn):
		return m.scope.RetryAfterSignIn(err, "offers", m.readOffers)
	case errors.Is(err, adminapi.KindVersionTooOld):
		return m.readVersion()
	case p.Updated.IsZero():
		return nil
	}
	return views.TellError(err)
}

func (m *Model) askSignIn(err error, retry tea.Cmd) tea.Cmd {
	return views.Send(views.SignIn{Reason: err.Error(), Retry: retry})
}

// versionRead says what a site that is too old calls itself.
type versionRead struct{ version string }

func (m *Model) readVersion() tea.Cmd {
	client := m.env.Site.Client
	return m.scope.Do("version", func(ctx context.Context) tea.Msg {
		root, err := client.Root(ctx)
		if err != nil {
			return nil // the screen says what is known without it
		}
		return versionRead{root.FullVersion}
	})
}

func (r versionRead) apply(m *Model) tea.Cmd {
	m.picker.version = r.version
	return nil
}

// readShelf reads the list that is looked at, where it was not read yet.
func (m *Model) readShelf() tea.Cmd {
	p := &m.picker
	if m.env.Offline || m.upgradeRuns() {
		return nil
	}
	switch {
	case p.shelf == installed && p.installed.reading.IsZero() && !p.installed.asking:
		p.installed.asking = true
		return m.scope.Do("installed", m.askInstalled())
	case p.shelf == history && p.history.reading.IsZero() && !p.history.asking:
		p.history.asking = true
		return m.scope.Do("history", m.askHistory())
	}
	return nil
}

// installedRead is what is installed, and what of it can be taken back.
type installedRead struct {
	updates, undoable []adminapi.Update
	err, undoErr      error
}

func (m *Model) askInstalled() func(context.Context) tea.Msg {
	client := m.env.Site.Client
	return func(ctx context.Context) tea.Msg {
		var r installedRead
		if r.updates, r.err = client.Installed(ctx); r.err == nil {
			r.undoable, r.undoErr = client.CheckRollback(ctx)
		}
		return r
	}
}

func (r installedRead) apply(m *Model) tea.Cmd {
	p := &m.picker
	p.installed.take(r.updates, r.err, m.env.Clock.Now())
	if r.err == nil {
		p.undoable, p.undoErr = r.undoable, r.undoErr
	}
	m.showShelf()
	return m.shelfFailed(r.err)
}

// historyRead is what was done before.
type historyRead struct {
	entries []adminapi.HistoryEntry
	err     error
}

func (m *Model) askHistory() func(context.Context) tea.Msg {
	client := m.env.Site.Client
	return func(ctx context.Context) tea.Msg {
		entries, _, err := client.UpgradeHistory(ctx)
		return historyRead{entries, err}
	}
}

func (r historyRead) apply(m *Model) tea.Cmd {
	m.picker.history.take(r.entries, r.err, m.env.Clock.Now())
	m.showShelf()
	return m.shelfFailed(r.err)
}

// take keeps the last good list where a new one could not be read.
func (p *past[T]) take(items []T, err error, now time.Time) {
	p.asking, p.problem = false, err
	if err == nil {
		p.items, p.reading = items, now
	}
}

// shelfFailed asks for a sign-in where that is what a list needs.
func (m *Model) shelfFailed(err error) tea.Cmd {
	if !errors.Is(err, adminapi.KindSignIn) {
		return nil
	}
	m.picker.installed.asking, m.picker.history.asking = false, false
	return m.scope.RetryAfterSignIn(err, "shelf", m.readShelf)
}
