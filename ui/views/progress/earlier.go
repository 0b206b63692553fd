package progress

import (
	"context"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation/watching"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

// earlier lists the runs of the past where there is none to show.
type earlier struct {
	run         *run
	asked, read bool
	runs        []watching.EarlierRun
	err         error
	installed   adminapi.Update // empty where it could not be read
}

// fetch reads the runs of the past, once, where the site shows none, and anew after a refresh.
func (e *earlier) fetch() tea.Cmd {
	r := e.run
	if !r.nothing() {
		e.asked = false // the list is to have the run that is shown
	}
	if e.asked || r.Env.Offline || r.log == nil || !r.nothing() || r.Env.Upgrade.Started {
		return nil
	}
	e.asked = true
	site := r.Env.Site
	return r.Scope.Work("earlier runs", func(ctx context.Context) func() tea.Cmd {
		runs, err := watching.EarlierRuns(ctx, site)
		installed, _ := site.Client.Upgrades.Current(ctx) // the header tells of a failure
		return views.Call(func() { e.read, e.runs, e.err, e.installed = true, runs, err, installed })
	})
}

// installedLines say what is installed, since when as far as a run tells, and that there was no run.
func (e *earlier) installedLines() (lines []string) {
	k, times := &e.run.inks, e.run.Env.Times.Site()
	line := func(name, text string) { lines = append(lines, k.Label.On(k.Fit(name, labelCells))+text) }
	if version := plain.Clip(e.installed.FullVersion(), 60); version != "" {
		if at := e.installed.Released; !at.IsZero() {
			version += " " + k.Glyphs.Dot + " released " + times.Minute(at.Time())
		}
		line("Installed", version)
		if i := slices.IndexFunc(e.runs, func(r watching.EarlierRun) bool {
			return r.To == e.installed.FullVersion() && r.Took > 0 && strings.HasPrefix(strings.ToLower(r.Result), "succe") // in whose words it may be
		}); i >= 0 {
			line("Since", times.Minute(e.runs[i].Began.Time().Add(e.runs[i].Took)))
		}
	}
	if e.read && e.err == nil && len(e.runs) == 0 {
		line("Last run", "none: the site lists none, and none was watched here")
	}
	return lines
}

// newest names the record of the newest of the runs that was watched here; empty for none.
func (e *earlier) newest() string {
	for _, run := range e.runs {
		if run.Watched {
			return run.Transcript
		}
	}
	return ""
}

// openable reports whether the runs are listed, and one of them was watched here.
func (e *earlier) openable() bool { return e.run.nothing() && e.newest() != "" }

// The columns of the earlier runs; the versions have the rest.
const (
	earlierWhen     = 17
	earlierVersions = 26
	earlierResult   = len("last seen in progress ")
)

// lines draws the runs of the past, as many as there is room for.
func (e *earlier) lines(width, room int) []string {
	k, times := &e.run.inks, e.run.Env.Times.Site()
	switch {
	case e.err != nil && len(e.runs) == 0:
		return e.unreadLines("Earlier runs could not be read: ", width)
	case len(e.runs) == 0 || room < 3:
		return nil
	}
	result := min(earlierResult, width-earlierWhen-earlierVersions-2*timeCells)
	row := func(when, versions, ended, took, readOnly string) string {
		return k.Fit(when, earlierWhen) + k.Fit(versions, earlierVersions) + k.Fit(ended, result) + inColumn(took) + inColumn(readOnly)
	}
	lines := []string{k.Label.On(row("Earlier runs", "", "", "took", "read-only"))}
	var unread []string
	if e.err != nil {
		unread = e.unreadLines("Not all earlier runs could be read: ", width)
	}
	for _, run := range e.runs[:max(0, min(len(e.runs), room-1-len(unread)))] {
		versions := plain.Line(run.To)
		if run.From != "" {
			versions = plain.Line(run.From) + " " + k.Glyphs.Arrow + " " + versions
		}
		took, readOnly := "", ""
		if run.Took > 0 {
			took = views.Seconds(run.Took)
		}
		if run.ReadOnly > 0 {
			readOnly = views.Seconds(run.ReadOnly)
		}
		lines = append(lines, row(times.Minute(run.Began.Time()), versions, plain.Line(run.Result), took, readOnly))
	}
	return append(lines, unread...)
}

// unreadLines say why runs of the past are missing.
func (e *earlier) unreadLines(what string, width int) []string {
	return wrapped(e.run.inks.Warn, what+plain.Line(e.err.Error()), width, 3)
}
