package services

import (
	"slices"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation/batching"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/views/services/editor"
	"geodeck/ui/views/services/edits"
	"geodeck/ui/widget/rows"
)

// list is the catalog of services with the detail of the one under the cursor beside it.
type list struct {
	views.Base
	inks     *rows.Inks
	catalog  *catalog
	detail   *detail
	switches *switches
	drafts   *editor.Drafts
	handlers listHandlers
}

// listHandlers are what the list leads to.
type listHandlers struct {
	open        func(adminapi.ServiceRef) tea.Cmd
	openOutside func(adminapi.ServiceRef) tea.Cmd // with its definition in $EDITOR
	openMarked  func(adminapi.ServiceRef) tea.Cmd // an edit of it is meant for all that are marked
	resume      func(batching.Interrupted) tea.Cmd
	working     func() string  // what is being sent, empty for nothing: a batch goes on after it
	follow      func() tea.Cmd // what is shown beside the list follows it
}

func newList(base views.Base, inks *rows.Inks, states *states, writable *writable, handlers listHandlers) *list {
	l := &list{Base: base, inks: inks, drafts: states.drafts, handlers: handlers}
	l.catalog = newCatalog(l.Child(), inks, states)
	l.detail = newDetail(l.Child(), inks, l.catalog)
	l.switches = &switches{Base: l.Child(), states: states, writable: writable, settled: l.catalog.loadShownStates}
	return l
}

// SetSize gives the list its cells. In narrow terminals there is no detail.
func (l *list) SetSize(width, height int) {
	l.Base.SetSize(width, height)
	catalog, detail := width, 0
	if width+2*margin >= twoFrom {
		catalog = min(max(68, width*68/100), maxList)
		detail = width - catalog - dividerSize
	}
	l.catalog.SetSize(catalog, height)
	l.catalog.list.SetSize(catalog, max(0, height-listHead))
	l.detail.SetSize(detail, height)
}

// View draws the list and the detail.
func (l *list) View() string { return l.inks.Abreast(l.Height, l.catalog.View(), l.detail.View()) }

// Update takes a reply to what the list and its detail have asked for; false for others.
func (l *list) Update(msg tea.Msg) (cmd tea.Cmd, mine bool) {
	c := l.catalog
	switch msg := msg.(type) {
	case views.Retry:
		cmd = msg.Do()
		if !c.hidden { // what was sent has another state now
			cmd = tea.Batch(cmd, c.loadShownStates(), c.freshenDoubted())
		}
		c.list.Redraw()
	case folderRead:
		cmd = c.folderRead(msg)
		if first := l.detail.key == (rowKey{}); first || !c.Loading {
			cmd = tea.Batch(cmd, l.detail.follow())
		}
	case statesRead:
		cmd = tea.Batch(c.statesRead(msg), c.freshenDoubted(), l.handlers.follow())
	case podsRead:
		cmd = tea.Batch(c.podsRead(msg), l.detail.follow(), c.freshenDoubted(), l.handlers.follow())
	default:
		return nil, false
	}
	return cmd, true
}

// follow reads, and shows, what the list has come to.
func (l *list) follow() tea.Cmd {
	l.catalog.letGo()
	return tea.Batch(l.catalog.loadShownStates(), l.catalog.freshenDoubted(), l.catalog.freshenBehind(),
		l.detail.follow(), l.handlers.follow())
}

// selected is the service under the cursor.
func (l *list) selected() (adminapi.ServiceRef, bool) {
	row, ok := l.catalog.selected()
	if !ok || row.service == nil {
		return adminapi.ServiceRef{}, false
	}
	return *row.service, true
}

// The rows of the footer, and that where services are marked.
var (
	listFooter = []string{rows.Up, rows.Down, "services.batch", "services.explain", "services.nodes-why", "services.enter", "services.down", rows.Mark, "services.switch",
		rows.Filter, "services.sort", "services.edit-outside", "services.back"}
	markedFooter = []string{rows.Up, rows.Down, "services.explain", "services.nodes-why", "services.enter", rows.Mark, manyFirst, "services.down",
		"services.switch", rows.Filter, "services.sort", "services.edit-outside", "services.back"}
)

// Footer lists the rows of the footer.
func (l *list) Footer() []string {
	if l.catalog.list.Marked() > 0 {
		return markedFooter
	}
	return listFooter
}

