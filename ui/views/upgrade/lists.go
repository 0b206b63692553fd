package upgrade

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade"
	"geodeck/ui/views"
)

// listKind is one of the lists of the picker.
type listKind int

// The lists, in their order.
const (
	offeredList listKind = iota
	installedList
	historyList
	listKinds
)

func (k listKind) String() string { return [...]string{"Offered", "Installed", "History"}[k] }

// lists holds what the picker shows: offered and installed updates, and the history. Each
// is read when it is first shown.
type lists struct {
	base
	read      func() // shows them, once one was read
	shown     listKind
	fetch     views.Fetch // of the offer
	offer     operation.Offer
	file      string // path of a manifest whose updates are listed, too; empty for none
	installed fetched[adminapi.Update]
	rollbacks adminapi.Fact[[]upgrade.Rollback] // that the site offers
	history   fetched[adminapi.HistoryEntry]
	told      time.Time // when the offer was read, or an upgrade begun here
	drawn     drawn
}

// drawn is what the lists on the screen depend on of the state of the site.
type drawn struct{ runs, readOnly bool }

// fetched is a list that is read when it is first shown.
type fetched[T any] struct {
	views.Fetch
	items []T
}

// upgradeRuns reports whether an upgrade runs, as far as is known. Nothing below the
// Upgrades resource can be read then.
func (l *lists) upgradeRuns() bool {
	at := l.Env.State.Upgrade.At
	return !at.After(l.told) && l.offer.Running() || !at.Before(l.told) && l.Env.State.Runs()
}

// closed reports whether the list that is shown cannot be read until an upgrade has ended. One
// that was read before stays.
func (l *lists) closed() bool { return l.upgradeRuns() && l.shownFetch().Updated.IsZero() }

// shownFetch returns the fetch of the list that is shown; of the offer none while an upgrade runs.
func (l *lists) shownFetch() *views.Fetch {
	switch {
	case l.shown == installedList:
		return &l.installed.Fetch
	case l.shown == historyList:
		return &l.history.Fetch
	case l.upgradeRuns():
		return &views.Fetch{}
	}
	return &l.fetch
}

// updated returns when what is shown was read.
func (l *lists) updated() time.Time {
	if s := &l.Env.State; l.closed() && s.Runs() {
		return s.Upgrade.At
	} else if l.closed() {
		return l.fetch.Updated
	}
	return l.shownFetch().Updated
}

// readOffers reads the offered updates; while an upgrade runs, only its state.
func (l *lists) readOffers() tea.Cmd {
	l.fetch.Loading = true
	site, file := l.Env.Site, l.file
	return l.Scope.Work("offers", func(ctx context.Context) func() tea.Cmd {
		offer, err := site.OffersWith(ctx, file)
		return func() tea.Cmd {
			if err != nil {
				return l.FetchFailed(&l.fetch, err, "offers", l.readOffers)
			}
			now := l.Env.Clock.Now()
			l.fetch.Succeeded(now)
			l.offer, l.told = offer, now
			next := l.readList()
			l.read()
			return next
		}
	})
}

// readFile reads the offers with those of a manifest file, or without one.
func (l *lists) readFile(path string) tea.Cmd {
	l.file = path
	return l.readOffers()
}

// readList reads the list that is shown, unless it was read before.
func (l *lists) readList() tea.Cmd {
	switch {
	case l.Env.Offline || l.upgradeRuns():
	case l.shown == installedList && l.installed.Updated.IsZero() && !l.installed.Loading:
		return l.readInstalled()
	case l.shown == historyList && l.history.Updated.IsZero() && !l.history.Loading:
		return l.readHistory()
	}
	return nil
}

// newest returns updates by their builds, the newest first.
func newest(updates []adminapi.Update) []adminapi.Update {
	sorted := slices.Clone(updates)
	slices.SortStableFunc(sorted, func(a, b adminapi.Update) int {
		order, _ := upgrade.CompareBuilds(b.Build, a.Build)
		return cmp.Or(order, cmp.Compare(b.Released, a.Released))
	})
	return sorted
}

// withListed returns the installed updates with those that the site can go back to besides: a base
// release need not be among them.
func withListed(installed []adminapi.Update, listed []upgrade.Rollback) []adminapi.Update {
	installed = slices.Clone(installed)
	for _, r := range listed {
		if !slices.ContainsFunc(installed, func(u adminapi.Update) bool { return u.ID == r.Listed.ID }) {
			installed = append(installed, r.Listed)
		}
	}
	return installed
}

