package adminapi

import (
	"context"
	"net/http"
	"strings"
)

// DeploymentStatus is how the pods of a deployment stand. Where the server
// leaves a number out it is 0: Kubernetes does so with a number of none.
type DeploymentStatus struct {
	ID            string  `json:"id"`
	Name          string  `json:"name"`
	State         string  `json:"currentState"`           // the site's own word, such as STARTED
	ReadyReplicas int     `json:"readyReplicas"`          // pods that answer
	TotalReplicas int     `json:"totalReplicas"`          // pods that there should be
	ResourceKind  string  `json:"kubernetesResourceKind"` // such as Deployment
	ResourceName  string  `json:"kubernetesResourceName"`
	Unknown       Unknown `json:",embed"`
}

// AllReady tells whether every pod that there should be answers. None is never
// all: a stopped service has none.
func (s DeploymentStatus) AllReady() bool {
	return s.TotalReplicas > 0 && s.ReadyReplicas >= s.TotalReplicas
}

// Deployment is what the pods of one or several services run in.
type Deployment struct {
	ID      string  `json:"deploymentId"`
	Name    string  `json:"name"`
	Type    string  `json:"type"`
	Mode    string  `json:"mode"` // Shared where several services run in it, Dedicated, or another word of the site
	Unknown Unknown `json:",embed"`
}

// Shared tells whether several services run in it. Where the site did not say, it is
// not known and false.
func (d Deployment) Shared() bool { return strings.EqualFold(d.Mode, "shared") }

// Deployment reads a deployment. Needs the role of the default administrator.
func (c *Client) Deployment(ctx context.Context, id string) (Deployment, error) {
	k := call{operation: opDeployment, method: http.MethodGet, path: []string{"system", "deployments", id}}
	var d Deployment
	err := c.read(ctx, k, &d, func() string {
		if d.ID == "" && d.Name == "" && d.Mode == "" {
			return "deployment"
		}
		return ""
	})
	if err != nil {
		return Deployment{}, err
	}
	if d.ID == "" {
		d.ID = id
	}
	return d, nil
}

// DeploymentStatus reads how many pods of a deployment are ready. Needs the
// role of the default administrator.
func (c *Client) DeploymentStatus(ctx context.Context, id string) (DeploymentStatus, error) {
	k := call{operation: opDeploymentStatus, shown: true, method: http.MethodGet, path: []string{"system", "deployments", id, "status"}}
	var status DeploymentStatus
	err := c.read(ctx, k, &status, func() string {
		if status.State == "" && status.TotalReplicas == 0 {
			return "status of the deployment"
		}
		return ""
	})
	if err != nil {
		return DeploymentStatus{}, err
	}
	if status.ID == "" {
		status.ID = id
	}
	return status, nil
}
