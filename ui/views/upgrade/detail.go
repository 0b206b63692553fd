package upgrade

import (
	"strconv"
	"strings"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
)

// detail is the pane about one row of the picker.
type detail struct {
	base
	pager *rows.Pager
	row   detailRow
	laid  laidDetail
}

// detailRow is a row of a list; none where rows is nil.
type detailRow struct {
	rows source
	at   int
	key  rowKey
}

// laidDetail is what the lines in the pager depend on.
type laidDetail struct {
	row   detailRow
	width int
	mode  views.TimeMode
}

// show shows a row.
func (d *detail) show(row detailRow) {
	if row.key != d.row.key || row.rows == nil {
		d.pager.Home()
	}
	d.row = row
	d.lay()
}

// SetSize gives the pane its cells, below its heading.
func (d *detail) SetSize(width, height int) {
	d.base.SetSize(width, height)
	d.pager.SetSize(width, height)
	d.lay()
}

// lay makes the lines, unless they are up to date.
func (d *detail) lay() {
	want := laidDetail{d.row, d.Width, d.Env.Times.Mode}
	if d.Width <= 0 || d.laid == want {
		return
	}
	d.laid = want
	p := &page{rows.Page{Inks: d.inks, Width: d.Width}, d.Env.Times.Site()}
	if d.row.rows != nil {
		d.row.rows.detail(d.row.at, p)
	}
	d.pager.Set(p.Lines)
}

// page collects the lines of a detail.
type page struct {
	rows.Page
	times *views.Times
}

// maxLines bounds the lists of a pane. The JSON has all of them.
const maxLines = 200

// update writes an update of the manifest.
func (p *page) update(u *adminapi.Update) {
	p.Gap()
	p.Facts("Kind", kindOf(u.Type, upgrade.IsRelease(*u)), "Version", u.Version, "Build", u.Build, "From version", u.PreviousVersion,
		"From build", firstOf(u.PreviousBuild, u.PreviousReleaseBuild), "Of release", u.ReleaseBuild)
	p.moment("Released", u.Released)
	p.Facts("Id", u.ID, "Details", upgrade.Link(*u))
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
	p.Heading("Containers named here")
	p.Text(p.Inks.Muted, containerCount(changes, compared))
	for i := range changes[:min(len(changes), maxLines)] {
		p.container(&changes[i], compared)
	}
	if more := len(changes) - maxLines; more > 0 {
		p.Text(p.Inks.Muted, "And "+strconv.Itoa(more)+views.Keys(" more. Press {key:upgrade.json} for all."))
	}
}

func containerCount(changes []upgrade.ContainerChange, compared bool) string {
	count, checksums := map[upgrade.Change]int{}, map[upgrade.ChecksumState]int{}
	for _, c := range changes {
		count[c.Change]++
		checksums[c.State]++
	}
	var parts []string
	add := func(n int, words string) {
		if n > 0 {
			parts = append(parts, strconv.Itoa(n)+words)
		}
	}
	if compared {
		for _, change := range []upgrade.Change{upgrade.Added, upgrade.Changed, upgrade.Same, upgrade.NotCompared} {
			add(count[change], " "+string(change))
		}
	} else {
		add(len(changes), "")
	}
	add(checksums[upgrade.ChecksumMissing], " without a checksum")
	add(checksums[upgrade.ChecksumMalformed], " with a malformed one")
	return strings.Join(parts, ", ")
}

// container writes one container: its change, image and checksum.
func (p *page) container(c *upgrade.ContainerChange, compared bool) {
	k, room := p.Inks, max(1, p.Width-2)
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
		p.Line("  " + k.Fit(image, room))
	}
	if c.Was != "" && c.Was != c.Image {
		p.Line("  " + k.Muted.On(plain.Clip("was "+c.Was, room)))
	}
	switch c.State {
	case upgrade.ChecksumGood:
		p.Line("  " + k.Muted.On(plain.Clip(c.Checksum, room)))
	case upgrade.ChecksumMissing:
		p.Line("  " + k.Signed(rows.StatusWarning, "no checksum"))
	default:
		p.Line("  " + k.Fail.On(plain.Clip(k.Glyphs.Fail+" malformed checksum: "+c.Checksum, room)))
	}
}
