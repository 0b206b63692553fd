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
	cmdOpen    = views.Command{ID: "upgrade.enter", Keys: []string{"enter"}, Name: "go in", Hint: "open", Help: "Go from the list to the detail.", Group: moveGroup}
	cmdBack    = views.Command{ID: "upgrade.back", Keys: []string{"esc"}, Name: "go back", Hint: "back", Help: "One step back; nothing that was filled in is lost.", Group: moveGroup}
	cmdPane    = views.Command{ID: "upgrade.next-pane", Keys: []string{"tab", "shift+tab"}, Name: "next pane", Help: "Go from the list to the detail and back.", Group: moveGroup}
	cmdShelf   = views.Command{ID: "upgrade.next-list", Keys: []string{"]", "right", "l"}, Name: "next list", Hint: "lists", Help: "Offered, installed, history.", Group: moveGroup}
	cmdShelfUp = views.Command{ID: "upgrade.previous-list", Keys: []string{"[", "left", "h"}, Name: "previous list", Help: "The list before.", Group: moveGroup}
	cmdRefresh = views.Command{ID: "upgrade.refresh", Keys: []string{"R", "ctrl+r"}, Name: "refresh", Help: "Read again what is shown.", Group: listGroup}
	cmdOrder   = views.Command{ID: "upgrade.order", Keys: []string{"s"}, Name: "sort updates", Hint: "sort", Help: "Sort offers: as a chain, newest first, applicable first.", Group: listGroup}
	cmdUsable  = views.Command{ID: "upgrade.applicable", Keys: []string{"f"}, Name: "applicable only", Hint: "applicable only", Help: "Show only what can be installed now, or all.", Group: listGroup}
	cmdAll     = views.Command{ID: "upgrade.all", Keys: []string{"a"}, Name: "show all", Help: "Drop all filters.", Group: listGroup}
	cmdRaw     = views.Command{ID: "upgrade.json", Keys: []string{"v"}, Name: "view JSON", Hint: "JSON", Help: "Show what the site wrote about the row, as JSON.", Group: listGroup}
	cmdCopy    = views.Command{ID: "upgrade.copy", Keys: []string{"y"}, Name: "copy id", Help: "Copy the id of the update.", Group: listGroup}
	cmdBegin   = views.Command{ID: "upgrade.begin", Keys: []string{"u"}, Name: "upgrade", Hint: "upgrade", Help: "Begin the way to the update under the cursor: the pre-flight. Nothing is changed by it.", Group: listGroup}
	cmdUndo    = views.Command{ID: "upgrade.rollback", Keys: []string{"b"}, Name: "take patch back", Hint: "take back", Help: "Review taking back the installed patch under the cursor.", Group: listGroup}
	cmdImport  = views.Command{ID: "upgrade.import-ask", Keys: []string{"m"}, Name: "import manifest", Hint: "import", Help: "Give the site a version manifest from a file, for sites without internet.", Group: listGroup}
	cmdFile    = views.Command{ID: "upgrade.import", Name: "import manifest file", Argument: "file", Help: "Give the site the version manifest of a file.", Group: listGroup}
	cmdWatch   = views.Command{ID: "upgrade.watch", Keys: []string{"w"}, Name: "watch", Hint: "watch", Help: "Watch the upgrade that runs, whoever started it.", Group: listGroup}
)

// The commands of the flow.
var (
	cmdNext   = views.Command{ID: "upgrade.next", Keys: []string{"n"}, Name: "next step", Hint: "go on", Help: "Go on to the next step, where nothing is in the way.", Group: flowGroup}
	cmdAck    = views.Command{ID: "upgrade.acknowledge", Keys: []string{" "}, Name: "acknowledge warning", Hint: "acknowledge", Help: "Take one warning as seen, or back.", Group: flowGroup}
	cmdReread = views.Command{ID: "upgrade.check-again", Keys: []string{"r"}, Name: "check again", Hint: "check again", Help: "Make all checks of the pre-flight again.", Group: flowGroup}
	cmdHealth = views.Command{ID: "upgrade.health", Keys: []string{"c"}, Name: "run health check first", Hint: "health check", Help: "Run a health check; coming back makes the checks again.", Group: flowGroup}
	cmdHidden = views.Command{ID: "upgrade.hidden", Keys: []string{"ctrl+t"}, Name: "all fields", Hint: "all fields", Help: "Show fields of the settings that are not meant for everybody, or hide them.", Group: flowGroup}
	cmdReview = views.Command{ID: "upgrade.review", Keys: []string{"ctrl+s"}, Name: "review", Hint: "review", Help: "Check the settings and review the request.", Group: flowGroup}
	cmdPages  = views.Command{ID: "upgrade.next-page", Keys: []string{"pgdown"}, Name: "next page", Hint: "page", Help: "The next page of the settings.", Group: flowGroup}
	cmdPageUp = views.Command{ID: "upgrade.previous-page", Keys: []string{"pgup"}, Name: "previous page", Help: "The page of the settings before.", Group: flowGroup}
	cmdType   = views.Command{ID: "upgrade.confirm", Keys: []string{"enter"}, Name: "confirm", Hint: "confirm", Help: "Begin to type the version, which starts the upgrade.", Group: flowGroup}
	cmdText   = views.Command{ID: "upgrade.copy-request", Keys: []string{"y"}, Name: "copy request", Hint: "copy", Help: "Copy the reviewed request, without secrets.", Group: flowGroup}
	cmdSave   = views.Command{ID: "upgrade.save-request", Keys: []string{"w"}, Name: "save request", Hint: "save", Help: "Write the reviewed request to a file, without secrets.", Group: flowGroup}
	cmdLook   = views.Command{ID: "upgrade.look-again", Keys: []string{"R", "r"}, Name: "look again", Hint: "look now", Help: "Look at once what became of an upgrade whose answer was lost. Sends nothing.", Group: flowGroup}
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
	field.Hint = "next field"
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
		send.Hint, stop.Hint = "send it", "stop"
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
	c.Hint = ""
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
