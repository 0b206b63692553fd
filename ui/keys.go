package ui

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui/views"
)

// keyboard is what the root remembers of the keys before.
type keyboard struct {
	last   time.Time
	escape bool // the key before was esc
}

// global is a command of the root.
type global struct {
	views.Command
	run func(m *Model, argument string) tea.Cmd
}

// globals is the one table of the root's own commands.
func globals() []global {
	return []global{
		{views.Command{ID: "palette", Binding: views.Key("commands", ":"), Group: "Everywhere",
			Help: "Opens a line for commands by name, with completion and history."}, (*Model).openPalette},
		{views.Command{ID: "help", Binding: views.Key("help", "?"), Name: "help", Group: "Everywhere",
			Help: "Shows every key and command, first those that this screen has right now; / filters them."}, (*Model).openHelp},
		{views.Command{ID: "back", Binding: views.Key("", "esc"), Name: "back", Group: "Everywhere",
			Help: "Closes what is open, dismisses an error, or goes back. Never loses anything."}, (*Model).goBack},
		{views.Command{ID: "times", Binding: views.Key("", "t"), Name: "time display", Group: "Everywhere",
			Help: "Writes times local, in UTC, relative to now, or since an upgrade began."}, (*Model).nextTimes},
		{views.Command{ID: "notice", Binding: views.Key("", "!"), Name: "last notice", Group: "Everywhere",
			Help: "Shows the last notice or error whole."}, (*Model).wholeNotice},
		{views.Command{ID: "look", Name: "read site", Group: "Everywhere",
			Help: "Reads again what the header shows of the site."}, (*Model).lookAgain},
		{views.Command{ID: "unsettled", Name: "unsettled requests", Group: "Everywhere",
			Help: "Checks requests from this machine with an unknown outcome. Sends nothing."}, (*Model).earlierAsked},
		{views.Command{ID: "signin", Name: "sign in", Group: "Everywhere",
			Help: "Asks for a user and password, or for a token."}, (*Model).signInAsked},
		{views.Command{ID: "signout", Name: "sign out", Group: "Everywhere",
			Help: "Forgets the token of this session."}, (*Model).signOut},
		{views.Command{ID: "alarms", Name: "alarms", Group: "Everywhere", Argument: "on|off", Choices: func() []string { return alarmWords },
			Help: "Rings, notifies and runs the hook when a watched upgrade ends or stalls, or not; bell off or notify off switches one. Alone it says what is on."}, (*Model).setAlarms},
		{views.Command{ID: "suspend", Binding: views.Key("", "ctrl+z"), Name: "suspend", Group: "Everywhere",
			Help: "Goes to the shell; fg comes back."}, (*Model).suspend},
		{views.Command{ID: "quit", Binding: views.Key("quit", "q"), Name: "quit", Group: "Everywhere",
			Help: "Quits; asks first where something would be lost."}, (*Model).quitAsked},
		{views.Command{ID: "interrupt", Binding: views.Key("", "ctrl+c"), Group: "Everywhere",
			Help: "Quits from anywhere; asks first where something is open, and quits at the second press."}, (*Model).interrupt},
	}
}

// tabs returns a command for each view: its number, and its name in the palette.
func (r *router) tabs() []global {
	var table []global
	for i, maker := range r.makers {
		c := views.Command{ID: "view." + maker.ID, Name: strings.ToLower(maker.Title), Group: "Views",
			Help: "Shows the view " + maker.Title + "."}
		if i < 9 {
			c = c.On("", strconv.Itoa(i+1))
		}
		table = append(table, global{c, func(m *Model, _ string) tea.Cmd {
			m.notices.outdate()
			return m.navigate(views.Navigate{View: maker.ID})
		}})
	}
	return table
}

// everywhere returns the commands that work on every screen.
func (m *Model) everywhere() []global { return append(globals(), m.router.tabs()...) }

// remains matches what is left of an escape sequence whose first byte came
// alone over a slow line and was taken for the key esc.
var remains = regexp.MustCompile(`^[\[O][0-9;]*[A-DFHZ~]$`)

