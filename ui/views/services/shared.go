package services

import (
	"context"
	"errors"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/ui/views/services/cluster"
)

// deploymentsRead is what the site tells of some deployments.
type deploymentsRead struct {
	of    *placing
	known []adminapi.Deployment
	more  bool  // there are others, which it was not asked about
	err   error // of one that it did not tell of
}

// needDeployments asks which of the deployments are shared, each once.
func (p *placing) needDeployments() tea.Cmd {
	all := p.m.deployments
	all.Note(p.target.Service.Path(), p.builder.Base())
	p.tellShared()
	ids := all.Unread(p.builder.Base())
	more := len(ids) > cluster.MaxDeployments
	p.hidden = more
	if len(ids) == 0 || p.asking {
		return nil
	}
	p.asking, ids = true, ids[:min(len(ids), cluster.MaxDeployments)]
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
		m.deployments.Read(d)
	}
	p.hidden = r.more || r.err != nil && !errors.Is(r.err, adminapi.KindCancelled)
	p.tellShared()
	return nil
}

func (p *placing) tellShared() {
	notes := map[string]string{}
	for _, i := range p.builder.Base().Items() {
		if sharer := p.m.deployments.Sharer(i.DeploymentID, p.target.Service.Path()); sharer != "" {
			notes[i.DeploymentID] = "shared: " + cluster.SharedRules(sharer)
		}
	}
	p.builder.SetNotes(notes)
}
