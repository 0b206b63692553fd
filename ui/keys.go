package ui

import (
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui/help"
	"geodeck/ui/keyboard"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
	"geodeck/ui/widget/whatnow"
)

// keyState is the state between keys.
type keyState struct {
	last time.Time
	held []tea.Msg // came while keys had to wait, oldest first: see hold
	lead lead
	// browsed says that the message that is handled only moves a cursor, or stays within a dialog.
	browsed bool
	// together says that a key came in one piece with others: see [views.Command.Alone].
	together bool
}

// busy reports whether keys have to wait for the view that is shown, or for the disk.
func (m *Model) busy() bool {
	return m.opening || m.screen.busy()
}

// waits reports whether keys have to wait, for a view or for what a key leads to.
func (m *Model) waits() bool { return m.keys.lead.running > 0 || m.busy() }

// hold keeps a message until the view is not busy any more: a key, or what changes where
// keys go. Keys that were pressed before a dialog opens, or another view is shown, are not
// meant for it.
func (m *Model) hold(msg tea.Msg) tea.Cmd {
	m.keys.held = append(m.keys.held, msg)
	return nil
}

// release handles what was held, in its order. What comes after something that makes the
// view busy again is held again.
func (m *Model) release() tea.Cmd {
	if len(m.keys.held) == 0 || m.waits() {
		return nil
	}
	held := m.keys.held
	m.keys.held, m.keys.browsed = nil, false
	var cmds []tea.Cmd
	for _, msg := range held {
		cmds = append(cmds, m.dispatch(msg))
	}
	return tea.Batch(cmds...)
}

// key presses a key, or gives pasted text to who takes it.
func (m *Model) key(msg tea.KeyMsg) tea.Cmd {
	row, anytime := views.Typed(m.anytime, msg)
	if m.waits() && row.ID != "interrupt" {
		return m.hold(msg)
	}
	defer func() { m.keys.last = m.pace.Now() }()
	switch {
	case anytime:
		return row.Do("")
	case m.screen.layout.tooSmall():
		return nil // nobody sees what a key would do
	case msg.Paste:
		return m.paste(msg)
	}
	return m.press(msg)
}

// burst presses keys that came in one piece, in their order. A slow line gathers what is
// typed, but a terminal that does not mark what is pasted sends it like this, too. So a
// question gets what is text of them as one message, which answers nothing. In a form or a
// prompt a line end that text follows is a part of the text. Anywhere else each is a key: whatever
// they lead to, a question comes before anything is changed at the site, and a word that confirms
// takes no enter behind another key. What a key opens or closes takes the keys behind it. Start
// says that no key of the burst was pressed before.
func (m *Model) burst(keys keyboard.Burst, start bool) tea.Cmd {
	var cmds []tea.Cmd
	for ; len(keys) > 0; start = false {
		if m.waits() {
			if slices.ContainsFunc(keys, func(key tea.KeyMsg) bool { return key.Type == tea.KeyCtrlC }) {
				return tea.Batch(append(cmds, m.key(tea.KeyMsg{Type: tea.KeyCtrlC}))...)
			}
			if start {
				return m.hold(keys)
			}
			return tea.Batch(append(cmds, m.hold(typedAhead(keys)))...)
		}
		text, n := together(keys)
		switch takes := m.screen.takes(); {
		case keys[0].Type == tea.KeyRunes && len(keys[0].Runes) == 0: // it goes on with what came before
			n = 1
		case n > 0 && takes.Question:
			cmds = append(cmds, m.unmarked(text))
		case n > 0 && start && m.screen.fills() && !takes.Word && !takes.Lines && brokenLine(text):
			cmds = append(cmds, m.key(tea.KeyMsg{Type: tea.KeyRunes, Runes: text, Paste: true}))
		default:
			n = 1
			key := keys[0]
			switch {
			case !takes.Word || key.Type != tea.KeyEnter:
			case start:
				for n < len(keys) && keys[n].Type == tea.KeyEnter { // held
					n++
				}
			default:
				key = tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{'\r'}}
			}
			m.keys.together = true
			cmd := m.key(key)
			m.keys.together = false
			if cmd != nil && len(keys) > 1 && m.screen.rest.moving == nil { // a move of the cursor opens nothing
				cmd = m.lead(cmd)
			}
			cmds = append(cmds, cmd)
		}
		keys = keys[n:]
	}
	return tea.Batch(cmds...)
}

