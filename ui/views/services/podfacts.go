package services

import (
	"errors"
	"slices"
	"strconv"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/operation/availability"
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

// forbidden reports whether an error would come for every other service as well.
func forbidden(err error) bool {
	return errors.Is(err, adminapi.KindPrivilege) || errors.Is(err, adminapi.KindSignIn) || errors.Is(err, adminapi.KindVersionTooOld)
}

// doubtTime is the age from which a state is older than a change of its pods that was just seen:
// no state is read more often for its pods.
const doubtTime = 5 * time.Second

func podsText(n podCount) string {
	if n.total == 0 {
		return "none"
	}
	return strconv.Itoa(n.ready) + " of " + strconv.Itoa(n.total) + " ready"
}
