package services

import (
	"cmp"
	"strings"
	"time"

	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/views/services/history"
)

const (
	twoFrom     = 110 // cells from which list and detail stand side by side
	maxList     = 104 // cells beyond which a list gains nothing
	dividerSize = 3
	margin      = 1 // cell at each side of the view, as around the rest of the frame
	listHead    = 2 // the heading of the list and a blank line
)

// inner is the width between the margins.
func (m *Model) inner() int { return max(1, m.Width-2*margin) }

// SetSize gives the view its cells.
func (m *Model) SetSize(width, height int) {
	m.Base.SetSize(width, height)
	m.place()
}

// place hands the cells out again after the size or what is shown changed.
func (m *Model) place() {
	m.above = len(m.banner())
	width, height := m.inner(), max(1, m.Height-m.above)
	m.list.SetSize(width, height)
	m.open.SetSize(width, height)
	m.flow.SetSize(width, height)
}

// View draws exactly the size that SetSize gave.
func (m *Model) View() string {
	if m.Width <= 0 || m.Height <= 0 {
		return ""
	}
	banner := m.banner()
	if len(banner) != m.above { // with time alone it gets an age, and may need a line more
		m.place()
	}
	height, body := max(1, m.Height-m.above), ""
	switch {
	case m.flow.Active():
		body = m.inks.Abreast(height, m.flow.View())
	case m.inside:
		body = m.inks.Abreast(height, m.open.View(m.batch()))
	default:
		body = m.list.View()
	}
	if len(banner) == 0 {
		return body
	}
	return m.inks.Headed(m.Width, m.Height, body, banner...)
}

// batch names the services that an edit is meant for; none where it is the open one alone.
func (m *Model) batch() (names []string) {
	if !m.Batch() {
		return nil
	}
	names = []string{plain.Line(m.open.service.Path())}
	for _, s := range m.Marked() {
		if s.Path() != m.open.service.Path() {
			names = append(names, plain.Line(s.Path()))
		}
	}
	return names
}

// banner says that the site accepts no changes, before anything is typed.
func (m *Model) banner() []string {
	why := m.writable.whyNot()
	if why == "" {
		return nil
	}
	lines := views.Wrap(why, m.inner()-2)
	for i, line := range lines {
		sign := " "
		if i == 0 {
			sign = m.inks.Glyphs.Warn
		}
		lines[i] = " " + m.inks.Warn.On(sign+" "+line)
	}
	return append(lines, "")
}

// about says what is on the screen.
func (m *Model) about() string {
	switch {
	case m.flow.Active():
		return "The changes of a service, before they are written and after."
	case m.inside:
		return m.open.About()
	}
	return "Services of the site: open one, start or stop it, change several."
}

// Status says what the frame shows for the view.
func (m *Model) Status() views.Status {
	c := m.list.catalog
	status := views.Status{Busy: m.busy(), Err: c.Err, Kept: c.Kept, Down: c.downCount}
	status.Updated, status.Unreachable = m.updated(), cmp.Or(c.Unreachable, c.fresh.Unreachable)
	if m.inside {
		status.Path = []string{m.open.service.Path(), strings.ToLower(tabTitles[m.open.at])}
		if fetch := m.open.tab().Fetch(); fetch != nil {
			status.Updated, status.Unreachable, status.Err, status.Kept = fetch.Updated, fetch.Unreachable, fetch.Err, false
		}
	}
	if m.flow.Active() {
		if !m.inside {
			status.Path = []string{m.flow.About()}
		}
		status.Path = append(status.Path, m.flow.Step())
		if _, at := m.flow.Read(); at.After(status.Updated) {
			status.Updated = at
		}
	}
	if m.flow.Active() && m.flow.PodsInFront() || !m.flow.Active() && m.inside && m.open.at == placementTab && m.open.placement().PodsInFront() {
		status.Updated, status.Unreachable = m.shared.Pods.Now().Updated()
	}
	return status
}

// updated says how old the states are that are shown.
func (m *Model) updated() time.Time {
	if !m.inside {
		return m.list.catalog.shownSince()
	}
	if history, shown := m.open.tab().(*history.Model); shown {
		return history.Updated()
	}
	if known := m.states.known[m.open.service.Path()]; known.RealTime != "" {
		return known.read
	}
	return m.open.updated() // an edit was sent just now
}

func (m *Model) busy() string {
	var fetch *views.Fetch
	if m.inside {
		fetch = m.open.tab().Fetch()
	}
	c := m.list.catalog
	switch {
	case m.flow.Active() && m.flow.Busy() != "":
		return m.flow.Busy()
	case fetch != nil && fetch.Loading:
		return "reading " + strings.ToLower(tabTitles[m.open.at])
	case m.shared.Pods.Now().Followed():
		return "following the service"
	case m.shared.Nodes.Loading() && m.inside:
		return "reading nodes"
	case c.Loading && c.Unreachable == nil:
		return "reading services"
	case c.sweeping() && c.Unreachable == nil:
		return "reading states, " + c.sweepText()
	}
	return ""
}
