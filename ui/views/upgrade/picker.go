package upgrade

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/upgrade"
	"geodeck/ui/views"
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
	order          order
	applicableOnly bool // only what can be installed is shown
	detail         detail
	lists          lists
	manifest       manifestImport
}

// pickerHost is what the picker asks of the view around it.
type pickerHost interface {
	begin(adminapi.Update) tea.Cmd
	rollBack(u adminapi.Update, later []string) tea.Cmd
	showJSON(title string, raw jsontext.Value)
}

// pane is a part of the picker.
type pane int

const (
	listPane pane = iota
	detailPane
)

// source is what a list shows.
type source interface {
	rows.Source[rowKey]
	// detail writes all that is known of a row.
	detail(i int, p *page)
	// raw is what the site wrote about a row, and what it is called.
	raw(i int) (name string, raw jsontext.Value)
}

// rowKey tells rows apart: ids may repeat in a broken manifest.
type rowKey struct {
	id  string
	nth int
}

// keysOf numbers ids that repeat.
func keysOf[T any](items []T, id func(T) string) []rowKey {
	seen := map[string]int{}
	keys := make([]rowKey, len(items))
	for i, item := range items {
		keys[i] = rowKey{id(item), seen[id(item)]}
		seen[id(item)]++
	}
	return keys
}

func newPicker(b base, host pickerHost) *picker {
	p := &picker{base: b, host: host, list: rows.New[rowKey](b.Env.Theme)}
	p.lists = lists{base: b.child()}
	p.detail = detail{base: b.child(), pager: rows.NewPager(b.inks.Glyphs.Ellipsis)}
	p.manifest = manifestImport{base: b.child(), refresh: p.lists.readOffers}
	p.showList()
	return p
}

// Commands are the rows of the picker. While an upgrade runs, some of them say so.
func (p *picker) Commands() []views.Command {
	idle := func() bool { return !p.lists.upgradeRuns() }
	onOffers := func() bool { return idle() && p.lists.shown == offeredList }
	canRollBack := func() bool {
		u, ok := p.installedUpdate()
		return ok && p.lists.rollbacks.offers(u.ID)
	}
	return slices.Concat(
		views.When(idle, []views.Command{goIn(p.enter)}),
		views.HintedWhen(onOffers, views.Command{ID: "upgrade.begin", Binding: views.Key("upgrade", "u"), Name: "upgrade", Help: "Go to the pre-flight of the update under the cursor. Nothing is changed by it.", Group: listGroup, Run: p.unlessRunning(p.begin)}),
		views.HintedWhen(func() bool { return idle() && canRollBack() }, views.Command{ID: "upgrade.rollback", Binding: views.Key("roll back", "b"), Name: "roll back patch", Help: "Review rolling back the installed patch under the cursor.", Group: listGroup, Run: p.unlessRunning(p.rollBack)}),
		views.When(idle, views.Then(p.list.Filters(), p.filtered)),
		views.HintedWhen(idle, views.Command{ID: "upgrade.next-list", Binding: views.Key("lists", "]", "right", "l"), Name: "next list", Help: "Offered, installed, history.", Group: moveGroup, Run: p.unlessRunning(p.cycle(1))}),
		[]views.Command{
			{ID: "upgrade.previous-list", Binding: views.Key("", "[", "left", "h"), Name: "previous list", Help: "The list before.", Group: moveGroup, Run: p.unlessRunning(p.cycle(listKinds - 1))},
			{ID: "upgrade.applicable", Binding: views.Key("applicable only", "f"), Name: "applicable only", Help: "Show only what can be installed now, or all.", Group: listGroup, Enabled: onOffers, Run: views.Do(p.toggleApplicable)},
			{ID: "upgrade.order", Binding: views.Key("sort", "s"), Name: "sort updates", Help: "Sort offers: as a chain, newest first, applicable first.", Group: listGroup, Enabled: onOffers, Run: views.Do(p.sort)},
			{ID: "upgrade.all", Binding: views.Key("", "a"), Name: "show all", Help: "Drop all filters.", Group: listGroup, Enabled: idle, Run: views.Do(p.showAll)},
			{ID: "upgrade.json", Binding: views.Key("JSON", "v"), Name: "view JSON", Help: "Show what the site wrote about the row, as JSON.", Group: listGroup, Enabled: idle, Run: views.Do(p.showJSON)},
		},
		views.HintedWhen(idle, views.Command{ID: "upgrade.import-ask", Binding: views.Key("import", "m"), Name: "import manifest", Help: "Give the site a version manifest from a file, for sites without internet.", Group: listGroup, Run: p.unlessRunning(p.manifest.prompt)}),
		[]views.Command{{ID: "upgrade.import", Name: "import manifest file", Argument: "file", Help: "Give the site the version manifest of a file.", Group: listGroup, Enabled: idle, Run: p.manifest.open}},
		views.When(func() bool { return idle() && p.focus == listPane }, views.Then(p.list.Moves(), p.follow)),
		views.When(func() bool { return idle() && p.focus == detailPane }, p.detail.pager.Moves()),
		[]views.Command{
			{ID: "upgrade.next-pane", Binding: views.Key("", "tab", "shift+tab"), Name: "next pane", Help: "Go from the list to the detail and back.", Group: moveGroup, Enabled: idle, Run: views.Do(p.nextPane)},
			{ID: "upgrade.copy", Binding: views.Key("", "y"), Name: "copy id", Help: "Copy the id of the update.", Group: listGroup, Enabled: idle, Run: views.Do(p.copyID)},
			refresh(p.lists.refresh),
		},
		views.HintedWhen(p.lists.upgradeRuns, watch(p.watch)),
		views.When(func() bool { return idle() && p.canGoBack() }, []views.Command{goBack(p.back)}),
	)
}

