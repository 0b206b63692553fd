package cluster

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation/availability"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/operation/polling"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
)

// Pods follows how many pods of the open service are ready: of one set of deployments at a
// time.
type Pods struct {
	views.Base
	// Changed is called with every snapshot; moved where the number of ready pods changed,
	// from which the state of the service follows.
	Changed func(service adminapi.ServiceRef, now availability.Snapshot, moved bool) tea.Cmd

	now *Following
}

// Following polls the pods of some deployments until the service is left, they are
// settled, or nothing changes for long.
type Following struct {
	env     *views.Env
	service adminapi.ServiceRef
	edited  bool // the service was changed just before
	began   time.Time
	nowhere map[string]bool // by id: no node takes them, as was confirmed with the rules
	poller  *availability.Poller
	poll    *views.Poll[availability.Snapshot]
	reading availability.Snapshot
	since   map[string]podsSince // by the id of the deployment
	away    *views.Unreachable
	over    bool // polling has ended
}

// podsSince is since when the pods of a deployment are ready, or not.
type podsSince struct {
	ready bool
	when  time.Time
	began bool // the change was seen
}

// longWait is how long pods are not all ready before a likely reason is shown.
const longWait = 2 * time.Minute

// RefreshRow is the command that follows pods once more where it has ended; drawn follows it.
func (p *Pods) RefreshRow(shown func() bool, drawn func()) views.Command {
	return views.Command{ID: "services.pods-again", Key: "R f5", Word: "refresh", Name: "refresh pods", Group: "Placement", Shown: shown,
		Run: func() tea.Cmd {
			cmd := p.resume()
			drawn()
			return cmd
		},
		Help: "Refresh how many pods of each deployment are ready. Sends nothing."}
}

// Now is what is polled, or was polled last; nil for nothing.
func (p *Pods) Now() *Following { return p.now }

// forget stops following.
func (p *Pods) forget() {
	p.now = nil
	p.Scope.Forget("pods")
}

// FollowEdit follows a service after an edit of it: its state, and the pods of the deployments
// that the edit names or moves.
func (p *Pods) FollowEdit(edit editing.Edit, moves []editing.Move) (*Following, tea.Cmd) {
	var ids []string
	nowhere := map[string]bool{}
	for _, move := range moves {
		if id := move.After.DeploymentID; id != "" {
			ids = append(ids, id)
			nowhere[id] = move.To.Stuck()
		}
	}
	if edit.Part == editing.Definition {
		ids = editing.DeploymentsOf(edit.Part, edit.Edited)
	}
	cmd := p.follow(edit.Service, p.Env.Site.Availability().Poll(edit.Service, ids))
	p.now.edited, p.now.nowhere = true, nowhere
	return p.now, cmd
}

// ForgetOthers stops following what is not of a service.
func (p *Pods) ForgetOthers(service adminapi.ServiceRef) {
	if p.now != nil && p.now.service.Path() != service.Path() {
		p.forget()
	}
}

// Leave stops following where the user only looked; after an edit it goes on.
func (p *Pods) Leave() {
	if !p.now.Followed() || !p.now.edited {
		p.forget()
	}
}

// Follow follows some deployments. What was known to be nowhere stays known.
func (p *Pods) Follow(service adminapi.ServiceRef, ids []string) tea.Cmd {
	nowhere := map[string]bool{}
	if p.now != nil {
		nowhere = p.now.nowhere
	}
	cmd := p.follow(service, p.Env.Site.Availability().PollPods(ids[:min(len(ids), MaxDeployments)]))
	p.now.nowhere = nowhere
	return cmd
}

// follow takes the place of what was followed before.
func (p *Pods) follow(service adminapi.ServiceRef, poller *availability.Poller) tea.Cmd {
	f := &Following{env: p.Env, service: service, began: p.Env.Clock.Now(), poller: poller, since: map[string]podsSince{}}
	f.poll = views.NewPoll(p.Scope, p.Env.Clock, "pods", f.poller, func(step polling.Step[availability.Snapshot], err error) tea.Msg {
		return PodsRead{f, step, err}
	})
	p.now = f
	return f.poll.Now()
}

// resume polls again after the end.
func (p *Pods) resume() tea.Cmd {
	f := p.now
	if f == nil || !f.over {
		return nil
	}
	f.over = false
	f.poller.Restart()
	return f.poll.Now()
}

// PodsRead is one snapshot, for [Pods.Update].
type PodsRead struct {
	of   *Following
	step polling.Step[availability.Snapshot]
	err  error
}

