package ui

import (
	"cmp"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/widget"
)

const unlockID = "unlock"

// lock asks for the name of a site before the first write of a session, where the site is to be
// read-only until then.
type lock struct {
	part
}

// unlocked says that the name was typed.
type unlocked struct{ then tea.Cmd }

// word is what has to be typed: the name of the site, else its host.
func (l *lock) word() string {
	return cmp.Or(plain.Line(l.options.Name), plain.Line(l.env.Site.Client.Base().Hostname()))
}

// ask opens the question for the name; where nothing is locked, what was to follow does.
func (l *lock) ask(request views.Unlock) tea.Cmd {
	if l.env.Offline || !l.env.Site.Client.Locked() {
		return request.Then
	}
	name := l.word()
	stays := cmp.Or(l.options.Sealed, name+" stays read-only.")
	if request.Then != nil {
		stays = "Nothing was sent. " + stays
	}
	left := tea.Sequence(request.Else, views.Tell(views.Info, stays))
	if l.options.Sealed != "" {
		return left
	}
	return l.confirm(widget.Question{
		ID: unlockID, Text: "Unlock " + name + " at " + l.env.Address() + "?",
		Consequence: "This site is read-only until you type its name. Then this session can change it; :lock makes it read-only again.",
		Word:        name, Yes: "unlock it", No: "send nothing", Then: views.Send(unlocked{request.Then}), Else: left,
	}, false)
}

// opened unlocks the site and goes on with what the user wanted.
func (l *lock) opened(by unlocked) tea.Cmd {
	l.env.Site.Client.Unlock()
	return tea.Batch(views.Tell(views.Success, l.word()+" is unlocked; :lock locks it again."), by.then)
}

// requested unlocks the site because the user wants to.
func (l *lock) requested() tea.Cmd {
	switch client := l.env.Site.Client; {
	case l.env.Offline:
		return views.Tell(views.Info, "There is no site to unlock.")
	case client.ReadOnly():
		return views.Tell(views.Warning, "geodeck was started with --read-only, which cannot be unlocked.")
	case client.Unlocked():
		return views.Tell(views.Info, l.word()+" is unlocked already; :lock locks it.")
	case !client.Locked():
		return views.Tell(views.Info, "This site is not locked.")
	}
	return l.ask(views.Unlock{})
}

// close locks the site again.
func (l *lock) close() tea.Cmd {
	switch client := l.env.Site.Client; {
	case l.env.Offline:
		return views.Tell(views.Info, "There is no site to lock.")
	case client.Locked():
		return views.Tell(views.Info, l.word()+" is read-only already.")
	case !client.Unlocked():
		return views.Tell(views.Info, "This site does not start read-only, so it cannot be locked.")
	default:
		client.Lock()
		return views.Tell(views.Success, l.word()+" is read-only again.")
	}
}
