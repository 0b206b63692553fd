package services

import (
	"slices"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/views/services/editor"
	"geodeck/ui/widget/diff"
	"geodeck/ui/widget/rows"
)

const (
	listGroup    = "Services"
	serviceGroup = "One service"

	aService = "a service under the cursor"
)

// Commands lists every row of the view: of the list, of the service that was entered, and of a
// change. It is put together anew where a part has another table: another service was entered, a
// change has begun, a page was opened in place of another.
func (m *Model) Commands() []views.Command {
	parts := [...][]views.Command{m.open.definition.Commands(), m.open.placement.Commands(), m.open.history.Commands(), m.open.status.Commands(),
		m.flow.Commands(), m.compared()}
	if slices.EqualFunc(parts[:], m.parts[:], sameTable) {
		return m.table
	}
	m.parts = parts
	tables := [][]views.Command{m.rows}
	for i, tab := range parts[:len(m.open.tabs)] {
		tables = append(tables, views.When(func() bool { return m.onTabs() && m.open.at == i }, tab))
	}
	m.table = views.Guarded(slices.Concat(append(tables, m.insideRows(), views.When(m.comparing, m.compared()), views.When(m.flow.InFront, m.flow.Commands()))...))
	return m.table
}

// sameTable reports whether a table is the one that was made before.
func sameTable(a, b []views.Command) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// compared are the rows of what is shown in place of a tab.
func (m *Model) compared() []views.Command {
	if m.open.comparison == nil {
		return nil
	}
	return m.open.comparison.review.Commands()
}

// comparing reports whether what differs is shown in place of a tab.
func (v *shown) comparing() bool {
	return v.inside && !v.flow.Active() && v.open.comparison != nil
}

// onTabs reports whether a tab of a service is shown.
func (v *shown) onTabs() bool { return v.inside && !v.flow.Active() && v.open.comparison == nil }

// idle reports whether keys go to a tab.
func (v *shown) idle() bool { return v.onTabs() && !v.open.tab().CapturesText() }

// insideRows are the commands of any service that was entered.
func (m *Model) insideRows() []views.Command {
	turn := func(steps int) func(string) tea.Cmd { return views.Do(func() tea.Cmd { return m.turn(steps) }) }
	return append(views.When(m.idle, []views.Command{
		{ID: "services.switch-open", Binding: views.Key("", "S"), Name: "start or stop this service", Group: serviceGroup, Run: views.Do(m.askSwitch),
			Hint: views.HintIf(func() bool { return m.showsState() && m.writable.whyNot() == "" }, switchHint),
			Help: "Start the service (asks), or stop it by typing its name."},
		{ID: "services.next-section", Binding: views.Key("tabs", "tab"), Name: "next tab", Group: serviceGroup, Run: turn(1),
			Help: "Definition, placement, history, status. The word draft marks unsent changes."},
		{ID: "services.previous-section", Binding: views.Key("", "shift+tab"), Name: "previous tab", Group: serviceGroup, Run: turn(-1),
			Help: "The tab before."},
		{ID: manyFirst, Binding: views.Key("", "M"), Name: manyName, Group: listGroup, Run: views.Do(m.editMarked),
			Enabled: func() string {
				return views.Keys("Edit, then press {key:services.write}: {key:services.many} is in the review.")
			}},
	}), editor.BackRow(func() string { return "back" }, func() bool { return m.inside && !m.flow.Active() && !m.CapturesText() }, m.back))
}

const (
	manyFirst = "services.many-first"
	manyName  = "same change on marked: edit first"

	switchHint = "start/stop"
)

// The rows of the footer: of the list, where services are marked, and of a comparison. A wide tab
// has its own before those of every tab.
var (
	listFooter = []string{rows.Up, rows.Down, "services.batch", "services.explain", "services.nodes-why", "services.enter", "services.down", rows.Mark, "services.switch",
		"services.sort", "services.edit-outside", rows.Filter, "services.back"}
	markedFooter = []string{rows.Up, rows.Down, "services.explain", "services.nodes-why", "services.enter", rows.Mark, manyFirst, "services.down",
		"services.switch", "services.sort", "services.edit-outside", rows.Filter, "services.back"}
	comparisonFooter = []string{rows.Up, rows.Down, "diff.open", diff.Copy, rows.Filter, "services.back"}
)

// Footer lists the rows of the footer.
func (m *Model) Footer() []string {
	switch {
	case m.flow.Active():
		return m.flow.Footer()
	case m.comparing():
		return comparisonFooter
	case m.inside:
		return m.open.tab().Footer()
	case m.catalog.list.Marked() > 0:
		return markedFooter
	}
	return listFooter
}

