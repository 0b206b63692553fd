package services

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/views/services/editor"
	"geodeck/ui/views/services/history"
	"geodeck/ui/widget/rows"
)

// statusTab is the tab of a service's state.
type statusTab struct {
	views.Base
	inks    *rows.Inks
	service adminapi.ServiceRef
	states  *states
	table   []views.Command
	cache   views.Drawn[stateKey, []string]

	definition func() (now *document.Document, read time.Time) // as far as it was read
	pager      *rows.Pager
	rules      []string // in words
	backups    []history.Backup
}

func newStatusTab(base views.Base, inks *rows.Inks, service adminapi.ServiceRef, states *states, definition func() (*document.Document, time.Time)) *statusTab {
	s := &statusTab{Base: base, inks: inks, service: service, states: states, definition: definition,
		pager: rows.NewPager(inks.Glyphs.Ellipsis)}
	s.tabulate()
	return s
}

func (s *statusTab) About() string          { return "Why the service runs or not: state, pods, deployments." }
func (s *statusTab) Fetch() *views.Fetch    { return nil }
func (s *statusTab) Back() bool             { return false }
func (s *statusTab) CapturesText() bool     { return false }
func (s *statusTab) Filtering() bool        { return false }
func (s *statusTab) Update(tea.Msg) tea.Cmd { return nil }
func (s *statusTab) Leave() string          { return "" }
func (s *statusTab) Close() tea.Cmd         { return nil }

// Shown reads the state, the pods, and what is told beside them.
func (s *statusTab) Shown() tea.Cmd {
	s.states.pods.expire(s.service.Path())
	delete(s.states.reasons, s.service.Path())
	s.states.news++
	return tea.Batch(s.states.loadStates(s.service), s.states.loadPods([]adminapi.ServiceRef{s.service}), s.readFacts())
}

// Commands lists every row of the tab.
func (s *statusTab) Commands() []views.Command { return s.table }

var statusFooter = []string{rows.Up, rows.Down, "services.explain", "services.nodes-why", "services.switch-open", "services.read-again",
	"services.next-section", "services.back"}

// Footer lists the rows of the footer.
func (s *statusTab) Footer() []string { return statusFooter }

// tabulate makes the rows.
func (s *statusTab) tabulate() {
	moves := views.Around(s.pager.Moves(), func(_ views.Command, run func() tea.Cmd) tea.Cmd {
		s.lay(s.pager)
		return run()
	})
	for i, row := range moves {
		if row.HintText() != "" { // they do nothing where all is in sight
			moves[i].Hint = views.HintIf(func() bool { return s.laid().Position() != "" }, views.ScrollHint)
		}
	}
	s.table = append(moves, editor.RefreshRow("refresh", nil, s.Shown), copyRow(nil, func() tea.Cmd { return copyPath(s.service) }))
}

// instancesText says how many instances a definition allows, empty where it does not say.
func instancesText(d *document.Document) string {
	least, known := d.Find("minInstancesPerNode")
	most, alsoKnown := d.Find("maxInstancesPerNode")
	if !known || !alsoKnown {
		return ""
	}
	return plain.Clip(least.Text(), 12) + " to " + plain.Clip(most.Text(), 12) + " per node"
}
