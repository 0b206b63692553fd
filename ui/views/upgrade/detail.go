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
			d.pager.Set(p.lines)
			return
		}
	}
}

func (o *offers) detail(i int, p *page) {
	e, k := &o.entries[i], p.inks
	p.text(k.strong, nameOf(e.Name, e.ID))
	glyph, ink := k.state(e.State)
	p.signed(glyph, ink, asSentence(e.State.String())+" "+e.Reason)
	o.links(e, p)
	p.update(&e.Update)
	p.containers(o.now.Changes(e.Update), true)
}

// links says what the update builds on, brings along and wants first.
func (o *offers) links(e *upgrade.Entry, p *page) {
	if e.Base != "" || len(e.Brings)+len(e.Requires)+len(e.Skips) > 0 {
		p.gap()
	}
	if e.Base != "" {
		p.fact("Builds on", o.named(e.Base))
	}
	p.fact("Wants first", o.allNamed(e.Requires))
	p.fact("Brings along", o.allNamed(e.Brings))
	p.fact("Left out", o.allNamed(e.Skips))
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
		p.gap()
		p.text(rows.Ink{}, u.Description)
	}
	p.gap()
	p.fact("Kind", kindOf(u.Type, upgrade.IsRelease(*u)))
	p.fact("Version", u.Version)
	p.fact("Build", u.Build)
	p.fact("From version", u.PreviousVersion)
	p.fact("From build", firstOf(u.PreviousBuild, u.PreviousReleaseBuild))
	p.fact("Of release", u.ReleaseBuild)
	p.moment("Released", u.Released)
	p.fact("Licence", yesNo(u.NewLicensesRequired, "a new one is needed", "no new one is needed"))
	p.fact("Required", yesNo(u.Mandatory, "yes: a later release wants it first", "no"))
	p.fact("Id", u.ID)
	if notes := strings.TrimSpace(u.ReleaseNotes); notes != "" {
		p.heading("Notes")
		p.text(rows.Ink{}, notes)
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
		p.fact(name, p.times.Minute(when.Time()))
	}
}

// containers lists what an update does to the containers of the site.
func (p *page) containers(changes []upgrade.ContainerChange, compared bool) {
	if len(changes) == 0 {
		p.heading("Containers")
		p.text(p.inks.muted, "None are named.")
		return
	}
	p.heading("Containers: " + containerCount(changes, compared))
	for i := range changes[:min(len(changes), mostLines)] {
		p.container(&changes[i], compared)
	}
	if more := len(changes) - mostLines; more > 0 {
		p.text(p.inks.muted, "And "+strconv.Itoa(more)+" more; v shows them all.")
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
		parts = append(parts, views.Plural(bad, "checksum")+" missing or malformed")
	}
	return strings.Join(parts, ", ")
}

// container writes one container: what becomes of it, its image and checksum.
func (p *page) container(c *upgrade.ContainerChange, compared bool) {
	k := p.inks
	name := k.strong.On(plain.Clip(nameOf(c.Name, "container"), p.width-14))
	if compared {
		ink := k.muted
		if c.Change == upgrade.Added || c.Change == upgrade.Changed {
			ink = k.accent
		}
		name += "  " + ink.On(string(c.Change))
	}
	p.line(name)
	if image := plain.Line(c.Image); image != "" {
		p.line("  " + k.fit(image, max(1, p.width-2)))
	}
	if c.Was != "" && c.Was != c.Image {
		p.line("  " + k.muted.On(plain.Clip("was "+c.Was, max(1, p.width-2))))
	}
	switch c.State {
	case upgrade.ChecksumGood:
		p.line("  " + k.muted.On(plain.Clip(c.Checksum, max(1, p.width-2))))
	case upgrade.ChecksumMissing:
		p.line("  " + k.warn.On(k.glyphs.Warn+" no checksum"))
	default:
		p.line("  " + k.fail.On(plain.Clip(k.glyphs.Fail+" malformed checksum: "+c.Checksum, max(1, p.width-2))))
	}
}