// onList reports whether keys go to the list.
func (v *shown) onList() bool { return !v.inside && !v.flow.Active() && !v.catalog.list.Typing() }

// listRows are the commands of the list, and those that open a service.
func (m *Model) listRows() []views.Command {
	c := m.catalog
	onService := func() bool { row, ok := c.selected(); return ok && row.service != nil }
	marks := c.list.Marks()
	marks[0].Binding = views.Key("mark", marks[0].Keys()...) // the same change on several services begins with it
	online := views.Only(func() bool { return !m.Env.Offline }, "No site to read from.")
	hides := func() bool { return c.list.Filter() != "" }
	return slices.Concat(m.explainRows(), []views.Command{
		{ID: "services.open", Name: "open service", Argument: "service", Choices: c.paths, Group: listGroup, Run: m.openPath,
			Help: "Open a service by its path: FOLDER/NAME.TYPE."},
		{ID: "services.status", Name: "open status", Argument: "service", Choices: c.paths, Group: listGroup, Run: m.openStatus,
			Help: "Open the state of a service by its path."},
		{ID: "services.history", Name: "open history", Argument: "service", Choices: c.paths, Group: listGroup, Run: m.openHistory,
			Help: "Open the older versions of a service by its path."},
		{ID: "services.placement", Name: "open placement", Argument: "service", Choices: c.paths, Group: listGroup, Run: m.openPlacement,
			Help: "Open the rules of a service by its path; the name of a node after it goes to that node."},
	}, views.When(m.onList, slices.Concat([]views.Command{
		{ID: "services.enter", Binding: views.Key("", "enter"), Hint: c.enterHint, Name: "go in", Group: listGroup, Enabled: c.noRow, Run: views.Do(m.enter),
			Help: "Open the service; fold or unfold a folder."},
		{ID: "services.down", Binding: views.Key("", "f"), Hint: c.downHint, Name: "services not running", Group: listGroup, Run: views.Do(c.toggleDown),
			Help: "Show only services that do not run, or all."},
		// Off a service the key says so, and the palette takes the path of any.
		{ID: "services.switch", Binding: views.Key("", "S"), Name: "start or stop", Argument: "service", Optional: true, Choices: c.paths, Group: listGroup, Needs: aService, Run: m.switchNamed,
			Hint: views.HintIf(func() bool { return onService() && m.writable.whyNot() == "" }, switchHint),
			Help: "Start the service (asks), or stop it by typing its name."},
		{ID: "services.sort", Binding: views.Key("sort", "s"), Name: "sort services", Group: listGroup, Run: views.Do(m.sort),
			Help: "Sort by folder, name, state (not running first) or pods."},
		{ID: "services.edit-outside", Binding: views.Key("$EDITOR", "E"), Name: "edit in editor", Group: listGroup, Enabled: c.noService, Needs: aService, Run: views.Do(m.editOutside),
			Help: "Edit the definition of the service in $VISUAL or $EDITOR; the review follows."},
		{ID: "services.unmark", Name: "unmark all", Group: listGroup, Enabled: views.Only(func() bool { return c.list.Marked() > 0 }, "Nothing is marked."), Run: views.Do(c.unmark),
			Help: "Clear all marks, as esc does."},
		{ID: "services.refresh", Binding: views.Key("", "R", "f5"), Name: "refresh", Group: listGroup, Enabled: online, Run: views.Do(m.refresh),
			Help: "Refresh what is shown."},
		copyRow(c.noService, m.copyPath),
		{ID: "services.batch", Binding: views.Key("continue", "M"), Name: "same change on marked: continue", Group: listGroup, Shown: m.interrupted, Run: views.Do(m.continueBatch),
			Help: "Review what a program that ended has not sent."},
		{ID: "services.batch-forget", Name: "forget interrupted edit", Group: listGroup, Shown: m.interrupted, Run: views.Do(m.forgetBatch),
			Help: "Give up what a program that ended has not sent."},
		{ID: manyFirst, Binding: views.Key("", "M"), Hint: c.manyHint, Name: manyName, Group: listGroup, Run: views.Do(m.editMarked),
			Enabled: views.Only(func() bool { return len(c.marked()) > 0 }, "Mark services with space first."),
			Help:    views.Keys("Edit the marked services together; {key:services.write} sends the change to all of them.")},
	}, marks, c.list.Filters(), c.list.Moves(), c.list.Folds(), []views.Command{
		editor.BackRow(func() string { return "clear" }, func() bool { return hides() || c.list.Marked() > 0 }, func() tea.Cmd {
			if !hides() {
				return c.unmark()
			}
			c.list.SetFilter("")
			return nil
		}),
	})))
}

