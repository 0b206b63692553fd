package simulator

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"geodeck/adminapi/placement"
)

// deployment is what the pods of one or several services run in.
type deployment struct {
	id, kind, provider string
	shared             bool
	services           []*service
	item               []byte // its element of a placement policy, byte for byte
	pods               []pod
}

// pod is one replica. Without a node it waits for one.
type pod struct {
	name, node string
	ready      time.Time // when it answers
}

// pods is the area of where services run: deployments, their pods, and the rules
// that place these on nodes.
type pods struct {
	world       *world
	deployments map[string]*deployment  // by id, see deployment
	nodes       func() []placement.Node // as the scheduler sees them
}

func newPods(w *world) *pods {
	a := &pods{world: w}
	a.nodes = sync.OnceValue(func() []placement.Node {
		nodes, err := placement.ReadNodes(a.nodesText())
		if err != nil {
			panic("the embedded list of nodes is broken: " + err.Error())
		}
		return nodes
	})
	return a
}

func (a *pods) routes() []route {
	s := a.world.services
	return slices.Concat(
		[]route{
			get("/system/deployments/{id}", "Deployment", on(a.named, showDeployment)),
			get("/system/deployments/{id}/status", "Deployment status", on(a.named, showDeploymentStatus)),
		},
		perService(get("/placementPolicy", "Placement policy", on(s.named, a.showPlacement)).needing(privSecurity).from("11.2")),
		perService(post("/placementPolicy/edit", "Edit placement policy", on(s.namedIdle, a.editPlacement)).needing(privSecurity).from("11.2")),
	)
}

// named finds the deployment that the path of a request names; only the default
// administrator may see one.
func (a *pods) named(q *request) (*deployment, error) {
	if q.user.role != "org_admin" {
		return nil, forbidden([]string{"of the default administrator"})
	}
	id := q.vars["id"]
	if d := a.deployment(id); d != nil {
		return d, nil
	}
	return nil, notFound("no such deployment", "there is no deployment of services "+id)
}

type deploymentStatusBody struct {
	Name         string `json:"name"`
	Ready        int    `json:"readyReplicas"`
	ResourceKind string `json:"kubernetesResourceKind"`
	ID           string `json:"id"`
	State        string `json:"currentState"`
	ResourceName string `json:"kubernetesResourceName"`
	Total        int    `json:"totalReplicas"`
}

func showDeploymentStatus(q *request, d *deployment) (answer, error) {
	b := deploymentStatusBody{Name: d.name(), Ready: d.ready(q.now), ResourceKind: "Deployment", ID: d.id,
		State: serviceStopped, ResourceName: d.resource(), Total: d.replicas()}
	if b.Ready > 0 {
		b.State = serviceStarted
	}
	return answer{body: b}, nil
}

type deploymentBody struct {
	ID         string            `json:"deploymentId"`
	Name       string            `json:"name"`
	Type       string            `json:"type"`
	Mode       string            `json:"mode"`
	Provider   string            `json:"provider"`
	Configured string            `json:"configuredState"`
	Replicas   int               `json:"replicas"`
	Placement  []json.RawMessage `json:"placementPolicy"`
	Pods       []podBody         `json:"pods"`
}

type podBody struct {
	Name  string `json:"name"`
	Node  string `json:"nodeName,omitempty"`
	Phase string `json:"phase"` // Running, or Pending until a node takes it
	Ready bool   `json:"ready"`
}

func showDeployment(q *request, d *deployment) (answer, error) {
	b := deploymentBody{ID: d.id, Name: d.name(), Type: d.kind, Mode: "Dedicated", Provider: d.provider,
		Configured: serviceStopped, Replicas: d.replicas(), Placement: []json.RawMessage{d.item}, Pods: []podBody{}}
	if d.shared {
		b.Mode = "Shared"
	}
	if !d.stopped() {
		b.Configured = serviceStarted
	}
	for _, p := range d.pods[:d.replicas()] {
		phase := "Running"
		if p.node == "" {
			phase = "Pending"
		}
		b.Pods = append(b.Pods, podBody{p.name, p.node, phase, p.answers(q.now)})
	}
	return answer{body: b}, nil
}

func (d *deployment) name() string {
	if d.shared {
		return "shared-" + strings.ToLower(d.kind)
	}
	return strings.ToLower(d.services[0].name + "-" + d.kind)
}

func (d *deployment) resource() string {
	return "arcgis-" + d.id + "-" + strings.ToLower(d.kind) + "-" + d.id[len(d.id)-5:]
}

// stopped reports whether all of its services are stopped: then it has no pods.
func (d *deployment) stopped() bool {
	return !slices.ContainsFunc(d.services, func(s *service) bool { return !s.stopped })
}

func (d *deployment) replicas() int {
	if d.stopped() {
		return 0
	}
	return len(d.pods)
}

func (d *deployment) ready(now time.Time) int {
	n := 0
	for _, p := range d.pods[:d.replicas()] {
		if p.answers(now) {
			n++
		}
	}
	return n
}

func (p pod) answers(now time.Time) bool { return p.node != "" && !now.Before(p.ready) }

