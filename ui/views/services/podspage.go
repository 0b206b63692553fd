package services

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui/views"
	"geodeck/ui/views/rows"
)

var cmdPods = views.Command{ID: "services.pods", Binding: views.Key("", "o"), Name: "pods", Help: "How many pods of the deployments answer: those of the last edit while they are followed, else of all of the policy. Sends nothing.", Group: placementGroup}

// podsPage shows, in place of the rules, how the pods stand.
type podsPage struct {
	pager *rows.Pager
	size  box
}

// showPods opens the page of the pods. What is followed after an edit stays; else those
// of the policy are asked for.
func (p *placing) showPods() tea.Cmd {
	m := p.m
	var asked tea.Cmd
	if !m.pods.Now().Followed() {
		var ids []string
		for _, i := range p.builder.Base().Items() {
			if i.DeploymentID != "" && !slices.Contains(ids, i.DeploymentID) {
				ids = append(ids, i.DeploymentID)
			}
		}
		if len(ids) == 0 {
			return views.Tell(views.Info, "The policy names no deployment: there are no pods to ask for.")
		}
		asked = m.pods.Follow(p.target.Service, ids)
	}
	p.pods = &podsPage{pager: rows.NewPager(m.inks.Glyphs.Ellipsis)}
	m.place()
	return asked
}

// doPods runs a command of the page.
func (p *placing) doPods(id string) tea.Cmd {
	if id == cmdPods.ID {
		return p.m.podsAgain()
	}
	p.pods.pager.Do(id)
	return nil
}

func (p *placing) podsCommands() []views.Command {
	if p.m.pods.Now().Followed() {
		return rows.Moves()
	}
	return slices.Concat([]views.Command{hinted(cmdPods, "ask again")}, rows.Moves())
}

func (g *podsPage) setSize(width, height int) {
	g.size = box{width, height}
	g.pager.SetSize(width, height)
}

func (p *placing) podsView() string {
	page := p.m.page()
	p.m.pods.Now().Write(page)
	page.Gap()
	if !p.m.pods.Now().Followed() {
		page.Key("o", "  asks again")
	}
	page.Key("esc", "goes back to the rules")
	p.pods.pager.Set(page.Lines)
	return p.pods.pager.View()
}

// podsNote says how many pods answer, while that is followed.
func (p *placing) podsNote() string {
	return p.m.pods.Now().Note(&p.m.inks)
}

// podsInFront tells whether the pods are on the screen.
func (m *Model) podsInFront() bool {
	if m.way != nil {
		return m.way.pods != nil && m.way.pods == m.pods.Now()
	}
	p, front := (*placing)(nil), false
	if m.open != nil {
		p, front = m.open.section().(*placing)
	}
	return front && p.pods != nil
}
