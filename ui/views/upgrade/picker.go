package upgrade

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/upgrade"
	"geodeck/ui/views"
	"geodeck/ui/widget"
	"geodeck/ui/widget/rows"
)

// picker is the step in which an update is chosen: a list beside the detail of its row.
// What it lists is read by [lists].
type picker struct {
	base
	host           pickerHost
	list           *rows.List[rowKey]
	rows           source
	focus          pane
	newestFirst    bool // else as a chain
	applicableOnly bool // only what can be installed is shown
	detail         detail
	lists          lists
	manifest       manifestImport
}

// pickerHost is what the picker needs of the view around it.
type pickerHost interface {
	begin(*change) tea.Cmd
	showJSON(title string, raw jsontext.Value) tea.Cmd
}

// pane is a part of the picker.
type pane int

const (
	listPane pane = iota
	detailPane
)

// source is a list of the picker.
type source interface {
	rows.Source[rowKey]
	// detail writes what is known of a row.
	detail(i int, p *page)
	// Heading names the columns of a list that is width cells wide.
	Heading(width int) string
	// raw returns the JSON of a row, and its name.
	raw(i int) (name string, raw jsontext.Value)
}

func newPicker(b base, host pickerHost) *picker {
	p := &picker{base: b, host: host, list: rows.New[rowKey](b.Env.Theme)}
	p.lists = lists{base: b.child(), read: p.listRead}
	p.detail = detail{base: b.child(), pager: rows.NewPager(b.inks.Glyphs.Ellipsis)}
	p.manifest = manifestImport{base: b.child(), refresh: p.lists.readOffers, list: p.lists.readFile}
	p.showList()
	return p
}

// Commands makes the rows of the picker. While an upgrade runs, some of them say so.
func (p *picker) Commands() []views.Command {
	listed := func() bool { return p.unlisted() == "" }
	enter := does(goIn, p.enter)
	enter.Help, enter.Hint, enter.Enabled = "Open the pre-flight of the update, or the update it requires.", p.enterHint, p.noRow
	return views.Grouped(listGroup, slices.Concat(
		views.When(p.lists.closed, []views.Command{does(watch, showWatch)}),
		[]views.Command{
			enter,
			{ID: "upgrade.rollback", Key: "b", Word: "roll back", Name: "roll back", Needs: "an installed version under the cursor",
				Enabled: p.noRollback, Run: p.rollBack,
				Help: "Open the pre-flight of rolling back with the version under the cursor."},
			{ID: "upgrade.next-pane", Key: "tab shift+tab", Name: "next pane", Group: moveGroup,
				Hint:    func() string { return yesNo(p.focus == detailPane, "list", "details") },
				Enabled: p.unlisted, Run: views.Call(func() { p.goTo((p.focus + 1) % 2) }),
				Help: "Go from the list to the details and back."},
		},
		views.When(listed, views.Then(p.list.Filters(), func() tea.Cmd { p.goTo(listPane); return nil })),
		[]views.Command{
			{ID: "upgrade.next-list", Key: "] right", Word: "lists", Name: "next list", Group: moveGroup, Run: p.cycle(1),
				Help: "Offered, installed, history."},
			{ID: "upgrade.previous-list", Key: "[ left", Name: "previous list", Group: moveGroup, Run: p.cycle(listKinds - 1),
				Help: "The previous list."},
			{ID: "upgrade.applicable", Key: "f", Name: "applicable only", Enabled: p.notOffered, Run: views.Call(p.toggleApplicable),
				Help: "Show only what can be installed now, or all."},
			{ID: "upgrade.order", Key: "s", Word: "sort", Name: "sort updates", Enabled: p.notOffered, Run: views.Call(p.sort),
				Help: "Sort offers: as a chain, or newest first."},
			{ID: "upgrade.begin", Name: "upgrade", Enabled: p.noBegin, Run: p.begin,
				Help: "Open the pre-flight of the update under the cursor, even if blocked."},
			{ID: "upgrade.json", Key: "v", Word: "JSON", Name: "view JSON", Enabled: p.noRow, Run: p.showJSON,
				Help: "Show what the site reports about the row, as JSON."},
			{ID: "upgrade.import", Key: "I", Word: "import", Name: "import manifest", Argument: "file", Optional: true, Files: true, Enabled: p.noImport, With: p.manifest.open,
				Help: "Import a version manifest from a file, for sites without internet."},
			{ID: "upgrade.open-manifest", Key: "o", Name: "open manifest", Argument: "file", Optional: true, Files: true, Enabled: p.noImport, With: p.manifest.openFile,
				Help: "List the updates of a manifest file. It is sent with the upgrade."},
		},
		views.When(func() bool { return listed() && p.focus == listPane }, p.list.Moves()),
		views.When(func() bool { return !p.lists.closed() && p.focus == detailPane }, p.detail.pager.Moves()),
		[]views.Command{
			{ID: "upgrade.copy", Key: "y", Name: "copy id", Enabled: p.noID, Run: p.copyID,
				Help: "Copy the id of the update."},
			{ID: "upgrade.refresh", Key: "R f5", Name: "refresh",
				Enabled: p.NoSite, Run: p.lists.refresh,
				Help: "Refresh what is shown."},
		},
		views.When(p.canGoBack, []views.Command{does(goBack, p.back)}),
	))
}