func (p *picker) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case rested:
		if key, ok := p.list.Key(); ok && key == msg.key {
			p.showDetail()
		}
		return nil
	case manifestRead, imported:
		return p.manifest.update(msg)
	}
	cmd, changed := p.lists.update(msg)
	if changed {
		p.showList()
	}
	return cmd
}

// unlessRunning makes a handler that says so while an upgrade runs.
func (p *picker) unlessRunning(f func() tea.Cmd) func(string) tea.Cmd {
	return func(string) tea.Cmd {
		if p.lists.upgradeRuns() {
			return views.Tell(views.Warning, "An upgrade is running: until it ends there is nothing to choose from. w watches it.")
		}
		return f()
	}
}

// typed takes a key of the filter.
func (p *picker) typed(key tea.KeyMsg) tea.Cmd {
	p.list.Type(key)
	return p.follow()
}

func (p *picker) filtered() tea.Cmd {
	p.goTo(listPane)
	return p.follow()
}

// follow shows the detail of the row under the cursor once it rests there.
func (p *picker) follow() tea.Cmd {
	key, ok := p.list.Key()
	return p.detail.follow(key, ok)
}

// showDetail shows the row under the cursor.
func (p *picker) showDetail() {
	key, ok := p.list.Key()
	p.detail.show(p.rows, key, ok)
}

// showList lays the chosen list out again.
func (p *picker) showList() {
	switch p.lists.shown {
	case offeredList:
		p.rows = newOffers(p)
	case installedList:
		p.rows = newInstalledRows(p)
	case historyList:
		p.rows = newHistoryRows(p)
	}
	p.list.Set(p.rows)
	p.applyFilters()
	p.detail.clear()
	p.showDetail()
}

// applyFilters shows only what can be installed, where that is asked for.
func (p *picker) applyFilters() {
	offers, ok := p.rows.(*offers)
	if !ok || !p.applicableOnly {
		p.list.SetKeep(nil)
		return
	}
	p.list.SetKeep(func(i int) bool { return offers.entries[i].State == upgrade.Applicable })
}

func (p *picker) goTo(focus pane) {
	p.focus = focus
	if focus == detailPane {
		p.showDetail()
	}
	p.place()
}

func (p *picker) nextPane() tea.Cmd {
	p.goTo((p.focus + 1) % 2)
	return nil
}

// enter goes one step in.
func (p *picker) enter() tea.Cmd {
	if _, ok := p.list.Key(); !ok {
		return nil
	}
	if p.focus == detailPane && p.lists.shown == offeredList {
		return p.begin()
	}
	p.goTo(detailPane)
	return nil
}

func (p *picker) canGoBack() bool {
	return p.focus == detailPane || p.list.Filter() != "" || p.applicableOnly || p.lists.shown != offeredList
}

// back goes one step out. A filter is cleared first: it hides things.
func (p *picker) back() tea.Cmd {
	switch {
	case p.focus == detailPane:
		p.goTo(listPane)
	case p.list.Filter() != "" || p.applicableOnly:
		return p.showAll()
	case p.lists.shown != offeredList:
		return p.open(offeredList)
	}
	return nil
}