// readInstalled reads the installed updates, and what can be rolled back.
func (l *lists) readInstalled() tea.Cmd {
	l.installed.Loading = true
	site := l.Env.Site
	return l.Scope.Work("installed", func(ctx context.Context) func() tea.Cmd {
		updates, rollbacks, err := site.Installed(ctx)
		return func() tea.Cmd {
			if err == nil {
				l.installed.items, l.rollbacks = newest(withListed(updates, rollbacks.Value)), rollbacks
			}
			return l.listRead(&l.installed.Fetch, err)
		}
	})
}

func (l *lists) readHistory() tea.Cmd {
	l.history.Loading = true
	client := l.Env.Site.Client
	return l.Scope.Work("history", func(ctx context.Context) func() tea.Cmd {
		entries, err := client.Upgrades.History(ctx)
		return func() tea.Cmd {
			if err == nil {
				l.history.items = entries
			}
			return l.listRead(&l.history.Fetch, err)
		}
	})
}

// listRead ends the fetch of a list. Where it failed, the last good one stays.
func (l *lists) listRead(f *views.Fetch, err error) tea.Cmd {
	if f.Loading, f.Err = false, err; err == nil {
		f.Succeeded(l.Env.Clock.Now())
	}
	l.read()
	if !errors.Is(err, adminapi.KindSignIn) {
		return nil
	}
	l.installed.Loading, l.history.Loading = false, false
	return l.Scope.RetryAfterSignIn(err, "list", l.readList)
}

// refresh reads again what is shown.
func (l *lists) refresh() tea.Cmd {
	var list tea.Cmd
	switch {
	case l.upgradeRuns():
	case l.shown == installedList:
		list = l.readInstalled()
	case l.shown == historyList:
		list = l.readHistory()
	}
	return tea.Batch(list, l.readOffers())
}

// changed reports whether the lists look different by the state of the site. After an upgrade the
// site offers other updates: until they are read, what was applicable before is not shown.
func (l *lists) changed() (cmd tea.Cmd, changed bool) {
	before, now := l.drawn, drawn{l.upgradeRuns(), l.Env.State.Mode.Value.ReadOnly}
	if before == now {
		return nil, false
	}
	l.drawn = now
	if !before.runs || now.runs {
		return nil, true
	}
	l.installed.Updated, l.history.Updated, l.fetch.Updated = time.Time{}, time.Time{}, time.Time{}
	l.offer = operation.Offer{}
	return l.readOffers(), true
}

// began discards the offer when an upgrade begins. The other lists are of before it, as their
// times say, and are read again when it has ended.
func (l *lists) began(status adminapi.UpgradeStatus) {
	l.offer, l.rollbacks, l.told = operation.Offer{Status: status}, adminapi.Fact[[]upgrade.Rollback]{}, l.Env.Clock.Now()
}

// notRead says why the list that is shown was not read, nil where it was.
func (l *lists) notRead() []string {
	f, what := l.shownFetch(), [...]string{"what the site offers", "the installed updates", "the history"}[l.shown]
	switch offered := l.shown == offeredList; {
	case l.Env.Offline:
		return []string{"There is no site."}
	case !f.Updated.IsZero():
		return nil
	case f.Loading && !offered, offered && f.Err == nil && f.Unreachable == nil:
		return []string{"Reading " + what + l.inks.Glyphs.Ellipsis}
	case errors.Is(f.Err, adminapi.KindSignIn):
		return []string{"Not signed in: " + what + " could not be read.", "", views.Keys("Press {key:upgrade.refresh} to try again.")}
	case f.Err != nil, f.Unreachable != nil:
		return f.NotRead()
	}
	return []string{"Not read yet: " + what + ".", "", views.Keys("Press {key:upgrade.refresh} to read it.")}
}

// whyEmpty says why the list is empty.
func (l *lists) whyEmpty() []string {
	if lines := l.notRead(); lines != nil {
		return lines
	}
	switch l.shown {
	case installedList:
		return []string{"The site reports no installed updates."}
	case historyList:
		return []string{"No upgrade and no rollback is recorded."}
	}
	return []string{
		"Nothing is offered for " + l.offer.Installed.FullVersion() + ".",
		"", views.Keys("Without internet, press {key:upgrade.import} to import a version manifest."),
	}
}

// installedVersion says what is installed, where that is known.
func (l *lists) installedVersion() string {
	if l.fetch.Updated.IsZero() || l.upgradeRuns() {
		return ""
	}
	installed := "installed " + plain.Line(l.offer.Installed.FullVersion())
	if l.offer.File != "" {
		installed += ", with " + plain.Line(filepath.Base(l.offer.File))
	}
	return installed
}

func (l *lists) busy() string {
	switch {
	case l.fetch.Loading && l.fetch.Unreachable == nil:
		return "reading what is offered"
	case l.installed.Loading:
		return "reading what is installed"
	case l.history.Loading:
		return "reading the history"
	}
	return ""
}
