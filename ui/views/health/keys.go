package health

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/health"
	"geodeck/ui/views"
	"geodeck/ui/views/rows"
)

const (
	reportGroup = "Reports"
	treeGroup   = "Tree"
)

// The commands of the view, by what they are about.
var (
	cmdOpen    = views.Command{ID: "health.enter", Binding: views.Key("open", "enter"), Name: "go in", Help: "Go from the list to the tree, and from a test to its detail", Group: "Move"}
	cmdBack    = views.Command{ID: "health.back", Binding: views.Key("back", "esc"), Name: "go back", Help: "One step back; clears a filter first.", Group: "Move"}
	cmdNext    = views.Command{ID: "health.next-pane", Binding: views.Key("", "tab"), Name: "next pane", Help: "Go to the next pane.", Group: "Move"}
	cmdPrev    = views.Command{ID: "health.previous-pane", Binding: views.Key("", "shift+tab"), Name: "previous pane", Help: "Go to the previous pane.", Group: "Move"}
	cmdRun     = views.Command{ID: "health.run", Binding: views.Key("run", "r"), Name: "run health check", Help: "Run a health check at the site: choose suites and a name.", Group: reportGroup}
	cmdRefresh = views.Command{ID: "health.refresh", Binding: views.Key("", "R", "ctrl+r"), Name: "refresh", Help: "Read the list of reports again.", Group: reportGroup}
	cmdMark    = views.Command{ID: "health.mark", Binding: views.Key("compare", "c"), Name: "compare marked", Help: "Mark a report; on a second report, compare the two.", Group: reportGroup}
	cmdWith    = views.Command{ID: "health.compare", Name: "compare", Argument: "report id", Help: "Compare the chosen report with another one.", Group: reportGroup}
	cmdAskOut  = views.Command{ID: "health.export-ask", Binding: views.Key("export", "e"), Name: "export report", Help: "Write the report to a file: JSON, CSV, Markdown or JUnit.", Group: reportGroup}
	cmdExport  = views.Command{ID: "health.export", Name: "export", Argument: "format", Choices: formats, Help: "Write the report to a file in a format: json, csv, md or junit.", Group: reportGroup}
	cmdAskFile = views.Command{ID: "health.open-ask", Binding: views.Key("open file", "o"), Name: "open saved report", Help: "Open a saved report; no network is needed.", Group: reportGroup}
	cmdFile    = views.Command{ID: "health.open", Name: "open", Argument: "file", Help: "Open a saved report file.", Group: reportGroup}
	cmdDelete  = views.Command{ID: "health.delete", Binding: views.Key("", "D"), Name: "delete report", Help: "Delete the chosen report at the site; a file is only closed.", Group: reportGroup}
	cmdCopy    = views.Command{ID: "health.copy", Binding: views.Key("", "y"), Name: "copy id", Help: "Copy the id of the report or test.", Group: reportGroup}
	cmdRaw     = views.Command{ID: "health.json", Binding: views.Key("JSON", "v"), Name: "view JSON", Help: "Show what the site wrote, as JSON.", Group: reportGroup}
	cmdOrder   = views.Command{ID: "health.order", Binding: views.Key("sort", "s"), Name: "sort tests", Help: "Sort tests: worst first, longest first, as reported.", Group: treeGroup}
	cmdFailed  = views.Command{ID: "health.failed", Binding: views.Key("failed only", "f"), Name: "failed only", Help: "Show only tests that did not pass, or all.", Group: treeGroup}
	cmdSevere  = views.Command{ID: "health.severity", Binding: views.Key("", "i"), Name: "severity", Help: "Show all tests, critical ones, or general ones.", Group: treeGroup}
	cmdAll     = views.Command{ID: "health.all", Binding: views.Key("", "a"), Name: "show all", Help: "Drop all filters of the tree.", Group: treeGroup}
	cmdSame    = views.Command{ID: "health.unchanged", Binding: views.Key("unchanged", "u"), Name: "unchanged tests", Help: "In a comparison: show or hide tests that did not change.", Group: treeGroup}
)

func formats() []string {
	var names []string
	for _, f := range health.Formats {
		names = append(names, string(f))
	}
	return names
}

// table lists everything that can be done here, for help and README.
func table() []views.Command {
	return slices.Concat(
		[]views.Command{cmdOpen, cmdBack, cmdNext, cmdPrev, cmdRun, cmdMark, cmdWith, cmdAskOut, cmdExport, cmdAskFile, cmdFile,
			cmdRaw, cmdDelete, cmdCopy, cmdRefresh, cmdOrder, cmdFailed, cmdSevere, cmdAll, cmdSame},
		rows.Moves(), rows.Filters(), rows.Folds())
}

// Do runs a command by its id.
func (m *Model) Do(id, argument string) tea.Cmd {
	switch id {
	case cmdWith.ID:
		return m.compareArgument(argument)
	case cmdExport.ID:
		return m.exportArgument(argument)
	case cmdFile.ID:
		if strings.TrimSpace(argument) == "" {
			return m.askFile()
		}
		return m.openFile(argument)
	case rows.Search:
		return m.search(argument)
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
	cmdNext.ID:    func(m *Model) tea.Cmd { return m.cycle(1) },
	cmdPrev.ID:    func(m *Model) tea.Cmd { return m.cycle(2) },
	cmdRun.ID:     (*Model).askRun,
	cmdRefresh.ID: (*Model).refresh,
	cmdMark.ID:    (*Model).markOrCompare,
	cmdAskOut.ID:  (*Model).askExport,
	cmdAskFile.ID: (*Model).askFile,
	cmdDelete.ID:  (*Model).askDelete,
	cmdCopy.ID:    (*Model).copyID,
	cmdRaw.ID:     (*Model).showJSON,
	cmdOrder.ID:   (*Model).sort,
	cmdFailed.ID:  (*Model).toggleFailed,
	cmdSevere.ID:  (*Model).nextSeverity,
	cmdAll.ID:     (*Model).showAll,
	cmdSame.ID:    (*Model).toggleSame,
}
