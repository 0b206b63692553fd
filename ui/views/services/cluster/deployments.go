package cluster

import (
	"slices"

	"geodeck/adminapi"
	"geodeck/adminapi/placement"
	"geodeck/adminapi/plain"
)

// MaxDeployments bounds the deployments of a service that are fetched.
const MaxDeployments = 8

// Deployments is what is known of the deployments of the site from what was fetched.
type Deployments struct {
	of    map[string]adminapi.Deployment // by id
	users map[string][]string            // the paths of services, by the id of the deployment
}

// NewDeployments returns what is known at first: nothing.
func NewDeployments() *Deployments {
	return &Deployments{of: map[string]adminapi.Deployment{}, users: map[string][]string{}}
}

// Note remembers which deployments a service has.
func (d *Deployments) Note(service string, policy placement.Policy) {
	for _, i := range policy.Items() {
		if id := i.DeploymentID; !slices.Contains(d.users[id], service) {
			d.users[id] = append(d.users[id], service)
		}
	}
}

// Read remembers what the site says of a deployment.
func (d *Deployments) Read(one adminapi.Deployment) { d.of[one.ID] = one }

// Of is what the site says of a deployment, where it was fetched.
func (d *Deployments) Of(id string) (adminapi.Deployment, bool) {
	one, known := d.of[id]
	return one, known
}

// Unread are the deployments of a policy that were not fetched.
func (d *Deployments) Unread(policy placement.Policy) (ids []string) {
	for _, i := range policy.Items() {
		if _, known := d.of[i.DeploymentID]; !known && i.DeploymentID != "" {
			ids = append(ids, i.DeploymentID)
		}
	}
	return ids
}

// SharedRules says what else the rules of a deployment of a service place, as far as is
// known; empty where no other service is known to run in its pods.
func (d *Deployments) SharedRules(id, service string) string {
	for _, path := range d.users[id] {
		if path != service {
			return plain.Line(path) + " runs in these pods and moves too"
		}
	}
	if d.of[id].Shared() {
		return "other services run in these pods and move too"
	}
	return ""
}
