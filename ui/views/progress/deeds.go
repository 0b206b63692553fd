package progress

import (
	"slices"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui/views"
	"geodeck/ui/views/rows"
)

// deeds are the commands without an argument.
var deeds = map[string]func(*Model) tea.Cmd{
	cmdOpen.ID: (*Model).open, cmdBack.ID: (*Model).back, cmdCopy.ID: (*Model).copy, cmdAll.ID: (*Model).copyAll,
	cmdSave.ID: (*Model).save, cmdPhase.ID: (*Model).choosePhase, cmdRecord.ID: (*Model).askRecord,
	cmdProof.ID: (*Model).gather, cmdHealth.ID: (*Model).checkHealth,
	cmdWatch.ID: func(m *Model) tea.Cmd {
		m.around.again()
		return m.watch()
	},
	cmdForm.ID:   quietly(func(m *Model) { m.whole.next() }),
	cmdFollow.ID: quietly(func(m *Model) { m.setPaused(!m.paused) }),
	cmdNext.ID:   quietly(func(m *Model) { m.jumpPhase(true) }),
	cmdPrev.ID:   quietly(func(m *Model) { m.jumpPhase(false) }),
	cmdCode.ID:   quietly((*Model).sameCode),
	cmdLook.ID:   quietly((*Model).attention),
	cmdPage.ID:   quietly(func(m *Model) { m.summary = !m.summary }),
}

func quietly(f func(*Model)) func(*Model) tea.Cmd {
	return func(m *Model) tea.Cmd {
		f(m)
		return nil
	}
}

// ofTheLog are the commands that lead from the summary to the messages.
var ofTheLog = []string{rows.Search, rows.Find, rows.Next, rows.Previous, cmdLook.ID}

// Do runs a command by its id, where it can be run now.
func (m *Model) Do(id, argument string) tea.Cmd {
	if !slices.ContainsFunc(m.Commands(), func(c views.Command) bool { return c.ID == id }) {
		return nil
	}
	var cmd tea.Cmd
	if slices.Contains(ofTheLog, id) {
		m.summary = false
	}
	switch deed, ok := deeds[id]; {
	case ok:
		cmd = deed(m)
	case id == rows.Search:
		m.filter(strings.TrimSpace(argument))
	case id == rows.Find:
		m.search(strings.TrimSpace(argument))
	default:
		m.move(id)
	}
	return tea.Batch(cmd, m.wantHealth())
}

func (m *Model) open() tea.Cmd {
	message, ok := m.selected()
	if !ok {
		return nil
	}
	m.whole = newWhole(message, m.env.Theme)
	m.place()
	return nil
}

// back undoes the last thing that stands in front of the log.
func (m *Model) back() tea.Cmd {
	switch {
	case m.whole != nil && m.whole.searchable() && m.whole.json.Filter() != "":
		m.whole.json.SetFilter("")
	case m.whole != nil:
		m.whole = nil
	case m.summaryPage():
		m.summary = false
	case m.list.Unmark():
	case m.list.Searched() != "":
		m.list.SetSearch("")
	case m.list.Filter() != "":
		m.list.SetFilter("")
	case m.record:
		m.closeRecord()
	}
	m.follow()
	return nil
}

// filter starts typing a filter, or sets the one given.
func (m *Model) filter(text string) {
	switch {
	case m.whole != nil && text != "":
		m.whole.json.SetFilter(text)
	case m.whole != nil:
		m.whole.json.Do(rows.Search)
	case text != "":
		m.list.SetFilter(text)
	default:
		m.list.Do(rows.Search)
	}
	m.follow()
}

// attention shows only what needs a look, or all again.
func (m *Model) attention() {
	if m.list.Filter() == asksForAttention {
		m.list.SetFilter("")
	} else {
		m.list.SetFilter(asksForAttention)
	}
	m.follow()
}

// search starts typing what to search for, or searches for the text given.
func (m *Model) search(text string) {
	if text == "" {
		m.list.Do(rows.Find)
		return
	}
	m.list.SetSearch(text)
	m.setPaused(m.paused || !m.list.Last())
}

func (m *Model) sameCode() {
	if message, ok := m.selected(); ok {
		m.search(strconv.Itoa(message.Code))
	}
}

// ups are the moves that say: I am reading, let it stand.
var ups = []string{rows.Up, rows.HalfUp, rows.PageUp, rows.Top, rows.Next, rows.Previous, rows.Range}

// move moves the cursor. Going up stops following; the last message, or going
// down from it, begins it again.
func (m *Model) move(id string) {
	switch {
	case m.whole != nil:
		m.whole.do(id)
		return
	case m.summaryPage():
		m.pager.Do(id)
		return
	}
	before, _ := m.list.Key()
	m.list.Do(id)
	after, _ := m.list.Key()
	switch {
	case id == rows.Bottom:
		m.setPaused(false)
	case id == rows.Range:
		m.setPaused(true)
	case slices.Contains(ups, id):
		m.setPaused(m.paused || after != before)
	default:
		m.setPaused(m.paused && after != before)
	}
}

func (m *Model) setPaused(on bool) {
	if on && !m.paused && m.log != nil {
		m.passed = m.log.Len()
	}
	m.paused = on
	m.follow()
}
