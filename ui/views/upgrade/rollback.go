package upgrade

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade"
	"geodeck/ui/views"
)

// askRollback reviews taking back the patch under the cursor.
func (m *Model) askRollback() tea.Cmd {
	u, ok := m.pastUpdate()
	switch {
	case !ok:
		return views.Tell(views.Warning, "Choose a patch among what is installed.")
	case !m.picker.canUndo(u.ID):
		return views.Tell(views.Warning, "The site does not offer to take "+views.NameOf(u.FullVersion(), u.ID)+" back.")
	case u.FullVersion() == "":
		return views.Tell(views.Warning, "The site gives this patch no version: it cannot be confirmed.")
	}
	m.flow = m.newFlow(u)
	m.flow.rollback, m.flow.step, m.flow.along = true, reviewing, laterThan(u, m.picker.installed.items)
	m.flow.review = m.newReview(rollbackShown(u))
	m.layReview()
	return nil
}

func rollbackShown(u adminapi.Update) []upgrade.Shown {
	id, err := upgrade.ManifestID(u)
	if err != nil {
		return nil
	}
	return []upgrade.Shown{
		{Name: upgrade.PartManifest, Size: len(id), Text: string(id)},
		{Name: "rollbackSettings", Size: 2, Text: "{}"},
	}
}

// laterThan names the installed patches that are gone with an earlier one.
func laterThan(u adminapi.Update, installed []adminapi.Update) []string {
	var later []string
	for _, other := range installed {
		order, comparable := upgrade.CompareBuilds(other.Build, u.Build)
		if comparable && order > 0 && !upgrade.IsRelease(other) {
			later = append(later, plain.Line(other.FullVersion()))
		}
	}
	return later
}

// takesBack says in a sentence what a rollback does.
func (f *flow) takesBack() string {
	text := "It takes " + f.title() + " (" + views.NameOf(f.ask.Target.Name, f.ask.Target.ID) + ") back"
	if n := len(f.along); n > 0 {
		text += ", and with it " + plain.Plural(n, "later patch") + ": " + strings.Join(f.along, ", ")
	}
	if before := f.ask.Target.PreviousBuild; before != "" {
		text += "; the site runs build " + plain.Line(before) + " again"
	}
	return text + ". The site is read-only meanwhile."
}