// together returns the text of the keys up to the first that is none, and their number.
func together(keys keyboard.Burst) (text []rune, n int) {
	for _, key := range keys {
		runes, ok := keyboard.Text(key)
		if !ok {
			break
		}
		text = append(text, runes...)
		n++
	}
	return text, n
}

// brokenLine reports whether a line end is followed by text.
func brokenLine(text []rune) bool {
	return strings.ContainsAny(strings.Trim(string(text), "\r\n"), "\r\n")
}

// typedAhead is the rest of a burst, behind a key of it that was pressed.
type typedAhead keyboard.Burst

// leadLimit is how long keys wait at most for what the key before them leads to. Dialogs and
// views open and close by messages that are there at once; a request takes longer, and no key
// waits for one.
const leadLimit = 100 * time.Millisecond

// lead is what a key leads to: commands, their messages, and the commands of those.
type lead struct {
	turn    int // counts the keys that were followed
	running int // commands whose messages are not in yet
}

// led is a message that a key led to; nil where a command had none.
type led struct {
	turn int
	msg  tea.Msg
}

// lead has the keys behind a key wait for what its command leads to.
func (m *Model) lead(cmd tea.Cmd) tea.Cmd {
	limit := m.scope.Later(m.pace, leadLimit, "lead", func() tea.Cmd { m.keys.lead.end(m.scope); return nil })
	return tea.Batch(m.keys.lead.follow(cmd), limit)
}

// follow waits for the message of one more command.
func (l *lead) follow(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	l.running++
	turn := l.turn
	return func() tea.Msg { return led{turn, cmd()} }
}

// end lets the keys go on. Messages that still come are handled, but not followed.
func (l *lead) end(scope *views.Scope) {
	l.turn, l.running = l.turn+1, 0
	scope.Forget("lead")
}

var teaPkg = reflect.TypeFor[tea.KeyMsg]().PkgPath()

// led handles a message, and follows what it leads to.
func (m *Model) led(by led) tea.Cmd {
	l := &m.keys.lead
	follow := func(cmd tea.Cmd) tea.Cmd { return cmd }
	if by.turn == l.turn {
		follow = l.follow
	}
	var cmd tea.Cmd
	switch msg := by.msg.(type) {
	case nil:
	case views.Notice:
		cmd = m.dispatch(msg) // the end of its time
	case tea.BatchMsg:
		cmds := make([]tea.Cmd, len(msg))
		for i, c := range msg {
			cmds[i] = follow(c)
		}
		cmd = tea.Batch(cmds...)
	default:
		if reflect.TypeOf(msg).PkgPath() == teaPkg { // for Bubble Tea, such as a sequence
			cmd = tea.Sequence(views.Send(msg), follow(views.Send(nil)))
		} else {
			cmd = follow(m.dispatch(msg))
		}
	}
	if by.turn == l.turn {
		if l.running--; l.running == 0 {
			l.end(m.scope)
		}
	}
	return cmd
}

// Asks reports whether a question is open or a word is typed that confirms: what counts there
// depends on which keys came together.
func (m *Model) Asks() bool {
	takes := m.screen.takes()
	return takes.Question || takes.Word
}

// keyNames are the names that Bubble Tea has for keys.
var keyNames = sync.OnceValue(func() map[string]bool {
	names := map[string]bool{}
	for key := tea.KeyType(-128); key < 128; key++ {
		names[key.String()] = true
	}
	return names
})

// unmarked gives a question text that came in one piece. One character alone would be a
// key, and so would the name of one, such as "enter": they are pasted.
func (m *Model) unmarked(text []rune) tea.Cmd {
	msg := tea.KeyMsg{Type: tea.KeyRunes, Runes: text, Paste: len(text) == 1 || keyNames()[string(text)]}
	m.keys.last = m.pace.Now()
	if m.screen.layout.tooSmall() || m.screen.dialogs.swallows(m.pace.Now()) {
		return nil
	}
	return m.screen.front().Update(msg)
}

