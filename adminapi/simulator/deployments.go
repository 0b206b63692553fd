package simulator

import (
	"encoding/json"
	"strings"
	"time"
)

// deployment is what the pods of one or several services run in.
type deployment struct {
	id, kind, provider string
	shared             bool
	serves             []*service
	item               []byte // its element of a placement policy, byte for byte
	pods               []pod
}

// pod is one replica. Without a node it waits for one.
type pod struct {
	name, node string
	ready      time.Time // when it answers
}

// deployments are those that services run in. They are made when somebody first
// asks for one.
type deployments struct {
	byID map[string]*deployment
}

func deploymentRoutes(w *world) []route {
	return []route{
		get("/system/deployments/{id}", "Deployment", w.ofDeployment(showDeployment)),
		get("/system/deployments/{id}/status", "Deployment status", w.ofDeployment(showDeploymentStatus)),
	}
}

// ofDeployment finds the deployment of a request; only the default administrator
// may see one.
func (w *world) ofDeployment(show func(*deployment, time.Time) any) func(*request) (answer, error) {
	return func(q *request) (answer, error) {
		if q.user.role != "org_admin" {
			return answer{}, forbidden([]string{"of the default administrator"})
		}
		id := q.vars["id"]
		d := w.deploymentList().byID[id]
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
	return strings.ToLower(d.serves[0].name + "-" + d.kind)
}

func (d *deployment) resource() string {
	return "arcgis-" + d.id + "-" + strings.ToLower(d.kind) + "-" + d.id[len(d.id)-5:]
}

// stopped tells whether every service in it is: then it has no pods.
func (d *deployment) stopped() bool {
	for _, s := range d.serves {
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
