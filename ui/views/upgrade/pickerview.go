package upgrade

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
)

// SetSize gives the picker its cells.
func (p *picker) SetSize(width, height int) {
	p.base.SetSize(width, height)
	p.place()
}

// widths divides the width. A narrow terminal shows one pane, the one in focus.
func (p *picker) widths() (list, detail int) {
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
	list, detail := p.widths()
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

// View draws the list, and the detail beside or below it where both have room, with the margins.
func (p *picker) View() string {
	k := p.inks
	if lines := p.insteadOfLists(); lines != nil {
		return k.Abreast(p.Height, k.Block(lines, p.Width, p.Height))
	}
	var list, detail string
	left, right := p.widths()
	if below := p.below(); left > 0 {
		if list = p.drawList(left, p.Height-below); below > 0 {
			list += "\n" + k.Line(left) + "\n" + p.detail.pager.View()
		}
	}
	if right > 0 {
		detail = p.drawDetail(right)
	}
	return k.Abreast(p.Height, list, detail)
}

// drawList draws the names of the lists and the rows of the one that is shown.
func (p *picker) drawList(width, height int) string {
	k, body, heading := p.inks, p.list.View(), ""
	switch room := max(0, height-paneHead); {
	case p.list.All() == 0 || p.lists.notRead() != nil:
		body = k.Sentences(p.lists.whyEmpty(), width, room)
	case p.list.Len() == 0:
		body = p.list.Unmatched("Nothing matches.", "", views.Keys("Press {key:upgrade.back} to show all."))
		fallthrough
	default:
		heading = p.rows.Heading(width)
	}
	return k.Headed(width, height, body, k.Beside(p.names(), strings.TrimSpace(p.arrangement()+"  "+p.list.Position()), width), heading)
}

// names draws the names of the lists.
func (p *picker) names() string {
	var names []string
	for kind := range listKinds {
		ink := p.inks.Heading
		if p.focus == listPane {
			ink = p.inks.Accent
		}
		names = append(names, p.inks.Tab(kind.String(), kind == p.lists.shown, ink))
	}
	return strings.Join(names, " ")
}

// arrangement returns the order and the filter of the list, where they are not the usual.
func (p *picker) arrangement() string {
	if p.lists.shown != offeredList {
		return ""
	}
	var words []string
	if p.newestFirst {
		words = append(words, "newest first")
	}
	if p.applicableOnly {
		words = append(words, "applicable only")
	}
	return strings.Join(words, ", ")
}

func (p *picker) drawDetail(width int) string {
	k, pager := p.inks, p.detail.pager
	ink := k.Muted
	if p.focus == detailPane {
		ink = k.Accent
	}
	return k.Headed(width, p.Height, pager.View(), k.Beside(ink.On("Details"), pager.Position(), width), "")
}

// insteadOfLists returns what is shown where there is nothing to choose from: at a site
// that is too old, or that is being upgraded.
func (p *picker) insteadOfLists() []string {
	k := p.inks
	switch {
	case p.lists.closed():
		return p.runLines()
	case errors.Is(p.lists.fetch.Err, adminapi.KindVersionTooOld):
		version := firstOf(plain.Line(p.Env.State.Version.Value.FullVersion), "an older version")
		return []string{
			k.Heading.On("No upgrades at this site"), "",
			"Installed is " + k.Strong.On(version) + ", which offers no updates through its API.",
		}
	}
	return nil
}

// runLines tells of the upgrade because of which a list is closed, as far as is known now.
func (p *picker) runLines() []string {
	k, l, upgrade := p.inks, &p.lists, p.Env.State.Upgrade
	if !p.Env.State.Runs() { // it has begun here, and the site tells only of the one before
		upgrade.At, upgrade.Value.Progress, upgrade.Value.Last = time.Time{}, progress.Progress{}, adminapi.UpgradeMessage{}
	}
	page := &rows.Page{Inks: k, Width: p.Width}
	page.Line(p.names())
	page.Gap()
	times, run, old := p.Env.Times.Site(), upgrade.Value.Progress, views.AsOf(p.Env, upgrade) != ""
	if old {
		page.Status(rows.StatusWarning, run.Kind.One()+" was running at "+p.Env.Times.Here(upgrade.At)+"; no answer since then.")
	} else {
		page.Status(rows.StatusRunning, run.Kind.One()+" is running")
	}
	page.Gap()
	if run.From != "" {
		page.Fact("Version", plain.Clip(run.From, 40)+" "+k.Glyphs.Arrow+" "+plain.Clip(run.To, 40))
	}
	if !run.Began.IsZero() {
		page.Fact("Began", times.Clock(run.Began.Time()))
	}
	page.Fact("Phase", run.Current)
	if run.Total > 0 {
		page.Line(k.Label.On(k.Fit("Deployments", factNames)) + k.Bar(barCells, barCells*run.Done/run.Total) +
			fmt.Sprintf("  %d of %d", run.Done, run.Total))
	}
	if left, ok := p.Env.Upgrade.Snapshot.Estimate(); ok && p.Env.Upgrade.On && !old {
		page.Fact("Estimate", left.String()+" ("+left.Basis()+")")
	}
	if run.ReadOnly.Lasts() {
		page.Fact("Read-only", "since "+times.Clock(run.ReadOnly.From.Time()))
	}
	if last := upgrade.Value.Last; !last.When.IsZero() {
		page.Fact("Last message", times.Clock(last.When.Time())+" "+plain.Clip(progress.LineOf(last), maxLastMessage))
	}
	page.Gap()
	page.Text(k.Plain, "Until it ends, the site offers and accepts no other upgrade"+
		yesNo(l.shown == offeredList, ".", ", and closes "+yesNo(l.shown == historyList, "the history.", "this list.")))
	page.Gap()
	page.Key(views.KeyOf("upgrade.watch"), "watch it")
	page.Key(views.KeyOf("upgrade.refresh"), "refresh")
	return page.Lines
}

const (
	factNames      = 15 // cells before a fact
	barCells       = 30
	maxLastMessage = 200
)
