package upgrade

import (
	"context"
	"strconv"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade"
	"geodeck/ui/views"
	"geodeck/ui/views/rows"
)

// detail is the pane that tells all about one row.
type detail struct {
	pager *rows.Pager
	shown bool
	key   rowKey
	drawn drawn
	width int
}

// drawn remembers what the lines in the pager were made for.
type drawn struct {
	rows  source
	key   rowKey
	width int
	mode  views.TimeMode
}

// mostLines bounds the lists of a pane; the JSON has them whole.
const mostLines = 200

func (d *detail) forget() {
	d.shown, d.key, d.drawn = false, rowKey{}, drawn{}
	d.pager.Set(nil)
}

// showDetail tells about the row under the cursor.
func (m *Model) showDetail() {
	p := &m.picker
	key, ok := p.list.Key()
	if !ok {
		p.detail.forget()
		return
	}
	if key != p.detail.key {
		p.detail.pager.Home()
	}
	p.detail.shown, p.detail.key = true, key
}

// rest is how long the cursor stays on a row before its detail is shown.
const rest = 80 * time.Millisecond

// rested says that the cursor has come to rest.
type rested struct{ key rowKey }

// follow shows the detail of the row under the cursor once it rests there.
func (m *Model) follow() tea.Cmd {
	key, ok := m.picker.list.Key()
	if !ok || m.picker.detail.shown && key == m.picker.detail.key {
		m.scope.Forget("rest")
		return nil
	}
	return m.scope.After(m.env.Clock, rest, "rest", func(context.Context) tea.Msg { return rested{key} })
}

func (r rested) apply(m *Model) tea.Cmd {
	if key, ok := m.picker.list.Key(); ok && key == r.key {
		m.showDetail()
	}
	return nil
}

// layDetail makes the lines where they are not those of the last frame.
func (m *Model) layDetail() {
	d := &m.picker.detail
	want := drawn{m.picker.rows, d.key, d.width, m.env.Times.Mode}
	if !d.shown || d.drawn == want {
		return
	}
	d.drawn = want
	for i := range m.picker.rows.Len() {
		if m.picker.rows.Key(i) == d.key {
			p := m.newPage(d.width)
			m.picker.rows.detail(i, p)
			d.pager.Set(p.Lines)
			return
		}
	}
}

func (o *offers) detail(i int, p *page) {
	e, k := &o.entries[i], p.Inks
	p.Text(k.Strong, views.NameOf(e.Name, e.ID))
	glyph, ink := o.inks.state(e.State)
	p.Signed(glyph, ink, views.Sentence(e.State.String())+" "+e.Reason)
	o.links(e, p)
	p.update(&e.Update)
	p.containers(o.now.Changes(e.Update), true)
}

// links says what the update builds on, brings along and wants first.
func (o *offers) links(e *upgrade.Entry, p *page) {
	if e.Base != "" || len(e.Brings)+len(e.Requires)+len(e.Skips) > 0 {
		p.Gap()
	}
	if e.Base != "" {
		p.Fact("Builds on", o.named(e.Base))
	}
	p.Fact("Wants first", o.allNamed(e.Requires))
	p.Fact("Brings along", o.allNamed(e.Brings))
	p.Fact("Left out", o.allNamed(e.Skips))
}

// named writes an update by its version, with its id.
func (o *offers) named(id string) string {
	if full := o.full[id]; full != "" {
		return full + " (" + plain.Line(id) + ")"
	}
	return plain.Line(id)
}

// mostNamed bounds how many updates are named in one fact.
const mostNamed = 40

func (o *offers) allNamed(ids []string) string {
	var names []string
	for _, id := range ids[:min(len(ids), mostNamed)] {
		names = append(names, o.named(id))
	}
	if more := len(ids) - mostNamed; more > 0 {
		names = append(names, "and "+strconv.Itoa(more)+" more")
	}
	return strings.Join(names, "\n")
}

