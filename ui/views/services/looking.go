package services

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui/views"
	"geodeck/ui/views/jsonview"
)

// looking is a text that can only be read: of another program's edit, or the site's.
type looking struct {
	json *jsonview.View
	site bool // what the site has is shown
}

var cmdLookAt = views.Command{ID: "services.look-at-draft", Binding: views.Key("look", "enter"), Name: "look at open draft", Help: "Read what another program edits, and what the site has, in turn. Nothing can be changed.", Group: serviceGroup}

// lookHead are the lines above the text.
const lookHead = 2

// lookAt shows the text of the other program; then, in turn, what the site has.
func (e *edited) lookAt() tea.Cmd {
	o := e.offer
	if o == nil || !o.elsewhere() || o.unread() {
		return nil
	}
	site := o.look != nil && !o.look.site
	o.look = &looking{json: jsonview.New(e.m.env.Theme), site: site}
	if site {
		o.look.json.Set(e.now.Bytes())
	} else {
		o.look.json.Set([]byte(o.text))
	}
	e.setSize(e.size.width, e.size.height)
	return nil
}

// look is what is shown read only; nil for nothing.
func (e *edited) look() *looking {
	if e.offer == nil {
		return nil
	}
	return e.offer.look
}

// stopLooking goes back to who has the edit.
func (e *edited) stopLooking() bool {
	l := e.look()
	switch {
	case l == nil:
		return false
	case l.json.Filter() != "":
		l.json.SetFilter("")
	default:
		e.offer.look = nil
	}
	return true
}

func (m *Model) lookLines(o *offer) []string {
	whose := "Read only: the draft of " + o.from.Program.Who() + ", kept at " + m.env.Times.Minute(o.from.Saved)
	if o.look.site {
		whose = "Read only: what the site has"
	}
	return append([]string{m.inks.Label.On(whose), ""}, strings.Split(o.look.json.View(), "\n")...)
}
