package upgrade

import (
	"errors"
	"strings"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
)

// View draws the list and the detail beside it, where both have room.
func (p *picker) View() string {
	if lines := p.insteadOfLists(); lines != nil {
		return strings.Join(lines, "\n")
	}
	list, detail := p.panes()
	var lines []string
	switch {
	case detail == 0:
		lines = p.drawList(list)
	case list == 0:
		lines = p.drawDetail(detail)
	default:
		lines = p.inks.Columns(p.drawList(list), p.drawDetail(detail))
	}
	return strings.Join(lines, "\n")
}

// drawList draws the names of the lists and the rows of the one that is open.
func (p *picker) drawList(width int) []string {
	k, body := p.inks, p.list.View()
	switch {
	case p.list.All() == 0 || p.lists.notRead() != nil:
		body = k.Sentences(p.lists.whyEmpty(), width, p.Height-paneHead)
	case p.list.Len() == 0:
		above, _, _ := strings.Cut(body, "\n")
		body = above + "\n" + k.Sentences([]string{"Nothing matches.", "", "esc or a shows all again."}, width, p.Height-paneHead-1)
	}
	var names []string
	for kind := range listKinds {
		switch {
		case kind != p.lists.shown:
			names = append(names, k.Muted.On(kind.String()))
		case p.focus == listPane:
			names = append(names, k.Accent.On(kind.String()))
		default:
			names = append(names, k.Heading.On(kind.String()))
		}
	}
	head := k.Beside(strings.Join(names, "   "), strings.TrimSpace(p.arrangement()+"  "+p.list.Position()), width)
	return k.Pane(head, body, width, p.Height)
}

// arrangement says how the list differs from what it shows at first.
func (p *picker) arrangement() string {
	if p.lists.shown != offeredList {
		return ""
	}
	var words []string
	if p.order != asChain {
		words = append(words, p.order.String())
	}
	if p.applicableOnly {
		words = append(words, "applicable only")
	}
	return strings.Join(words, ", ")
}

func (p *picker) drawDetail(width int) []string {
	k, pager := p.inks, p.detail.current()
	ink := k.Muted
	if p.focus == detailPane {
		ink = k.Accent
	}
	return k.Pane(k.Beside(ink.On("Detail"), pager.Position(), width), pager.View(), width, p.Height)
}

// insteadOfLists is a screen of its own where there is nothing to choose from: a site
// that is too old, and one that is being upgraded.
func (p *picker) insteadOfLists() []string {
	k := p.inks
	switch {
	case p.lists.upgradeRuns():
		lines := append([]string{k.Running.On(k.Glyphs.Running + " An upgrade is running"), ""},
			p.paragraph(k.Plain, "While it runs the site tells nothing of what it offers or has installed, and takes no other upgrade.")...)
		status := p.lists.offer.Status
		if w := p.Env.Upgrade; w.On && !w.Snapshot.At.IsZero() {
			status = w.Snapshot.Status
		}
		if n := len(status.Messages); n > 0 {
			last := status.Messages[n-1]
			lines = append(lines, "")
			lines = append(lines, p.paragraph(k.Muted, "Last message "+p.Env.Times.Clock(last.When.Time())+": "+last.Message)...)
		}
		return append(lines, "", k.Key.On("w")+" watches it", k.Key.On("R")+" asks again whether it runs")
	case errors.Is(p.lists.fetch.Err, adminapi.KindVersionTooOld):
		version := firstOf(plain.Line(p.lists.version), "an older version")
		return []string{
			k.Heading.On("No upgrades at this site"), "",
			"It runs " + k.Strong.On(version) + ", which does not offer them to programs.",
		}
	}
	return nil
}

// paragraph is a text in a colour, wrapped.
func (p *picker) paragraph(ink rows.Ink, text string) []string {
	lines := views.Wrap(text, p.Width)
	for i, line := range lines {
		lines[i] = ink.On(line)
	}
	return lines
}
