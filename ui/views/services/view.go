package services

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

const (
	twoFrom     = 110 // cells from which list and detail stand side by side
	maxList     = 104 // cells beyond which a list gains nothing
	dividerSize = 3
	margin      = 1 // cell at each side of the view, as around the rest of the frame
	listHead    = 2 // the heading of the list and a blank line
	openHead    = 2 // the tabs of a service, a blank line
)

// inner is the width between the margins.
func (v *shown) inner() int { return max(1, v.Width-2*margin) }

// SetSize gives the view its cells.
func (m *Model) SetSize(width, height int) {
	m.Base.SetSize(width, height)
	m.place()
}

// place hands the cells out again after the size or what is shown changed. In narrow
// terminals there is no detail.
func (m *Model) place() {
	width, height := m.inner(), max(1, m.Height-len(m.banner()))
	list, detail := width, 0
	if m.Width >= twoFrom {
		list = min(max(68, width*68/100), maxList)
		detail = width - list - dividerSize
	}
	m.catalog.SetSize(list, height)
	m.catalog.list.SetSize(list, max(0, height-listHead))
	m.detail.SetSize(detail, height)
	m.open.setSize(width, max(0, m.Height-len(m.banner())-openHead))
	m.flow.SetSize(width, height)
}

// View draws exactly the size that SetSize gave.
func (v *shown) View() string {
	if v.Width <= 0 || v.Height <= 0 {
		return ""
	}
	banner := v.banner()
	height := max(1, v.Height-len(banner))
	body := ""
	switch {
	case v.flow.Active():
		body = v.inks.Abreast(height, v.flow.View())
	case v.inside:
		body = v.inks.Abreast(height, v.openView(height))
	default:
		body = v.inks.Abreast(height, v.catalog.View(), v.detail.View())
	}
	if len(banner) == 0 {
		return body
	}
	return v.inks.Headed(v.Width, v.Height, body, banner...)
}

// openView draws the tabs of the service, its state, and the tab in front. The frame above
// names the service.
func (v *shown) openView(height int) string {
	o, notes, body := v.open, []string(nil), ""
	if o.comparison != nil {
		body = o.comparison.review.View()
	} else {
		notes, body = o.tab().Notes(), o.tab().View()
	}
	if unknown := v.drafts.UnknownOf(o.service.Path()); unknown != "" {
		notes = append([]string{v.inks.Unknown.On(v.inks.Glyphs.Unknown + " " + unknown), v.inks.Muted.On(views.Keys("{key:services.refresh} looks for it"))}, notes...)
	}
	if glyph, text, ink := v.catalog.stateOf(o.service.Path()); text != "" {
		notes = append(notes, ink.On(glyph+" "+text+v.catalog.sinceRestart(o.service.Path())))
	}
	line, note := v.tabsLine(), ""
	room := v.inner() - ansi.StringWidth(line) - 2
	for _, next := range notes { // as many as there is room for
		longer := next
		if note != "" && next != "" {
			longer = note + " " + v.inks.Glyphs.Dot + " " + next
		}
		if next != "" && ansi.StringWidth(longer) <= room {
			note = longer
		}
	}
	title := ""
	if v.Batch() {
		title = v.batchLine()
	}
	if o.comparison != nil {
		title = v.inks.Heading.On("  " + plain.Clip("Difference: "+o.comparison.title, v.inner()-2))
	}
	return v.inks.Headed(v.inner(), height, body, v.inks.Beside(line, note, v.inner()), title)
}

// batchLine names the services that an edit is meant for.
func (v *shown) batchLine() string {
	names := []string{plain.Line(v.open.service.Path())}
	for _, s := range v.Marked() {
		if s.Path() != v.open.service.Path() {
			names = append(names, plain.Line(s.Path()))
		}
	}
	if len(names) < 2 {
		return ""
	}
	return v.inks.Warn.On(plain.Clip("Editing for "+plain.Plural(len(names), "service")+": "+strings.Join(names, ", "), v.inner()))
}

// tabsLine names the tabs, and highlights the one in front. The others are marked where
// they have a draft.
func (v *shown) tabsLine() string {
	var names []string
	for i, tab := range v.open.tabs {
		name := v.inks.Tab(tab.Title(), i == v.open.at, v.inks.TabOn)
		if tab, editing := tab.(interface{ Drafted() bool }); editing && i != v.open.at && tab.Drafted() {
			name += v.inks.Warn.On(draftMark)
		}
		names = append(names, name)
	}
	return strings.Join(names, " ")
}

// banner says that the site accepts no changes, before anything is typed.
func (v *shown) banner() []string {
	why := v.writable.whyNot()
	if why == "" {
		return nil
	}
	lines := views.Wrap(why, v.inner()-2)
	for i, line := range lines {
		sign := " "
		if i == 0 {
			sign = v.inks.Glyphs.Warn
		}
		lines[i] = " " + v.inks.Warn.On(sign+" "+line)
	}
	return append(lines, "")
}

// writable knows whether the site takes changes. Where that is not known, a refusal says so.
type writable struct{ views.Base }

// whyNot says why the site accepts no changes, empty where it does as far as is known.
func (w *writable) whyNot() string {
	if w.Env.Offline {
		return ""
	}
	state := &w.Env.State
	asOf := func(old, text string) string {
		if old != "" {
			text = strings.Replace(text, ": ", "; ", 1) // one colon is enough
		}
		return views.Sentence(old + text)
	}
	switch {
	case w.Env.Site.Client.ReadOnly():
		return "Started with --read-only: nothing is sent. To edit, start without it."
	case state.Runs():
		return asOf(views.AsOf(w.Env, state.Upgrade), state.Upgrade.Value.Progress.Kind.One()+" is running: until it ends the site accepts no changes.")
	case state.LeftFailed():
		return asOf(views.AsOf(w.Env, state.Mode), "The upgrade has failed, and the site is still in read-only mode: it accepts no changes.") // what it says is of before
	case state.Mode.Value.ReadOnly:
		text := asOf(views.AsOf(w.Env, state.Mode), "The site is in read-only mode: it takes no changes.")
		if said := plain.Line(state.Mode.Value.Message); said != "" {
			text += " The site says: " + said
		}
		return text
	}
	return ""
}

// About says what is on the screen.
func (v *shown) About() string {
	switch {
	case v.flow.Active():
		return "The changes of a service, before they are written and after."
	case !v.inside:
		return "Services of the site: open one, start or stop it, change several."
	case v.open.comparison != nil:
		return "What differs between two versions."
	}
	return v.open.tab().About()
}
