package upgrade

import (
	"errors"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/operation"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/views"
	"geodeck/ui/views/rows"
)

const (
	moveGroup = "Move"
	listGroup = "Updates"
	flowGroup = "The way to an upgrade"
)

// The commands of the picker.
var (
	cmdOpen    = views.Command{ID: "upgrade.enter", Binding: views.Key("open", "enter"), Name: "go in", Help: "Go from the list to the detail.", Group: moveGroup}
	cmdBack    = views.Command{ID: "upgrade.back", Binding: views.Key("back", "esc"), Name: "go back", Help: "One step back; nothing that was filled in is lost.", Group: moveGroup}
	cmdPane    = views.Command{ID: "upgrade.next-pane", Binding: views.Key("", "tab", "shift+tab"), Name: "next pane", Help: "Go from the list to the detail and back.", Group: moveGroup}
	cmdShelf   = views.Command{ID: "upgrade.next-list", Binding: views.Key("lists", "]", "right", "l"), Name: "next list", Help: "Offered, installed, history.", Group: moveGroup}
	cmdShelfUp = views.Command{ID: "upgrade.previous-list", Binding: views.Key("", "[", "left", "h"), Name: "previous list", Help: "The list before.", Group: moveGroup}
	cmdRefresh = views.Command{ID: "upgrade.refresh", Binding: views.Key("", "R", "ctrl+r"), Name: "refresh", Help: "Read again what is shown.", Group: listGroup}
	cmdOrder   = views.Command{ID: "upgrade.order", Binding: views.Key("sort", "s"), Name: "sort updates", Help: "Sort offers: as a chain, newest first, applicable first.", Group: listGroup}
	cmdUsable  = views.Command{ID: "upgrade.applicable", Binding: views.Key("applicable only", "f"), Name: "applicable only", Help: "Show only what can be installed now, or all.", Group: listGroup}
	cmdAll     = views.Command{ID: "upgrade.all", Binding: views.Key("", "a"), Name: "show all", Help: "Drop all filters.", Group: listGroup}
	cmdRaw     = views.Command{ID: "upgrade.json", Binding: views.Key("JSON", "v"), Name: "view JSON", Help: "Show what the site wrote about the row, as JSON.", Group: listGroup}
	cmdCopy    = views.Command{ID: "upgrade.copy", Binding: views.Key("", "y"), Name: "copy id", Help: "Copy the id of the update.", Group: listGroup}
	cmdBegin   = views.Command{ID: "upgrade.begin", Binding: views.Key("upgrade", "u"), Name: "upgrade", Help: "Begin the way to the update under the cursor: the pre-flight. Nothing is changed by it.", Group: listGroup}
	cmdUndo    = views.Command{ID: "upgrade.rollback", Binding: views.Key("take back", "b"), Name: "take patch back", Help: "Review taking back the installed patch under the cursor.", Group: listGroup}
	cmdImport  = views.Command{ID: "upgrade.import-ask", Binding: views.Key("import", "m"), Name: "import manifest", Help: "Give the site a version manifest from a file, for sites without internet.", Group: listGroup}
	cmdFile    = views.Command{ID: "upgrade.import", Name: "import manifest file", Argument: "file", Help: "Give the site the version manifest of a file.", Group: listGroup}
	cmdWatch   = views.Command{ID: "upgrade.watch", Binding: views.Key("watch", "w"), Name: "watch", Help: "Watch the upgrade that runs, whoever started it.", Group: listGroup}
)