// open shows another list, and reads it where it was not read yet.
func (p *picker) open(kind listKind) tea.Cmd {
	p.lists.shown = kind
	p.list.SetFilter("")
	p.goTo(listPane)
	p.showList()
	return p.lists.readList()
}

func (p *picker) cycle(steps listKind) func() tea.Cmd {
	return func() tea.Cmd { return p.open((p.lists.shown + steps) % listKinds) }
}

func (p *picker) sort() tea.Cmd {
	p.order = (p.order + 1) % orders
	p.showList()
	return nil
}

func (p *picker) toggleApplicable() tea.Cmd {
	p.applicableOnly = !p.applicableOnly
	p.applyFilters()
	return p.follow()
}

func (p *picker) showAll() tea.Cmd {
	p.applicableOnly = false
	p.list.SetFilter("")
	p.applyFilters()
	return p.follow()
}

// copyID copies the id of the update under the cursor.
func (p *picker) copyID() tea.Cmd {
	key, ok := p.list.Key()
	if !ok || key.id == "" {
		return nil
	}
	return views.Send(views.Copy{Text: key.id, What: "update id"})
}

// showJSON shows what the site wrote about the row under the cursor.
func (p *picker) showJSON() tea.Cmd {
	i, ok := p.list.Selected()
	if !ok {
		return views.Tell(views.Warning, "There is nothing to show.")
	}
	p.host.showJSON(p.rows.raw(i))
	return nil
}

func (p *picker) watch() tea.Cmd {
	return tea.Batch(views.Send(views.WatchUpgrade{}), views.Send(views.Navigate{View: "progress"}))
}

// begin leads to the pre-flight of the update under the cursor.
func (p *picker) begin() tea.Cmd {
	i, ok := p.list.Selected()
	offers, on := p.rows.(*offers)
	if !ok || !on {
		return views.Tell(views.Warning, "Choose an update that is offered.")
	}
	if offers.entries[i].ID == "" {
		return views.Tell(views.Warning, "The site gives this update no id: it cannot be asked for.")
	}
	return p.host.begin(offers.entries[i].Update)
}

// change is what is known of an update when its flow begins.
func (p *picker) change(target adminapi.Update) *change {
	return &change{
		ask:   operation.UpgradeRequest{Target: target, Answers: upgrade.Answers{}},
		offer: p.lists.offer, offered: p.lists.fetch.Updated, acknowledged: map[string]string{},
	}
}

// installedUpdate returns the installed update under the cursor.
func (p *picker) installedUpdate() (adminapi.Update, bool) {
	i, ok := p.list.Selected()
	list, on := p.rows.(*installedRows)
	if !ok || !on {
		return adminapi.Update{}, false
	}
	return list.items[i], true
}

// rollBack leads to the review of rolling back the patch under the cursor.
func (p *picker) rollBack() tea.Cmd {
	u, ok := p.installedUpdate()
	switch {
	case !ok:
		return views.Tell(views.Warning, "Choose a patch among what is installed.")
	case !p.lists.rollbacks.offers(u.ID):
		return views.Tell(views.Warning, "The site does not offer to roll back "+views.NameOf(u.FullVersion(), u.ID)+".")
	case u.FullVersion() == "":
		return views.Tell(views.Warning, "The site gives this patch no version: it cannot be confirmed.")
	}
	return p.host.rollBack(u, laterThan(u, p.lists.installed.items))
}

const (
	twoFrom     = 100 - 2*margin // cells from which list and detail stand side by side
	dividerSize = 3
)

// SetSize gives the picker its cells.
func (p *picker) SetSize(width, height int) {
	p.base.SetSize(width, height)
	p.place()
}

// panes shares the width out. In narrow terminals there is one pane at a time, the one
// in focus.
func (p *picker) panes() (list, detail int) {
	switch {
	case p.Width >= twoFrom:
		list = max(60, p.Width*48/100)
		return list, p.Width - list - dividerSize
	case p.focus == detailPane:
		return 0, p.Width
	}
	return p.Width, 0
}

// place hands the cells out again after the size or the focus changed.
func (p *picker) place() {
	list, detail := p.panes()
	p.list.SetSize(list, max(0, p.Height-paneHead))
	p.list.SetFocused(p.focus == listPane)
	p.detail.SetSize(detail, max(0, p.Height-paneHead))
}
