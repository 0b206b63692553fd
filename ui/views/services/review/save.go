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

// saveReview writes what is reviewed into a new file, as somebody else needs it, and beside it the plan
// that its command sends.
func (m *Model) saveReview() tea.Cmd {
	name := "services-review.txt"
	if !m.Several {
		name = views.FileSafe(strings.ReplaceAll(m.About(), "/", "-")) + "-review.txt"
	}
	text, path := m.diff.Text()+"\n", filepath.Join(m.Env.Folder, name)
	site, edits, blocked := m.Env.Site, m.ToSend(), m.Blocked()
	commands, named := m.planned(m.confirmed(m.ToSend())).Prepare(site).Commands, m.Env.Commands
	return m.Scope.Work("save", func(ctx context.Context) func() tea.Cmd {
		next := "Correct what blocks it first."
		if lines, err := []operation.CommandLine(nil), error(nil); !blocked {
			next = "Nothing is left to send."
			if lines, err = commands(); err != nil {
				next = "No command: " + plain.Line(err.Error())
			}
			for i, line := range lines {
				next = strings.Repeat(next+"\n", min(i, 1)) + named(line.InText()) + "\n  " + line.First
			}
		}
		text += requestText(ctx, site, edits) + "Next: " + next + "\n"
		path, err := operation.WriteNew(path, func(out io.Writer) error {
			_, err := io.WriteString(out, text)
			return err
		})
		return func() tea.Cmd {
			if err != nil {
				return views.TellFailed("The review was not saved", err)
			}
			return views.Wrote("Saved to ", path, ". Nothing was sent.")
		}
	})
}

// head is what stands above the text of a review that is handed on.
func (m *Model) head() string {
	text := m.Env.Origin() + batching.UnsentReview + m.Title() + " of " + plain.Line(m.About()) + ".\n\n"
	if m.First().Part == editing.Placement && !m.effects().sawNodes() {
		text += noNodesSeen + "\n\n"
	}
	if shared := m.sharedLine(); shared != "" {
		text += shared + "\n\n"
	}
	return text
}

// requestText is the requests as they would be sent, for the file of a review.
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
		return m.planned(m.confirmed(m.ToSend())), nil
	})
}

// planned are reviewed edits whose plans are written beside other files when their commands are made.
func (m *Model) planned(edits []batching.PlannedEdit) batching.ReviewedEdits {
	folder, now := m.Env.Folder, m.Env.Clock.Now().UTC().Format("2006-01-02-1504")
	return batching.ReviewedEdits{Edits: edits, PathOf: func(target editing.Target) string {
		name := strings.ReplaceAll(target.Service.Path(), "/", "-")
		return filepath.Join(folder, views.FileSafe(name)+"-"+now+"-plan.json")
	}}
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
