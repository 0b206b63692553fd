package editor

import (
	"context"
	"maps"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/batching"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

// LoadOpen reads which edits have an unknown outcome.
func (d *Drafts) LoadOpen() tea.Cmd { return d.ThenOpen(func() tea.Cmd { return nil }) }

// ThenOpen is LoadOpen, with what follows it.
func (d *Drafts) ThenOpen(then func() tea.Cmd) tea.Cmd {
	site, before := d.Env.Site, d.open
	if site.Memory.Journal == nil {
		return nil
	}
	return d.Scope.Do("outcomes", func(context.Context) tea.Msg {
		since, err := site.Memory.OpenEdits()
		if err != nil { // what was unknown is so until the record says otherwise
			maps.Copy(since, before)
		}
		interrupted, _ := batching.AllInterrupted(site.Memory) // the start says why they cannot be read
		return views.Retry{Do: func() tea.Cmd {
			if d.open, d.interrupted = since, interrupted; err != nil {
				return tea.Batch(views.TellError(err), then())
			}
			return then()
		}}
	})
}

// Interrupted returns the newest batch that its program has left before all of it was sent.
func (d *Drafts) Interrupted() (b batching.Interrupted, is bool) {
	if len(d.interrupted) == 0 {
		return b, false
	}
	return d.interrupted[0], true
}

// InterruptedBy returns the batch of a plan that its program has left.
func (d *Drafts) InterruptedBy(plan string) (b batching.Interrupted, is bool) {
	at := slices.IndexFunc(d.interrupted, func(b batching.Interrupted) bool { return b.Plan == plan })
	if at < 0 {
		return b, false
	}
	return d.interrupted[at], true
}

// Forget deletes what is kept of an interrupted batch.
func (d *Drafts) Forget(b batching.Interrupted) tea.Cmd {
	site := d.Env.Site
	return d.Scope.Write(func(context.Context) tea.Msg {
		err := batching.Forget(site.Memory, b)
		return views.Retry{Do: func() tea.Cmd {
			if err != nil {
				return tea.Batch(d.LoadOpen(), views.TellError(err))
			}
			return tea.Batch(d.LoadOpen(), views.Tell(views.Info, "Forgotten. What was sent before stays in the record."))
		}}
	})
}

// Look looks at the site for the outcomes that are unknown, where there are any.
func (d *Drafts) Look() tea.Cmd {
	site := d.Env.Site
	if len(d.open) == 0 || site.Memory.Journal == nil || site.Client == nil {
		return d.LoadOpen()
	}
	return d.Scope.Do("look", func(ctx context.Context) tea.Msg { // which no LoadOpen ends
		found, err := site.ResolveWrites(ctx)
		return views.Retry{Do: func() tea.Cmd { return d.looked(found, err) }}
	})
}

// looked says what was found of the edits of unknown outcome at the site.
func (d *Drafts) looked(found []operation.EarlierWrite, err error) tea.Cmd {
	told := []tea.Cmd{d.LoadOpen()}
	if err != nil {
		told = append(told, views.TellError(err))
	}
	for _, e := range found {
		level := views.Warning
		if e.Done() {
			level = views.Success
		}
		told = append(told, views.Tell(level, plain.Line(e.Record.Subject)+": "+e.Text()+"."))
	}
	return tea.Batch(told...)
}

// Unknown says in a few words that the outcome of an edit of a target is unknown, and since
// when; empty where it is not.
func (d *Drafts) Unknown(target editing.Target) string {
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
	if len(d.open) == 0 {
		return since // of each of thousands of services
	}
	for _, part := range parts {
		if at := d.open[part.Of(path)]; at.After(since) {
			since = at
		}
	}
	return since
}
