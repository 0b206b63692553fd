package cluster

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/views/rows"
)

// Pods follows how the pods of the open service stand: of one set of deployments at a
// time.
type Pods struct {
	views.Base
	// Changed is called where other pods answer than was known: the state of the
	// service follows from that of its pods.
	Changed func(adminapi.ServiceRef) tea.Cmd

	now *Following
}

// Following is how the pods of some deployments stand. It goes on until the service is
// left, they are settled, or nothing changes for long.
type Following struct {
	env     *views.Env
	service adminapi.ServiceRef
	edited  bool            // their rules were changed just before
	nowhere map[string]bool // by id: no node takes them, as was confirmed with the rules
	watch   *operation.PodsWatch
	reading operation.PodsReading
	since   map[string]podsSince // by the id of the deployment
	same    int                  // snapshots, one after the other, that told the same
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
	// podsSettled is how many equal snapshots in which all pods answer end the polling:
	// for a moment the old ones answer as well.
	podsSettled = 8
	// podsIdle is how long the site is polled while nothing changes.
	podsIdle = 30 * time.Minute
	// longWait is how long pods are not all ready before it is said what may be the reason.
	longWait = 2 * time.Minute
)

// Now is what is followed, or was followed last; nil for nothing.
func (p *Pods) Now() *Following { return p.now }

// Forget stops following.
func (p *Pods) Forget() {
	p.now = nil
	p.Scope.Forget("pods")
}

