// Package placement is the tab in which the rules are built that place the pods of a
// service. Start at [Tab]: it is an [editor.Tab] whose widget is the builder of rules,
// with what belongs to rules alone: nodes and their judgement, the deployments that
// services share, presets and rules of other services (fill.go), and the pods.
package placement

import (
	"context"
	"errors"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/operation/editing"
	"geodeck/ui/views"
	"geodeck/ui/views/services/cluster"
	"geodeck/ui/views/services/editor"
	"geodeck/ui/views/services/rules"
	"geodeck/ui/widget/jsonview"
	"geodeck/ui/widget/rows"
)

// Host is what the tab asks of the view around it.
type Host interface {
	editor.Host
	// Services are those of the site, as far as they are known.
	Services() []adminapi.ServiceRef
}

// Shared is what all placement tabs know together.
type Shared struct {
	Nodes       *cluster.Nodes
	Deployments *cluster.Deployments
	Pods        *cluster.Pods
	Drafts      *editor.Drafts
}

// Tab builds the rules of one service.
type Tab struct {
	*editor.Tab
	Shared
	host    Host
	inks    *rows.Inks
	builder *rules.Builder
	widget  *policies          // the builder as an editor of documents
	json    *jsonview.View     // of a policy that can only be looked at
	jsonOf  *document.Document // that it shows; nil for none
	judging bool               // one judgement at a time is worked out
	base    *document.Document // the policy whose deployments were fetched
	asking  bool               // for the deployments
	hidden  bool               // it is not known which deployments are shared
	pods    *rows.Pager
	onPods  bool // they are shown in place of the rules
	table   []views.Command
}

// New returns a tab that has read nothing yet.
func New(base views.Base, inks *rows.Inks, service adminapi.ServiceRef, host Host, shared Shared) *Tab {
	builder := rules.New(base.Env.Theme)
	t := &Tab{Shared: shared, host: host, inks: inks, builder: builder, widget: &policies{Builder: builder},
		pods: rows.NewPager(inks.Glyphs.Ellipsis), json: jsonview.New(base.Env.Theme)}
	t.Tab = editor.New(base, inks, editing.PlacementOf(service), t.widget, host, shared.Drafts)
	t.Tab.Opened = t.opened
	t.table = t.rows()
	t.setNodes()
	return t
}

// Update takes typed keys, and messages of the builder.
func (t *Tab) Update(msg tea.Msg) tea.Cmd {
	if key, typed := msg.(tea.KeyMsg); typed && t.jsonInFront() && t.json.Typing() {
		t.json.Type(key)
		return nil
	}
	return t.Tab.Update(msg)
}

// Shown fetches the policy, and the nodes at the first time.
func (t *Tab) Shown() tea.Cmd {
	t.onPods = false
	nodes := t.Nodes.Load()
	return tea.Batch(t.Tab.Shown(), nodes, t.NodesChanged())
}

// NodesChanged gives the builder the nodes, which it judges.
func (t *Tab) NodesChanged() tea.Cmd {
	t.setNodes()
	return t.judge()
}

func (t *Tab) setNodes() { t.builder.SetNodes(t.Nodes.List(), t.Nodes.Note()) }

// ShowNode goes to a node in the panel of nodes, once it is known; without a name to the first
// rule with a finding.
func (t *Tab) ShowNode(name string) {
	if name == "" {
		t.builder.ShowFault()
		return
	}
	t.builder.ShowNode(name)
}

// PodsChanged draws the page of the pods again.
func (t *Tab) PodsChanged() {
	if t.onPods {
		t.pods.Set(t.podsLines())
	}
}

// opened follows each change of the rules, and each policy that was read.
func (t *Tab) opened() tea.Cmd {
	if t.Unfit() != nil && t.jsonOf == t.Now() {
		return nil
	}
	t.jsonOf = nil
	if t.Unfit() != nil {
		now, th := t.Now(), t.Env.Theme
		return t.Scope.Work("policy as JSON", func(context.Context) func() tea.Cmd {
			v := jsonview.New(th)
			v.Set(now.Bytes())
			return func() tea.Cmd {
				if t.Now() == now && t.Unfit() != nil {
					t.json.Replace(v)
					t.jsonOf = now
					t.SetSize(t.Width, t.Height)
				}
				return nil
			}
		})
	}
	if t.base != t.widget.base {
		t.base = t.widget.base
		return tea.Batch(t.judge(), t.loadDeployments())
	}
	return t.judge()
}

// jsonInFront reports whether a policy is shown that can only be looked at.
func (t *Tab) jsonInFront() bool { return t.jsonOf != nil && t.InFront() && t.Unfit() != nil }