// upgradeRuns is why nothing of the picker is begun while an upgrade runs.
var upgradeRuns = views.Keys("An upgrade is running. Press {key:upgrade.watch} to watch it.")

// unlisted says why the list has no rows, "" where it has some.
func (p *picker) unlisted() string {
	switch {
	case p.lists.closed():
		return upgradeRuns
	case p.list.All() == 0:
		return "Nothing is listed."
	}
	return ""
}

// noRow says why no row is under the cursor.
func (p *picker) noRow() string {
	if why := p.unlisted(); why != "" || p.list.Len() > 0 {
		return why
	}
	return "Nothing matches."
}

// notOffered says why the offers cannot be arranged.
func (p *picker) notOffered() string {
	if p.lists.shown != offeredList {
		return "Go to the list Offered first."
	}
	return p.unlisted()
}

// noBegin says why there is no pre-flight of the row under the cursor.
func (p *picker) noBegin() string {
	if p.lists.upgradeRuns() {
		return upgradeRuns
	}
	if why := p.noRow(); why != "" {
		return why
	}
	switch _, offered := p.rows.(*offers); {
	case !offered:
		return "Already installed. Pick one under Offered."
	case p.noID() != "":
		return "This update has no id and cannot be installed."
	}
	return ""
}

// noID says why the row under the cursor has no id.
func (p *picker) noID() string {
	if why := p.noRow(); why != "" {
		return why
	}
	if key, _ := p.list.Key(); key.id == "" {
		return "It has no id."
	}
	return ""
}

// noRollback says why the site is not rolled back with the row under the cursor.
func (p *picker) noRollback() string {
	if p.lists.upgradeRuns() {
		return upgradeRuns
	}
	_, why := p.rollback()
	return why
}

// noImport says why no manifest can be imported.
func (p *picker) noImport() string {
	switch {
	case p.Env.Offline:
		return "There is no site to import a manifest into."
	case p.lists.upgradeRuns():
		return upgradeRuns
	}
	return ""
}

// enterHint says what enter does on the row under the cursor.
func (p *picker) enterHint() string {
	i, ok := p.list.Selected()
	if offers, on := p.rows.(*offers); ok && on {
		switch offers.items[i].State {
		case upgrade.RequiredFirst:
			return "required update"
		case upgrade.Applicable, upgrade.NotKnown:
			return "go on"
		}
	}
	return "open"
}

// listRead shows a list that was read; the first time with the cursor on what matters.
func (p *picker) listRead() {
	first := p.list.All() == 0
	p.showList()
	if first {
		p.goToRecommended()
	}
}

// goToRecommended puts the cursor on the recommended update, or on the one that has failed.
func (p *picker) goToRecommended() {
	offers, ok := p.rows.(*offers)
	if !ok {
		return
	}
	at := slices.IndexFunc(offers.items, func(e upgrade.Entry) bool {
		return e.ID != "" && e.ID == offers.recommended || offers.hasFailed(&e)
	})
	if at >= 0 && p.list.Select(offers.keys[at]) {
		p.showDetail()
	}
}

// choose puts the cursor on an offered update, which a filter may hide.
func (p *picker) choose(id string) tea.Cmd {
	var cmd tea.Cmd
	if p.lists.shown != offeredList {
		cmd = p.open(offeredList)
	}
	if key := (rowKey{id: id}); !p.list.Select(key) {
		p.showAll()
		p.list.Select(key)
	}
	p.goTo(listPane)
	p.showDetail()
	return cmd
}

// showDetail shows the row under the cursor.
func (p *picker) showDetail() {
	var row detailRow
	if i, ok := p.list.Selected(); ok {
		row = detailRow{p.rows, i, p.rows.Key(i)}
	}
	p.detail.show(row)
}

// showList makes the rows of the chosen list.
func (p *picker) showList() {
	l := &p.lists
	switch l.shown {
	case offeredList:
		p.rows = newOffers(p)
	case installedList:
		p.rows = &installedRows{newTable(p, l.installed.items, func(u adminapi.Update) listed { return listed{u.ID, u.Name, u.Raw} }), l.rollbacks}
	case historyList:
		p.rows = &historyRows{newTable(p, l.history.items, func(h adminapi.HistoryEntry) listed { return listed{h.ID, h.Name, h.Raw} })}
	}
	p.list.Set(p.rows)
	p.applyFilters()
	p.place()
	p.detail.show(detailRow{}) // other rows begin at their top
	p.showDetail()
}

