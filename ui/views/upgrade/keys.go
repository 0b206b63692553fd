package upgrade

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui/views"
	"geodeck/ui/views/rows"
)

const (
	moveGroup = "Move"
	listGroup = "Updates"
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
	cmdWatch   = views.Command{ID: "upgrade.watch", Keys: []string{"w"}, Name: "watch upgrade", Hint: "watch", Help: "Watch the upgrade that runs, whoever started it.", Group: listGroup}
)

// table lists everything that can be done here, for help and README.
func table() []views.Command {
	return slices.Concat(
		[]views.Command{cmdOpen, cmdBack, cmdPane, cmdShelf, cmdShelfUp, cmdRefresh, cmdOrder, cmdUsable, cmdAll, cmdRaw, cmdCopy, cmdWatch},
		rows.Moves(), rows.Filters())
}

// Commands lists what can be done right now, the most wanted first.
func (m *Model) Commands() []views.Command {
	switch {
	case m.raw != nil:
		return slices.Concat([]views.Command{cmdBack}, rows.Moves(), rows.Filters(), rows.Folds())
	case m.upgradeRuns():
		return []views.Command{cmdWatch, cmdRefresh}
	}
	return m.pickerCommands()
}

func (m *Model) pickerCommands() []views.Command {
	p := &m.picker
	now := []views.Command{cmdOpen}
	now = append(now, rows.Filters()...)
	now = append(now, cmdShelf, cmdShelfUp)
	if p.shelf == offered {
		now = append(now, cmdOrder, cmdUsable)
	}
	now = append(now, cmdAll, cmdRaw)
	now = append(now, rows.Moves()...)
	now = append(now, cmdPane, cmdCopy, cmdRefresh, cmdWatch)
	if p.focus == detailPane || p.list.Filter() != "" || p.usable || p.shelf != offered {
		now = append(now, cmdBack)
	}
	return now
}

// Do runs a command by its id.
func (m *Model) Do(id, argument string) tea.Cmd {
	if id == rows.Search {
		return m.search(strings.TrimSpace(argument))
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
}
