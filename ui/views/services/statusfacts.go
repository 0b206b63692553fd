package services

import (
	"context"
	"slices"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/explain"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/views/services/history"
	"geodeck/ui/views/services/jsonedit"
	"geodeck/ui/widget/rows"
)

// readFacts reads what is told beside the state: the rules of the pods, and what this machine remembers
// of the service. What cannot be read is not told.
func (s *statusTab) readFacts() tea.Cmd {
	site, service := s.Env.Site, s.service
	return s.Scope.Work("status", func(ctx context.Context) func() tea.Cmd {
		rules, backups := editing.RuleSentences(ctx, site.Client, service), []history.Backup(nil)
		if site.Memory.Journal != nil {
			backups, _ = history.Backups(site, service)
		}
		return func() tea.Cmd {
			s.rules, s.backups = rules, backups
			return nil
		}
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

// stateKey is what the lines of a state depend on.
type stateKey struct {
	news, width, height int
	times               views.Stamp
	second              int64 // ages count up
}

// lines are laid out anew where what they are laid out from may have changed.
func (s *statusTab) lines() []string {
	key := stateKey{s.states.news, s.Width, s.Height, s.Env.Times.Stamp(), s.Env.Clock.Now().Unix()}
	return s.cache.For(key, s.stateLines)
}

// stateLines are the whole state, and what else is known of the service: beside it where there is
// room, else below.
func (s *statusTab) stateLines() []string {
	width := s.Width
	if width >= twoFrom {
		width = (s.Width - dividerSize) / 2
	}
	state := &rows.Page{Inks: s.inks, Width: width}
	s.writeState(state)
	facts := &rows.Page{Inks: s.inks, Width: s.Width - width - dividerSize}
	if width == s.Width {
		facts = state
	} else {
		s.writeMore(state)
	}
	s.writeRules(facts)
	s.writeDeployments(facts)
	s.writeNumbers(facts)
	if d, _ := s.definition(); d != nil && facts != state {
		s.writeKeys(facts, d, "Properties", document.Whole.Key("properties"), properties)
	}
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
	s.states.writeState(p, path)
	s.states.writePods(p, path)
	s.states.writeWhy(p, path)
	s.states.writeDeployment(p, path)
	p.Gap()
	p.Fact("Type", plain.Line(s.service.Type))
	p.Fact("Folder", folderName(s.service.Folder))
	p.Fact("Id", plain.Line(s.service.ID))
	p.Fact("Description", s.service.Description)
}

// writeMore writes what only a wide terminal has room for: the evidence of a fault, what the
// definition has on, and who shares the pods.
func (s *statusTab) writeMore(p *rows.Page) {
	path := s.service.Path()
	if r := s.states.reasonOf(path); r != nil {
		section(p, "Evidence", len(r.Evidence), func(i int) string { return r.Evidence[i].Text })
		for _, part := range r.More {
			if part.Name == explain.JobsPart {
				section(p, part.Name, len(part.Lines), func(i int) string { return part.Lines[i] })
			}
		}
	}
	if d, _ := s.definition(); d != nil {
		if list, _ := d.Find(document.Whole.Key("extensions")); list.Valid() && list.Kind() == document.Array {
			section(p, "Extensions", list.Len(), func(i int) string {
				extension, _ := d.Find(document.Whole.Key("extensions").Index(i))
				return jsonedit.ExtensionState(extension)
			})
		}
	}
	own, _ := s.states.pods.own(path)
	var sharing []string
	for other, scaling := range s.states.pods.scaling {
		if other != path && own.DeploymentID != "" && slices.ContainsFunc(scaling.Deployments, func(d adminapi.Scaling) bool { return d.DeploymentID == own.DeploymentID }) {
			sharing = append(sharing, other)
		}
	}
	slices.Sort(sharing)
	section(p, "Seen to share its pods", len(sharing), func(i int) string {
		_, text, _ := s.states.stateOf(sharing[i])
		return strings.TrimSuffix(sharing[i]+"  "+text, "  ")
	})
}

// section adds lines of foreign text below a heading, where there are any.
func section(p *rows.Page, name string, n int, line func(i int) string) {
	for i := range n {
		if i == 0 {
			p.Heading(name)
		}
		p.Text(p.Inks.Plain, line(i))
	}
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
	f, k := &s.states.pods, s.inks
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

// properties are those of a type that tell what it serves, and how much of it.
var properties = []string{"maxRecordCount", "maximumRecords", "maxImageHeight", "maxImageWidth", "maxBufferCount", "minScale", "maxScale",
	"isCached", "clientCachingAllowed", "exportTilesAllowed", "schemaLockingEnabled", "executionType", "resultMapServer", "showMessages",
	"filePath", "toolbox", "outputDir", "jobsDirectory", "cacheDir"}

// writeNumbers writes the numbers as the definition has them.
func (s *statusTab) writeNumbers(p *rows.Page) {
	if d, read := s.definition(); d != nil {
		s.writeKeys(p, d, "Definition, read "+s.Env.Times.Clock(read), document.Whole, numbers)
	}
}

// writeKeys writes the keys of an object that it has.
func (s *statusTab) writeKeys(p *rows.Page, d *document.Document, name string, in document.Path, keys []string) {
	before := p.Names
	defer func() { p.Names = before }()
	p.Heading(name)
	headed := len(p.Lines)
	p.Names = len("instancesPerContainer") + 2
	if in == document.Whole {
		p.Fact("Instances", instancesText(d))
	}
	for _, key := range keys {
		if n, ok := d.Find(in.Key(key)); ok {
			p.Fact(key, plain.Clip(plain.Line(n.Text()), 200))
		}
	}
	if len(p.Lines) == headed {
		p.Lines = p.Lines[:headed-1]
	}
}

// maxVersions is how many earlier versions are named.
const maxVersions = 5

// writeVersions names the versions of a service that this machine keeps, newest first.
func writeVersions(p *rows.Page, times *views.Times, backups []history.Backup) {
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