// deployment returns the deployment of an id, nil where there is none. They are all
// made when a request first needs one.
func (a *pods) deployment(id string) *deployment {
	if a.deployments != nil {
		return a.deployments[id]
	}
	a.deployments = map[string]*deployment{}
	for _, s := range a.world.services.list {
		for i, id := range a.deploymentIDs(s) {
			d := a.deployments[id]
			if d == nil {
				d = &deployment{id: id, kind: s.kind, provider: serviceTypes()[s.kind].Provider, pods: make([]pod, 1)}
				if i > 0 {
					d.kind = serviceTypes()[s.kind].Second
				}
				if d.shared = slices.ContainsFunc(a.world.components, func(c *component) bool { return c.deploymentID == id }); d.shared {
					d.pods = make([]pod, 3)
				}
				a.deployments[id] = d
			}
			d.services = append(d.services, s)
		}
	}
	for _, d := range a.deployments {
		d.item = d.itemWith(a.firstRules(d))
		d.replacePods(a.world.random("pods "+d.id), a.nodesFor(d.item), a.world.started, 0)
	}
	return a.deployments[id]
}

// firstRules returns the rules that a deployment begins with: those of the scenario, of
// its type where it is shared, or none.
func (a *pods) firstRules(d *deployment) string {
	for _, s := range d.services {
		if text, ok := a.world.scenario.Placement.Policies[s.path()]; ok && s.deploymentID == d.id {
			return strings.TrimSpace(text)
		}
	}
	rules := ""
	if d.shared {
		rules = serviceTypes()[d.kind].Rules
	}
	return cmp.Or(rules, `{"tolerations":[],"nodeAffinity":{}}`)
}

// deploymentIDs returns the deployments of a service, its own first. The second one is
// the shared deployment of another type.
func (a *pods) deploymentIDs(s *service) []string {
	ids := []string{s.deploymentID}
	if c := a.world.sharedComponent(serviceTypes()[s.kind].Second); c != nil {
		ids = append(ids, c.deploymentID)
	}
	return ids
}

// itemWith is the deployment's element of a placement policy with these rules.
func (d *deployment) itemWith(rules string) []byte {
	return fmt.Appendf(nil, `{"deploymentType":%q,"deploymentId":%q,"podPlacementPolicy":%s}`, d.kind, d.id, rules)
}

// replacePods replaces every pod by one on a node that takes it. They get ready one
// after the other; where no node takes them, they wait.
func (d *deployment) replacePods(r *rand.Rand, nodes []string, from time.Time, each time.Duration) {
	replica := strings.TrimPrefix(d.resource(), "arcgis-") + "-" + shortID(r, 9)
	for i := range d.pods {
		d.pods[i] = pod{name: "arcgis-" + replica + "-" + shortID(r, 5), ready: from.Add(each * time.Duration(i+1))}
		if len(nodes) > 0 {
			d.pods[i].node = nodes[i%len(nodes)]
		}
	}
}

// nodeSpec is a node of the cluster that the site runs in.
type nodeSpec struct {
	Name     string              `json:"name"`
	Zone     string              `json:"zone"`
	Type     string              `json:"type"` // of the machine
	CPU      string              `json:"cpu"`
	Memory   string              `json:"memory"`
	GPUs     int                 `json:"gpus"`
	Cordoned bool                `json:"cordoned"`
	Labels   map[string]string   `json:"labels"`
	Taints   []map[string]string `json:"taints"` // as Kubernetes writes them
}

var nodeSpecs = embedded[[]nodeSpec]("nodes.yaml")

// Nodes returns the nodes of the cluster that the site runs in, in the JSON that
// `kubectl get nodes -o json` prints.
func (s *Server) Nodes() []byte { return s.world.pods.nodesText() }

func (a *pods) nodesText() []byte {
	var items []object
	for i, spec := range nodeSpecs() {
		labels := spec.labels()
		if a.world.scenario.HostileText {
			labels["note"] = hostile(spec.Name, i)
		}
		items = append(items, spec.node(labels))
	}
	text, err := json.MarshalIndent(object{"apiVersion": "v1", "kind": "List", "items": items, "metadata": object{"resourceVersion": ""}}, "", "    ")
	if err != nil {
		panic("the list of nodes cannot be written: " + err.Error())
	}
	return append(text, '\n')
}

// object is a JSON object with its names in order, as kubectl writes them.
type object = map[string]any

func (n nodeSpec) labels() map[string]string {
	labels := map[string]string{
		"kubernetes.io/hostname": n.Name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64",
		"node.kubernetes.io/instance-type": n.Type, "topology.kubernetes.io/zone": n.Zone, "topology.kubernetes.io/region": strings.TrimRight(n.Zone, "abc"),
	}
	maps.Copy(labels, n.Labels)
	return labels
}

// node writes a node as Kubernetes does.
func (n nodeSpec) node(labels map[string]string) object {
	spec, taints := object{}, slices.Clone(n.Taints)
	if n.Cordoned {
		spec["unschedulable"] = true
		taints = append(taints, map[string]string{"effect": "NoSchedule", "key": "node.kubernetes.io/unschedulable"})
	}
	if len(taints) > 0 {
		spec["taints"] = taints
	}
	allocatable := map[string]string{"cpu": n.CPU, "memory": n.Memory, "pods": "110"}
	if n.GPUs > 0 {
		allocatable["nvidia.com/gpu"] = strconv.Itoa(n.GPUs)
	}
	return object{"apiVersion": "v1", "kind": "Node", "metadata": object{"name": n.Name, "labels": labels}, "spec": spec,
		"status": object{"allocatable": allocatable, "conditions": []object{
			{"type": "MemoryPressure", "status": "False", "reason": "KubeletHasSufficientMemory", "message": "kubelet has sufficient memory available"},
			{"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "kubelet is posting ready status"},
		}}}
}
