package progress

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui/views"
	"geodeck/ui/views/rows"
)

const group = "Messages"

// The commands of the view.
var (
	cmdOpen   = views.Command{ID: "progress.open", Keys: []string{"enter"}, Name: "open message", Hint: "open", Help: "Show the message whole; JSON in it as a tree.", Group: group}
	cmdBack   = views.Command{ID: "progress.back", Keys: []string{"esc"}, Name: "go back", Hint: "back", Help: "Close the message, or drop the filter.", Group: group}
	cmdFollow = views.Command{ID: "progress.follow", Keys: []string{"f"}, Name: "follow", Hint: "follow", Help: "Keep the newest message on the screen, or stop doing so. G follows, moving up stops.", Group: group}
	cmdCopy   = views.Command{ID: "progress.copy", Keys: []string{"y"}, Name: "copy message", Hint: "copy", Help: "Copy the message as one line: time in UTC, code, text.", Group: group}
	cmdWatch  = views.Command{ID: "progress.watch", Keys: []string{"R", "ctrl+r"}, Name: "watch upgrade", Hint: "read again", Help: "Read the site again at once; an upgrade that runs is watched from then on.", Group: group}
)

// table lists everything that can be done here, for help and README.
func table() []views.Command {
	return slices.Concat([]views.Command{cmdOpen, cmdBack, cmdFollow, cmdCopy, cmdWatch}, rows.Moves(), rows.Filters(), rows.Folds())
}

// Commands lists what can be done right now, the most wanted first.
func (m *Model) Commands() []views.Command {
	switch {
	case m.whole != nil && m.whole.json != nil:
		return slices.Concat([]views.Command{cmdBack, cmdCopy}, rows.Moves(), rows.Filters(), rows.Folds())
	case m.whole != nil:
		return slices.Concat([]views.Command{cmdBack, cmdCopy}, rows.Moves())
	case m.log == nil || m.log.Len() == 0:
		return []views.Command{cmdWatch}
	}
	now := slices.Concat([]views.Command{cmdOpen}, rows.Filters(), []views.Command{cmdFollow, cmdCopy, cmdWatch}, rows.Moves())
	if m.list.Filter() != "" {
		now = append(now, cmdBack)
	}
	return now
}

// Do runs a command by its id.
func (m *Model) Do(id, argument string) tea.Cmd {
	switch id {
	case cmdOpen.ID:
		return m.open()
	case cmdBack.ID:
		return m.back()
	case cmdFollow.ID:
		m.setPaused(!m.paused)
	case cmdCopy.ID:
		return m.copy()
	case cmdWatch.ID:
		return m.watch()
	case rows.Search:
		m.search(strings.TrimSpace(argument))
	default:
		m.move(id)
	}
	return nil
}

func (m *Model) open() tea.Cmd {
	message, ok := m.selected()
	if !ok || m.whole != nil {
		return nil
	}
	m.whole = newWhole(message, m.env.Theme)
	m.place()
	return nil
}

func (m *Model) back() tea.Cmd {
	switch {
	case m.whole != nil && m.whole.json != nil && m.whole.json.Filter() != "":
		m.whole.json.SetFilter("")
	case m.whole != nil:
		m.whole = nil
	default:
		m.list.SetFilter("")
	}
	m.follow()
	return nil
}

func (m *Model) copy() tea.Cmd {
	message, ok := m.selected()
	if m.whole != nil {
		message, ok = m.whole.message, true
	}
	if !ok {
		return nil
	}
	return views.Send(views.Copy{Text: lineOf(message), What: "message"})
}

// search starts typing a filter, or sets the one given.
func (m *Model) search(text string) {
	switch {
	case m.whole != nil && m.whole.json == nil:
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

// ups are the moves that say: I am reading, let it stand.
var ups = []string{rows.Up, rows.HalfUp, rows.PageUp, rows.Top}

// move moves the cursor. Going up stops following; the last message, or going
// down from it, begins it again.
func (m *Model) move(id string) {
	if m.whole != nil {
		m.whole.do(id)
		return
	}
	before, _ := m.list.Key()
	m.list.Do(id)
	after, _ := m.list.Key()
	switch {
	case id == rows.Bottom:
		m.setPaused(false)
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