// Update takes a snapshot.
func (p *Pods) Update(r PodsRead) tea.Cmd {
	f := r.of
	if p.now != f {
		return nil
	}
	f.poll.Received()
	now := p.Env.Clock.Now()
	moved := f.take(r.step.Value)
	if away := cmp.Or(r.err, r.step.Unreachable); away != nil {
		f.away = views.StillUnreachable(f.away, now, r.step.Wait, away)
	} else {
		f.away = nil
	}
	f.over = r.err != nil || r.step.Done || f.reading.Stalled(now)
	var state tea.Cmd
	if f.away == nil {
		state = p.Changed(f.service, f.reading, moved || f.over)
	}
	refused := cmp.Or(r.err, r.step.Unreachable, f.reading.Refused())
	switch {
	case errors.Is(refused, adminapi.KindSignIn):
		f.over = true
		return p.Scope.RetryAfterSignIn(refused, "pods", func() tea.Cmd {
			if p.now != f {
				return nil
			}
			return p.resume()
		})
	case f.over:
		return state
	}
	return tea.Batch(state, f.poll.After(r.step.Wait))
}

// Followed reports whether polling goes on.
func (f *Following) Followed() bool { return f != nil && !f.over }

// Over reports whether polling has ended.
func (f *Following) Over() bool { return f != nil && f.over }

// Updated is when the last snapshot was taken, and since when the site is unreachable.
func (f *Following) Updated() (time.Time, *views.Unreachable) { return f.reading.At, f.away }

