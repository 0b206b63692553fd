package review

import (
	"context"
	"io"
	"path/filepath"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/finding"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/batching"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

// savePlan writes the reviewed plan into a new file.
func (m *Model) savePlan() tea.Cmd {
	name := "services-plan.txt"
	if !m.Several {
		name = views.FileSafe(strings.ReplaceAll(m.About(), "/", "-")) + "-plan.txt"
	}
	text := "A plan, not sent. " + m.Title() + " of " + plain.Line(m.About()) + ", " + m.Env.Times.Moment(m.Env.Clock.Now()) + "\n\n"
	if m.First().Part == editing.Placement && !m.effects().sawNodes() {
		text += noNodesSeen + "\n\n"
	}
	text += m.diff.Text() + "\n"
	path := filepath.Join(m.Env.Folder, name)
	site, edits := m.Env.Site, m.ToSend()
	return m.Scope.Work("save", func(ctx context.Context) func() tea.Cmd {
		text += requestText(ctx, site, edits)
		path, err := operation.WriteNew(path, func(out io.Writer) error {
			_, err := io.WriteString(out, text)
			return err
		})
		return func() tea.Cmd {
			if err != nil {
				return views.TellFailed("The plan was not saved", err)
			}
			return views.Wrote("Saved to ", path, ". Nothing was sent.")
		}
	})
}

// requestText is the requests as they would be sent, for the file of a plan.
func requestText(ctx context.Context, site operation.Site, edits []batching.PlannedEdit) string {
	all, err := batching.ReviewedEdits{Edits: edits}.Prepare(site).Requests(ctx)
	if err != nil {
		return "The request could not be built: " + plain.Line(err.Error()) + "\n"
	}
	var b strings.Builder
	for _, r := range all {
		b.WriteString("The request, with secrets masked: " + r.Method + " " + r.Path + "\n")
		for _, field := range r.Fields {
			b.WriteString("\n" + field.Name + "\n  " + strings.ReplaceAll(string(plain.SafeJSON([]byte(field.Value))), "\n", "\n  ") + "\n")
		}
		b.WriteString("\n")
	}
	return b.String()
}

// copies are the ways to copy the reviewed change, for somebody who sends it in another way. The command applies a plan, which is saved for
// that: definitions are long, and may hold secrets.
func (m *Model) copies() *views.Copies {
	return m.Copies(func() (operation.Change, tea.Cmd) {
		switch {
		case m.forAll():
			return nil, views.Tell(views.Info, views.Keys("Press {key:services.send} first: it is planned for ")+plain.Plural(len(m.Same()), "service")+".")
		case m.Sendable() == 0:
			return nil, views.Tell(views.Info, "No changes to copy.")
		}
		edits := m.confirmed(m.ToSend())
		folder, now := m.Env.Folder, m.Env.Clock.Now().UTC().Format("2006-01-02-1504")
		return batching.ReviewedEdits{Edits: edits, PathOf: func(target editing.Target) string {
			name := strings.ReplaceAll(target.Service.Path(), "/", "-")
			return filepath.Join(folder, views.FileSafe(name)+"-"+now+"-plan.json")
		}}, nil
	})
}

// confirmed sets what was accepted of edits, and returns them.
func (m *Model) confirmed(edits []batching.PlannedEdit) []batching.PlannedEdit {
	for i := range edits {
		of := ""
		if m.Several {
			of = edits[i].Service.Path()
		}
		edits[i].Accepted = editing.AcceptedOf(edits[i].Plan.Found(), func(f finding.Finding) bool { return m.diff.Accepts(of, f) })
	}
	return edits
}
