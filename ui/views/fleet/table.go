package fleet

import (
	"hash/fnv"
	"strconv"
	"strings"

	"github.com/charmbracelet/lipgloss"

	"geodeck/adminapi/fleet"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
)

const (
	tableHead  = 3  // the counts, the names of columns, an empty line
	maxName    = 26 // cells of a name at most
	stateCells = 17 // a glyph and the longest state
	barCells   = 10

	wideFrom  = 110 // the width from which a bar and the version are shown
	widerFrom = 150 // and the sign-in
	widest    = 180 // and the address
)

// line is a row as it is drawn.
type line struct {
	row     fleet.Row
	fact    string
	age     string // of what is shown, where the site cannot be read
	version uint64
}

// table are the rows of the list.
type table struct {
	rows.Flat
	lines []line
	inks  *rows.Inks
	env   *views.Env
	names int // cells of the longest name
	kinds int // cells of the widest mark
}

func newTable(all []fleet.Row, width int, inks *rows.Inks, env *views.Env) table {
	t := table{inks: inks, env: env}
	now := env.Clock.Now()
	for _, row := range all {
		l := line{row: row, fact: row.Fact(now)}
		switch percent, known := row.Upgrade.Percent(); {
		case row.State() == fleet.Reading:
			l.fact = ""
		case row.State() == fleet.Upgrading && known && width < wideFrom:
			l.fact = strings.TrimSpace(row.Upgrade.Phase+" "+strconv.Itoa(percent)) + " %, to " + plain.Line(row.Upgrade.To)
		}
		if row.Err != nil && !row.Updated.IsZero() {
			l.age = "as of " + row.Age(now) + " ago"
		}
		kind, sum := t.kind(row, width), fnv.New64a()
		for _, part := range []string{row.State().String(), l.fact, l.age, row.Version, t.signIn(row), kind} {
			_, _ = sum.Write([]byte(part + "\x00"))
		}
		l.version = sum.Sum64()
		t.lines = append(t.lines, l)
		t.names = max(t.names, lipgloss.Width(row.Name))
		t.kinds = max(t.kinds, lipgloss.Width(kind))
	}
	t.names = min(max(t.names, len("Site")), maxName, max(8, width/4))
	return t
}

// kind says what must not be overlooked about a site.
func (t table) kind(row fleet.Row, width int) string {
	switch {
	case row.Production && width < wideFrom:
		return t.env.Theme.Production.Render("PROD")
	case row.Production:
		return t.env.Theme.Production.Render("PRODUCTION")
	case row.Locked:
		return t.inks.Warn.On("locked")
	}
	return ""
}

// signIn says until when the user is signed in.
func (t table) signIn(row fleet.Row) string {
	if row.SignIn == fleet.SignedIn && !row.Expires.IsZero() {
		return "until " + t.env.Times.Here(row.Expires.Time())
	}
	return row.SignIn.String()
}

// Len is the number of sites.
func (t table) Len() int { return len(t.lines) }

// Key is the name.
func (t table) Key(i int) string { return t.lines[i].row.Name }

// Version changes with what is drawn, and the format of times.
func (t table) Version(i int) uint64 { return t.lines[i].version + uint64(t.env.Times.Mode) }

// Matches reports whether a filter finds the site.
func (t table) Matches(i int, has func(string) bool) bool {
	return t.lines[i].row.Matches(has) || has(t.lines[i].fact)
}

// Draw draws a site in columns.
func (t table) Draw(i int, look rows.Look) string {
	l, k := &t.lines[i], t.inks
	row := l.row
	glyph, ink := k.Mark(statuses[row.State().Severity()])
	if row.State() == fleet.Reading {
		glyph, ink = k.Glyphs.Ellipsis, k.Muted
	}
	fact := t.bar(row, look.Width) + plain.Line(l.fact)
	if l.age != "" {
		fact += ", " + l.age
	}
	return t.columns(look.Width, k.Strong.On(row.Name), t.kind(row, look.Width), ink.On(glyph+" "+row.State().String()), fact,
		k.Muted.On(row.Version), k.Muted.On(t.signIn(row)), k.Muted.On(row.Address))
}

