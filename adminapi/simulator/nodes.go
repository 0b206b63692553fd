package simulator

import (
	_ "embed"
	"encoding/json"
	"maps"
	"strconv"
	"strings"

	"geodeck/adminapi/placement"

	"sigs.k8s.io/yaml"
)

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
func (s *Server) Nodes() []byte { return s.world.nodesText() }

func (w *world) nodesText() []byte {
	var specs []nodeSpec
	if err := yaml.UnmarshalStrict(nodeData, &specs); err != nil {
		panic("the embedded list of nodes is broken: " + err.Error())
	}
	list := nodeListBody{APIVersion: "v1", Kind: "List", Metadata: map[string]string{"resourceVersion": ""}}
	for i, spec := range specs {
		if w.scenario.HostileText {
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

// nodeList returns the nodes as the scheduler sees them.
func (w *world) nodeList() []placement.Node {
	if w.nodes == nil {
		nodes, err := placement.ReadNodes(w.nodesText())
		if err != nil {
			panic("the embedded list of nodes is broken: " + err.Error())
		}
		w.nodes = nodes
	}
	return w.nodes
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
