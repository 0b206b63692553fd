package ui

import (
	"fmt"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/theme"
	"geodeck/ui/header"
	"geodeck/ui/help"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
)

// screen is what is shown: a view and the dialogs over it. It knows who takes keys, and draws who does.
type screen struct {
	part
	layout     layout
	router     router
	dialogs    dialogs
	rest       rest
	ticking    time.Duration // the timer of ages that runs; 0 for none
	freshening bool          // the pause runs before the view that is shown freshens
}

// front is the dialog on top, else the view. It gets a message without an address.
func (s *screen) front() views.Front {
	if d := s.dialogs.top(); d != nil {
		return d
	}
	return s.router.active()
}

// takes says how the dialog on top, else the view, takes keys.
func (s *screen) takes() (takes views.Takes) {
	if hook := s.front().Hooks().Takes; hook != nil {
		takes = hook()
	}
	return takes
}

// keyed returns the rows of the dialog on top that the help lists.
func (s *screen) keyed() []views.Command {
	if d := s.dialogs.top(); d != nil && d.Hooks().Keyed != nil {
		return d.Hooks().Keyed()
	}
	return nil
}

// fills reports whether a form or a prompt is open. The palette, filters and searches are
// none: who knows them types ahead.
func (s *screen) fills() bool {
	d := s.dialogs.top()
	return d != nil && d.Hooks().Line == nil
}

// busy reports whether the view that is shown takes no key yet.
func (s *screen) busy() bool {
	busy := s.router.active().Hooks().Busy
	return busy != nil && busy() && s.dialogs.top() == nil
}

// page returns the row that closes the page of the view that is open; not ok where the view
// itself is shown.
func (s *screen) page() (back views.Command, ok bool) {
	v := s.router.active()
	if len(v.Status().Path) == 0 {
		return back, false
	}
	return views.Pressed(v.Commands(), "esc")
}

// quits says what q does: it closes a page, else quits.
func (s *screen) quits() string {
	if _, ok := s.page(); ok {
		return "close"
	}
	return "quit"
}

// leadsBack says where esc leads, where that is another view.
func (s *screen) leadsBack() string {
	last := len(s.router.origins) - 1
	if last < 0 {
		return ""
	}
	if _, within := views.Pressed(s.router.active().Commands(), "esc"); within {
		return ""
	}
	return "back to " + s.router.maker(s.router.origins[last]).Title
}

// deliver gives a reply to its dialog or view. Stale ones are dropped.
func (s *screen) deliver(r views.Reply) tea.Cmd {
	for _, d := range s.dialogs.stack {
		if scope := d.Replies(); scope != nil && scope.Current(r) {
			return d.Update(r.Msg)
		}
	}
	for _, v := range s.router.mounted {
		if v.Replies().Current(r) {
			return v.Update(r.Msg)
		}
	}
	return nil
}

// hints returns the keys of the dialog on top, or of the view, and those of rows that work everywhere.
func (s *screen) hints(everywhere []views.Command) (own, always []views.Hint) {
	if d := s.dialogs.top(); d != nil {
		if len(s.keyed()) > 0 {
			always = []views.Hint{{Key: help.Key, Text: "keys"}}
		}
		return d.Hints(), always
	}
	v := s.router.active()
	if v.CapturesText() {
		if filtering := v.Hooks().Filtering; filtering == nil || filtering() {
			return rows.TypingHints(), nil
		}
		return footerOf(v), nil
	}
	return s.rest.hintsOf(v), views.Footer(everywhere, everywhereFooter...)
}

// body draws the view, or the dialog in its place.
func (s *screen) body() string {
	width, height := s.layout.body()
	ellipsis := s.env.Theme.Glyphs.Ellipsis
	switch d := s.dialogs.top(); {
	case d == nil:
		return s.router.active().View()
	case d.Hooks().Over != nil:
		lines := strings.Split(theme.WithoutCursor(s.router.active().View()), "\n")
		return views.Block(d.Hooks().Over(lines, width), width, height, ellipsis)
	default:
		lines := make([]string, dialogTop, height)
		for _, line := range strings.Split(d.View(), "\n") {
			lines = append(lines, strings.Repeat(" ", dialogIndent)+line)
		}
		return views.Block(lines, width, height, ellipsis)
	}
}

