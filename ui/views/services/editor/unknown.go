package editor

import (
	"context"
	"maps"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

// openRead are the edits of unknown outcome on this machine.
type openRead struct {
	since map[string]time.Time
	err   error
}

// looked is what was found of them at the site.
type looked struct {
	found []operation.EarlierWrite
	err   error
}

// LoadOpen reads which edits have an unknown outcome.
func (d *Drafts) LoadOpen() tea.Cmd {
	site, before := d.Env.Site, d.open
	if site.Journal == nil {
		return nil
	}
	return d.Scope.Do("outcomes", func(context.Context) tea.Msg {
		since, err := site.OpenEdits()
		if err != nil { // what was unknown is so until the record says otherwise
			maps.Copy(since, before)
		}
		return openRead{since, err}
	})
}

// Look looks at the site for the outcomes that are unknown, where there are any.
func (d *Drafts) Look() tea.Cmd {
	site := d.Env.Site
	if len(d.open) == 0 || site.Journal == nil || site.Client == nil {
		return d.LoadOpen()
	}
	return d.Scope.Do("look", func(ctx context.Context) tea.Msg { // which no LoadOpen ends
		found, err := site.ResolveWrites(ctx)
		return looked{found, err}
	})
}

func (d *Drafts) openRead(r openRead) tea.Cmd {
	if d.open = r.since; r.err != nil {
		return views.TellError(r.err)
	}
	return nil
}

func (d *Drafts) looked(r looked) tea.Cmd {
	told := []tea.Cmd{d.LoadOpen()}
	if r.err != nil {
		told = append(told, views.TellError(r.err))
	}
	for _, e := range r.found {
		text := plain.Line(e.Record.Subject) + ": outcome still unknown: " + e.How + "."
		level := views.Warning
		switch e.Outcome {
		case adminapi.OutcomeUnknown:
		case adminapi.OutcomeDone:
			level = views.Success
			fallthrough
		default:
			text = plain.Line(e.Record.Subject) + ": " + e.Outcome.String() + ": " + e.How + "."
		}
		told = append(told, views.Tell(level, text))
	}
	return views.Batch(told...)
}

// Unknown says in a few words that the outcome of an edit of a target is unknown, and since
// when; empty where it is not.
func (d *Drafts) Unknown(target operation.Target) string {
	if since, is := d.open[target.String()]; is {
		return "outcome unknown since " + d.Env.Times.Clock(since)
	}
	return ""
}

// UnknownOf is [Drafts.Unknown] for any part of the service at a path.
func (d *Drafts) UnknownOf(path string) string {
	if since := d.UnknownSince(path); !since.IsZero() {
		return "outcome unknown since " + d.Env.Times.Clock(since)
	}
	return ""
}

// UnknownSince is when an edit of any part of the service at a path was sent whose outcome is
// unknown; zero for none.
func (d *Drafts) UnknownSince(path string) (since time.Time) {
	if len(d.open) > 0 {
		for _, part := range parts {
			if at, is := d.open[part.Of(path)]; is && at.After(since) {
				since = at
			}
		}
	}
	return since
}
