package upgrade

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/upgrade"
	"geodeck/ui/views"
)

// form is the step in which the settings are filled in: short pages of a huh
// form each, since a form costs time for every field it has.
type form struct {
	inputs   []*input
	pages    [][]*input // of the inputs that are shown
	page     int
	dialog   *views.Form // of the page; nil where there is nothing to fill in
	widgets  *huhForm    // inside the dialog
	all      bool        // what is not meant for everybody is shown as well
	checking bool        // the files are being checked for the review
	unsaved  bool        // there are answers that no draft holds
	files    map[string]fileState
}

// fileState is what was found out about a file that somebody named.
type fileState struct {
	path string
	size int64
	err  error
}

// pageSize is how many inputs a page has.
const pageSize = 5

// openForm shows the settings.
func (m *Model) openForm() tea.Cmd {
	f := m.flow
	if f.form == nil {
		f.form = &form{inputs: inputsOf(f, m.folder), files: map[string]fileState{}}
	}
	return tea.Batch(m.showPage(min(f.form.page, max(0, len(f.form.pages)-1))), m.checkFiles())
}

// lay puts the inputs that are shown on pages.
func (f *form) lay() {
	f.pages = nil
	var page []*input
	for _, in := range f.inputs {
		if in.field.Hidden && !f.all {
			continue
		}
		if page = append(page, in); len(page) == pageSize {
			f.pages = append(f.pages, page)
			page = nil
		}
	}
	if len(page) > 0 {
		f.pages = append(f.pages, page)
	}
	f.page = max(0, min(f.page, len(f.pages)-1))
}

// hidden is the number of inputs that are not meant for everybody.
func (f *form) hidden() int {
	n := 0
	for _, in := range f.inputs {
		if in.field.Hidden {
			n++
		}
	}
	return n
}

// showPage opens a page of the form anew; what was typed stays.
func (m *Model) showPage(page int) tea.Cmd {
	if !m.makePage(page) {
		return nil
	}
	return m.flow.form.dialog.Init()
}

// makePage makes the dialog of a page, false where there is nothing to fill in.
func (m *Model) makePage(page int) bool {
	f := m.flow.form
	f.page = page
	f.lay()
	f.dialog = nil
	if len(f.pages) == 0 {
		return false
	}
	shown := f.pages[f.page]
	f.dialog = views.NewForm(m.env.Theme, views.FormOptions{
		ID: "upgrade.settings", Title: m.pageTitle(), Stay: true,
		Build:  func() *huhForm { f.widgets = buildPage(shown); return f.widgets },
		Submit: func() tea.Cmd { return m.nextPage() },
	})
	m.place()
	return true
}

func (m *Model) pageTitle() string {
	f := m.flow.form
	title := "What the site wants to know"
	if upgrade.StyleOf(m.flow.ask.Target) == upgrade.Old {
		title = "What goes along with the upgrade"
	}
	if len(f.pages) > 1 {
		title += fmt.Sprintf(", page %d of %d", f.page+1, len(f.pages))
	}
	return title
}

// nextPage goes on from the last field of a page.
func (m *Model) nextPage() tea.Cmd {
	f := m.flow.form
	if f.page+1 < len(f.pages) {
		return tea.Batch(m.flushDraft(), m.showPage(f.page+1))
	}
	return tea.Batch(m.showPage(f.page), m.toReview())
}

// turn goes by some pages.
func (m *Model) turn(by int) tea.Cmd {
	f := m.flow.form
	if to := f.page + by; to >= 0 && to < len(f.pages) {
		return tea.Batch(m.flushDraft(), m.showPage(to))
	}
	return nil
}

// toggleHidden shows or hides what is not meant for everybody; the field in
// focus stays in it where it is still shown.
func (m *Model) toggleHidden() tea.Cmd {
	f := m.flow.form
	was := f.focused()
	f.all = !f.all
	f.lay()
	page, nth := f.find(was)
	if !m.makePage(page) {
		return m.flushDraft()
	}
	return tea.Batch(m.flushDraft(), f.dialog.AgainAt("", nth))
}

// formKey takes a key of the settings: some are commands, all others are text.
func (m *Model) formKey(key tea.KeyMsg) tea.Cmd {
	if !key.Paste {
		switch key.String() {
		case "esc":
			return m.back()
		case "ctrl+t":
			return m.toggleHidden()
		case "ctrl+s":
			return m.toReview()
		case "pgdown":
			return m.turn(1)
		case "pgup":
			return m.turn(-1)
		}
	}
	if m.flow.form.checking {
		return nil // what is checked is what is reviewed
	}
	if m.choosesOne() && (key.Paste || len(key.Runes) > 1) {
		return views.Tell(views.Warning, "Pasted text answers no question: choose with the arrow keys.")
	}
	return m.formMessage(key)
}

// formMessage gives a message to the page that is open, and keeps what changed.
func (m *Model) formMessage(msg tea.Msg) tea.Cmd {
	f := m.flow
	cmd := f.form.dialog.Update(msg)
	if m.flow == nil || m.flow.form == nil || m.flow.form != f.form {
		return cmd
	}
	changed := false
	for _, in := range f.form.inputs {
		changed = in.noteChange() || changed
	}
	if !changed {
		return cmd
	}
	f.collect()
	return tea.Batch(cmd, m.saveDraft(), m.checkFilesSoon())
}
