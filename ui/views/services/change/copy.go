package change

import (
	"path/filepath"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/batching"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

// copies are the ways to copy the reviewed change, for somebody who sends it in another way. The command applies a plan, which is saved for
// that: definitions are long, and may hold secrets.
func (f *Flow) copies() *views.Copies {
	return f.Copies(func() (operation.Change, tea.Cmd) {
		switch {
		case f.forAll():
			return nil, views.Tell(views.Info, views.Keys("Press {key:services.send} first: it is planned for ")+plain.Plural(len(f.sameChange()), "service")+".")
		case f.sendable() == 0:
			return nil, views.Tell(views.Info, "No changes to copy.")
		}
		edits := f.confirmed(f.toSend())
		folder, now := f.folder, f.Env.Clock.Now().UTC().Format("2006-01-02-1504")
		return batching.ReviewedEdits{Edits: edits, PathOf: func(target editing.Target) string {
			name := strings.ReplaceAll(target.Service.Path(), "/", "-")
			return filepath.Join(folder, views.FileSafe(name)+"-"+now+"-plan.json")
		}}, nil
	})
}

// confirmed sets the keys of edits that were confirmed as removed, and returns them.
func (f *Flow) confirmed(edits []batching.PlannedEdit) []batching.PlannedEdit {
	for i := range edits {
		of := ""
		if f.several {
			of = edits[i].Service.Path()
		}
		edits[i].AllowRemoved = f.review.Confirmed(of)
	}
	return edits
}
