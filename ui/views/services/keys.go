package services

import (
	"io"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"

	"geodeck/theme"
	"geodeck/ui/views"
	"geodeck/ui/views/diff"
	"geodeck/ui/views/rows"
	"geodeck/ui/views/services/jsonedit"
	"geodeck/ui/views/services/rules"
)

const (
	moveGroup    = "Move"
	listGroup    = "Services"
	serviceGroup = "One service"
	wayGroup     = "The way out"
)

// The commands of the list.
var (
	cmdEnter   = views.Command{ID: "services.enter", Binding: views.Key("open", "enter"), Name: "go in", Help: "Open the service; fold or unfold a folder.", Group: moveGroup}
	cmdBack    = views.Command{ID: "services.back", Binding: views.Key("back", "esc"), Name: "go back", Help: "One step back; what was edited is kept as a draft.", Group: moveGroup}
	cmdOpen    = views.Command{ID: "services.open", Name: "open service", Argument: "service", Help: "Open a service by its path: FOLDER/NAME.TYPE.", Group: listGroup}
	cmdSwitch  = views.Command{ID: "services.switch", Binding: views.Key("start/stop", "s"), Name: "start or stop", Help: "Start the service, or stop it; says what follows and asks first.", Group: listGroup}
	cmdRefresh = views.Command{ID: "services.refresh", Binding: views.Key("", "R", "ctrl+r"), Name: "refresh", Help: "Read again what is shown.", Group: listGroup}
	cmdUnmark  = views.Command{ID: "services.unmark", Binding: views.Key("", "u"), Name: "unmark all", Help: "Take all marks away.", Group: listGroup}
	cmdCopy    = views.Command{ID: "services.copy", Binding: views.Key("", "y"), Name: "copy path", Help: "Copy the path of the service.", Group: listGroup}
)

// table lists everything that can be done here, for help and README. What a widget
// and the list both have is told once.
func table() []views.Command {
	bare := theme.New(theme.Options{Renderer: lipgloss.NewRenderer(io.Discard)}) // a widget needs one to say its rows
	all := slices.Concat(
		[]views.Command{cmdEnter, cmdBack, cmdOpen, cmdSwitch, cmdUnmark, cmdRefresh, cmdCopy},
		[]views.Command{cmdNextSection, cmdPrevSection, cmdWrite, cmdOutside, cmdDiscard, cmdContinue, cmdLookAt, cmdTakeOver, cmdDifference, cmdReread},
		[]views.Command{cmdPresets, cmdCopyRules, cmdPods, cmdNodes, cmdNodesAgain, cmdNodesFile, cmdNodesCommand},
		[]views.Command{cmdToNow, cmdMark, cmdRestore, cmdShow, cmdSwitchOpen},
		[]views.Command{cmdSend, cmdMany, cmdPlan, cmdMerge, cmdLook, cmdHealth},
		rows.Moves(), rows.Filters(), folds(), rows.Marks(), rows.Searches(), jsonedit.New(bare).Commands(), rules.New(bare).Commands(), diff.New(bare).Commands(),
	)
	known := map[string]bool{}
	return slices.DeleteFunc(all, func(c views.Command) bool {
		defer func() { known[c.ID] = true }()
		return known[c.ID]
	})
}

// folds are those of the list: space marks.
func folds() []views.Command {
	return slices.DeleteFunc(rows.Folds(), func(c views.Command) bool { return c.ID == rows.Toggle })
}

// Commands lists what can be done right now, the most wanted first.
func (m *Model) Commands() []views.Command {
	switch {
	case m.way != nil:
		return m.wayCommands()
	case m.open != nil:
		return m.openCommands()
	case m.CapturesText():
		return []views.Command{hinted(cmdEnter, "keep"), hinted(cmdBack, "clear")}
	}
	return m.listCommands()
}

func (m *Model) listCommands() []views.Command {
	open := cmdOpen
	open.Choices = m.paths
	now := []views.Command{open, cmdRefresh}
	if row, ok := m.selected(); ok {
		enter := cmdEnter
		if row.service == nil {
			enter = enter.Hinted("fold")
		}
		now = append([]views.Command{enter}, now...)
		if row.service != nil {
			now = append(now, m.offered(cmdSwitch), cmdCopy)
		}
	}
	now = slices.Concat(now, rows.Filters(), hintedMarks(), rows.Moves(), folds())
	if m.catalog.list.Marked() > 0 {
		now = append(now, cmdUnmark)
	}
	if m.catalog.list.Filter() != "" {
		now = append(now, cmdBack)
	}
	return now
}

// hintedMarks puts the mark into the footer: the same change on several services
// begins with it.
func hintedMarks() []views.Command {
	marks := rows.Marks()
	for i := range marks {
		if marks[i].ID == rows.Mark {
			marks[i] = marks[i].Hinted("mark")
		}
	}
	return marks
}

// paths completes the name of a service.
func (m *Model) paths() []string {
	var paths []string
	for _, f := range m.catalog.folders {
		for _, s := range f.services {
			paths = append(paths, s.Path())
		}
	}
	return paths
}

// hinted returns a command with another word in the footer.
func hinted(c views.Command, hint string) views.Command {
	c = c.Hinted(hint)
	return c
}

// quiet keeps a command out of the footer.
func quiet(c views.Command) views.Command { return hinted(c, "") }

// Do runs a command by its id.
func (m *Model) Do(id, argument string) tea.Cmd {
	argument = strings.TrimSpace(argument)
	_, possible := views.Find(m.Commands(), id)
	switch {
	case id == cmdOpen.ID:
		return m.openPath(argument)
	case !possible:
		return nil // it makes no sense on this screen
	case m.way != nil:
		return m.doWay(id, argument)
	case m.open != nil:
		return m.doOpen(id, argument)
	}
	if act, ok := acts[id]; ok {
		return act(m)
	}
	return m.move(id, argument)
}

// acts are the commands of the list without an argument.
var acts = map[string]func(*Model) tea.Cmd{
	cmdEnter.ID:   (*Model).enter,
	cmdBack.ID:    (*Model).back,
	cmdSwitch.ID:  (*Model).askSwitch,
	cmdRefresh.ID: (*Model).refresh,
	cmdUnmark.ID:  (*Model).unmark,
	cmdCopy.ID:    (*Model).copyPath,
}