// heading names the columns.
func (t table) heading(width int) string {
	return strings.Repeat(" ", margin) + t.inks.Label.On(t.columns(width, "Site", "", "State", "Details", "Version", "Signed in", "Address"))
}

// columns puts texts side by side: the name and the state are there at every width.
func (t table) columns(width int, name, kind, state, fact, version, signIn, address string) string {
	k, used := t.inks, t.names+stateCells+4
	parts := []string{k.Fit(name, t.names)}
	if t.kinds > 0 {
		parts = append(parts, k.Fit(kind, t.kinds))
		used += t.kinds + 2
	}
	var behind []string
	add := func(from int, text string, cells int) {
		if width >= from {
			behind = append(behind, k.Fit(text, cells))
			used += cells + 2
		}
	}
	add(wideFrom, version, 15)
	add(widerFrom, signIn, 20)
	add(widest, address, min(46, max(20, width-used-62)))
	parts = append(parts, k.Fit(state, stateCells), k.Fit(fact, max(0, width-used)))
	return k.Fit(strings.Join(append(parts, behind...), "  "), width)
}

// bar draws how far a running upgrade is, where the site counts its deployments.
func (t table) bar(row fleet.Row, width int) string {
	percent, known := row.Upgrade.Percent()
	if !known || row.State() != fleet.Upgrading || width < wideFrom {
		return ""
	}
	return t.inks.Bar(barCells, percent*barCells/100) + " "
}

// statuses are the marks of states.
var statuses = [...]rows.Status{fleet.NotKnown: rows.StatusUnknown, fleet.Good: rows.StatusPassed, fleet.Running: rows.StatusRunning, fleet.Warning: rows.StatusWarning, fleet.Failed: rows.StatusFailed}

// margin is what the list puts before a row: the marker of the cursor.
const margin = 2

// View draws the counts, the names of the columns and the sites.
func (m *Model) View() string {
	k := m.inks
	switch {
	case m.compare.open:
		return m.compare.View()
	case m.err != nil:
		return k.Sentences([]string{views.Sentence(m.err.Error()), "", views.Keys("Press {key:fleet.refresh} to read it again.")}, m.Width, m.Height)
	case !m.read:
		return k.Sentences([]string{"Reading config.yaml" + k.Glyphs.Ellipsis}, m.Width, m.Height)
	case len(m.sites) == 0:
		return k.Sentences([]string{"No sites yet.", "", m.Env.Commands("Add one: {command:site add NAME --url URL}")}, m.Width, m.Height)
	}
	body := m.list.View()
	if m.list.Len() == 0 {
		body = m.list.Unmatched("No site matches.", "", views.Keys("Press {key:fleet.back} to show all."))
	}
	sites := k.Headed(m.Width, m.Height-m.lower(), body, k.Beside(m.counts(), m.list.Position(), m.Width), "", m.table.heading(m.Width-margin))
	if m.lower() == 0 {
		return sites
	}
	return sites + "\n" + m.detail()
}

// counts says how many sites there are, and how many need somebody.
func (m *Model) counts() string {
	k, bad := m.inks, 0
	for i := range m.table.lines {
		if m.table.lines[i].row.State().Bad() {
			bad++
		}
	}
	text := k.Heading.On(plain.Plural(len(m.sites), "site"))
	dot := k.Muted.On(" " + k.Glyphs.Dot + " ")
	switch waits := len(m.sites) - m.known(); {
	case bad == 1:
		text += dot + k.Fail.On("1 needs you")
	case bad > 0:
		text += dot + k.Fail.On(strconv.Itoa(bad)+" need you")
	case waits == 0:
		text += dot + k.OK.On("none needs you")
	}
	if marked := m.list.Marked(); marked > 0 {
		text += dot + k.Accent.On(k.Glyphs.Marked+" "+strconv.Itoa(marked)+views.Keys(" marked: {key:fleet.compare} compares"))
	}
	return text
}
