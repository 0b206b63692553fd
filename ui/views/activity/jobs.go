package activity

import (
	"context"
	"errors"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/watching"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
)

// How often the jobs are read while the view is shown: faster while one runs.
const (
	runningPause = 2 * time.Second
	// shownFor is how long a view counts as shown after it was last said to be.
	shownFor = 12 * time.Second
	// freshFor is how long jobs that were read are not read again by themselves.
	freshFor = 5 * time.Second
)

// jobList is the list of the site's jobs.
type jobList struct {
	child
	views.Fetch

	rows  *rows.List[string]
	order int
	items *jobRows
	table *operation.JobTable // nil before the first answer
	runs  []watching.EarlierRun
	short bool // not all of these could be read, which was told
	newest
	until time.Time // the view counts as shown
	asked bool      // the user waits for the answer: a sign-in may be asked for
	moved bool      // the cursor has rested since jobs were read for the screen
}

// newest is the newest run of the site, as it was when all of them were read.
type newest struct {
	began   adminapi.Millis
	meaning progress.State
	read    bool
}

// fetchRuns reads the upgrades, once while the newest of them is the same.
func (l *jobList) fetchRuns() tea.Cmd {
	p := l.Env.State.Upgrade.Value.Progress
	if now := (newest{p.Began, p.Meaning, true}); l.Env.Offline || l.newest == now {
		return nil
	} else {
		l.newest = now
	}
	site := l.Env.Site
	return l.Scope.Work("upgrades", func(ctx context.Context) func() tea.Cmd {
		runs, err := watching.Runs(ctx, site, p)
		return func() tea.Cmd {
			l.newest.read = err == nil // else they are read again with the jobs
			at, _ := l.rows.Selected()
			first := l.runs == nil && at == 0 // they come after the jobs, and the newest may be one
			l.runs = runs
			if l.arrange(); first {
				l.rows.GoTop()
			}
			told := l.short
			l.short = err != nil
			if err == nil || told || adminapi.IsTransient(err) || p.Meaning == progress.StateRunning { // a site that upgrades tells no history
				return nil
			}
			if errors.Is(err, adminapi.KindNotFound) && adminapi.IsNotOffered(err) {
				return views.Tell(views.Info, "This site does not offer its history of upgrades.")
			}
			return views.TellFailed("Not all upgrades could be read", err)
		}
	})
}

// jobsRead is the answer to a read of the jobs.
type jobsRead struct {
	table *operation.JobTable
	err   error
}

// focus reads the jobs where they are old, because the user shows the view.
func (l *jobList) focus() tea.Cmd {
	if l.Err != nil {
		return l.refresh()
	}
	read := l.freshen()
	l.asked = l.asked || read != nil
	return read
}

// freshen reads the jobs where they are old, because the view is still shown.
func (l *jobList) freshen() tea.Cmd {
	now := l.Env.Clock.Now()
	l.until = now.Add(l.Env.Site.Line.Pause(shownFor))
	switch {
	case l.Err != nil, l.Loading && l.Unreachable == nil, l.Unreachable != nil && now.Before(l.Unreachable.Next),
		!l.Updated.IsZero() && l.Unreachable == nil && now.Sub(l.Updated) < freshFor:
		return nil
	}
	return l.fetch()
}

// refresh reads the jobs at once, because the user asks for it.
func (l *jobList) refresh() tea.Cmd {
	l.until = l.Env.Clock.Now().Add(l.Env.Site.Line.Pause(shownFor))
	l.asked = true
	return l.fetch()
}

// fetch reads the jobs, and those of the screen that were not read yet.
func (l *jobList) fetch() tea.Cmd {
	if l.Env.Offline {
		return nil
	}
	l.Loading = true
	site, table, wanted := l.Env.Site, l.table, l.unread()
	return l.Scope.Do("jobs", func(ctx context.Context) tea.Msg {
		read, err := site.RefreshJobs(ctx, table, wanted)
		return jobsRead{read, err}
	})
}

// rested reads the jobs that the cursor has brought onto the screen.
func (l *jobList) rested() tea.Cmd {
	l.moved = true
	return l.fetchShown()
}

// fetchShown reads the jobs that have come onto the screen and were not read yet.
func (l *jobList) fetchShown() tea.Cmd {
	if l.Unreachable != nil || l.Err != nil || l.table == nil {
		return nil
	}
	if wanted := l.unread(); len(wanted) > 0 && !l.Loading {
		return l.fetch()
	}
	return nil
}

// unread are the jobs on the screen that were not read yet.
func (l *jobList) unread() (ids []string) {
	if l.table == nil {
		return nil
	}
	for i := range l.rows.OnScreen() {
		if !l.items.list[i].read {
			ids = append(ids, l.items.list[i].id)
		}
	}
	return ids
}

// Update takes the jobs that were read, and reads them again soon while one runs.
func (l *jobList) Update(r jobsRead) tea.Cmd {
	now := l.Env.Clock.Now()
	if r.table != nil && r.table != l.table {
		l.table = r.table
		l.arrange()
	}
	if r.err != nil {
		return l.failed(now, r.err)
	}
	l.Succeeded(now)
	l.asked = false
	if l.moved { // once: what is read may bring others onto the screen
		l.moved = false
		if more := l.fetchShown(); more != nil {
			return more
		}
	}
	if l.table.Running() > 0 && now.Before(l.until) {
		return l.after(l.Env.Site.Line.Pause(runningPause))
	}
	return nil
}

// after reads the jobs after a pause. A read that comes before takes its place.
func (l *jobList) after(pause time.Duration) tea.Cmd {
	return l.Scope.Later(l.Env.Clock, pause, "jobs", l.fetch)
}

func (l *jobList) failed(now time.Time, err error) tea.Cmd {
	if errors.Is(err, adminapi.KindCancelled) {
		l.Loading = false
		return nil
	}
	first, asked := l.Updated.IsZero(), l.asked
	if wait := l.Failed(now, l.Env.Site.Line, err); wait > 0 {
		if now.Add(wait).Before(l.until) {
			return l.after(wait)
		}
		l.Loading = false // the view reads again once it is shown
		return nil
	}
	l.asked = false
	switch {
	case !asked: // the frame says it
		return nil
	case errors.Is(err, adminapi.KindSignIn):
		return l.Scope.RetryAfterSignIn(err, "jobs", l.refresh)
	case first: // the screen says it
		return nil
	}
	return views.TellError(err)
}

// arrange updates the rows.
func (l *jobList) arrange() {
	l.items = newJobRows(&l.child, l.table, l.runs, l.order)
	l.rows.Steady(func() { l.rows.Set(l.items) })
}

// selected returns the job under the cursor.
func (l *jobList) selected() (row jobRow, ok bool) {
	i, ok := l.rows.Selected()
	if ok {
		row = l.items.list[i]
	}
	return row, ok
}

func (l *jobList) emptyText() []string {
	switch {
	case l.Env.Offline:
		return []string{"There is no site.", "", "Jobs belong to a site."}
	case errors.Is(l.Err, adminapi.KindSignIn):
		return []string{"Not signed in: the jobs could not be read.", "", views.Keys("Press {key:activity.refresh} to refresh.")}
	case l.Err != nil, l.Unreachable != nil:
		return l.NotRead()
	case l.Updated.IsZero():
		return []string{"Reading the jobs" + l.inks.Glyphs.Ellipsis}
	}
	return []string{"The site has no jobs.", "", "Health checks, edits, and starts and stops of services appear here. So do upgrades."}
}
