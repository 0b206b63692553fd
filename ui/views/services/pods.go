package services

import (
	"context"
	"errors"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/ui/views"
)

// podsFollowed is how pods come back after a change of their rules. It goes on until
// the page is left.
type podsFollowed struct {
	watch   *operation.PodsWatch
	reading operation.PodsReading
	since   map[string]podsSince // by the id of the deployment
	away    *views.Away
	over    bool // asking again tells nothing
}

// podsSince is since when a deployment stands as it does.
type podsSince struct {
	ready bool
	when  time.Time
	began bool // that began then: it was otherwise before
}

// followed tells whether the site is still asked.
func (f *podsFollowed) followed() bool { return f != nil && !f.over }

// followPods begins to follow the pods of the deployments whose rules were changed.
func (m *Model) followPods() tea.Cmd {
	w := m.way
	var ids []string
	for _, move := range w.moves {
		if move.After.DeploymentID != "" {
			ids = append(ids, move.After.DeploymentID)
		}
	}
	if len(ids) == 0 || w.pods != nil {
		return nil
	}
	w.pods = &podsFollowed{watch: m.env.Site.WatchPods(ids), since: map[string]podsSince{}}
	return m.nextPods(0)
}

// nextPods reads once after a while: one request at a time.
func (m *Model) nextPods(wait time.Duration) tea.Cmd {
	f := m.way.pods
	return m.scope.After(m.env.Clock, wait, "pods", func(ctx context.Context) tea.Msg {
		reading, wait, away := f.watch.Next(ctx)
		return podsRead{f, reading, wait, away}
	})
}

// podsRead is one reading.
type podsRead struct {
	of      *podsFollowed
	reading operation.PodsReading
	wait    time.Duration
	away    error
}

func (r podsRead) apply(m *Model) tea.Cmd {
	f := r.of
	if m.way == nil || m.way.pods != f {
		return nil
	}
	now := m.env.Clock.Now()
	f.take(r.reading)
	switch {
	case r.away == nil:
		f.away = nil
	default:
		f.away = views.StillAway(f.away, now, r.wait, r.away)
	}
	f.over = r.wait <= 0
	m.place()
	switch err := r.refusal(); {
	case errors.Is(err, adminapi.KindSignIn):
		f.over = true
		return m.scope.SignInFirst(err, "pods", func() tea.Cmd {
			if m.way == nil || m.way.pods != f {
				return nil
			}
			f.over = false
			return m.nextPods(0)
		})
	case f.over:
		return nil
	}
	return m.nextPods(r.wait)
}

// refusal is why the site does not tell.
func (r podsRead) refusal() error {
	if r.away != nil {
		return r.away
	}
	return r.reading.Refused()
}

// take notes since when each deployment stands as it does.
func (f *podsFollowed) take(reading operation.PodsReading) {
	f.reading = reading
	if reading.At.IsZero() {
		return // nothing was told yet
	}
	for _, d := range reading.Deployments {
		before, known := f.since[d.ID]
		if d.Err != nil || known && before.ready == d.AllReady() {
			continue
		}
		f.since[d.ID] = podsSince{d.AllReady(), reading.At, known}
	}
}
