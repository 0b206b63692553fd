package ui

import (
	"context"
	"errors"
	"fmt"

	"github.com/charmbracelet/bubbles/cursor"
	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui/keyboard"
	"geodeck/ui/palette"
	"geodeck/ui/views"
)

// Update handles one message, warns once where it could not be recorded, and keeps
// the ages on the screen up to date.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if m.options.Debug != nil {
		m.options.Debug(kindOf(msg))
	}
	m.keys.browsed = false
	cmd := tea.Batch(m.dispatch(msg), m.askQuitAgain(), m.release(), m.openOffer(), m.notices.warnUnrecorded(), m.screen.tick(), m.screen.freshen(), m.keeping.start(), m.screen.awaitRest(), m.session.resumed(), m.site.keep(m.session.signedOff()))
	_, one := msg.(tea.KeyMsg)
	m.headed.Stale = m.headed.Stale || !one || !m.keys.browsed
	m.site.followClock()
	if !m.env.Offline {
		cmd = tea.Batch(cmd, m.site.follow(m.screen.router.active().Status()))
	}
	if arrange := m.screen.router.active().Hooks().Arrange; arrange != nil {
		arrange()
	}
	return m, cmd
}

// kindOf names a message by its type, and a reply by its request and what it carries: what a
// message holds may be secret.
func kindOf(msg tea.Msg) string {
	switch msg := msg.(type) {
	case views.Reply:
		return fmt.Sprintf("reply %s %T", msg.Kind(), msg.Msg)
	case led:
		return kindOf(msg.msg)
	}
	return fmt.Sprintf("%T", msg)
}

// dispatch says who handles a message: what Bubble Tea tells, what views and dialogs ask for,
// what the parts tell each other, replies by scope, and keys. What is left goes to the dialog on
// top, or else to the view that is shown.
func (m *Model) dispatch(msg tea.Msg) tea.Cmd {
	switch msg.(type) {
	case views.Navigate, palette.Run:
		if m.busy() {
			return m.hold(msg)
		}
		m.screen.rest.acted(m.pace.Now())
	case tea.KeyMsg, keyboard.Truncated, keyboard.Burst, typedAhead, tea.WindowSizeMsg:
		m.screen.rest.acted(m.pace.Now())
	}
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		return m.resize(msg.Width, msg.Height)
	case tea.ResumeMsg:
		return tea.Batch(tea.ClearScreen, m.site.start(), m.watch.now()) // something may have changed meanwhile
	case cursor.BlinkMsg: // nothing blinks: an idle screen sends no bytes

	case views.Navigate:
		return m.navigate(msg)
	case views.Notice:
		return m.notices.show(msg, m.screen.dialogs.topID())
	case views.Open:
		return m.open(msg.Dialog, msg.Unrequested)
	case views.Shut:
		return m.shut(msg)
	case views.SignIn:
		return m.session.ask(msg)
	case views.Unlock:
		return m.lock.ask(msg)
	case views.WatchUpgrade:
		return m.watch.begin(msg)
	case views.Event:
		return m.event(msg)
	case views.Unresolved:
		return m.unresolved.show(msg.Earlier, true)
	case views.Copy:
		return m.copy(msg)
	case views.GoToSite:
		return m.sites.goTo(msg.Name)
	case palette.Run:
		return m.runLine(msg)

	case signedIn:
		return m.signedIn(msg)
	case unlocked:
		return m.lock.opened(msg)
	case goToDemo:
		return m.sites.goToDemo()
	case quitConfirmed:
		return m.quit()
	case fetchSite:
		return m.site.start()
	case showKept:
		return m.keeping.read(0)
	case keepNotice:
		m.notices.keep(msg.Notice)
	case closeDialog:
		m.closeDialog(msg.id)
	case watchBegun:
		m.site.reader = nil
	case sessionExpired:
		m.session.expire()

	case views.Reply:
		return m.reply(msg)

	case tea.KeyMsg:
		return m.key(msg)
	case keyboard.Truncated:
		return tea.Batch(m.key(tea.KeyMsg(msg)), views.Tell(views.Warning, "The pasted text is longer than 1 MiB; the rest was discarded."))
	case keyboard.Burst:
		return m.burst(msg, true)
	case typedAhead:
		return m.burst(keyboard.Burst(msg), false)
	case led:
		return m.led(msg)

	default:
		return m.screen.front().Update(msg)
	}
	return nil
}