// keptLine says that what the screen shows was kept; empty where it was not.
func (s *screen) keptLine() string {
	status := s.router.active().Status()
	if !status.Kept {
		return ""
	}
	age := s.env.Times.Ago(status.Updated)
	if s.layout.width < 80 {
		return "Kept from " + age + "; the site does not answer."
	}
	return "Kept on this machine, from " + s.env.Times.Here(status.Updated) + ", " + age + ". The site does not answer."
}

// awaitRest starts the timer after the user did something. One runs at a time: what is
// done meanwhile only notes when. In a dialog nothing is selected in the view below.
func (s *screen) awaitRest() tea.Cmd {
	if !s.rest.due || s.rest.waiting || !s.router.active().Hooks().Rests && s.rest.moving == nil || s.dialogs.top() != nil {
		return nil
	}
	s.rest.waiting = true
	wait := restTime - s.pace.Now().Sub(s.rest.last)
	return s.scope.Later(s.pace, wait, "rest", s.restOver)
}

// restOver tells the view that is shown, unless the user did something meanwhile.
func (s *screen) restOver() tea.Cmd {
	s.rest.waiting = false
	if s.pace.Now().Sub(s.rest.last) < restTime || s.dialogs.top() != nil {
		return nil
	}
	s.rest.due = false
	s.rest.stop()
	return s.router.active().Update(views.Rested)
}

// tick starts the timer of a second while a clock is on the screen, else that of a minute where an
// age is: an idle screen sends few bytes.
func (s *screen) tick() tea.Cmd {
	pause := time.Second
	switch status := s.router.active().Status(); {
	case status.Busy != "" || status.Unreachable != nil || s.env.Times.Mode == views.RelativeTime:
	case status.Updated.IsZero():
		return nil
	default:
		pause = time.Minute
	}
	if s.ticking > 0 && s.ticking <= pause {
		return nil
	}
	s.ticking = pause
	return s.scope.Later(s.pace, pause, "tick", func() tea.Cmd { s.ticking = 0; return nil })
}

// freshenPause is how often the view that is shown may fetch again what is old.
const freshenPause = 10 * time.Second

// freshen starts the pause until the view that is shown may fetch again what is old.
func (s *screen) freshen() tea.Cmd {
	if !s.router.active().Hooks().Freshens || s.freshening {
		return nil
	}
	s.freshening = true
	return s.scope.Later(s.pace, s.env.Site.Line.Pause(freshenPause), "freshen", func() tea.Cmd {
		s.freshening = false
		return s.router.active().Update(views.Freshen)
	})
}

// The smallest terminal in which the screens say what they have to.
const (
	minWidth  = 60
	minHeight = 15
)

// The lines of the frame around a view: two of the header, a rule, and at the
// bottom a rule, which carries notices, and the hints.
const (
	headerLines = 3
	footerLines = 2
)

// Dialogs are indented from the edges of the view.
const (
	dialogIndent = 2
	dialogTop    = 1
)

// layout divides the size of the screen.
type layout struct {
	width, height int
	reported      bool // even if width or height is zero
}

// known reports whether the terminal has a size.
func (l layout) known() bool { return l.width > 0 && l.height > 0 }

func (l layout) tooSmall() bool { return l.width < minWidth || l.height < minHeight }

// body is what views get. It never falls below what the smallest terminal
// offers: nothing is drawn there, and no view has to think about it.
func (l layout) body() (width, height int) {
	return max(l.width, minWidth), max(l.height, minHeight) - headerLines - footerLines
}

// dialog is what dialogs get.
func (l layout) dialog() (width, height int) {
	width, height = l.body()
	return width - 2*dialogIndent, height - dialogTop
}

// tooSmallText is drawn instead of everything else on a terminal that is too small.
func (l layout) tooSmallText(t *theme.Theme, production bool) string {
	text := fmt.Sprintf(views.Keys("too small, needs %dx%d; {key:interrupt} quits"), minWidth, minHeight)
	if production {
		text = t.Production.Render(header.ProductionWord) + " " + text
	}
	return views.Block([]string{text}, l.width, l.height, t.Glyphs.Ellipsis)
}