// judge works out which nodes take the pods. What is edited meanwhile is judged after it,
// so that a held key starts one judgement at a time.
func (t *Tab) judge() tea.Cmd {
	if t.Now() == nil || t.Unfit() != nil || t.judging {
		return nil
	}
	work := t.builder.Judging()
	if work == nil {
		return nil
	}
	t.judging = true
	return t.Scope.Work("judge", func(context.Context) func() tea.Cmd {
		judgement := work()
		return func() tea.Cmd {
			t.judging = false
			t.builder.Judge(judgement)
			return t.judge() // of what was edited meanwhile
		}
	})
}

// loadDeployments fetches which of the deployments are shared, each once. Where that cannot be fetched,
// a note says so: the rules can be edited all the same.
func (t *Tab) loadDeployments() tea.Cmd {
	policy := t.builder.Base()
	t.Deployments.Note(t.Target.Service.Path(), policy.Items()...)
	t.markShared()
	ids := t.Deployments.Unread(policy)
	more := len(ids) > cluster.MaxDeployments
	t.hidden = more
	if len(ids) == 0 || t.asking {
		return nil
	}
	t.asking, ids = true, ids[:min(len(ids), cluster.MaxDeployments)]
	read := t.Deployments.Reader(t.Env.Site.Client)
	return t.Scope.Work("deployments", func(ctx context.Context) func() tea.Cmd {
		known, err := read(ctx, ids)
		return func() tea.Cmd {
			t.asking = false
			t.Deployments.Read(known)
			t.hidden = more || err != nil && !errors.Is(err, adminapi.KindCancelled)
			t.markShared()
			return nil
		}
	})
}

// markShared says which deployments other services share.
func (t *Tab) markShared() {
	notes, names := map[string]string{}, map[string]string{}
	for _, i := range t.builder.Base().Items() {
		if shared := t.Deployments.SharedRules(i.DeploymentID, t.Target.Service.Path()); shared != "" {
			notes[i.DeploymentID] = "Shared: " + shared + "."
		}
		if one, known := t.Deployments.Of(i.DeploymentID); known {
			names[i.DeploymentID] = adminapi.DeploymentName(one.Name, one.ID)
		}
	}
	t.builder.Describe(names, notes)
}

// showPods opens the page of the pods: those that are followed after an edit, else those
// of the policy.
func (t *Tab) showPods() tea.Cmd {
	var asked tea.Cmd
	if !t.Pods.Now().Followed() {
		var ids []string
		for _, i := range t.builder.Base().Items() {
			if i.DeploymentID != "" && !slices.Contains(ids, i.DeploymentID) {
				ids = append(ids, i.DeploymentID)
			}
		}
		if len(ids) == 0 {
			return views.Tell(views.Info, "The policy names no deployment, so there are no pods to show.")
		}
		asked = t.Pods.Follow(t.Target.Service, ids)
	}
	t.onPods = true
	t.pods.Home()
	t.SetSize(t.Width, t.Height)
	return asked
}

// PodsInFront reports whether the pods are shown in place of the rules.
func (t *Tab) PodsInFront() bool { return t.onPods }

func (t *Tab) podsLines() []string {
	page := &rows.Page{Inks: t.inks, Width: t.Width}
	t.Pods.Now().Write(page)
	page.Gap()
	if !t.Pods.Now().Followed() {
		page.Key("R", "  refresh")
	}
	page.Key("esc", "back to the rules")
	return page.Lines
}

// Back goes one step out, and reports whether there was one.
func (t *Tab) Back() bool {
	switch {
	case t.onPods:
		t.onPods = false
		return true
	case t.jsonOf != nil && t.json.Filter() != "":
		t.json.SetFilter("")
		return true
	}
	return t.Tab.Back()
}

// CapturesText reports whether typed keys are text.
func (t *Tab) CapturesText() bool { return t.Filtering() || t.Tab.CapturesText() }

// Filtering reports whether a filter is being typed that hides lines of a text.
func (t *Tab) Filtering() bool { return t.Tab.Filtering() || t.jsonInFront() && t.json.Typing() }

// SetSize gives the tab its cells.
func (t *Tab) SetSize(width, height int) {
	t.setNodes() // the display of times may have changed
	t.Tab.SetSize(width, height)
	if t.onPods {
		t.pods.SetSize(width, height)
		t.pods.Set(t.podsLines())
	}
	if t.Unfit() != nil {
		t.json.SetSize(width, max(0, height-len(t.unfitLines())))
	}
}

// Notes add where in the rules the cursor is, and what is not known of them.
func (t *Tab) Notes() []string {
	if t.onPods {
		return []string{t.pods.Position()}
	}
	notes := append(t.Tab.Notes(), t.Pods.Now().Note(t.inks))
	switch {
	case t.jsonOf != nil && t.Unfit() != nil:
		return append(notes, t.json.Position())
	case !t.InFront() || t.Unfit() != nil:
		return notes
	}
	notes = append(notes, t.builder.Note())
	if t.hidden {
		notes = append(notes, "shared or not: unknown")
	}
	return notes
}

