package services

import (
	"context"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/operation"
	"geodeck/ui/views"
	"geodeck/ui/views/jsonview"
	"geodeck/ui/views/rows"
	"geodeck/ui/views/services/rules"
)

// placing is the section in which the rules are built that place the pods of a service.
type placing struct {
	*edited
	builder *rules.Builder
	json    *jsonview.View     // of a policy that can only be looked at; nil for none
	judging bool               // one judgement at a time is worked out
	told    *document.Document // the policy whose deployments were asked for
	asking  bool               // for the deployments
	pods    *podsPage          // shown in place of the rules; nil for none
	hidden  bool               // the site does not tell which deployments are shared
}

func newPlacing(m *Model, service adminapi.ServiceRef) section {
	builder := rules.New(m.env.Theme)
	p := &placing{builder: builder}
	p.edited = &edited{m: m, target: operation.PlacementOf(service), editor: &policyEditor{Builder: builder}, after: p.changedRules}
	p.tellNodes()
	return p
}

func (p *placing) title() string { return "Placement" }

// placing returns the section of the rules of the open service; nil where none is open.
func (m *Model) placing() *placing {
	if m.open == nil {
		return nil
	}
	for _, s := range m.open.sections {
		if p, ok := s.(*placing); ok {
			return p
		}
	}
	return nil
}

// shown reads the policy, and the nodes where nobody has needed them yet.
func (p *placing) shown() tea.Cmd {
	p.pods = nil
	p.tellNodes() // they may have been read for a review
	return tea.Batch(p.edited.shown(), p.m.loadNodes(), p.judge())
}

// back goes one step out of the builder.
func (p *placing) back() bool {
	if p.pods != nil {
		p.pods = nil
		return true
	}
	if p.json != nil && p.json.Filter() != "" {
		p.json.SetFilter("")
		return true
	}
	return p.edited.back() || p.editable() && p.builder.Back()
}

// changedRules follows each change of the rules, and each reading of them.
func (p *placing) changedRules() tea.Cmd {
	if p.unfit != nil {
		p.json = jsonview.New(p.m.env.Theme)
		p.json.Set(p.now.Bytes())
		p.m.place()
		return nil
	}
	p.json = nil
	if base := p.editor.Base(); p.told != base {
		p.told = base
		return tea.Batch(p.judge(), p.needDeployments())
	}
	return p.judge()
}

// judge finds out what the nodes make of the rules. What is edited while that is under
// way is judged after it: keys that are held down start no work beside each other.
func (p *placing) judge() tea.Cmd {
	if p.now == nil || p.unfit != nil || p.judging {
		return nil
	}
	work := p.builder.Judging()
	if work == nil {
		return nil
	}
	p.judging = true
	return p.m.scope.Do("judge", func(context.Context) tea.Msg { return judged{p, work()} })
}

// judged is what the nodes make of the rules.
type judged struct {
	of        *placing
	judgement rules.Judgement
}

func (r judged) apply(*Model) tea.Cmd {
	r.of.judging = false
	r.of.builder.Judge(r.judgement)
	return r.of.judge() // of what was edited meanwhile
}

func (p *placing) do(id, argument string) (tea.Cmd, bool) {
	switch act, mine := placingActs[id]; {
	case p.away:
	case p.pods != nil:
		return p.doPods(id), true
	case p.offer != nil:
	case p.json != nil && id == rows.Search && argument != "":
		p.json.SetFilter(argument)
		return nil, true
	case p.json != nil && p.json.Do(id):
		return nil, true
	case mine && p.now != nil:
		return act(p, argument), true
	}
	return p.edited.do(id, argument)
}

func (p *placing) update(msg tea.Msg) tea.Cmd {
	if key, ok := msg.(tea.KeyMsg); ok && p.offer == nil && p.json != nil && p.json.Typing() {
		p.json.Type(key)
		return nil
	}
	return p.edited.update(msg)
}

func (p *placing) capturesText() bool {
	return p.edited.capturesText() || p.unfit != nil && p.json != nil && p.json.Typing()
}

func (p *placing) commands() []views.Command {
	now := p.edited.commands()
	switch {
	case p.pods != nil:
		return p.podsCommands()
	case p.json != nil && p.json.Typing():
		return []views.Command{hinted(cmdEnter, "keep"), hinted(cmdBack, "clear")}
	case p.json != nil && p.unfit != nil && p.offer == nil && p.broken == nil:
		return slices.Concat(now, rows.Moves(), rows.Filters(), rows.Folds())
	case p.editable() && !p.capturesText():
		return p.builderFirst()
	}
	return now
}

// builderFirst are the commands while rules are built: what builds them comes before
// what is done with the whole.
func (p *placing) builderFirst() []views.Command {
	whole := []views.Command{cmdOutside, cmdReread}
	var write []views.Command
	if p.changed() {
		write, whole = append([]views.Command{cmdWrite}, p.takeCommand()...), []views.Command{cmdDifference, cmdOutside, cmdDiscard, cmdReread}
	}
	building := views.Usable(p.builder.Commands())
	hints := slices.IndexFunc(building, func(c views.Command) bool { return c.ID == rows.Up })
	if hints < 0 {
		hints = len(building)
	}
	return slices.Concat(write, building[:hints], p.rulesCommands(), whole, building[hints:])
}

func (p *placing) setSize(width, height int) {
	p.edited.setSize(width, height)
	if p.pods != nil {
		p.pods.setSize(width, height)
	}
	if p.json != nil {
		p.json.SetSize(width, max(0, height-len(p.unfitLines())))
	}
}

// notes add where in the rules the cursor is, and what is not known of them.
func (p *placing) notes() []string {
	if p.pods != nil {
		return []string{p.pods.pager.Position()}
	}
	notes := append(p.edited.notes(), p.podsNote())
	if p.json != nil && p.unfit != nil {
		return append(notes, p.json.Position())
	}
	if !p.editable() {
		return notes
	}
	notes = append(notes, p.builder.Note())
	if p.hidden {
		notes = append(notes, "whether other services share it is not known")
	}
	return notes
}

func (p *placing) view() string {
	if p.pods != nil {
		return p.podsView()
	}
	p.tellNodes() // moments may be written in another way by now
	if p.json == nil || p.now == nil || p.offer != nil || p.broken != nil {
		return p.edited.view()
	}
	return p.m.block(append(p.unfitLines(), strings.Split(p.json.View(), "\n")...), p.size)
}

// unfitLines say why the rules can only be looked at.
func (p *placing) unfitLines() []string {
	page := p.m.page()
	page.Signed(p.m.inks.Glyphs.Warn, p.m.inks.Warn, "The rules of this service cannot be edited here, only looked at: "+p.unfit.Error())
	page.Gap()
	return page.Lines
}

// loadNodes reads the nodes where nobody has needed them yet, and says so.
func (m *Model) loadNodes() tea.Cmd { return tea.Batch(m.nodes.Load(), m.tellNodes()) }

// tellNodes gives the builder what is known of the nodes, and has it judge anew.
func (m *Model) tellNodes() tea.Cmd {
	p := m.placing()
	if p == nil {
		return nil
	}
	p.tellNodes()
	return p.judge()
}

func (p *placing) tellNodes() { p.builder.SetNodes(p.m.nodes.List(), p.m.nodes.Note()) }

// podsState has the state of the service read again: it follows from that of its pods.
func (m *Model) podsState(service adminapi.ServiceRef) tea.Cmd {
	m.restarts(service)
	return m.askStates([]adminapi.ServiceRef{service})
}