// rows makes the table.
func (l *list) rows() []views.Command {
	c := l.catalog
	onService := func() bool { _, ok := l.selected(); return ok }
	service := func() adminapi.ServiceRef { s, _ := l.selected(); return s }
	batch := func() batching.Interrupted { b, _ := l.drafts.Interrupted(); return b }
	marks := c.list.Marks()
	marks[0].Word = "mark" // the same change on several services begins with it
	hides := func() bool { return c.list.Filter() != "" }
	settled := slices.Concat([]views.Command{
		{ID: "services.enter", Key: "enter", Hint: c.enterHint, Name: "go in", Group: listGroup,
			Enabled: c.noRow, Run: l.enter,
			Help: "Open the service; fold or unfold a folder."},
		{ID: "services.down", Key: "f", Hint: c.downHint, Name: "services not running", Group: listGroup,
			Run:  c.toggleDown,
			Help: "Show only services that do not run, or all."},
		// Off a service the key says so, and the palette takes the path of any.
		{ID: "services.switch", Key: "S", Name: "start or stop", Argument: "service", Optional: true,
			Choices: c.paths, Group: listGroup, Needs: aService, With: l.switchNamed,
			Hint: views.HintIf(func() bool { return onService() && l.switches.writable.whyNot() == "" }, switchHint),
			Help: "Start the service (asks), or stop it by typing its name."},
		{ID: "services.sort", Key: "s", Word: "sort", Name: "sort services", Group: listGroup, Run: l.sort,
			Help: "Sort by folder, name, state (not running first) or pods."},
		{ID: "services.edit-outside", Key: "E", Word: "$EDITOR", Name: "edit in editor", Group: listGroup,
			Enabled: c.noService, Needs: aService, Run: func() tea.Cmd { return l.handlers.openOutside(service()) },
			Help: "Edit the definition of the service in $VISUAL or $EDITOR; the review follows."},
		{ID: "services.unmark", Name: "unmark all", Group: listGroup,
			Enabled: views.Only(func() bool { return c.list.Marked() > 0 }, "Nothing is marked."), Run: c.unmark,
			Help: "Clear all marks, as esc does."},
		{ID: "services.refresh", Key: "R f5", Name: "refresh", Group: listGroup, Enabled: l.NoSite,
			Run:  l.refresh,
			Help: "Refresh what is shown."},
		copyRow(c.noService, func() tea.Cmd { return copyPath(service()) }),
		{ID: "services.batch", Key: "M", Name: "same change on marked: continue",
			Group: listGroup, Hint: views.HintIf(func() bool { return l.handlers.working() == "" }, "continue"), Shown: l.interrupted, Run: func() tea.Cmd { return l.handlers.resume(batch()) },
			Help: "Review what an interrupted or stopped edit has not sent."},
		{ID: "services.batch-left", Argument: "plan", With: func(plan string) tea.Cmd {
			return l.drafts.ThenOpen(func() tea.Cmd {
				if b, is := l.drafts.InterruptedBy(plan); is {
					return l.handlers.resume(b)
				}
				return views.Tell(views.Info, "That edit was sent or given up meanwhile.")
			})
		}},
		{ID: "services.batch-forget", Name: "forget interrupted edit", Group: listGroup, Shown: l.interrupted,
			Run:  func() tea.Cmd { return l.drafts.Forget(batch()) },
			Help: "Give up what an interrupted or stopped edit has not sent."},
		{ID: manyFirst, Key: "M", Hint: c.manyHint, Name: manyName, Group: listGroup,
			Run:     l.editMarked,
			Enabled: views.Only(func() bool { return len(c.marked()) > 0 }, "Mark services with space first."),
			Help:    views.Keys("Edit the marked services together; {key:services.write} sends the change to all of them.")},
		{ID: "services.edit-inside", Key: "e", Shown: onService, Enabled: func() string {
			return views.Keys("Press {key:services.enter} to open and edit it, {key:services.edit-outside} for your editor.")
		}},
	}, marks, c.list.Filters(), c.list.Moves(), c.list.Folds())
	return append(edits.Unless(c.waiting, settled),
		editor.BackRow(func() string {
			if c.wanted != nil {
				return "cancel"
			}
			return "clear"
		}, func() bool { return hides() || c.list.Marked() > 0 || c.wanted != nil }, func() tea.Cmd {
			switch {
			case c.wanted != nil:
				c.wanted = nil
			case hides():
				c.list.SetFilter("")
			case c.left: // the page of its result closes by the same key
				c.left = false
				return views.Tell(views.Info, plain.Plural(c.list.Marked(), "service")+views.Keys(" left: the marks stay. {key:services.back} once more clears them."))
			default:
				return c.unmark()
			}
			return nil
		}))
}

// interrupted reports whether a batch ended before all of it was sent.
func (l *list) interrupted() bool {
	_, is := l.drafts.Interrupted()
	return is && l.catalog.list.Marked() == 0
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
func (l *list) editMarked() tea.Cmd {
	marked := l.catalog.marked()
	service := marked[0]
	if here, ok := l.selected(); ok && slices.ContainsFunc(marked, func(s adminapi.ServiceRef) bool { return samePath(s, here) }) {
		service = here
	}
	if len(marked) > 1 {
		return l.handlers.openMarked(service)
	}
	return l.handlers.open(service)
}

func copyRow(enabled func() string, run func() tea.Cmd) views.Command {
	return views.Command{ID: "services.copy", Key: "y", Name: "copy path", Group: listGroup,
		Enabled: enabled, Needs: aService, Run: run,
		Help: "Copy the path of the service."}
}

func copyPath(service adminapi.ServiceRef) tea.Cmd {
	return views.CopyText(service.Path(), "path of the service")
}

// enter opens the service under the cursor, or folds the folder.
func (l *list) enter() tea.Cmd {
	if service, ok := l.selected(); ok {
		return l.handlers.open(service)
	}
	l.catalog.list.Toggle()
	return nil
}

// sort orders the list in the next way.
func (l *list) sort() tea.Cmd {
	l.catalog.sortNext()
	return l.follow()
}

// refresh fetches the folders again, the states that are seen, and the drafts.
func (l *list) refresh() tea.Cmd {
	l.catalog.forgetStates()
	return tea.Batch(l.catalog.load(), l.drafts.Load(), l.drafts.Look())
}

// switchNamed asks before a service is started or stopped: the one of a path, else the one under
// the cursor.
func (l *list) switchNamed(path string) tea.Cmd {
	if path = strings.TrimSpace(path); path != "" {
		service, _, found := l.catalog.byPath(path)
		if !found {
			return views.Tell(views.Warning, "No service "+plain.Line(path)+" in the list.")
		}
		return l.switches.ask(service, 0)
	}
	service, ok := l.selected()
	if !ok {
		return views.Tell(views.Warning, "Folders cannot be started or stopped.")
	}
	return l.switches.ask(service, len(l.catalog.marked()))
}
