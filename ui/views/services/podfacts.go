package services

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation/availability"
	"geodeck/adminapi/plain"
	"geodeck/ui/views/services/cluster"
	"geodeck/ui/widget/rows"
)

// podFacts is what is known of the pods of services, from the rows that were seen.
type podFacts struct {
	scaling map[string]availability.Scaling // by the path of the service
	status  map[string]availability.Pods    // by the id of the deployment
	stale   map[string]bool                 // paths and ids to fetch again where they are seen
	behind  map[string]bool                 // by path: state or pods have changed since the other was read
	asked   []adminapi.ServiceRef           // whose pods are being read; nil for none
	hidden  error                           // why this user is told no scaling
	refused error                           // why this user is told no pods
}

func newPodFacts() podFacts {
	return podFacts{scaling: map[string]availability.Scaling{}, status: map[string]availability.Pods{}, stale: map[string]bool{}, behind: map[string]bool{}}
}

// forget has everything fetched again where it is seen.
func (f *podFacts) forget() {
	f.hidden, f.refused = nil, nil
	for path := range f.scaling {
		f.stale[path] = true
	}
	for id := range f.status {
		f.stale[id] = true
	}
}

// sharing are the services of each deployment, as far as their pods were read.
func (f *podFacts) sharing() map[string][]string {
	of := map[string][]string{}
	for path, s := range f.scaling {
		for _, d := range s.Deployments {
			of[d.DeploymentID] = append(of[d.DeploymentID], path)
		}
	}
	for _, paths := range of {
		slices.Sort(paths)
	}
	return of
}

// own is the deployment of a service that is its own, and how many pods it may have.
func (f *podFacts) own(path string) (adminapi.Scaling, bool) {
	if s := f.scaling[path]; len(s.Deployments) > 0 {
		return s.Deployments[0], true
	}
	return adminapi.Scaling{}, false
}

// podCount is how many pods of a service are ready, in all its deployments.
type podCount struct {
	ready, total int
	short        bool // pods of one are known to be missing
}

// of is how many pods of a service are ready, as far as it is known of all its deployments.
func (f *podFacts) of(path string) (n podCount, known bool) {
	for _, d := range f.scaling[path].Deployments {
		pods, counted := f.status[d.DeploymentID]
		if !counted || pods.Err != nil {
			return podCount{}, false
		}
		n = podCount{n.ready + pods.ReadyReplicas, n.total + pods.TotalReplicas, n.short || pods.Short()}
		known = true
	}
	return n, known
}

// unread reports whether how many pods a service has is to be fetched, for the first time or
// again.
func (f *podFacts) unread(path string) bool {
	scaling, known := f.scaling[path]
	return !known || f.stale[path] || f.refused == nil && slices.ContainsFunc(scaling.Deployments, func(d adminapi.Scaling) bool {
		_, counted := f.status[d.DeploymentID]
		return d.DeploymentID != "" && (!counted || f.stale[d.DeploymentID])
	})
}

// expire has how many pods of a service are ready fetched again where it is seen.
func (f *podFacts) expire(path string) {
	for _, d := range f.scaling[path].Deployments {
		f.stale[d.DeploymentID] = true
	}
}

// tried reports whether the pods of a service were read, or cannot be.
func (f *podFacts) tried(path string) bool {
	scaling, known := f.scaling[path]
	return f.hidden != nil || f.refused != nil || known && !slices.ContainsFunc(scaling.Deployments, func(d adminapi.Scaling) bool {
		_, counted := f.status[d.DeploymentID]
		return d.DeploymentID != "" && !counted
	})
}

// short reports whether pods of a service are known to be missing.
func (f *podFacts) short(path string) bool {
	pods, known := f.of(path)
	return known && pods.short && !f.behind[path]
}

// scales is how many pods all deployments of a service may have.
func (f *podFacts) scales(path string) (all adminapi.Range) {
	for i, d := range f.scaling[path].Deployments {
		if i == 0 {
			all.Mode = d.Replicas.Mode
		} else if all.Mode != d.Replicas.Mode {
			all.Mode = ""
		}
		all.Min, all.Max = all.Min+d.Replicas.Min, all.Max+d.Replicas.Max
	}
	return all
}

