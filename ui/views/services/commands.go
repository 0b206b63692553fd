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
	"geodeck/ui/widget/rows"
)

const (
	listGroup    = "Services"
	serviceGroup = "One service"

	aService = "a service under the cursor"
)

// Commands lists every row of the view: of the list, of the service that was entered,
// and of a change; first those of what is shown.
func (m *Model) Commands() []views.Command {
	list, inside, flow := m.listCommands(), m.openCommands(), views.When(m.flow.InFront, m.flow.Commands())
	if m.inside && m.showsState() {
		inside = append(m.explainRows(), inside...)
	} else {
		list = append(m.explainRows(), list...)
	}
	switch {
	case m.flow.Active():
		return views.Guarded(views.Concat(flow, list, inside))
	case m.inside:
		return views.Guarded(views.Concat(inside, flow, list))
	default:
		return views.Guarded(views.Concat(list, inside, flow))
	}
}

func (m *Model) openCommands() []views.Command {
	inside := func() bool { return m.inside && !m.flow.Active() }
	tabs := func() bool { return inside() && m.open.comparison == nil }
	var list []views.Command
	if c := m.open.comparison; c != nil {
		list = views.When(inside, c.review.Commands())
	}
	idle := func() bool { return tabs() && !m.open.tab().CapturesText() }
	startStop := m.writable.offered(views.Command{ID: "services.switch-open", Binding: views.Key("start/stop", "S"), Name: "start or stop this service", Group: serviceGroup, Enabled: idle, Run: views.Do(m.askSwitch),
		Help: "Start the service (asks), or stop it by typing its name."})
	if m.open.tab() == tab(m.open.status) {
		list = append(list, startStop)
	}
	for i, tab := range m.open.tabs {
		list = append(list, views.When(func() bool { return tabs() && m.open.at == i }, tab.Commands())...)
	}
	turn := func(steps int) func(string) tea.Cmd { return views.Do(func() tea.Cmd { return m.turn(steps) }) }
	list = append(list, views.When(idle, []views.Command{
		{ID: "services.next-section", Binding: views.Key("tabs", "tab"), Name: "next tab", Group: serviceGroup, Run: turn(1),
			Help: "Definition, placement, history, status. The word draft marks unsent changes."},
		{ID: "services.previous-section", Binding: views.Key("", "shift+tab"), Name: "previous tab", Group: serviceGroup, Run: turn(-1),
			Help: "The tab before."},
	})...)
	list = append(list, startStop.Quiet())
	if m.open.at == 0 {
		list = behind(list, "services.take-over", "jsonedit.edit", "services.editor")
		list = behind(list, "services.editor", rows.Filter, "services.next-section", "services.previous-section")
	}
	if m.open.at == 1 {
		list = behind(list, "rules.panel", "services.next-section", "services.previous-section")
	}
	hint := "back"
	if m.filtering() {
		hint = "clear"
	}
	return append(list, editor.BackRow(hint, func() bool { return inside() && (m.filtering() || !m.CapturesText()) }, m.back))
}

// behind moves rows to behind another one: a narrow footer has the first ones.
func behind(list []views.Command, at string, ids ...string) []views.Command {
	var moved, rest []views.Command
	for _, row := range list {
		if slices.Contains(ids, row.ID) {
			moved = append(moved, row)
		} else {
			rest = append(rest, row)
		}
	}
	i := slices.IndexFunc(rest, func(row views.Command) bool { return row.ID == at }) + 1
	return slices.Insert(rest, i, moved...)
}

