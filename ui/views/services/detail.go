package services

import (
	"context"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/views/services/history"
	"geodeck/ui/widget/rows"
)

// detail is the pane beside the list about the service under the cursor.
type detail struct {
	views.Base
	inks    *rows.Inks
	catalog *catalog
	pager   *rows.Pager
	key     rowKey
	backups []history.Backup
	failed  string // how the edit before which the newest was saved has failed
	problem error

	refused bool // this user is told nothing of deployments
}

func newDetail(base views.Base, inks *rows.Inks, catalog *catalog) *detail {
	d := &detail{Base: base, inks: inks, catalog: catalog, pager: rows.NewPager(inks.Glyphs.Ellipsis)}
	d.pager.SetFocused(false)
	return d
}

// follow reads what this machine remembers of the service under the cursor.
func (d *detail) follow() tea.Cmd {
	if d.Width == 0 {
		return nil
	}
	key, ok := d.catalog.list.Key()
	if d.key != key {
		d.key, d.backups, d.failed, d.problem = key, nil, "", nil
		d.pager.Home()
	}
	d.lay()
	row, _ := d.catalog.selected()
	if !ok || row.service == nil {
		return nil
	}
	return tea.Batch(d.loadBackups(row.key, *row.service), d.loadDeployment(row.key.path))
}

// refresh shows what was read, of another service where the cursor was led to one.
func (d *detail) refresh() tea.Cmd {
	if key, _ := d.catalog.list.Key(); key != d.key {
		return d.follow()
	}
	d.lay()
	return nil
}

func (d *detail) loadBackups(key rowKey, service adminapi.ServiceRef) tea.Cmd {
	if d.Env.Site.Memory.Journal == nil {
		return nil
	}
	site := d.Env.Site
	return d.Scope.Work("past", func(context.Context) func() tea.Cmd {
		backups, err := history.Backups(site, service)
		failed := ""
		if len(backups) > 0 {
			failed = backups[0].Failed(site)
		}
		return func() tea.Cmd {
			if d.key == key {
				d.backups, d.failed, d.problem = backups, failed, err
				d.lay()
			}
			return nil
		}
	})
}

// loadDeployment reads whether other services run in the pods of a service, once.
func (d *detail) loadDeployment(path string) tea.Cmd {
	own, known := d.catalog.states.pods.own(path)
	if _, read := d.catalog.states.deployments.Of(own.DeploymentID); !known || read || d.refused || own.DeploymentID == "" {
		return nil
	}
	client := d.Env.Site.Client
	return d.Scope.Work("deployment of the detail", func(ctx context.Context) func() tea.Cmd {
		one, err := client.Deployments.Get(ctx, own.DeploymentID)
		return func() tea.Cmd {
			if err == nil {
				d.catalog.states.deployments.Read([]adminapi.Deployment{one})
			}
			d.refused = d.refused || forbidden(err)
			d.lay()
			return nil
		}
	})
}

// SetSize gives the detail its cells; none in narrow terminals.
func (d *detail) SetSize(width, height int) {
	d.Base.SetSize(width, height)
	d.pager.SetSize(width, max(0, height-listHead))
	d.lay()
}

// View draws the detail; nothing where it has no cells.
func (d *detail) View() string {
	if d.Width == 0 {
		return ""
	}
	return d.inks.Headed(d.Width, d.Height, d.pager.View(), d.inks.Muted.On("Detail"), "")
}

// lay makes the lines of the detail.
func (d *detail) lay() {
	if d.Width == 0 {
		return
	}
	p := &rows.Page{Inks: d.inks, Width: d.Width}
	if row := d.catalog.row(d.key); row != nil {
		d.write(p, row)
	}
	d.pager.Set(p.Lines)
}

func (d *detail) write(p *rows.Page, row *serviceRow) {
	if row.service == nil {
		f := d.catalog.folderOf(row)
		p.Text(d.inks.Strong, f.name)
		p.Gap()
		p.Fact("Services", plain.Plural(len(f.services), "service"))
		if row.folder < 0 {
			p.Gap()
			p.Text(d.inks.Plain, views.Keys("Configured to run, but stopped. {key:services.explain} explains each."))
			return
		}
		n := d.catalog.tallies[f.name]
		p.Fact("Checked", strconv.Itoa(n.read)+" of "+strconv.Itoa(len(f.services)))
		if found := n.found(); found != "" {
			p.Fact("Not running", found)
		}
		if f.problem != nil {
			p.Gap()
			p.Signed(d.inks.Glyphs.Fail, d.inks.Fail, views.Sentence(f.problem.Error()))
		}
		return
	}
	p.Text(d.inks.Strong, row.service.Name)
	p.Gap()
	if row.service.Description != "" {
		p.Text(d.inks.Plain, row.service.Description)
		p.Gap()
	}
	d.catalog.states.writeState(p, row.key.path)
	d.catalog.states.writePods(p, row.key.path)
	d.catalog.states.writeWhy(p, row.key.path)
	d.catalog.states.writeDeployment(p, row.key.path)
	p.Fact("Type", plain.Line(row.service.Type))
	p.Fact("Folder", folderName(row.service.Folder))
	if len(d.backups) > 0 {
		last := d.backups[0]
		p.Fact("Last edit", strings.TrimSuffix(d.Env.Times.Minute(last.Saved)+" by "+plain.Line(last.Who), " by "))
		if d.failed != "" {
			p.Fact("", plain.Capital(d.failed)+".")
		}
	}
	for _, draft := range d.catalog.states.drafts.Of(*row.service) {
		where, is, target := "", "", editing.Target{Service: *row.service, Part: draft.Part}
		if !draft.Mine && draft.Liveness != journal.Ended {
			where = ", by " + draft.Program.Who()
		}
		switch {
		case draft.Outside:
			is = ", only in your editor's file"
		case d.catalog.states.sendsTo(target):
			is = ", being sent"
		case d.catalog.states.drafts.Unknown(target) != "":
			is = ", outcome unknown"
		}
		p.Fact("Draft", "of the "+draft.Part.String()+", saved "+d.Env.Times.Minute(draft.Saved)+where+is)
	}
	if d.problem != nil {
		p.Gap()
		p.Signed(d.inks.Glyphs.Warn, d.inks.Warn, views.Sentence(d.problem.Error()))
		return
	}
	writeVersions(p, d.Env.Times, d.backups)
}

func folderName(name string) string {
	if name == "" {
		return "(root)"
	}
	return plain.Line(name)
}
