package history

import (
	"context"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi/document"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/views/services/plan"
	"geodeck/ui/widget/jsonview"
	"geodeck/ui/widget/rows"
)

// version is the text of an older version with its secrets masked, and the line from which on it
// differs from what replaced it.
type version struct {
	key   string
	lines []string
	from  int
}

// follow reads the version on which the cursor rests, where it stands beside the list.
func (h *Model) follow() tea.Cmd {
	i, ok := h.list.Rested()
	if !ok || h.Width < besideFrom || h.past[i].key() == h.beside.key {
		return nil
	}
	b, site := h.past[i], h.Env.Site
	h.beside = version{key: b.key()}
	r := h.beside
	return h.Work("version", func(context.Context) func() tea.Cmd {
		old, err := site.Memory.ReadBackup(b.target, b.ID)
		if err != nil { // enter says why
			return nil
		}
		r.lines = jsonview.Lines(plain.SafeJSON([]byte(old.Masked())))
		shown, err := document.Parse([]byte(strings.Join(r.lines, "\n")))
		for _, c := range b.Changes {
			if err != nil {
				break
			}
			if n, there := shown.Find(c.Path); there {
				start, _ := n.Span()
				line, _ := shown.Position(start)
				r.from = max(0, min(line-linesBefore, len(r.lines)-1))
				break
			}
		}
		return func() tea.Cmd {
			if r.key == h.beside.key {
				h.news++
				h.beside = r
			}
			return nil
		}
	})
}

// A wide terminal has the version beside the list.
const (
	besideFrom  = 168 // cells from which on it has
	besideWidth = 68
	dividing    = 3 // cells between the two
)

// linesBefore are shown of a version before the first that differs.
const linesBefore = 6

func (h *Model) lay() {
	h.news++
	h.list.Set(&backupRows{h: h})
	h.arrange()
}

// detailFrom is how many rows a tab has at least that says below the list what a version is.
const detailFrom = 12

// arrange shares the rows out between the list and what the version under the cursor is.
func (h *Model) arrange() {
	room := max(0, h.Height-1)
	switch {
	case h.Width >= besideFrom:
	case h.Height >= detailFrom:
		room = min(max(len(h.past), 3), room/2)
	}
	h.list.SetSize(h.listWidth(), room)
}

// listWidth are the cells of the list: in a wide terminal the version stands beside it.
func (h *Model) listWidth() int {
	if h.Width < besideFrom {
		return h.Width
	}
	return h.Width - besideWidth - dividing
}

// detailKey is what the lines about a version depend on.
type detailKey struct {
	version           string
	news, width, room int
	times             views.Stamp
}

// detailLines say all that replaced the version on which the cursor rests. They are laid out anew
// where what they are laid out from may have changed.
func (h *Model) detailLines(width, room int) []string {
	i, ok := h.list.Rested()
	if !ok || room < 3 {
		return nil
	}
	key := detailKey{h.past[i].key(), h.news, width, room, h.Env.Times.Stamp()}
	return h.cache.For(key, func() []string { return h.about(&h.past[i], width, room) })
}

// about says all that replaced a version.
func (h *Model) about(b *Backup, width, room int) []string {
	p := &rows.Page{Inks: h.Inks, Width: width}
	if width == h.Width {
		p.Line(h.Inks.Rule.On(strings.Repeat(h.Inks.Glyphs.Rule, width)))
	}
	p.Text(h.Inks.Strong, b.What()+" of "+h.nameOf(*b)+", "+plain.Plural(b.Bytes, "byte"))
	p.Text(h.Inks.Muted, "Saved"+strings.TrimRight(" "+plain.Line(b.Why), " ")+plan.By(b.Who)+". What replaced it:")
	for _, line := range editing.ChangeLines(b.Changes, b.Words) {
		p.Indented(h.Inks.Plain, "  ", plan.Arrows(h.Inks, line))
	}
	switch {
	case b.Err != nil:
		p.Indented(h.Inks.Muted, "  ", "Unknown: "+b.Err.Error()+".")
	case b.Ended != "":
		p.Indented(h.Inks.Muted, "  ", views.Sentence(b.Still()))
	case len(b.Changes) == 0:
		p.Indented(h.Inks.Muted, "  ", "No change.")
	}
	if width < h.Width && h.beside.key == b.key() && len(h.beside.lines) > 0 {
		title := "This version"
		if h.beside.from > 0 {
			title += ", from line " + strconv.Itoa(h.beside.from+1)
		}
		p.Heading(title)
		for _, line := range h.beside.lines[h.beside.from:min(len(h.beside.lines), h.beside.from+room)] {
			p.Indented(rows.Ink{}, "  ", line)
		}
		if len(p.Lines) > room {
			p.Lines = append(p.Lines[:room-1], "  "+h.Inks.Muted.On(views.Keys("and more: {key:services.json} shows the whole version")))
		}
	}
	if len(p.Lines) > room {
		p.Lines = append(p.Lines[:room-1], "  "+h.Inks.Muted.On(views.Keys("and more: press {key:services.to-now}")))
	}
	return p.Lines
}

