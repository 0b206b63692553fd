package cluster

import (
	"context"
	"errors"
	"maps"
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
func (d *Deployments) Note(service string, items ...placement.Item) {
	for _, i := range items {
		if id := i.DeploymentID; !slices.Contains(d.users[id], service) {
			d.users[id] = append(d.users[id], service)
		}
	}
}

// Read remembers what the site says of some deployments.
func (d *Deployments) Read(known []adminapi.Deployment) {
	for _, one := range known {
		d.of[one.ID] = one
	}
}

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

// Reader returns what fetches, in a command, those of some deployments that are not known yet,
// each once. It ends at the first error other than that the site has no such deployment.
func (d *Deployments) Reader(client *adminapi.Client) func(ctx context.Context, ids []string) ([]adminapi.Deployment, error) {
	known := maps.Clone(d.of)
	return func(ctx context.Context, ids []string) (read []adminapi.Deployment, err error) {
		for _, id := range ids {
			if _, is := known[id]; is || id == "" {
				continue
			}
			one, unread := client.Deployments.Get(ctx, id)
			one.ID, known[id] = id, one
			if unread == nil {
				read = append(read, one)
			} else if err = unread; !errors.Is(err, adminapi.KindNotFound) {
				break
			}
		}
		return read, err
	}
}

// SharedRules says what else the rules of a deployment of a service place, as far as is
// known; empty where no other service is known to run in its pods.
func (d *Deployments) SharedRules(id, service string) string {
	others := slices.DeleteFunc(slices.Clone(d.users[id]), func(path string) bool { return path == service })
	switch shared := d.of[id].Shared(); {
	case len(others) > 1 || len(others) == 1 && shared:
		return plain.Line(others[0]) + " and others in these pods move too"
	case len(others) == 1:
		return plain.Line(others[0]) + " runs in these pods and moves too"
	case shared:
		return "other services run in these pods and move too"
	}
	return ""
}
