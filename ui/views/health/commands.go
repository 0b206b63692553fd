package health

import (
	"errors"
	"slices"

	"geodeck/adminapi"
	"geodeck/ui/views"
	"geodeck/ui/views/rows"
)

// Commands lists what can be done right now, the most wanted first.
func (m *Model) Commands() []views.Command {
	switch {
	case m.CapturesText():
		return []views.Command{hinted(cmdOpen, "keep"), hinted(cmdBack, "clear")}
	case m.raw != nil:
		return slices.Concat([]views.Command{cmdBack}, rows.Moves(), rows.Filters(), rows.Folds())
	case m.compare != nil:
		return slices.Concat([]views.Command{cmdBack, cmdSame}, rows.Moves(), rows.Filters(), []views.Command{m.with(), quiet(cmdAskOut)})
	case m.catalog.list.All() == 0:
		return slices.Concat(m.siteCommands(), []views.Command{cmdAskFile, cmdFile})
	}
	now := slices.Concat(m.paneCommands(), m.siteCommands(), m.entryCommands(), m.reportCommands(),
		[]views.Command{cmdAskFile, cmdFile}, rows.Moves(), []views.Command{cmdNext, cmdPrev})
	if m.canGoBack() {
		now = append(now, cmdBack)
	}
	return now
}

// paneCommands are those of the pane in focus.
func (m *Model) paneCommands() []views.Command {
	switch m.focus {
	case listPane:
		now := rows.Filters()
		if _, ok := m.selected(); ok {
			now = slices.Insert(now, 0, cmdOpen)
		}
		return append(now, m.treeCommands(quiet)...)
	case treePane:
		now := rows.Filters()
		if _, ok := m.node(); ok {
			now = slices.Insert(now, 0, hinted(cmdOpen, m.enterHint()))
		}
		return slices.Concat(now, m.treeCommands(nil), rows.Folds())
	}
	return m.treeCommands(quiet)
}

// enterHint says what enter does on the row of the tree.
func (m *Model) enterHint() string {
	switch {
	case m.chosen.list.Leaf():
		return "open"
	case m.chosen.list.Folded():
		return "unfold"
	}
	return "fold"
}

// treeCommands change what the tree shows, where it is on the screen.
func (m *Model) treeCommands(changed func(views.Command) views.Command) []views.Command {
	if !m.treeShown() {
		return nil
	}
	now := []views.Command{cmdFailed, cmdOrder, cmdSevere, cmdAll}
	if changed != nil {
		for i := range now {
			now[i] = changed(now[i])
		}
	}
	return now
}

// siteCommands ask something of the site.
func (m *Model) siteCommands() []views.Command {
	switch {
	case m.env.Offline:
		return nil
	case errors.Is(m.catalog.Err, adminapi.KindVersionTooOld):
		return []views.Command{cmdRefresh}
	case m.readOnly():
		return []views.Command{quiet(cmdRun), cmdRefresh}
	}
	return []views.Command{cmdRun, cmdRefresh}
}

// entryCommands do something with the report under the cursor of the list.
func (m *Model) entryCommands() []views.Command {
	e, ok := m.selected()
	if !ok || e.key.origin == fromRun {
		return nil
	}
	now := []views.Command{cmdDelete, cmdCopy}
	if m.catalog.list.All() > 1 {
		return append([]views.Command{cmdMark, m.with()}, now...)
	}
	return append([]views.Command{m.with()}, now...)
}

// reportCommands do something with the report that was read.
func (m *Model) reportCommands() []views.Command {
	if m.report() == nil {
		return nil
	}
	raw := cmdRaw
	if m.focus == listPane {
		raw = quiet(raw)
	}
	return []views.Command{raw, cmdAskOut, cmdExport}
}

// with completes what the chosen report can be compared with.
func (m *Model) with() views.Command {
	with := cmdWith
	with.Choices = m.otherIDs
	return with
}

// hinted returns a command with another word in the footer.
func hinted(c views.Command, hint string) views.Command {
	c = c.Hinted(hint)
	return c
}

// quiet keeps a command out of the footer.
func quiet(c views.Command) views.Command {
	c = c.Hinted("")
	return c
}

// otherIDs completes what the chosen report can be compared with.
func (m *Model) otherIDs() []string {
	var ids []string
	chosen, _ := m.selected()
	for _, item := range m.catalog.rows.items {
		if item.key != chosen.key && item.key.origin != fromRun {
			ids = append(ids, item.key.id)
		}
	}
	return ids
}

func (m *Model) canGoBack() bool {
	return m.focus != listPane || m.catalog.list.Filter() != "" || m.mark != entryKey{}
}