// interrupted reports whether a program has left a batch before all of it was sent.
func (m *Model) interrupted() bool {
	_, is := m.drafts.Interrupted()
	return is && m.catalog.list.Marked() == 0
}

// continueBatch reviews what is left of an interrupted batch.
func (m *Model) continueBatch() tea.Cmd {
	batch, _ := m.drafts.Interrupted()
	if m.flow.Working() != "" {
		return m.flow.Wait()
	}
	return m.reviews(m.flow.Continue(batch))
}

func (m *Model) forgetBatch() tea.Cmd {
	batch, _ := m.drafts.Interrupted()
	return m.drafts.Forget(batch)
}

// noRow says why there is nothing under the cursor, empty where there is something.
func (c *catalog) noRow() string {
	switch {
	case c.list.Len() > 0:
		return ""
	case c.list.All() > 0:
		return "No service matches."
	}
	return "No service is listed."
}

// noService says why no service is under the cursor, empty where one is.
func (c *catalog) noService() string {
	if row, ok := c.selected(); ok && row.service == nil {
		return "Move to a service first."
	}
	return c.noRow()
}

func (c *catalog) enterHint() string {
	if row, ok := c.selected(); ok && row.service == nil {
		return "fold"
	}
	return "open"
}

func (c *catalog) downHint() string {
	switch {
	case c.tally.found() == "":
		return ""
	case c.list.Filter() == downWord:
		return "all"
	}
	return downWord
}

func (c *catalog) manyHint() string { return "edit " + strconv.Itoa(len(c.marked())) }

// editMarked opens the service under the cursor where it is marked, else the first that is: the
// change that is made there goes on to the others.
func (m *Model) editMarked() tea.Cmd {
	marked := m.catalog.marked()
	service := marked[0]
	if here, ok := m.selected(); ok && slices.ContainsFunc(marked, func(s adminapi.ServiceRef) bool { return samePath(s, here) }) {
		service = here
	}
	opened := m.openService(service)
	m.open.batch = len(marked) > 1
	return opened
}

func copyRow(enabled func() string, run func() tea.Cmd) views.Command {
	return views.Command{ID: "services.copy", Binding: views.Key("", "y"), Name: "copy path", Group: listGroup, Enabled: enabled, Needs: aService, Run: views.Do(run),
		Help: "Copy the path of the service."}
}

// enter opens the service under the cursor, or folds the folder.
func (m *Model) enter() tea.Cmd {
	row, _ := m.catalog.selected()
	if row.service == nil {
		m.catalog.list.Toggle()
		return nil
	}
	return m.openService(*row.service)
}

// editOutside opens the service under the cursor with its definition in $EDITOR.
func (m *Model) editOutside() tea.Cmd {
	if m.flow.Working() != "" { // what was typed could not be reviewed
		return m.flow.Wait()
	}
	row, _ := m.catalog.selected()
	cmd := m.openService(*row.service)
	if !m.flow.Active() { // the result of a change that was sent comes first
		m.open.definition.EditDirectly()
	}
	return cmd
}

// sort orders the list in the next way.
func (m *Model) sort() tea.Cmd {
	m.catalog.sortNext()
	return m.followList()
}

// refresh fetches the folders again, the states that are seen, and the drafts.
func (m *Model) refresh() tea.Cmd {
	m.catalog.forgetStates()
	return tea.Batch(m.catalog.load(), m.drafts.Load(), m.drafts.Look())
}

func (m *Model) copyPath() tea.Cmd {
	service, _ := m.selected()
	return views.Send(views.Copy{Text: service.Path(), What: "path of the service"})
}

// switchNamed asks before a service is started or stopped: the one of a path, else the one under
// the cursor.
func (m *Model) switchNamed(path string) tea.Cmd {
	if path = strings.TrimSpace(path); path == "" {
		return m.askSwitch()
	}
	service, _, found := m.catalog.byPath(path)
	if !found {
		return views.Tell(views.Warning, "No service "+plain.Line(path)+" in the list.")
	}
	return m.switches.ask(service, 0)
}

// askSwitch asks before the service is started or stopped.
func (m *Model) askSwitch() tea.Cmd {
	service, ok := m.selected()
	if !ok {
		return views.Tell(views.Warning, "Folders cannot be started or stopped.")
	}
	marked := 0
	if !m.inside {
		marked = len(m.catalog.marked())
	}
	return m.switches.ask(service, marked)
}