// View draws the rules, or what is in their place.
func (t *Tab) View() string {
	switch {
	case t.onPods:
		pager := *t.pods // what it says counts time, whatever it was laid out with
		pager.Set(t.podsLines())
		return pager.View()
	case !t.InFront() || t.Unfit() == nil:
		return t.Tab.View()
	}
	lines := t.unfitLines()
	if t.jsonOf != nil {
		lines = append(lines, strings.Split(t.json.View(), "\n")...)
	}
	return t.inks.Block(lines, t.Width, t.Height)
}

// unfitLines say why the rules can only be looked at.
func (t *Tab) unfitLines() []string {
	page := &rows.Page{Inks: t.inks, Width: t.Width}
	page.Signed(t.inks.Glyphs.Warn, t.inks.Warn, "You can view these rules here, but not edit them: "+t.Unfit().Error())
	page.Gap()
	return page.Lines
}

const group = "Placement"

// Commands lists every row of the tab.
func (t *Tab) Commands() []views.Command { return t.table }

var podsFooter = []string{rows.Up, rows.Down, "services.pods-again", "services.next-section", "services.back", "services.explain"}

// Footer lists the rows of the footer.
func (t *Tab) Footer() []string {
	if t.onPods {
		return podsFooter
	}
	return t.Tab.Footer()
}

// rows makes the rows, of which those of a policy that can only be looked at are its own.
func (t *Tab) rows() []views.Command {
	told := func(f func(string) tea.Cmd) func(string) tea.Cmd {
		return func(argument string) tea.Cmd { return tea.Batch(f(argument), t.NodesChanged()) }
	}
	some := views.Only(func() bool { return len(t.builder.Policy().Items()) > 0 }, "The policy names no deployment.")
	return slices.Concat(
		views.When(func() bool { return !t.onPods }, t.withoutR(t.Tab.Commands())),
		views.When(t.idle, []views.Command{
			{ID: "services.presets", Key: "P", Word: "presets", Name: "presets", Group: group, Enabled: some, Run: t.askPreset,
				Help: views.Keys("Use ready-made rules, or another service's, for this deployment; {key:rules.undo} undoes.")},
			{ID: "services.copy-rules", Name: "copy rules from", Argument: "service", Choices: t.otherPaths, Group: group, Enabled: some, With: t.copyFrom,
				Help: views.Keys("Copy another service's rules into this deployment; {key:rules.undo} undoes. Sends nothing.")},
			{ID: "services.pods", Name: "pods", Group: group, Run: t.showPods, Help: "Show how many pods of each deployment are ready. Sends nothing."},
			{ID: "services.nodes", Key: "L", Word: "load nodes", Name: "load nodes", Group: group, Run: t.Nodes.Ask,
				Hint: views.HintIf(func() bool { return t.Nodes.Version() == 0 }, "load nodes"),
				Help: "Load the nodes from a file or a command such as kubectl."},
			{ID: "services.nodes-again", Key: "R", Name: "refresh nodes", Group: group, Run: func() tea.Cmd { return tea.Batch(t.Nodes.Refresh(), t.NodesChanged()) },
				Help: "Refresh the nodes of the cluster from the same source."},
			{ID: "services.nodes-file", Name: "nodes from file", Argument: "file", Files: true, Group: group, With: told(t.Nodes.FromFile),
				Help: "Read the nodes from a file with kubectl's JSON or YAML."},
			{ID: "services.nodes-command", Name: "nodes from command", Argument: "command", Group: group, With: told(t.Nodes.FromCommand),
				Help: "Read the nodes from a command that prints them; no shell is used."},
		}),
		[]views.Command{t.Pods.RefreshRow(func() bool { return t.onPods && !t.Pods.Now().Followed() }, t.PodsChanged)},
		views.When(t.PodsInFront, t.pods.Moves()),
		views.When(func() bool { return t.jsonInFront() && !t.onPods && !t.json.Typing() }, t.json.Commands()),
	)
}

// withoutR leaves R to the nodes while the rules are shown: f5 refreshes the tab then.
func (t *Tab) withoutR(list []views.Command) []views.Command {
	i := slices.IndexFunc(list, func(c views.Command) bool { return c.ID == "services.read-again" })
	f5 := list[i]
	f5.Key, f5.Word = "f5", ""
	return slices.Concat(list[:i], views.When(t.InFront, []views.Command{f5}),
		views.When(func() bool { return !t.InFront() }, list[i:i+1]), list[i+1:])
}

// idle reports whether keys go to the rules.
func (t *Tab) idle() bool { return !t.onPods && t.Editing() && !t.builder.CapturesText() }
