// Package conflict is the step of a change in which what others changed meanwhile is merged with it: a
// version is chosen for each place that both changed, or typed. Nothing is sent. Start at [Model]; its
// rows are in places.go.
package conflict

import (
	"context"
	"maps"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/explain"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/views/services/plan"
	"geodeck/ui/widget"
	"geodeck/ui/widget/rows"
	"geodeck/ui/widget/whatnow"
)

// Model is the step.
type Model struct {
	plan.Step
	places *places
	done   func(Merged) tea.Cmd
}

// Merged is how the step ends: with an edit on top of what the site has now.
type Merged struct {
	Edit    editing.Edit
	Before  *document.Document // that undoing the merge leads back to
	Of      editing.Merge      // the two versions
	Same    bool               // it changes nothing of what the site has
	Editing bool               // it goes on in its tab
}

// New returns the step that merges two versions of an edit; done gets the end. What was chosen in left,
// which may be nil, stays chosen where the conflict is the same.
func New(base views.Base, inks *rows.Inks, merge editing.Merge, left *Model, done func(Merged) tea.Cmd) *Model {
	m := &Model{Step: plan.NewStep(base, inks), done: done, places: newPlaces(inks, rows.New[placeKey](base.Env.Theme), merge)}
	if left != nil {
		m.places.choices(left.places)
	}
	m.Table = m.rows()
	return m
}

// SetSize gives the step its cells.
func (m *Model) SetSize(width, height int) {
	m.Base.SetSize(width, height)
	m.places.width = width
	m.places.lay()
	m.places.list.SetSize(width, max(1, height-len(m.preface())))
}

// View draws what has happened, and the places.
func (m *Model) View() string {
	return strings.Join(append(m.preface(), m.places.list.View()), "\n")
}

// Note names the step.
func (m *Model) Note(int) string { return "conflict" }

var footer = []string{rows.Up, rows.Down, "services.choose", "services.choose-edit", "services.merge", "services.back", "services.explain-change"}

// Footer lists the rows of the footer.
func (m *Model) Footer() []string { return footer }

// rows makes the table.
func (m *Model) rows() []views.Command {
	some := views.Only(func() bool { return len(m.places.merge.Conflicts) > 0 }, "Nothing is in conflict.")
	on := func() string {
		if why := some(); why != "" {
			return why
		}
		if _, _, ok := m.places.at(); !ok {
			return views.Keys("Press {key:services.next-conflict} to go to a conflict first.")
		}
		return ""
	}
	return slices.Concat([]views.Command{
		{ID: "services.choose", Key: "space", Word: "mine or theirs", Name: "choose mine or theirs", Group: plan.Group, Enabled: on, Run: views.Call(m.places.choose),
			Help: "In a conflict: choose your version or the site's."},
		{ID: "services.choose-edit", Key: "e", Word: "edit", Name: "edit value in conflict", Group: plan.Group, Enabled: on, Run: m.edit,
			Help: "In a conflict: type another value. Edit rules and objects in their tab."},
		{ID: "services.merge", Key: "enter m", Hint: m.mergeHint, Name: "merge", Group: plan.Group, Run: m.merge,
			Help: "Merge your change with the site's version, for another review. Sends nothing."},
		{ID: "services.next-conflict", Key: "n", Name: "next conflict", Group: plan.Group, Enabled: some, Run: views.Call(m.places.next),
			Help: "Go to the next conflict."},
		{ID: "services.previous-conflict", Key: "N", Name: "previous conflict", Group: plan.Group, Enabled: some, Run: views.Call(func() { m.places.seek(-1) }),
			Help: "Go to the previous conflict."},
	}, m.places.list.Moves())
}

func (m *Model) mergeHint() string {
	if m.places.open() > 0 {
		return "next"
	}
	return "merge"
}

// Explain opens the panel What now.
func (m *Model) Explain() tea.Cmd {
	next := explain.Step{Text: views.Keys("Press {key:services.merge} to merge, then review and send.")}
	if m.places.open() > 0 {
		next.Text = views.Keys("Choose mine or theirs, then press {key:services.merge} to merge.")
	}
	return whatnow.Open(m.Env, explain.Explanation{Title: m.places.merge.Edit.Target.String(), Fault: true, Next: next,
		Cause: explain.Cause{Known: true, Sentence: "Somebody changed it after you opened it. Nothing was sent."}}, nil, nil)
}