// take notes since when the pods of each deployment are ready, and reports whether their
// number changed.
func (f *Following) take(reading availability.Snapshot) (moved bool) {
	moved = !reading.Changed.Equal(f.reading.Changed)
	f.reading = reading
	if reading.At.IsZero() {
		return false // nothing was fetched yet
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

// Answer says how a service stands that is followed after a write, and by a sign whether that
// is good. Without one, or where nothing is followed, nothing is known of it.
func (f *Following) Answer(k *rows.Inks) (glyph string, ink rows.Ink, text string) {
	if f != nil && f.edited && f.reading.At.IsZero() && !f.over {
		return k.Glyphs.Running, k.Running, "Checking whether the service answers"
	}
	if f == nil || !f.reading.Followed {
		return k.Glyphs.Pass, k.OK, ""
	}
	switch f.reading.Answer() {
	case availability.AnswerRunning:
		if len(f.reading.Deployments) > 0 && !f.reading.Ready() {
			return k.Glyphs.Unknown, k.Unknown, "The service runs; how many pods are ready is unknown."
		}
		return k.Glyphs.Pass, k.OK, "The service answers."
	case availability.AnswerStopped:
		return k.Glyphs.Skipped, k.Muted, "The service is stopped, as configured."
	case availability.AnswerUnknown:
		if err := f.reading.Service.Err; err != nil && !adminapi.IsTransient(err) {
			return k.Glyphs.Unknown, k.Unknown, "It is not known whether the service answers: " + err.Error()
		}
		return k.Glyphs.Running, k.Running, "Checking whether the service answers"
	}
	waited, said := f.env.Clock.Now().Sub(f.began), plain.Line(f.reading.Text())
	so := " (" + views.Seconds(waited) + ")"
	switch {
	case f.over:
		return k.Glyphs.Fail, k.Fail, "The service does not answer: " + said
	case waited >= longWait:
		return k.Glyphs.Warn, k.Warn, "The service still does not answer: " + said + so
	}
	return k.Glyphs.Running, k.Running, "The service does not answer yet: " + said + so
}

// Waits reports whether the service was last seen without all its pods, or not to answer.
func (f *Following) Waits() bool {
	if f == nil || f.reading.At.IsZero() {
		return false
	}
	return f.reading.Followed && f.reading.Answer() == availability.AnswerWaiting ||
		slices.ContainsFunc(f.reading.Deployments, func(d availability.Pods) bool { return d.Err == nil && d.ReadyReplicas < d.TotalReplicas })
}

// Note says in a few words how many pods answer, while that is followed.
func (f *Following) Note(k *rows.Inks) string {
	if !f.Followed() || f.reading.At.IsZero() || len(f.reading.Deployments) == 0 {
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

// Write says how many pods are ready.
func (f *Following) Write(p *rows.Page) {
	if f == nil {
		return
	}
	k := p.Inks
	if f.edited && f.reading.At.IsZero() && f.away == nil {
		return // its answer says that it is checked
	}
	if len(f.reading.Deployments) > 0 {
		p.Heading("Pods")
	} else {
		p.Gap()
	}
	if f.reading.At.IsZero() {
		p.Signed(k.Glyphs.Running, k.Running, "Loading")
	} else {
		for _, d := range f.reading.Deployments {
			f.writeDeployment(p, d)
		}
	}
	if err := f.reading.Refused(); err != nil {
		said := "The state of the pods is not shown here."
		if f.edited {
			said = "The pods cannot be followed here. The site has the change."
		}
		p.Text(k.Plain, said)
		return
	}
	if f.away != nil && !f.over {
		p.Signed(k.Glyphs.Warn, k.Warn, "The site reports nothing now. Retrying: "+views.Sentence(f.away.Err.Error()))
	}
	if !f.reading.At.IsZero() || f.over {
		p.Text(k.Muted, f.readText())
	}
}

// readText says of when the snapshot is, and whether polling goes on.
func (f *Following) readText() string {
	read := ""
	if !f.reading.At.IsZero() {
		read = "Updated " + f.env.Times.Clock(f.reading.At) + ". "
	}
	switch {
	case f.reading.Settled():
		return read + "The last " + strconv.Itoa(f.reading.Unchanged) + " reads are the same: no longer refreshing."
	case f.over && f.away == nil:
		return read + "Nothing changes: no longer refreshing."
	case f.over:
		return read + "Not refreshing now."
	case f.edited && f.reading.Ready():
		return read + "Refreshing until nothing changes."
	}
	return read + "Refreshes automatically."
}

// writeDeployment says how many pods of one deployment are ready.
func (f *Following) writeDeployment(p *rows.Page, d availability.Pods) {
	k := p.Inks
	name := plain.Line(adminapi.DeploymentName(d.Name, d.ID))
	told := strconv.Itoa(d.ReadyReplicas) + " of " + strconv.Itoa(d.TotalReplicas) + " ready"
	say := func(glyph string, ink rows.Ink, text string) { p.Signed(glyph, ink, name+": "+text) }
	state := ""
	if d.State != "" {
		state = ", " + strings.ToLower(plain.Line(d.State))
	}
	since, began := f.since[d.ID], ""
	if since.began {
		began = " since " + f.env.Times.Clock(since.when)
	}
	switch {
	case d.Err != nil && d.TotalReplicas > 0:
		say(k.Glyphs.Unknown, k.Unknown, told+state+" at the last update. "+views.Sentence(d.Err.Error()))
	case d.Err != nil:
		say(k.Glyphs.Unknown, k.Unknown, "not reported by the site. "+views.Sentence(d.Err.Error()))
	case d.AllReady() && f.reading.Followed && f.reading.Answer() != availability.AnswerRunning:
		say(k.Glyphs.Running, k.Running, told+"; old pods may be among them")
	case d.AllReady():
		say(k.Glyphs.Pass, k.OK, told+state)
		answer := "All " + strconv.Itoa(d.TotalReplicas) + " pods answer"
		switch {
		case d.TotalReplicas == 1:
			answer = "Its pod is ready"
		case f.edited && !f.reading.Settled():
			answer = "All ready"
		}
		answer += began
		if f.edited && !f.reading.Settled() {
			answer += "; old pods may be among them"
		}
		p.Indented(k.OK, "  ", answer)
	case d.TotalReplicas == 0:
		say(k.Glyphs.Skipped, k.Muted, told+state+"; it has no pods; the service may be stopped")
	default:
		if !since.began {
			began = ", first seen " + f.env.Times.Clock(since.when)
		}
		say(k.Glyphs.Running, k.Running, told+began+state)
		f.writeWaiting(p, d)
	}
}

// writeWaiting says why pods are not ready: no node takes them, which was known when the
// rules were sent; else it is a guess once it takes long.
func (f *Following) writeWaiting(p *rows.Page, d availability.Pods) {
	wait := f.env.Clock.Now().Sub(f.since[d.ID].when)
	switch {
	case f.nowhere[d.ID]:
		p.Indented(p.Inks.Warn, "  ", "No node takes these pods, as you confirmed: they stay Pending.")
	case wait >= longWait:
		p.Indented(p.Inks.Warn, "  ", "Not all ready for "+strconv.Itoa(int(wait.Minutes()))+" minutes: some may be Pending.")
	default:
		return
	}
	p.Indented(p.Inks.Plain, "  ", "Fix the rules (Placement), restore old ones (History), or relabel a node. "+
		"Nodes also need free capacity.")
}
