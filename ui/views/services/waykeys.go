package services

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/views/rows"
)

// wayCommands are what can be done in the step that the change is in.
func (m *Model) wayCommands() []views.Command {
	w := m.way
	switch w.step {
	case reviewing:
		if w.review.CapturesText() {
			return w.review.Commands()
		}
		mine := slices.Concat([]views.Command{m.offered(cmdSend)}, m.manyCommand(), []views.Command{cmdPlan, cmdBack})
		if w.review.Open() > 0 {
			return slices.Concat(w.review.Commands(), mine)
		}
		return slices.Concat(mine, w.review.Commands())
	case ended:
		next := w.endedCommands()
		if w.canGoOn() {
			next = append(next, hinted(cmdMany, "go on with "+plain.Plural(len(w.left()), "service")))
		}
		if w.pods.Over() {
			next = append(next, hinted(cmdPods, "ask again"))
		}
		return slices.Concat(next, []views.Command{cmdBack}, rows.Moves())
	}
	return []views.Command{cmdBack}
}

func (m *Model) doWay(id, argument string) tea.Cmd {
	if act, ok := wayActs[id]; ok {
		return act(m)
	}
	if m.way.step == reviewing {
		return views.Invoke(m.way.review, id, argument)
	}
	m.way.pager.Do(id)
	return nil
}

var wayActs = map[string]func(*Model) tea.Cmd{
	cmdSend.ID:   (*Model).askSend,
	cmdMany.ID:   (*Model).planMany,
	cmdPlan.ID:   (*Model).savePlan,
	cmdMerge.ID:  (*Model).merge,
	cmdLook.ID:   (*Model).lookAgain,
	cmdHealth.ID: (*Model).runHealthCheck,
	cmdPods.ID:   (*Model).podsAgain,
	cmdBack.ID:   (*Model).backOnWay,
}

// backOnWay goes back to where the change was made; it is kept there.
func (m *Model) backOnWay() tea.Cmd {
	w := m.way
	switch {
	case w.step == sending:
		w.stays = true
		return nil
	case w.searching():
		return m.askStopLooking()
	}
	return m.leaveWay()
}

func (m *Model) leaveWay() tea.Cmd {
	many := m.way.many && m.way.step == ended
	if many {
		m.markOnly(m.way.left())
	}
	m.way = nil
	for _, kind := range []string{"plan", "merge", "find", "send confirmed"} {
		m.scope.Forget(kind)
	}
	m.place()
	if many {
		return m.leaveOpen()
	}
	if m.open != nil {
		return m.open.section().shown()
	}
	return nil
}