// edit types a value for the place under the cursor. What has no line of its own
// is edited in its tab, on top of what the site has.
func (m *Model) edit() tea.Cmd {
	conflict, _, _ := m.places.at()
	raw := conflict.Mine
	if value, chosen := m.places.values[conflict.Path]; chosen {
		raw = value
	}
	for _, version := range []string{conflict.Base, conflict.Mine, conflict.Theirs} {
		if document.IsContainer(version) {
			return m.editMerged()
		}
	}
	quoted := strings.HasPrefix(raw, `"`)
	if d, err := document.Parse([]byte(raw)); err == nil && quoted {
		raw = d.Root().Text()
	}
	asJSON := func(text string) string {
		if quoted {
			return document.Quote(text)
		}
		return strings.TrimSpace(text)
	}
	return views.Show(widget.NewPrompt(m.Env.Theme, widget.PromptOptions{
		ID: "services.choose-value", Title: "Value of " + plain.Clip(conflict.Path.String(), 60), Action: "choose", Value: raw,
		Check: func(text string) error {
			_, err := document.Parse([]byte(asJSON(text)))
			return err
		},
		Then: func(text string) tea.Cmd {
			return m.Scope.Call("choose", m.WhileOpen(func() tea.Cmd {
				m.places.typeValue(conflict.Path, asJSON(text))
				return nil
			}))
		},
	}))
}

// merge brings the change on top of what the site has now.
func (m *Model) merge() tea.Cmd {
	if n := m.places.open(); n > 0 {
		m.places.next()
		return views.Tell(views.Info, plain.Plural(n, "conflict")+views.Keys(" to choose: press {key:services.choose} for mine or theirs."))
	}
	return m.mergeWith(m.places.values, false)
}

// editMerged goes on in the tab, with mine where no version was chosen.
func (m *Model) editMerged() tea.Cmd {
	values := m.places.merge.AllMine()
	maps.Copy(values, m.places.values)
	return m.mergeWith(values, true)
}

func (m *Model) mergeWith(values document.Resolutions, editing bool) tea.Cmd {
	merge, chosen := m.places.merge, maps.Clone(values)
	return m.Work("merge", func(context.Context) func() tea.Cmd {
		edit, left := merge.With(chosen)
		r := Merged{edit, merge.Before(edit), merge, len(document.Diff(edit.Base, edit.Edited)) == 0, editing}
		return func() tea.Cmd {
			if len(left) > 0 {
				return views.Tell(views.Warning, "The two versions cannot be merged. Start again from the site's.")
			}
			return m.done(r)
		}
	})
}

// preface says above the places what has happened.
func (m *Model) preface() []string {
	p, k := m.Page(), m.Inks
	what := plain.Line(m.places.merge.Edit.Target.String())
	p.Status(rows.StatusWarning, "The "+what+" was changed at the site meanwhile; nothing was sent")
	switch n := m.places.open(); {
	case n > 0:
		p.Text(k.Plain, plain.Plural(n, "conflict")+views.Keys(" to choose: press {key:services.choose} for mine or theirs; {key:services.merge} goes to the next."))
	default:
		p.Text(k.Plain, views.Keys("Press {key:services.merge} to merge with the site's version; you review it before it is sent."))
	}
	if merge := m.places.merge; m.places.open() > 0 {
		for _, side := range []struct {
			name  string
			moves []editing.Move
		}{{"mine", merge.MyMoves}, {"theirs", merge.TheirMoves}} {
			for _, move := range side.moves[:min(len(side.moves), plan.MaxMoves)] {
				if move.To.Total > 0 {
					p.Line("  " + k.Fit(side.name, 8) + plain.Clip(adminapi.DeploymentName(move.After.DeploymentType, move.After.DeploymentID)+": "+plan.NodesMove(move, k.Glyphs.Arrow), max(8, p.Width-12)))
				}
			}
		}
	}
	p.Gap()
	return p.Lines
}
