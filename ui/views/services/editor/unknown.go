package editor

import (
	"context"
	"maps"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

// openRead are the edits of unknown outcome on this machine.
type openRead struct {
	since       map[string]time.Time
	interrupted []operation.InterruptedBatch
	err         error
}

// forgotten is the end of forgetting an interrupted batch.
type forgotten struct{ err error }

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
		interrupted, _ := site.InterruptedBatches() // the start says why they cannot be read
		return openRead{since, interrupted, err}
	})
}

// Interrupted returns the newest batch that its program has left before all of it was sent.
func (d *Drafts) Interrupted() (b operation.InterruptedBatch, is bool) {
	if len(d.interrupted) == 0 {
		return b, false
	}
	return d.interrupted[0], true
}

// Forget deletes what is kept of an interrupted batch.
func (d *Drafts) Forget(b operation.InterruptedBatch) tea.Cmd {
	site := d.Env.Site
	return d.Scope.Write(func(context.Context) tea.Msg { return forgotten{site.ForgetBatch(b)} })
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
	if d.open, d.interrupted = r.since, r.interrupted; r.err != nil {
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
		level := views.Warning
		if e.Done() {
			level = views.Success
		}
		told = append(told, views.Tell(level, plain.Line(e.Record.Subject)+": "+e.Text()+"."))
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
