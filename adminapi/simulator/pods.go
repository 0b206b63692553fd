package simulator

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"geodeck/adminapi/placement"
)

// pods is the area of where services run: deployments, their pods, and the rules
// that place these on nodes.
type pods struct {
	*world
	deployments map[string]*deployment  // by id, see deployment
	list        []*deployment           // the same: the platform's own, then those of single services
	nodes       func() []placement.Node // as the scheduler sees them, with those that a pool would make
}

func newPods(w *world) *pods {
	a := &pods{world: w}
	a.nodes = sync.OnceValue(func() []placement.Node {
		nodes, err := placement.ReadNodes(a.nodesText(func(string) bool { return true }))
		if err != nil {
			panic("the embedded list of nodes is broken: " + err.Error())
		}
		return nodes
	})
	return a
}

func (a *pods) routes() []*route {
	s := a.services
	return slices.Concat(
		needing([]string{roleAdministrator},
			get("/system/deployments", "Deployments", a.showDeployments),
			get("/system/deployments/{id}", "Deployment", on(a.named, a.showDeployment)),
			get("/system/deployments/{id}/status", "Deployment status", on(a.named, showDeploymentStatus)),
			post("/system/deployments/{id}/edit", "Edit deployment", on(a.namedIdle, a.editDeployment)),
			post("/system/deployments/{id}/refresh", "Refresh deployment", on(a.namedIdle, a.refreshDeployment)),
			query("/system/deployments/findDeployment", "Find deployments", a.findDeployments),
			query("/system/deployments/findDeployments", "Find deployments", a.findDeployments),
			query("/system/deployments/findDeploymentIds", "Find deployment ids", a.findDeploymentIDs).from("11.0"),
			query("/system/deployments/getDeploymentsById", "Deployments by id", a.showDeploymentsByID).from("11.0"),
		),
		perService(
			get("/scaling", "Service scaling", on(s.named, a.showScaling)).needing(editors...),
			post("/scaling/edit", "Edit service scaling", on(s.namedIdle, a.editScaling)).needing(editors...),
			get("/placementPolicy", "Placement policy", on(s.named, a.showPlacement)).needing(privSecurity).from("11.2"),
			post("/placementPolicy/edit", "Edit placement policy", on(s.namedIdle, a.editPlacement)).
				needing(privSecurity).from("11.2"),
		),
	)
}

// nodeSpec is a node of the cluster that the site runs in.
type nodeSpec struct {
	Name, Zone  string
	Type        string // of the machine
	CPU, Memory string
	GPUs        int
	Cordoned    bool
	Labels      map[string]string
	Taints      []map[string]string // as Kubernetes writes them
}

var nodeSpecs = embedded[[]nodeSpec]("nodes.yaml")

// Nodes returns the nodes of the cluster that the site runs in, in the JSON that
// `kubectl get nodes -o json` prints.
func (s *Server) Nodes() []byte {
	w := s.world
	w.mu.Lock()
	defer w.mu.Unlock()
	made := w.pods.made()
	return w.pods.nodesText(func(name string) bool { return made[name] })
}

// made are the nodes that there are: one of a pool that was empty once pods fit on no other.
func (a *pods) made() map[string]bool {
	made := map[string]bool{}
	for _, n := range a.nodes() {
		made[n.Name] = !slices.Contains(a.scenario.Placement.EmptyPools, n.Labels["pool"])
	}
	for _, d := range a.all() {
		policy, err := placement.Parse(d.item)
		if err != nil || len(policy.Items()) == 0 {
			continue
		}
		var taking []string
		for _, v := range placement.Explain(policy.Items()[0], a.nodes()) {
			if v.Takes {
				taking = append(taking, v.Node.Name)
			}
		}
		if len(taking) > 0 && !slices.ContainsFunc(taking, func(name string) bool { return made[name] }) {
			made[taking[0]] = true
		}
	}
	return made
}

func (a *pods) nodesText(is func(name string) bool) []byte {
	var items []object
	for i, spec := range nodeSpecs() {
		if !is(spec.Name) {
			continue
		}
		labels := map[string]string{
			"kubernetes.io/hostname": spec.Name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64",
			"node.kubernetes.io/instance-type": spec.Type, "topology.kubernetes.io/zone": spec.Zone, "topology.kubernetes.io/region": strings.TrimRight(spec.Zone, "abc"),
		}
		maps.Copy(labels, spec.Labels)
		if len(a.scenario.Placement.EmptyPools) > 0 {
			labels["karpenter.sh/nodepool"], labels["karpenter.sh/capacity-type"] = spec.Labels["pool"], "on-demand"
		}
		if a.scenario.HostileText {
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