// update writes what the manifest says of an update.
func (p *page) update(u *adminapi.Update) {
	if u.Description != "" {
		p.Gap()
		p.Text(rows.Ink{}, u.Description)
	}
	p.Gap()
	p.Fact("Kind", kindOf(u.Type, upgrade.IsRelease(*u)))
	p.Fact("Version", u.Version)
	p.Fact("Build", u.Build)
	p.Fact("From version", u.PreviousVersion)
	p.Fact("From build", firstOf(u.PreviousBuild, u.PreviousReleaseBuild))
	p.Fact("Of release", u.ReleaseBuild)
	p.moment("Released", u.Released)
	p.Fact("Licence", yesNo(u.NewLicensesRequired, "a new one is needed", "no new one is needed"))
	p.Fact("Required", yesNo(u.Mandatory, "yes: a later release wants it first", "no"))
	p.Fact("Id", u.ID)
	if notes := strings.TrimSpace(u.ReleaseNotes); notes != "" {
		p.Heading("Notes")
		p.Text(rows.Ink{}, notes)
	}
}

func yesNo(is bool, yes, no string) string {
	if is {
		return yes
	}
	return no
}

func (p *page) moment(name string, when adminapi.Millis) {
	if !when.IsZero() {
		p.Fact(name, p.times.Minute(when.Time()))
	}
}

// containers lists what an update does to the containers of the site.
func (p *page) containers(changes []upgrade.ContainerChange, compared bool) {
	if len(changes) == 0 {
		p.Heading("Containers")
		p.Text(p.Inks.Muted, "None are named.")
		return
	}
	p.Heading("Containers: " + containerCount(changes, compared))
	for i := range changes[:min(len(changes), mostLines)] {
		p.container(&changes[i], compared)
	}
	if more := len(changes) - mostLines; more > 0 {
		p.Text(p.Inks.Muted, "And "+strconv.Itoa(more)+" more; v shows them all.")
	}
}

func containerCount(changes []upgrade.ContainerChange, compared bool) string {
	parts := []string{strconv.Itoa(len(changes))}
	count := map[upgrade.Change]int{}
	bad := 0
	for _, c := range changes {
		count[c.Change]++
		if c.State != upgrade.ChecksumGood {
			bad++
		}
	}
	if compared {
		for _, change := range []upgrade.Change{upgrade.Added, upgrade.Changed, upgrade.Same, upgrade.NotCompared} {
			if n := count[change]; n > 0 {
				parts = append(parts, strconv.Itoa(n)+" "+string(change))
			}
		}
	}
	if bad > 0 {
		parts = append(parts, plain.Plural(bad, "checksum")+" missing or malformed")
	}
	return strings.Join(parts, ", ")
}

// container writes one container: what becomes of it, its image and checksum.
func (p *page) container(c *upgrade.ContainerChange, compared bool) {
	k := p.Inks
	name := k.Strong.On(plain.Clip(views.NameOf(c.Name, "container"), p.Width-14))
	if compared {
		ink := k.Muted
		if c.Change == upgrade.Added || c.Change == upgrade.Changed {
			ink = k.Accent
		}
		name += "  " + ink.On(string(c.Change))
	}
	p.Line(name)
	if image := plain.Line(c.Image); image != "" {
		p.Line("  " + k.Fit(image, max(1, p.Width-2)))
	}
	if c.Was != "" && c.Was != c.Image {
		p.Line("  " + k.Muted.On(plain.Clip("was "+c.Was, max(1, p.Width-2))))
	}
	switch c.State {
	case upgrade.ChecksumGood:
		p.Line("  " + k.Muted.On(plain.Clip(c.Checksum, max(1, p.Width-2))))
	case upgrade.ChecksumMissing:
		p.Line("  " + k.Warn.On(k.Glyphs.Warn+" no checksum"))
	default:
		p.Line("  " + k.Fail.On(plain.Clip(k.Glyphs.Fail+" malformed checksum: "+c.Checksum, max(1, p.Width-2))))
	}
}