// key sorts out what the terminal sent as a key, then presses it.
func (m *Model) key(msg tea.KeyMsg) tea.Cmd {
	escaped := m.keys.escape
	m.keys.escape = msg.Type == tea.KeyEsc
	defer func() { m.keys.last = m.pace.Now() }()
	switch {
	case msg.Type == tea.KeyCtrlC:
		return m.interrupt("")
	case m.layout.tooSmall():
		return nil // nobody sees what a key would do
	case msg.Paste:
		return m.paste(msg)
	case msg.Type == tea.KeyRunes && escaped && remains.MatchString(string(msg.Runes)):
		return nil
	case msg.Alt && msg.Type == tea.KeyEsc:
		// Two escs that were read together: a key that is held, or a slow line.
		msg.Alt = false
		return tea.Batch(m.press(msg), m.press(msg))
	case msg.Alt && msg.Type == tea.KeyRunes && !m.texting():
		// No key here has alt: this is esc and a key that were read together.
		msg.Alt = false
		return tea.Batch(m.press(tea.KeyMsg{Type: tea.KeyEsc}), m.press(msg))
	case msg.Type == tea.KeyRunes && len(msg.Runes) > 1:
		return m.burst(msg)
	}
	return m.press(msg)
}

// texting tells whether keys may be text, which has keys with alt of its own.
func (m *Model) texting() bool {
	v := m.router.active()
	return m.dialogs.top() != nil || v != nil && v.CapturesText()
}

// burst presses keys that were read together one by one: the terminal library
// makes one message of them, which no key of any table matches. A question gets them
// in one go: a terminal without bracketed paste sends pasted text like this, and that
// answers nothing.
func (m *Model) burst(msg tea.KeyMsg) tea.Cmd {
	if question, ok := m.dialogs.top().(*views.Confirm); ok {
		if m.dialogs.swallows(m.pace.Now()) {
			return nil
		}
		return question.Update(msg)
	}
	if v, ok := m.router.active().(views.Wary); ok && v.Wary() && m.dialogs.top() == nil {
		return m.router.active().Update(msg)
	}
	var cmds []tea.Cmd
	for _, r := range msg.Runes {
		cmds = append(cmds, m.press(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}, Alt: msg.Alt}))
	}
	return tea.Batch(cmds...)
}

// paste gives pasted text to whoever takes text; it never presses a key.
func (m *Model) paste(msg tea.KeyMsg) tea.Cmd {
	if d := m.dialogs.top(); d != nil {
		return d.Update(msg)
	}
	if v := m.router.active(); v != nil && v.CapturesText() {
		return v.Update(msg)
	}
	return nil
}

// press gives one key to whom it belongs: the top dialog, a view that takes
// text, the root's own table, the view's table.
func (m *Model) press(msg tea.KeyMsg) tea.Cmd {
	if d := m.dialogs.top(); d != nil {
		if m.dialogs.swallows(m.pace.Now()) {
			return nil
		}
		return d.Update(msg)
	}
	v := m.router.active()
	if m.texting() || startsText(v, msg) {
		return v.Update(msg)
	}
	for _, g := range m.everywhere() {
		if g.Has(msg.String()) {
			return g.run(m, "")
		}
	}
	if v == nil {
		return nil
	}
	return m.pressView(v, msg.String())
}

// startsText tells whether a digit begins a text of the view.
func startsText(v views.View, msg tea.KeyMsg) bool {
	d, ok := v.(views.Digits)
	return ok && d.WantsDigits() && msg.Type == tea.KeyRunes && !msg.Alt && len(msg.Runes) == 1 && msg.Runes[0] >= '0' && msg.Runes[0] <= '9'
}

// pressView runs the command of a view that has the key.
func (m *Model) pressView(v views.View, key string) tea.Cmd {
	row, ok := views.Pressed(v.Commands(), key)
	if !ok {
		return nil
	}
	m.notices.deed(row)
	cmd, _, _ := views.Press(v, key)
	return cmd
}

// goBack dismisses an error, else goes back inside the view, else to the view
// before.
func (m *Model) goBack(string) tea.Cmd {
	if m.notices.dismiss() {
		return nil
	}
	m.notices.outdate()
	if v := m.router.active(); v != nil {
		if cmd, _, ok := views.Press(v, "esc"); ok {
			return cmd
		}
	}
	return m.router.back()
}

func (m *Model) nextTimes(string) tea.Cmd {
	return m.notify(views.Notice{Text: "times are " + m.env.Times.Next()})
}

func (m *Model) suspend(string) tea.Cmd { return tea.Suspend }
