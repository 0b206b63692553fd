package health

import (
	"context"
	"errors"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation/reporting"
)

// The sizes of pages: a short first one arrives quickly.
const (
	firstPage = 100
	laterPage = 1000
	slowPage  = 25 // over a slow line, where the next one is fetched when its place comes into sight
)

// fetch fetches the list from its first page.
func (l *reportList) fetch() tea.Cmd { return l.read(false) }

// read does so; quietly where nobody has asked for it.
func (l *reportList) read(quiet bool) tea.Cmd {
	l.Loading, l.coming, l.quiet = true, nil, quiet
	return l.request(l.first())
}

// freshen fetches an old list again.
func (l *reportList) freshen(quiet bool) tea.Cmd {
	if l.Env.Offline || !l.Old(l.Env.Clock.Now(), l.Env.Site.Line) {
		return nil
	}
	return l.read(quiet)
}

// first is the first page. Over a slow line it has what was read before, and no more.
func (l *reportList) first() adminapi.ReportQuery {
	num := firstPage
	if l.Env.Site.Line.Slow() {
		num = min(max(slowPage, len(l.site)), laterPage)
	}
	return adminapi.ReportQuery{Start: 1, Num: num}
}

// fetchNext fetches the next page of a list that was not read to its end, once the end of what
// was read is on the screen.
func (l *reportList) fetchNext() tea.Cmd {
	last := 0
	for i := range l.rows.OnScreen() {
		last = i
	}
	if l.next == 0 || l.Loading || l.Unreachable != nil || last < l.rows.All()-1 {
		return nil
	}
	l.Loading = true
	return l.request(adminapi.ReportQuery{Start: l.next, Num: slowPage})
}

// expectations are the pauses after which the list is fetched when an upgrade has ended: the
// platform's own check takes some minutes, and shows in the list at its end.
var expectations = []time.Duration{20 * time.Second, 40 * time.Second, time.Minute, 2 * time.Minute, 4 * time.Minute}

func (l *reportList) expectAfter(step int) tea.Cmd {
	if step == len(expectations) {
		return nil
	}
	return l.Scope.Later(l.Env.Clock, l.Env.Site.Line.Pause(expectations[step]), "expected", func() tea.Cmd {
		return tea.Batch(l.fetch(), l.expectAfter(step+1))
	})
}

// request fetches one page of the list.
func (l *reportList) request(query adminapi.ReportQuery) tea.Cmd {
	reader := l.Env.Site.Reports()
	return l.Scope.Work("reports", func(ctx context.Context) func() tea.Cmd {
		page, err := reader.Page(ctx, query)
		return func() tea.Cmd {
			if l.unlisted = nil; errors.As(err, &l.unlisted) {
				return l.notListed()
			}
			if err != nil {
				return l.FetchFailed(&l.Fetch, err, "reports", func() tea.Cmd { return l.read(l.quiet) })
			}
			return l.addPage(page)
		}
	})
}

// notListed keeps what is known of the reports: the site does not offer its list.
func (l *reportList) notListed() tea.Cmd {
	l.Succeeded(l.Env.Clock.Now())
	l.next = 0
	l.arrange()
	return l.host.followNow()
}

// addPage adds one page. The first fetch shows each page at once; later ones replace the
// list when they are complete.
func (l *reportList) addPage(page adminapi.ReportPage) tea.Cmd {
	known := map[string]bool{}
	for _, s := range l.coming {
		known[s.ID] = true
	}
	for _, s := range page.Runs {
		if !known[s.ID] {
			l.coming = append(l.coming, s)
			known[s.ID] = true
		}
	}
	slow := l.Env.Site.Line.Slow()
	if l.Updated.IsZero() || l.Kept || slow || page.Last() || len(l.site) < len(l.coming) {
		l.site = slices.Clone(l.coming)
		reporting.NewestFirst(l.site)
	}
	kept := l.Kept
	l.Succeeded(l.Env.Clock.Now())
	l.arrange()
	var more tea.Cmd
	l.Loading, l.next = false, 0
	switch {
	case page.Last():
	case slow:
		l.next = page.NextStart
		more = l.fetchNext()
	default:
		l.Loading = true
		more = l.request(adminapi.ReportQuery{Start: page.NextStart, Num: laterPage})
	}
	more = tea.Batch(more, l.host.followNow())
	if kept {
		return tea.Batch(l.host.forgetKept(), more)
	}
	return more
}

// tooOld reports whether the site has no health checks.
func (l *reportList) tooOld() bool { return errors.Is(l.Err, adminapi.KindVersionTooOld) }
