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

// earlier knows the runs of the past where there is none to show; Activity lists them.
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

// lines say what is installed, since when as far as a run tells, and how the last run ended.
func (e *earlier) lines(width int) (lines []string) {
	k, times := &e.run.inks, e.run.Env.Times.Site()
	line := func(name, text string) {
		if text != "" {
			lines = append(lines, k.Label.On(k.Fit(name, labelCells))+text)
		}
	}
	version := plain.Clip(e.installed.FullVersion(), 60)
	if at := e.installed.Released; version != "" && !at.IsZero() {
		version += " " + k.Glyphs.Dot + " released " + times.Minute(at.Time())
	}
	line("Installed", version)
	if i := slices.IndexFunc(e.runs, func(r watching.EarlierRun) bool {
		return version != "" && r.To == e.installed.FullVersion() && r.Took > 0 && strings.HasPrefix(strings.ToLower(r.Result), "succe") // in whose words it may be
	}); i >= 0 {
		line("Since", times.Minute(e.runs[i].Began.Time().Add(e.runs[i].Took)))
	}
	switch {
	case len(e.runs) > 0:
		last := e.runs[0]
		line("Last run", plain.Line(times.Minute(last.Began.Time())+" "+last.Result+": "+last.Name()))
	case e.read && e.err == nil:
		line("Last run", "none: the site lists none, and none was watched here")
	}
	if e.err != nil {
		lines = append(lines, wrapped(k.Warn, "Not all earlier runs could be read: "+plain.Line(e.err.Error()), width, 3)...)
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

// openable reports whether there is none to show, and one of the past was watched here.
func (e *earlier) openable() bool { return e.run.nothing() && e.newest() != "" }