// FollowMoves follows the deployments whose rules were changed; nil where there are none.
func (p *Pods) FollowMoves(service adminapi.ServiceRef, moves []operation.Move) (*Following, tea.Cmd) {
	var ids []string
	nowhere := map[string]bool{}
	for _, move := range moves {
		if id := move.After.DeploymentID; id != "" {
			ids = append(ids, id)
			nowhere[id] = move.To.None()
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	cmd := p.follow(service, ids)
	p.now.edited, p.now.nowhere = true, nowhere
	return p.now, cmd
}

// Follow follows some deployments. What was known to be nowhere stays known.
func (p *Pods) Follow(service adminapi.ServiceRef, ids []string) tea.Cmd {
	nowhere := map[string]bool{}
	if p.now != nil {
		nowhere = p.now.nowhere
	}
	cmd := p.follow(service, ids[:min(len(ids), MaxDeployments)])
	p.now.nowhere = nowhere
	return cmd
}

// follow takes the place of what was followed before.
func (p *Pods) follow(service adminapi.ServiceRef, ids []string) tea.Cmd {
	p.now = &Following{env: p.Env, service: service, watch: p.Env.Site.WatchPods(ids), since: map[string]podsSince{}, changed: p.Env.Clock.Now()}
	return p.next(0)
}

// Resume follows on where the site was not asked any more.
func (p *Pods) Resume() tea.Cmd {
	f := p.now
	if f == nil || !f.over {
		return nil
	}
	f.over, f.same, f.changed = false, 0, p.Env.Clock.Now()
	return p.next(0)
}

// next reads once after a while: one request at a time.
func (p *Pods) next(wait time.Duration) tea.Cmd {
	f := p.now
	return p.Scope.After(p.Env.Clock, wait, "pods", func(ctx context.Context) tea.Msg {
		reading, wait, away := f.watch.Next(ctx)
		return PodsRead{f, reading, wait, away}
	})
}

// PodsRead is one snapshot, for [Pods.Update].
type PodsRead struct {
	of      *Following
	reading operation.PodsReading
	wait    time.Duration
	away    error
}

// Update takes a snapshot.
func (p *Pods) Update(r PodsRead) tea.Cmd {
	f := r.of
	if p.now != f {
		return nil
	}
	now := p.Env.Clock.Now()
	moved := f.take(r.reading, r.away == nil, now)
	if r.away == nil {
		f.away = nil
	} else {
		f.away = views.StillAway(f.away, now, r.wait, r.away)
	}
	f.over = r.wait <= 0 || f.settled() || now.Sub(f.changed) >= podsIdle
	var state tea.Cmd
	if moved || f.over && r.away == nil {
		state = p.Changed(f.service)
	}
	refused := r.away
	if refused == nil {
		refused = r.reading.Refused()
	}
	switch {
	case errors.Is(refused, adminapi.KindSignIn):
		f.over = true
		return p.Scope.RetryAfterSignIn(refused, "pods", func() tea.Cmd {
			if p.now != f {
				return nil
			}
			return p.Resume()
		})
	case f.over:
		return state
	}
	return tea.Batch(state, p.next(r.wait))
}

// Followed reports whether the site is still asked.
func (f *Following) Followed() bool { return f != nil && !f.over }

// Over reports whether it was asked, and is not any more.
func (f *Following) Over() bool { return f != nil && f.over }

// Updated is when the last snapshot was taken, and since when the site is unreachable.
func (f *Following) Updated() (time.Time, *views.Away) { return f.reading.At, f.away }

// settled reports whether all pods have answered for long enough.
func (f *Following) settled() bool { return f.reading.Ready() && f.same >= podsSettled }

// take notes since when each deployment stands as it does, and reports whether other
// pods answer than was known.
func (f *Following) take(reading operation.PodsReading, fresh bool, now time.Time) (moved bool) {
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

// samePods reports whether a deployment stands as before, as far as is told.
func samePods(a, b operation.DeploymentPods) bool {
	return a.ReadyReplicas == b.ReadyReplicas && a.TotalReplicas == b.TotalReplicas && a.State == b.State && (a.Err == nil) == (b.Err == nil)
}

// Note says in a few words how many pods answer, while that is followed.
func (f *Following) Note(k *rows.Inks) string {
	if !f.Followed() || f.reading.At.IsZero() {
		return ""
	}
	ready, total := 0, 0
	for _, d := range f.reading.Deployments {
		ready, total = ready+d.ReadyReplicas, total+d.TotalReplicas
	}
	ink := k.Running
	if f.reading.Ready() {
		ink = k.OK
	}
	return ink.On("pods: " + strconv.Itoa(ready) + " of " + strconv.Itoa(total) + " ready")
}

// Write says how the pods stand.
func (f *Following) Write(p *rows.Page) {
	if f == nil {
		return
	}
	k := p.Inks
	p.Heading("Pods")
	if f.reading.At.IsZero() {
		p.Signed(k.Glyphs.Running, k.Running, "Asking how they stand")
	} else {
		for _, d := range f.reading.Deployments {
			f.writeDeployment(p, d)
		}
	}
	if err := f.reading.Refused(); err != nil {
		said := "How the pods stand is not seen here."
		if f.edited {
			said = "How the pods come back is not seen here. The change itself is at the site."
		}
		p.Text(k.Plain, said)
		return
	}
	if f.away != nil && !f.over {
		p.Signed(k.Glyphs.Warn, k.Warn, "The site does not tell at present, and is asked again: "+views.Sentence(f.away.Err.Error()))
	}
	if !f.reading.At.IsZero() || f.over {
		p.Text(k.Muted, f.readText())
	}
}

// readText says of when the snapshot is, and whether others follow.
func (f *Following) readText() string {
	read := ""
	if !f.reading.At.IsZero() {
		read = "Read " + f.env.Times.Clock(f.reading.At) + ". "
	}
	switch {
	case f.settled():
		return read + strconv.Itoa(f.same) + " readings say the same: the site is not asked any more."
	case f.over && f.away == nil:
		return read + "Nothing changes: the site is not asked any more."
	case f.over:
		return read + "The site is not asked at present."
	case f.edited && f.reading.Ready():
		return read + "It is asked on for a while: a pod that answers may be one from before the change."
	}
	return read + "It is asked again by itself."
}

// writeDeployment says how the pods of one deployment stand.
func (f *Following) writeDeployment(p *rows.Page, d operation.DeploymentPods) {
	k := p.Inks
	name := plain.Line(d.Name)
	if name == "" {
		name = plain.Line(d.ID)
	}
	told := strconv.Itoa(d.ReadyReplicas) + " of " + strconv.Itoa(d.TotalReplicas) + " ready"
	state := ""
	if d.State != "" {
		state = ", " + plain.Line(d.State)
	}
	since, began := f.since[d.ID], ""
	if since.began {
		began = " since " + f.env.Times.Clock(since.when)
	}
	switch {
	case d.Err != nil && d.TotalReplicas > 0:
		p.Signed(k.Glyphs.Unknown, k.Unknown, name+": "+told+state+" when it was told last. "+views.Sentence(d.Err.Error()))
	case d.Err != nil:
		p.Signed(k.Glyphs.Unknown, k.Unknown, name+": the site does not tell. "+views.Sentence(d.Err.Error()))
	case d.AllReady():
		p.Signed(k.Glyphs.Pass, k.OK, name+": "+told+state)
		answer := "All " + strconv.Itoa(d.TotalReplicas) + " pods answer"
		if d.TotalReplicas == 1 {
			answer = "Its pod answers"
		}
		p.Indented(k.OK, "  ", answer+began)
	case d.TotalReplicas == 0:
		p.Signed(k.Glyphs.Skipped, k.Muted, name+": "+told+state+"; it has no pods, such as those of a stopped service")
	default:
		if !since.began {
			began = " since " + f.env.Times.Clock(since.when) + " or before"
		}
		p.Signed(k.Glyphs.Running, k.Running, name+": "+told+began+state)
		f.writeWaiting(p, d)
	}
}

// writeWaiting says why pods do not come back: that no node takes them was known when
// the rules were sent; else it is a guess once it takes long.
func (f *Following) writeWaiting(p *rows.Page, d operation.DeploymentPods) {
	wait := f.env.Clock.Now().Sub(f.since[d.ID].when)
	switch {
	case f.nowhere[d.ID]:
		p.Indented(p.Inks.Warn, "  ", "No node takes these pods, as was confirmed before the rules were sent: they wait (Pending) until one does.")
	case wait >= longWait:
		p.Indented(p.Inks.Warn, "  ", "Not all ready for "+strconv.Itoa(int(wait.Minutes()))+" minutes: they may wait for a node (Pending).")
	default:
		return
	}
	p.Indented(p.Inks.Plain, "  ", "What can be done: correct the rules on the tab Placement, restore the ones from before on the tab History, "+
		"or label or untaint a node. That labels and taints fit is not all: a node also needs room.")
}
