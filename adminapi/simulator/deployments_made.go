package simulator

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// rulesOf are what shared deployments of a type ask of nodes at first; those of
// a type that is not here, and those of one service, ask nothing.
var rulesOf = map[string]string{
	"MapServer": `{"tolerations":[],"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[` +
		`{"matchExpressions":[{"key":"pool","operator":"In","values":["gis"]}]}]}}}`,
	"FeatureServer": `{"tolerations":[],"nodeAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[` +
		`{"matchExpressions":[{"key":"disk","operator":"In","values":["ssd"]}]}]}}}`,
	"GPServer": `{"tolerations":[{"effect":"NoSchedule","key":"dedicated","operator":"Equal","value":"analysis"}],` +
		`"nodeAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[` +
		`{"weight":80,"preference":{"matchExpressions":[{"key":"dedicated","operator":"In","values":["analysis"]}]}}]},` +
		`"x-reviewedBy":"platform team","x-reviewed":1.0}`,
}

// secondKind is a type whose shared deployment also serves services of another
// type: these have two.
var secondKind = map[string]string{"GPServer": "GPSyncServer"}

// deploymentList returns the deployments of the services.
func (w *world) deploymentList() *deployments {
	if w.deployments != nil {
		return w.deployments
	}
	w.deployments = &deployments{byID: map[string]*deployment{}}
	for _, s := range w.services.list {
		for i, id := range w.deploymentIDs(s) {
			d := w.deployments.byID[id]
			if d == nil {
				d = w.newDeployment(id, s)
				if i > 0 {
					d.kind = secondKind[s.kind]
				}
				w.deployments.byID[id] = d
			}
			d.serves = append(d.serves, s)
		}
	}
	w.deployments.place(w)
	return w.deployments
}

// deploymentIDs returns the deployments of a service, its own first.
func (w *world) deploymentIDs(s *service) []string {
	ids := []string{s.deploymentID}
	if c := w.sharedComponent(secondKind[s.kind]); c != nil {
		ids = append(ids, c.deploymentID)
	}
	return ids
}

// sharedComponent returns the part of the platform that services of a type share.
func (w *world) sharedComponent(kind string) *component {
	for _, c := range w.components {
		if kind != "" && c.Type == kind {
			return c
		}
	}
	return nil
}

func (w *world) newDeployment(id string, s *service) *deployment {
	d := &deployment{id: id, kind: s.kind, provider: providers[s.kind], pods: make([]pod, 1)}
	for _, c := range w.components {
		d.shared = d.shared || c.deploymentID == id
	}
	if d.shared {
		d.pods = make([]pod, 3)
	}
	return d
}

// place gives every deployment its first rules and its pods the nodes that take
// them.
func (l *deployments) place(w *world) {
	for _, d := range l.byID {
		rules := ""
		if d.shared {
			rules = rulesOf[d.kind]
		}
		for _, s := range d.serves {
			if text, said := w.scenario.Placement.Policies[s.path()]; said && s.deploymentID == d.id {
				rules = strings.TrimSpace(text)
			}
		}
		if rules == "" {
			rules = `{"tolerations":[],"nodeAffinity":{}}`
		}
		d.item = d.itemWith(rules)
		d.roll(w.random("pods "+d.id), w.takers(d.item), w.started, 0)
	}
}

// itemWith is its element of a placement policy with these rules.
func (d *deployment) itemWith(rules string) []byte {
	return fmt.Appendf(nil, `{"deploymentType":%q,"deploymentId":%q,"podPlacementPolicy":%s}`, d.kind, d.id, rules)
}

// roll replaces every pod by one on a node that takes it. They come one after
// the other; where no node takes them, they wait.
func (d *deployment) roll(r *rand.Rand, takers []string, from time.Time, each time.Duration) {
	replica := strings.TrimPrefix(d.resource(), "arcgis-") + "-" + shortID(r, 9)
	for i := range d.pods {
		d.pods[i] = pod{name: "arcgis-" + replica + "-" + shortID(r, 5), ready: from.Add(each * time.Duration(i+1))}
		if len(takers) > 0 {
			d.pods[i].node = takers[i%len(takers)]
		}
	}
}