// The commands of the flow.
var (
	cmdNext   = views.Command{ID: "upgrade.next", Binding: views.Key("go on", "n"), Name: "next step", Help: "Go on to the next step, where nothing is in the way.", Group: flowGroup}
	cmdAck    = views.Command{ID: "upgrade.acknowledge", Binding: views.Key("acknowledge", " "), Name: "acknowledge warning", Help: "Take one warning as seen, or back.", Group: flowGroup}
	cmdReread = views.Command{ID: "upgrade.check-again", Binding: views.Key("check again", "r"), Name: "check again", Help: "Make all checks of the pre-flight again.", Group: flowGroup}
	cmdHealth = views.Command{ID: "upgrade.health", Binding: views.Key("health check", "c"), Name: "run health check first", Help: "Run a health check; coming back makes the checks again.", Group: flowGroup}
	cmdHidden = views.Command{ID: "upgrade.hidden", Binding: views.Key("all fields", "ctrl+t"), Name: "all fields", Help: "Show fields of the settings that are not meant for everybody, or hide them.", Group: flowGroup}
	cmdReview = views.Command{ID: "upgrade.review", Binding: views.Key("review", "ctrl+s"), Name: "review", Help: "Check the settings and review the request.", Group: flowGroup}
	cmdPages  = views.Command{ID: "upgrade.next-page", Binding: views.Key("page", "pgdown"), Name: "next page", Help: "The next page of the settings.", Group: flowGroup}
	cmdPageUp = views.Command{ID: "upgrade.previous-page", Binding: views.Key("", "pgup"), Name: "previous page", Help: "The page of the settings before.", Group: flowGroup}
	cmdType   = views.Command{ID: "upgrade.confirm", Binding: views.Key("confirm", "enter"), Name: "confirm", Help: "Begin to type the version, which starts the upgrade.", Group: flowGroup}
	cmdText   = views.Command{ID: "upgrade.copy-request", Binding: views.Key("copy", "y"), Name: "copy request", Help: "Copy the reviewed request, without secrets.", Group: flowGroup}
	cmdSave   = views.Command{ID: "upgrade.save-request", Binding: views.Key("save", "w"), Name: "save request", Help: "Write the reviewed request to a file, without secrets.", Group: flowGroup}
	cmdLook   = views.Command{ID: "upgrade.look-again", Binding: views.Key("look now", "R", "r"), Name: "look again", Help: "Look at once what became of an upgrade whose answer was lost. Sends nothing.", Group: flowGroup}
)

// table lists everything that can be done here, for help and README.
func table() []views.Command {
	return slices.Concat(
		[]views.Command{cmdOpen, cmdBack, cmdPane, cmdShelf, cmdShelfUp, cmdBegin, cmdUndo, cmdImport, cmdFile, cmdRefresh,
			cmdOrder, cmdUsable, cmdAll, cmdRaw, cmdCopy, cmdWatch, cmdNext, cmdAck, cmdReread, cmdHealth, cmdHidden, cmdReview,
			cmdPages, cmdPageUp, cmdType, cmdText, cmdSave, cmdLook},
		rows.Moves(), rows.Filters())
}

// Commands lists what can be done right now, the most wanted first.
func (m *Model) Commands() []views.Command {
	switch {
	case m.raw != nil:
		return slices.Concat([]views.Command{cmdBack}, rows.Moves(), rows.Filters(), rows.Folds())
	case m.flow != nil:
		return m.flowCommands()
	case m.upgradeRuns():
		return []views.Command{cmdWatch, cmdRefresh, quiet(cmdBegin), quiet(cmdUndo), quiet(cmdImport), quiet(cmdShelf), quiet(cmdShelfUp)}
	}
	return m.pickerCommands()
}

func (m *Model) pickerCommands() []views.Command {
	p := &m.picker
	now := []views.Command{cmdOpen}
	switch p.shelf {
	case offered:
		now = append(now, cmdBegin, quiet(cmdUndo))
	case installed:
		undo := quiet(cmdUndo) // says why it cannot be done
		if u, ok := m.pastUpdate(); ok && p.canUndo(u.ID) {
			undo = cmdUndo
		}
		now = append(now, undo, quiet(cmdBegin))
	case history:
		now = append(now, quiet(cmdBegin), quiet(cmdUndo))
	}
	now = append(now, rows.Filters()...)
	now = append(now, cmdShelf, cmdShelfUp)
	if p.shelf == offered {
		now = append(now, cmdUsable, cmdOrder)
	}
	now = append(now, cmdAll, cmdRaw, cmdImport, cmdFile)
	now = append(now, rows.Moves()...)
	now = append(now, cmdPane, cmdCopy, cmdRefresh, quiet(cmdWatch))
	if p.focus == detailPane || p.list.Filter() != "" || p.usable || p.shelf != offered {
		now = append(now, cmdBack)
	}
	return now
}

