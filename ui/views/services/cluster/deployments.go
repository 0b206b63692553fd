package cluster

import (
	"slices"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/placement"
	"geodeck/adminapi/plain"
)

// MaxDeployments bounds the deployments of a service that the site is asked about.
const MaxDeployments = 8

// OtherServices are those of a deployment that the site calls shared.
const OtherServices = "other services"

// Deployments is what is known of the deployments of the site, from whatever was read.
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

// Unread are the deployments of a policy that the site was not asked about.
func (d *Deployments) Unread(policy placement.Policy) (ids []string) {
	for _, i := range policy.Items() {
		if _, known := d.of[i.DeploymentID]; !known && i.DeploymentID != "" {
			ids = append(ids, i.DeploymentID)
		}
	}
	return ids
}

// Sharer is another service that is known to run in the pods of a deployment, or
// [OtherServices]; empty where none is known to.
func (d *Deployments) Sharer(id, service string) string {
	for _, path := range d.users[id] {
		if path != service {
			return plain.Line(path)
		}
	}
	if d.of[id].Shared() {
		return OtherServices
	}
	return ""
}

// SharerOf is a service whose pods move together with those of the one that is edited.
func (d *Deployments) SharerOf(move operation.Move, service string) string {
	return d.Sharer(move.After.DeploymentID, service)
}

// SharedRules says what else the rules of a shared deployment move, as far as is known.
func SharedRules(sharer string) string {
	if sharer == OtherServices {
		return "the rules hold for other services too; the site does not tell which"
	}
	return "the rules hold for " + sharer + " too, and maybe for others"
}
