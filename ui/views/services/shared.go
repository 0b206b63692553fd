package services

import (
	"context"
	"errors"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/placement"
	"geodeck/adminapi/plain"
)

// mostDeployments bounds the deployments of a service that the site is asked about.
const mostDeployments = 8

// deployments is what is known of the deployments of the site, from whatever was read.
type deployments struct {
	of    map[string]adminapi.Deployment // by id
	users map[string][]string            // the paths of services, by the id of the deployment
}

// note remembers which deployments a service has.
func (d *deployments) note(service string, policy placement.Policy) {
	for _, i := range policy.Items() {
		if id := i.DeploymentID; !slices.Contains(d.users[id], service) {
			d.users[id] = append(d.users[id], service)
		}
	}
}

// otherServices are those of a deployment that the site calls shared.
const otherServices = "other services"

// sharer is another service that is known to run in the pods of a deployment, or
// [otherServices]; empty where none is known to.
func (d *deployments) sharer(id, service string) string {
	for _, path := range d.users[id] {
		if path != service {
			return plain.Line(path)
		}
	}
	if d.of[id].Shared() {
		return otherServices
	}
	return ""
}

// holdFor says what else the rules of a shared deployment move, as far as is known.
func holdFor(sharer string) string {
	if sharer == otherServices {
		return "the rules hold for other services too; the site does not tell which"
	}
	return "the rules hold for " + sharer + " too, and maybe for others"
}

// deploymentsRead is what the site tells of some deployments.
type deploymentsRead struct {
	of    *placing
	known []adminapi.Deployment
	more  bool  // there are others, which it was not asked about
	err   error // of one that it did not tell of
}

// needDeployments asks which of the deployments are shared, each once.
func (p *placing) needDeployments() tea.Cmd {
	all := &p.m.deployments
	all.note(p.target.Service.Path(), p.builder.Base())
	p.tellShared()
	var ids []string
	for _, i := range p.builder.Base().Items() {
		if _, known := all.of[i.DeploymentID]; !known && i.DeploymentID != "" {
			ids = append(ids, i.DeploymentID)
		}
	}
	more := len(ids) > mostDeployments
	p.hidden = more
	if len(ids) == 0 || p.asking {
		return nil
	}
	p.asking, ids = true, ids[:min(len(ids), mostDeployments)]
	client := p.m.env.Site.Client
	return p.m.scope.Do("deployments", func(ctx context.Context) tea.Msg {
		r := deploymentsRead{of: p, more: more}
		for _, id := range ids {
			d, err := client.Deployment(ctx, id)
			if err == nil {
				d.ID = id
				r.known = append(r.known, d)
			} else if r.err = err; !errors.Is(err, adminapi.KindNotFound) {
				break
			}
		}
		return r
	})
}

// apply marks what is shared. Who may not be told is not asked again, and nothing is
// said but that it is not known: the rules can be edited all the same.
func (r deploymentsRead) apply(m *Model) tea.Cmd {
	p := r.of
	p.asking = false
	for _, d := range r.known {
		m.deployments.of[d.ID] = d
	}
	p.hidden = r.more || r.err != nil && !errors.Is(r.err, adminapi.KindCancelled)
	p.tellShared()
	return nil
}

func (p *placing) tellShared() {
	notes := map[string]string{}
	for _, i := range p.builder.Base().Items() {
		if sharer := p.m.deployments.sharer(i.DeploymentID, p.target.Service.Path()); sharer != "" {
			notes[i.DeploymentID] = "shared: " + holdFor(sharer)
		}
	}
	p.builder.SetNotes(notes)
}
