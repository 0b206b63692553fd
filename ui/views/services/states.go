package services

import (
	"context"
	"errors"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/explain"
	"geodeck/adminapi/operation/availability"
	"geodeck/adminapi/operation/editing"
	"geodeck/ui/views"
	"geodeck/ui/views/services/cluster"
	"geodeck/ui/views/services/editor"
	"geodeck/ui/widget/rows"
)

// knownState is the state of a service, and when it was read.
type knownState struct {
	availability.State
	read  time.Time
	tried time.Time // when it was read last, with success or not
	stale bool      // it is read again where it is seen
	// doubted is set where its pods have changed: it is freshened at once where it is seen, else
	// before others.
	doubted bool
}

// amiss reports whether a service is known not to be as it is configured.
func (s knownState) amiss() bool { return s.RealTime != "" && !s.Settled() }

// statesAtOnce is how many states are read before they are shown.
const statesAtOnce = 8

// statesRead are the states of some services.
type statesRead struct {
	services []adminapi.ServiceRef
	states   []availability.State
}

// states is what is known of the states of services and of their pods, of whichever the list, the tab
// Status and the notes beside an open service show.
type states struct {
	views.Base
	inks        *rows.Inks
	drafts      *editor.Drafts
	deployments *cluster.Deployments
	sends       func(path string) string  // whether an edit of the service is sent; empty for not
	sendsTo     func(editing.Target) bool // whether an edit of this part is sent
	changed     func()                    // shows what is known now
	missing     func(path string) tea.Cmd // of a service of which the site has no state any more

	known    map[string]knownState // by path, as all that follow
	asked    []adminapi.ServiceRef // whose states are being read; nil for none
	pods     podFacts
	switched map[string]*switching // what is being started or stopped
	reasons  map[string]reason     // of services at fault that were shown
	restarts map[string]explain.Restart
	gone     map[string]bool // the site lists it, but has no state of it
	news     int             // counts what came that may change what is shown
}

func newStates(base views.Base, inks *rows.Inks, drafts *editor.Drafts, deployments *cluster.Deployments) *states {
	return &states{Base: base, inks: inks, drafts: drafts, deployments: deployments, known: map[string]knownState{},
		pods:     newPodFacts(),
		switched: map[string]*switching{}, reasons: map[string]reason{}, restarts: map[string]explain.Restart{}, gone: map[string]bool{},
		sends: func(string) string { return "" }, sendsTo: func(editing.Target) bool { return false },
		changed: func() {}, missing: func(string) tea.Cmd { return nil }}
}

func samePath(a, b adminapi.ServiceRef) bool { return a.Path() == b.Path() }

// unknown reports whether the state of a service has to be read, for the first time or
// again.
func (st *states) unknown(path string) bool {
	known, ok := st.known[path]
	return !ok || known.stale
}

// aged reports whether the state of a service is known, and was last read so long ago.
func (st *states) aged(path string, now time.Time, age time.Duration) bool {
	known, read := st.known[path]
	age = st.Env.Site.Line.Pause(age)
	return read && !known.stale && st.switched[path] == nil && (known.doubted || now.Sub(known.tried) >= age)
}

// isDown reports whether a service is known not to run although it should.
func (st *states) isDown(path string) bool { return st.known[path].Down() && !st.restarting(path) }

// rank orders states: what is not as configured, stopped, started, not known.
func (st *states) rank(path string) int {
	known := st.known[path]
	switch {
	case known.RealTime == "":
		return 4
	case known.amiss():
		return 0
	case known.RealTime == adminapi.ServiceStopped:
		return 2
	case st.pods.short(path) || st.pods.behind[path]:
		return 1
	}
	return 3
}

func (st *states) loadStates(services ...adminapi.ServiceRef) tea.Cmd {
	site := st.Env.Site
	st.asked = services
	return st.Scope.Do("states", func(ctx context.Context) tea.Msg {
		return statesRead{services, site.Availability().States(ctx, services)}
	})
}