// The columns of the list, in cells.
const (
	whenWidth   = 20
	whoWidth    = 10
	reasonsFrom = 100 // cells from which on a row has why it was kept
)

// View draws the list, or the version that was opened.
func (h *Model) View() string {
	switch {
	case h.json != nil:
		return h.json.View()
	case h.problem != nil:
		return h.Inks.Sentences([]string{"The history cannot be read: " + views.Sentence(h.problem.Error())}, h.Width, h.Height)
	case !h.read:
		return h.Inks.Sentences([]string{"Reading the history" + h.Inks.Glyphs.Ellipsis}, h.Width, h.Height)
	case len(h.past) == 0:
		p := h.Page()
		p.Indented(h.Inks.Muted, "  ", "No versions yet. Each edit saves the version that it replaces.")
		p.Gap()
		p.Indented(h.Inks.Muted, "  ", "Shared rules are listed under the service that you edited.")
		p.Focus(0)
		return h.Inks.Block(p.Lines, h.Width, h.Height)
	}
	heading := "  " + h.Inks.Label.On(h.Inks.Fit("When", whenWidth)+" "+h.Inks.Fit("Who", whoWidth)+" What changed")
	list := strings.Split(h.list.View(), "\n")
	lines := append([]string{h.Inks.Fit(heading, h.listWidth())}, list...)
	if h.Width >= besideFrom {
		detail := h.Inks.Block(h.detailLines(besideWidth, h.Height), besideWidth, h.Height)
		return strings.Join(h.Inks.Columns(lines[:min(len(lines), h.Height)], strings.Split(detail, "\n")), "\n")
	}
	return h.Inks.Block(append(lines, h.detailLines(h.Width, h.Height-len(lines))...), h.Width, h.Height)
}

// backupRows are the older versions as rows.
type backupRows struct {
	rows.Flat
	h *Model
}

func (p *backupRows) Len() int           { return len(p.h.past) }
func (p *backupRows) Key(i int) string   { return p.h.past[i].key() }
func (p *backupRows) Version(int) uint64 { return uint64(p.h.Env.Times.Mode) }

func (p *backupRows) Matches(i int, has func(string) bool) bool {
	b := &p.h.past[i]
	return has(b.What()) || has(b.Who) || has(b.Why) || has(p.h.nameOf(*b)) || has(b.Summary())
}

func (p *backupRows) Draw(i int, look rows.Look) string {
	b, k := &p.h.past[i], p.h.Inks
	changed := plan.Arrows(k, b.Summary())
	ink := k.Plain
	if changed == "" {
		changed, ink = "(the next version is unknown)", k.Muted
	}
	if b.target.Part == editing.Placement {
		changed = "placement  " + changed
	}
	why := plain.Line(strings.TrimPrefix(b.Why, "before "))
	if why = " " + strings.TrimSpace(why); why == " an edit" || look.Width < reasonsFrom {
		why = ""
	}
	room := max(8, look.Width-whenWidth-whoWidth-2-ansi.StringWidth(why))
	if at := strings.LastIndex(changed, "  "); at >= 0 && strings.Contains(changed[at:], "more change") { // how many more is not cut
		more := changed[at:]
		changed = plain.Clip(changed[:at], max(8, room-len(more))) + more
	}
	return k.Muted.On(k.Fit(p.h.nameOf(*b), whenWidth)) + " " + k.Fit(plain.Line(b.Who), whoWidth) + " " +
		ink.On(rows.Highlight(k.Fit(changed, room), look.Find, ink, k.Match)) + k.Muted.On(why)
}
