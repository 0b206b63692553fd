package simulator

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"sigs.k8s.io/yaml"

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
	deployments map[string]*deployment // see allDeployments
	nodes       []placement.Node       // see allNodes
}

func (a *pods) routes() []route {
	s := a.world.services
	return slices.Concat(
		[]route{
			get("/system/deployments/{id}", "Deployment", a.onDeployment(showDeployment)),
			get("/system/deployments/{id}/status", "Deployment status", a.onDeployment(showDeploymentStatus)),
		},
		perService(get("/placementPolicy", "Placement policy", s.onService(a.showPlacement)).needing(privSecurity).from("11.2")),
		perService(post("/placementPolicy/edit", "Edit placement policy", s.onIdleService(a.editPlacement)).needing(privSecurity).from("11.2")),
	)
}

// onDeployment handles a request by the deployment that its path names; only the
// default administrator may see one.
func (a *pods) onDeployment(show func(*deployment, time.Time) any) func(*request) (answer, error) {
	return func(q *request) (answer, error) {
		if q.user.role != "org_admin" {
			return answer{}, forbidden([]string{"of the default administrator"})
		}
		id := q.vars["id"]
		d := a.allDeployments()[id]
		if d == nil {
			return answer{}, notFound("no such deployment", "there is no deployment of services "+id)
		}
		return answer{body: show(d, q.now)}, nil
	}
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

func showDeploymentStatus(d *deployment, now time.Time) any {
	b := deploymentStatusBody{Name: d.name(), Ready: d.ready(now), ResourceKind: "Deployment", ID: d.id,
		State: serviceStopped, ResourceName: d.resource(), Total: d.replicas()}
	if b.Ready > 0 {
		b.State = serviceStarted
	}
	return b
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

func showDeployment(d *deployment, now time.Time) any {
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
		b.Pods = append(b.Pods, podBody{p.name, p.node, phase, p.answers(now)})
	}
	return b
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

// stopped reports whether every service in it is: then it has no pods.
func (d *deployment) stopped() bool {
	for _, s := range d.services {
		if !s.stopped {
			return false
		}
	}
	return true
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

// firstRules are what shared deployments of a type ask of nodes at first; those of
// a type that is not here, and those of one service, ask nothing.
var firstRules = map[string]string{
	"MapServer": `{"tolerations":[],"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[` +
		`{"matchExpressions":[{"key":"pool","operator":"In","values":["gis"]}]}]}}}`,
	"FeatureServer": `{"tolerations":[],"nodeAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[` +
		`{"matchExpressions":[{"key":"disk","operator":"In","values":["ssd"]}]}]}}}`,
	"GPServer": `{"tolerations":[{"effect":"NoSchedule","key":"dedicated","operator":"Equal","value":"analysis"}],` +
		`"nodeAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[` +
		`{"weight":80,"preference":{"matchExpressions":[{"key":"dedicated","operator":"In","values":["analysis"]}]}}]},` +
		`"x-reviewedBy":"platform team","x-reviewed":1.0}`,
}

// secondKind is the type whose shared deployment also serves services of another
// type: those have two deployments.
var secondKind = map[string]string{"GPServer": "GPSyncServer"}

// allDeployments returns the deployments of the services by id. They are made
// when a request first needs one.
func (a *pods) allDeployments() map[string]*deployment {
	if a.deployments != nil {
		return a.deployments
	}
	a.deployments = map[string]*deployment{}
	for _, s := range a.world.services.list {
		for i, id := range a.deploymentIDs(s) {
			d := a.deployments[id]
			if d == nil {
				d = a.newDeployment(id, s)
				if i > 0 {
					d.kind = secondKind[s.kind]
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
	return a.deployments
}

// firstRules returns the rules that a deployment begins with.
func (a *pods) firstRules(d *deployment) string {
	for _, s := range d.services {
		if text, ok := a.world.scenario.Placement.Policies[s.path()]; ok && s.deploymentID == d.id {
			return strings.TrimSpace(text)
		}
	}
	if rules := firstRules[d.kind]; d.shared && rules != "" {
		return rules
	}
	return `{"tolerations":[],"nodeAffinity":{}}`
}

// deploymentIDs returns the deployments of a service, its own first.
func (a *pods) deploymentIDs(s *service) []string {
	ids := []string{s.deploymentID}
	if c := a.world.sharedComponent(secondKind[s.kind]); c != nil {
		ids = append(ids, c.deploymentID)
	}
	return ids
}

func (a *pods) newDeployment(id string, s *service) *deployment {
	d := &deployment{id: id, kind: s.kind, provider: providers[s.kind], pods: make([]pod, 1)}
	for _, c := range a.world.components {
		d.shared = d.shared || c.deploymentID == id
	}
	if d.shared {
		d.pods = make([]pod, 3)
	}
	return d
}

// itemWith is its element of a placement policy with these rules.
func (d *deployment) itemWith(rules string) []byte {
	return fmt.Appendf(nil, `{"deploymentType":%q,"deploymentId":%q,"podPlacementPolicy":%s}`, d.kind, d.id, rules)
}

// replacePods replaces every pod by one on a node that takes it. They come one after
// the other; where no node takes them, they wait.
func (d *deployment) replacePods(r *rand.Rand, nodes []string, from time.Time, each time.Duration) {
	replica := strings.TrimPrefix(d.resource(), "arcgis-") + "-" + shortID(r, 9)
	for i := range d.pods {
		d.pods[i] = pod{name: "arcgis-" + replica + "-" + shortID(r, 5), ready: from.Add(each * time.Duration(i+1))}
		if len(nodes) > 0 {
			d.pods[i].node = nodes[i%len(nodes)]
		}
	}
}

//go:embed data/nodes.yaml
var nodeData []byte

// nodeSpec is a node of the cluster that the site runs in.
type nodeSpec struct {
	Name     string            `json:"name"`
	Zone     string            `json:"zone"`
	Type     string            `json:"type"` // of the machine
	CPU      string            `json:"cpu"`
	Memory   string            `json:"memory"`
	GPUs     int               `json:"gpus,omitempty"`
	Cordoned bool              `json:"cordoned,omitempty"`
	Labels   map[string]string `json:"labels"`
	Taints   []taintBody       `json:"taints,omitempty"`
}

// The parts of a list of nodes, as Kubernetes writes it.
type (
	nodeListBody struct {
		APIVersion string            `json:"apiVersion"`
		Items      []nodeBody        `json:"items"`
		Kind       string            `json:"kind"`
		Metadata   map[string]string `json:"metadata"`
	}
	nodeBody struct {
		APIVersion string         `json:"apiVersion"`
		Kind       string         `json:"kind"`
		Metadata   nodeMetadata   `json:"metadata"`
		Spec       nodeSpecBody   `json:"spec"`
		Status     nodeStatusBody `json:"status"`
	}
	nodeMetadata struct {
		Name   string            `json:"name"`
		Labels map[string]string `json:"labels"`
	}
	nodeSpecBody struct {
		Taints        []taintBody `json:"taints,omitempty"`
		Unschedulable bool        `json:"unschedulable,omitempty"`
	}
	taintBody struct {
		Effect string `json:"effect"`
		Key    string `json:"key"`
		Value  string `json:"value,omitempty"`
	}
	nodeStatusBody struct {
		Allocatable map[string]string   `json:"allocatable"`
		Conditions  []nodeConditionBody `json:"conditions"`
	}
	nodeConditionBody struct {
		Message string `json:"message"`
		Reason  string `json:"reason"`
		Status  string `json:"status"`
		Type    string `json:"type"`
	}
)

// Nodes returns the nodes of the cluster that the site runs in, in the JSON that
// `kubectl get nodes -o json` prints.
func (s *Server) Nodes() []byte { return s.world.pods.nodesText() }

func (a *pods) nodesText() []byte {
	var specs []nodeSpec
	if err := yaml.UnmarshalStrict(nodeData, &specs); err != nil {
		panic("the embedded list of nodes is broken: " + err.Error())
	}
	list := nodeListBody{APIVersion: "v1", Kind: "List", Metadata: map[string]string{"resourceVersion": ""}}
	for i, spec := range specs {
		if a.world.scenario.HostileText {
			spec.Labels["note"] = hostile(spec.Name, i)
		}
		list.Items = append(list.Items, spec.body())
	}
	text, err := json.MarshalIndent(list, "", "    ")
	if err != nil {
		panic("the list of nodes cannot be written: " + err.Error())
	}
	return append(text, '\n')
}

// allNodes returns the nodes as the scheduler sees them.
func (a *pods) allNodes() []placement.Node {
	if a.nodes == nil {
		nodes, err := placement.ReadNodes(a.nodesText())
		if err != nil {
			panic("the embedded list of nodes is broken: " + err.Error())
		}
		a.nodes = nodes
	}
	return a.nodes
}

func (n nodeSpec) body() nodeBody {
	labels := map[string]string{
		"kubernetes.io/hostname": n.Name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64",
		"node.kubernetes.io/instance-type": n.Type, "topology.kubernetes.io/zone": n.Zone, "topology.kubernetes.io/region": strings.TrimRight(n.Zone, "abc"),
	}
	maps.Copy(labels, n.Labels)
	b := nodeBody{APIVersion: "v1", Kind: "Node", Metadata: nodeMetadata{n.Name, labels}, Spec: nodeSpecBody{n.Taints, n.Cordoned}}
	if n.Cordoned {
		b.Spec.Taints = append(b.Spec.Taints, taintBody{Effect: "NoSchedule", Key: "node.kubernetes.io/unschedulable"})
	}
	b.Status.Allocatable = map[string]string{"cpu": n.CPU, "memory": n.Memory, "pods": "110"}
	if n.GPUs > 0 {
		b.Status.Allocatable["nvidia.com/gpu"] = strconv.Itoa(n.GPUs)
	}
	b.Status.Conditions = []nodeConditionBody{
		{"kubelet has sufficient memory available", "KubeletHasSufficientMemory", "False", "MemoryPressure"},
		{"kubelet is posting ready status", "KubeletReady", "True", "Ready"},
	}
	return b
}