// count is how many pods of a service there are, for sorting; -1 where it is not known.
func (f *podFacts) count(path string) int {
	if pods, known := f.of(path); known {
		return pods.total
	}
	if _, known := f.own(path); known {
		return f.scales(path).Max
	}
	return -1
}

// text says in a few characters how many pods are ready, or may be.
func (f *podFacts) text(k *rows.Inks, path string) (string, rows.Ink) {
	if pods, known := f.of(path); known {
		ink := k.Muted
		switch {
		case f.behind[path]: // they would contradict the state beside them
			return "", ink
		case pods.short:
			ink = k.Warn
		case pods.total == 0:
			return "none", ink
		}
		return strconv.Itoa(pods.ready) + " of " + strconv.Itoa(pods.total), ink
	}
	if f.refused != nil || f.hidden != nil {
		return k.Glyphs.Unknown, k.Muted
	}
	return "", k.Muted
}

// othersPods reports whether the pods of a service are there only for others: it is stopped. Where
// it should run and none is ready, they are what it waits for.
func (c *catalog) othersPods(path string) bool {
	pods, known := c.pods.of(path)
	state := c.states[path]
	return known && pods.total > 0 && state.RealTime == adminapi.ServiceStopped && (state.Settled() || pods.ready > 0)
}

// rangeText says how many pods a service may have, such as "1-3".
func (f *podFacts) rangeText(path string) string {
	r := f.scales(path)
	switch {
	case r.Max == 0:
		return ""
	case r.Min == r.Max:
		return strconv.Itoa(r.Min)
	}
	return strconv.Itoa(r.Min) + "-" + strconv.Itoa(r.Max)
}

// podsRead is what was read of the pods of some services.
type podsRead struct {
	services []adminapi.ServiceRef
	scaling  []availability.Scaling // by service
	pods     []availability.Pods
}

// loadShownPods reads the pods of the rows on the screen that are not known yet, a few at a
// time, once their states are known.
func (c *catalog) loadShownPods() tea.Cmd {
	f := &c.pods
	if c.Env.Offline || c.Unreachable != nil || c.hidden || f.hidden != nil {
		return nil
	}
	var services []adminapi.ServiceRef
	cursor, _ := c.list.Selected()
	for i := range c.list.OnScreen() {
		row := &c.rows.items[i]
		if i != cursor && c.Env.Site.Line.Slow() {
			continue // a column of the list is not worth the requests
		}
		if row.service != nil && f.unread(row.key.path) {
			services = append(services, *row.service)
		}
		if len(services) == statesAtOnce {
			break
		}
	}
	if len(services) == 0 || slices.EqualFunc(services, f.asked, samePath) {
		return nil
	}
	return c.loadPods(services)
}