// applyFilters shows only what can be installed where applicableOnly is set.
func (p *picker) applyFilters() {
	offers, ok := p.rows.(*offers)
	if !ok || !p.applicableOnly {
		p.list.SetKeep(nil)
		return
	}
	p.list.SetKeep(func(i int) bool { return offers.items[i].State == upgrade.Applicable })
}

func (p *picker) goTo(focus pane) {
	p.focus = focus
	if focus == detailPane {
		p.showDetail()
	}
	p.place()
}

// enter goes on to the pre-flight of an update that can be installed, or to the one that it
// requires first; of other rows it shows the details.
func (p *picker) enter() tea.Cmd {
	i, _ := p.list.Selected()
	if offers, on := p.rows.(*offers); on {
		switch e := offers.items[i]; e.State {
		case upgrade.Applicable, upgrade.NotKnown:
			return p.begin()
		case upgrade.RequiredFirst:
			if first, found := offers.offer.Chain.FirstOf(e); found {
				return tea.Batch(p.choose(first.ID), views.Tell(views.Info, e.FullVersion()+" requires this update first."))
			}
		}
	}
	p.goTo(detailPane)
	return nil
}

func (p *picker) canGoBack() bool {
	return p.focus == detailPane || p.list.Filter() != "" || p.applicableOnly || p.lists.shown != offeredList
}

// back goes one step out. It clears a filter first, which hides rows.
func (p *picker) back() tea.Cmd {
	switch {
	case p.focus == detailPane:
		p.detail.pager.Home()
		p.goTo(listPane)
	case p.list.Filter() != "" || p.applicableOnly:
		return p.showAll()
	case p.lists.shown != offeredList:
		return p.open(offeredList)
	}
	return nil
}

// open shows another list, and reads it unless it was read before.
func (p *picker) open(kind listKind) tea.Cmd {
	p.lists.shown = kind
	p.list.SetFilter("")
	p.goTo(listPane)
	p.showList()
	p.list.GoTop()
	p.goToRecommended()
	return p.lists.readList()
}

func (p *picker) cycle(steps listKind) func() tea.Cmd {
	return func() tea.Cmd { return p.open((p.lists.shown + steps) % listKinds) }
}

func (p *picker) sort() {
	p.newestFirst = !p.newestFirst
	p.showList()
}

func (p *picker) toggleApplicable() {
	p.applicableOnly = !p.applicableOnly
	p.applyFilters()
	p.showDetail()
}

func (p *picker) showAll() tea.Cmd {
	p.applicableOnly = false
	p.list.SetFilter("")
	p.applyFilters()
	p.showDetail()
	return nil
}

// copyID copies the id of the update under the cursor.
func (p *picker) copyID() tea.Cmd {
	key, _ := p.list.Key()
	return views.CopyText(key.id, "update id")
}

// showJSON shows the JSON of the row under the cursor.
func (p *picker) showJSON() tea.Cmd {
	i, _ := p.list.Selected()
	return p.host.showJSON(p.rows.raw(i))
}

// begin leads to the pre-flight of the update under the cursor.
func (p *picker) begin() tea.Cmd {
	i, _ := p.list.Selected()
	return p.host.begin(p.change(p.rows.(*offers).items[i].Update))
}

// change returns the change to an update, at the beginning of its flow.
func (p *picker) change(target adminapi.Update) *change {
	return &change{
		ask:   operation.UpgradeRequest{Target: target, Answers: upgrade.Answers{}, ManifestPath: p.lists.offer.File},
		offer: p.lists.offer, offered: p.lists.fetch.Updated, Acknowledge: widget.NewAcknowledge(),
	}
}

// rollback returns the rollback that the site offers with the version under the cursor, or why
// there is none.
func (p *picker) rollback() (back upgrade.Rollback, why string) {
	i, ok := p.list.Selected()
	list, on := p.rows.(*installedRows)
	if !ok || !on {
		return back, "Choose a version under Installed."
	}
	back, listed := upgrade.RollbackOf(p.lists.rollbacks.Value, list.items[i].ID)
	if !listed || back.Unsure != "" {
		_, why = list.rollback(&list.items[i])
	}
	return back, why
}

// rollBack leads to the pre-flight of the rollback under the cursor.
func (p *picker) rollBack() tea.Cmd {
	back, _ := p.rollback()
	c := p.change(back.Listed)
	c.ask.Rollback = &back
	return p.host.begin(c)
}

const (
	twoFrom     = 100 - 2*views.Margin // cells from which list and detail are side by side
	dividerSize = 3
)

// minBelow is the least height of the beginning of the details below a list, with its rule.
const minBelow = 6