func (m *Model) flowCommands() []views.Command {
	f := m.flow
	switch f.step {
	case preflighting:
		now := []views.Command{cmdAck, cmdNext, cmdReread, cmdHealth, cmdBack, quiet(cmdOpen), quiet(cmdRefresh)}
		if progress.Runs(f.facts.Status.Value) {
			now = append(now, cmdWatch)
		}
		return append(now, rows.Moves()...)
	case answering:
		return m.formCommands()
	case reviewing:
		return m.reviewCommands()
	}
	switch r := f.run; {
	case r.sending:
		return []views.Command{cmdBack}
	case r.search != nil && r.search.finding != operation.FindingForeign:
		return []views.Command{cmdLook, cmdBack}
	case r.search != nil || errors.Is(r.err, operation.ErrUpgradeRuns):
		return []views.Command{cmdWatch, cmdBack}
	}
	return []views.Command{cmdBack}
}

// formCommands are shown beside the form; while it takes text, it finds their
// keys itself.
func (m *Model) formCommands() []views.Command {
	if m.flow.form.dialog == nil {
		return []views.Command{cmdNext, cmdHidden, cmdReview, cmdBack, quiet(cmdOpen)}
	}
	field := quiet(cmdOpen)
	field = field.Hinted("next field")
	now := []views.Command{field, cmdReview}
	if len(m.flow.form.pages) > 1 {
		now = append(now, cmdPages, cmdPageUp)
	}
	return append(now, cmdHidden, cmdBack)
}

func (m *Model) reviewCommands() []views.Command {
	r := m.flow.review
	if r.typing {
		send, stop := cmdType, cmdBack
		send, stop = send.Hinted("send it"), stop.Hinted("stop")
		return []views.Command{send, stop}
	}
	now := []views.Command{cmdType}
	if len(m.flow.unacknowledged()) > 0 {
		now = []views.Command{cmdAck}
	}
	return slices.Concat(now, []views.Command{cmdText, cmdSave, cmdBack}, rows.Moves())
}

// quiet keeps a command out of the footer.
func quiet(c views.Command) views.Command {
	c = c.Hinted("")
	return c
}

// Do runs a command by its id.
func (m *Model) Do(id, argument string) tea.Cmd {
	switch {
	case !slices.ContainsFunc(m.Commands(), func(c views.Command) bool { return c.ID == id }):
		return nil // it makes no sense on this screen
	case m.flow == nil && m.raw == nil && m.upgradeRuns() && id != cmdWatch.ID && id != cmdRefresh.ID:
		return views.Tell(views.Warning, "An upgrade is running: until it ends there is nothing to choose from. w watches it.")
	case id == rows.Search:
		return m.search(strings.TrimSpace(argument))
	case id == cmdFile.ID && strings.TrimSpace(argument) != "" && !m.env.Offline:
		return m.openManifest(argument)
	}
	if act, ok := acts[id]; ok {
		return act(m)
	}
	return m.move(id)
}

// acts are the commands without an argument.
var acts = map[string]func(*Model) tea.Cmd{
	cmdOpen.ID:    (*Model).enter,
	cmdBack.ID:    (*Model).back,
	cmdPane.ID:    (*Model).nextPane,
	cmdShelf.ID:   func(m *Model) tea.Cmd { return m.cycle(1) },
	cmdShelfUp.ID: func(m *Model) tea.Cmd { return m.cycle(shelves - 1) },
	cmdRefresh.ID: (*Model).refresh,
	cmdOrder.ID:   (*Model).sort,
	cmdUsable.ID:  (*Model).toggleUsable,
	cmdAll.ID:     (*Model).showAll,
	cmdRaw.ID:     (*Model).showJSON,
	cmdCopy.ID:    (*Model).copyID,
	cmdWatch.ID:   (*Model).watch,
	cmdBegin.ID:   (*Model).begin,
	cmdUndo.ID:    (*Model).askRollback,
	cmdImport.ID:  (*Model).askManifest,
	cmdFile.ID:    (*Model).askManifest,
	cmdNext.ID:    (*Model).next,
	cmdAck.ID:     (*Model).acknowledge,
	cmdReread.ID:  (*Model).refresh,
	cmdHealth.ID:  (*Model).runHealthCheck,
	cmdHidden.ID:  (*Model).toggleHidden,
	cmdReview.ID:  (*Model).toReview,
	cmdPages.ID:   func(m *Model) tea.Cmd { return m.turn(1) },
	cmdPageUp.ID:  func(m *Model) tea.Cmd { return m.turn(-1) },
	cmdType.ID:    (*Model).enter,
	cmdText.ID:    (*Model).copyID,
	cmdSave.ID:    (*Model).saveRequest,
	cmdLook.ID:    (*Model).refresh,
}