func (c *catalog) loadPods(services []adminapi.ServiceRef) tea.Cmd {
	f := &c.pods
	f.asked = services
	site, refused, fresh := c.Env.Site, f.refused != nil, map[string]bool{}
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
	return c.Scope.Do("pods of the list", func(ctx context.Context) tea.Msg {
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

// forbidden reports whether an error would come for every other service as well.
func forbidden(err error) bool {
	return errors.Is(err, adminapi.KindPrivilege) || errors.Is(err, adminapi.KindSignIn) || errors.Is(err, adminapi.KindVersionTooOld)
}

func (c *catalog) podsRead(r podsRead) tea.Cmd {
	f := &c.pods
	f.asked = nil
	for i, s := range r.services {
		scaling := r.scaling[i]
		if forbidden(scaling.Err) {
			f.hidden = scaling.Err
		}
		f.scaling[s.Path()] = scaling
		delete(f.stale, s.Path())
		if !c.states[s.Path()].doubted {
			delete(f.behind, s.Path())
		}
	}
	for _, d := range r.pods {
		if forbidden(d.Err) {
			f.refused = d.Err
		}
		c.notePods(d)
	}
	c.redrawStates()
	return c.loadShownStates()
}

// notePods remembers how many pods of a deployment are ready. Where that has changed, the state
// of each of its services is fetched again.
func (c *catalog) notePods(d availability.Pods) {
	before, known := c.pods.status[d.ID]
	c.pods.status[d.ID] = d
	delete(c.pods.stale, d.ID)
	if known && d.Err == nil && (before.ReadyReplicas != d.ReadyReplicas || before.TotalReplicas != d.TotalReplicas) {
		c.doubt(d.ID, doubtTime)
	}
}

// doubtTime is the age from which a state is older than a change of its pods that was just seen:
// no state is read more often for its pods.
const doubtTime = 5 * time.Second

// doubt has the states of all services of a deployment fetched again that are of that age.
func (c *catalog) doubt(id string, age time.Duration) {
	now := c.Env.Clock.Now()
	for path, scaling := range c.pods.scaling {
		if known, read := c.states[path]; read && known.RealTime != "" && now.Sub(known.tried) >= age && slices.ContainsFunc(scaling.Deployments, func(d adminapi.Scaling) bool { return d.DeploymentID == id }) {
			known.doubted, c.pods.behind[path] = true, true
			c.states[path] = known
		}
	}
}

// writePods says how many pods of a service are ready, how many it may have, and what is not
// known of that.
func (c *catalog) writePods(p *rows.Page, path string) {
	f, k := &c.pods, c.inks
	_, known := f.own(path)
	pods, counted := f.of(path)
	switch {
	case f.behind[path]:
	case counted && c.othersPods(path):
		p.Fact("Pods", podsText(pods)+", for other services")
	case counted && pods.short:
		p.Line(k.Label.On(k.Fit("Pods", factNames)) + k.Warn.On(k.Glyphs.Warn+" "+podsText(pods)))
	case counted && len(f.scaling[path].Deployments) > 1 && pods.total > 0:
		p.Fact("Pods", podsText(pods)+", in "+plain.Plural(len(f.scaling[path].Deployments), "deployment"))
	case counted:
		p.Fact("Pods", podsText(pods))
	case f.refused != nil || f.hidden != nil:
		p.Fact("Pods", "not known: needs the default administrator")
	case known:
		p.Fact("Pods", "not known")
	}
	if f.rangeText(path) != "" {
		p.Fact("Scales", availability.ScalesText(f.scales(path)))
	}
}

// sharedWith says which other services run in the pods of one, empty where none is known to.
func (c *catalog) sharedWith(path string, deployments *cluster.Deployments) string {
	own, _ := c.pods.own(path)
	others := slices.DeleteFunc(c.pods.sharing()[own.DeploymentID], func(other string) bool { return other == path })
	one, _ := deployments.Of(own.DeploymentID)
	switch {
	case len(others) > 0:
		return "with " + plain.Line(plain.Listed(others, 1, "", " and "))
	case one.Shared():
		return "with other services"
	}
	return ""
}

// together is how many of some services at most run in the same pods, and whether others are known to run in pods of theirs.
func (c *catalog) together(paths []string, deployments *cluster.Deployments) (most int, others bool) {
	within, sharing := map[string]int{}, c.pods.sharing()
	for _, path := range paths {
		own, known := c.pods.own(path)
		if !known || own.DeploymentID == "" {
			continue
		}
		within[own.DeploymentID]++
		most = max(most, within[own.DeploymentID])
		one, _ := deployments.Of(own.DeploymentID)
		others = others || one.Shared() && len(sharing[own.DeploymentID]) < 2 || slices.ContainsFunc(sharing[own.DeploymentID], func(other string) bool { return !slices.Contains(paths, other) })
	}
	return most, others
}

// writeDeployment says whether other services run in the pods of a service, and who provides
// them.
func (c *catalog) writeDeployment(p *rows.Page, path string, deployments *cluster.Deployments) {
	own, _ := c.pods.own(path)
	one, known := deployments.Of(own.DeploymentID)
	if !known {
		return
	}
	name := plain.Line(adminapi.DeploymentName(one.Name, one.ID))
	if one.Shared() {
		name += ", shared with other services"
	} else if mode := strings.ToLower(plain.Line(one.Mode)); mode != "" {
		name += ", " + mode
	}
	p.Fact("Deployment", name)
	p.Fact("Provider", plain.Line(one.Provider))
}

// factNames is the column of names before values, as facts have it.
const factNames = 15

func podsText(n podCount) string {
	if n.total == 0 {
		return "none"
	}
	return strconv.Itoa(n.ready) + " of " + strconv.Itoa(n.total) + " ready"
}
