package services

import (
	"slices"

	"geodeck/adminapi"
	"geodeck/adminapi/explain"
	"geodeck/ui/widget/rows"
	"geodeck/ui/widget/whatnow"
)

// fault is what is known to be wrong with a service, which its explanation is made for.
type fault struct {
	configured, real string
	ready, total     int // its pods
	nodes            int // the version of the nodes
}

// reason is the explanation of a service at fault; the zero explanation while it is made.
type reason struct {
	fault       fault
	explanation explain.Explanation
}

// fault returns what is wrong with a service, and whether something is.
func (st *states) fault(path string) (fault, bool) {
	known := st.known[path]
	pods, _ := st.pods.of(path)
	wrong := known.amiss() || known.RealTime != "" && st.pods.short(path)
	return fault{known.Configured, known.RealTime, pods.ready, pods.total, 0}, wrong && st.switched[path] == nil
}

// reasonOf is the explanation of a service at fault; nil where it was not read for what is wrong now.
func (st *states) reasonOf(path string) *explain.Explanation {
	f, wrong := st.fault(path)
	r := st.reasons[path]
	if f.nodes = r.fault.nodes; !wrong || r.fault != f {
		return nil
	}
	return &r.explanation
}

// writeWhy adds why a service is not up, and what to do, once that was read.
func (st *states) writeWhy(p *rows.Page, path string) {
	if x := st.reasonOf(path); x != nil {
		whatnow.Brief(p, *x, "services.switch", "services.refresh", "services.nodes-why")
	}
}

// noteRestart remembers the restart of a service, which is none of what it does now where it is zero.
func (st *states) noteRestart(path string, restart explain.Restart) {
	st.restarts[path] = restart
	st.changed()
}

// noteEdit remembers the restart after an edit, also of the services that ran in the same pods.
func (st *states) noteEdit(path string, restart explain.Restart) {
	for _, same := range st.pods.sharing() {
		for _, other := range same {
			if slices.Contains(same, path) && !st.isDown(other) {
				st.restarts[other] = restart
			}
		}
	}
	st.noteRestart(path, restart)
}

// restarting reports whether a service that should run is down, or lacks pods, for a restart, as far
// as is known.
func (st *states) restarting(path string) bool {
	now, known := adminapi.MillisOf(st.Env.Times.Site().Now()), st.known[path]
	return (known.Down() || known.Running() && st.pods.short(path)) && now < st.restarts[path].Until
}

// overdue reports whether a restart that explains why a service is down should be over.
func (st *states) overdue(path string) bool {
	return st.reasons[path].explanation.Restart.Until > 0 && !st.restarting(path)
}
