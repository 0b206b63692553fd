package simulator

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"geodeck/adminapi/lists"
)

// deployment is what the pods of one or several services run in, or a part of the
// platform.
type deployment struct {
	id, name, kind, provider, mode string
	component                      *component // nil for the own deployment of a service
	services                       []*service
	item                           []byte // its element of a placement policy, byte for byte; nil where it runs no services
	replicas                       replicas
	resources                      resources
	pods                           []time.Time // when each of them answers
	waiting                        bool        // for a node that takes them
	revision, busyUntil            time.Time
}

// replicas is how many pods a deployment has.
type replicas struct {
	Min  int    `json:"min"`
	Max  int    `json:"max"`
	Mode string `json:"scalingMode"`
}

// The modes of scaling.
const scalingManual, scalingAuto = "manual", "auto"

// resources is what the main container of a deployment may use.
type resources struct {
	MemoryMin string `json:"memoryMin"`
	MemoryMax string `json:"memoryMax"`
	CPUMin    string `json:"cpuMin"`
	CPUMax    string `json:"cpuMax"`
}

// mainContainer is the name of the container that a deployment is for.
const mainContainer = "main-container"

type containerBody struct {
	Name      string    `json:"name"`
	Resources resources `json:"resources"`
	Image     string    `json:"containerImageKey"`
}

func (a *pods) body(d *deployment) object {
	image := d.component
	if image == nil {
		image = cmp.Or(a.sharedComponent(d.kind), &component{})
	}
	spec := object{"replicas": d.replicas, "containers": []containerBody{{mainContainer, d.resources, image.Name}}}
	configured := serviceStarted
	if d.stopped() {
		configured = serviceStopped
	}
	if d.item != nil && !a.version.before("11.2") {
		var item struct {
			Rules json.RawMessage `json:"podPlacementPolicy"`
		}
		_ = json.Unmarshal(d.item, &item) // it was checked when it was taken
		spec["podPlacementPolicy"] = item.Rules
	}
	return object{"mode": d.mode, "configuredState": configured, "provider": d.provider, "deploymentId": d.id,
		"name": d.name, "type": d.kind, "spec": spec, "labels": object{}, "revision": millis(d.revision)}
}

// named finds the deployment that the path of a request names.
func (a *pods) named(q *request) (*deployment, error) {
	return a.find(q.vars["id"])
}

// namedIdle is named for what cannot be done while an upgrade runs.
func (a *pods) namedIdle(q *request) (*deployment, error) {
	d, err := a.named(q)
	if err == nil {
		err = a.upgrades.checkIdle(q.now)
	}
	return d, err
}

func (a *pods) find(id string) (*deployment, error) {
	return orNotFound(a.deployment(id), "deployment", "deployment "+id)
}

func (a *pods) showDeployment(_ *request, d *deployment) any {
	return a.body(d)
}

func (a *pods) showDeployments(*request) any {
	return object{"deployments": lists.Each(a.all(), a.body)}
}

func (a *pods) showDeploymentsByID(q *request) any {
	list := allOf(q, "deploymentIDs", a.find)
	if q.err != nil {
		return q.err
	}
	return object{"deployments": lists.Each(list, a.body)}
}

// filtered returns the deployments that the filters of a request leave.
func (a *pods) filtered(q *request) []*deployment {
	return slices.DeleteFunc(a.all(), func(d *deployment) bool {
		for _, filter := range [...][2]string{{"filterName", d.name}, {"filterType", d.kind}, {"filterProvider", d.provider}, {"filterMode", d.mode}, {"filterId", d.id}} {
			if want := q.params.Get(filter[0]); want != "" && !strings.EqualFold(want, filter[1]) {
				return true
			}
		}
		return false
	})
}

func (a *pods) findDeployments(q *request) any {
	return object{"filteredDeployments": lists.Each(a.filtered(q), a.body)}
}

func (a *pods) findDeploymentIDs(q *request) any {
	return object{"filteredDeploymentIds": lists.Each(a.filtered(q), func(d *deployment) string { return d.id })}
}

func showDeploymentStatus(q *request, d *deployment) any {
	kind, state, ready := "Deployment", serviceStopped, d.ready(q.now)
	if d.component != nil && d.component.Store {
		kind = "StatefulSet"
	}
	if ready > 0 {
		state = serviceStarted
	}
	return object{"name": d.name, "id": d.id, "currentState": state, "readyReplicas": ready, "totalReplicas": d.total(),
		"kubernetesResourceKind": kind, "kubernetesResourceName": d.resource()}
}

func (d *deployment) resource() string {
	if d.item == nil {
		return "arcgis-" + d.name
	}
	return "arcgis-" + d.id + "-" + strings.ToLower(d.kind) + "-" + d.id[len(d.id)-5:]
}

