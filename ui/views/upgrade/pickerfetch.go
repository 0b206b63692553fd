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

// fetched is a list that is read when it is first shown.
type fetched[T any] struct {
	views.Fetch
	items []T
}

// rollbacks are the patches that the site offers to uninstall.
type rollbacks struct {
	updates []adminapi.Update
	err     error // why that is not known
}

func (r rollbacks) offers(id string) bool {
	for _, u := range r.updates {
		if u.ID == id && !upgrade.IsRelease(u) {
			return true
		}
	}
	return false
}

// The replies to the requests of the picker.
type (
	offersRead struct {
		offer operation.Offer
		err   error
	}
	versionRead   struct{ version string } // of a site that is too old
	installedRead struct {
		updates   []adminapi.Update
		rollbacks rollbacks
		err       error
	}
	historyRead struct {
		entries []adminapi.HistoryEntry
		err     error
	}
)

func (p *picker) update(msg tea.Msg) tea.Cmd {
	now := p.Env.Clock.Now()
	switch msg := msg.(type) {
	case offersRead:
		if msg.err != nil {
			return p.offersFailed(msg.err)
		}
		p.fetch.Succeeded(now)
		p.offer, p.version = msg.offer, ""
		p.showList()
		return p.readList()
	case versionRead:
		p.version = msg.version
	case installedRead:
		if msg.err == nil {
			p.installed.Succeeded(now)
			p.installed.items, p.rollbacks = msg.updates, msg.rollbacks
		}
		return p.listRead(&p.installed.Fetch, msg.err)
	case historyRead:
		if msg.err == nil {
			p.history.Succeeded(now)
			p.history.items = msg.entries
		}
		return p.listRead(&p.history.Fetch, msg.err)
	case rested:
		if key, ok := p.list.Key(); ok && key == msg.key {
			p.showDetail()
		}
	default:
		return p.manifest.update(msg)
	}
	return nil
}

// readOffers reads what can be installed; while an upgrade runs, only whether it still
// does.
func (p *picker) readOffers() tea.Cmd {
	p.fetch.Loading = true
	return p.Scope.Do("offers", p.fetchOffers())
}

func (p *picker) fetchOffers() func(context.Context) tea.Msg {
	site := p.Env.Site
	return func(ctx context.Context) tea.Msg {
		offer, err := site.Offers(ctx)
		return offersRead{offer, err}
	}
}

func (p *picker) offersFailed(err error) tea.Cmd {
	if errors.Is(err, adminapi.KindCancelled) {
		p.fetch.Loading = false
		return nil
	}
	if wait := p.fetch.Failed(p.Env.Clock.Now(), err); wait > 0 {
		return p.Scope.After(p.Env.Clock, wait, "offers", p.fetchOffers())
	}
	switch {
	case errors.Is(err, adminapi.KindSignIn):
		return p.Scope.RetryAfterSignIn(err, "offers", p.readOffers)
	case errors.Is(err, adminapi.KindVersionTooOld):
		client := p.Env.Site.Client
		return p.Scope.Do("version", func(ctx context.Context) tea.Msg {
			root, err := client.Root(ctx)
			if err != nil {
				return nil // the screen says what is known without it
			}
			return versionRead{root.FullVersion}
		})
	case p.fetch.Updated.IsZero():
		return nil
	}
	return views.TellError(err)
}

// readList reads the list that is shown, where it was not read yet.
func (p *picker) readList() tea.Cmd {
	switch {
	case p.Env.Offline || p.upgradeRuns():
	case p.kind == installedList && p.installed.Updated.IsZero() && !p.installed.Loading:
		return p.readInstalled()
	case p.kind == historyList && p.history.Updated.IsZero() && !p.history.Loading:
		return p.readHistory()
	}
	return nil
}

// readInstalled reads what is installed, and what of it can be rolled back.
func (p *picker) readInstalled() tea.Cmd {
	p.installed.Loading = true
	client := p.Env.Site.Client
	return p.Scope.Do("installed", func(ctx context.Context) tea.Msg {
		var r installedRead
		if r.updates, r.err = client.Installed(ctx); r.err == nil {
			r.rollbacks.updates, r.rollbacks.err = client.CheckRollback(ctx)
		}
		return r
	})
}

func (p *picker) readHistory() tea.Cmd {
	p.history.Loading = true
	client := p.Env.Site.Client
	return p.Scope.Do("history", func(ctx context.Context) tea.Msg {
		entries, _, err := client.UpgradeHistory(ctx)
		return historyRead{entries, err}
	})
}

// listRead shows a list that was read; where it could not be, the last good one stays.
func (p *picker) listRead(f *views.Fetch, err error) tea.Cmd {
	f.Loading, f.Err = false, err
	p.showList()
	if !errors.Is(err, adminapi.KindSignIn) {
		return nil
	}
	p.installed.Loading, p.history.Loading = false, false
	return p.Scope.RetryAfterSignIn(err, "list", p.readList)
}

// refresh reads everything that is shown again.
func (p *picker) refresh() tea.Cmd {
	switch {
	case p.Env.Offline:
		return views.Tell(views.Warning, "There is no site to read from.")
	case p.kind == installedList && !p.upgradeRuns():
		return tea.Batch(p.readInstalled(), p.readOffers())
	case p.kind == historyList && !p.upgradeRuns():
		return tea.Batch(p.readHistory(), p.readOffers())
	}
	return p.readOffers()
}

// watched follows the watch: when an upgrade has ended, the offers are others.
func (p *picker) watched(w views.Watched) tea.Cmd {
	if p.Env.Offline || !w.Reading.Ended || p.fetch.Loading || !p.fetch.Updated.Before(w.Reading.At) {
		return nil
	}
	p.installed.Updated, p.history.Updated = time.Time{}, time.Time{}
	return p.readOffers()
}

// began forgets what was read: an upgrade runs, and what it leaves behind is not known.
func (p *picker) began(status adminapi.UpgradeStatus) {
	p.offer = operation.Offer{Status: status}
	p.installed, p.history, p.rollbacks = fetched[adminapi.Update]{}, fetched[adminapi.HistoryEntry]{}, rollbacks{}
	p.showList()
}
