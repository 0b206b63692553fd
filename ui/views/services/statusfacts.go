package services

import (
	"context"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/views/services/change"
	"geodeck/ui/widget/rows"
)

// statusRead is what the tab Status tells beside the state: the rules of the pods, and what
// this machine remembers of the service.
type statusRead struct {
	tab     *statusTab
	rules   []string // in words
	backups []change.Backup
}

// readFacts reads what is told beside the state. What cannot be read is not told.
func (s *statusTab) readFacts() tea.Cmd {
	site, service := s.Env.Site, s.service
	return s.Scope.Do("status", func(ctx context.Context) tea.Msg {
		r := statusRead{tab: s, rules: site.RuleSentences(ctx, service)}
		if site.Journal != nil {
			r.backups, _ = change.Backups(site, service)
		}
		return r
	})
}

// lay has a pager scroll over what is known now, such as the age of what is shown.
func (s *statusTab) lay(pager *rows.Pager) {
	pager.SetSize(s.Width, s.Height)
	pager.Set(s.lines())
}

// laid is a copy of the pager to draw: while something is read again there may be fewer lines,
// and the place in them stays.
func (s *statusTab) laid() *rows.Pager {
	pager := *s.pager
	s.lay(&pager)
	return &pager
}

// View shows what is known of the service, as far as there is room.
func (s *statusTab) View() string { return s.laid().View() }

// Notes says which lines are shown where not all are.
func (s *statusTab) Notes() []string {
	if at := s.laid().Position(); at != "" {
		return []string{"lines " + at}
	}
	return nil
}

// lines are the whole state, and what else is known of the service: beside it where there is
// room, else below.
func (s *statusTab) lines() []string {
	width := s.Width
	if width >= twoFrom {
		width = (s.Width - dividerSize) / 2
	}
	state := &rows.Page{Inks: s.inks, Width: width}
	s.writeState(state)
	facts := &rows.Page{Inks: s.inks, Width: s.Width - width - dividerSize}
	if width == s.Width {
		facts = state
	}
	s.writeRules(facts)
	s.writeDeployments(facts)
	s.writeNumbers(facts)
	writeVersions(facts, s.Env.Times, s.backups)
	if facts == state || len(facts.Lines) == 0 {
		return state.Lines
	}
	height := max(s.Height, len(state.Lines), len(facts.Lines))
	return s.inks.Columns(state.Block(height), facts.Block(height))
}

// writeState writes the state, and what the service is.
func (s *statusTab) writeState(p *rows.Page) {
	path := s.service.Path()
	s.catalog.writeState(p, path)
	s.catalog.writePods(p, path)
	s.catalog.writeWhy(p, path)
	s.catalog.writeDeployment(p, path, s.deployments)
	p.Gap()
	p.Fact("Type", plain.Line(s.service.Type))
	p.Fact("Folder", folderName(s.service.Folder))
	p.Fact("Id", plain.Line(s.service.ID))
	p.Fact("Description", s.service.Description)
}

// writeRules says where the pods may run.
func (s *statusTab) writeRules(p *rows.Page) {
	if len(s.rules) > 0 {
		p.Heading("Placement")
	}
	for _, text := range s.rules {
		p.Text(p.Inks.Plain, text)
	}
}

// writeDeployments says of each deployment how many pods are ready, and what it is called in
// Kubernetes.
func (s *statusTab) writeDeployments(p *rows.Page) {
	f, k := &s.catalog.pods, s.inks
	headed := false
	for _, d := range f.scaling[s.service.Path()].Deployments {
		pods, counted := f.status[d.DeploymentID]
		if !counted || pods.Err != nil {
			continue
		}
		if !headed {
			p.Heading("Deployments")
			headed = true
		}
		glyph, ink := k.Glyphs.Pass, k.OK
		switch {
		case pods.Short():
			glyph, ink = k.Glyphs.Warn, k.Warn
		case pods.TotalReplicas == 0:
			glyph, ink = k.Glyphs.Skipped, k.Muted
		}
		count := strconv.Itoa(pods.ReadyReplicas) + " of " + strconv.Itoa(pods.TotalReplicas)
		p.Signed(glyph, ink, count+"  "+plain.Line(adminapi.DeploymentName(pods.Name, pods.ID)))
		if name := plain.Line(strings.TrimSpace(pods.ResourceKind + " " + pods.ResourceName)); name != "" {
			p.Indented(k.Muted, "  ", "in Kubernetes "+name)
		}
	}
}

// numbers are the keys of a definition that tell how a service runs beside its instances. Units are not documented.
var numbers = []string{"instancesPerContainer", "maxWaitTime", "maxStartupTime",
	"maxIdleTime", "maxUsageTime", "recycleInterval", "recycleStartTime", "capabilities"}

// writeNumbers writes them as the definition has them.
func (s *statusTab) writeNumbers(p *rows.Page) {
	d, read := s.definition.Now(), s.definition.Fetch().Updated
	if d == nil {
		return
	}
	before := p.Names
	defer func() { p.Names = before }()
	p.Heading("Definition, read " + s.Env.Times.Clock(read))
	p.Names = len("instancesPerContainer") + 2
	p.Fact("Instances", instancesText(d))
	for _, key := range numbers {
		if n, ok := d.Find(document.Whole.Key(key)); ok {
			p.Fact(key, plain.Clip(plain.Line(n.Text()), 200))
		}
	}
}

// maxVersions is how many earlier versions are named.
const maxVersions = 5

// writeVersions names the versions of a service that this machine keeps, newest first.
func writeVersions(p *rows.Page, times *views.Times, backups []change.Backup) {
	if len(backups) == 0 {
		return
	}
	p.Heading("Saved versions")
	for _, b := range backups[:min(maxVersions, len(backups))] {
		who := plain.Line(b.Who)
		if why := plain.Line(b.Why); who != "" && why != "" {
			who += ", " + why
		} else {
			who += why
		}
		p.Line(times.Minute(b.Saved) + "  " + b.What() + "  " + p.Inks.Muted.On(plain.Clip(who, max(8, p.Width-22-len(b.What())))))
	}
}
