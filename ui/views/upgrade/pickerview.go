package upgrade

import (
	"errors"
	"strings"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/views/rows"
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
	case p.list.All() == 0 || p.notRead() != nil:
		body = k.Says(p.whyEmpty(), width, p.Height-paneHead)
	case p.list.Len() == 0:
		above, _, _ := strings.Cut(body, "\n")
		body = above + "\n" + k.Says([]string{"Nothing matches.", "", "esc or a shows all again."}, width, p.Height-paneHead-1)
	}
	var names []string
	for kind := range listKinds {
		switch {
		case kind != p.kind:
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
	if p.kind != offeredList {
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
	case p.upgradeRuns():
		lines := append([]string{k.Running.On(k.Glyphs.Running + " An upgrade is running"), ""},
			p.paragraph(k.Plain, "While it runs the site tells nothing of what it offers or has installed, and takes no other upgrade.")...)
		status := p.offer.Status
		if w := p.Env.Upgrade; w.On && !w.Reading.At.IsZero() {
			status = w.Reading.Status
		}
		if n := len(status.Messages); n > 0 {
			last := status.Messages[n-1]
			lines = append(lines, "")
			lines = append(lines, p.paragraph(k.Muted, "Last message "+p.Env.Times.Clock(last.When.Time())+": "+last.Message)...)
		}
		return append(lines, "", k.Key.On("w")+" watches it", k.Key.On("R")+" asks again whether it runs")
	case errors.Is(p.fetch.Err, adminapi.KindVersionTooOld):
		version := firstOf(plain.Line(p.version), "an older version")
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

// notRead says why the open list has nothing to show, nil where it has.
func (p *picker) notRead() []string {
	switch {
	case p.Env.Offline:
		return []string{"There is no site."}
	case p.kind == installedList && p.installed.Updated.IsZero():
		return p.notFetched("installed updates", p.installed.Fetch)
	case p.kind == historyList && p.history.Updated.IsZero():
		return p.notFetched("history", p.history.Fetch)
	case p.kind != offeredList || !p.fetch.Updated.IsZero():
		return nil
	case errors.Is(p.fetch.Err, adminapi.KindSignIn):
		return []string{"Not signed in: what the site offers could not be read.", "", "R asks again."}
	case p.fetch.Err != nil:
		return []string{views.Sentence(p.fetch.Err.Error()), "", "R asks again."}
	case p.fetch.Away != nil:
		return []string{"The site does not answer. It is asked again by itself.", "", views.Sentence(p.fetch.Away.Err.Error())}
	}
	return []string{"Reading what the site offers" + p.inks.Glyphs.Ellipsis}
}

func (p *picker) notFetched(what string, f views.Fetch) []string {
	switch {
	case f.Loading:
		return []string{"Reading the " + what + p.inks.Glyphs.Ellipsis}
	case errors.Is(f.Err, adminapi.KindSignIn):
		return []string{"Not signed in: the " + what + " could not be read.", "", "R asks again."}
	case f.Err != nil:
		return []string{views.Sentence(f.Err.Error()), "", "R asks again."}
	}
	return []string{"The " + what + " have not been read yet.", "", "R reads them."}
}

// whyEmpty says why the list is empty.
func (p *picker) whyEmpty() []string {
	if lines := p.notRead(); lines != nil {
		return lines
	}
	switch p.kind {
	case installedList:
		return []string{"The site names no installed updates."}
	case historyList:
		return []string{"No upgrade and no rollback is recorded."}
	}
	return []string{
		"Nothing is offered: this site runs " + p.offer.Installed.FullVersion() + ", and its manifest holds no update.",
		"", "A site without internet needs a version manifest from a file: m imports one.",
	}
}

// runs says what the site runs, where that is known.
func (p *picker) runs() string {
	if p.fetch.Updated.IsZero() || p.upgradeRuns() {
		return ""
	}
	return "runs " + plain.Line(p.offer.Installed.FullVersion())
}

func (p *picker) busy() string {
	switch {
	case p.fetch.Loading && p.fetch.Away == nil:
		return "reading what is offered"
	case p.installed.Loading:
		return "reading what is installed"
	case p.history.Loading:
		return "reading the history"
	}
	return ""
}