// noteState keeps what was read; a failure leaves the last good state, which is shown with its
// time.
func (st *states) noteState(path string, state availability.State, now time.Time) tea.Cmd {
	known, f := st.known[path], &st.pods
	delete(f.behind, path)
	if state.Err != nil && known.RealTime != "" {
		known.Err, known.stale, known.doubted, known.tried = state.Err, false, false, now
		st.known[path] = known
		if errors.Is(state.Err, adminapi.KindNotFound) {
			return st.missing(path)
		}
		return nil
	}
	st.known[path] = knownState{State: state, read: now, tried: now}
	if state.Err == nil {
		delete(st.gone, path)
	}
	if _, has := f.own(path); known.RealTime != "" && known.RealTime != state.RealTime && has { // so have its pods
		f.expire(path)
		f.behind[path] = f.refused == nil && f.hidden == nil && f.unread(path)
	}
	return nil
}

func (st *states) loadPods(services []adminapi.ServiceRef) tea.Cmd {
	f := &st.pods
	f.asked = services
	site, refused, fresh := st.Env.Site, f.refused != nil, map[string]bool{}
	for id := range f.status {
		fresh[id] = !f.stale[id]
	}
	scaling, unscaled := make([]availability.Scaling, len(services)), []adminapi.ServiceRef(nil)
	for i, s := range services { // how many a service may have changes with an edit only
		known, read := f.scaling[s.Path()]
		if scaling[i] = known; !read || f.stale[s.Path()] || known.Err != nil {
			unscaled = append(unscaled, s)
		}
	}
	return st.Scope.Do("pods of the list", func(ctx context.Context) tea.Msg {
		r := podsRead{services: services, scaling: scaling}
		for i, s := range site.Availability().Scalings(ctx, unscaled) {
			r.scaling[slices.IndexFunc(services, func(other adminapi.ServiceRef) bool { return samePath(other, unscaled[i]) })] = s
		}
		var ids []string
		for _, s := range r.scaling {
			for _, d := range s.Deployments {
				if id := d.DeploymentID; id != "" && !refused && !fresh[id] && !slices.Contains(ids, id) {
					ids = append(ids, id)
				}
			}
		}
		if len(ids) > 0 {
			r.pods = site.Availability().Pods(ctx, ids)
		}
		return r
	})
}

// notePods remembers how many pods of a deployment are ready. Where that has changed, the state
// of each of its services is fetched again.
func (st *states) notePods(d availability.Pods) {
	before, known := st.pods.status[d.ID]
	st.pods.status[d.ID] = d
	delete(st.pods.stale, d.ID)
	if known && d.Err == nil && (before.ReadyReplicas != d.ReadyReplicas || before.TotalReplicas != d.TotalReplicas) {
		st.doubt(d.ID, doubtTime)
	}
}

// doubt has the states of all services of a deployment fetched again that are of that age.
func (st *states) doubt(id string, age time.Duration) {
	now := st.Env.Clock.Now()
	for path, scaling := range st.pods.scaling {
		if known, read := st.known[path]; read && known.RealTime != "" && now.Sub(known.tried) >= age && slices.ContainsFunc(scaling.Deployments, func(d adminapi.Scaling) bool { return d.DeploymentID == id }) {
			known.doubted, st.pods.behind[path] = true, true
			st.known[path] = known
		}
	}
}

// followed takes what is read of a service that is followed; its state is read where that is
// not, and its pods have changed.
func (st *states) followed(service adminapi.ServiceRef, now availability.Snapshot, moved bool) tea.Cmd {
	for _, d := range now.Deployments {
		st.notePods(d)
	}
	var read tea.Cmd
	switch {
	case now.Followed: // of the same age as its pods
		read = st.noteState(service.Path(), now.Service, now.At)
		if now.Service.Err == nil {
			delete(st.pods.behind, service.Path())
		}
	case moved:
		read = st.loadStates(service)
	}
	st.changed()
	return read
}

// forgetState drops the state of a service that was changed: it is fetched again when it is
// in sight, as are those of all services that share its pods.
func (st *states) forgetState(service adminapi.ServiceRef) {
	st.pods.stale[service.Path()] = true
	for _, d := range st.pods.scaling[service.Path()].Deployments {
		st.doubt(d.DeploymentID, 0)
		delete(st.pods.status, d.DeploymentID)
	}
	delete(st.known, service.Path())
	delete(st.reasons, service.Path())
	st.changed()
}