// stopped reports whether it runs services that are all stopped: then it has no pods.
func (d *deployment) stopped() bool {
	return len(d.services) > 0 && !slices.ContainsFunc(d.services, func(s *service) bool { return !s.stopped })
}

// total is how many pods it should have.
func (d *deployment) total() int {
	if d.stopped() {
		return 0
	}
	return len(d.pods)
}

func (d *deployment) ready(now time.Time) int {
	n := 0
	for _, ready := range d.pods[:d.total()] {
		if !d.waiting && !now.Before(ready) {
			n++
		}
	}
	if len(d.services) == 0 && d.component != nil {
		switch d.component.state {
		case stopped:
			return 0
		case degraded:
			return max(0, n-1)
		}
	}
	return n
}

// replacePods replaces every pod. They get ready one after the other; where no node
// takes them, they wait.
func (d *deployment) replacePods(from time.Time, each time.Duration) {
	for i := range d.pods {
		d.pods[i] = from.Add(each * time.Duration(i+1))
	}
}

// restart replaces the pods of a service that has some for itself.
func (a *pods) restart(s *service, ready time.Time) {
	if d := a.deployment(s.deploymentID); d.component == nil {
		d.replacePods(ready, 0)
	}
}

// all returns all deployments. They are made when a request first needs one.
func (a *pods) all() []*deployment {
	if a.deployments == nil {
		a.deployments = map[string]*deployment{}
		for _, c := range a.components {
			if !c.Init {
				a.add(a.ofComponent(c))
			}
		}
		for _, s := range a.services.list {
			for _, id := range a.deploymentIDs(s) {
				d := a.deployments[id]
				if d == nil {
					d = &deployment{id: id, name: strings.ToLower(s.name + "-" + s.kind), kind: s.kind, provider: serviceTypes()[s.kind].Provider,
						mode: "Dedicated", item: []byte{}, pods: make([]time.Time, 1)}
					a.add(d)
				}
				d.services = append(d.services, s)
			}
		}
		for _, d := range a.list {
			if d.item != nil {
				d.item = d.itemWith(a.firstRules(d))
				d.waiting = !a.takes(d.item)
			}
		}
	}
	return slices.Clone(a.list)
}

func (a *pods) add(d *deployment) {
	n := len(d.pods)
	d.replicas, d.revision = replicas{n, n, scalingManual}, a.started.AddDate(0, -4, 0)
	d.resources = resources{"500Mi", "2Gi", "0.125", "1"}
	if d.component != nil && d.component.Store {
		d.resources = resources{"1Gi", "8Gi", "0.5", "2"}
	}
	d.replacePods(a.started, 0)
	a.list = append(a.list, d)
	a.deployments[d.id] = d
}

// ofComponent makes the deployment of a part of the platform. The first one of a type of
// services is what these share.
func (a *pods) ofComponent(c *component) *deployment {
	d := &deployment{id: c.deploymentID, name: strings.TrimPrefix(c.Image, "arcgis-"), kind: c.Type, provider: c.Provider,
		mode: "Undefined", component: c, pods: make([]time.Time, 2)}
	if _, ofServices := serviceTypes()[c.Type]; ofServices {
		d.mode, d.item = "Dedicated", []byte{}
		if a.sharedComponent(c.Type) == c {
			d.name, d.mode, d.pods = "shared-"+strings.ToLower(c.Type), "Shared", make([]time.Time, 3)
		}
	}
	return d
}

// deployment returns the deployment of an id, nil where there is none.
func (a *pods) deployment(id string) *deployment {
	a.all()
	return a.deployments[id]
}

// firstRules returns the rules that a deployment begins with: those of the scenario, of
// its type where it is shared, or none.
func (a *pods) firstRules(d *deployment) string {
	for _, s := range d.services {
		if text, ok := a.scenario.Placement.Policies[s.path()]; ok && s.deploymentID == d.id {
			return strings.TrimSpace(text)
		}
	}
	rules := ""
	if d.mode == "Shared" {
		rules = serviceTypes()[d.kind].Rules
	}
	return cmp.Or(rules, `{"tolerations":[],"nodeAffinity":{}}`)
}

// deploymentIDs returns the deployments of a service, its own first. The second one is
// the shared deployment of another type.
func (a *pods) deploymentIDs(s *service) []string {
	ids := []string{s.deploymentID}
	if c := a.sharedComponent(serviceTypes()[s.kind].Second); c != nil {
		ids = append(ids, c.deploymentID)
	}
	return ids
}

// itemWith is the deployment's element of a placement policy with these rules.
func (d *deployment) itemWith(rules string) []byte {
	return fmt.Appendf(nil, `{"deploymentType":%q,"deploymentId":%q,"podPlacementPolicy":%s}`, d.kind, d.id, rules)
}