// shut closes a dialog, with a notice that came over it.
func (m *Model) shut(by views.Shut) tea.Cmd {
	if !m.screen.dialogs.remove(by.ID) {
		return nil
	}
	if m.notices.dialog == by.ID {
		m.notices.leave()
	}
	if by.ID == signInID {
		m.session.left()
	}
	return by.Then
}

// event tells all views of an event, also one that a view has sent.
func (m *Model) event(e views.Event) tea.Cmd {
	cmd := m.screen.router.tell(e)
	if e == views.HealthEnded {
		cmd = tea.Batch(cmd, m.unresolved.ended())
	}
	return cmd
}

// resize takes the new size and passes it on. The first one starts the view
// that is shown first: a view knows its size before it starts.
func (m *Model) resize(width, height int) tea.Cmd {
	first := !m.screen.layout.known()
	m.screen.layout = layout{width: width, height: height, reported: true}
	m.screen.dialogs.resize(m.screen.layout.dialog())
	cmd := m.screen.router.resize(m.screen.layout.body())
	if first && m.screen.layout.known() {
		return tea.Batch(cmd, m.openFile())
	}
	return cmd
}

// navigate shows a view and runs a command there.
func (m *Model) navigate(to views.Navigate) tea.Cmd {
	if row, ok := views.Find(m.own, to.Command); to.View == "" && ok {
		return row.Do(to.Argument)
	}
	cmd, ok := m.screen.router.show(to.View, to.Command != "")
	if !ok {
		return views.Tell(views.Warning, "there is no view called "+to.View)
	}
	if to.Command == "" {
		return cmd
	}
	return tea.Batch(cmd, views.Invoke(m.screen.router.active(), to.Command, to.Argument))
}

// reply handles the replies to the root's own requests; the others go to who sent them.
func (m *Model) reply(r views.Reply) tea.Cmd {
	if !m.scope.Current(r) {
		return m.screen.deliver(r)
	}
	switch msg := r.Msg.(type) {
	case warned:
		return tea.Batch(views.Tell(views.Warning, views.Sentence(string(msg))), m.nextWarning())
	case views.Notice:
		return m.dispatch(msg)
	case siteFetched:
		return m.siteFetched(msg)
	case watchStep:
		return m.watchStep(msg)
	case views.Retry:
		return msg.Do()
	case wrongRead:
		if m.notices.shown && m.notices.last.Text != msg.said {
			return nil // another is being read
		}
		return m.notices.show(msg.notice, m.screen.dialogs.topID())
	case keptRead:
		return m.keeping.take(msg.kept, m.env.State.Reach.Err != nil && m.site.failed == 0)
	}
	return nil
}

// signedIn retries the requests that waited for the sign-in.
func (m *Model) signedIn(by signedIn) tea.Cmd {
	retries := m.session.signedIn(by)
	said := "signed in"
	if by.kept != "" {
		said += "; kept in " + by.kept
	}
	var told tea.Cmd
	if by.unkept == nil {
		told = tea.Batch(views.Tell(views.Success, said), m.site.sayWrong(said))
	} else {
		told = views.Send(views.Warned("Signed in. It is not kept: "+by.unkept.Error(), by.unkept))
	}
	return tea.Batch(append([]tea.Cmd{m.site.start(), told, m.watch.now()}, retries...)...)
}

// copy sends a text to the terminal's clipboard.
func (m *Model) copy(c views.Copy) tea.Cmd {
	terminal := m.options.Terminal
	return m.scope.Do("copy", func(context.Context) tea.Msg {
		err := errors.New("there is no terminal to copy through")
		if terminal != nil {
			err = terminal.Copy(c.Text)
		}
		if err != nil {
			return views.Failed("cannot copy the "+c.What+": "+err.Error(), err)
		}
		text := c.What + " sent to the terminal's clipboard"
		if c.Then != "" {
			text += ". " + c.Then
		}
		return views.Notice{Level: views.Success, Text: text}
	})
}