func (m *Model) listCommands() []views.Command {
	c := m.catalog
	shown := func() bool { return !m.inside && !m.flow.Active() }
	onList := func() bool { return shown() && !c.list.Typing() }
	row, chosen := c.selected()
	onService := func() bool { return chosen && row.service != nil }
	enter := "open"
	switch {
	case m.filtering():
		enter = "keep"
	case chosen && row.service == nil:
		enter = "fold"
	}
	marks := c.list.Marks()
	for i := range marks {
		if marks[i].ID == rows.Mark { // the same change on several services begins with it
			marks[i] = marks[i].Hinted("mark")
		}
	}
	downHint := downWord
	if c.list.Filter() == downWord {
		downHint = "all"
	}
	// Off a service the key says so, and the palette takes the path of any.
	startStop := m.writable.offered(views.Command{ID: "services.switch", Binding: views.Key("start/stop", "S"), Name: "start or stop", Argument: "service", Optional: true, Choices: c.paths, Group: listGroup, Enabled: onList, Needs: aService, Run: m.switchNamed,
		Help: "Start the service (asks), or stop it by typing its name."})
	if !onService() {
		startStop = startStop.Quiet()
	}
	first := []views.Command{
		{ID: "services.enter", Binding: views.Key(enter, "enter"), Name: "go in", Group: listGroup, Run: views.Do(m.enter),
			Enabled: func() bool { return m.filtering() || onList() && chosen },
			Help:    "Open the service; fold or unfold a folder."},
		{ID: "services.open", Name: "open service", Argument: "service", Choices: c.paths, Group: listGroup, Run: m.openPath,
			Help: "Open a service by its path: FOLDER/NAME.TYPE."},
		{ID: "services.status", Name: "open status", Argument: "service", Choices: c.paths, Group: listGroup, Run: m.openStatus,
			Help: "Open the state of a service by its path."},
		{ID: "services.history", Name: "open history", Argument: "service", Choices: c.paths, Group: listGroup, Run: m.openHistory,
			Help: "Open the older versions of a service by its path."},
		{ID: "services.placement", Name: "open placement", Argument: "service", Choices: c.paths, Group: listGroup, Run: m.openPlacement,
			Help: "Open the rules of a service by its path; the name of a node after it goes to that node."},
	}
	rest := views.Concat(views.HintedWhen(func() bool { return c.tally.found() != "" }, views.Command{ID: "services.down", Binding: views.Key(downHint, "f"), Name: "services not running", Group: listGroup, Run: views.Do(c.toggleDown),
		Help: "Show only services that do not run, or all."}), marks, []views.Command{
		startStop,
		{ID: "services.sort", Binding: views.Key("sort", "s"), Name: "sort services", Group: listGroup, Run: views.Do(m.sort),
			Help: "Sort by folder, name, state (not running first) or pods."},
		{ID: "services.edit-outside", Binding: views.Key("$EDITOR", "E"), Name: "edit in editor", Group: listGroup, Enabled: onService, Needs: aService, Run: views.Do(m.editOutside),
			Help: "Edit the definition of the service in $VISUAL or $EDITOR; the review follows."},
		{ID: "services.unmark", Name: "unmark all", Group: listGroup, Enabled: func() bool { return c.list.Marked() > 0 }, Run: views.Do(c.unmark),
			Help: "Clear all marks, as esc does."},
		{ID: "services.refresh", Binding: views.Key("", "R", "f5"), Name: "refresh", Group: listGroup, Run: views.Do(m.refresh),
			Help: "Refresh what is shown."},
		copyRow(onService, m.copyPath),
	}, c.list.Filters(), c.list.Moves(), c.list.Folds())
	hides := func() bool { return c.list.Typing() || c.list.Filter() != "" }
	back := editor.BackRow("clear", func() bool { return shown() && (hides() || c.list.Marked() > 0) }, func() tea.Cmd {
		if !hides() {
			return c.unmark()
		}
		c.list.SetFilter("")
		return nil
	})
	many := views.Command{ID: "services.many-first", Binding: views.Key("", "M"), Name: "same change on marked: edit first", Group: listGroup,
		Enabled: func() bool { return !m.flow.Active() && !m.CapturesText() }, Run: views.Do(m.editMarked),
		Help: "Edit the marked services together; w sends the change to all of them."}
	if m.inside {
		many.Help = "" // it only tells where to go
	}
	list := append(append(first, views.When(onList, rest)...), back, many)
	if n := len(c.marked()); n > 0 && !m.inside {
		list[len(list)-1] = many.Hinted("edit " + strconv.Itoa(n))
		return behind(list, "services.enter", many.ID, rows.Mark)
	}
	return list
}

// editMarked opens the service under the cursor where it is marked, else the first that is: the
// change that is made there goes on to the others.
func (m *Model) editMarked() tea.Cmd {
	marked := m.catalog.marked()
	switch {
	case m.inside:
		return views.Tell(views.Info, "Edit, then press w: M is in the review.")
	case len(marked) == 0:
		return views.Tell(views.Info, "Mark services with space first.")
	}
	service := marked[0]
	if here, ok := m.selected(); ok && slices.ContainsFunc(marked, func(s adminapi.ServiceRef) bool { return samePath(s, here) }) {
		service = here
	}
	opened := m.openService(service)
	m.open.batch = len(marked) > 1
	return opened
}

func copyRow(enabled func() bool, run func() tea.Cmd) views.Command {
	return views.Command{ID: "services.copy", Binding: views.Key("", "y"), Name: "copy path", Group: listGroup, Enabled: enabled, Needs: aService, Run: views.Do(run),
		Help: "Copy the path of the service."}
}

// enter opens the service under the cursor, or folds the folder.
func (m *Model) enter() tea.Cmd {
	row, ok := m.catalog.selected()
	switch {
	case !ok || m.filtering():
		return nil
	case row.service == nil:
		m.catalog.list.Toggle()
		return nil
	}
	return m.openService(*row.service)
}

// editOutside opens the service under the cursor with its definition in $EDITOR.
func (m *Model) editOutside() tea.Cmd {
	row, ok := m.catalog.selected()
	switch {
	case !ok || row.service == nil:
		return nil
	case m.flow.Working() != "": // what was typed could not be reviewed
		return m.flow.Wait()
	}
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
	if m.Env.Offline {
		return views.Tell(views.Warning, "No site to read from.")
	}
	m.catalog.forgetStates()
	return views.Batch(m.catalog.load(), m.drafts.Load(), m.drafts.Look(), m.writable.load())
}

func (m *Model) copyPath() tea.Cmd {
	service, ok := m.selected()
	if !ok {
		return nil
	}
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