// paste gives pasted text to the dialog or view that takes text; it never presses a key.
func (m *Model) paste(msg tea.KeyMsg) tea.Cmd {
	if m.screen.dialogs.top() == nil && !m.screen.router.active().CapturesText() {
		return views.PasteUnused()
	}
	return m.screen.front().Update(msg)
}

// press gives one key to the first of these that takes it: the top dialog, a view that
// takes text, the root's own table, the view's table.
func (m *Model) press(msg tea.KeyMsg) tea.Cmd {
	moved := m.screen.rest.stop()
	if m.screen.dialogs.swallows(m.pace.Now()) {
		return nil
	}
	if d := m.screen.dialogs.top(); d != nil {
		if keyed := m.screen.keyed(); msg.String() == help.Key && len(keyed) > 0 {
			return m.open(help.OfDialog(m.env.Theme, keyed, m.anytime), false)
		}
		cmd := d.Update(msg)
		m.keys.browsed = cmd == nil // it stays within the dialog
		return cmd
	}
	v := m.screen.router.active()
	_ = v.Update(views.Attended)
	if v.CapturesText() {
		return v.Update(msg)
	}
	refreshes := slices.Contains(refreshKeys, msg.String())
	if m.session.waits && refreshes {
		return m.session.requested()
	}
	if row, ok := views.Pressed(m.everywhere, msg.String()); ok {
		if back, page := m.screen.page(); page && row.ID == "quit" {
			m.notices.leave()
			return back.Do("")
		}
		return row.Do("")
	}
	if n := m.notices; n.shown && n.last.Result.Err != nil && msg.String() == whatnow.Key {
		return whatnow.Notice(m.env, n.last)
	}
	row, ok := views.Pressed(v.Commands(), msg.String())
	switch {
	case !ok && msg.String() == whatnow.Key:
		return whatnow.None(m.env, v.Status(), "No request has failed here.")
	case !ok && m.notices.shown && m.notices.last.Level != views.Info: // which stays
		return nil
	case !ok:
		return views.Unused(msg, "")
	}
	m.notices.beforeCommand(row)
	m.session.beforeCommand(row)
	if row.Alone && m.keys.together {
		return views.Tell(views.Warning, "Keys sent together acknowledge nothing. Press "+views.KeyLabel(msg.String(), true)+" again, alone.")
	}
	if row.Browses {
		m.screen.rest.browses(v, moved)
		m.keys.browsed = true
	}
	if refreshes {
		return tea.Batch(row.Do(""), m.site.start())
	}
	return row.Do("")
}

// goBack dismisses an error, else clears what narrows the list, else goes back inside the
// view, else to the view that led to this one. Nobody leaves a view by one press too many.
func (m *Model) goBack() tea.Cmd {
	if m.notices.dismiss() {
		return nil
	}
	m.notices.leave()
	list := m.screen.router.active().Commands()
	if row, ok := views.Find(list, rows.Clear); ok {
		return row.Do("")
	}
	if row, ok := views.Pressed(list, "esc"); ok {
		return row.Do("")
	}
	cmd, ok := m.screen.router.back()
	if !ok {
		text := views.Keys("Nothing is open here. Press {key:quit} to quit.")
		if m.screen.router.before != "" {
			text = views.Keys("Nothing is open here. Press {key:quit} to quit, {key:before} for the previous view.")
		}
		cmd = views.Tell(views.Info, text)
	}
	return cmd
}

// viewBefore shows the view that was shown before this one.
func (m *Model) viewBefore() tea.Cmd {
	if m.screen.router.before == "" {
		return views.Tell(views.Info, "No other view was open before.")
	}
	m.notices.leave()
	return m.navigate(views.Navigate{View: m.screen.router.before})
}

// nextTimes changes how times are written, and lets views lay out their text again.
func (m *Model) nextTimes() tea.Cmd {
	told := views.Tell(views.Info, "times are "+m.env.Times.Next())
	return tea.Batch(m.screen.router.resize(m.screen.layout.body()), told)
}
