package services

import (
	"context"
	"errors"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/ui/views"
)

// podsFollowed is how the pods of deployments of the open service stand. It goes on
// until the service is left, they are settled, or nothing changes for long.
type podsFollowed struct {
	service adminapi.ServiceRef
	edited  bool            // their rules were changed just before
	nowhere map[string]bool // by id: no node takes them, as was confirmed with the rules
	watch   *operation.PodsWatch
	reading operation.PodsReading
	since   map[string]podsSince // by the id of the deployment
	same    int                  // readings, one after the other, that told the same
	changed time.Time            // when they told something else last
	away    *views.Away
	over    bool // the site is not asked any more
}

// podsSince is since when a deployment stands as it does.
type podsSince struct {
	ready bool
	when  time.Time
	began bool // that began then: it was otherwise before
}

const (
	// podsSettled is how many equal readings in which all pods answer end the asking:
	// for a moment the old ones answer as well.
	podsSettled = 8
	// podsIdle is how long the site is asked while nothing changes.
	podsIdle = 30 * time.Minute
)

// followed tells whether the site is still asked.
func (f *podsFollowed) followed() bool { return f != nil && !f.over }

// followPods begins to follow the pods of the deployments whose rules were changed.
func (m *Model) followPods() tea.Cmd {
	w := m.way
	var ids []string
	nowhere := map[string]bool{}
	for _, move := range w.reviewed().Moves {
		if id := move.After.DeploymentID; id != "" {
			ids = append(ids, id)
			nowhere[id] = move.To.None()
		}
	}
	if len(ids) == 0 || w.pods != nil {
		return nil
	}
	w.pods = m.newPods(w.target().Service, ids)
	w.pods.edited, w.pods.nowhere = true, nowhere
	return m.nextPods(0)
}

// newPods takes the place of what was followed before.
func (m *Model) newPods(service adminapi.ServiceRef, ids []string) *podsFollowed {
	m.pods = &podsFollowed{service: service, watch: m.env.Site.WatchPods(ids), since: map[string]podsSince{}, changed: m.env.Clock.Now()}
	return m.pods
}

// podsAgain follows on where nothing was asked any more.
func (m *Model) podsAgain() tea.Cmd {
	f := m.pods
	if f == nil || !f.over {
		return nil
	}
	f.over, f.same, f.changed = false, 0, m.env.Clock.Now()
	m.place()
	return m.nextPods(0)
}

// nextPods reads once after a while: one request at a time.
func (m *Model) nextPods(wait time.Duration) tea.Cmd {
	f := m.pods
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
	if m.pods != f {
		return nil
	}
	now := m.env.Clock.Now()
	moved := f.take(r.reading, r.away == nil, now)
	switch {
	case r.away == nil:
		f.away = nil
	default:
		f.away = views.StillAway(f.away, now, r.wait, r.away)
	}
	f.over = r.wait <= 0 || f.settled() || now.Sub(f.changed) >= podsIdle
	m.place()
	var state tea.Cmd
	if moved || f.over && r.away == nil {
		state = m.podsState(f.service)
	}
	switch err := r.refusal(); {
	case errors.Is(err, adminapi.KindSignIn):
		f.over = true
		return m.scope.RetryAfterSignIn(err, "pods", func() tea.Cmd {
			if m.pods != f {
				return nil
			}
			return m.podsAgain()
		})
	case f.over:
		return state
	}
	return tea.Batch(state, m.nextPods(r.wait))
}

// podsState has the state of the service read again: it follows from that of its pods.
func (m *Model) podsState(service adminapi.ServiceRef) tea.Cmd {
	m.restarts(service)
	return m.askStates([]adminapi.ServiceRef{service})
}

// refusal is why the site does not tell.
func (r podsRead) refusal() error {
	if r.away != nil {
		return r.away
	}
	return r.reading.Refused()
}

// settled tells whether all pods have answered for long enough.
func (f *podsFollowed) settled() bool { return f.reading.Ready() && f.same >= podsSettled }

// take notes since when each deployment stands as it does, and tells whether other pods
// answer than was known.
func (f *podsFollowed) take(reading operation.PodsReading, fresh bool, now time.Time) (moved bool) {
	before := f.reading
	f.reading = reading
	if !fresh || reading.At.IsZero() {
		return false // nothing was told
	}
	if f.same++; !slices.EqualFunc(before.Deployments, reading.Deployments, samePods) {
		f.same, f.changed, moved = 1, now, true
	}
	for _, d := range reading.Deployments {
		before, known := f.since[d.ID]
		if d.Err != nil || known && before.ready == d.AllReady() {
			continue
		}
		f.since[d.ID] = podsSince{d.AllReady(), reading.At, known}
	}
	return moved
}

// samePods tells whether a deployment stands as before, as far as is told.
func samePods(a, b operation.DeploymentPods) bool {
	return a.ReadyReplicas == b.ReadyReplicas && a.TotalReplicas == b.TotalReplicas && a.State == b.State && (a.Err == nil) == (b.Err == nil)
}
