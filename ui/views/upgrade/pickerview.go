package upgrade

import (
	"errors"
	"strings"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
)

// SetSize gives the picker its cells.
func (p *picker) SetSize(width, height int) {
	p.base.SetSize(width, height)
	p.place()
}

// panes divides the width. A narrow terminal shows one pane, the one in focus.
func (p *picker) panes() (list, detail int) {
	switch {
	case p.Width >= twoFrom:
		list = max(60, p.Width*54/100)
		return list, p.Width - list - dividerSize
	case p.focus == detailPane:
		return 0, p.Width
	}
	return p.Width, 0
}

// place lays out the panes after the size or the focus changed.
func (p *picker) place() {
	list, detail := p.panes()
	height := max(0, p.Height-paneHead)
	p.list.SetFocused(p.focus == listPane)
	p.detail.pager.SetFocused(p.focus == detailPane)
	if below := p.below(); below > 0 {
		p.list.SetSize(list, height-below)
		p.detail.SetSize(list, below-1)
		return
	}
	p.list.SetSize(list, height)
	p.detail.SetSize(detail, height)
}

// below returns how many lines the beginning of the details takes below the list of a narrow
// terminal.
func (p *picker) below() int {
	height := p.Height - paneHead
	if p.Width >= twoFrom || p.focus == detailPane || height < 2*minBelow || p.list.All() == 0 {
		return 0
	}
	return max(minBelow, height-p.list.All()-1)
}

// View draws the list, and the detail beside it where both have room.
func (p *picker) View() string {
	if lines := p.insteadOfLists(); lines != nil {
		return strings.Join(lines, "\n")
	}
	list, detail := p.panes()
	var lines []string
	switch {
	case detail == 0:
		lines = p.drawList(list)
		if below := p.below(); below > 0 {
			pager := p.detail.current()
			lines = append(lines[:p.Height-below], p.inks.Rule.On(ruleOf(p.inks, list)))
			lines = append(lines, strings.Split(pager.View(), "\n")...)
		}
	case list == 0:
		lines = p.drawDetail(detail)
	default:
		lines = p.inks.Columns(p.drawList(list), p.drawDetail(detail))
	}
	return strings.Join(lines, "\n")
}

// drawList draws the names of the lists and the rows of the one that is shown.
func (p *picker) drawList(width int) []string {
	k, body := p.inks, p.list.View()
	switch {
	case p.list.All() == 0 || p.lists.notRead() != nil:
		body = k.Sentences(p.lists.whyEmpty(), width, p.Height-paneHead)
	case p.list.Len() == 0:
		above, _, _ := strings.Cut(body, "\n")
		body = above + "\n" + k.Sentences([]string{"Nothing matches.", "", "Press esc to show all."}, width, p.Height-paneHead-1)
	}
	var names []string
	for kind := range listKinds {
		ink := k.Heading
		if p.focus == listPane {
			ink = k.Accent
		}
		names = append(names, k.Tab(kind.String(), kind == p.lists.shown, ink))
	}
	head := k.Beside(strings.Join(names, " "), strings.TrimSpace(p.arrangement()+"  "+p.list.Position()), width)
	lines := k.Pane(head, body, width, p.Height)
	if len(lines) >= paneHead && p.list.All() > 0 && p.lists.notRead() == nil {
		lines[1] = k.Fit(p.rows.Heading(width), width)
	}
	return lines
}

// arrangement returns the order and the filter of the list, where they are not the usual.
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
	return k.Pane(k.Beside(ink.On("Details"), pager.Position(), width), pager.View(), width, p.Height)
}

// insteadOfLists returns what is shown where there is nothing to choose from: at a site
// that is too old, or that is being upgraded.
func (p *picker) insteadOfLists() []string {
	k := p.inks
	switch {
	case p.lists.upgradeRuns():
		lines := append([]string{k.Running.On(k.Glyphs.Running + " An upgrade is running"), ""},
			p.paragraph(k.Plain, "Until it ends, the site offers and accepts no other upgrade.")...)
		status := p.lists.offer.Status
		if w := p.Env.Upgrade; w.On && !w.Snapshot.At.IsZero() {
			status = w.Snapshot.Status
		}
		if n := len(status.Messages); n > 0 {
			last := status.Messages[n-1]
			lines = append(lines, "")
			lines = append(lines, p.paragraph(k.Muted, "Last message "+p.Env.Times.Site().Clock(last.When.Time())+": "+last.Message)...)
		}
		return append(lines, "", k.Key.On("enter")+" watch it", k.Key.On("R")+" refresh")
	case errors.Is(p.lists.fetch.Err, adminapi.KindVersionTooOld):
		version := firstOf(plain.Line(p.lists.version), "an older version")
		return []string{
			k.Heading.On("No upgrades at this site"), "",
			"Installed is " + k.Strong.On(version) + ", which offers no updates through its API.",
		}
	}
	return nil
}

// paragraph wraps a text in a style.
func (p *picker) paragraph(ink rows.Ink, text string) []string {
	lines := views.Wrap(text, p.Width)
	for i, line := range lines {
		lines[i] = ink.On(line)
	}
	return lines
}
